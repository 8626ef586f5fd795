"""Locate protected attributes in a dataset, and write other values to them.

AIF360 stores a protected attribute twice: in `protected_attributes`, and in the columns of
`features` that the model receives, where it may be scaled or one-hot encoded. A *pattern* is one
protected value together with the values of its feature columns. Patterns are learned from the
rows. A perturbation replaces one pattern with another, so both copies stay consistent for every
encoding of the features.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from aif360.algorithms import Transformer
from aif360.datasets import StructuredDataset

from aif360_dr._couplings import translate_rules
from aif360_dr._groups import Groups, get_privileged_values
from dr_core import SensitiveAttributes, learn_attributes
from dr_core.plugins import (
    Array,
    Rules,
    Table,
    as_table,
    find_copies,
    find_dummies,
    joint_positions,
    quote,
)

__all__ = [
    "Carriers",
    "ProtectedAttribute",
    "check_carried_by",
    "find_carriers",
    "find_columns",
]

MAX_PROTECTED_VALUES = 50
"""A protected attribute with more distinct values is rejected, unless it is a quantity."""

MAX_CARRIER_VALUES = 20
"""With more values for one protected value, a feature probably encodes something else."""

QUANTITIES = "quantities"
"""Key of a dataset's metadata: names of protected attributes of which a range is privileged."""


@dataclass(frozen=True, eq=False)
class ProtectedAttribute:
    """One protected attribute in a dataset.

    Attributes:
        name: Name of the attribute.
        position: Its column in `protected_attributes`.
        columns: Its columns in `features`.
        feature_names: Their names.
        patterns: Array of shape (k, 1 + len(columns)). Each row holds a protected value, followed
            by the values of the columns. The code of a pattern is its position in this array.
        is_privileged: Boolean array of shape (k,).
    """

    name: str
    position: int
    columns: list[int]
    feature_names: list[str]
    patterns: Array
    is_privileged: Array

    @cached_property
    def labels(self) -> list[Any]:
        """Label of each pattern, its protected value, with the features if several share it."""
        values = self.patterns[:, 0].tolist()
        if len(set(values)) == len(values):
            return values
        return [self._describe(value, row) for value, *row in self.patterns.tolist()]

    @property
    def privileged_labels(self) -> list[Any]:
        """Labels of the privileged patterns."""
        return [self.labels[i] for i in np.flatnonzero(self.is_privileged)]

    def read_labels(self, dataset: Any) -> list[Any]:
        """Return the label of each row's pattern."""
        return [self.labels[code] for code in self.encode(dataset)]

    def _describe(self, value: float, row: list[float]) -> str:
        """Return a value with its features: "0 (race=Black)" for a one-hot encoded one."""
        pairs = list(zip(self.feature_names, row, strict=True))
        hot = [name for name, x in pairs if x]
        is_one_hot = len(hot) == 1 and sum(row) == 1
        features = hot if is_one_hot else [f"{name} {x!r}" for name, x in pairs]
        return f"{value:g} ({', '.join(features)})"

    def encode(self, dataset: Any) -> Array:
        """Return the code of each row's pattern, shape (n,)."""
        rows = _read_patterns(dataset, self.position, self.columns)
        k = len(self.patterns)
        # Patterns and rows are numbered together, in the order of first appearance. The k
        # patterns come first, so they get 0 to k - 1, and a row that matches none gets k or more:
        # patterns (0, 0), (1, 1) | rows (1, 1), (0, 0), (2, 2)  ->  0, 1 | 1, 0, 2
        codes = joint_positions(np.vstack([self.patterns, rows]).T)[k:]
        if (codes >= k).any():
            unknown = rows[codes >= k][0].tolist()
            raise ValueError(
                f"protected attribute {self.name!r} has values that were not present when its "
                f"values were learned, such as {unknown}. Pass the whole dataset as domain."
            )
        return codes

    def write(self, dataset: Any, labels: pd.Series) -> None:
        """Write the patterns with these labels to a dataset, in place."""
        codes = pd.Index(self.labels).get_indexer(labels)
        dataset.protected_attributes[:, self.position] = self.patterns[codes, 0]
        dataset.features[:, self.columns] = self.patterns[codes, 1:]


