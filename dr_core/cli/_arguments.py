"""Parser of the command line on which no value replaces an earlier one silently."""

from __future__ import annotations

import argparse
from typing import Any

__all__ = ["ArgumentParser"]


class ArgumentParser(argparse.ArgumentParser):
    """An argparse parser that joins the values of an option given again, or refuses it.

    Of an option given twice, argparse keeps the last values only, so that a limit would get lost.

    Attributes
    ----------
    given : options that the arguments which are being parsed have so far

    Examples
    --------
    >>> parser = ArgumentParser()
    >>> for name, nargs in {"--limits": "+", "--seed": None}.items():
    ...     option = parser.add_argument(name, nargs=nargs)
    >>> parser.parse_args(["--limits", "a", "--limits", "b", "c"])
    Namespace(limits=['a', 'b', 'c'], seed=None)
    >>> parser.parse_args(["--seed", "1", "--seed", "2"])
    Traceback (most recent call last):
    ValueError: --seed is given twice, and takes one value; leave out one of them.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.given: set[str] = set()
        # argparse looks up None for options without an action of their own.
        self.register("action", None, _Join)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse arguments, of which none is given yet."""
        self.given = set()
        return super().parse_known_args(args, namespace)


class _Join(argparse.Action):
    """Store the values of an option; join several, and refuse a second single one."""

    def __call__(
        self, parser: Any, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        # A default, of the parser or of the namespace, is no value that was given.
        if self.dest in parser.given and self.option_strings:
            if self.nargs != "+":
                raise ValueError(
                    f"{self.option_strings[0]} is given twice, and takes one value; leave out one "
                    "of them."
                )
            values = [*getattr(namespace, self.dest), *values]
        parser.given.add(self.dest)
        setattr(namespace, self.dest, values)
