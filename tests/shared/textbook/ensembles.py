"""Small random ensembles to hold fast code against the textbook."""

from __future__ import annotations

import numpy as np

from dr_core import Votes


def random_votes(
    random: np.random.Generator,
    m: int,
    n: int,
    *,
    n_classes: int = 2,
    weights: str = "uniform",
    weighted_rows: bool = False,
) -> Votes:
    """Members better than chance that change their votes on some instances.

    `weights` are "uniform", "whole" numbers from 1 to 3, or "adaboost": half the log odds of
    being right.
    """
    y = random.integers(0, n_classes, n)
    skill = random.uniform(0.1, 0.5, (m, 1))
    reaction = random.uniform(0.05, 0.4, (m, 1))
    votes = np.where(random.random((m, n)) < skill, y, random.integers(0, n_classes, (m, n)))
    changes = random.random((m, n)) < reaction
    perturbed = np.where(changes, random.integers(0, n_classes, (m, n)), votes)
    kinds = {
        "uniform": None,
        "whole": random.integers(1, 4, m),
        "adaboost": np.log((1 + skill) / (1 - skill)).ravel() / 2,
    }
    rows = random.uniform(0, 1, n) if weighted_rows else None
    return Votes(votes, perturbed, y, kinds[weights], rows, classes=np.arange(n_classes))
