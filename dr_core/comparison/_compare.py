"""DR side by side with the established measures, for models × attributes."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dr_core._tables import WEIGHT, Partition, Partitions, Y, as_partitions
from dr_core._utils import check_models, check_whole, listed, write_whole
from dr_core.comparison._audit import Audit, Judged
from dr_core.comparison._breakdown import Breakdown
from dr_core.comparison._circumstances import circumstances
from dr_core.comparison._ensemble_audit import EnsembleAudit, audit_ensemble, plain_records
from dr_core.comparison._individuals import Individuals
from dr_core.comparison._judging import Bootstrap, Judge
from dr_core.metrics import MEASURES, load_provider
from dr_core.perturbation import Rules, SensitiveAttributes, empty_groups, learn_attributes
from dr_core.risk import (
    PairCheck,
    Plan,
    Plausibility,
    Predictions,
    check_few,
    class_labels,
    learn_pair_check,
)

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True, eq=False)
class Comparison:
    """DR and the established measures of several models.

    Attributes
    ----------
    values : DataFrame
        One row for each model, attribute and measure: value, and with a bootstrap low and high.
    settings : dict
        How the values came about: rows, method, seed, confidence and so on.
    breakdown : Breakdown
        Who carries the risk; see `by_group` and `directions`.
    ensembles : dict
        `EnsembleAudit` of each model that is a vote, where asked for.
    individuals : dict
        `Individuals` of each model, where asked for: personal data.
    plausibility : dict
        For each model, where asked for: `Plausibility` of the perturbed rows.
    coupled_plausibility : dict
        The same where other columns follow the attributes.
    """

    values: pd.DataFrame
    settings: dict[str, Any] = field(default_factory=dict)
    breakdown: Breakdown | None = field(default=None, repr=False)
    ensembles: dict[str, EnsembleAudit] = field(default_factory=dict, repr=False)
    individuals: dict[str, Individuals] = field(default_factory=dict, repr=False)
    plausibility: dict[str, Plausibility] = field(default_factory=dict, repr=False)
    coupled_plausibility: dict[str, Plausibility] = field(default_factory=dict, repr=False)

    def table(self, *, wide: bool = True) -> pd.DataFrame:
        """Measures in columns, models and attributes in rows; or one row for each value.

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
        """Who carries the risk: one row for each model, attribute and value of the attribute.

        Its columns tell whether the group is `privileged`, its `rows`, its `share` of them all,
        its `risk`, the parts of it that would lose and that would gain the favourable label
        (`loses`, `gains`), and the part of all changes that it `carries`.
        """
        return pd.DataFrame() if self.breakdown is None else self.breakdown.by_group

    @property
    def directions(self) -> pd.DataFrame:
        """Share of rows that would lose or gain the favourable label, for models × attributes."""
        return pd.DataFrame() if self.breakdown is None else self.breakdown.directions

    def to_json(self, path: str | Path | None = None) -> str:
        """Values and settings as JSON text, also written to `path` when it is given.

        Individuals are left out.
        """
        content = {
            "settings": self.settings,
            "values": plain_records(self.values),
            "directions": plain_records(self.directions),
            "groups": plain_records(self.by_group),
            "ensembles": {name: found.to_dict() for name, found in self.ensembles.items()},
        } | {
            name: {model: plain_records(found.pairs) for model, found in each.items()}
            for name, each in (
                ("implausible_pairs", self.plausibility),
                ("implausible_pairs_coupled", self.coupled_plausibility),
            )
            if each
        }
        text = json.dumps(content, indent=2, default=_plain, allow_nan=False)
        if path is not None:
            write_whole(path, text + "\n")
        return text

    def to_html(
        self,
        path: str | Path | None = None,
        *,
        title: str = "Discriminative risk audit",
        facts: Mapping[str, str] | None = None,
    ) -> str:
        """Return the comparison as one HTML page that needs nothing else, written to `path` too.

        Parameters
        ----------
        path : str or Path, optional
        title : str
        facts : mapping, optional
            What else to say about the audit, such as {"data": "loans of 2025"}.

        Raises
        ------
        ImportError
            Without Jinja2: pip install 'discriminative-risk[report]'.

        Examples
        --------
        >>> X = pd.DataFrame({"sex": ["M", "M", "F", "F"], "age": [25, 35, 35, 45]})
        >>> hires = lambda X: X["age"] > X["sex"].map({"M": 30, "F": 40})
        >>> measures = ["discriminative_risk", "accuracy"]
        >>> both = compare({"rule": hires}, X, [0, 1, 1, 1], {"sex": "M"}, measures=measures)
        >>> page = both.to_html()
        >>> "50.0 % of people would get a different decision if only their sex were" in page
        True
        """
        from dr_core.report import render

        text = render(self, title, facts or {})
        if path is not None:
            write_whole(path, text)
        return text

    def __repr__(self) -> str:
        return f"<Comparison>\n{self.table().T.round(4)}"

    def _repr_html_(self) -> str:
        return self.table().T.to_html(float_format="{:.4f}".format)


