"""The model averaged over the sensitive attributes: f̄(x) = Σ_v P(v) f(x with attributes v).

v runs over the combinations of values that the attributes have in the data, with their joint
frequencies P(v). The average is the same whatever attributes x itself has, so its discriminative
risk is 0. Nothing is retrained. Actuaries call f̄ the discrimination-free price (Lindholm, Richman,
Tsanakas, Wüthrich: Discrimination-free insurance pricing, ASTIN Bulletin 2022).
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import product
from operator import add
from typing import Any, cast

import numpy as np
from sklearn.base import BaseEstimator, is_regressor
from sklearn.utils.metaestimators import available_if

from dr_core._tables import (
    WEIGHT,
    Partition,
    Table,
    as_partitions,
    as_table,
    encode,
    encode_known,
    factorize,
    find_first,
    joint_positions,
)
from dr_core._utils import (
    Array,
    check_any_weight,
    check_choice,
    exact_sums,
    iter_slices,
    round_probability,
    share,
    sort_values,
)
from dr_core.perturbation import CodedRows, SensitiveAttributes, learn_attributes
from dr_core.risk import (
    RandomizedModel,
    check_predictions,
    find_distribution,
    get_predict,
    have_fractions,
)

__all__ = [
    "RESPONSES",
    "MarginalizedModel",
    "count_unlikely",
    "describe_unlikely",
    "marginalize",
]

WEIGHTINGS = ("empirical", "uniform")
"""Valid values of `weights`."""

RESPONSES = ("auto", "predict_proba", "predict")
"""Valid values of `response`."""

MAX_STATES = 2**20
"""Number of rows, each with every combination of values, that are looked at together."""

UNSET = -2
"""Code of rows whose sensitive values are not read; that of no value."""


@dataclass(frozen=True, eq=False)
class MarginalizedModel:
    """A model averaged over the sensitive attributes; the result of `marginalize`.

    Attributes
    ----------
    estimator : the model that is averaged
    attributes : SensitiveAttributes
    combinations : array of shape (attributes, k)
        Codes of the combinations of values: positions in the values of each attribute.
    weights : array of shape (k,)
        Probability P(v) of each combination.
    probabilities : RandomizedModel or None
        The probabilities of classes that are averaged; None if predictions are.
    is_numeric : bool
        Whether predictions are numbers, which are averaged, not labels, which vote.
    """

    estimator: Any
    attributes: SensitiveAttributes
    combinations: Array
    weights: Array
    probabilities: RandomizedModel | None
    is_numeric: bool

    def __repr__(self) -> str:
        names, k = ", ".join(map(str, self.attributes.names)), len(self.weights)
        inner, note = type(self.estimator).__name__, self.attributes.couplings.note
        followers = f", and {note}" if note else ""
        return f"MarginalizedModel({inner} averaged over {k} combinations of {names}{followers})"

    @property
    def classes_(self) -> Array:
        """Class labels; only of a model that knows them."""
        known = self.probabilities
        return np.asarray(self.estimator.classes_ if known is None else known.classes_)

    @property
    def feature_names_in_(self) -> Array:
        """Names of the features; only of an estimator that was fitted on a DataFrame."""
        return np.asarray(self.estimator.feature_names_in_)

    def predict(self, X: Any) -> Array:
        """Return the likeliest class of the average, or the average of numeric predictions, (n,).

        Of several likeliest classes, the first in sorted order is predicted. The sensitive columns
        must be in X, but their content is ignored, and may be missing or unknown, unless other
        columns are coupled to them.
        """
        if self.is_numeric:
            return self._average(X, partial(_predict, self.estimator))
        if self.probabilities is None:
            return _choose(*self._average_labels(X))
        return self.choose(self.predict_proba(X))

    def choose(self, shares: Array) -> Array:
        """Return the likeliest class of each row of probabilities, (n,)."""
        return _choose(shares, self.classes_)

    @available_if(lambda self: self.probabilities is not None)
    def predict_proba(self, X: Any) -> Array:
        """Return the average of the probabilities of the classes, (n, C)."""
        known = cast(RandomizedModel, self.probabilities)
        return self._average(X, lambda x: known.predict_distribution(x, len(x)))

    def _average(self, X: Any, respond: Callable[[Any], Array]) -> Array:
        """Return Σ_v P(v) respond(x with attributes v)."""
        # The terms have the same order for every row, so that rows that differ in nothing but the
        # attributes get the same sum to the last bit.
        terms = map(respond, self._iter_combinations(X))
        pairs = zip(self.weights.tolist(), terms, strict=True)
        return np.asarray(sum(weight * term for weight, term in pairs))

    def _average_labels(self, X: Any) -> tuple[Array, Array]:
        """Return the share of each predicted label, (n, C), and the C labels in sorted order."""
        predicted = [_predict(self.estimator, x) for x in self._iter_combinations(X)]
        found = factorize(np.concatenate(predicted))
        labels = sort_values(found.values)
        # Two combinations of weights (.75, .25) that predict (1, 0) and (1, 1) for two rows: label
        # 0 has the shares (0, .75), label 1 the shares (1, .25).
        codes = encode(found, labels, "the predictions").reshape(len(self.weights), -1)
        shares = [self.weights @ (codes == c) for c in range(len(labels))]
        return np.stack(shares, axis=1), np.array(labels, dtype=predicted[0].dtype)

    def _iter_combinations(self, X: Any) -> Iterator[Any]:
        """Yield X with each combination of values in all of its rows."""
        table, attributes = as_table(X), self.attributes
        rows = _read_rows(table, attributes)
        # Values of a range are written only where they change, so all rows must seem to change.
        codes_before = rows.codes.copy()
        codes_before[: len(attributes)] = UNSET
        changing = replace(rows, codes=codes_before)
        for codes in self.combinations.T:
            known, after = rows.attributes.follow(rows.codes, _repeat(codes, table.n_rows))
            yield replace(changing, attributes=known).recode(after)


def marginalize(
    estimator: Any,
    X: Any,
    privileged: Mapping[Any, Any] | SensitiveAttributes,
    *,
    weights: str = "empirical",
    response: str = "auto",
    sample_weight: Any = None,
) -> MarginalizedModel:
    """Average a fitted model over the sensitive attributes, so that its DR is 0.

    f̄(x) = Σ_v P(v) f(x with attributes v). Predictions of the result do not depend on the
    attributes of a row. Other columns that contain information about an attribute (proxies) keep
    their influence, so group measures such as demographic parity do not become 0.

    Parameters
    ----------
    estimator : fitted model with `predict`, or a callable
        For a classifier, probabilities are averaged, and the likeliest class is predicted.
        Without `predict_proba`, each predicted label is a vote, and the shares of votes take the
        place of probabilities. For a regressor, and for a callable that returns fractions,
        predictions are averaged as numbers. For a model that draws its predictions, the
        distribution is averaged (see `RandomizedModel`).
    X : DataFrame, array, or rows in partitions
        Rows that P is counted in, such as the training data, as the model sees them.
    privileged : mapping, or SensitiveAttributes
        The privileged value of each sensitive column, such as {"sex": "Male"}; or the result of
        `learn_attributes`. The choice of privileged values has no effect. Rows with a missing
        value, if they are accepted, do not count in P. Coupled columns follow: then DR with
        coupled columns becomes 0, and DR as defined can be above 0.
    weights : {"empirical", "uniform"}
        P(v): the joint frequency of the values v in X, or the same for every combination that
        occurs in X. "uniform" gives rare combinations a large weight, which can cost much
        accuracy and recall: compare the averaged model with the original one.
    response : {"auto", "predict_proba", "predict"}
        The output of a classifier that is averaged. "predict" averages the decisions of a
        classifier with a threshold other than ½, such as scikit-learn's
        `FixedThresholdClassifier`: a majority vote, whose share of favourable decisions can be
        another one. To keep the threshold, average the classifier inside, and apply the threshold
        to the averaged probabilities.
    sample_weight : array of shape (n,), or name of a column of X, optional

    Returns
    -------
    MarginalizedModel
        With `predict`, and `predict_proba` if probabilities are averaged. A prediction takes one
        prediction of the model for each combination of values that occurs in X.

    Warns
    -----
    UserWarning
        If the rules of coupled columns do not convert between every two values of an attribute, in
        both directions: the average of some rows then depends on the attribute. If the model
        itself does not predict its likeliest class.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> from dr_core import assess_risk
    >>> X = pd.DataFrame({"sex": [0, 1] * 50, "income": range(100)})
    >>> y = X["income"] + 30 * X["sex"] > 60
    >>> model = LogisticRegression().fit(X, y)
    >>> assess_risk(model, X, {"sex": 1}).value
    0.2
    >>> averaged = marginalize(model, X, {"sex": 1})
    >>> assess_risk(averaged, X, {"sex": 1}).value
    0.0
    >>> averaged
    MarginalizedModel(LogisticRegression averaged over 2 combinations of sex)
    """
    check_choice("weights", weights, WEIGHTINGS)
    check_choice("response", response, RESPONSES)
    if not isinstance(estimator, RandomizedModel):
        get_predict(estimator)
    data = as_partitions(X, {WEIGHT: sample_weight})
    attributes = learn_attributes(data, privileged)
    known = _find_probabilities(estimator, attributes.columns, response)
    survey = reduce(add, data.map(partial(_survey, estimator, known, attributes)))
    survey.warn(data.n_rows)
    combinations, frequencies = survey.get_frequencies()
    if weights == "uniform":
        frequencies = np.full(len(frequencies), 1 / len(frequencies))
    return MarginalizedModel(
        estimator, attributes, combinations, frequencies, known, survey.is_numeric
    )


def _find_probabilities(
    estimator: Any, columns: Sequence[Any], response: str
) -> RandomizedModel | None:
    """Return the probabilities of a model's classes as a function of X; None if labels vote."""
    known = find_distribution(estimator, columns)
    if known is not None or response == "predict":
        return known
    classes = getattr(estimator, "classes_", None)
    if isinstance(classes, list) and any(map(np.ndim, classes)):
        raise ValueError(
            f"the {type(estimator).__name__} has several outputs; fit and average one at a time."
        )
    if hasattr(estimator, "predict_proba") and classes is not None:
        return RandomizedModel(estimator.predict_proba, np.asarray(classes).tolist())
    if response == "predict_proba":
        raise ValueError(
            f'response is "predict_proba", but the {type(estimator).__name__} has no predict_proba'
            ' and classes_ (if it is a classifier, fit it first). Use "predict" or "auto".'
        )
    return None


