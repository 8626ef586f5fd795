"""DR side by side with the established measures, for models × attributes."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from dr_core._tables import (
    PERSON,
    WEIGHT,
    Partition,
    Partitions,
    Y,
    as_partitions,
    encode,
    factorize,
)
from dr_core._utils import (
    check_any_weight,
    check_integer,
    check_models,
    fold_interval,
    quote,
    widen_interval,
)
from dr_core.comparison._comparison import (
    Comparison,
    describe_bootstrap,
    describe_environment,
    describe_plan,
)
from dr_core.comparison._ensemble_audit import EnsembleAudit, audit_ensemble
from dr_core.comparison._groups import (
    Breakdown,
    GroupRates,
    GroupsFold,
    RatesFold,
    tally_changes,
)
from dr_core.comparison._individuals import IndividualsFold
from dr_core.comparison._score_shift import SCORE_SHIFT, ScoredModels
from dr_core.metrics import (
    DR,
    ESTABLISHED,
    MEASURES,
    SIGNED_MEASURES,
    Bootstrap,
    Provider,
    load_provider,
    measure,
    measure_signed,
    provide_measures,
)
from dr_core.perturbation import (
    MARGINALISED,
    PRIVILEGED,
    PairCheck,
    PerturbationPlan,
    SensitiveAttributes,
    learn_attributes,
    learn_pair_check,
)
from dr_core.risk import (
    Changes,
    Fold,
    GroupSums,
    PerScenario,
    Plausibility,
    PlausibilityFold,
    Predictions,
    Predictor,
    choose_favorable,
    count_missing,
    describe_empty_groups,
    describe_few_learned,
    find_classes,
    find_groups,
    fold,
    iter_changes,
    iter_given_changes,
    make_group_sample,
    make_sample,
    sum_ranges,
    sum_spreads,
)

__all__ = ["COUPLED_RISK", "IMPLAUSIBLE_SHARE", "PLAUSIBLE_RISK", "compare"]

COUPLED_RISK = "discriminative_risk_coupled"
PLAUSIBLE_RISK = "discriminative_risk_plausible"
IMPLAUSIBLE_SHARE = "implausible_share"

DR_DIFFERENCE = "discriminative_risk_difference"

EMPTY_RATE = "a rate has no rows in its denominator"
"""Why a measure is NaN, unless something else explains it."""

MAX_CLASSES = 100
"""Labels with more distinct values are taken for quantities."""


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
    person: Any = None,
    chunk_size: int | None = None,
    progress: bool = False,
    ensembles: bool = False,
    individuals: int = 0,
    reference: Any = None,
) -> Comparison:
    """Put DR side by side with the established fairness and performance measures.

    Parameters
    ----------
    models : mapping
        From a name to a fitted classifier, a callable, or `Predictions`.
    X, y : table of shape (n, d) and labels of shape (n,)
        Or rows in partitions, and the name of their label column; see `assess_risk`.
    privileged : mapping, or SensitiveAttributes
        The privileged value of each sensitive column, such as {"sex": "Male"}, or its range, such
        as {"age": at_least(25)}; or the result of `learn_attributes`, which also takes the domain
        of values, missing values and coupled columns. Where columns are coupled,
        "discriminative_risk_coupled" is the risk when they follow; "discriminative_risk" is DR as
        defined, which changes the sensitive columns only.
    measures : sequence of str, optional
        Some of `dr_core.metrics.MEASURES`; all of them when left out. Also "score_shift", the mean
        size by which the score of a model moves; see `assess_shift`. It is NaN for models without
        `predict_proba` or `decision_function`, and needs further predictions of the others.
    n_boot : int
        Number of bootstrap replicates for intervals; 0 for none. A thousand take milliseconds.
        The interval of a gap is that of the signed difference, folded at 0; see `Comparison`. The
        interval of DR itself is that of `RiskAssessment.interval`, which has positive length even
        where no prediction changed.
    provider : {"core", "fairlearn", "aif360"}
        The library that computes the established measures.
    favorable : label, optional
        The favourable class; required unless the labels are 0 and 1, False and True, -1 and 1.
    labels : sequence, optional
        All classes, for labels that a model may predict but y does not show.
    confidence : float in (0, 1)
        Of the bootstrap intervals.
    method, p, n_samples, random_state, sample_weight, chunk_size, progress
        As for `assess_risk`. With method "sample", all models get the same draws.
    person : array of shape (n,), or name of a column of X, optional
        Identity of the person whom each row is about; see `assess_risk`. The bootstrap then
        resamples people, each with all their rows.
    ensembles : bool
        Whether to evaluate the bounds of models that are votes, and to prune them, for a report.
        It needs rows in memory.
    individuals : int
        Number of rows whose prediction may change to keep for a report. They are personal data.
    reference : DataFrame, array or bool, optional
        Rows that perturbed rows are checked against for plausibility, such as the training data;
        True for X itself, False for no such check. By default X where columns are coupled and
        rows are in memory. See `RiskAssessment.plausibility`.

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
    check_integer("individuals", individuals, at_least=0)
    models = check_models(models)
    names, bootstrap = _check_measures(measures), Bootstrap(n_boot, confidence, random_state)
    host = None if provider == "core" else load_provider(provider)

    columns = {Y: y, WEIGHT: sample_weight, PERSON: person} | _get_columns(models)
    data = as_partitions(X, columns, want_labels=True)
    attributes = learn_attributes(data, privileged)
    check = _learn_check(data, attributes, reference)
    plan = PerturbationPlan(attributes, method, p, n_samples, random_state, also_uncoupled=True)
    plan = plan.reserve_draws(data.n_rows)
    classes = _check_few(find_classes(data.labels, models, labels))
    position = choose_favorable(favorable, classes)
    scored = None
    if SCORE_SHIFT in names:
        scored = ScoredModels.of(models, classes, position, plan, data.n_rows)

    options = {"chunk_size": chunk_size, "progress": progress and data.whole is not None}
    source = partial(iter_model_changes, models=models, classes=classes, plan=plan, scored=scored)
    folds = _choose_folds(position, individuals, check)
    others = scored.choose_folds(folds) if scored else {}
    found = fold(data, partial(source, **options), folds, others=others, progress=progress)

    measured = {
        name: MeasuredModel.of(name, model, plan, position, found[name], check)
        for name, model in models.items()
    }
    values = pd.DataFrame(_iter_values(measured, scored, found, names, bootstrap, host))
    _warn_undefined(values, measured)

    first = next(iter(measured.values()))
    breakdown = Breakdown(plan, {name: model.known_groups for name, model in measured.items()})
    rates, ranges = ({name: found[name][key] for name in models} for key in ("rates", "ranges"))
    has_intervals = n_boot and first.has_equal_rows
    ensemble_audits = {}
    if ensembles:
        ensemble_audits = _audit_ensembles(models, data, classes, position, plan, random_state)
    notes = [*plan.notes, *_describe_few_learned(plan, models, names, n_boot, ensemble_audits)]
    return Comparison(
        values=values,
        settings={"rows": data.n_rows}
        | first.describe_rows()
        | count_missing(_iter_known_groups(measured.values()))
        | {"favorable": classes[position], "unperturbed": _list_unperturbed(data, attributes)}
        | _describe_settings(bootstrap, check, provider, plan, models)
        | ({"notes": notes} if notes else {}),
        breakdown=breakdown,
        ensembles=ensemble_audits,
        individuals={name: found[name]["individuals"] for name in models if individuals},
        plausibility={name: m.plausibility for name, m in measured.items() if m.plausibility},
        rates=GroupRates(breakdown, rates, ranges, confidence if has_intervals else None),
    )


