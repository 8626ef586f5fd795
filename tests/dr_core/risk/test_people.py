"""Several rows of one person, weights that go with the risk, and rows that are not perturbed."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textbook import people as textbook

from dr_core import assess_risk, clopper_pearson, learn_attributes


def rows(n=200, seed=0, n_people=40):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "sex": rng.choice(["M", "F"], n),
            "race": rng.choice(["W", "B", "A"], n),
            "score": rng.normal(size=n),
            "name": rng.choice([f"p{i}" for i in range(n_people)], n),
            "weight": rng.lognormal(size=n),
        }
    )


def rule(X):
    assert "name" not in X
    bonus = 0.5 * np.asarray(X["sex"] == "M") + 0.3 * np.asarray(X["race"] == "B")
    return np.asarray(X["score"]) + bonus > 0


PRIVILEGED = {"sex": "M", "race": "W"}
UNNAMED = ["sex", "race", "score"]


@pytest.mark.filterwarnings("ignore:.*its mean risk is undefined")
@settings(deadline=None, max_examples=20)
@given(st.integers(2, 60), st.integers(0, 10_000), st.booleans(), st.integers(1, 9))
def test_the_effective_number_of_people_is_that_of_the_textbook(n, seed, weighted, n_people):
    X = rows(n, seed, n_people)
    domain = {"sex": ["F", "M"], "race": ["A", "B", "W"]}
    attributes = learn_attributes(X[UNNAMED], PRIVILEGED, domain=domain)
    weights = X["weight"].to_numpy() if weighted else np.ones(n)
    options = {"person": X["name"], "sample_weight": weights}
    risk = assess_risk(rule, X[UNNAMED], attributes, **options)
    expected = textbook.effective_people(risk.individual, weights, X["name"].tolist())
    assert risk.n_effective == pytest.approx(expected, rel=1e-9)
    assert risk.n_people == X["name"].nunique()


def test_rows_of_one_person_count_once():
    X = rows(50)[UNNAMED]
    copies = pd.concat([X] * 4, ignore_index=True)
    once = assess_risk(rule, X, PRIVILEGED)
    fourfold = assess_risk(rule, copies, PRIVILEGED, person=np.tile(np.arange(50), 4))
    unaware = assess_risk(rule, copies, PRIVILEGED)
    assert fourfold.value == pytest.approx(once.value)
    assert fourfold.n_effective <= 50 < unaware.n_effective == 200
    low, high, *_ = fourfold.interval()
    assert low < once.interval().low
    assert high > once.interval().high


@pytest.mark.parametrize("weighted", [False, True])
def test_people_with_one_row_each_are_rows(weighted):
    X = rows()
    options = {"sample_weight": X["weight"]} if weighted else {}
    alone = assess_risk(rule, X[UNNAMED], PRIVILEGED, **options)
    named = assess_risk(rule, X[UNNAMED], PRIVILEGED, person=np.arange(len(X)), **options)
    pd.testing.assert_frame_equal(named.table(), alone.table())


@pytest.mark.parametrize("weighted", [False, True])
def test_people_spread_over_partitions_are_those_of_memory(weighted):
    dask_frame = pytest.importorskip("dask.dataframe")
    X = rows()
    columns = [*UNNAMED, "name", *(["weight"] if weighted else [])]
    options = {"person": "name"} | ({"sample_weight": "weight"} if weighted else {})
    whole = assess_risk(rule, X[columns], PRIVILEGED, **options)
    parts = [X[columns][a:b] for a, b in ((0, 30), (30, 31), (31, 120), (120, 200))]
    frames = [parts, dask_frame.from_pandas(X[columns], npartitions=3)]
    for frame in frames:
        found = assess_risk(rule, frame, PRIVILEGED, **options)
        assert repr(found.table().to_dict()) == repr(whole.table().to_dict())
        assert found.n_people == whole.n_people == X["name"].nunique()
    chunked = assess_risk(rule, X[columns], PRIVILEGED, chunk_size=7, **options)
    assert repr(chunked.table().to_dict()) == repr(whole.table().to_dict())
    given = {"person": [part["name"] for part in parts]} | (
        {"sample_weight": X["weight"]} if weighted else {}
    )
    listed = assess_risk(rule, [part[UNNAMED] for part in parts], PRIVILEGED, **given)
    assert listed.interval() == whole.interval()


def test_weights_that_go_with_the_risk_widen_the_interval_beyond_kish():
    depends = np.repeat([True, False], [20, 180])
    X = pd.DataFrame({"sex": ["M", "F"] * 100, "depends": depends})
    weights = np.where(depends, 3.0, 1.0)
    risk = assess_risk(
        lambda X: (X["sex"] == "M") & X["depends"], X, {"sex": "M"}, sample_weight=weights
    )
    kish = weights.sum() ** 2 / (weights**2).sum()
    expected = textbook.effective_people(depends, weights, range(200))
    assert risk.n_effective == pytest.approx(expected)
    assert risk.n_effective < 0.7 * kish
    assert risk.interval()[:2] == pytest.approx(clopper_pearson(risk.value, expected, 0.95)[:2])


def test_the_chernoff_interval_counts_in_units_of_the_heaviest_person():
    X = rows()
    risk = assess_risk(rule, X[UNNAMED], PRIVILEGED, person=X["name"], sample_weight=X["weight"])
    each = X.groupby("name")["weight"].sum()
    assert risk.totals.make_sample(-1).n_heaviest == pytest.approx(each.sum() / each.max())


def test_the_headline_says_how_many_people_there_are():
    risk = assess_risk(rule, rows()[UNNAMED], PRIVILEGED, person=np.arange(200) // 5)
    assert "200 rows about 40 people" in repr(risk)


class TestMissingValues:
    """Rows whose sensitive values are missing are not perturbed."""

    @pytest.fixture
    def risk(self):
        # 2 of the 50 rows that have a sex depend on it.
        sex = [*["M", "F"] * 25, *[None] * 450]
        X = pd.DataFrame({"sex": sex, "depends": np.arange(500) < 2})
        attributes = learn_attributes(X, {"sex": "M"}, missing="keep")
        return assess_risk(lambda X: (X["sex"] == "M") & X["depends"], X, attributes)

    def test_do_not_dilute_the_headline(self, risk):
        low, high, *_ = clopper_pearson(0.04, 50, 0.95)
        assert repr(risk) == (
            "<RiskAssessment: 4.0 % of predictions change when only sex is perturbed "
            f"(95 % interval {100 * low:.1f} % to {100 * high:.1f} %; exact, 50 of 500 rows; "
            "450 rows with a missing value were not perturbed)>"
        )
        assert risk.n_not_perturbed == 450

    def test_do_not_dilute_the_value(self, risk):
        assert risk.value == 2 / 50
        assert risk.interval() == clopper_pearson(2 / 50, 50, 0.95)

    def test_are_counted_in_the_table(self, risk):
        row = risk.table().loc["sex"]
        assert (row["rows_perturbed"], row["not_perturbed"]) == (50, 450)
        expected = 2 / 50, *clopper_pearson(2 / 50, 50, 0.95)[:2]
        assert tuple(row[["risk", "low", "high"]]) == expected

    def test_add_no_columns_where_there_are_none(self):
        X = rows()[UNNAMED]
        assert "not_perturbed" not in assess_risk(rule, X, PRIVILEGED).table()

    def test_of_one_attribute_leave_the_other_to_be_perturbed(self):
        X = rows()[UNNAMED].astype({"sex": object})
        X.loc[:149, "sex"] = None
        X.loc[:9, "race"] = None
        attributes = learn_attributes(X, PRIVILEGED, missing="keep")
        risk = assess_risk(rule, X, attributes)
        table = risk.table()
        assert table["not_perturbed"].to_dict() == {"sex": 150, "race": 10, "all": 10}
        for name, some in (("sex", slice(150, None)), ("race", slice(10, None))):
            alone = assess_risk(rule, X[some], {name: PRIVILEGED[name]})
            assert table.loc[name, "risk"] == risk.by_attribute[name] == alone.value
            assert table.loc[name, "low"] == alone.interval().low
        assert "190 of 200 rows; 10 rows with a missing value were not perturbed; " in repr(risk)
        assert "140 rows with a missing value were perturbed in the other" in repr(risk)

    @pytest.mark.parametrize("by_person", [False, True])
    def test_with_weights_give_the_interval_of_the_rows_perturbed(self, by_person):
        X = rows().astype({"sex": object})
        X.loc[:149, "sex"] = None
        attributes = learn_attributes(X[UNNAMED], {"sex": "M"}, missing="keep")

        def assess(some, privileged):
            options = {"sample_weight": some["weight"]}
            options |= {"person": some["name"]} if by_person else {}
            return assess_risk(rule, some[UNNAMED], privileged, **options)

        found, alone = assess(X, attributes), assess(X[150:], {"sex": "M"})
        assert found.value == alone.value
        for method in ("clopper-pearson", "wilson", "chernoff"):
            ends, expected = (risk.interval(method=method)[:2] for risk in (found, alone))
            assert ends == pytest.approx(expected)
