"""The pruning methods that the paper compares with: `methods` lists them, `prune` runs one."""

from dr_core.pruning.baselines._registry import methods, prune

__all__ = ["methods", "prune"]
