"""The plan of a perturbation, and x with every x̃, chunk by chunk; no model anywhere.

A plan has one or more *scenarios*: each attribute perturbed alone, and all of them together; and,
where columns are coupled to the attributes, the same with these columns following. Each variant
of a row is made once for all scenarios and has a probability in each.

For each row and each sensitive attribute, independently with probability p: a marginalised value
becomes the privileged one (uniformly one of them, if several); a privileged value becomes one of
the marginalised values, uniformly. A value of a range becomes one of the other side, with the
frequencies of these in the data. Exact results enumerate every variant; `_sampling` draws some.

Variants are made from codes, arrays of shape (attributes, rows) with the position of each value in
the domain of its attribute. Code -1 is a missing value, which is never changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from dr_core._tables import Table, find_first, joint_positions
from dr_core._utils import (
    Array,
    advance,
    as_generator,
    check_choice,
    check_integer,
    check_probability,
    copy_advanced,
    iter_slices,
)
from dr_core.perturbation._attributes import ALL, NEITHER, Attribute, SensitiveAttributes
from dr_core.perturbation._sampling import ActiveSets, draw_variants, find_choices

__all__ = [
    "CodedRows",
    "PerturbationPlan",
    "PerturbedChunk",
    "Scenario",
    "Variants",
    "enumerate_variants",
    "iter_perturbed",
]

CHUNK_VARIANTS = 400_000
"""Maximum number of variants in a chunk of the default size."""

MAX_VARIANTS = 10_000
"""Maximum number of variants of a row that are enumerated, on average over all rows."""

TOO_MANY = (
    '{} {:,} perturbations, more than {:,}. Use method="sample", or fewer attributes at a time.'
)

ROUNDING = 1e-9
"""Error that sums of probabilities may have."""


class Scenario(NamedTuple):
    """One way to perturb, a column of `Variants.probability`.

    Attributes
    ----------
    name : name of the attribute that is perturbed alone, or "all"
    active : positions of the attributes that are perturbed
    coupled : whether coupled columns follow them
    """

    name: Any
    active: tuple[int, ...]
    coupled: bool = False


@dataclass(frozen=True, eq=False)
class Variants:
    """Perturbed versions x̃ of rows x, each listed once; those equal to x are left out.

    Attributes
    ----------
    n_rows : number n of rows x
    rows : (k,) row x that each variant belongs to
    codes : (attributes + coupled columns, k) its sensitive values, then those of coupled columns
    probability : (k, S) probability in each scenario
    """

    n_rows: int
    rows: Array
    codes: Array
    probability: Array

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def stay_probability(self) -> Array:
        """Probability that each row is not changed at all, shape (S, n)."""
        return np.where(self._mass < 1 - ROUNDING, 1 - self._mass, 0.0)

    def expect(self, values: Array) -> Array:
        """Return the expectation of `values`, one for each variant, per row: (S, n).

        A row that stays as it is counts as 0. The expectation is divided by the total probability
        of the row, so that an event that always happens has probability 1, not
        0.9999999999999999.
        """
        some = np.flatnonzero(values)  # most predictions do not change
        terms = self.probability[some]
        if values.dtype != bool:
            terms *= values[some, None]
        sums = self._sum_by_row(some, terms)
        sums /= self._total
        return sums

    @cached_property
    def _mass(self) -> Array:
        return self._sum_by_row(slice(None), self.probability)

    @cached_property
    def _total(self) -> Array:
        return self._mass + self.stay_probability

    def _sum_by_row(self, variants: Array | slice, values: Array) -> Array:
        rows, sums = self.rows[variants], np.empty((values.shape[1], self.n_rows))
        for s, column in enumerate(values.T):
            sums[s] = np.bincount(rows, column, self.n_rows)
        return sums


@dataclass(frozen=True)
class PerturbationPlan:
    """Definition of a perturbation: attributes, method and scenarios.

    Parameters
    ----------
    learned : SensitiveAttributes
        The attributes of the plan, before ranges with many values are thinned out; see
        `attributes`.
    method : {"exact", "sample"}
        Every possible draw with its probability, or `n_samples` random ones.
    p : float in (0, 1]
    n_samples : int
    random_state : int, Generator or None
    each_attribute : bool
        Whether each attribute is perturbed alone too, besides all of them together.
    also_uncoupled : bool
        Whether each scenario comes twice, first without and then with coupled columns following.
        By default they follow in every scenario.
    n_rows : int, optional
        Number of all rows, for a plan that is applied to parts of them.
    """

    learned: SensitiveAttributes
    method: str = "exact"
    p: float = 1.0
    n_samples: int = 1
    random_state: Any = None
    each_attribute: bool = True
    also_uncoupled: bool = False
    n_rows: int | None = None

    def __post_init__(self) -> None:
        check_probability(self.p)
        check_choice("method", self.method, ("exact", "sample"))
        check_integer("n_samples", self.n_samples, at_least=1)
        if self.method == "exact" and self.n_samples != 1:
            raise ValueError(
                f'n_samples is {self.n_samples}, but method="exact" draws no samples; pass '
                'method="sample", or leave out n_samples.'
            )
        if not isinstance(self.random_state, np.random.RandomState | None):
            as_generator(self.random_state)  # raises ValueError for any other type
        if self.method == "exact" and self.max_variants > CHUNK_VARIANTS:
            message = TOO_MANY.format("a row has up to", self.max_variants, CHUNK_VARIANTS)
            raise ValueError(message)

    @cached_property
    def attributes(self) -> SensitiveAttributes:
        """The attributes; where they are enumerated, quantiles stand for ranges of many values."""
        # Halve the number of quantiles until a row has few perturbations. If even one quantile is
        # too many, other attributes have many values: then the limit is that of a chunk.
        full = self.learned
        if self.method == "sample":
            return full
        for limit in (MAX_VARIANTS, CHUNK_VARIANTS):
            for attributes in _iter_thinned(full):
                if self._count_variants(attributes) <= limit:
                    return attributes
        return full

    def _count_variants(self, attributes: SensitiveAttributes) -> int:
        """Return the maximum number of variants of a row that are enumerated."""
        stay = 1 if self.p < 1 else 0
        each = [attribute.n_targets + stay for attribute in attributes]
        return sum(prod(each[j] for j in active) for active in self._active_sets.values())

    @property
    def averaging(self) -> str:
        """What the risk of a row is an average of; "" if each row has one perturbation only."""
        if self.p == 1 and all(attribute.n_targets == 1 for attribute in self.attributes):
            return ""
        rarely = "" if self.p == 1 else f", each attribute perturbed with probability {self.p:g}"
        if self.method == "exact":
            return f"average over all perturbations of a row{rarely}"
        if self.n_samples == 1:
            return f"one random perturbation of each row{rarely}"
        return f"average over {self.n_samples:,} random perturbations of a row{rarely}"

    @property
    def notes(self) -> list[str]:
        """What to know about the values that rows become.

        A phrase for each range of which some values stand for all of them, and for each attribute
        whose rare values are drawn often.
        """
        thinned = [
            f"{len(attribute.values):,} values of {attribute.name!r} are represented by "
            f"{attribute.n_drawn:,} of them, quantiles"
            for attribute in self.attributes
            if attribute.n_drawn < len(attribute.values)
        ]
        return [
            *thinned,
            *(note for attribute in self.attributes for note in attribute.iter_notes()),
        ]

    @cached_property
    def scenarios(self) -> tuple[Scenario, ...]:
        """All scenarios, in the order of the columns of `Variants.probability`."""
        return tuple(
            Scenario(name, active, coupled)
            for coupled in self.kinds
            for name, active in self._active_sets.items()
        )

    @property
    def names(self) -> list[Any]:
        """Names of the scenarios of one kind, each attribute (where asked for), then "all"."""
        return list(self._active_sets)

    @property
    def kinds(self) -> tuple[bool, ...]:
        """Whether coupled columns follow, for each kind of scenarios that the plan has."""
        if not self.attributes.has_couplings:
            return (False,)
        return (False, True) if self.also_uncoupled else (True,)

    def find_scenario(self, s: int, kind: int) -> int:
        """Return the position of scenario s of a kind; -1 is the last, all attributes together.

        With the names sex, race and all, and the kinds without and with coupled columns, scenario
        -1 of kind 1 is at position 5.
        """
        n = len(self.names)
        return kind * n + s % n

    @cached_property
    def _active_sets(self) -> dict[Any, tuple[int, ...]]:
        alone: dict[Any, tuple[int, ...]] = {
            name: (j,) for j, name in enumerate(self.learned.names)
        }
        if len(alone) == 1:
            return alone
        return (alone if self.each_attribute else {}) | {ALL: tuple(range(len(alone)))}

    @property
    def max_variants(self) -> int:
        """Largest number of variants that a row can have, in all scenarios together."""
        if self.method == "sample":
            return self.n_samples * len(self._active_sets)
        return self._count_variants(self.attributes)

    @property
    def draws_per_row(self) -> int:
        """Number of uniform numbers that the perturbations of a row take."""
        if self.method == "exact":
            return 0
        return self.n_samples * sum(find_choices(self.attributes, self.p))

    def reserve_draws(self, n_rows: int) -> PerturbationPlan:
        """Return a plan for n_rows with its own copy of the generator, and advance the caller's.

        The caller's generator moves past the numbers that n_rows take.
        """
        if not self.draws_per_row:
            return replace(self, n_rows=n_rows)
        generator = as_generator(self.random_state)
        own = copy_advanced(generator, 0)
        advance(generator, n_rows * self.draws_per_row)
        return replace(self, random_state=own, n_rows=n_rows)

    def at_row(self, start: int) -> PerturbationPlan:
        """Return the plan for a part of the rows that begins at row `start` of all."""
        if not self.draws_per_row:
            return self
        return replace(
            self, random_state=copy_advanced(self.random_state, start * self.draws_per_row)
        )

    def count_variants(self, codes: Array) -> Array:
        """Return the number of variants of each row, at least 1, and at most if they are drawn."""
        n_rows = codes.shape[1]
        if self.method == "sample":
            return np.full(n_rows, self.max_variants * len(self.kinds))
        active_sets = list(self._active_sets.values())
        sensitive = codes[: len(self.attributes)]
        counts = count_variants(sensitive, self.attributes, self.p, active_sets)
        return np.maximum(counts * len(self.kinds), 1)

    def make_variants(
        self, x: CodedRows, rng: np.random.Generator | None
    ) -> tuple[CodedRows, Variants]:
        """Make the variants of rows: drawn with a generator, enumerated without one.

        Returns
        -------
        x : CodedRows
            The rows, with all values that codes of the variants stand for.
        variants : Variants
        """
        attributes, active_sets = self.attributes, list(self._active_sets.values())
        sensitive = x.codes[: len(attributes)]
        how = sensitive, attributes, self.p, active_sets
        if rng is None:
            variants = enumerate_variants(*how)
        else:
            drawn = draw_variants(*how, self.n_samples, rng)
            variants = Variants(x.table.n_rows, *drawn)
        return self._let_follow(x, variants) if attributes.has_couplings else (x, variants)

    def _let_follow(self, x: CodedRows, variants: Variants) -> tuple[CodedRows, Variants]:
        """Add the codes of coupled columns to variants, and the scenarios where they follow."""
        before = x.codes[:, variants.rows]
        attributes, after = x.attributes.follow(before, variants.codes)
        return replace(x, attributes=attributes), self._add_scenarios(variants, before, after)

    def _add_scenarios(self, variants: Variants, before: Array, after: Array) -> Variants:
        """Return variants with these codes, also without coupled columns where asked for."""
        if not self.also_uncoupled:
            return Variants(variants.n_rows, variants.rows, after, variants.probability)
        n_sensitive = len(self.attributes)
        follows = (after != before)[n_sensitive:].any(axis=0)
        # Where a coupled column follows, a variant is listed twice, without and with it. Of
        # variants 0 1 2, of which 1 follows:
        #   source  = [0, 1, 1, 2]
        #   is_copy = [F, F, T, F]   the copy has the coupled columns as they follow
        # The first 1 has probability 0 in scenarios with coupled columns, its copy in the others.
        source = np.sort(np.concatenate([np.arange(len(follows)), np.flatnonzero(follows)]))
        is_copy = np.diff(source, prepend=-1) == 0
        probability = variants.probability[source]
        uncoupled = probability * ~is_copy[:, None]
        coupled = probability * (is_copy | ~follows[source])[:, None]
        made = after[:, source]
        made[n_sensitive:] = np.where(is_copy, made[n_sensitive:], before[n_sensitive:, source])
        probability = np.hstack([uncoupled, coupled])
        return Variants(variants.n_rows, variants.rows[source], made, probability)


def _iter_thinned(attributes: SensitiveAttributes) -> Iterator[SensitiveAttributes]:
    """Yield the attributes, then with ever fewer values that stand for those of a range."""
    yield attributes
    max_values = attributes.max_values
    while max_values:
        yield attributes.thin(max_values)
        max_values //= 2


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Rows of a table with their codes.

    Attributes
    ----------
    table : Table
    attributes : SensitiveAttributes
    codes : (attributes + coupled columns, n)
    """

    table: Table
    attributes: SensitiveAttributes
    codes: Array

    @classmethod
    def of(cls, table: Table, attributes: SensitiveAttributes) -> CodedRows:
        """Read the codes off a table."""
        codes = attributes.encode(table)
        if attributes.has_couplings:
            attributes = attributes.extend(table)
            codes = np.vstack([codes, attributes.couplings.encode(table)])
        return cls(table, attributes, codes)

    def take(self, rows: Array | slice) -> CodedRows:
        """Return these rows, in this order."""
        if _is_every_row(rows, self.table.n_rows):
            return self  # which keeps the content of columns that was read before
        return CodedRows(self.table.take(rows), self.attributes, self.codes[:, rows])

    def follow(self, after: Array) -> Any:
        """Return the rows with these codes of the attributes, as the kind of table that X is.

        Coupled columns follow.
        """
        attributes, codes = self.attributes.follow(self.codes, after)
        return replace(self, attributes=attributes).recode(codes)

    def recode(self, codes: Array, rows: Array | None = None) -> Any:
        """Return rows with other codes, as the kind of table that X is.

        `rows` are the positions of these rows; by default they are all rows.
        """
        old = self if rows is None else self.take(rows)
        columns = self.attributes.decode(codes, before=old.codes)
        return old.table.recode(columns, is_copy=old is not self)


