import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from dr_core import Predictions, RandomizedModel, assess_shift, compare

rng = np.random.default_rng(0)
X = pd.DataFrame({"sex": rng.integers(0, 2, 300), "race": rng.integers(0, 3, 300)})
X["points"] = rng.normal(size=300) + 0.4 * X["sex"]
Y = ((X["points"] + 0.5 * (X["race"] == 2) + 0.5 * X["sex"]) > 0.5).astype(int)
BOTH = {"sex": 1, "race": 2}
LOGISTIC = LogisticRegression().fit(X, Y)
MEASURES = ["discriminative_risk", "score_shift"]


def shifts(models, **options):
    found = compare(models, X, Y, BOTH, measures=MEASURES, **options)
    values = found.values[found.values["measure"] == "score_shift"]
    return values.set_index(["model", "attribute"])


def test_the_row_is_the_mean_shift_of_each_attribute():
    models = {"a": LOGISTIC, "b": LinearSVC().fit(X, Y)}
    found = shifts(models)["value"]
    for name, model in models.items():
        shift = assess_shift(model, X, BOTH)
        expected = {**shift.by_attribute.to_dict(), "all": shift.mean}
        assert found[name].to_dict() == expected


def test_other_measures_are_the_same_with_and_without_scores():
    both = compare({"a": LOGISTIC}, X, Y, BOTH, measures=MEASURES).table()
    alone = compare({"a": LOGISTIC}, X, Y, BOTH, measures=MEASURES[:1]).table()
    pd.testing.assert_frame_equal(both[MEASURES[:1]], alone)


def test_scores_alone_can_be_compared():
    table = compare({"a": LOGISTIC}, X, Y, BOTH, measures="score_shift").table()
    assert table.columns.tolist() == ["score_shift"]


def test_scores_are_left_out_by_default():
    assert "score_shift" not in compare({"a": LOGISTIC}, X, Y, BOTH).table()


def test_intervals_are_those_of_assess_shift():
    row = shifts({"a": LOGISTIC}, n_boot=200, random_state=3).loc[("a", "sex")]
    expected = assess_shift(LOGISTIC, X, BOTH).interval(
        attribute="sex", n_boot=200, random_state=3
    )
    assert (row["low"], row["high"]) == expected[:2]


def test_models_without_a_score_are_undefined():
    votes = VotingClassifier([("m", RandomForestClassifier(3))]).fit(X, Y)
    models = {"rule": lambda X: (X["points"] > 0) * 1, "given": Predictions(Y, Y), "votes": votes}
    with pytest.warns(UserWarning, match="score_shift.*no score"):
        assert shifts(models)["value"].isna().all()


def test_a_randomised_model_is_asked_once_for_risk_and_shift():
    asked = []

    def probabilities(X):
        asked.append(len(X))
        yes = 0.3 + 0.4 * X["sex"].to_numpy()
        return np.column_stack([1 - yes, yes])

    model = {"m": RandomizedModel(probabilities, [0, 1])}
    assert shifts(model)["value"].round(12).to_dict() == {
        ("m", "sex"): 0.4,
        ("m", "race"): 0.0,
        ("m", "all"): 0.4,
    }
    once = list(asked)
    asked.clear()
    compare(model, X, Y, BOTH, measures=MEASURES[:1])
    assert once == asked


def test_partitions_have_the_row_of_one_table():
    halves, table = [X.iloc[:100], X.iloc[100:]], {"n_boot": 100, "random_state": 0}
    whole = shifts({"a": LOGISTIC}, **table)
    parts = compare({"a": LOGISTIC}, halves, Y.to_numpy(), BOTH, measures=MEASURES, **table).values
    parts = parts[parts["measure"] == "score_shift"].set_index(["model", "attribute"])
    pd.testing.assert_frame_equal(whole, parts, check_exact=True)


def test_the_report_has_the_row():
    page = compare({"a": LOGISTIC}, X, Y, BOTH, measures=MEASURES, individuals=3).to_html()
    assert "Score shift" in page
