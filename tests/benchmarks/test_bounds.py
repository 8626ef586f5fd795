import pandas as pd
import pytest

from benchmarks.paper.bounds import (
    LEMMA,
    PAC,
    coverage,
    judge_ensemble,
    lemma,
    side_by_side,
    tightest,
)


@pytest.fixture(scope="module")
def rows():
    piece = {"dataset": "credit", "fold": 0, "individual": "DT", "ensemble": "bagging"}
    return pd.DataFrame([piece | row for row in judge_ensemble(**piece, quick=True)])


def made_up(values, actual=0.1, protocol="paper"):
    """Points of one ensemble: a value for each bound."""
    keys = {"protocol": protocol, "dataset": "d", "individual": "i", "ensemble": "e"}
    return [keys | {"name": name, "value": v, "actual": actual} for name, v in values.items()]


def test_coverage_is_the_share_of_bounds_not_below_the_risk():
    points = pd.DataFrame(
        made_up({"first order": 0.2})
        + made_up({"first order": 0.05})
        + made_up({"first order": 0.1})
    )
    table = coverage(points)
    assert table["coverage"].item() == pytest.approx(2 / 3)
    assert table["median_slack"].item() == pytest.approx(0)


def test_a_bound_that_does_not_apply_does_not_count():
    points = pd.DataFrame(made_up({"C-tandem": 0.2}) + made_up({"C-tandem": float("nan")}))
    table = coverage(points)
    assert table[["points", "coverage", "applies"]].values.tolist() == [[1, 1.0, 0.5]]


def test_the_tightest_bound_is_the_smallest():
    both = ("paper", "recommended")
    values = [
        {"first order": 0.3, "second order": 0.5, "C-tandem": 0.2},
        {"first order": 0.2, "second order": 0.5, "C-tandem": 0.3},
        {"first order": 1.2, "second order": 5.0, "C-tandem": float("nan")},
        {"first order": 0.0, "second order": 0.0, "C-tandem": 0.0},
    ]
    points = pd.DataFrame(
        [
            row | {"fold": fold}
            for protocol in both
            for fold, value in enumerate(values)
            for row in made_up(value, protocol=protocol)
        ]
    )
    table = tightest(points).query("protocol == 'paper'").set_index("bound")
    assert table["tightest of all"].to_dict() == pytest.approx(
        {"first order": 0.6667, "second order": 0, "C-tandem": 0.3333}
    )
    assert table["tightest where C-tandem applies"]["C-tandem"] == 0.5


def test_guaranteed_bounds_hold_on_real_votes(rows):
    free = rows["name"].str.contains("without margin") | rows["name"].isin(PAC)
    table = coverage(rows[~free])
    assert (table["coverage"] == 1).all()


def test_the_lemma_holds_on_real_votes(rows):
    assert lemma(rows)["largest difference"].max() < 1e-12
    assert len(rows[rows["name"] == LEMMA]) == 2


def test_pac_bounds_are_of_each_member_and_of_the_vote(rows):
    counts = rows.groupby(["protocol", "name"]).size()
    assert counts["paper", PAC[0]] == 11
    assert counts["paper", PAC[1]] == 1


def test_the_table_has_published_and_both_measured_columns(rows):
    table = side_by_side(coverage(rows)).set_index("bound")
    assert table.loc["C-tandem", "published"] == "all, tightest"
    assert {"measured (paper)", "measured (recommended)"} <= set(table)
