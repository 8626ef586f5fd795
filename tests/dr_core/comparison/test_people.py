"""Comparisons in which several rows are about one person, or some rows are not perturbed."""

import numpy as np
import pandas as pd
import pytest

from dr_core import Predictions, assess_risk, compare, learn_attributes

PRIVILEGED = {"sex": "M"}
UNNAMED = ["sex", "score"]


def rows(n=120, seed=0, n_people=25):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "sex": rng.choice(["M", "F"], n),
            "score": rng.normal(size=n),
            "name": rng.choice([f"p{i:02}" for i in range(n_people)], n),
            "weight": rng.lognormal(size=n),
        }
    )
    return X.assign(y=(X["score"] + 0.3 * rng.normal(size=n) > 0).astype(int))


def rule(X):
    assert "name" not in X
    return (np.asarray(X["score"]) + 0.5 * np.asarray(X["sex"] == "M") > 0).astype(int)


def test_rows_of_one_person_do_not_shorten_intervals():
    X = rows(60)
    copies = pd.concat([X] * 4, ignore_index=True)
    options = {"n_boot": 400, "random_state": 0, "measures": ["accuracy", "demographic_parity"]}

    def lengths(X, **others):
        values = compare({"m": rule}, X[UNNAMED], X["y"], PRIVILEGED, **options, **others).values
        return (values["high"] - values["low"]).to_numpy()

    once = lengths(X)
    assert (lengths(copies) < 0.65 * once).all()
    assert lengths(copies, person=np.tile(np.arange(60), 4)) == pytest.approx(once, rel=0.2)


@pytest.mark.parametrize("weighted", [False, True])
def test_people_spread_over_partitions_are_those_of_memory(weighted):
    dask_frame = pytest.importorskip("dask.dataframe")
    X = rows()
    columns = [*UNNAMED, "name", "y", *(["weight"] if weighted else [])]
    options = {"person": "name"} | ({"sample_weight": "weight"} if weighted else {})
    options |= {"n_boot": 50, "random_state": 0}
    whole = compare({"m": rule}, X[columns], "y", PRIVILEGED, **options)
    parts = [X[columns][a:b] for a, b in ((0, 30), (30, 31), (31, 120))]
    for frame in (parts, dask_frame.from_pandas(X[columns], npartitions=3)):
        found = compare({"m": rule}, frame, "y", PRIVILEGED, **options)
        pd.testing.assert_frame_equal(found.values, whole.values, check_exact=True)
    assert whole.settings["people"] == found.settings["people"] == X["name"].nunique()


def test_the_order_of_rows_does_not_affect_the_bootstrap_of_people():
    X = rows()
    shuffled = X.sample(frac=1, random_state=0)
    both = [
        compare(
            {"m": rule}, some[UNNAMED], some["y"], PRIVILEGED, person=some["name"], n_boot=30,
            random_state=0,
        ).values
        for some in (X, shuffled)
    ]  # fmt: skip
    pd.testing.assert_frame_equal(*both)


@pytest.mark.parametrize("options", [{}, {"person": "name"}, {"sample_weight": "weight"}])
def test_the_interval_of_the_risk_is_that_of_the_assessment(options):
    X = rows()
    used = [*UNNAMED, *options.values()]
    risk = assess_risk(rule, X[used], PRIVILEGED, **options)
    found = compare({"m": rule}, X[used], X["y"], PRIVILEGED, n_boot=5, **options).table(
        wide=False
    )
    row = found.loc["m", "sex", "discriminative_risk"]
    assert (row["low"], row["high"]) == risk.interval()[:2]


def test_predictions_that_are_given_may_be_about_people_too():
    X = rows()
    swapped = X[UNNAMED].assign(sex=X["sex"].map({"M": "F", "F": "M"}))
    given = Predictions(rule(X[UNNAMED]), rule(swapped))
    options = {"person": X["name"], "n_boot": 30, "random_state": 0}
    found = compare({"given": given, "m": rule}, X[UNNAMED], X["y"], PRIVILEGED, **options).values
    one, other = (found[found["model"] == name].drop(columns="model") for name in ("given", "m"))
    pd.testing.assert_frame_equal(one.reset_index(drop=True), other.reset_index(drop=True))


class TestMissingValues:
    """The risk is that of the rows that were perturbed."""

    @pytest.fixture
    def comparison(self):
        X = rows(500)[UNNAMED].astype({"sex": object})
        X.loc[50:, "sex"] = None
        attributes = learn_attributes(X, PRIVILEGED, missing="keep")
        y = np.arange(500) % 2
        return compare({"m": rule}, X, y, attributes, n_boot=20, random_state=0), X

    def test_do_not_dilute_the_headline(self, comparison):
        found, X = comparison
        alone = assess_risk(rule, X[:50], PRIVILEGED)
        page = found.to_html().replace("\xa0", " ")
        low, high = (f"{100 * end:.1f} %" for end in alone.interval()[:2])
        assert (
            f"{100 * alone.value:.1f} % of people would get a different decision if only their "
            f"sex were different; 95 % interval {low} to {high}; 450 rows with a missing value "
            "were not perturbed."
        ) in page
        assert "sex: 450 rows with a missing value were not perturbed" in page

    def test_are_counted_in_table_and_settings(self, comparison):
        found, X = comparison
        alone = assess_risk(rule, X[:50], PRIVILEGED)
        table = found.table(wide=False).loc["m", "sex"]
        row = table.loc["discriminative_risk"]
        assert row[["value", "low", "high"]].tolist() == [alone.value, *alone.interval()[:2]]
        assert found.settings["not_perturbed"] == {"sex": 450}

    def test_do_not_dilute_the_risk_that_a_limit_is_for(self, comparison):
        found, X = comparison
        (decision,) = found.check(max_risk=0.5).decisions
        assert decision.measure == "discriminative_risk"
        assert decision.value == assess_risk(rule, X[:50], PRIVILEGED).value

    def test_add_nothing_where_there_are_none(self):
        X = rows()
        found = compare({"m": rule}, X[UNNAMED], X["y"], PRIVILEGED)
        assert "not_perturbed" not in found.settings


def test_the_report_counts_people():
    X = rows()
    options = {"person": np.arange(120) // 5, "n_boot": 20, "random_state": 0}
    page = compare({"m": rule}, X[UNNAMED], X["y"], PRIVILEGED, **options).to_html()
    assert "of the decisions about 24 people would be different if only their sex were" in page
    assert "120 about 24 people" in page
    assert "20 bootstrap replicates of people" in page
