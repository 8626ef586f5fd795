"""The six data sets of the paper, shipped with the library."""

from dr_core.datasets._loading import binarize, load, names

__all__ = ["binarize", "load", "names"]