@dataclass(frozen=True, eq=False)
class Carriers:
    """The protected attributes to perturb, and the features that carry them.

    Attributes:
        protected: One `ProtectedAttribute` for each attribute.
        attributes: The same attributes for `dr_core`. Their values are the labels of patterns,
            and their couplings hold the features that follow them.
    """

    protected: list[ProtectedAttribute]
    attributes: SensitiveAttributes

    @property
    def followers(self) -> list[str]:
        """Names of the features that follow the attributes."""
        return self.attributes.couplings.columns

    def check_visible_to(self, estimator: Any) -> None:
        """Raise ValueError if the estimator does not receive one of the attributes.

        Algorithms of AIF360 receive the whole dataset, and so every attribute. An estimator
        that was fitted on a DataFrame receives the features that this had.
        """
        if not getattr(estimator, "reads_only_features", not isinstance(estimator, Transformer)):
            return
        first = estimator[0] if isinstance(estimator, list | tuple) else estimator
        seen = getattr(first, "feature_names_in_", None)
        for attribute in self.protected:
            carriers = attribute.feature_names
            if not carriers or (seen is not None and not set(carriers) & set(seen)):
                raise ValueError(_describe_hidden(attribute.name, carriers))

    def frame(self, dataset: Any, *, all_features: bool = False) -> pd.DataFrame:
        """Return the patterns of each attribute by label, and the features that follow them.

        The index holds the positions of the rows.

        Args:
            dataset: Dataset with the features of that the patterns were learned from.
            all_features: Whether to add the features that carry and follow no attribute.
        """
        names = _find_other_features(dataset, self.protected) if all_features else self.followers
        return _make_frame(dataset, self.protected, names)

    def variant(self, dataset: Any, frame: pd.DataFrame) -> Any:
        """Return the rows of a dataset at the frame's index, with the frame's patterns."""
        variant = dataset.subset(frame.index.to_numpy())
        self.write(variant, frame)
        return variant

    def write(self, dataset: Any, frame: pd.DataFrame) -> None:
        """Write the frame's patterns to a dataset of the same length, in place."""
        for attribute in self.protected:
            attribute.write(dataset, frame[attribute.name])
        for name in self.followers:
            dataset.features[:, dataset.feature_names.index(name)] = frame[name]


def find_carriers(
    dataset: StructuredDataset,
    privileged_groups: Groups | None = None,
    *,
    perturb: Sequence[str] | None = None,
    carried_by: Mapping[str, Sequence[str]] | None = None,
    coupled: Rules | None = None,
) -> Carriers:
    """Locate the protected attributes of a dataset, and learn their values.

    Args:
        dataset: Dataset to learn the values from.
        privileged_groups: See `get_privileged_values`.
        perturb: See `get_privileged_values`.
        carried_by: Names of the features that carry an attribute, by the name of the attribute.
            Features named like the attribute, or `attribute=value`, are found without it.
        coupled: Rules for features that follow an attribute, see `perturb_dataset`.

    Examples:
        >>> from aif360_dr.examples import hiring
        >>> race = find_carriers(hiring()).protected[1]
        >>> race.name, race.patterns.tolist(), race.is_privileged.tolist()
        ('race', [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], [False, True, False])
    """
    privileged = get_privileged_values(dataset, privileged_groups, perturb)
    check_carried_by(dataset, carried_by)
    quantities = dataset.metadata.get(QUANTITIES, ())
    protected = [
        _learn_protected(dataset, name, values, find_columns(dataset, name, carried_by))
        for name, values in privileged.items()
    ]
    # Values of a quantity are drawn as often as rows have them, others equally often.
    domain = {
        each.name: each.read_labels(dataset) if each.name in quantities else each.labels
        for each in protected
    }
    labels = {
        each.name: frozenset(each.privileged_labels).__contains__
        if each.name in quantities
        else each.privileged_labels
        for each in protected
    }
    known = {*_warn_of_dummies(dataset, protected), *(coupled or {})}
    undecided = [each for each in protected if each.name not in (carried_by or {})]
    _warn_of_copies(dataset, protected, undecided, known)
    _warn_of_other_features(dataset, protected, carried_by or {})
    # The domain defines all values, so a frame of one row is enough unless features follow.
    frame, rules = pd.DataFrame({name: values[:1] for name, values in domain.items()}), None
    if coupled:
        frame = _make_frame(dataset, protected, _find_other_features(dataset, protected))
        patterns = {c.name: dict(zip(c.labels, c.patterns[:, 0], strict=True)) for c in protected}
        rules = translate_rules(coupled, dataset, patterns)
    return Carriers(protected, learn_attributes(frame, labels, domain=domain, coupled=rules))


