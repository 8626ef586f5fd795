"""x → x̃: one random draw, or every possible draw with its probability.

For each row and each sensitive attribute, independently with probability p: a marginalised value
becomes the privileged one (uniformly one of them, if several); a privileged value becomes one of
the marginalised values, uniformly. Nothing else changes, unless the user couples other columns to
the attributes (`dr_core.couplings`).

Everything here works on codes, arrays of shape (attributes, rows) that say which value of its
domain each row has (-1 where it is missing, which stays).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dr_core._tables import Recoded, Table, as_table
from dr_core._utils import Array, as_generator, check_probability
from dr_core.perturbation._attributes import Attribute, SensitiveAttributes, learn_attributes
from dr_core.perturbation._couplings import Rules

__all__ = [
    "CodedRows",
    "Perturbations",
    "Scenario",
    "Variants",
    "choices",
    "draw_variants",
    "enumerate_perturbations",
    "enumerate_variants",
    "perturb",
]

ROUNDING = 1e-9
"""What sums of probabilities may lack to 1."""

MOST_JOINT = 2**31
"""Combinations of values that are numbered directly; more are numbered as they occur."""

BLOCK_ROWS = 2**15
"""Rows drawn at once."""

Scenario = tuple[int, ...]
"""Positions of the attributes that are perturbed; the others stay."""


def perturb(
    X: Any,
    privileged: Mapping[Any, Any] | SensitiveAttributes,
    *,
    p: float = 1.0,
    random_state: Any = None,
    domain: Mapping[Any, Any] | None = None,
    missing: str = "error",
    coupled: Rules | None = None,
) -> Any:
    """Perturb the sensitive attributes of each row once, at random.

    Parameters
    ----------
    X : DataFrame (pandas, polars) or array of shape (n, d)
        Never modified.
    privileged : mapping, or attributes learned before
        See `learn_attributes`.
    p : float in (0, 1]
        Probability with which each attribute of each row is perturbed.
    random_state : int, Generator or None
        Where the draws come from. An attribute with two values and p = 1 needs none.
    domain, missing, coupled
        See `learn_attributes`.

    Returns
    -------
    X_perturbed : same type, columns, dtypes and index as X

    Examples
    --------
    >>> X = pd.DataFrame({"sex": ["Male", "Female"], "age": [30, 40]})
    >>> perturb(X, {"sex": "Male"})
          sex  age
    0  Female   30
    1    Male   40

    Columns that belong to an attribute can follow it:

    >>> X = pd.DataFrame({"sex": ["Male", "Female"], "relationship": ["Husband", "Wife"]})
    >>> rules = {"sex": {"Female": {"Husband": "Wife"}, "Male": {"Wife": "Husband"}}}
    >>> perturb(X, {"sex": "Male"}, coupled={"relationship": rules})
          sex relationship
    0  Female         Wife
    1    Male      Husband
    """
    check_probability(p)
    table = as_table(X)
    attributes = learn_attributes(
        table, privileged, domain=domain, missing=missing, coupled=coupled
    )
    rows = CodedRows.of(table, attributes)
    return rows.variant(_draw(rows.codes, attributes, p, as_generator(random_state)))


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Rows of a table, with the codes of their sensitive attributes and of what follows these.

    Attributes
    ----------
    table : Table
    attributes : SensitiveAttributes
    codes : (attributes, n)
    coupled : (couplings, n)
    """

    table: Table
    attributes: SensitiveAttributes
    codes: Array
    coupled: Array

    @classmethod
    def of(cls, table: Table, attributes: SensitiveAttributes) -> CodedRows:
        """Read the codes off a table."""
        return cls(table, attributes, attributes.encode(table), attributes.couplings.encode(table))

    def take(self, rows: Array | slice) -> CodedRows:
        """Take these rows, in this order."""
        parts = self.table.take(rows), self.attributes, self.codes[:, rows], self.coupled[:, rows]
        return CodedRows(*parts)

    def content(self, codes: Array) -> dict[Any, Recoded]:
        """Content of all columns that change when the rows get these sensitive values."""
        couplings = self.attributes.couplings
        followed = couplings.follow(self.coupled, self.codes, codes)
        return self.attributes.decode(codes) | couplings.decode(self.coupled, followed)

    def follows(self, codes: Array) -> Array:
        """Whether a coupled column of each row changes with these sensitive values, (n,)."""
        followed = self.attributes.couplings.follow(self.coupled, self.codes, codes)
        return (followed != self.coupled).any(axis=0)

    def variant(self, codes: Array) -> Any:
        """Return the rows with these sensitive values, as the kind of table that X is."""
        return self.table.recode(self.content(codes))

    @property
    def uncoupled(self) -> CodedRows:
        """The same rows, with no column that follows."""
        return CodedRows(self.table, self.attributes.uncoupled, self.codes, self.coupled[:0])