@dataclass(frozen=True)
class _Survey:
    """What is counted in a part of the rows.

    Attributes
    ----------
    sums : weight of each combination of codes, in exact units
    n_open : rows whose coupled columns do not return
    n_unlikely : rows for which the model does not predict its likeliest class
    is_numeric : whether the model predicts numbers
    """

    sums: Counter[tuple[int, ...]]
    n_open: int
    n_unlikely: int
    is_numeric: bool

    def __add__(self, other: _Survey) -> _Survey:
        return _Survey(
            self.sums + other.sums,
            self.n_open + other.n_open,
            self.n_unlikely + other.n_unlikely,
            self.is_numeric or other.is_numeric,
        )

    def get_frequencies(self) -> tuple[Array, Array]:
        """Return the combinations that have any weight, (attributes, k), and their shares."""
        found = sorted(self.sums)
        check_any_weight(found)
        total = sum(self.sums.values())
        return np.array(found).T, np.array([share(self.sums[one], total) for one in found])

    def warn(self, n_rows: int) -> None:
        """Warn of rows whose average may still depend on an attribute, or decide otherwise."""
        if self.n_open:
            warnings.warn(
                "the averaged prediction can depend on the attributes for "
                f"{self.n_open:,} of {n_rows:,} rows, so the discriminative risk with coupled "
                "columns of these rows can be above 0: going to a value of the attribute by way "
                "of another value gives other coupled values than going there directly. Write "
                "rules between every two values of the attribute, in both directions. Rules that "
                "lose the old value, such as a minimum, cannot be reversed.",
                stacklevel=3,
            )
        if self.n_unlikely:
            warnings.warn(describe_unlikely(self.n_unlikely, n_rows), stacklevel=3)


