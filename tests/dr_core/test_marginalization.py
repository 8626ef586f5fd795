"""A model averaged over its sensitive attributes does not depend on them."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from textbook.marginalization import average, combinations, likeliest

from dr_core import (
    OneHot,
    RandomizedModel,
    assess_risk,
    at_least,
    compare,
    datasets,
    learn_attributes,
    marginalize,
    perturb,
)

SPOUSES = {"sex": {"Female": {"Husband": "Wife"}, "Male": {"Wife": "Husband"}}}
BOTH = {"sex": "m", "race": "w"}


def people(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], n),
            "race": rng.choice(["w", "b", "o"], n, p=[0.6, 0.3, 0.1]),
            "pay": rng.integers(0, 100, n),
        }
    )
    y = X["pay"] + 30 * (X["sex"] == "m") + 20 * (X["race"] == "w") > 70
    return X, y.astype(int)


def pipeline(estimator):
    encode = make_column_transformer(
        (
            OneHotEncoder(handle_unknown="ignore", sparse_output=False),
            make_column_selector(dtype_exclude="number"),
        ),
        remainder="passthrough",
    )
    return make_pipeline(encode, estimator)


class ScoreModel:
    """A model of another library: scores of rows, without any of scikit-learn's attributes."""

    def __init__(self, X, y):
        self.inner = HistGradientBoostingClassifier(max_iter=5).fit(X, y)

    def predict(self, X):
        return self.inner.predict_proba(X)[:, 1].astype(np.float32)


CLASSIFIERS = {
    "gradient boosting": HistGradientBoostingClassifier(max_iter=5),
    "forest": RandomForestClassifier(10, random_state=0),
    "bagging": BaggingClassifier(DecisionTreeClassifier(), 10, random_state=0),
    "AdaBoost": AdaBoostClassifier(n_estimators=10, random_state=0),
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
    "naive Bayes": GaussianNB(),
    "linear SVC": make_pipeline(StandardScaler(), LinearSVC(random_state=0)),
}


@pytest.mark.parametrize("name", ["ricci", "credit", "income", "ppr", "ppvr"])
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_risk_is_exactly_zero_on_every_data_set(name, kind):
    bunch = datasets.load(name)
    rows = np.arange(0, len(bunch.data), max(1, len(bunch.data) // 300))
    X, y = bunch.data.iloc[rows], bunch.target.iloc[rows]
    averaged = marginalize(pipeline(CLASSIFIERS[kind]).fit(X, y), X, bunch.privileged)
    risk = assess_risk(averaged, X, bunch.privileged)
    assert risk.value == 0
    assert risk.worst_case == 0
    assert (risk.by_attribute == 0).all()


def test_probabilities_are_the_same_to_the_last_bit():
    X, y = people()
    averaged = marginalize(pipeline(RandomForestClassifier(10, random_state=0)).fit(X, y), X, BOTH)
    changed = perturb(X, BOTH, random_state=0)
    assert not changed.equals(X)
    assert np.array_equal(averaged.predict_proba(X), averaged.predict_proba(changed))


def test_a_regressor_is_averaged_and_has_no_risk():
    law = datasets.load("lawschool")
    X, y = law.data.iloc[:500], law.target.iloc[:500]
    model = pipeline(HistGradientBoostingRegressor(max_iter=5)).fit(X, y)
    averaged = marginalize(model, X, law.privileged)
    assert assess_risk(model, X, law.privileged, tolerance=1e-9).value > 0
    assert assess_risk(averaged, X, law.privileged, tolerance=1e-9).value == 0
    assert not hasattr(averaged, "predict_proba")
    assert not hasattr(averaged, "classes_")


def test_scores_of_another_library_are_averaged_as_numbers():
    X, y = people()
    numbers = X.assign(sex=X["sex"] == "m", race=X["race"] == "w").astype(int)
    privileged, booster = {"sex": 1, "race": 1}, ScoreModel(numbers, y)
    averaged = marginalize(booster, numbers, privileged)
    shares = numbers.value_counts(["sex", "race"], normalize=True)
    expected = sum(
        share * booster.predict(numbers.assign(sex=sex, race=race))
        for (sex, race), share in shares.items()
    )
    assert averaged.predict(numbers) == pytest.approx(expected, rel=1e-5)
    assert np.array_equal(
        averaged.predict(numbers), averaged.predict(perturb(numbers, privileged))
    )


def test_decisions_of_a_callable_vote_with_the_frequencies():
    X = pd.DataFrame({"sex": ["m", "m", "m", "f"], "pay": [1, 2, 3, 4]})
    averaged = marginalize(lambda X: np.where(X["sex"] == "m", "no", "yes"), X, {"sex": "m"})
    assert averaged.predict(X).tolist() == ["no"] * 4


def test_of_equally_likely_classes_the_first_is_predicted():
    X = pd.DataFrame({"sex": ["m", "f"]})
    averaged = marginalize(lambda X: (X["sex"] == "m").to_numpy(), X, {"sex": "m"})
    assert averaged.predict(X).tolist() == [False, False]


def test_rounding_does_not_decide_between_equally_likely_classes():
    X = pd.DataFrame({"race": ["a"] + ["b"] * 2 + ["c"] * 3})  # 1/6 + 2/6 against 3/6
    averaged = marginalize(lambda X: (X["race"] == "c").astype(int), X, {"race": "a"})
    assert averaged.predict(X).tolist() == [0] * 6


def test_uniform_weights_are_those_of_the_combinations_that_occur():
    X = pd.DataFrame({"sex": ["m", "m", "f"], "race": ["w", "b", "w"]})
    averaged = marginalize(lambda X: np.zeros(len(X)), X, BOTH, weights="uniform")
    assert averaged.weights.tolist() == [1 / 3] * 3
    assert averaged.combinations.tolist() == [[0, 1, 1], [1, 0, 1]]


def test_sample_weights_count_as_rows_do():
    X, y = people(50)
    model = pipeline(LogisticRegression(max_iter=1000)).fit(X, y)
    repeats = np.arange(50) % 3
    repeated = X.iloc[np.repeat(np.arange(50), repeats)]
    weighted = marginalize(model, X, BOTH, sample_weight=repeats)
    assert weighted.weights.tolist() == marginalize(model, repeated, BOTH).weights.tolist()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=2, max_size=12), st.data())
