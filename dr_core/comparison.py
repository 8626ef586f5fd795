"""DR side by side with the established measures, for models × attributes."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dr_core.attributes import (
    MARGINALISED,
    NEITHER,
    PRIVILEGED,
    SensitiveAttributes,
    empty_groups,
    learn_attributes,
)
from dr_core.audit import Audit, Judged, class_labels
from dr_core.breakdown import Breakdown, Individuals, concerned, gather
from dr_core.checks import check_column, check_confidence, check_weights, check_whole
from dr_core.circumstances import circumstances
from dr_core.encoding import Array, listed
from dr_core.ensemble_audit import EnsembleAudit, audit_ensemble, plain_records
from dr_core.files import write_whole
from dr_core.generators import as_generator
from dr_core.intervals import wilson
from dr_core.metrics import ESTABLISHED, MEASURES, measure
from dr_core.providers import Provider, load_provider
from dr_core.responses import Plan
from dr_core.tables import as_table
from dr_core.tally import Tally

__all__ = ["Comparison", "compare"]

DR = "discriminative_risk"


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
    """

    values: pd.DataFrame
    settings: dict[str, Any] = field(default_factory=dict)
    breakdown: Breakdown | None = field(default=None, repr=False)
    ensembles: dict[str, EnsembleAudit] = field(default_factory=dict, repr=False)
    individuals: dict[str, Individuals] = field(default_factory=dict, repr=False)

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
        }
        text = json.dumps(content, indent=2, default=str)
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
) -> Comparison:
    """Put DR side by side with the established fairness and performance measures.

    Parameters
    ----------
    models : mapping
        From a name to a fitted classifier, a callable, or `Predictions`.
    X, y : table of shape (n, d) and labels of shape (n,)
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
        Whether to evaluate the bounds of models that are votes, and to prune them, for a report.
    individuals : int
        Rows of people concerned to keep for a report. They are personal data, so 0 by default.

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
    table = as_table(X)
    attributes = learn_attributes(table, privileged, domain=domain, missing=missing)
    truth = check_column("y", y, table.n_rows)
    weights = None if sample_weight is None else check_weights(sample_weight, table.n_rows)
    models = _checked_models(models)
    plan = Plan(attributes, method, p, n_samples, random_state)
    audit = Audit(table, plan, class_labels(truth, models, labels), truth, weights)
    judge = _Judge(
        audit,
        _favorable(favorable, audit.classes),
        _measure_names(measures),
        load_provider(provider),
        _Bootstrap(n_boot, confidence, random_state),
    )
    judged = {
        name: audit.judge(name, model, judge.favorable, chunk_size=chunk_size, progress=progress)
        for name, model in models.items()
    }
    values = pd.DataFrame([row for item in judged.items() for row in judge.rows(*item)])
    _warn_undefined(values, audit)
    return Comparison(
        values,
        judge.settings | {"provider": provider} | circumstances(models),
        gather(audit, judged),
        _ensembles(models, audit) if ensembles else {},
        {name: concerned(audit, judged[name], individuals) for name in models if individuals},
    )


@dataclass(frozen=True)
class _Bootstrap:
    n_boot: int
    confidence: float
    random_state: Any

    def __post_init__(self) -> None:
        check_confidence(self.confidence)
        check_whole("n_boot", self.n_boot, at_least=0)

    def intervals(self, tally: Tally, favorable: int, names: list[str]) -> dict[str, Array]:
        """Low and high end of each measure: percentiles of the bootstrap, Wilson's for DR."""
        if not self.n_boot:
            return {}
        rng = as_generator(self.random_state)
        blocks = [measure(t, favorable, names) for t in tally.bootstrap(self.n_boot, rng)]
        tails = [(1 - self.confidence) / 2, (1 + self.confidence) / 2]
        intervals = {name: _quantiles(blocks, name, tails) for name in names}
        return intervals | {DR: self._wilson(tally, favorable)}

    def _wilson(self, tally: Tally, favorable: int) -> Array:
        # A bootstrap of rows none of which changed says 0 to 0, however few they are.
        risk = float(measure(tally.table, favorable, [DR])[DR])
        return np.array(wilson(risk, tally.n_effective, self.confidence)[:2])


def _quantiles(blocks: list[dict[str, Array]], name: str, tails: list[float]) -> Array:
    replicates = np.concatenate([block[name] for block in blocks])
    defined = replicates[~np.isnan(replicates)]
    return np.quantile(defined, tails) if len(defined) else np.array([np.nan, np.nan])


