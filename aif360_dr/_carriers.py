"""Where a dataset carries its protected attributes, and how to write other values there.

AIF360 keeps protected attributes twice: in `protected_attributes`, and in the columns of
`features` that the model sees, where they may be scaled, or one-hot encoded. What belongs
together is learned from the rows: a *pattern* is one protected value together with what its
feature columns hold. A perturbation replaces one pattern by another, so both stay in step
however the features were encoded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from aif360.algorithms import Transformer
from aif360.datasets import StructuredDataset

from aif360_dr._couplings import on_patterns
from aif360_dr._groups import Groups, privileged_values
from dr_core import SensitiveAttributes, learn_attributes
from dr_core.plugins import Array, Rules, joint_positions, listed

__all__ = ["Carrier", "Carriers", "carrying_columns", "find_carriers"]

MOST_VALUES = 50
"""A protected attribute with more distinct values is taken for a quantity."""


@dataclass(frozen=True, eq=False)
class Carrier:
    """One protected attribute in a dataset.

    Attributes:
        name: Name of the attribute.
        position: Its column in `protected_attributes`.
        columns: Its columns in `features`.
        patterns: Array of shape (k, 1 + len(columns)): each protected value with what the columns
            hold; codes are positions in it.
        is_privileged: Bool array of shape (k,).
    """

    name: str
    position: int
    columns: list[int]
    patterns: Array
    is_privileged: Array

    def codes(self, dataset: Any) -> Array:
        """Read which pattern each row has, shape (n,)."""
        rows = _read(dataset, self.position, self.columns)
        k = len(self.patterns)
        codes = joint_positions(np.vstack([self.patterns, rows]).T)[k:]
        if (codes >= k).any():
            unknown = rows[codes >= k][0].tolist()
            raise ValueError(
                f"protected attribute {self.name!r} has values that it did not have where its "
                f"values were learned, such as {unknown}. Pass the whole dataset as domain."
            )
        return codes

    def write(self, dataset: Any, codes: Array) -> None:
        """Write patterns into a dataset, in place."""
        dataset.protected_attributes[:, self.position] = self.patterns[codes, 0]
        dataset.features[:, self.columns] = self.patterns[codes, 1:]


@dataclass(frozen=True, eq=False)
class Carriers:
    """All protected attributes that are perturbed.

    Attributes:
        all: One `Carrier` for each attribute.
        attributes: The same for `dr_core`; their values are the codes of the patterns. Features
            that follow them are among its couplings.
    """

    all: list[Carrier]
    attributes: SensitiveAttributes

    @property
    def followers(self) -> list[str]:
        """Names of the features that follow the attributes."""
        return self.attributes.couplings.columns

    def require_features(self, estimator: Any) -> None:
        """Refuse an estimator that never sees an attribute; algorithms of AIF360 always do."""
        unseen = [carrier.name for carrier in self.all if not carrier.columns]
        if unseen and not isinstance(estimator, Transformer):
            raise ValueError(
                f"no feature carries protected attribute {unseen[0]!r}: an estimator that never "
                "sees it has discriminative risk 0 by definition. If features carry it under "
                f"other names, pass carried_by={{{unseen[0]!r}: [...]}}."
            )

    def frame(self, dataset: Any) -> pd.DataFrame:
        """Codes of the patterns, one column an attribute, and the features that follow them.

        The index tells the row.
        """
        codes = {carrier.name: carrier.codes(dataset) for carrier in self.all}
        return pd.DataFrame(codes | _features(dataset, self.followers))

    def variant(self, dataset: Any, frame: pd.DataFrame) -> Any:
        """Rows of a dataset, as the index of the frame tells, with the frame's patterns."""
        variant = dataset.subset(frame.index.to_numpy())
        self.write(variant, frame)
        return variant

    def write(self, dataset: Any, frame: pd.DataFrame) -> None:
        """Write the frame's patterns into a dataset that has as many rows, in place."""
        for carrier in self.all:
            carrier.write(dataset, frame[carrier.name].to_numpy())
        for name in self.followers:
            dataset.features[:, dataset.feature_names.index(name)] = frame[name]