def _warn_of_dummies(dataset: StructuredDataset, protected: list[ProtectedAttribute]) -> list[str]:
    """Warn if the 0/1 feature of a protected attribute encodes it together with others.

    Perturbing `white` alone, beside `black` and `hispan`, makes rows of no race or of two. Return
    the features that are named.
    """
    names = [
        each.name
        for each in protected
        if each.feature_names == [each.name] and set(each.patterns[:, 1]) == {0.0, 1.0}
    ]
    found = find_dummies(_as_table(dataset), dataset.feature_names, names) if names else {}
    for name, group in found.items():
        warnings.warn(
            f"the protected attribute {name!r} is one of the 0/1 features {quote(group)}, of "
            f"which no two are 1 in the same row. If they encode one attribute, perturbing "
            f"{name!r} alone makes rows with none or two of its values: make it one protected "
            "attribute with a code for each value, and pass "
            f"carried_by={{its name: [{quote(group)}]}}.",
            stacklevel=4,
        )
    return [feature for group in found.values() for feature in group]


def _warn_of_copies(
    dataset: StructuredDataset,
    protected: list[ProtectedAttribute],
    undecided: list[ProtectedAttribute],
    known: Collection[str],
) -> None:
    """Warn if features depend on a protected attribute alone, so that they may carry it, too.

    Args:
        dataset: Dataset.
        protected: All attributes, whose own features are left out.
        undecided: Attributes to look at.
        known: Further features to leave out.
    """
    table = _as_table(dataset)
    others = [name for name in _find_other_features(dataset, protected) if name not in known]
    for each in undecided:
        found = find_copies(table, others, each.encode(dataset))
        if found:
            warnings.warn(
                f"features {quote(found)} have one value for each value of the protected "
                f"attribute {each.name!r}, and may carry it, too. They stay unchanged when "
                f"{each.name!r} is perturbed, so that discriminative risk can be far too low. If "
                "they carry it, pass "
                f"carried_by={{{each.name!r}: [{quote([*each.feature_names, *found])}]}}.",
                stacklevel=4,
            )


def _as_table(dataset: StructuredDataset) -> Table:
    return as_table(pd.DataFrame(dataset.features, columns=dataset.feature_names))


def _warn_of_other_features(
    dataset: StructuredDataset,
    protected: list[ProtectedAttribute],
    carried_by: Mapping[str, Sequence[str]],
) -> None:
    """Warn if a feature of `carried_by` has many values that do not tell the protected ones apart.

    If it has only few values, it may be one of several one-hot features.
    """
    for attribute in protected:
        values = dataset.protected_attributes[:, attribute.position]
        for name in carried_by.get(attribute.name, ()):
            column = dataset.features[:, dataset.feature_names.index(name)]
            n_values = _count_mixed_values(column, values)
            if n_values > MAX_CARRIER_VALUES:
                warnings.warn(
                    f"carried_by[{attribute.name!r}] has the feature {name!r}, which has up to "
                    f"{n_values} values in rows with the same value of {attribute.name!r}, mixed "
                    "with those of other rows. Perturbed rows get any of them. If it does not "
                    "encode the attribute, leave it out; if it only follows the attribute, use "
                    "coupled.",
                    stacklevel=4,
                )