def _is_every_row(rows: Array | slice, n_rows: int) -> bool:
    if isinstance(rows, slice):
        return rows == slice(0, n_rows)
    return len(rows) == n_rows and np.array_equal(rows, np.arange(n_rows))


@dataclass(frozen=True, eq=False)
class PerturbedChunk:
    """Some rows and their variants.

    Attributes
    ----------
    rows : slice of the table
    x : CodedRows, n of them
    variants : Variants of these rows
    """

    rows: slice
    x: CodedRows
    variants: Variants

    def perturbed(self, unchanged: Array | None = None) -> Any:
        """Return x̃, one row for each variant, as the kind of table that X is.

        Rows at the positions `unchanged` follow as they are.
        """
        rows, codes = self.variants.rows, self.variants.codes
        if unchanged is not None:
            rows = np.concatenate([rows, unchanged])
            codes = np.concatenate([codes, self.x.codes[:, unchanged]], axis=1)
        return self.x.recode(codes, rows)


def iter_perturbed(
    table: Table, plan: PerturbationPlan, *, chunk_size: int | None = None, progress: bool = False
) -> Iterator[PerturbedChunk]:
    """Yield the rows of a table with all their variants, chunk by chunk.

    Parameters
    ----------
    table : Table
    plan : PerturbationPlan
    chunk_size : int, optional
        Rows of a chunk; by default so many that they have at most `CHUNK_VARIANTS` variants with
        at most `Table.CHUNK_CELLS` cells.
    progress : bool

    Examples
    --------
    >>> import pandas as pd
    >>> from dr_core._tables import as_table
    >>> from dr_core.perturbation import learn_attributes
    >>> table = as_table(pd.DataFrame({"sex": ["M", "F", "F"]}))
    >>> plan = PerturbationPlan(learn_attributes(table, {"sex": "M"}))
    >>> [chunk.perturbed()["sex"].tolist() for chunk in iter_perturbed(table, plan, chunk_size=2)]
    [['F', 'M'], ['M']]
    """
    check_integer("chunk_size", 1 if chunk_size is None else chunk_size, at_least=1)
    rng = as_generator(plan.random_state) if plan.method == "sample" else None
    everything = CodedRows.of(table, plan.attributes)
    chunks = _choose_chunks(everything, plan, chunk_size)
    for rows in tqdm(chunks, desc="rows", unit="chunk") if progress else chunks:
        yield PerturbedChunk(rows, *plan.make_variants(everything.take(rows), rng))