def _survey(
    estimator: Any,
    known: RandomizedModel | None,
    attributes: SensitiveAttributes,
    part: Partition,
) -> _Survey:
    rows = CodedRows.of(part.table, attributes)
    codes = rows.codes[: len(attributes)]
    combination = joint_positions(codes)
    first = find_first(combination)
    weights = np.ones(part.n_rows, bool) if part.weights is None else part.weights
    sums = exact_sums(weights, combination, len(first)).tolist()
    if find_distribution(estimator, attributes.columns) is None:
        is_numeric, n_unlikely = _look_at_predictions(estimator, known, part.table)
    else:  # predictions are drawn
        is_numeric, n_unlikely = False, 0
    return _Survey(_count(codes[:, first], sums), _count_open(rows), n_unlikely, is_numeric)


def _count(codes: Array, sums: list[int]) -> Counter[tuple[int, ...]]:
    """Add up the weights of each combination of codes; without missing values and weight 0."""
    counter: Counter[tuple[int, ...]] = Counter()
    for combination, weight in zip(codes.T.tolist(), sums, strict=True):
        if min(combination) >= 0 and weight:
            counter[tuple(combination)] += weight
    return counter


def _look_at_predictions(
    estimator: Any, known: RandomizedModel | None, table: Table
) -> tuple[bool, int]:
    """Return whether a model predicts numbers, and how many predictions are not the likeliest."""
    predicted = _predict(estimator, table.copy())
    if known is None:
        is_regression = isinstance(estimator, BaseEstimator) and is_regressor(estimator)
        return is_regression or have_fractions(predicted), 0
    shares = known.predict_distribution(table.copy(), table.n_rows)
    return False, count_unlikely(predicted, shares, known.classes_)