def _count_mixed_values(column: Array, protected: Array) -> int:
    """Return the most values of a feature that rows of one protected value have.

    0 if each protected value has a range of the feature for itself, as with years of age and
    the protected attribute "at least 25".

    >>> _count_mixed_values(np.array([20, 24, 25, 60]), np.array([0, 0, 1, 1]))
    0
    >>> _count_mixed_values(np.array([20, 24, 24, 60]), np.array([0, 0, 1, 1]))
    2
    """
    pairs = np.unique(np.column_stack([column, protected]), axis=0)
    # In the order of the feature, the protected values of the first example are 0 0 1 1: they
    # change once, as two values must. In the second they are 0 0 1 1 too, but 24 has both.
    _, counts = np.unique(pairs[:, 1], return_counts=True)
    n_changes = np.count_nonzero(np.diff(pairs[:, 1]))
    has_both = len(np.unique(pairs[:, 0])) < len(pairs)
    return int(counts.max()) if has_both or n_changes >= len(counts) else 0


def check_carried_by(
    dataset: StructuredDataset, carried_by: Mapping[str, Sequence[str]] | None
) -> None:
    """Raise an error unless `carried_by` maps protected attributes to lists of features.

    Examples:
        >>> from aif360_dr.examples import hiring
        >>> check_carried_by(hiring(), {"gender": ["years"]})
        Traceback (most recent call last):
        ValueError: carried_by names 'gender', which is not a protected attribute of the dataset; \
        it has 'sex', 'race'.
    """
    if not isinstance(carried_by or {}, Mapping):
        raise TypeError(
            "carried_by must be a dict of lists of features by protected attribute, such as "
            f"{{'sex': ['is_male']}}; got {carried_by!r}."
        )
    known = dataset.protected_attribute_names
    unknown = [name for name in carried_by or {} if name not in known]
    if unknown:
        raise ValueError(
            f"carried_by names {quote(unknown)}, which is not a protected attribute of the "
            f"dataset; it has {quote(known)}."
        )
    for name, features in (carried_by or {}).items():
        if isinstance(features, str) or not isinstance(features, Sequence):
            raise TypeError(
                f"carried_by[{name!r}] must be a list of features, such as ['is_male']; got "
                f"{features!r}."
            )
        _check_are_features(dataset, features)


def _check_are_features(dataset: Any, names: Sequence[str]) -> None:
    unknown = [name for name in names if name not in dataset.feature_names]
    if unknown:
        raise ValueError(
            f"carried_by names {quote(unknown)}, which is not a feature of the dataset; use "
            "names from dataset.feature_names."
        )


def _describe_hidden(name: str, carriers: list[str]) -> str:
    start = f"no feature carries protected attribute {name!r}"
    if carriers:
        start = f"the model was fitted without {quote(carriers)}, which carries {name!r}"
    return (
        f"{start}: an estimator that does not receive it has discriminative risk 0 by "
        "definition. If features carry it under other names, pass "
        f"carried_by={{{name!r}: [...]}}; to perturb other attributes only, pass perturb=[...]."
    )


def find_columns(
    dataset: StructuredDataset, name: str, carried_by: Mapping[str, Sequence[str]] | None = None
) -> list[int]:
    """Return the positions of the features that carry a protected attribute.

    Examples:
        >>> from aif360_dr.examples import hiring
        >>> find_columns(hiring(), "race")
        [1]
    """
    given = (carried_by or {}).get(name, ())
    return [
        i
        for i, column in enumerate(dataset.feature_names)
        if column == name or column in given or column.startswith(f"{name}=")
    ]


