"""The data of the page: metrics of each model in each group, in the page's JSON format.

The rows of each group are tallied, and each metric is computed from a tally. The tally of all rows
is the sum of the tallies of the groups. Rows that were not perturbed are left out of those that
discriminative risk is computed from.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from dr_core import metrics
from dr_core.metrics import View
from dr_core.plugins import NEITHER, Array, Bootstrap, Tally, tally_profiles
from fairlearn_dr.dashboard._inputs import DashboardInputs, ModelPredictions, SensitiveFeature

__all__ = [
    "PAGE_METRICS",
    "RISK_DESCRIPTION",
    "RISK_KEY",
    "RISK_TITLE",
    "escape_markup",
    "make_page_content",
]

RISK_KEY, RISK_TITLE = "discriminative_risk", "Discriminative risk"
RISK_DESCRIPTION = "The share of predictions that change when only sensitive attributes change."

CONFIDENCE, N_REPLICATES = 0.95, 1000


def balanced_accuracy(view: View) -> Array:
    """Compute the mean of recall and specificity."""
    return (metrics.recall(view) + metrics.specificity(view)) / 2


PAGE_METRICS: dict[str, Callable[[View], Array]] = {
    RISK_KEY: metrics.discriminative_risk,
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
"""Metrics by their keys in the page."""


def make_page_content(inputs: DashboardInputs) -> dict[str, Any]:
    """Return the entries to add to the page's data, with all metrics precomputed."""
    return {
        "features": [escape_markup(feature.name) for feature in inputs.features],
        "model_names": [escape_markup(model.name) for model in inputs.models],
        "predictionType": "binaryClassification",
        "errorBarsEnabled": True,
        "customMetrics": [{"id": RISK_KEY, "name": RISK_TITLE, "description": RISK_DESCRIPTION}],
        "precomputedFeatureBins": [_make_bins(feature) for feature in inputs.features],
        "precomputedMetrics": [
            [_compute_metrics(inputs.y, feature, model) for model in inputs.models]
            for feature in inputs.features
        ],
    }


def escape_markup(text: str) -> str:
    r"""Keep the charts of the page from interpreting ``<b>`` and ``&amp;`` as markup.

    An invisible character, the word joiner, is inserted after the ``<`` or ``&``.

    Examples
    --------
    >>> print(ascii(escape_markup("<b> & <30")))
    '<\u2060b> & <30'
    """
    return re.sub(r"<(?=/?[a-zA-Z])|&(?=#?\w+;)", "\\g<0>\u2060", text)


def _make_bins(feature: SensitiveFeature) -> dict[str, Any]:
    # The groups "f", "m", "f" of three rows become the labels "f", "m" and the vector 0, 1, 0.
    return {
        "featureBinName": escape_markup(feature.name),
        "binLabels": [escape_markup(label) for label in feature.labels],
        "binVector": feature.groups.tolist(),
    }


def _tally_groups(
    y: Array, feature: SensitiveFeature, model: ModelPredictions, some: Array
) -> list[Tally]:
    """Tally all rows, then those of each group; only `some` of the rows, (n,)."""
    # A profile is the probability of each class after the perturbation. A row with prediction 1
    # and risk 0.3 has the profile (0.3, 0.7): it becomes 0 with probability 0.3.
    is_predicted = model.predictions[:, None] == np.arange(2)
    risk = np.nan_to_num(model.risk)[:, None]
    profiles = np.where(is_predicted, 1 - risk, risk)
    rows_of_groups = [some & (feature.groups == group) for group in range(len(feature.labels))]
    tallies = [
        tally_profiles(
            np.full(rows.sum(), NEITHER),
            y[rows],
            model.predictions[rows],
            profiles[rows],
            [0, 1],
        )
        for rows in rows_of_groups
    ]
    return [reduce(add, tallies), *tallies]


def _compute_metrics(
    y: Array, feature: SensitiveFeature, model: ModelPredictions
) -> dict[str, dict[str, Any]]:
    """Compute each metric over all rows and in each group, with 95 % confidence intervals.

    Discriminative risk is that of the rows that were perturbed.
    """
    is_perturbed = ~np.isnan(model.risk)
    tallies = _tally_groups(y, feature, model, np.ones(len(y), dtype=bool))
    of_risk = tallies if is_perturbed.all() else _tally_groups(y, feature, model, is_perturbed)
    values = [_compute_values(*both) for both in zip(tallies, of_risk, strict=True)]
    intervals = [_compute_intervals(*both) for both in zip(tallies, of_risk, strict=True)]
    return {
        name: {
            "global": values[0][name],
            "bins": [of_group[name] for of_group in values[1:]],
            "bounds": intervals[0][name],
            "binBounds": [of_group[name] for of_group in intervals[1:]],
        }
        for name in PAGE_METRICS
    }


def _compute_values(tally: Tally, of_risk: Tally) -> dict[str, float]:
    view, risk_view = (View(one.table, favorable=1) for one in (tally, of_risk))
    return {
        name: float(metric(risk_view if name == RISK_KEY else view))
        for name, metric in PAGE_METRICS.items()
    }


def _compute_intervals(tally: Tally, of_risk: Tally) -> dict[str, dict[str, float]]:
    """Return percentile intervals of a bootstrap, and the interval of the risk."""
    bootstrap = Bootstrap(N_REPLICATES, CONFIDENCE, random_state=0)
    others = [name for name in PAGE_METRICS if name != RISK_KEY]
    ends = bootstrap.intervals(tally, 1, others, PAGE_METRICS)
    found = {name: {"lower": of["low"], "upper": of["high"]} for name, of in ends.items()}
    low, high = bootstrap.risk_interval(of_risk.risk_sample)
    return found | {RISK_KEY: {"lower": low, "upper": high}}
