"""The result of `compare`."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from html import escape
from importlib.metadata import PackageNotFoundError, version
from inspect import isroutine
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from dr_core._utils import Array, write_atomically
from dr_core.comparison._ensemble_audit import EnsembleAudit, to_records
from dr_core.comparison._groups import Breakdown, GroupRates
from dr_core.comparison._individuals import Individuals
from dr_core.comparison._markdown import escape_markdown, render_markdown
from dr_core.comparison._policy import Verdict, check_comparison
from dr_core.metrics import DR, Bootstrap
from dr_core.perturbation import PerturbationPlan
from dr_core.risk import Plausibility, describe_hidden_risk

__all__ = [
    "Comparison",
    "describe_bootstrap",
    "describe_environment",
    "describe_plan",
    "to_plain",
]

DISTRIBUTIONS = ("discriminative-risk", "numpy", "pandas", "scikit-learn")
"""Distributions whose versions are recorded."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """DR and the established measures of several models.

    Attributes
    ----------
    values : DataFrame
        One row for each model, attribute and measure: its `value`, and with a bootstrap the ends
        of its interval, `low` and `high`. A gap also has its `signed` value, that of marginalised
        rows minus that of privileged ones, and with a bootstrap `signed_low` and `signed_high`.
        So a negative demographic parity means that favourable decisions are rarer among
        marginalised rows. These are NaN for other measures, and for equalized odds, which combine
        two gaps.
    settings : dict
        How the values were computed: rows, method, seed, confidence and so on.
    breakdown : Breakdown
        Sums by group; see `by_group` and `directions`.
    ensembles : dict
        `EnsembleAudit` of each model that is a vote, if requested.
    individuals : dict
        `Individuals` of each model, if requested. They are personal data.
    plausibility : dict
        `Plausibility` of each model, if requested. Its `when_coupled` is the result with coupled
        columns that follow the attributes.
    rates : GroupRates
        Labels and decisions by group; see `group_rates`.
    evidence : dict
        Facts that a caller adds about data and run, such as "data_quality"; `to_json` and
        `to_html` contain them.
    """

    values: pd.DataFrame
    settings: dict[str, Any] = field(default_factory=dict)
    breakdown: Breakdown | None = field(default=None, repr=False)
    ensembles: dict[str, EnsembleAudit] = field(default_factory=dict, repr=False)
    individuals: dict[str, Individuals] = field(default_factory=dict, repr=False)
    plausibility: dict[str, Plausibility] = field(default_factory=dict, repr=False)
    rates: GroupRates | None = field(default=None, repr=False)
    evidence: dict[str, Any] = field(default_factory=dict, repr=False)

    def table(self, *, wide: bool = True) -> pd.DataFrame:
        """Return measures in columns, models and attributes in rows; or one row per value.

        Parameters
        ----------
        wide : bool
            The long form, with `wide=False`, also holds the intervals.
        """
        keys = ["model", "attribute", "measure"]
        if not wide:
            return self.values.set_index(keys)
        order = self.values["measure"].unique()
        models = self.values[keys[:2]].drop_duplicates()
        table = self.values.pivot(index=keys[:2], columns="measure", values="value")
        return table.loc[pd.MultiIndex.from_frame(models), order].rename_axis(columns=None)

    @property
    def by_group(self) -> pd.DataFrame:
        """Risk by group, one row for each model, attribute and value of the attribute.

        Columns: whether the group is `privileged`, its `rows`, its `share` of all rows, its
        `risk`, the shares of it that would lose and gain the favourable label (`loses`,
        `gains`), and its share of all changes (`share_of_changes`).

        In the rows of one attribute, only this attribute is perturbed; in the rows of "all", the
        intersections, all attributes are perturbed together. So the risk of a group is not the
        mean risk of its intersections.
        """
        return pd.DataFrame() if self.breakdown is None else self.breakdown.by_group

    def get_risks(self, model: Any) -> dict[Any, float]:
        """Return the discriminative risk of a model for each attribute, and for "all"."""
        values = self.values
        rows = values[(values["model"] == model) & (values["measure"] == DR)]
        return dict(zip(rows["attribute"], rows["value"], strict=True))

    def describe_hidden_risk(self, model: Any, format_name: Callable[[Any], str] = str) -> str:
        """Return a sentence if one attribute alone has more risk than all together; else ""."""
        weights = {} if self.breakdown is None else self.breakdown.get_perturbed_weights(model)
        return describe_hidden_risk(self.get_risks(model), format_name, weights=weights)

    @property
    def group_rates(self) -> pd.DataFrame:
        """Rates of each group, one row for each `measure`.

        These are the base rate (favourable labels), selection rate (favourable decisions), true
        and false positive rate and discriminative risk, each with Clopper and Pearson's interval,
        and the impact ratio, the selection rate relative to that of the most selected group with
        at least 2 % of the rows. Its interval is made from those of both rates (Donner and Zou);
        the ratio of that group itself is 1, without an interval. A group that lacks a sensitive
        value is no reference, and its ratio is NaN. `reference` is the name of the reference
        group, for impact ratios only. With many groups, the most selected one is so partly by
        chance, and intervals of the others are too low. `low` and `high` are NaN in three cases:
        without `n_boot`, for weighted rows, and for people with several rows. As in `by_group`,
        the discriminative risk of the groups of one attribute is that of perturbing this
        attribute alone.
        """
        return pd.DataFrame() if self.rates is None else self.rates.table

    @property
    def notes(self) -> list[str]:
        """Sentences that belong to the values.

        One for each range whose values are represented by some of them, and for each model with
        more risk for one attribute alone than for all.
        """
        notes = {m: self.describe_hidden_risk(m) for m in self.values["model"].unique()}
        of_models = (f"{model}: {note}" for model, note in notes.items() if note)
        return [*(f"{note}." for note in self.settings.get("notes", ())), *of_models]

    @property
    def directions(self) -> pd.DataFrame:
        """Share of the perturbed rows that would lose or gain the favourable label.

        One row for each model and attribute. A row without a sensitive value is not perturbed.
        """
        return pd.DataFrame() if self.breakdown is None else self.breakdown.directions

    def check(
        self,
        *,
        max_risk: float | Mapping[Any, float] | None = None,
        max_gap: Mapping[str, float] | None = None,
    ) -> Verdict:
        """Decide whether limits are kept, on the confidence intervals.

        A limit is kept ("pass") if the upper end of the interval is within it, and exceeded
        ("fail") if the lower end is beyond. Otherwise the data cannot tell ("undecided"), and the
        decision has an estimate of how many rows could.

        Parameters
        ----------
        max_risk : float or mapping
            Largest acceptable discriminative risk, all attributes perturbed together; or a
            mapping from attributes, and "all", to limits.
        max_gap : mapping
            From gaps such as "demographic_parity" to limits, for each attribute and all together.

        Returns
        -------
        Verdict
            It is true if every limit is kept. `str(verdict)` has a line for each limit
            and each of its notes.

        Examples
        --------
        >>> from dr_core import compare
        >>> X = pd.DataFrame({"sex": ["M", "F"] * 200, "age": range(400)})
        >>> hires = lambda X: X["age"] > X["sex"].map({"M": 200, "F": 210})
        >>> y, measures = [0, 1] * 200, ["discriminative_risk"]
        >>> found = compare({"rule": hires}, X, y, {"sex": "M"}, n_boot=9, measures=measures)
        >>> verdict = found.check(max_risk=0.1)
        >>> bool(verdict), verdict.outcome
        (True, 'pass')
        >>> print(found.check(max_risk=0.03))
        UNDECIDED: discriminative risk of rule for sex: 2.5 % [1.2, 4.5], limit 3 %; \