def _choose_chunks(x: CodedRows, plan: PerturbationPlan, chunk_size: int | None) -> list[slice]:
    n_rows, limit = x.table.n_rows, x.table.CHUNK_CELLS // len(x.table.keys())
    limit = min(limit, CHUNK_VARIANTS)
    if n_rows * plan.max_variants * len(plan.kinds) <= limit:  # no need to count
        return list(iter_slices(n_rows, chunk_size or n_rows))
    n_variants = plan.count_variants(x.codes)
    if plan.method == "exact":
        _check_average(int(n_variants.sum()), plan.n_rows or n_rows)
    if chunk_size is not None:
        return list(iter_slices(n_rows, chunk_size))
    return _cut_rows(n_variants, limit)


def _check_average(n_variants: int, n_rows: int) -> None:
    """Raise ValueError if rows have too many variants on average, or already a part of them."""
    if n_variants > max(n_rows * MAX_VARIANTS, CHUNK_VARIANTS):
        average = n_variants // n_rows
        raise ValueError(TOO_MANY.format("on average, a row has", average, MAX_VARIANTS))


def _cut_rows(n_variants: Array, limit: int) -> list[slice]:
    """Cut rows into chunks of at most so many variants, or of a single row."""
    # Rows of 3, 3, 1, 9 variants and chunks of 6 have the ends 3 6 7 16: rows 0 and 1 end at 6,
    # row 2 is a chunk, and row 3 is one, too, although it has more than 6.
    ends, chunks, start = np.cumsum(n_variants), [], 0
    while start < len(ends):
        before = ends[start - 1] if start else 0
        stop = int(np.searchsorted(ends, before + limit, side="right"))
        chunks.append(slice(start, max(stop, start + 1)))
        start = chunks[-1].stop
    return chunks


