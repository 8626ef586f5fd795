"""Columns that depend on a sensitive attribute alone, and so may encode it, too."""

import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dr_core import OneHot, assess_risk, at_least, iter_chunks, learn_attributes
from dr_core._tables import as_table, find_dependent
from dr_core.perturbation import find_copies

N = 300
COPY = "may encode it, too"


@pytest.fixture
def people():
    random = np.random.default_rng(0)
    sex, race = random.choice(["m", "f"], N), random.choice(["a", "b", "c"], N)
    columns = {"sex": sex, "race": race, "age": random.integers(18, 80, N)}
    return pd.DataFrame(columns | {"score": random.normal(size=N)})


def messages(X, privileged, **options):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        learn_attributes(X, privileged, **options)
    return [str(warning.message) for warning in found if COPY in str(warning.message)]


def test_a_copy_is_named_with_the_rule_that_lets_it_follow(people):
    X = people.assign(is_male=(people["sex"] == "m").astype(int))
    (message,) = messages(X, {"sex": "m"})
    assert "{'is_male': {'sex': {'f': {1: 0}, 'm': {0: 1}}}}" in message


def test_the_rule_of_the_message_gives_the_risk_that_the_copy_hid(people):
    X = people.assign(is_male=(people["sex"] == "m").astype(int))
    rule = {"is_male": {"sex": {"f": {1: 0}, "m": {0: 1}}}}
    with pytest.warns(UserWarning, match=COPY):
        assert assess_risk(lambda X: X["is_male"], X, {"sex": "m"}).value == 0
    follows = learn_attributes(X, {"sex": "m"}, coupled=rule)
    assert assess_risk(lambda X: X["is_male"], X, follows).value == 1
    assert messages(X, {"sex": "m"}, coupled=rule) == []


@pytest.mark.parametrize(
    "encode",
    [
        lambda sex: sex.map({"m": "Mr", "f": "Ms"}),
        lambda sex: (sex == "m").astype("boolean"),
        lambda sex: (sex == "m").astype("Int64"),
        lambda sex: sex.astype("category"),
        lambda sex: sex.map({"m": 1.5, "f": np.nan}),
        lambda sex: sex.map({"m": pd.Timestamp("2020"), "f": pd.NaT}),
    ],
)
def test_a_copy_is_found_in_any_type(people, encode):
    assert len(messages(people.assign(other=encode(people["sex"])), {"sex": "m"})) == 1


def test_dummies_beside_the_column_they_come_from_are_named(people):
    X = pd.concat([people, pd.get_dummies(people["race"], prefix="race")], axis=1)
    (message,) = messages(X, {"race": "a"})
    assert "'race_a', 'race_b', 'race_c'" in message


def test_a_column_beside_its_dummies_is_named(people):
    X = pd.concat([people, pd.get_dummies(people["race"])], axis=1)
    (message,) = messages(X, {"ethnicity": OneHot(["a", "b", "c"], privileged="a")})
    assert "'race'" in message


def test_a_group_of_ages_is_named(people):
    (message,) = messages(people.assign(senior=people["age"] >= 60), {"age": at_least(60)})
    assert "'senior'" in message


def test_a_copy_in_polars_is_named(people):
    polars = pytest.importorskip("polars")
    X = polars.from_pandas(people.assign(title=people["sex"].map({"m": "Mr", "f": "Ms"})))
    assert len(messages(X, {"sex": "m"})) == 1


def test_a_copy_in_a_file_is_named(people, tmp_path):
    path = tmp_path / "people.csv"
    people.assign(is_male=(people["sex"] == "m").astype(int)).to_csv(path, index=False)
    assert len(messages(iter_chunks(path, 50), {"sex": "m"})) == 1


def test_no_rule_is_advised_for_a_copy_with_missing_values(people):
    (message,) = messages(people.assign(c=people["sex"].map({"m": 1.0})), {"sex": "m"})
    assert "coupled" not in message
    assert "fill the missing values of 'c'" in message