class Perturbations(NamedTuple):
    """Every row that X can be perturbed into.

    Attributes
    ----------
    data : same type as X, k rows
    rows : array of shape (k,)
        Which row of X each one comes from.
    probability : array of shape (k,)
        How likely it is; what is missing to 1 for a row of X is the chance that it stays as it is.
    """

    data: Any
    rows: Array
    probability: Array


def enumerate_perturbations(
    X: Any,
    privileged: Mapping[Any, Any] | SensitiveAttributes,
    *,
    p: float = 1.0,
    domain: Mapping[Any, Any] | None = None,
    missing: str = "error",
    coupled: Rules | None = None,
) -> Perturbations:
    """List every possible perturbation of each row with its probability.

    Parameters
    ----------
    X, privileged, p, domain, missing, coupled
        As for `perturb`.

    Examples
    --------
    >>> X = pd.DataFrame({"race": ["White", "Black", "Other"]})
    >>> every = enumerate_perturbations(X, {"race": "White"})
    >>> every.data.assign(of=every.rows, probability=every.probability)
        race  of  probability
    0  Black   0          0.5
    0  Other   0          0.5
    1  White   1          1.0
    2  White   2          1.0
    """
    check_probability(p)
    table = as_table(X)
    attributes = learn_attributes(
        table, privileged, domain=domain, missing=missing, coupled=coupled
    )
    rows = CodedRows.of(table, attributes)
    everything = tuple(range(len(attributes)))
    variants = enumerate_variants(rows.codes, attributes, p, [everything])
    data = rows.take(variants.rows).variant(variants.codes)
    return Perturbations(data, variants.rows, variants.probability[:, 0])


@dataclass(frozen=True, eq=False)
class Variants:
    """Perturbed versions x̃ of rows x, each of them once, those equal to x left out.

    Attributes
    ----------
    rows : (k,) which row x each variant belongs to
    codes : (attributes, k) its sensitive values
    probability : (k, scenarios) how likely it is in each scenario
    """

    rows: Array
    codes: Array
    probability: Array

    def stay_probability(self, n_rows: int) -> Array:
        """Probability that each row is not changed at all, shape (scenarios, n_rows)."""
        mass = self._mass(self.probability, n_rows)
        return np.where(mass < 1 - ROUNDING, 1 - mass, 0.0)

    def chance_of(self, which: Array, n_rows: int) -> Array:
        """Probability that each row becomes one of these variants, shape (scenarios, n_rows).

        It is normalised by all that can happen to the row, so that what happens in every case has
        probability 1, not 0.9999999999999999.
        """
        everything = self._mass(self.probability, n_rows) + self.stay_probability(n_rows)
        return self._mass(self.probability * which[:, None], n_rows) / everything

    def _mass(self, probability: Array, n_rows: int) -> Array:
        return np.stack([np.bincount(self.rows, chance, n_rows) for chance in probability.T])


def enumerate_variants(
    codes: Array, attributes: SensitiveAttributes, p: float, scenarios: Sequence[Scenario]
) -> Variants:
    """Every variant of each row, with its probability in each scenario.

    Rows that share their sensitive values share their variants, so these are listed once for each
    combination of values that occurs.
    """
    combination, _ = pd.factorize(_joint(codes, attributes))
    first = np.unique(combination, return_index=True)[1]
    lists = [_variants_of(codes[:, i], attributes, p, scenarios) for i in first]
    counts = np.array([len(variants) for variants in lists])
    starts = np.cumsum(counts) - counts
    rows = np.repeat(np.arange(codes.shape[1]), counts[combination])
    of_row = counts[combination]
    within = np.arange(len(rows)) - np.repeat(np.cumsum(of_row) - of_row, of_row)
    position = starts[combination[rows]] + within
    flat = [variant for variants in lists for variant in variants.items()]
    listed_codes = np.array([variant for variant, _ in flat], dtype=np.intp)
    probability = np.array([chances for _, chances in flat])
    return Variants(
        rows,
        listed_codes.reshape(-1, len(codes))[position].T,
        probability.reshape(-1, len(scenarios))[position],
    )


def _joint(codes: Array, attributes: SensitiveAttributes) -> Array:
    """One number for all sensitive values of a row; products of it with rows fit 64 bits."""
    joint, size = np.zeros(codes.shape[1], dtype=np.int64), 1
    for attribute, of_attribute in zip(attributes, codes, strict=True):
        if size * (len(attribute.values) + 1) > MOST_JOINT:
            joint, found = pd.factorize(joint, sort=True)
            size = len(found)
        joint = joint * (len(attribute.values) + 1) + of_attribute + 1
        size *= len(attribute.values) + 1
    return joint


