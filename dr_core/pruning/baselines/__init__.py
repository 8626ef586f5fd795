"""The pruning methods the paper compares with: `methods()` by name, `prune` one of them."""

from dr_core.pruning.baselines._registry import methods, prune

__all__ = ["methods", "prune"]