def _describe_settings(
    bootstrap: Bootstrap,
    check: PairCheck | None,
    provider: str,
    plan: PerturbationPlan,
    models: Mapping[str, Any],
) -> dict[str, Any]:
    """Return how values were computed: intervals, plausibility, provider, perturbation, models."""
    reference = {} if check is None else {"reference_rows": check.n_rows}
    how = describe_bootstrap(bootstrap) | reference | {"provider": provider}
    return how | describe_plan(plan) | describe_environment(models)


def _describe_few_learned(
    plan: PerturbationPlan,
    models: Mapping[str, Any],
    names: list[str],
    n_boot: int,
    ensembles: Mapping[str, Any],
) -> list[str]:
    """Return notes on what takes frequencies as known that were learned from few rows."""
    given = [
        name
        for name, one in models.items()
        if isinstance(one, Predictions) and one.y_pred_perturbed is not None
    ]
    known = {
        f"the intervals of {quote(given)} can be too short": n_boot and given,
        f"the intervals of {SCORE_SHIFT} can be too short": n_boot and SCORE_SHIFT in names,
        "bounds of the vote, and intervals of pruned votes, can be too optimistic (the interval "
        "of the risk itself is not)": ensembles,
    }
    claims = [claim for claim, applies in known.items() if applies]
    return [note for one in claims for note in describe_few_learned(plan.learned, one)]