def count_unlikely(predicted: Array, probabilities: Array, classes: list[Any]) -> int:
    """Return the number of predictions that are not the likeliest class.

    >>> probabilities = np.array([[0.7, 0.3], [0.7, 0.3], [0.5, 0.5]])
    >>> count_unlikely(np.array(["a", "b", "b"]), probabilities, ["a", "b"])
    1
    """
    shares = round_probability(probabilities)
    codes = encode(factorize(predicted), classes, "the model's predictions")
    own = np.take_along_axis(shares, codes[:, None].astype(np.intp), axis=1)[:, 0]
    return int((own < shares.max(axis=1)).sum())


def describe_unlikely(n_unlikely: int, n_rows: int) -> str:
    """Return the warning about predictions that are not the likeliest class.

    >>> describe_unlikely(1, 3)[:65]
    'the model does not predict its likeliest class for 1 of 3 rows, a'
    """
    return (
        f"the model does not predict its likeliest class for {n_unlikely} of {n_rows} rows, as "
        "with a threshold other than 0.5, which is lost. To keep a threshold, average the "
        "classifier without it, and apply the threshold to the averaged probabilities, as "
        "scikit-learn's FixedThresholdClassifier does; or average the decisions: pass "
        'response="predict".'
    )


def _count_open(rows: CodedRows) -> int:
    """Return the number of rows whose coupled columns do not return."""
    attributes = rows.attributes
    if not attributes.has_couplings:
        return 0
    drivers = [driver.position for one in attributes.couplings.all for driver in one.drivers]
    # Attributes that no column follows keep code 0: they make no difference.
    ranges = [range(len(a.values) if j in drivers else 1) for j, a in enumerate(attributes)]
    everything = [np.array(v) for v in product(*ranges)]
    codes = _forget_similar(rows)
    combination = joint_positions(codes)
    distinct = codes[:, find_first(combination)]
    blocks = iter_slices(distinct.shape[1], max(1, MAX_STATES // len(everything)))
    is_open = [_find_open(distinct[:, block], attributes, everything) for block in blocks]
    return int(np.bincount(combination)[np.concatenate(is_open)].sum())


def _find_open(codes: Array, attributes: SensitiveAttributes, everything: list[Array]) -> Array:
    """Return which rows of codes have coupled columns that do not return, (d,).

    A row returns if going to any values u and then to any values v is the same as going to v.
    """
    n, direct = len(attributes), []
    for v in everything:  # each time with all values that functions have returned before
        attributes, after = attributes.follow(codes, _repeat(v, codes.shape[1]))
        direct.append(after)
    is_open, states = np.zeros(codes.shape[1], bool), np.stack(direct, axis=1)
    for v, straight in zip(everything, direct, strict=True):
        rest = np.flatnonzero(~is_open)
        between = states[:, :, rest].reshape(len(states), -1)
        # A column does not depend on u itself, only on whether u differs from v. So many states
        # are alike, and each kind of them is followed once.
        between[:n] = np.where(between[:n] == v[:, None], between[:n], -1)
        kind = joint_positions(between)
        first = find_first(kind)
        _, after = attributes.follow(between[:, first], _repeat(v, len(first)))
        back = after[n:, kind].reshape(len(after) - n, len(everything), len(rest))
        is_open[rest] = (back != straight[n:, None, rest]).any(axis=(0, 1))
    return is_open


def _choose(shares: Array, classes: Array) -> Array:
    # Rounded, because rounding errors must not decide between classes that are equally likely.
    return classes[round_probability(shares).argmax(axis=1)]


def _read_rows(table: Table, attributes: SensitiveAttributes) -> CodedRows:
    """Return the rows with the codes that coupled columns need; without these, nothing is read."""
    if attributes.has_couplings:
        rows = CodedRows.of(table, replace(attributes, missing="keep"))
        return replace(rows, codes=_forget_similar(rows))
    return CodedRows(table, attributes, np.full((len(attributes), table.n_rows), UNSET))


def _forget_similar(rows: CodedRows) -> Array:
    """Return the codes of rows, with -1 for values of a range that are not known.

    The code of a similar value stands for them. To a coupled column it makes a difference whether
    the attribute has this value already.
    """
    codes = rows.codes.copy()
    for attribute, own in zip(rows.attributes, codes, strict=False):
        if attribute.condition is not None:
            own[encode_known(rows.table.factorize(attribute.name), attribute.values) < 0] = -1
    return codes


def _repeat(codes: Array, n_rows: int) -> Array:
    return np.broadcast_to(codes[:, None], (len(codes), n_rows))


def _predict(estimator: Any, x: Any) -> Array:
    return check_predictions(get_predict(estimator)(x), len(x))
