"""What happens in a part of the rows, wherever it lies; its errors name the part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sklearn.exceptions import NotFittedError

from dr_core._tables._parts import Function, Partition
from dr_core._tables._table import Table, as_table
from dr_core._utils import listed

__all__ = ["NAMED", "Visit", "length", "naming"]

NAMED = "partition "
"""How errors that name a part begin."""


@dataclass(frozen=True, eq=False)
class Visit:
    """What is done with a part, wherever it lies.

    Attributes
    ----------
    function : takes a Partition
    dtypes : columns that the part must have, and their types
    named : columns that go with the rows, by name, and that the model does not see
    """

    function: Function
    dtypes: Mapping[Any, Any]
    named: Mapping[str, str]

    def __call__(
        self, number: int, rows: slice | None, frame: Any, columns: dict[str, Any]
    ) -> Any:
        """Return what the function says of the part; None for a part without rows."""
        with naming(number):
            if rows is not None and length(frame) != rows.stop - rows.start:
                raise ValueError(
                    f"it has {length(frame)} rows, where it had {rows.stop - rows.start} in the "
                    "first pass. X must give the same rows each time it is gone through."
                )
            if not length(frame):
                return None
            table = as_table(frame)
            _check_alike(table, self.dtypes)
            if rows is not None:  # the first pass knows some of the columns only
                _check_no_others(table, self.dtypes)
            named = {key: table.column(name) for key, name in self.named.items()}
            seen = table.drop(set(self.named.values())) if named else table
            start = 0 if rows is None else rows.start
            return self.function(Partition(start, seen, {**columns, **named}))


@contextmanager
def naming(number: int) -> Iterator[None]:
    """Say of every error in here which partition it is about."""
    try:
        yield
    except NotFittedError:
        raise
    except (ValueError, TypeError) as error:
        if str(error).startswith(NAMED):
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{NAMED}{number} (counted from 0): {error}") from error
    except Exception as error:
        error.add_note(f"This happened in {NAMED}{number} (counted from 0).")
        raise


def _check_alike(table: Table, dtypes: Mapping[Any, Any]) -> None:
    found = table.dtypes
    lacking = [key for key in dtypes if key not in found]
    if lacking:
        raise ValueError(f"column {listed(lacking)} is missing; there are {listed(found)}.")
    for key, dtype in dtypes.items():
        if found[key] != dtype:
            raise ValueError(
                f"column {key!r} has dtype {found[key]}, but {dtype} elsewhere. Give all "
                "partitions the same dtypes."
            )
    keys = [key for key in found if key in dtypes]
    if keys != list(dtypes):
        raise ValueError(f"columns stand in another order: {listed(keys)}.")


def _check_no_others(table: Table, dtypes: Mapping[Any, Any]) -> None:
    others = [key for key in table.dtypes if key not in dtypes]
    if others:
        raise ValueError(
            f"column {listed(others)} is not in other partitions, which have {listed(dtypes)}. "
            "Give all partitions the same columns."
        )


def length(frame: Any) -> int:
    """Return the number of rows of a frame, which may be 0."""
    return len(frame) if hasattr(frame, "__len__") else as_table(frame).n_rows