class Template(NamedTuple):
    """Variants of all rows that are in the same group by each attribute.

    Attributes
    ----------
    codes : (attributes, k) new codes; -1 where a variant keeps the row's own
    probability : (k, S)
    """

    codes: Array
    probability: Array


def enumerate_variants(
    codes: Array, attributes: SensitiveAttributes, p: float, active_sets: ActiveSets
) -> Variants:
    """List every variant of each row with its probability in each scenario."""
    kind, templates = _make_templates(codes, attributes, p, active_sets)
    # A template is made once for each kind of rows and repeated for the rows. Rows of the kinds
    # a, b, a, of 2 and 1 variants:
    #   kind = [0, 1, 0]   counts = [2, 1]   starts = [0, 2]
    #   rows     = [0, 0, 1, 2, 2]   the row of each variant
    #   within   = [0, 1, 0, 0, 1]   its number among the variants of its row
    #   position = [0, 1, 2, 0, 1]   its place in all templates, one after another
    counts, n_rows = _get_sizes(templates), codes.shape[1]
    starts = np.cumsum(counts) - counts
    if (counts == counts[0]).all():  # the same without counting, which takes most of the time
        rows = np.repeat(np.arange(n_rows), counts[0])
        within = np.tile(np.arange(counts[0]), n_rows)
    else:
        of_row = counts.take(kind)
        rows = np.repeat(np.arange(n_rows), of_row)
        within = np.arange(len(rows)) - (np.cumsum(of_row) - of_row).take(rows)
    position = starts.take(kind.take(rows)) + within
    new = np.hstack([template.codes for template in templates]).astype(codes.dtype)
    made, probability = new.take(position, axis=1), np.vstack([t.probability for t in templates])
    if (new < 0).any():
        made = np.where(made < 0, codes.take(rows, axis=1), made)
    return Variants(n_rows, rows, made, probability.take(position, axis=0))


