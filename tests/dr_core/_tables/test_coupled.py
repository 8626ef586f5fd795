"""Coupled columns in rows that come in parts: the same to the last digit."""

import numpy as np
import pandas as pd
import pytest

from dr_core import assess_risk, at_least, compare, datasets, learn_attributes

RULES = {"relationship": {"sex": {"Female": {"Husband": "Wife"}, "Male": {"Wife": "Husband"}}}}


def rich(X):
    return (X["relationship"].isin(["Husband", "Own-child"]) & (X["education-num"] > 9)).astype(
        int
    )


@pytest.fixture(scope="module")
def income():
    return datasets.load("income")


@pytest.fixture(scope="module")
def rows(income):
    return income.data.head(3000)


@pytest.fixture(scope="module")
def labels(income):
    return income.target.head(3000).to_numpy()


def cut(rows):
    return [rows[:1], rows[1:700], rows[700:]]


def on_dask(rows):
    return pytest.importorskip("dask.dataframe").from_pandas(rows, npartitions=3)


@pytest.mark.parametrize("parted", [cut, on_dask])
def test_risk_with_rules_is_that_of_the_whole(income, rows, parted):
    how = {"method": "sample", "n_samples": 2, "random_state": 0}
    whole, parts = (
        assess_risk(rich, X, learn_attributes(X, income.privileged, coupled=RULES), **how)
        for X in (rows, parted(rows))
    )
    pd.testing.assert_frame_equal(parts.table(), whole.table(), check_exact=True)
    plain = assess_risk(rich, rows, income.privileged, **how)
    assert whole.value != plain.value


@pytest.mark.parametrize("parted", [cut, on_dask])
def test_a_comparison_with_rules_and_reference_is_that_of_the_whole(income, rows, labels, parted):
    attributes = learn_attributes(rows, income.privileged, coupled=RULES)
    whole = compare({"rule": rich}, rows, labels, attributes, reference=income.data)
    parts = compare({"rule": rich}, parted(rows), labels, attributes, reference=income.data)
    pd.testing.assert_frame_equal(parts.table(), whole.table(), rtol=1e-12)
    ours, theirs = (one.plausibility["rule"].when_coupled.pairs for one in (parts, whole))
    pd.testing.assert_frame_equal(ours, theirs, rtol=1e-12)
    exact = ["discriminative_risk", "discriminative_risk_coupled"]
    assert (parts.table()[exact] == whole.table()[exact]).all(axis=None)


def test_a_part_that_lacks_a_value_of_a_rule_still_follows_it(income, rows):
    attributes = learn_attributes(rows, {"sex": "Male"}, coupled=RULES)
    husbands = rows[rows["relationship"] == "Husband"].head(5)
    wives = lambda X: X["relationship"] == "Wife"  # noqa: E731
    with pytest.warns(UserWarning, match="no marginalised row"):
        assert assess_risk(wives, [husbands[:2], husbands[2:]], attributes).value == 1


def test_without_reference_partitions_have_no_plausibility(income, rows, labels):
    parted = cut(rows)
    told = compare(
        {"rule": rich}, parted, labels, learn_attributes(parted, income.privileged, coupled=RULES)
    ).table()
    assert "discriminative_risk_coupled" in told
    assert "implausible_share" not in told
    with pytest.raises(ValueError, match="pass reference="):
        compare({"rule": rich}, parted, labels, income.privileged, reference=True)
    risk = assess_risk(rich, parted, income.privileged)
    with pytest.raises(ValueError, match="one table in memory"):
        risk.plausibility()


def test_one_hot_columns_in_partitions_follow_too(rows):
    encoded = pd.get_dummies(rows[["sex", "relationship"]], columns=["relationship"], dtype=int)
    wives = lambda X: np.asarray(X["relationship_Wife"]) == 1  # noqa: E731
    whole = assess_risk(wives, encoded, learn_attributes(encoded, {"sex": "Male"}, coupled=RULES))
    assert (
        assess_risk(
            wives, cut(encoded), learn_attributes(cut(encoded), {"sex": "Male"}, coupled=RULES)
        ).value
        == whole.value
    )
    assert whole.value > 0.4


@pytest.mark.parametrize("parted", [cut, on_dask])
@pytest.mark.parametrize("method", ["exact", "sample"])
def test_parts_follow_a_function_that_was_learned_from_other_rows(rows, parted, method):
    work = rows[["age", "hours-per-week", "education-num"]].reset_index(drop=True)
    work = work.assign(years=(work["age"] - 17) * (0.5 + work.index / 10_000))
    attributes = learn_attributes(
        parted(work[:500]),
        {"age": at_least(25)},
        coupled={"years": {"age": lambda age, years: min(years, age - 16)}},
    )
    model = lambda X: X["years"] + X["hours-per-week"] / 8 > 12  # noqa: E731
    how = {"method": method, "random_state": 0}
    whole, parts = (
        assess_risk(model, X, attributes, **how) for X in (work[500:], parted(work[500:]))
    )
    pd.testing.assert_frame_equal(parts.table(), whole.table(), check_exact=True)
    assert 0 < whole.value < 1
