"""Models that draw their predictions at random.

A randomised model has a distribution f(·|x) over classes, and its loss is the total variation
ℓ(f, x) = ½ Σ_c |f(c|x) − f(c|x̃)|: the smallest probability of a change that any joint
distribution of the two draws has. A deterministic model is the special case of distributions with
one class, for which ℓ = 1[f(x) ≠ f(x̃)]. A model that never sees an attribute has ℓ = 0, however
much it draws.

Host packages know the distributions of their library's models. They register a function
`(model, columns) -> RandomizedModel, or None` as an entry point of the group
`discriminative_risk.distributions`, under the name of the package that defines the models;
`columns` maps the keys of the sensitive columns of X to their values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from dr_core._utils import Array, as_generator, differs, quote

__all__ = [
    "RandomizedModel",
    "draw_classes",
    "find_flows",
    "get_shift",
    "total_variation",
]

MAX_SUM_ERROR = 1e-6
"""Probabilities of a row must add up to 1 within this."""


@dataclass(frozen=True, eq=False)
class RandomizedModel:
    """A model that draws each prediction from a known distribution over classes.

    `assess_risk`, `compare` and the host packages then compute the risk from the distribution, by
    total variation, so that the randomness of the model does not enter it. fairlearn's
    `ExponentiatedGradient` and `ThresholdOptimizer` and AIF360's `ExponentiatedGradientReduction`
    need not be wrapped.

    Parameters
    ----------
    predict_proba : callable
        Function of X that returns the probability with which each class is predicted, an array of
        shape (n, C). This is the distribution of what `predict` returns, which is not the
        same as the `predict_proba` of most classifiers.
    classes : sequence of C labels

    Examples
    --------
    This model tosses a coin for everybody, whatever their sex:

    >>> import pandas as pd
    >>> from dr_core import assess_risk
    >>> X = pd.DataFrame({"sex": ["Male", "Female"] * 50})
    >>> coin = RandomizedModel(lambda X: np.full((len(X), 2), 0.5), classes=[0, 1])
    >>> assess_risk(coin, X, {"sex": "Male"}).value
    0.0
    """

    predict_proba: Callable[[Any], Any]
    classes: Sequence[Any]

    def __post_init__(self) -> None:
        if not callable(self.predict_proba):
            raise TypeError(
                f"predict_proba is a {type(self.predict_proba).__name__}; pass a function of X "
                "that returns the probability of each class, of shape (n, C)."
            )
        if len(set(self.classes)) < len(self.classes) or not len(self.classes):
            raise ValueError(f"classes must be distinct labels; got {quote(self.classes)}.")

    @property
    def classes_(self) -> list[Any]:
        """Labels of the classes."""
        return list(self.classes)

    def predict_distribution(self, X: Any, n_rows: int) -> Array:
        """Return the checked distribution of the prediction of each row, (n, C)."""
        found = np.asarray(self.predict_proba(X))
        shape = n_rows, len(self.classes)
        if found.shape != shape or found.dtype.kind not in "fiub":
            raise ValueError(
                f"the model returned probabilities of shape {found.shape} and type {found.dtype} "
                f"for {n_rows} rows and {len(self.classes)} classes; {shape} numbers are required."
            )
        sums = found.sum(axis=1)
        wrong = (found < -MAX_SUM_ERROR).any(axis=1) | ~(np.abs(sums - 1) <= MAX_SUM_ERROR)
        if wrong.any():
            first = found[wrong.argmax()].tolist()
            raise ValueError(
                f"the model returned {first} for a row; probabilities of classes must be at least "
                "0 and add up to 1."
            )
        return found

    def draw(self, X: Any, random_state: Any = None) -> Array:
        """Return one prediction for each row, drawn from its distribution, shape (n,)."""
        found = self.predict_distribution(X, len(X))
        return draw_classes(found, self.classes_, as_generator(random_state))


def draw_classes(distribution: Array, classes: list[Any], rng: np.random.Generator) -> Array:
    """Draw one class for each row of a distribution of shape (n, C).

    >>> draw_classes(np.eye(2), ["no", "yes"], np.random.default_rng(0))
    array(['no', 'yes'], dtype='<U3')
    """
    # Class 0 for numbers below f(0|x), class 1 up to f(0|x) + f(1|x), and so on.
    ends = np.cumsum(distribution, axis=1)[:, :-1]
    drawn = (rng.random(len(ends))[:, None] >= ends).sum(axis=1)
    return np.asarray(classes)[drawn]


def total_variation(before: Array, after: Array) -> Array:
    """Return ½ Σ_c |f(c|x) − f(c|x̃)| of pairs of distributions of shape (k, C).

    Probabilities that differ by rounding only are equal (see `differs`).

    >>> total_variation(np.array([[0.5, 0.5], [1, 0]]), np.array([[0.2, 0.8], [1, 0]]))
    array([0.3, 0. ])
    """
    return np.abs(get_shift(before, after)).sum(axis=1) / 2


def get_shift(before: Array, after: Array) -> Array:
    """Return f(c|x̃) − f(c|x) of pairs of distributions, (k, C); 0 for differences by rounding."""
    return np.where(differs(before, after, 0.0), after - before, 0.0)


def find_flows(before: Array, after: Array) -> list[tuple[int, int, Array]]:
    """Return the probability with which class a becomes class b, for all pairs that have any.

    The two draws are joined so that they agree as often as possible: class a is left with
    probability (f(a|x) − f(a|x̃))⁺, for the classes that gain, in proportion to their gains.

    >>> before, after = np.array([[0.5, 0.5, 0.0]]), np.array([[0.1, 0.6, 0.3]])
    >>> [(a, b, mass.round(3).tolist()) for a, b, mass in find_flows(before, after)]
    [(0, 1, [0.1]), (0, 2, [0.3])]
    """
    shift = get_shift(before, after)
    lost, gained = np.maximum(-shift, 0), np.maximum(shift, 0)
    whole = gained.sum(axis=1)
    gained = np.divide(gained, whole[:, None], out=gained, where=whole[:, None] > 0)
    pairs = permutations(range(shift.shape[1]), 2)
    flows = [(a, b, lost[:, a] * gained[:, b]) for a, b in pairs]
    return [flow for flow in flows if flow[2].any()]