def test_the_average_is_that_of_the_textbook(rows, data):
    frame = pd.DataFrame(rows, columns=["a", "b", "x"])
    domain = {"a": [0, 1, 2], "b": [0, 1, 2]}
    attributes = learn_attributes(frame, {"a": 0, "b": [0, 1]}, domain=domain)
    share = st.integers(0, 8).map(lambda k: k / 8)
    table = np.array(data.draw(st.lists(share, min_size=27, max_size=27))).reshape(3, 3, 3)

    def respond(row):
        positive = table[row["a"], row["b"], row["x"]]
        return [1 - positive, positive]

    model = RandomizedModel(lambda X: [respond(row) for row in X.to_dict("records")], [0, 1])
    averaged = marginalize(model, frame, attributes)
    records = frame.to_dict("records")
    weights = combinations(records, ["a", "b"])
    expected = [average(lambda r: respond(r)[1], row, weights, ["a", "b"]) for row in records]
    assert averaged.predict_proba(frame)[:, 1] == pytest.approx(expected, abs=1e-12)
    labels = [likeliest(respond, row, weights, ["a", "b"], [0, 1]) for row in records]
    assert averaged.predict(frame).tolist() == labels


def test_frames_of_polars_and_arrays_give_the_same():
    X, y = people()
    numbers = X.assign(sex=X["sex"] == "m", race=X["race"] == "w").astype(float)
    model = RandomForestClassifier(5, random_state=0).fit(numbers.to_numpy(), y)
    of_array = marginalize(model, numbers.to_numpy(), {0: 1.0, 1: 1.0}).predict_proba

    class OfFrame:
        classes_ = model.classes_

        def predict(self, X):
            return model.predict(X.to_numpy())

        def predict_proba(self, X):
            return model.predict_proba(X.to_numpy())

    of_polars = marginalize(OfFrame(), pl.DataFrame(numbers), {"sex": 1.0, "race": 1.0})
    expected = of_array(numbers.to_numpy())
    assert np.array_equal(of_polars.predict_proba(pl.DataFrame(numbers)), expected)


