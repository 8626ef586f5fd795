"""How the gallery looks, and in which order; sphinx-gallery finds both by name."""

from pathlib import Path

import matplotlib.pyplot as plt

STYLE = Path(__file__).with_name("gallery.mplstyle")
FIRST = [
    "plot_first_audit.py",
    "plot_metric_frame.py",
    "plot_age.py",
    "plot_aif360.py",
    "plot_aif360_chain.py",
    "plot_aif360_sklearn.py",
    "plot_side_by_side.py",
    "plot_exact_or_sampled.py",
    "plot_proxies.py",
    "plot_off_manifold.py",
    "plot_couplings.py",
]
"""Examples in this order; then the others by name."""


def reset(gallery_conf, example):
    """Make every plot start from the same style."""
    plt.rcdefaults()
    plt.style.use(STYLE)


class Order:
    """Sort key of the examples in a folder."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, example):
        return FIRST.index(example) if example in FIRST else len(FIRST), example