def _find_other_features(dataset: Any, protected: list[ProtectedAttribute]) -> list[str]:
    carrying = {i for attribute in protected for i in attribute.columns}
    return [name for i, name in enumerate(dataset.feature_names) if i not in carrying]


def _make_frame(
    dataset: Any, protected: list[ProtectedAttribute], features: Sequence[str]
) -> pd.DataFrame:
    patterns = {
        attribute.name: np.array(attribute.labels)[attribute.encode(dataset)]
        for attribute in protected
    }
    columns = {name: dataset.features[:, dataset.feature_names.index(name)] for name in features}
    return pd.DataFrame(patterns | columns)


def _learn_protected(
    dataset: Any, name: str, privileged: list[float], columns: list[int]
) -> ProtectedAttribute:
    position = dataset.protected_attribute_names.index(name)
    rows = _read_patterns(dataset, position, columns)
    _check_no_missing_protected(rows, name)
    patterns = np.unique(rows[_find_first_rows(rows)], axis=0)
    patterns = np.vstack([patterns, _make_unobserved_patterns(dataset, position, patterns)])
    is_privileged = np.isin(patterns[:, 0], privileged)
    names = [dataset.feature_names[i] for i in columns]
    attribute = ProtectedAttribute(name, position, columns, names, patterns, is_privileged)
    _check_protected_values(attribute, privileged, name in dataset.metadata.get(QUANTITIES, ()))
    return attribute


def _read_patterns(dataset: Any, position: int, columns: list[int]) -> Array:
    return np.column_stack(
        [dataset.protected_attributes[:, position], dataset.features[:, columns]]
    )


def _find_first_rows(rows: Array) -> Array:
    """Return the position of the first row of each distinct pattern."""
    return np.unique(joint_positions(rows.T), return_index=True)[1]


def _make_unobserved_patterns(dataset: Any, position: int, patterns: Array) -> Array:
    """Return patterns for values that the dataset declares, but that no row has."""
    declared = np.concatenate(
        [
            np.ravel(dataset.privileged_protected_attributes[position]),
            np.ravel(dataset.unprivileged_protected_attributes[position]),
        ]
    )
    # If the feature always equals the protected value, an unobserved value has a known pattern:
    # declared 0, 1, 2 and patterns (0, 0), (1, 1)  ->  (2, 2). How a scaled or one-hot encoded
    # feature would look for it is unknown, so no pattern is added there.
    is_identity = patterns.shape[1] <= 2 and (patterns == patterns[:, :1]).all()
    unobserved = np.setdiff1d(declared, patterns[:, 0]) if is_identity else np.empty(0)
    return np.repeat(unobserved[:, None], patterns.shape[1], axis=1)


def _check_no_missing_protected(rows: Array, name: str) -> None:
    count = int(np.isnan(rows).any(axis=1).sum())
    if count:
        raise ValueError(
            f"protected attribute {name!r} or a feature that carries it is missing in {count} "
            f"of {len(rows)} rows. Fill or drop them."
        )


def _check_protected_values(
    attribute: ProtectedAttribute, privileged: list[float], is_quantity: bool
) -> None:
    values = np.unique(attribute.patterns[:, 0]).tolist()
    unknown = [value for value in privileged if value not in values]
    if unknown:
        raise ValueError(
            f"privileged value {quote(unknown)} of {attribute.name!r} is not in the dataset, "
            f"which has {quote(values)}."
        )
    if attribute.is_privileged.all():
        raise ValueError(
            f"every value of {attribute.name!r} is privileged ({quote(values)}), so there is no "
            "value to perturb it to. Leave it out of privileged_groups, or pass a dataset that "
            "has all its values as domain."
        )
    if len(values) > MAX_PROTECTED_VALUES and not is_quantity:
        raise ValueError(
            f"protected attribute {attribute.name!r} has {len(values)} distinct values. Bin it "
            "first; or, if a range of it is privileged, list it in the dataset's "
            f"metadata[{QUANTITIES!r}], as to_aif360 does for at_least(25)."
        )