def test_a_rule_that_cannot_be_pasted_is_not_shown(people):
    dates = {"m": pd.Timestamp("2020"), "f": pd.Timestamp("2021")}
    (message,) = messages(people.assign(c=people["sex"].map(dates)), {"sex": "m"})
    assert "coupled={...}" in message
    assert "The rule" not in message


def test_a_copy_that_follows_another_attribute_is_named(people):
    X = people.assign(title=people["sex"].map({"m": "Mr", "f": "Ms"}))
    rules = {"title": {"race": {"b": {"Mr": "Ms"}}}}
    (message,) = messages(X, {"sex": "m", "race": "a"}, coupled=rules)
    assert "'title' has one value for each value of the sensitive attribute 'sex'" in message


@pytest.mark.parametrize("kind", ["Array", "Struct", "Decimal"])
def test_polars_columns_that_cannot_be_compared_are_no_error(people, kind):
    polars = pytest.importorskip("polars")
    column = {
        "Array": polars.Series("c", [[1.0, 2.0]] * N, dtype=polars.Array(polars.Float64, 2)),
        "Struct": polars.Series("c", [{"a": 1}] * N),
        "Decimal": polars.Series("c", ["1.5"] * N).cast(polars.Decimal(10, 2)),
    }[kind]
    X = polars.from_pandas(people).with_columns(column)
    assert assess_risk(lambda X: X["sex"] == "m", X, {"sex": "m"}).value == 1


def test_a_nearly_perfect_copy_is_not_named(people):
    is_male = (people["sex"] == "m").astype(int)
    is_male.iloc[-1] = 1 - is_male.iloc[-1]
    assert messages(people.assign(is_male=is_male), {"sex": "m"}) == []


def test_a_column_of_one_value_is_not_named(people):
    assert messages(people.assign(country="DK"), {"sex": "m"}) == []


def test_few_rows_say_nothing():
    X = pd.DataFrame({"sex": ["m", "f", "m", "f"], "hired": [1, 0, 1, 0]})
    assert messages(X, {"sex": "m"}) == []


def test_a_column_of_lists_is_not_named(people):
    assert messages(people.assign(lists=[[x] for x in people["sex"]]), {"sex": "m"}) == []


def test_a_rare_flag_of_a_rare_value_is_not_named(people):
    X = people.assign(race=["d", *people["race"][1:]], flag=[1] + [0] * (N - 1))
    assert messages(X, {"race": "a"}) == []


def test_rows_without_a_sensitive_value_are_left_out(people):
    X = people.assign(is_male=(people["sex"] == "m").astype(int))
    X.loc[:9, "sex"] = None
    assert len(messages(X, {"sex": "m"}, missing="keep")) == 1


@given(
    st.lists(
        st.tuples(st.integers(-1, 3), st.sampled_from([0.0, 1.0, np.nan])), min_size=1, max_size=40
    ),
    st.booleans(),
)
def test_a_dependent_column_is_that_of_the_definition(rows, as_text):
    codes = np.array([code for code, _ in rows], dtype=int)
    values = [repr(value) if as_text else value for _, value in rows]
    table = as_table(pd.DataFrame({"column": values}))
    pairs = sorted({(code, str(value)) for code, value in zip(codes, values, strict=True)})
    known = [pair for pair in pairs if pair[0] >= 0]
    is_function = all(one[0] != other[0] for one, other in pairwise(known))
    varies = len({value for _, value in known}) > 1
    expected = ["column"] if is_function and varies else []
    assert find_dependent(table, ["column"], codes, codes) == [expected, expected]


def test_the_chance_of_a_copy_bounds_its_frequency():
    """In 8 rows with 4 of each value, a column of 4 ones is a copy 2 times in C(8, 4) = 70."""
    random, codes = np.random.default_rng(0), np.repeat([0, 1], 4)
    shuffled = np.array([random.permutation(codes) for _ in range(4000)])
    table = as_table(pd.DataFrame(shuffled.T))
    (dependent,) = find_dependent(table, table.keys(), codes)
    assert len(dependent) / 4000 == pytest.approx(2 / 70, abs=0.006)
    assert find_copies(table, table.keys(), codes) == []