def test_one_hot_attributes_are_set_as_a_whole():
    X, y = people()
    hot = pd.get_dummies(X, columns=["sex", "race"], dtype=int)
    sex = OneHot(["sex_f", "sex_m"], privileged="sex_m")
    race = OneHot(["race_b", "race_o", "race_w"], privileged="race_w")
    privileged = {"sex": sex, "race": race}
    model = HistGradientBoostingClassifier(max_iter=5).fit(hot, y)
    averaged = marginalize(model, hot, privileged)
    assert len(averaged.weights) == 6
    assert assess_risk(model, hot, privileged).value > 0
    assert assess_risk(averaged, hot, privileged).value == 0


def test_attributes_are_not_read_at_prediction():
    X, y = people()
    model = pipeline(RandomForestClassifier(5, random_state=0)).fit(X, y)
    averaged = marginalize(model, X, BOTH)
    expected = averaged.predict_proba(X)
    unknown = X.assign(sex=pd.Series([None] * len(X), dtype="str"), race="never seen")
    assert np.array_equal(averaged.predict_proba(unknown), expected)


def test_rows_with_a_missing_value_do_not_count_and_are_averaged():
    X = pd.DataFrame({"sex": ["m", "f", None, "m"], "pay": [1, 2, 3, 4]})
    attributes = learn_attributes(X, {"sex": "m"}, missing="keep")
    averaged = marginalize(lambda X: (X["sex"] == "m") + 0.5, X, attributes)
    assert averaged.weights == pytest.approx([1 / 3, 2 / 3])
    assert averaged.predict(X) == pytest.approx([0.5 + 2 / 3] * 4)


def test_with_coupled_columns_the_coupled_risk_is_zero():
    income = datasets.load("income")
    X, y = income.data.iloc[:400], income.target.iloc[:400]
    is_odd = (X["sex"] == "Female") & (X["relationship"] == "Husband")
    is_odd |= (X["sex"] == "Male") & (X["relationship"] == "Wife")
    X, y = X[~is_odd], y[~is_odd]
    attributes = learn_attributes(X, income.privileged, coupled={"relationship": SPOUSES})
    model = pipeline(RandomForestClassifier(10, random_state=0)).fit(X, y)
    averaged = marginalize(model, X, attributes)
    assert assess_risk(model, X, attributes).value > 0
    assert assess_risk(averaged, X, attributes).value == 0
    assert assess_risk(averaged, X, attributes.uncoupled).value > 0


def test_rows_whose_coupled_columns_do_not_return_are_counted():
    X = pd.DataFrame({"sex": ["Male", "Female", "Female"], "role": ["Husband", "Wife", "Husband"]})
    attributes = learn_attributes(X, {"sex": "Male"}, coupled={"role": SPOUSES})
    with pytest.warns(UserWarning, match=r"averaged prediction can depend .* for 1 of 3 rows"):
        marginalize(lambda X: np.zeros(len(X)), X, attributes)


def test_the_repr_says_which_columns_follow():
    X = pd.DataFrame({"sex": ["Male", "Female"], "role": ["Husband", "Wife"], "pay": [1, 2]})
    rules = {"role": SPOUSES, "pay": {"role": {}}}
    attributes = learn_attributes(X, {"sex": "Male"}, coupled=rules)
    assert repr(marginalize(lambda X: X["pay"], X, attributes)) == (
        "MarginalizedModel(function averaged over 2 combinations of sex, and role and pay follow)"
    )


def test_the_warning_says_what_differs_and_what_to_do():
    X = pd.DataFrame({"age": [20, 60], "years": [3, 40]})
    rules = {"years": {"age": lambda age, years: min(years, age - 16)}}
    attributes = learn_attributes(X, {"age": at_least(25)}, coupled=rules)
    with pytest.warns(UserWarning, match=r"by way of another value .* in both directions"):
        marginalize(lambda X: X["years"], X, attributes)


def test_only_the_rows_that_do_not_return_have_risk():
    X = pd.DataFrame({"sex": ["Male", "Female", "Female"], "role": ["Husband", "Wife", "Husband"]})
    attributes = learn_attributes(X, {"sex": "Male"}, coupled={"role": SPOUSES})
    odd = RandomizedModel(
        lambda X: np.eye(2)[((X["sex"] == "Female") & (X["role"] == "Husband")).astype(int)],
        [0, 1],
    )
    with pytest.warns(UserWarning, match="can depend on the attributes"):
        averaged = marginalize(odd, X, attributes)
    assert averaged.predict_proba(X)[:, 1] == pytest.approx([0, 0, 2 / 3])
    assert assess_risk(averaged, X, attributes).individual.tolist() == [0, 0, 1]


