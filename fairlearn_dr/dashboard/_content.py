"""What the page shows: metrics of each model in each group, in the form that the page reads.

All numbers are `dr_core`'s: the rows of each group are tallied, and every metric is a function of
a tally. The tally of all rows is the sum of those of the groups.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from dr_core import metrics, wilson
from dr_core.metrics import View
from dr_core.plugins import NEITHER, Array, Tally, tally_profiles
from fairlearn_dr.dashboard._inputs import Feature, Inputs, Model

__all__ = ["DESCRIPTION", "DR", "TITLE", "page_content", "plain"]

DR, TITLE = "discriminative_risk", "Discriminative risk"
DESCRIPTION = "The share of predictions that change when only sensitive attributes change."

CONFIDENCE, REPLICATES = 0.95, 1000


def balanced_accuracy(view: View) -> Array:
    """Mean of recall and specificity."""
    return (metrics.recall(view) + metrics.specificity(view)) / 2


METRICS: dict[str, Callable[[View], Array]] = {
    DR: metrics.discriminative_risk,
    "selection_rate": lambda view: view.confusion().selection_rate,
    "accuracy_score": metrics.accuracy,
    "balanced_accuracy_score": balanced_accuracy,
    "precision_score": metrics.precision,
    "recall_score": metrics.recall,
    "f1_score": metrics.f1,
    "specificity_score": metrics.specificity,
    "fallout_rate": lambda view: view.confusion().false_positive_rate,
    "miss_rate": lambda view: 1 - metrics.recall(view),
    "zero_one_loss": lambda view: 1 - metrics.accuracy(view),
}
"""Metrics by the keys under which the page knows them."""


def page_content(inputs: Inputs) -> dict[str, Any]:
    """Data that make the page show discriminative risk, to be merged into its own."""
    return {
        "features": [plain(feature.name) for feature in inputs.features],
        "model_names": [plain(model.name) for model in inputs.models],
        "predictionType": "binaryClassification",
        "errorBarsEnabled": True,
        "customMetrics": [{"id": DR, "name": TITLE, "description": DESCRIPTION}],
        "precomputedFeatureBins": [_bins(feature) for feature in inputs.features],
        "precomputedMetrics": [
            [_by_group(_tallies(inputs.y, feature, model)) for model in inputs.models]
            for feature in inputs.features
        ],
    }


def plain(text: str) -> str:
    r"""Text that charts show as it is: they would take ``<b>`` and ``&amp;`` for markup.

    An invisible character, the word joiner, comes between.

    Examples
    --------
    >>> print(ascii(plain("<b> & <30")))
    '<\u2060b> & <30'
    """
    return re.sub(r"<(?=/?[a-zA-Z])|&(?=#?\w+;)", "\\g<0>\u2060", text)


def _bins(feature: Feature) -> dict[str, Any]:
    return {
        "featureBinName": plain(feature.name),
        "binLabels": [plain(label) for label in feature.labels],
        "binVector": feature.groups.tolist(),
    }


def _tallies(y: Array, feature: Feature, model: Model) -> list[Tally]:
    """Tally the rows of each group."""
    stays, risk = model.predictions[:, None] == np.arange(2), model.risk[:, None]
    profiles = np.where(stays, 1 - risk, risk)
    members = [feature.groups == group for group in range(len(feature.labels))]
    return [
        tally_profiles(
            np.full(rows.sum(), NEITHER),
            y[rows],
            model.predictions[rows],
            profiles[rows],
            [0, 1],
        )
        for rows in members
    ]


def _by_group(tallies: Sequence[Tally]) -> dict[str, dict[str, Any]]:
    """Each metric over all rows and in each group, with 95 % intervals."""
    whole = reduce(add, tallies)
    overall, groups = _values(whole), [_values(tally) for tally in tallies]
    bounds, of_groups = _intervals(whole), [_intervals(tally) for tally in tallies]
    return {
        name: {
            "global": overall[name],
            "bins": [values[name] for values in groups],
            "bounds": bounds[name],
            "binBounds": [intervals[name] for intervals in of_groups],
        }
        for name in METRICS
    }


def _values(tally: Tally) -> dict[str, float]:
    view = View(tally.table, favorable=1)
    return {name: float(metric(view)) for name, metric in METRICS.items()}


def _intervals(tally: Tally) -> dict[str, dict[str, float]]:
    """Percentiles of a bootstrap; Wilson's for DR, which stays honest where it is 0."""
    tables = np.concatenate(list(tally.bootstrap(REPLICATES, np.random.default_rng(0))))
    view = View(tables, favorable=1)
    ends = {name: _percentiles(metric(view)) for name, metric in METRICS.items()}
    ends[DR] = wilson(_values(tally)[DR], tally.n_effective, CONFIDENCE)[:2]
    return {name: {"lower": low, "upper": high} for name, (low, high) in ends.items()}


def _percentiles(replicates: Array) -> tuple[float, float]:
    defined = replicates[~np.isnan(replicates)]
    if not len(defined):
        return np.nan, np.nan
    low, high = np.quantile(defined, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)