def _choose_folds(favorable: int, individuals: int, check: PairCheck | None) -> dict[str, Fold]:
    folds: dict[str, Fold] = {"tallies": tally_changes, "groups": GroupsFold(favorable)}
    folds |= {"spreads": sum_spreads, "ranges": sum_ranges, "rates": RatesFold(favorable)}
    folds |= {"individuals": IndividualsFold(individuals)} if individuals else {}
    return folds | ({"plausibility": PlausibilityFold(check)} if check else {})


def iter_model_changes(
    part: Partition,
    models: Mapping[str, Any],
    classes: list[Any],
    plan: PerturbationPlan,
    scored: ScoredModels | None = None,
    **options: Any,
) -> Iterator[tuple[str, Changes]]:
    """Yield the changes of models, their scores and predictions made elsewhere; y as codes."""
    y = encode(factorize(part.column(Y, "y")), classes, "y")
    part = Partition(part.start, part.table, {**part.columns, Y: y})
    predictors = {
        name: Predictor(model, classes, name=f"the predictions of model {name!r}")
        for name, model in models.items()
        if not isinstance(model, Predictions)
    } | (scored.predictors if scored else {})
    if predictors:
        yield from iter_changes(part, predictors, plan, **options)
    for name, model in models.items():
        if isinstance(model, Predictions):
            yield from iter_given_changes(part, name, model, classes, plan)