def compare(
    models: Mapping[str, Any],
    X: Any,
    y: Any,
    privileged: Mapping[Any, Any] | SensitiveAttributes,
    *,
    measures: Sequence[str] | None = None,
    n_boot: int = 0,
    provider: str = "core",
    favorable: Any = None,
    labels: Sequence[Any] | None = None,
    confidence: float = 0.95,
    method: str = "exact",
    p: float = 1.0,
    n_samples: int = 1,
    random_state: Any = None,
    sample_weight: Any = None,
    chunk_size: int | None = None,
    domain: Mapping[Any, Any] | None = None,
    missing: str = "error",
    progress: bool = False,
    ensembles: bool = False,
    individuals: int = 0,
    coupled: Rules | None = None,
    plausibility: bool | None = None,
    reference: Any = None,
) -> Comparison:
    """Put DR side by side with the established fairness and performance measures.

    Parameters
    ----------
    models : mapping
        From a name to a fitted classifier, a callable, or `Predictions`.
    X, y : table of shape (n, d) and labels of shape (n,)
        Or rows in partitions, and the name of their label column; see `assess_risk`.
    privileged : mapping
        The privileged value of each sensitive column, such as {"sex": "Male"}.
    measures : sequence of str, optional
        Some of `dr_core.metrics.MEASURES`; all of them when left out.
    n_boot : int
        Bootstrap replicates for intervals; 0 for none. A thousand take milliseconds. The interval
        of DR itself is Wilson's, which stays honest where no prediction changed.
    provider : {"core", "fairlearn", "aif360"}
        The library that computes the established measures.
    favorable : label, optional
        The favourable class; it can be left out for labels 0 and 1, False and True, -1 and 1.
    labels : sequence, optional
        All classes, for labels that a model may predict but y does not show.
    confidence : float in (0, 1)
        Of the bootstrap intervals.
    method, p, n_samples, random_state, sample_weight, chunk_size, domain, missing, progress
        As for `assess_risk`.
    ensembles : bool
        Whether to evaluate the bounds of models that are votes, and to prune them, for a report;
        for rows in memory.
    individuals : int
        Rows of people concerned to keep for a report. They are personal data, so 0 by default.
    coupled : mapping, optional
        Columns that follow an attribute when it changes; see `learn_attributes`. DR as the paper
        defines it, which changes nothing else, stays where it is; "discriminative_risk_coupled"
        stands beside it.
    plausibility : bool, optional
        Whether to tell which share of the perturbed rows is implausible, and DR among the others;
        by default where columns are coupled or `reference` is given. Rows in partitions need one.
    reference : DataFrame or array, optional
        Rows of people who exist, to judge plausibility by; X when left out. See
        `RiskAssessment.plausibility`.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> X = pd.DataFrame({"sex": ["Male", "Male", "Female", "Female"], "age": [25, 35, 35, 45]})
    >>> hires = lambda X: X["age"] > X["sex"].map({"Male": 30, "Female": 40})
    >>> models = {"rule": hires, "everyone": lambda X: X["age"] > 0}
    >>> measures = ["discriminative_risk", "demographic_parity", "accuracy"]
    >>> compare(models, X, [0, 1, 1, 1], {"sex": "Male"}, measures=measures)
    <Comparison>
    model                rule everyone
    attribute             sex      sex
    discriminative_risk  0.50     0.00
    demographic_parity   0.00     0.00
    accuracy             0.75     0.75
    """
    check_whole("individuals", individuals, at_least=0)
    models = check_models(models)
    data = as_partitions(X, {Y: y, WEIGHT: sample_weight} | _given(models), want_labels=True)
    attributes = learn_attributes(
        data.table, privileged, domain=domain, missing=missing, coupled=coupled
    )
    check = _pair_check(data, attributes, plausibility, reference)
    plan = Plan(attributes, method, p, n_samples, random_state)
    classes = check_few(class_labels(data.labels, models, labels))
    judge = Judge(
        data.n_rows,
        sample_weight is not None,
        plan,
        classes,
        _favorable(favorable, classes),
        _measure_names(measures),
        load_provider(provider),
        Bootstrap(n_boot, confidence, random_state),
        check,
    )
    options = {"chunk_size": chunk_size, "progress": progress and data.whole is not None}
    work = _Work(models, plan, classes, judge.favorable, individuals, options, check)
    judged = reduce(_joined, data.map(work.begun(data.n_rows), progress=progress))
    values = pd.DataFrame([row for item in judged.items() for row in judge.rows(*item)])
    _warn_undefined(values, next(iter(judged.values())))
    return Comparison(
        values,
        judge.settings | {"provider": provider} | circumstances(models),
        Breakdown(attributes, plan.scenarios, {name: of.carried for name, of in judged.items()}),
        _ensembles(models, work, data) if ensembles else {},
        {name: of.individuals for name, of in judged.items() if individuals},
        _plausibility(judged, plan),
        _plausibility({name: of.coupled for name, of in judged.items() if of.coupled}, plan),
    )


