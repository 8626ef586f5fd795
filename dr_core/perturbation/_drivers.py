"""What moves a coupled column: the new value of its driver replaces or computes its values.

A driver is a sensitive attribute, or another coupled column; see `_couplings`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from dr_core._tables import factorize
from dr_core._utils import Array, quote

if TYPE_CHECKING:
    from dr_core.perturbation._couplings import Coupling

__all__ = ["CallingDriver", "Driver", "Function", "Replacements", "ReplacingDriver"]

Replacements = Mapping[Any, Mapping[Any, Any]]
"""{new value of the driver: {old value of the column: new value}}."""

Function = Callable[[Any, Any], Any]
"""From the new value of the driver and the old value of the column to its new value."""


class ReplacingDriver(NamedTuple):
    """An attribute or a coupled column whose new value replaces values of another column.

    Attributes
    ----------
    name : hashable
    position : int
        Position among the sensitive attributes followed by the couplings.
    transitions : array of shape (values of the driver + 1, values of the column + 1)
        `transitions[d, c]` is the new code of a column with code c whose driver changed to code d.
        The last row and the last column are those of code -1.
    """

    name: Any
    position: int
    transitions: Array

    def move(
        self, coupling: Coupling, domain: Sequence[Any], now: Array, codes: Array
    ) -> tuple[Coupling, Array]:
        """Return the column, and its new codes; see `Couplings.follow`.

        Parameters
        ----------
        coupling : Coupling
        domain : values of the driver
        now : (k,) codes of the driver, all of which have changed
        codes : (k,) codes of the column
        """
        return coupling, self.transitions[now, codes]


class CallingDriver(NamedTuple):
    """An attribute or a coupled column from whose new value a function computes another column.

    Attributes
    ----------
    name : hashable
    position : int
        Position among the sensitive attributes followed by the couplings.
    function : Function
    """

    name: Any
    position: int
    function: Function

    def move(
        self, coupling: Coupling, domain: Sequence[Any], now: Array, codes: Array
    ) -> tuple[Coupling, Array]:
        """Return the column with the values that the function returns, and its new codes.

        Parameters are those of `ReplacingDriver.move`. The function is called once for each pair
        of values that occurs.
        """
        new, some = codes.copy(), np.flatnonzero(codes >= 0)  # a missing value stays
        # Pairs of values are numbered: of a column with 3 values, the pair (1, 2) is 1 * 3 + 2.
        values, n_values = coupling.values, len(coupling.values)
        pairs = factorize(now[some].astype(np.int64) * n_values + codes[some])
        found = self.call(
            coupling.name,
            [(domain[pair // n_values], values[pair % n_values]) for pair in pairs.values],
        )
        coupling, of_pairs = coupling.add_values(found)
        new[some] = of_pairs[pairs.codes]
        return coupling, new

    def call(self, column: Any, pairs: Sequence[tuple[Any, Any]]) -> list[Any]:
        """Return what the function returns for pairs of a value of the driver and of the column.

        Raise ValueError if it fails, or if it returns no value of a column.
        """
        found: list[Any] = []
        try:
            for value, own in pairs:
                found.append(self.function(value, own))
        except Exception as error:
            raise ValueError(
                f"coupled[{column!r}][{self.name!r}] must be a function of the new value of "
                f"{self.name!r} and the value of {column!r}; for {quote(pairs[len(found)])} it "
                f"raised {type(error).__name__}: {error}."
            ) from error
        self._check_are_values(column, pairs, found)
        return found

    def _check_are_values(
        self, column: Any, pairs: Sequence[tuple[Any, Any]], found: list[Any]
    ) -> None:
        is_wrong = pd.Series(found, dtype=object).isna().to_numpy()
        if not all(issubclass(one, Hashable) for one in set(map(type, found))):
            is_wrong = is_wrong | [not isinstance(one, Hashable) for one in found]
        if is_wrong.any():
            wrong = int(is_wrong.argmax())
            raise ValueError(
                f"coupled[{column!r}][{self.name!r}] must return a value of the column; for "
                f"{quote(pairs[wrong])} it returned {found[wrong]!r}."
            )


Driver = ReplacingDriver | CallingDriver