@dataclass(frozen=True, eq=False)
class MeasuredModel:
    """Tallies and sums of one model over all rows, and its measures.

    Attributes
    ----------
    plan : PerturbationPlan
    favorable : position of the favourable class
    tallies : Tally of each scenario
    groups : GroupSums of each scenario
    spreads : RiskSpread of each scenario; empty where rows are people of equal weight
    ranges : RangeSums of each range, for each scenario; empty without ranges
    known : scenarios whose perturbed predictions are known
    plausibility : Plausibility; None without a check, or where the model is not available
    has_check : whether plausibility was asked for
    """

    plan: PerturbationPlan
    favorable: int
    tallies: PerScenario
    groups: PerScenario
    spreads: PerScenario
    ranges: PerScenario
    known: frozenset[int]
    plausibility: Plausibility | None
    has_check: bool

    @classmethod
    def of(
        cls,
        name: str,
        model: Any,
        plan: PerturbationPlan,
        favorable: int,
        found: Mapping[str, Any],
        check: PairCheck | None,
    ) -> MeasuredModel:
        """Take what the folds found."""
        given = isinstance(model, Predictions)
        known = model.find_known(name, plan) if given else range(len(plan.scenarios))
        plausibility = None
        if check is not None and not given:
            plausibility = Plausibility(plan, check, found["plausibility"])
        return cls(
            plan=plan,
            favorable=favorable,
            tallies=found["tallies"],
            groups=found["groups"],
            spreads=found["spreads"],
            ranges=found["ranges"],
            known=frozenset(known),
            plausibility=plausibility,
            has_check=check is not None,
        )

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights."""
        return self.tallies[-1].sums is not None

    @property
    def n_people(self) -> int | None:
        """Number of people whom the rows are about; None if each row is another person."""
        return self.spreads[-1].n_people if self.spreads else None

    def describe_rows(self) -> dict[str, Any]:
        """Return whether rows have weights, and the number of people, where it is known."""
        people = {} if self.n_people is None else {"people": self.n_people}
        return {"weighted": self.is_weighted} | people

    @property
    def has_equal_rows(self) -> bool:
        """Whether each row is another person, of equal weight, so that groups have intervals."""
        return not self.spreads

    @property
    def known_groups(self) -> dict[Any, GroupSums]:
        """Sums by group of the scenarios without coupled columns whose predictions are known."""
        some = self.plan.scenarios[: len(self.plan.names)]
        return {one: self.groups[s] for s, one in enumerate(some) if s in self.known}

    def explain_undefined(self, measure: str, attribute: Any) -> str:
        """Return why a measure of the model is NaN for an attribute."""
        if measure in ESTABLISHED:
            return EMPTY_RATE
        s = self.plan.names.index(attribute)
        if s in self.known and not self.groups[s].perturbed.total("weight"):
            return f"no row has a sensitive value to perturb for {attribute!r}"
        if measure == SCORE_SHIFT:
            return "the model has no score"
        if len(self.known) < len(self.plan.scenarios):
            return "the predictions for perturbed rows are not given"
        if self.has_check and self.plausibility is None:
            return "plausibility needs the model itself"
        if measure == PLAUSIBLE_RISK:
            return "no perturbed row is plausible"
        return EMPTY_RATE

    def iter_rows(
        self, names: list[str], bootstrap: Bootstrap, provider: Provider | None
    ) -> Iterator[dict[str, Any]]:
        """Yield the value and the interval of each measure, for each attribute."""
        for s, attribute in enumerate(self.plan.names):
            values = self._measure(s, names, provider)
            signed = self._measure_signed(s, values)
            others = [name for name in names if name != DR]
            intervals = bootstrap.intervals(self.tallies[s], self.favorable, others)
            intervals[DR] = self._risk_interval(s, bootstrap)
            if self.ranges and DR_DIFFERENCE in intervals:
                intervals[DR_DIFFERENCE] = self._widen_difference(
                    s, intervals[DR_DIFFERENCE], bootstrap.confidence
                )
            for one in names:
                row = {"attribute": attribute, "measure": one, "value": values[one]}
                row["signed"] = signed.get(one, np.nan)
                ends = intervals.get(one, {}) if one in ESTABLISHED or s in self.known else {}
                yield row | _widen_ends(ends, row)
                if one == DR:
                    yield from (
                        row | {"measure": related, "value": value} | ends
                        for related, value, ends in self._iter_related_risks(s, bootstrap)
                    )

    def _measure(self, s: int, names: list[str], provider: Provider | None) -> dict[str, float]:
        tally = self.tallies[s]
        check_any_weight(tally.weights.any())
        # DR comes from the same exact sums as in `assess_risk`, hence the same to the last digit.
        risks = {DR: self._get_risk(s), DR_DIFFERENCE: abs(self._get_difference(s))}
        values = measure(tally.table, self.favorable, [n for n in names if n not in risks])
        if provider is not None:
            name = self.plan.names[s]
            values |= provide_measures(provider, tally, self.favorable, values, name)
        return {name: float((risks | values)[name]) for name in names}

    def _measure_signed(self, s: int, values: Mapping[str, float]) -> dict[str, float]:
        """Return the gaps that have a sign with it: marginalised minus privileged."""
        names = [name for name in values if name in SIGNED_MEASURES]
        found = measure_signed(self.tallies[s].table, self.favorable, names)
        found[DR_DIFFERENCE] = self._get_difference(s)
        return {name: float(np.copysign(values[name], found[name])) for name in names}

    def _get_risk(self, s: int) -> float:
        sums: GroupSums = self.groups[s]
        return sums.perturbed.mean("risk") if s in self.known else np.nan

    def _risk_interval(self, s: int, bootstrap: Bootstrap) -> dict[str, float]:
        """Return the interval of DR; nothing without replicates or perturbed predictions."""
        if not bootstrap.n_boot or s not in self.known:
            return {}
        spread = self.spreads[s] if self.spreads else None
        ranges = self.ranges[s] if self.ranges else ()
        low, high = bootstrap.risk_interval(make_sample(self.groups[s], spread, ranges))
        return {"low": low, "high": high}

    def _widen_difference(
        self, s: int, ends: Mapping[str, float], confidence: float
    ) -> dict[str, float]:
        """Return the interval of the difference between groups for frequencies that were learned.

        A bootstrap of tallies takes them as known. Both groups may depend on the same values, so
        the margins of both are added.
        """
        sums, scenario = self.groups[s], self.plan.scenarios[s]
        below, above = 0.0, 0.0
        for group, sign in ((MARGINALISED, 1), (PRIVILEGED, -1)):
            codes = find_groups(self.plan, scenario, sums, group)
            sample = make_group_sample(sums, codes, self.ranges[s])
            margins = sample.compute_margins(confidence)[::sign]
            below, above = below + margins[0], above + margins[1]
        wide = np.array([ends["signed_low"] - below, ends["signed_high"] + above])
        low, high = np.clip(wide, -1, 1).tolist()  # NaN stays NaN, unlike in max(-1.0, NaN)
        folded = dict(zip(("low", "high"), fold_interval(low, high), strict=True))
        return folded | {"signed_low": low, "signed_high": high}

    def _get_difference(self, s: int) -> float:
        """Return DR of marginalised rows minus DR of privileged ones."""
        if s not in self.known:
            return np.nan
        sums, scenario = self.groups[s], self.plan.scenarios[s]
        privileged, marginalised = (
            sums.mean("risk", find_groups(self.plan, scenario, sums, group))
            for group in (PRIVILEGED, MARGINALISED)
        )
        return marginalised - privileged

    def _iter_related_risks(
        self, s: int, bootstrap: Bootstrap
    ) -> Iterator[tuple[str, float, Any]]:
        """Yield what belongs beside DR: with coupled columns, of plausible rows."""
        has_couplings = self.plan.attributes.has_couplings
        if has_couplings:
            coupled = self.plan.find_scenario(s, kind=1)
            yield (
                COUPLED_RISK,
                self._get_risk(coupled),
                self._risk_interval(coupled, bootstrap),
            )
        if not self.has_check:
            return
        own = self.plausibility
        ends = {}
        if own is not None and bootstrap.n_boot:
            low, high = bootstrap.risk_interval(own.make_sample(s))
            ends = {"low": low, "high": high}
        yield PLAUSIBLE_RISK, _get_share(own, s, "risk_plausible"), ends
        yield IMPLAUSIBLE_SHARE, _get_share(own, s, "implausible"), {}
        if has_couplings:
            followed = None if own is None else own.when_coupled
            yield f"{IMPLAUSIBLE_SHARE}_coupled", _get_share(followed, s, "implausible"), {}


def _iter_values(
    models: Mapping[str, MeasuredModel],
    scored: ScoredModels | None,
    found: Mapping[Any, Any],
    names: list[str],
    bootstrap: Bootstrap,
    provider: Provider | None,
) -> Iterator[dict[str, Any]]:
    """Yield the rows of the table, model by model; the shift of its score is the last measure."""
    of_predictions = [name for name in names if name != SCORE_SHIFT]
    for name, model in models.items():
        for row in model.iter_rows(of_predictions, bootstrap, provider):
            yield {"model": name} | row
        for row in scored.iter_rows(name, model.plan, found, bootstrap) if scored else ():
            yield {"model": name} | row


def _iter_known_groups(models: Iterable[MeasuredModel]) -> Iterator[tuple[Any, GroupSums]]:
    for model in models:
        yield from ((scenario.name, sums) for scenario, sums in model.known_groups.items())


def _widen_ends(ends: dict[str, float], row: Mapping[str, Any]) -> dict[str, float]:
    """Return ends that contain the values of a row, which may differ in the last digit."""
    widened = {}
    for low, high, value in (("low", "high", "value"), ("signed_low", "signed_high", "signed")):
        if low in ends:
            widened[low], widened[high] = widen_interval(ends[low], ends[high], row[value])
    return widened


def _get_share(plausibility: Plausibility | None, s: int, column: str) -> float:
    return np.nan if plausibility is None else float(plausibility.table()[column].iloc[s])


def _learn_check(
    data: Partitions, attributes: SensitiveAttributes, reference: Any
) -> PairCheck | None:
    """Learn how plausibility is judged, where that is asked for."""
    if reference is False:
        return None
    if reference is None and not (attributes.has_couplings and data.whole is not None):
        return None
    if reference is None or reference is True:
        if data.whole is None:
            raise ValueError(
                "X comes in partitions: pass reference=, a table of rows to judge plausibility by."
            )
        reference = None if data.whole.person is None else data.whole.one_row_each.native
    table = data if data.whole is None else data.whole.table
    return learn_pair_check(table, attributes, reference)


def _list_unperturbed(data: Partitions, attributes: SensitiveAttributes) -> list[str]:
    """Return the names of the columns of X that are neither sensitive nor coupled."""
    coupled = [name for one in attributes.couplings.all for name in one.columns or (one.name,)]
    perturbed = {*attributes.columns, *coupled}
    return [str(name) for name in data.keys() if name not in perturbed]  # noqa: SIM118


def _get_columns(models: Mapping[str, Any]) -> dict[Any, Any]:
    """Return the arrays of predictions that were made elsewhere."""
    given = {name: model for name, model in models.items() if isinstance(model, Predictions)}
    return {
        key: values for name, model in given.items() for key, values in model.columns(name).items()
    }


def _audit_ensembles(
    models: Mapping[str, Any],
    data: Partitions,
    classes: list[Any],
    favorable: int,
    plan: PerturbationPlan,
    random_state: Any,
) -> dict[str, EnsembleAudit]:
    plan = replace(plan, random_state=random_state)
    if data.whole is None:
        raise ValueError(
            "ensembles=True needs rows in memory, and X comes in partitions. Leave it out, or "
            "compare on a sample of the rows."
        )
    found = {
        name: audit_ensemble(model, data.whole, plan, classes, classes[favorable])
        for name, model in models.items()
    }
    return {name: ensemble for name, ensemble in found.items() if ensemble is not None}


def _check_measures(measures: Sequence[str] | None) -> list[str]:
    if measures is None:
        return list(MEASURES)
    if not isinstance(measures, Iterable):
        raise TypeError(f"measures must be names of measures; it is {measures!r}.")
    names = [measures] if isinstance(measures, str) else list(dict.fromkeys(measures))
    known = [*MEASURES, SCORE_SHIFT]
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        every = quote(known, max_values=len(known))
        raise ValueError(f"measures has {quote(unknown)}; pass some of {every}.")
    return names


def _check_few(classes: list[Any]) -> list[Any]:
    """Return the classes, unless there are so many that they must be quantities."""
    if len(classes) > MAX_CLASSES:
        raise ValueError(
            f"y and the models have {len(classes)} distinct labels, more than "
            f"{MAX_CLASSES}. If they are quantities, use assess_risk(..., tolerance=...)."
        )
    return classes


def _warn_undefined(values: pd.DataFrame, models: Mapping[str, MeasuredModel]) -> None:
    """Warn once if any value is NaN, with the reasons."""
    undefined = values[values["value"].isna()]
    if undefined.empty:
        return
    first = next(iter(models.values()))
    pairs = zip(first.plan.names, first.tallies, strict=False)
    empty = describe_empty_groups({name: tally.group_rows for name, tally in pairs})
    rows = list(undefined.itertuples())
    reasons = dict.fromkeys(
        models[row.model].explain_undefined(row.measure, row.attribute) for row in rows
    )
    if empty:
        reasons.pop(EMPTY_RATE, None)
    where = dict.fromkeys(f"{row.model} / {row.attribute}" for row in rows)
    warnings.warn(
        f"undefined (NaN): {', '.join(undefined['measure'].unique())} for "
        f"{', '.join(where)}: {'; '.join([*empty, *reasons])}.",
        stacklevel=3,
    )