def _pair_check(
    data: Partitions, attributes: SensitiveAttributes, wanted: bool | None, reference: Any
) -> PairCheck | None:
    """What perturbed rows are checked by, where that is wanted."""
    has_reference = reference is not None or data.whole is not None
    if wanted is None:
        wanted = reference is not None or (bool(attributes.couplings) and has_reference)
    if wanted and not has_reference:
        raise ValueError(
            "X comes in partitions: pass reference=, a table of rows to judge plausibility by."
        )
    return learn_pair_check(data.table, attributes, reference) if wanted else None


def _plausibility(judged: Mapping[str, Judged], plan: Plan) -> dict[str, Plausibility]:
    return {
        name: Plausibility(list(plan.scenarios), one.plausibility)
        for name, one in judged.items()
        if one.plausibility is not None
    }


@dataclass(frozen=True, eq=False)
class _Work:
    """What is done with a part of the rows, wherever it lies."""

    models: dict[str, Any]
    plan: Plan
    classes: list[Any]
    favorable: int
    individuals: int
    options: Mapping[str, Any]
    pair_check: PairCheck | None
    plans: tuple[Plan, ...] = ()

    def begun(self, n_rows: int) -> _Work:
        """Give each model its random numbers."""
        return replace(self, plans=tuple(self.plan.begun(n_rows) for _ in self.models))

    def __call__(self, part: Partition) -> dict[str, Judged]:
        """Judge all models."""
        audit = self.audit(part)
        return {
            name: audit.judge(
                name,
                _taken(name, model, part),
                self.favorable,
                individuals=self.individuals,
                plan=plan.at_row(part.start),
                **self.options,
            )
            for (name, model), plan in zip(self.models.items(), self.plans, strict=True)
        }

    def audit(self, part: Partition) -> Audit:
        """Rows to judge models on."""
        y = part.column(Y, "y")
        where = part.weights, part.start, self.pair_check
        return Audit(part.table, self.plan, self.classes, y, *where)


def _joined(one: dict[str, Judged], other: dict[str, Judged]) -> dict[str, Judged]:
    return {name: judged + other[name] for name, judged in one.items()}


def _given(models: Mapping[str, Any]) -> dict[Any, Any]:
    """Predictions that were made elsewhere."""
    given = {name: model for name, model in models.items() if isinstance(model, Predictions)}
    return {
        key: values for name, model in given.items() for key, values in model.columns(name).items()
    }


def _taken(name: str, model: Any, part: Partition) -> Any:
    """Return the model, or its predictions for the rows of a part."""
    return model.of_part(name, part.columns) if isinstance(model, Predictions) else model


def _plain(value: Any) -> Any:
    """Numbers of NumPy as numbers, anything else that JSON does not know as text."""
    return value.item() if isinstance(value, np.number | np.bool_) else str(value)


def _ensembles(
    models: Mapping[str, Any], work: _Work, data: Partitions
) -> dict[str, EnsembleAudit]:
    if data.whole is None:
        raise ValueError(
            "ensembles=True looks at votes on rows in memory, and these rows lie in partitions. "
            "Leave it out, or compare on a sample of them."
        )
    audit = work.audit(data.whole)
    found = {name: audit_ensemble(model, audit) for name, model in models.items()}
    return {name: ensemble for name, ensemble in found.items() if ensemble is not None}


def _measure_names(measures: Sequence[str] | None) -> list[str]:
    if measures is None:
        return list(MEASURES)
    if not isinstance(measures, Iterable):
        raise TypeError(f"measures must be names of measures; it is {measures!r}.")
    names = [measures] if isinstance(measures, str) else list(dict.fromkeys(measures))
    unknown = [name for name in names if name not in MEASURES]
    if unknown or not names:
        raise ValueError(
            f"measures has {listed(unknown)}; pass some of {listed(MEASURES, most=99)}."
        )
    return names


def _favorable(favorable: Any, classes: list[Any]) -> int:
    if favorable is None:
        if classes in ([0, 1], [-1, 1]):
            return 1
        raise ValueError(f"say which label is favourable: favorable=, one of {listed(classes)}.")
    if favorable not in classes:
        raise ValueError(f"favorable is {favorable!r}, but the classes are {listed(classes)}.")
    return classes.index(favorable)


def _warn_undefined(values: pd.DataFrame, judged: Judged) -> None:
    """Warn once when something is NaN, and say why where it is plain."""
    undefined = values[values["value"].isna()]
    if undefined.empty:
        return
    reason = (
        "; ".join(empty_groups({name: t.group_rows for name, t in judged.tallies.items()}))
        or "a rate has no row to be taken over, or f(x̃) is not known"
    )
    where = dict.fromkeys(f"{row.model} / {row.attribute}" for row in undefined.itertuples())
    warnings.warn(
        f"undefined (NaN): {', '.join(undefined['measure'].unique())} for "
        f"{', '.join(where)}: {reason}.",
        stacklevel=3,
    )
