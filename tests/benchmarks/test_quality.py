import numpy as np
import pandas as pd
import pytest

from benchmarks.paper.quality import (
    FAIRNESS,
    PERFORMANCE,
    correlations,
    headline,
    judge_learner,
    lead,
)


@pytest.fixture
def points():
    """Four points a protocol: DR follows the change in accuracy, nothing else does."""
    changes = [0.0, -0.1, 0.2, -0.3]
    part = pd.DataFrame({"dataset": ["a", "a", "b", "b"], "DR": np.abs(changes)})
    part = part.assign(DP=[1, 0, 0, 1], EOpp=[0, 1, 1, 0], PP=[1.0, 1.0, 0.0, np.nan])
    part = part.assign(**{f"Δ{name}": changes for name in PERFORMANCE})
    return pd.concat([part.assign(protocol=name) for name in ("paper", "recommended")])


def of(table, measure, column):
    rows = (table["measure"] == measure) & (table["change in"] == "accuracy")
    return table.loc[rows & (table["protocol"] == "paper"), column].item()


def test_correlation_is_with_the_size_of_the_change(points):
    table = correlations(points)
    assert of(table, "DR", "correlation") == pytest.approx(1)
    assert of(table, "DP", "correlation") == pytest.approx(0)
    assert of(table, "DR", "signed") < 0


def test_correlation_within_data_sets_takes_their_means_off(points):
    # a: DP falls while the change grows; b: both grow. Centred products cancel.
    assert of(correlations(points), "DP", "within data sets") == pytest.approx(0)
    assert of(correlations(points), "DR", "within data sets") == pytest.approx(1)


def test_undefined_values_are_left_out_and_counted(points):
    assert of(correlations(points), "PP", "points") == 3


def test_the_lead_of_dr_is_the_difference_of_correlations(points):
    points = pd.concat([points.assign(fold=fold, learner="DT") for fold in range(20)])
    table = lead(points.drop(columns="PP").assign(PP=points["DP"]), n_boot=20)
    row = table.query("protocol == 'paper' and correlation == 'pooled'").set_index("DR against")
    assert row.loc["DP", "lead"] == pytest.approx(1)
    assert row.loc["DP", "low"] <= 1 <= row.loc["DP", "high"]


def test_the_headline_has_published_and_both_measured_columns(points):
    table = headline(correlations(points))
    assert table["measure"].tolist() == list(FAIRNESS)
    assert {"published", "measured (paper)", "measured (recommended)"} <= set(table)


def test_nothing_changes_for_a_learner_that_predicts_one_class(monkeypatch):
    from sklearn.dummy import DummyClassifier

    from benchmarks.paper import protocol

    monkeypatch.setitem(protocol.LEARNERS, "constant", DummyClassifier)
    rows = judge_learner("ricci", fold=0, learner="constant", quick=True)
    assert all(row["DR"] == row["Δaccuracy"] == 0 for row in rows)


def test_recommended_dr_is_that_of_assess_risk():
    from benchmarks.paper.protocol import folds, load, make_learner
    from dr_core import assess_risk

    data = load("credit", quick=True)
    fold = folds(data.y)[0]
    model = make_learner("DT", 0).fit(*data.rows(fold.train))
    expected = assess_risk(model, data.X.iloc[fold.test], data.attributes).table()["risk"]
    rows = judge_learner("credit", fold=0, learner="DT", quick=True)
    found = {r["attribute"]: r["DR"] for r in rows if r["protocol"] == "recommended"}
    assert found == pytest.approx(expected.to_dict())