def find_carriers(
    dataset: StructuredDataset,
    privileged_groups: Groups | None = None,
    *,
    carried_by: Mapping[str, Sequence[str]] | None = None,
    coupled: Rules | None = None,
) -> Carriers:
    """Learn where a dataset carries its protected attributes, and their values.

    Args:
        dataset: Where values are learned.
        privileged_groups: See `privileged_values`.
        carried_by: Names of the features that carry an attribute, by the name of the attribute,
            for those that are called neither like it nor `attribute=value`.
        coupled: Rules for features that follow an attribute, see `aif360_dr.couplings`.

    Examples:
        >>> from aif360_dr.examples import hiring
        >>> race = find_carriers(hiring()).all[1]
        >>> race.name, race.patterns.tolist(), race.is_privileged.tolist()
        ('race', [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], [False, True, False])
    """
    privileged = privileged_values(dataset, privileged_groups)
    carriers = [
        _learn(dataset, name, values, carrying_columns(dataset, name, carried_by))
        for name, values in privileged.items()
    ]
    domain = {carrier.name: range(len(carrier.patterns)) for carrier in carriers}
    codes = {carrier.name: np.flatnonzero(carrier.is_privileged).tolist() for carrier in carriers}
    frame = pd.DataFrame({name: [0] for name in domain})
    if not coupled:
        return Carriers(carriers, learn_attributes(frame, codes, domain=domain))
    carrying = {i for carrier in carriers for i in carrier.columns}
    others = [name for i, name in enumerate(dataset.feature_names) if i not in carrying]
    frame = pd.DataFrame(
        {carrier.name: carrier.codes(dataset) for carrier in carriers} | _features(dataset, others)
    )
    rules = on_patterns(coupled, dataset, {c.name: c.patterns[:, 0] for c in carriers})
    return Carriers(carriers, learn_attributes(frame, codes, domain=domain, coupled=rules))


def _features(dataset: Any, names: Sequence[str]) -> dict[str, Array]:
    return {name: dataset.features[:, dataset.feature_names.index(name)] for name in names}


def carrying_columns(
    dataset: StructuredDataset, name: str, carried_by: Mapping[str, Sequence[str]] | None = None
) -> list[int]:
    """Positions of the features that carry a protected attribute.

    Examples:
        >>> from aif360_dr.examples import hiring
        >>> carrying_columns(hiring(), "race")
        [1]
    """
    given = (carried_by or {}).get(name, ())
    unknown = [column for column in given if column not in dataset.feature_names]
    if unknown:
        raise ValueError(f"carried_by names {listed(unknown)}, which the dataset has not.")
    return [
        i
        for i, column in enumerate(dataset.feature_names)
        if column == name or column in given or column.startswith(f"{name}=")
    ]


def _learn(dataset: Any, name: str, privileged: list[float], columns: list[int]) -> Carrier:
    position = dataset.protected_attribute_names.index(name)
    rows = _read(dataset, position, columns)
    _refuse_missing(rows, name)
    patterns = np.unique(rows[_first_rows(rows)], axis=0)
    patterns = np.vstack([patterns, _unobserved(dataset, position, patterns)])
    carrier = Carrier(name, position, columns, patterns, np.isin(patterns[:, 0], privileged))
    _check_values(carrier, privileged)
    return carrier


def _read(dataset: Any, position: int, columns: list[int]) -> Array:
    return np.column_stack(
        [dataset.protected_attributes[:, position], dataset.features[:, columns]]
    )


def _first_rows(rows: Array) -> Array:
    return np.unique(joint_positions(rows.T), return_index=True)[1]


def _unobserved(dataset: Any, position: int, patterns: Array) -> Array:
    """Patterns of values that the dataset declares but does not show, where they are plain."""
    declared = np.concatenate(
        [
            np.ravel(dataset.privileged_protected_attributes[position]),
            np.ravel(dataset.unprivileged_protected_attributes[position]),
        ]
    )
    plain = patterns.shape[1] <= 2 and (patterns == patterns[:, :1]).all()
    lacking = np.setdiff1d(declared, patterns[:, 0]) if plain else np.empty(0)
    return np.repeat(lacking[:, None], patterns.shape[1], axis=1)


def _refuse_missing(rows: Array, name: str) -> None:
    count = int(np.isnan(rows).any(axis=1).sum())
    if count:
        raise ValueError(
            f"protected attribute {name!r} is missing in {count} of {len(rows)} rows. Fill or "
            "drop them."
        )


def _check_values(carrier: Carrier, privileged: list[float]) -> None:
    values = np.unique(carrier.patterns[:, 0]).tolist()
    unknown = [value for value in privileged if value not in values]
    if unknown:
        raise ValueError(
            f"privileged value {listed(unknown)} of {carrier.name!r} is not in the dataset, "
            f"which has {listed(values)}."
        )
    if carrier.is_privileged.all():
        raise ValueError(
            f"every value of {carrier.name!r} is privileged ({listed(values)}): there is nothing "
            "to perturb it into. Leave it out of privileged_groups, or pass a dataset that has "
            "all its values as domain."
        )
    if len(values) > MOST_VALUES:
        raise ValueError(
            f"protected attribute {carrier.name!r} has {len(values)} distinct values; bin it "
            "first."
        )
