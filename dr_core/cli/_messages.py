"""Error messages of the library, with the options of the command instead of Python's arguments."""

from __future__ import annotations

import re

from dr_core.perturbation import LEARNED

__all__ = ["advise_options"]

NAMES = {
    "n_boot": "--n-boot",
    "random_state": "--seed",
    "individuals": "--individuals",
    "max_risk": "--max-risk",
    "max_gap": "--max-gap",
    "tolerance": "--tolerance",
    "coupled": "--coupled",
    "favorable": "--favorable",
    "chunk_size": "--chunk-rows",
}
"""Options by the arguments that they set."""

ARGUMENT = re.compile(rf"(?<![\w'\"-])({'|'.join(NAMES)})(?=:| must| has | needs|\[)")
"""An argument as the subject of a message; a quoted name is one of the data."""

ADVICE = [
    (
        rf"replace it by None, and drop these rows\. Functions of .*?: pass {LEARNED}",
        "leave these cells of the file empty, and pass --missing drop or --missing keep",
    ),
    (
        r"Fit the model without such columns, or (let them|fill the).*$",
        "Leave such columns out of the model and the data (--drop), or let them change with the "
        "attribute (--coupled RULES.json).",
    ),
    (rf"Fill or drop them, or leave.*?{LEARNED}", "Pass --missing drop or --missing keep"),
    (
        r"Pass a range, such as \{'(.*?)': at_least\('?(.*?)'?\)\}; or.*?" + LEARNED + r"\.",
        r"Pass a range, such as --privileged '\1>=\2'.",
    ),
    (
        r"Pass a range, such as \{'(.*?)': lambda value: value ([<>]) (.*?)\}; or.*?"
        + LEARNED
        + r"\.",
        r"Pass a range, such as --privileged '\1\2=\3'.",
    ),
    (
        r"Pass a range, such as \{'(.*?)': between\(low, high\)\}; or.*?" + LEARNED + r"\.",
        r"Pass a range, such as --privileged '\1>=NUMBER'.",
    ),
    (rf"(: pass another range), or {LEARNED}\.", r"\1."),
    (
        r" Write the values as they are in X\. If X only lacks them.*?has them\.",
        " Rules can name only values of the file.",
    ),
    (rf"Leave it out, or pass all its values: {LEARNED}\.", "Leave it out."),
    (r"privileged\['(.*?)'\]( is|,) at_least\((.*?)\)", r"--privileged '\1>=\3'\2 a range"),
    (r"privileged\['(.*?)'\]( is|,) at_most\((.*?)\)", r"--privileged '\1<=\3'\2 a range"),
    (r"privileged\['(.*?)'\]", r"--privileged \1"),
    (r'Use method="sample", or fewer', "Name fewer"),
    (r"attributes at a time\.", "columns with --privileged at a time."),
    (r"; or, if these are different classes, pass all of them as labels", ""),
    (r"Give (y|both) the (same )?labels", "Give the label column the labels"),
    (r"Pass a function that returns the decision.*$", "Save a model whose predict returns it."),
    (r"pass its distribution, RandomizedModel\(.*?\), or fix its seed", "fix its seed"),
    (r"pass a model that decides about each", "save a model that decides about each"),
    (
        r"pass X as the model sees it, with the column",
        "pass the file that it sees, with the column",
    ),
    (r"; or a function that returns decisions, such as lambda .*$", "."),
    (r"; pass an object with predict\(X\), or a function.*$", "; save one with predict(X)."),
    (
        r"If they are quantities, use assess_risk\(.*?\)\.",
        "If they are quantities, leave out --favorable.",
    ),
    (r", or pass a function from[^.]*\.", "."),
    (rf"; learn them from more rows: {LEARNED}", ""),
    (r"They count as different values; if they.*$", "Unify the spelling with --normalize."),
    (r"; or use assess_shift.*$", "."),
    (r"(Feature names unseen at fit time: .*)$", r"\1. Leave these columns out with --drop."),
]
"""Advice for Python, and what to do on the command line."""


def advise_options(message: str) -> str:
    """Return a message that advises options of the command, not arguments of functions.

    Examples
    --------
    >>> advise_options("n_boot must be an integer of at least 0; got -1.")
    '--n-boot must be an integer of at least 0; got -1.'
    >>> advise_options("sensitive attribute 'n_boot' has one value.")
    "sensitive attribute 'n_boot' has one value."
    """
    for python, option in ADVICE:
        message = re.sub(python, option, message)
    return ARGUMENT.sub(lambda found: NAMES[found[1]], message).strip()
