"""Coupled columns and plausibility against the textbook's row-by-row versions, on 30,000 rows.

The plausibility of 1,000,000 rows is measured against their assessment.

python -m benchmarks.speed.couplings
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from benchmarks.speed.measure import print_table, seconds
from dr_core import assess_risk, datasets, enumerate_perturbations, learn_attributes, perturb

sys.path.append(str(Path(__file__).parents[2] / "tests" / "shared"))

ROWS = 30_000
MANY_ROWS = 1_000_000
FEW_ROWS = 300
"""A model asked about single rows takes long; a hundredth of it is measured."""

COLUMNS = ["education", "relationship", "race", "sex"]
RULES = {"relationship": {"sex": {"Female": {"Husband": "Wife"}, "Male": {"Wife": "Husband"}}}}
PRIVILEGED = {"race": ["White"], "sex": ["Male"]}


def main():
    income = datasets.load("income")
    X, y = income.data[COLUMNS].head(ROWS), income.target.head(ROWS)
    print_table(
        f"{len(X):,} rows of income, rules for husbands and wives",
        ("what", "textbook s", "ours s", "ratio", "at least"),
        [*on_tables(X), on_numbers(X, y), *on_dictionaries(X)],
    )
    print_table(
        f"{MANY_ROWS:,} rows, 2 attributes, 9 columns, a tree of depth 5",
        ("what", "assessment s", "plausibility s", "ratio", "at least"),
        [on_many_rows()],
    )


def on_tables(X):
    """A frame in, a frame or a result out."""
    from textbook import couplings as textbook

    domains = {name: sorted(X[name].unique()) for name in PRIVILEGED}
    yield timed(
        "perturb sex, frame to frame",
        lambda: textbook.perturb_frame(X, domains, {"sex": ["Male"]}, RULES),
        lambda: perturb(X, learn_attributes(X, {"sex": "Male"}, coupled=RULES)),
    )
    rows = X.to_dict("records")
    risk = assess_risk(
        studied, X, learn_attributes(X, PRIVILEGED, coupled=RULES), each_attribute=False
    )
    yield timed(
        "plausibility",
        lambda: textbook.plausibility(studied, rows, domains, PRIVILEGED, RULES),
        risk.plausibility,
    )


def on_numbers(X, y):
    """The exact risk of a fitted tree, asked about one row at a time or about all."""
    from textbook import couplings as textbook

    codes = X.apply(lambda column: column.astype("category").cat.codes.astype(int))
    code = {name: X[name].astype("category").cat.categories.get_loc for name in COLUMNS}
    female, male = (code["sex"](value) for value in ("Female", "Male"))
    husband, wife = (code["relationship"](value) for value in ("Husband", "Wife"))
    rules = {"relationship": {"sex": {female: {husband: wife}, male: {wife: husband}}}}
    privileged = {"race": [code["race"]("White")], "sex": [male]}
    domains = {name: sorted(codes[name].unique().tolist()) for name in privileged}
    tree = DecisionTreeClassifier(max_depth=8, random_state=0).fit(codes.to_numpy(), y)
    few = codes.head(FEW_ROWS).to_dict("records")
    keys = [codes.columns.get_loc(name) for name in ("race", "sex", "relationship")]
    race, sex, relationship = keys
    by_position = {relationship: {sex: rules["relationship"]["sex"]}}
    theirs = seconds(
        lambda: textbook.exact_risk(
            lambda row: tree.predict([list(row.values())])[0], few, domains, privileged, rules
        ),
        repeats=1,
    )
    mine = seconds(
        lambda: assess_risk(
            tree,
            codes.to_numpy(),
            learn_attributes(
                codes.to_numpy(),
                {race: privileged["race"], sex: privileged["sex"]},
                coupled=by_position,
            ),
            each_attribute=False,
        )
    )
    theirs *= len(codes) / FEW_ROWS
    return "exact risk of a tree", theirs, mine, theirs / mine, 100


def on_dictionaries(X):
    """For the record: rows that are dictionaries already, and nothing is made of them."""
    from textbook import couplings as textbook

    rows = X.to_dict("records")
    domains = {name: sorted(X[name].unique()) for name in PRIVILEGED}
    theirs, mine, *ratio = timed(
        "",
        lambda: [list(textbook.perturbations(row, domains, PRIVILEGED, RULES)) for row in rows],
        lambda: enumerate_perturbations(X, learn_attributes(X, PRIVILEGED, coupled=RULES)),
    )[1:4]
    yield "list all perturbations, from dictionaries", theirs, mine, *ratio, "-"


def on_many_rows():
    """Plausibility of many rows, most of them numbers, and the assessment it belongs to."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(MANY_ROWS, 6))).add_prefix("x")
    X["age"], X["job"] = rng.integers(18, 90, MANY_ROWS), rng.integers(0, 30, MANY_ROWS)
    X["sex"], X["race"] = rng.integers(0, 2, MANY_ROWS), rng.integers(0, 4, MANY_ROWS)
    X["relationship"] = np.where(rng.random(MANY_ROWS) < 0.4, X["sex"] + 1, 0)
    y = X["x0"] + X["sex"] > 0.5
    tree = DecisionTreeClassifier(max_depth=5, random_state=0).fit(X[:ROWS], y[:ROWS])
    assess = lambda: assess_risk(tree, X, {"sex": 1, "race": 0})  # noqa: E731
    theirs, mine = seconds(assess), seconds(assess().plausibility)
    return "plausibility", theirs, mine, theirs / mine, 1


def timed(what, textbooks, ours):
    theirs, mine = seconds(textbooks, repeats=1), seconds(ours)
    return what, theirs, mine, theirs / mine, 100


def studied(X):
    return X["education"] == "Masters"


if __name__ == "__main__":
    main()