def test_a_threshold_other_than_one_half_is_kept_or_warned_of():
    X, y = people()
    model = pipeline(GaussianNB())
    strict = FixedThresholdClassifier(model, threshold=0.9, response_method="predict_proba")
    strict.fit(X, y)
    with pytest.warns(UserWarning, match='response="predict"'):
        marginalize(strict, X, BOTH)
    averaged = marginalize(strict, X, BOTH, response="predict")
    assert assess_risk(averaged, X, BOTH).value == 0
    assert averaged.predict(X).mean() == pytest.approx(strict.predict(X).mean(), abs=0.1)
    assert not hasattr(averaged, "predict_proba")


def test_several_ways_to_lower_risk_are_compared_without_a_function():
    X, y = people()
    forest = RandomForestClassifier(10, random_state=0)
    model = pipeline(forest).fit(X, y)
    drop = make_column_transformer(("drop", ["sex", "race"]), remainder="passthrough")
    models = {
        "model": model,
        "marginalised": marginalize(model, X, BOTH),
        "columns left out": make_pipeline(drop, clone(forest)).fit(X, y),
    }
    found = compare(models, X, y, BOTH).table()["discriminative_risk"].xs("all", level="attribute")
    assert found["model"] > 0
    assert found["marginalised"] == found["columns left out"] == 0


def test_partitions_give_the_frequencies_of_all_rows():
    dd = pytest.importorskip("dask.dataframe")
    X, y = people()
    model = pipeline(LogisticRegression(max_iter=1000)).fit(X, y)
    whole = marginalize(model, X, BOTH)
    for parts in ([X[:100], X[100:]], dd.from_pandas(X, npartitions=3)):
        averaged = marginalize(model, parts, BOTH)
        assert np.array_equal(averaged.weights, whole.weights)
        assert np.array_equal(averaged.combinations, whole.combinations)


def test_a_dask_frame_is_predicted_by_partition():
    dd = pytest.importorskip("dask.dataframe")
    X, y = people()
    averaged = marginalize(pipeline(LogisticRegression(max_iter=1000)).fit(X, y), X, BOTH)
    frame = dd.from_pandas(X, npartitions=3)
    predicted = frame.map_partitions(averaged.predict, meta=np.array([], int)).compute()
    assert np.array_equal(predicted, averaged.predict(X))
    assert assess_risk(averaged, frame, BOTH).value == 0


def test_it_can_be_pickled():
    X, y = people()
    averaged = marginalize(pipeline(RandomForestClassifier(5, random_state=0)).fit(X, y), X, BOTH)
    again = pickle.loads(pickle.dumps(averaged))
    assert np.array_equal(again.predict_proba(X), averaged.predict_proba(X))
    assert repr(again) == repr(averaged)


def test_an_average_of_an_average_is_the_same():
    X, y = people()
    averaged = marginalize(pipeline(RandomForestClassifier(5, random_state=0)).fit(X, y), X, BOTH)
    twice = marginalize(averaged, X, BOTH)
    assert np.array_equal(twice.predict(X), averaged.predict(X))


def test_a_model_that_is_not_fitted_is_refused():
    X, _ = people()
    with pytest.raises(NotFittedError):
        marginalize(pipeline(LogisticRegression()), X, BOTH)


def test_a_range_is_averaged_out_for_values_that_were_not_seen_too():
    X = pd.DataFrame({"age": [20, 22, 30, 40, 40, 50], "income": range(6)})
    model = lambda X: 1.0 * (X["age"] >= 28) + 0.1 * X["income"]  # noqa: E731
    averaged = marginalize(model, X, {"age": at_least(25)})
    assert averaged.predict(X) == pytest.approx(4 / 6 + 0.1 * X["income"])
    new = X.assign(age=[29, 21, 30, 99, 1, 50])
    assert np.array_equal(averaged.predict(new), averaged.predict(X))
    assert assess_risk(averaged, X, {"age": at_least(25)}, tolerance=0).value == 0