about 4,500 rows would decide, these are 400
        """
        return check_comparison(self, max_risk, max_gap)

    def to_json(self, path: str | Path | None = None) -> str:
        """Return values and settings as JSON text, and write it to `path` if given.

        Individuals are left out.
        """
        content = {
            "settings": self.settings,
            "values": to_records(self.values),
            "directions": to_records(self.directions),
            "groups": to_records(self.by_group),
            "group_rates": to_records(self.group_rates),
            "ensembles": {name: found.to_dict() for name, found in self.ensembles.items()},
            **self.evidence,
        }
        if self.plausibility:
            content["plausibility"] = {
                model: found.to_dict() for model, found in self.plausibility.items()
            }
        coupled = {name: found.when_coupled for name, found in self.plausibility.items()}
        for key, each in (
            ("implausible_pairs", self.plausibility),
            ("implausible_pairs_coupled", {name: one for name, one in coupled.items() if one}),
        ):
            if each:
                content[key] = {model: to_records(found.pairs) for model, found in each.items()}
        text = json.dumps(content, indent=2, default=to_plain, allow_nan=False)
        if path is not None:
            write_atomically(path, text + "\n")
        return text

    def to_html(
        self,
        path: str | Path | None = None,
        *,
        title: str = "Discriminative risk audit",
        facts: Mapping[str, str] | None = None,
    ) -> str:
        """Return the comparison as one self-contained HTML page, and write it to `path` if given.

        Parameters
        ----------
        path : str or Path, optional
        title : str
        facts : mapping, optional
            Further facts about the audit, such as {"data": "loans of 2025"}.

        Raises
        ------
        ImportError
            Without Jinja2: pip install 'discriminative-risk[report]'.

        Examples
        --------
        >>> from dr_core import compare
        >>> X = pd.DataFrame({"sex": ["M", "M", "F", "F"], "age": [25, 35, 35, 45]})
        >>> hires = lambda X: X["age"] > X["sex"].map({"M": 30, "F": 40})
        >>> measures = ["discriminative_risk", "accuracy"]
        >>> both = compare({"rule": hires}, X, [0, 1, 1, 1], {"sex": "M"}, measures=measures)
        >>> page = both.to_html()
        >>> "of people would get a different decision if only their sex were" in page
        True
        """
        from dr_core.report import render

        text = render(self, title, facts or {})
        if path is not None:
            write_atomically(path, text)
        return text

    def to_markdown(self, path: str | Path | None = None) -> str:
        """Return the comparison as Markdown, and write it to `path` if given.

        It has no headings, so that it fits into any section of a model card. Names from the data
        are escaped. Individuals are left out.

        Parameters
        ----------
        path : str or Path, optional

        Examples
        --------
        >>> from dr_core import compare
        >>> X = pd.DataFrame({"sex": ["M", "M", "F", "F"], "age": [25, 35, 35, 45]})
        >>> hires = lambda X: X["age"] > X["sex"].map({"M": 30, "F": 40})
        >>> measures = ["discriminative_risk", "demographic_parity", "accuracy"]
        >>> both = compare({"rule": hires}, X, [0, 1, 1, 1], {"sex": "M"}, measures=measures)
        >>> print(both.to_markdown())
        50.0 % of people would get a different decision if only their sex were different.
        <BLANKLINE>
        | measure | sex |
        | --- | --- |
        | discriminative risk | 0.5000 |
        | demographic parity | 0.0000 |
        <BLANKLINE>
        | measure | all rows |
        | --- | --- |
        | accuracy | 0.7500 |
        ...
        """
        from dr_core.report import collect_facts, format_headline

        models = self.values["model"].unique()
        headlines = {model: format_headline(self, model, escape_markdown) for model in models}
        text = render_markdown(self.values, headlines, collect_facts(self.settings, {}))
        if path is not None:
            write_atomically(path, text)
        return text

    def plot(
        self, *, attribute: Any = None, measures: Sequence[str] | None = None, axes: Any = None
    ) -> Array:
        """Plot the error of models against fairness measures, in one panel for each measure.

        Parameters
        ----------
        attribute : hashable, optional
            The sensitive attribute. By default, the last one, which is "all" if there are several.
        measures : sequence of str, optional
            The fairness measures. By default DR and the three that the paper compares it with.
        axes : sequence of Axes, optional
            One for each measure.

        Returns
        -------
        array of Axes

        Raises
        ------
        ImportError
            Without matplotlib: pip install 'discriminative-risk[plots]'.
        """
        from dr_core.comparison._plot import DRAWN_MEASURES, draw_comparison

        measures = DRAWN_MEASURES if measures is None else measures
        return draw_comparison(self, axes, attribute=attribute, measures=measures)

    def __repr__(self) -> str:
        return "\n".join(["<Comparison>", self.table().T.round(4).to_string(), *self.notes])

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return self.table().T.to_html(float_format="{:.4f}".format) + notes


def to_plain(value: Any) -> Any:
    """Return NumPy numbers as Python ones, anything else that JSON does not know as text."""
    return value.item() if isinstance(value, np.number | np.bool_) else str(value)


def describe_plan(plan: PerturbationPlan) -> dict[str, Any]:
    """Return how rows were perturbed, in plain types."""
    settings = {
        "privileged": {
            str(a.name): a.privileged if a.condition is None else a.description
            for a in plan.attributes
        },
        "method": plan.method,
        "p": plan.p,
        "n_samples": plan.n_samples if plan.method == "sample" else None,
    }
    if plan.notes:
        settings["notes"] = plan.notes
    if plan.attributes.has_couplings:
        settings["coupled"] = plan.attributes.couplings.to_dict()
    return settings


def describe_bootstrap(bootstrap: Bootstrap) -> dict[str, Any]:
    """Return how intervals were computed."""
    n_boot, confidence = bootstrap.n_boot, bootstrap.confidence
    settings = {"random_state": bootstrap.random_state, "n_boot": n_boot}
    return settings | {"confidence": confidence if n_boot else None}


def describe_environment(models: Mapping[str, Any]) -> dict[str, Any]:
    """Return the kinds of the models, the versions of libraries, and the date.

    Examples
    --------
    >>> found = describe_environment({"longest": len})
    >>> list(found), found["models"]
    (['models', 'versions', 'date'], {'longest': 'function'})
    """
    return {
        "models": {str(name): describe_model(model) for name, model in models.items()},
        "versions": {"Python": platform.python_version()} | _find_versions(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def describe_model(model: Any) -> str:
    """Return the class of a model, with the last step of a pipeline.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> describe_model(make_pipeline(DecisionTreeClassifier()))
    'Pipeline ending in DecisionTreeClassifier'
    """
    if isinstance(model, Pipeline):
        return f"Pipeline ending in {describe_model(model[-1])}"
    return "function" if isroutine(model) else type(model).__name__


@cache  # reading the metadata of four distributions takes 2 ms
def _find_versions() -> dict[str, str]:
    """Return the versions of the distributions that are installed."""
    found = {}
    for name in DISTRIBUTIONS:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