@dataclass(frozen=True, eq=False)
class _Judge:
    audit: Audit
    favorable: int
    names: list[str]
    provider: Provider | None
    bootstrap: _Bootstrap

    @property
    def settings(self) -> dict[str, Any]:
        """What the values depend on."""
        plan, bootstrap = self.audit.plan, self.bootstrap
        return {
            "rows": self.audit.table.n_rows,
            "weighted": self.audit.sample_weight is not None,
            "privileged": {str(a.name): a.privileged for a in plan.attributes},
            "favorable": self.audit.classes[self.favorable],
            "method": plan.method,
            "p": plan.p,
            "n_samples": plan.n_samples if plan.method == "sample" else None,
            "random_state": plan.random_state,
            "n_boot": bootstrap.n_boot,
            "confidence": bootstrap.confidence if bootstrap.n_boot else None,
        }

    def rows(self, name: str, judged: Judged) -> Iterator[dict[str, Any]]:
        """Values of all measures of one model, for each attribute."""
        for attribute, tally in judged.tallies.items():
            values = measure(tally.table, self.favorable, self.names)
            values |= self._provided(judged, attribute, values)
            intervals = self.bootstrap.intervals(tally, self.favorable, self.names)
            for one in self.names:
                row = {"model": name, "attribute": attribute, "measure": one}
                if one not in ESTABLISHED and attribute not in judged.changes:
                    yield row | {"value": np.nan}
                else:
                    ends = zip(("low", "high"), intervals.get(one, ()), strict=False)
                    yield row | {"value": float(values[one])} | dict(ends)

    def _provided(
        self, judged: Judged, attribute: Any, values: dict[str, Any]
    ) -> dict[str, float]:
        """What the provider says, where it is defined: other libraries fill in 0, ∞ and so on."""
        if self.provider is None or not self._both_groups(attribute):
            return {}
        groups = self.audit.groups[attribute]
        if (groups == NEITHER).any():
            raise ValueError(
                f"{attribute!r} has missing values; other providers cannot keep such rows apart. "
                'Drop them, or use provider="core".'
            )
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            provided = self.provider(
                (self.audit.labels == self.favorable).astype(int),
                (judged.predictions == self.favorable).astype(int),
                groups == PRIVILEGED,
                self.audit.weights,
            )
        if len(self.audit.classes) > 2:
            del provided["accuracy"]  # providers see the favourable class against the rest
        return {
            name: value
            for name, value in provided.items()
            if name in values and not np.isnan(values[name])
        }

    def _both_groups(self, attribute: Any) -> bool:
        groups, weights = self.audit.groups[attribute], self.audit.weights
        return all(weights[groups == group].any() for group in (PRIVILEGED, MARGINALISED))


def _ensembles(models: Mapping[str, Any], audit: Audit) -> dict[str, EnsembleAudit]:
    found = {name: audit_ensemble(model, audit) for name, model in models.items()}
    return {name: ensemble for name, ensemble in found.items() if ensemble is not None}


def _checked_models(models: Any) -> dict[str, Any]:
    if not isinstance(models, Mapping) or not models:
        raise TypeError(
            'models must map names to models, such as {"forest": forest}; it is a '
            f"{type(models).__name__}."
        )
    return dict(models)


def _measure_names(measures: Sequence[str] | None) -> list[str]:
    if measures is None:
        return list(MEASURES)
    names = [measures] if isinstance(measures, str) else list(dict.fromkeys(measures))
    unknown = [name for name in names if name not in MEASURES]
    if unknown or not names:
        raise ValueError(
            f"measures has {listed(unknown) or 'nothing'}; pass some of "
            f"{listed(MEASURES, most=99)}."
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


def _warn_undefined(values: pd.DataFrame, audit: Audit) -> None:
    """Warn once when something is NaN, and say why where it is plain."""
    undefined = values[values["value"].isna()]
    if undefined.empty:
        return
    reason = (
        "; ".join(empty_groups(audit.groups))
        or "a rate has no row to be taken over, or f(x̃) is not known"
    )
    where = dict.fromkeys(f"{row.model} / {row.attribute}" for row in undefined.itertuples())
    warnings.warn(
        f"undefined (NaN): {', '.join(undefined['measure'].unique())} for "
        f"{', '.join(where)}: {reason}.",
        stacklevel=3,
    )
