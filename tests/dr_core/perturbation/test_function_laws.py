"""Functions that coupled columns follow, on rows other than those that were learned from.

A plain loop over the rows, which calls the functions itself, is the oracle.
"""

import re
import warnings
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from effort import effort
from hypothesis import given
from hypothesis import strategies as st
from textbook import couplings as textbook
from textbook.marginalization import average, combinations

from dr_core import (
    assess_risk,
    assess_shift,
    at_least,
    compare,
    enumerate_perturbations,
    learn_attributes,
    marginalize,
    perturb,
)

SOME = effort(some=25, many=150)
FEW = effort(some=10, many=60)
COLUMNS = ["age", "sex", "years", "pay", "level"]
ADULT = at_least(25)
PRIVILEGED = {"age": ADULT, "sex": [1]}


def limit_years(age, years):
    """Nobody works before the age of 16."""
    return min(years, age - 16)


def add_sex(sex, years):
    """A value that no row had before, whatever it is added to."""
    return years + 0.25 + 0.5 * sex


def raise_pay(years, pay):
    """The result of one function is what the other one gets."""
    return pay + years / 4


LIMITED = {"years": {"age": limit_years}}
RULES = {
    "one function": LIMITED,
    "two functions": {"years": {"age": limit_years, "sex": add_sex}},
    "a function of a result": LIMITED | {"pay": {"years": raise_pay, "sex": add_sex}},
    "both of an attribute": {"pay": {"age": raise_pay}, "years": {"age": limit_years}},
    "replacements of a result": {
        "years": {"age": limit_years, "sex": {0: {4: 0}}},
        "level": {"years": {0: {2: 1}, 4: {1: 2}}},
        "pay": {"level": raise_pay},
    },
}
LEARNED = pd.DataFrame(
    {"age": [20, 24, 30, 50], "sex": [0, 1, 0, 1], "years": [0.0, 4.0, 14.0, 30.0]}
).assign(pay=[1.0, 2.0, 3.0, 4.0], level=[0, 1, 2, 0])


@st.composite
def people(draw):
    """Rows of all groups, of which no age, years or pay has to be known."""
    n = draw(st.integers(4, 8))
    column = lambda values: st.lists(values, min_size=n, max_size=n)  # noqa: E731
    quarters = st.integers(0, 200).map(lambda quarters: quarters / 4)
    return pd.DataFrame(
        {
            "age": [19, 61, 19, 61, *draw(column(st.integers(17, 70)))][:n],
            "sex": [0, 0, 1, 1, *draw(column(st.integers(0, 1)))][:n],
            "years": np.array(draw(column(st.none() | quarters)), dtype=float),
            "pay": draw(column(quarters)),
            "level": draw(column(st.integers(0, 2))),
        }
    )


def learn(rules, X=LEARNED):
    known = {"years": [*LEARNED["years"], 0, 4], "level": [0, 1, 2]}
    domain = {name: known[name] for name in known if name in rules}
    return learn_attributes(X, PRIVILEGED, coupled=rules, domain=domain)


def to_rows(X):
    """Return the rows as dictionaries, with None for a missing value."""
    return [{k: None if v != v else v for k, v in row.items()} for row in X.to_dict("records")]


def iter_textbook(row, rules, p=1.0):
    domains = {name: LEARNED[name].tolist() for name in PRIVILEGED}
    return textbook.perturbations(row, domains, PRIVILEGED, rules, p)


def score_row(row):
    years = -1 if row["years"] is None else row["years"]
    return years + row["pay"] + 10 * row["level"] + row["age"] / 8 + row["sex"]


def score(X):
    frame = pd.DataFrame(np.asarray(X, dtype=float), columns=COLUMNS)
    return frame["years"].fillna(-1) + frame.eval("pay + 10 * level + age / 8 + sex")


def decide(X):
    return (score(X) > 45).astype(int)


def decide_row(row):
    return int(score_row(row) > 45)


of_rules = st.sampled_from(list(RULES.values()))


@SOME
@given(X=people(), rules=of_rules, p=st.sampled_from([1.0, 0.6]))
def test_all_perturbations_of_other_rows_are_those_of_the_textbook(X, rules, p):
    data, rows, probability = enumerate_perturbations(X, learn(rules), p=p)
    found = [{} for _ in range(len(X))]
    for new, row, chance in zip(to_rows(data), rows, probability, strict=True):
        found[row][tuple(new.values())] = chance
    for row, ours in zip(to_rows(X), found, strict=True):
        theirs = {tuple(new.values()): chance for new, chance in iter_textbook(row, rules, p)}
        theirs.pop(tuple(row.values()), None)
        assert ours == pytest.approx(theirs)


@SOME
@given(X=people(), rules=of_rules, p=st.sampled_from([1.0, 0.6]), seed=st.integers(0, 9))
def test_a_drawn_perturbation_of_other_rows_is_one_of_the_textbook(X, rules, p, seed):
    perturbed = perturb(X, learn(rules), p=p, random_state=seed)
    for row, new in zip(to_rows(X), to_rows(perturbed), strict=True):
        assert new in [one for one, _ in iter_textbook(row, rules, p)]