def count_variants(
    codes: Array, attributes: SensitiveAttributes, p: float, active_sets: ActiveSets
) -> Array:
    """Return the number of variants that `enumerate_variants` lists for each row, (n,)."""
    kind, templates = _make_templates(codes, attributes, p, active_sets)
    return _get_sizes(templates)[kind]


def _get_sizes(templates: Sequence[Template]) -> Array:
    return np.array([len(template.probability) for template in templates])


def _make_templates(
    codes: Array, attributes: SensitiveAttributes, p: float, active_sets: ActiveSets
) -> tuple[Array, list[Template]]:
    """Return the position of each row's template, (n,), and the templates."""
    groups = np.stack([a.groups(own) for a, own in zip(attributes, codes, strict=True)])
    kind = joint_positions(groups)
    return kind, [
        _make_template(groups[:, i].tolist(), attributes, p, active_sets) for i in find_first(kind)
    ]


def _make_template(
    groups: Sequence[int], attributes: SensitiveAttributes, p: float, active_sets: ActiveSets
) -> Template:
    """List the variants of rows that are in these groups, one for each attribute."""
    outcomes = [_list_outcomes(a, g, p) for a, g in zip(attributes, groups, strict=True)]
    found = [_cross([outcomes[j] for j in active]) for active in active_sets]
    codes = np.hstack(
        [
            _fill(active, own, len(groups))
            for active, (own, _) in zip(active_sets, found, strict=True)
        ]
    )
    chances = np.concatenate([chances for _, chances in found])
    scenario = np.repeat(np.arange(len(found)), [len(chances) for _, chances in found])
    moved = (codes >= 0).any(axis=0)
    codes, chances, scenario = codes[:, moved], chances[moved], scenario[moved]
    if len(active_sets) == 1:
        return Template(codes, chances[:, None])
    # A variant of several scenarios is listed once: a b in scenario 0 and b c in scenario 1 are
    # the places 0 1 1 2.
    place = joint_positions(codes)
    first = find_first(place)
    probability = np.zeros((len(first), len(active_sets)))
    probability[place, scenario] = chances
    return Template(codes[:, first], probability)