def _variants_of(
    row: Array, attributes: SensitiveAttributes, p: float, scenarios: Sequence[Scenario]
) -> dict[tuple[int, ...], Array]:
    """Variants of one row's codes, each with its probability in every scenario."""
    own = tuple(row.tolist())
    variants: dict[tuple[int, ...], Array] = {}
    for s, active in enumerate(scenarios):
        outcomes = [
            list(_outcomes(attribute, code, p if j in active else 0.0))
            for j, (attribute, code) in enumerate(zip(attributes, own, strict=True))
        ]
        for outcome in product(*outcomes):
            variant = tuple(code for code, _ in outcome)
            if variant != own:
                chances = variants.setdefault(variant, np.zeros(len(scenarios)))
                chances[s] += np.prod([chance for _, chance in outcome])
    return variants


def _outcomes(attribute: Attribute, code: int, p: float) -> Iterator[tuple[int, float]]:
    """What one value may become, with the probability of each."""
    if code < 0 or p == 0:
        yield code, 1.0
        return
    if p < 1:
        yield code, 1 - p
    moves = attribute.moves[code]
    for move in moves:
        yield move, p / len(moves)


def draw_variants(
    codes: Array,
    attributes: SensitiveAttributes,
    p: float,
    scenarios: Sequence[Scenario],
    n_samples: int,
    random_state: np.random.Generator,
) -> Variants:
    """`n_samples` random variants of each row; a scenario keeps the draws of its attributes.

    The draws of a row depend on the generator and on the rows before it alone, so a table gives
    the same draws however it is cut into chunks.
    """
    rows = np.repeat(np.arange(codes.shape[1]), n_samples)
    own = codes[:, rows]
    drawn = _draw(own, attributes, p, random_state)
    active = np.array([[j in scenario for j in range(len(attributes))] for scenario in scenarios])
    variant = np.where(active[:, :, None], drawn, own)
    scenario, sample = np.nonzero((variant != own).any(axis=1))
    chosen = variant[scenario, :, sample].T
    key = rows[sample] * (int(_joint(chosen, attributes).max(initial=0)) + 1)
    distinct, first, inverse = np.unique(
        key + _joint(chosen, attributes), return_index=True, return_inverse=True
    )
    probability = np.zeros((len(distinct), len(scenarios)))
    np.add.at(probability, (inverse, scenario), 1 / n_samples)
    return Variants(rows[sample][first], chosen[:, first], probability)


def choices(attributes: SensitiveAttributes, p: float) -> list[bool]:
    """Whether the draw of each attribute takes a uniform number; if not, it is sure."""
    return [p < 1 or max(map(len, attribute.moves)) > 1 for attribute in attributes]


def _draw(
    codes: Array, attributes: SensitiveAttributes, p: float, rng: np.random.Generator
) -> Array:
    """One random perturbation of codes (attributes, n).

    Row by row, each attribute with a choice takes one uniform number. Blocks of rows keep the
    intermediate arrays in the processor's cache.
    """
    has_choice = choices(attributes, p)
    drawn = np.empty_like(codes)
    for start in range(0, codes.shape[1], BLOCK_ROWS):
        block = codes[:, start : start + BLOCK_ROWS]
        uniforms = iter(rng.random((block.shape[1], sum(has_choice))).T)
        for j, attribute in enumerate(attributes):
            uniform = next(uniforms) if has_choice[j] else None
            drawn[j, start : start + BLOCK_ROWS] = _move(block[j], attribute, p, uniform)
    return drawn


def _move(codes: Array, attribute: Attribute, p: float, uniform: Array | None) -> Array:
    """Perturb the codes of one attribute; one uniform number decides whether and into what."""
    # The last row of both tables serves missing values, whose code is -1: they stay. Rows are
    # filled up with their last move, in case a product is rounded up to the number of moves.
    rows = [*attribute.moves, [-1]]
    n_moves = np.array([len(moves) for moves in rows])
    width = n_moves.max() + 1
    targets = np.array([moves + moves[-1:] * (width - len(moves)) for moves in rows], codes.dtype)
    if uniform is None:
        return targets[:, 0].take(codes, mode="wrap")
    choice = (uniform * (n_moves / p).take(codes, mode="wrap")).astype(np.intp)
    moved = targets.take(codes.astype(np.intp) * width + choice, mode="wrap")
    return moved if p == 1 else np.where(uniform < p, moved, codes)