@SOME
@given(X=people(), rules=of_rules, p=st.sampled_from([1.0, 0.6]))
def test_risk_of_other_rows_is_that_of_the_textbook_in_chunks_and_whole(X, rules, p):
    theirs = [
        sum(
            chance
            for new, chance in iter_textbook(row, rules, p)
            if decide_row(new) != decide_row(row)
        )
        for row in to_rows(X)
    ]
    for chunk_size in (None, 1, 3):
        risk = assess_risk(decide, X, learn(rules), p=p, chunk_size=chunk_size)
        assert risk.individual == pytest.approx(theirs)
        in_parts = assess_risk(decide, [X[:1], X[1:]], learn(rules), p=p, chunk_size=chunk_size)
        assert in_parts.value == risk.value


@FEW
@given(X=people(), rules=of_rules, method=st.sampled_from(["exact", "sample"]))
def test_every_kind_of_table_and_any_chunk_size_has_the_same_risk(X, rules, method):
    position = {name: i for i, name in enumerate(COLUMNS)}
    numbered = {
        position[column]: {position[driver]: cases for driver, cases in drivers.items()}
        for column, drivers in rules.items()
    }
    of_array = learn_attributes(
        LEARNED.to_numpy(float),
        {position[name]: value for name, value in PRIVILEGED.items()},
        coupled=numbered,
        domain={position["years"]: [0, 4, 14, 30]} if position["years"] in numbered else None,
    )
    how = {"method": method, "n_samples": 1 if method == "exact" else 3, "random_state": 0}
    expected = assess_risk(decide, X, learn(rules), **how).individual
    for table, attributes in (
        (X, learn(rules)),
        (pl.DataFrame(X), learn(rules)),
        (pl.DataFrame(X), learn(rules, pl.DataFrame(LEARNED))),
        (X.to_numpy(float), of_array),
    ):
        for chunk_size in (None, 2):
            risk = assess_risk(decide, table, attributes, chunk_size=chunk_size, **how)
            assert risk.individual.tolist() == expected.tolist()


@FEW
@given(X=people(), rules=of_rules)
def test_the_shift_of_scores_of_other_rows_is_that_of_the_textbook(X, rules):
    shift = assess_shift(score, X, learn(rules))
    sizes = [
        sum(chance * abs(score_row(new) - score_row(row)) for new, chance in pairs)
        for row in to_rows(X)
        for pairs in [list(iter_textbook(row, rules))]
    ]
    assert shift.mean == pytest.approx(np.mean(sizes))


@FEW
@given(X=people(), rules=of_rules)
def test_a_comparison_of_other_rows_has_both_risks(X, rules):
    attributes, y, measures = learn(rules), np.arange(len(X)) % 2, ["discriminative_risk"]
    found = compare({"m": decide}, X, y, attributes, measures=measures, reference=True).table()
    assert found["discriminative_risk_coupled"].tolist() == (
        assess_risk(decide, X, attributes).table()["risk"].tolist()
    )
    assert found["discriminative_risk"].tolist() == (
        assess_risk(decide, X, attributes.uncoupled).table()["risk"].tolist()
    )


@FEW
@pytest.mark.filterwarnings("ignore:the averaged prediction can")
@given(X=people(), rules=of_rules)
def test_an_average_over_other_rows_is_that_of_the_textbook(X, rules):
    def go(row, names, values):
        return textbook.follow(row, dict(row) | dict(zip(names, values, strict=True)), rules)

    averaged, names = marginalize(score, LEARNED, learn(rules)), list(PRIVILEGED)
    weights = combinations(to_rows(LEARNED), names)
    theirs = [average(score_row, row, weights, names, go) for row in to_rows(X)]
    assert averaged.predict(X) == pytest.approx(theirs)


def goes_back(row, rules):
    """Whether going to any values by way of any others is the same as going there directly."""

    def go(row, values):
        return textbook.follow(row, dict(row) | dict(zip(PRIVILEGED, values, strict=True)), rules)

    anywhere = list(product(*(LEARNED[name].unique().tolist() for name in PRIVILEGED)))
    return all(go(go(row, u), v) == go(row, v) for u in anywhere for v in anywhere)


def replace_years(age, years):
    """A value that depends on the age alone, so that it can be computed again."""
    return (age - 16) / 2


@FEW
@given(X=people(), rules=st.sampled_from([*RULES.values(), {"years": {"age": replace_years}}]))
def test_the_rows_that_an_average_warns_of_are_those_of_the_textbook(X, rules):
    n_open = sum(not goes_back(row, rules) for row in to_rows(X))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        marginalize(score, X, learn(rules))
    messages = (str(one.message) for one in caught)
    counts = (re.match(r"the averaged prediction .* for (\d+) of", text) for text in messages)
    found = [int(count[1]) for count in counts if count]
    assert found == ([n_open] if n_open else [])


def test_an_average_is_the_same_for_an_age_that_was_not_learned():
    X = LEARNED[["age", "years"]].assign(years=lambda X: (X["age"] - 16) / 2)
    rules = {"years": {"age": replace_years}}
    averaged = marginalize(
        lambda X: X["years"] + 0.5, X, learn_attributes(X, {"age": ADULT}, coupled=rules)
    )
    new = pd.DataFrame({"age": [20, 29, 61], "years": [2.0, 6.5, 22.5]})
    assert len(set(averaged.predict(new))) == 1