def _list_outcomes(attribute: Attribute, group: int, p: float) -> tuple[Array, Array]:
    """Return the codes that values of a group may become (-1: they stay), and their chances."""
    if group == NEITHER:
        return np.array([-1]), np.ones(1)
    codes, weights = attribute.targets[group]
    chances = p * weights / weights.sum()
    return (codes, chances) if p == 1 else (np.append(-1, codes), np.append(1 - p, chances))


def _cross(outcomes: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Combine independent outcomes: codes (attributes, k) and chances (k,).

    >>> codes, chances = _cross([([-1, 2], [0.5, 0.5]), ([0, 1], [0.25, 0.75])])
    >>> codes.tolist(), chances.tolist()
    ([[-1, -1, 2, 2], [0, 1, 0, 1]], [0.125, 0.375, 0.125, 0.375])
    """
    (first, chances), *others = outcomes
    codes = np.array([first])
    for new, of_new in others:
        n, k = len(chances), len(of_new)
        codes = np.vstack([np.repeat(codes, k, axis=1), np.tile(new, n)])
        chances = np.repeat(chances, k) * np.tile(of_new, n)
    return codes, chances


def _fill(active: tuple[int, ...], codes: Array, n_attributes: int) -> Array:
    """Return the codes of all attributes, given those of the active ones; the others stay, -1."""
    every = np.full((n_attributes, codes.shape[1]), -1, codes.dtype)
    every[list(active)] = codes
    return every
