import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from textbook import risk as textbook

from dr_core import (
    assess_risk,
    assess_shift,
    chernoff,
    clopper_pearson,
    datasets,
    learn_attributes,
    wilson,
)
from dr_core.risk import Predictor

PRIVILEGED = {"sex": "M", "race": "W"}
SEXES, RACES = ["F", "M"], ["A", "B", "O", "W"]


def population(n, seed):
    """Rows in which every value occurs."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "sex": [*SEXES, *SEXES, *rng.choice(SEXES, n)],
            "race": [*RACES, *rng.choice(RACES, n)],
            "score": rng.integers(0, 6, n + 4),
        }
    )


def arbitrary_model(seed, n_classes=3):
    """A model whose prediction is an arbitrary function of the row."""
    answers = np.random.default_rng(seed).integers(0, n_classes, (2, 4, 6))

    def predict(X):
        X = pd.DataFrame(X) if isinstance(X, pd.DataFrame) else X.to_pandas()
        sex = X["sex"].map(SEXES.index).to_numpy()
        race = X["race"].map(RACES.index).to_numpy()
        return answers[sex, race, X["score"].to_numpy()]

    return predict


def row_by_row(predict):
    return lambda row: predict(pd.DataFrame([row]))[0]


populations = st.builds(population, st.integers(0, 12), st.integers(0, 10_000))
models = st.builds(arbitrary_model, st.integers(0, 10_000), st.integers(1, 4))


@settings(deadline=None, max_examples=30)
@given(populations, models, st.sampled_from([1.0, 0.5, 0.2]))
def test_exact_risk_is_that_of_the_textbook(X, model, p):
    risk = assess_risk(model, X, PRIVILEGED, p=p)
    rows = X.to_dict(orient="records")
    domains = {"sex": SEXES, "race": RACES}
    privileged = {"sex": ["M"], "race": ["W"]}
    expected = [
        textbook.individual_risk(row_by_row(model), row, domains, privileged, p) for row in rows
    ]
    np.testing.assert_allclose(risk.individual, expected, atol=1e-12)
    assert risk.value == pytest.approx(np.mean(expected), abs=1e-12)
    for name in PRIVILEGED:
        alone = textbook.exact_risk(row_by_row(model), rows, domains, {name: privileged[name]}, p)
        assert risk.by_attribute[name] == pytest.approx(alone, abs=1e-12)


@settings(deadline=None)
@given(populations, models, st.sampled_from(["exact", "sample"]), st.floats(0.05, 1))
def test_risk_lies_between_0_and_1(X, model, method, p):
    risk = assess_risk(model, X, PRIVILEGED, method=method, p=p, random_state=0)
    assert ((risk.risks >= 0) & (risk.risks <= 1)).all()
    assert 0 <= risk.value <= risk.worst_case <= 1


@given(populations)
def test_risk_is_zero_when_the_model_ignores_the_attribute(X):
    risk = assess_risk(lambda X: X["score"] > 2, X, PRIVILEGED)
    assert risk.value == 0
    assert risk.by_attribute.tolist() == [0, 0]
    assert risk.directions.empty
    assert len(risk.concerned) == 0


@given(populations)
def test_risk_of_a_model_that_copies_a_binary_attribute_is_exactly_one(X):
    risk = assess_risk(lambda X: X["sex"], X, PRIVILEGED)
    assert risk.value == 1
    assert risk.by_attribute.to_dict() == {"sex": 1, "race": 0}


def test_risk_of_a_row_that_always_changes_is_exactly_one_whatever_the_number_of_values():
    for n_values in range(2, 40):
        X = pd.DataFrame({"a": [f"value {i}" for i in range(n_values)]})
        first = assess_risk(lambda X: X["a"] == "value 0", X, {"a": "value 0"})
        assert (first.individual == 1).all()


@settings(deadline=None)
@given(populations, models, st.integers(1, 20), st.randoms())
def test_exact_risk_is_identical_for_any_chunk_size_and_row_order(X, model, chunk, random):
    risk = assess_risk(model, X, PRIVILEGED)
    order = list(range(len(X)))
    random.shuffle(order)
    shuffled = assess_risk(model, X.iloc[order], PRIVILEGED, chunk_size=chunk)
    assert shuffled.value == risk.value
    assert (shuffled.individual == risk.individual[order]).all()
    assert shuffled.by_attribute.equals(risk.by_attribute)


@settings(deadline=None)
@given(populations, models, st.integers(1, 20), st.integers(1, 4), st.floats(0.1, 1))
def test_sampled_risk_is_identical_for_any_chunk_size(X, model, chunk, n_samples, p):
    settings = {"method": "sample", "n_samples": n_samples, "p": p, "random_state": 7}
    whole = assess_risk(model, X, PRIVILEGED, **settings)
    parts = assess_risk(model, X, PRIVILEGED, chunk_size=chunk, **settings)
    assert (whole.risks == parts.risks).all()


@pytest.mark.parametrize("p", [1.0, 0.4])
def test_exact_risk_is_the_mean_of_sampled_risk(p):
    X, model = population(300, 0), arbitrary_model(0)
    exact = assess_risk(model, X, PRIVILEGED, p=p)
    sampled = [
        assess_risk(model, X, PRIVILEGED, method="sample", p=p, random_state=seed)
        for seed in range(200)
    ]
    values = np.array([risk.value for risk in sampled])
    error = values.std() / np.sqrt(len(values))
    assert abs(values.mean() - exact.value) < 4 * error
    alone = pd.DataFrame([risk.by_attribute for risk in sampled])
    error = alone.std() / np.sqrt(len(alone)) + 1e-12
    assert ((alone.mean() - exact.by_attribute).abs() < 4 * error).all()


def test_sampled_risk_is_the_textbooks_on_average():
    X, model = population(60, 1), arbitrary_model(1)
    rows = X.to_dict(orient="records")
    domains, privileged = {"sex": SEXES, "race": RACES}, {"sex": ["M"], "race": ["W"]}
    theirs = [
        textbook.sampled_risk(row_by_row(model), rows, domains, privileged, seed=seed)
        for seed in range(10)
    ]
    many = assess_risk(model, X, PRIVILEGED, method="sample", n_samples=500, random_state=0)
    assert np.mean(theirs) == pytest.approx(many.value, abs=0.06)


def test_rows_are_predicted_once_and_only_where_something_changed():
    asked = []

    def model(X):
        asked.append(X)
        return X["score"] > 2

    X = population(50, 0)
    assess_risk(model, X, PRIVILEGED, p=0.5)
    variants, again = asked[1].iloc[:-50], asked[1].iloc[-50:]
    assert len(asked) == 2
    pd.testing.assert_frame_equal(asked[0], X)
    pd.testing.assert_frame_equal(again, X.loc[again.index])  # 50 rows are predicted twice
    assert again.index.is_unique
    assert not (variants.groupby(level=0).apply(lambda g: g.duplicated().any())).any()
    original = X.loc[variants.index]
    assert (variants[["sex", "race"]] != original[["sex", "race"]]).any(axis=1).all()


def test_repeated_draws_of_the_same_perturbation_are_predicted_once():
    sizes = []

    def model(X):
        sizes.append(len(X))
        return X["sex"]

    X = population(50, 0)
    assess_risk(model, X, {"sex": "M"}, method="sample", n_samples=25, random_state=0)
    assert sizes == [len(X), len(X) + 50]


def test_without_single_attributes_only_all_together_is_predicted():
    sizes = []

    def model(X):
        sizes.append(len(X))
        return X["sex"]

    X = population(20, 0)
    risk = assess_risk(model, X, PRIVILEGED, method="sample", each_attribute=False)
    assert sizes == [len(X), 2 * len(X)]
    with pytest.raises(ValueError, match="each_attribute=True"):
        risk.by_attribute  # noqa: B018


def test_directions_are_changes_from_one_prediction_to_another():
    X = pd.DataFrame({"sex": ["M", "M", "M", "F"]})
    risk = assess_risk(lambda X: np.where(X["sex"] == "M", "yes", "no"), X, {"sex": "M"})
    assert risk.directions.values.tolist() == [["no", "yes", 0.25], ["yes", "no", 0.75]]


def test_directions_are_weighted_shares_that_sum_to_the_risk():
    X = pd.DataFrame({"sex": ["M", "F"]})
    risk = assess_risk(lambda X: X["sex"], X, {"sex": "M"}, sample_weight=[3, 1])
    assert risk.directions["share"].tolist() == [0.25, 0.75]
    assert risk.value == 1


def test_the_worst_case_counts_rows_that_any_perturbation_changes():
    X = pd.DataFrame({"race": ["W", "A", "B", "O"]})
    risk = assess_risk(lambda X: X["race"] == "B", X, {"race": "W"})
    assert risk.individual.tolist() == [1 / 3, 0, 1, 0]
    assert risk.value == pytest.approx(1 / 3)
    assert risk.worst_case == 0.5
    assert risk.concerned.tolist() == [2, 0]


def test_the_subgroup_difference_compares_privileged_with_marginalised_rows():
    X = pd.DataFrame({"race": ["W", "A", "B", "O"]})
    risk = assess_risk(lambda X: X["race"] == "B", X, {"race": "W"})
    row = risk.by_group.loc["race"]
    assert row["privileged"] == pytest.approx(1 / 3)
    assert row["marginalised"] == pytest.approx(1 / 3)
    assert row["difference"] == pytest.approx(0, abs=1e-15)


def test_the_groups_of_an_attribute_do_not_depend_on_the_other_attributes():
    X = pd.DataFrame({"sex": ["M", "M", "F", "F"], "race": ["W", "B", "W", "B"]})
    risk = assess_risk(lambda X: (X["sex"] == "M") & (X["race"] == "W"), X, PRIVILEGED)
    assert risk.by_group.loc["sex", ["privileged", "marginalised"]].tolist() == [0.5, 0.5]


def test_sample_weights_count_like_repeated_rows():
    X, model = population(30, 3), arbitrary_model(3)
    weights = np.random.default_rng(0).integers(0, 4, len(X))
    weighted = assess_risk(model, X, PRIVILEGED, sample_weight=weights)
    repeated = assess_risk(model, X.loc[X.index.repeat(weights)], PRIVILEGED)
    assert weighted.value == pytest.approx(repeated.value, abs=1e-12)
    pd.testing.assert_frame_equal(weighted.by_group, repeated.by_group)


def test_labels_of_any_type_and_number_are_compared():
    X = pd.DataFrame({"a": [0, 1, 2], "b": [0, 1, 0]})
    for labels in (["x", "y", "z"], [10, 20, 30], [1.0, 2.0, 3.0], [True, False, True]):
        risk = assess_risk(lambda X, labels=labels: np.array(labels)[X["a"]], X, {"a": 0})
        changes = [labels[0] != other for other in labels[1:]]
        assert risk.individual.tolist() == [np.mean(changes), *map(float, changes)]


def test_a_regressor_changes_when_it_moves_by_more_than_the_tolerance():
    X = pd.DataFrame({"sex": [0, 1, 0, 1], "z": [0.0, 1.0, 2.0, 3.0]})
    model = LinearRegression().fit(X, 0.5 * X["sex"] + X["z"])
    assert assess_risk(model, X, {"sex": 1}, tolerance=0.6).value == 0
    risk = assess_risk(model, X, {"sex": 1}, tolerance=0.4)
    assert risk.value == 1
    assert risk.directions.values.tolist() == [["any", "higher", 0.5], ["any", "lower", 0.5]]


@pytest.mark.parametrize(("tolerance", "value"), [(0, 1), (1, 1), (2, 0)])
def test_large_integers_have_no_noise(tolerance, value):
    X = pd.DataFrame({"sex": [0, 1]})
    risk = assess_risk(lambda X: 3 * 10**9 + 2 * X["sex"], X, {"sex": 1}, tolerance=tolerance)
    assert risk.value == value


def test_half_precision_is_read():
    X = np.array([[0, 1], [1, 2]], dtype=np.float16)
    assert assess_risk(lambda X: X[:, 0] > 0, X, {0: 1}).value == 1


def test_noise_in_the_last_digits_of_a_regressor_is_no_change():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"s": rng.integers(0, 2, 200), "v": rng.normal(size=200) * 100})
    model = LinearRegression().fit(X, X["v"])
    assert assess_risk(model, X, {"s": 1}, tolerance=0).value == 0


@pytest.mark.parametrize("chunk_size", [1, 3, 100])
def test_directions_are_identical_for_any_chunk_size(chunk_size):
    X = pd.DataFrame({"sex": ["M", "F"] * 4, "age": range(8)})
    model = lambda X: np.where(X["sex"] == "M", X["age"], X["age"] + 0.5)  # noqa: E731
    risk = assess_risk(model, X, {"sex": "M"}, chunk_size=chunk_size, tolerance=0)
    assert risk.directions.to_numpy().tolist() == [["any", "higher", 0.5], ["any", "lower", 0.5]]


def test_a_model_that_writes_into_what_it_is_given_changes_neither_x_nor_the_risk():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 2, 300), rng.normal(size=300)]).astype(float)
    y = (X[:, 0] + X[:, 1] > 0.5).astype(int)
    clean = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    rough = make_pipeline(StandardScaler(copy=False), LogisticRegression()).fit(X.copy(), y)
    before = X.copy()
    risks = [assess_risk(model, X, {0: 1}).value for model in (clean, rough)]
    assert risks[0] == risks[1] > 0
    assert (before == X).all()


def test_an_empty_group_gets_nan_and_a_warning():
    X = pd.DataFrame({"sex": ["M"] * 3})
    with pytest.warns(UserWarning, match="no marginalised row for 'sex': its mean risk") as seen:
        risk = assess_risk(
            lambda X: X["sex"], X, learn_attributes(X, {"sex": "M"}, domain={"sex": ["M", "F"]})
        )
    assert seen[0].filename == __file__
    assert risk.value == 1
    assert np.isnan(risk.by_group.loc["sex", "marginalised"])


@pytest.mark.filterwarnings("ignore:no marginalised row")
def test_one_row_and_one_person_are_written_in_the_singular():
    attributes = learn_attributes(pd.DataFrame({"sex": ["M", "F"]}), {"sex": "M"})
    one = pd.DataFrame({"sex": ["M"]})
    assert repr(assess_risk(lambda X: X["sex"], one, attributes)).endswith("exact, 1 row)>")
    risk = assess_risk(lambda X: X["sex"], one, attributes, person=["ann"])
    assert repr(risk).endswith("exact, 1 row about 1 person)>")


def test_a_group_whose_weights_are_all_0_gets_nan_and_a_warning():
    X = pd.DataFrame({"sex": ["M", "M", "F"]})
    with pytest.warns(UserWarning, match="no marginalised row for 'sex' with a weight above 0"):
        risk = assess_risk(lambda X: X["sex"], X, {"sex": "M"}, sample_weight=[1, 1, 0])
    assert np.isnan(risk.by_group.loc["sex", "marginalised"])


def test_a_model_that_returns_the_same_array_again_and_again_has_its_risk():
    X = pd.DataFrame({"sex": ["M", "F"] * 50, "age": range(100)})
    shared = np.zeros(1000, dtype=int)

    def predict(X):
        shared[: len(X)] = (X["sex"] == "M") & (X["age"] > 50)
        return shared[: len(X)]

    assert assess_risk(predict, X, {"sex": "M"}).value == 0.49


def test_accuracy_before_and_after_is_in_the_table_if_labels_are_given():
    X = pd.DataFrame({"sex": ["M", "M", "F", "F"]})
    risk = assess_risk(lambda X: X["sex"] == "M", X, {"sex": "M"}, y=[True, True, False, True])
    row = risk.table().loc["sex"]
    assert (row["accuracy"], row["accuracy_perturbed"]) == (0.75, 0.25)


def test_pipelines_on_raw_columns_work_on_frames_and_arrays_alike():
    bunch = datasets.load("credit")
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["sex", "age", "status"]),
        remainder="drop",
    )
    model = make_pipeline(encode, RandomForestClassifier(20, random_state=0))
    model.fit(bunch.data, bunch.target)
    risk = assess_risk(model, bunch.data, bunch.privileged)
    assert 0 < risk.value < 1
    numbers = datasets.binarize(bunch).iloc[:, :-1]
    tree = DecisionTreeClassifier(random_state=0).fit(numbers.to_numpy(), bunch.target)
    columns = {numbers.columns.get_loc(name): 1 for name in bunch.privileged}
    named = DecisionTreeClassifier(random_state=0).fit(numbers, bunch.target)
    by_name = assess_risk(named, numbers, {"sex": 1, "age": 1})
    assert assess_risk(tree, numbers.to_numpy(), columns).value == by_name.value > 0


def test_polars_frames_give_the_same_risk():
    X, model = population(40, 5), arbitrary_model(5)
    pandas, polars = (assess_risk(model, x, PRIVILEGED) for x in (X, pl.from_pandas(X)))
    assert (pandas.risks == polars.risks).all()


def test_an_unfitted_estimator_raises_not_fitted_error():
    with pytest.raises(NotFittedError):
        assess_risk(DecisionTreeClassifier(), pd.DataFrame({"a": [0, 1]}), {"a": 1})


def test_rows_with_a_missing_value_are_kept_unperturbed_and_belong_to_no_group():
    X = pd.DataFrame({"sex": ["M", "F", None]})
    risk = assess_risk(
        lambda X: X["sex"] == "M", X, learn_attributes(X, {"sex": "M"}, missing="keep")
    )
    np.testing.assert_array_equal(risk.individual, [1, 1, np.nan])
    assert risk.concerned.tolist() == [0, 1]
    assert risk.groups.tolist() == [[1, 0, 2]]


def test_the_representation_has_the_risk_in_words():
    X = pd.DataFrame({"sex": ["M", "F"] * 50})
    risk = assess_risk(lambda X: X["sex"], X, {"sex": "M"})
    assert "100.0 % of predictions change when only sex is perturbed" in repr(risk)
    assert "average" not in repr(risk)
    assert "<table" in risk._repr_html_()
    assert risk.table().columns.tolist() == [
        "risk",
        "low",
        "high",
        "worst_case",
        "privileged",
        "marginalised",
        "difference",
    ]


def test_the_repr_names_several_attributes_and_followers_unambiguously():
    X = pd.DataFrame({"sex": ["M", "F"], "age": [2, 1], "title": ["Mr", "Ms"]})
    rules = {"title": {"sex": {"M": {"Ms": "Mr"}}}}
    attributes = learn_attributes(X, {"sex": "M", "age": 2}, coupled=rules)
    risk = assess_risk(lambda X: X["sex"] == "M", X, attributes)
    assert "when only sex and age are perturbed and title follows (" in repr(risk)


def test_the_interval_names_its_method_and_contains_the_value():
    X, model = population(200, 0), arbitrary_model(0)
    risk = assess_risk(model, X, PRIVILEGED)
    for method in ("clopper-pearson", "wilson", "chernoff"):
        interval = risk.interval(0.9, method=method)
        assert (interval.confidence, interval.method) == (0.9, method)
        assert interval.low < risk.value < interval.high
    assert risk.interval(0.99).high > risk.interval(0.9).high


def test_unequal_weights_widen_the_interval():
    X, model = population(200, 0), arbitrary_model(0)
    weights = np.where(np.arange(len(X)) < 20, 100, 1)
    even = assess_risk(model, X, PRIVILEGED)
    uneven = assess_risk(model, X, PRIVILEGED, sample_weight=weights)
    assert uneven.n_effective < even.n_effective == len(X)


@pytest.mark.parametrize("make", [clopper_pearson, wilson, chernoff])
@pytest.mark.parametrize("fractional", [False, True])
@pytest.mark.parametrize("mu", [0.03, 0.3])
def test_intervals_cover_at_least_as_often_as_their_confidence(make, fractional, mu):
    rng, n = np.random.default_rng(0), 400
    values = rng.random((1000, n)) < mu if not fractional else rng.binomial(4, mu, (1000, n)) / 4
    intervals = [make(mean, n, 0.95) for mean in values.mean(axis=1)]
    covered = np.mean([interval.low <= mu <= interval.high for interval in intervals])
    assert covered >= 0.935


@pytest.mark.parametrize("make", [clopper_pearson, wilson, chernoff])
@pytest.mark.parametrize("mean", [0.0, 1e-9, 0.5, 0.99, 1.0])
@pytest.mark.parametrize("n", [1, 1000])
def test_intervals_stay_within_0_and_1_and_contain_the_mean(make, mean, n):
    low, high, *_ = make(mean, n, 0.95)
    assert 0 <= low <= mean + 1e-12
    assert mean - 1e-12 <= high <= 1


def test_a_predictor_counts_every_change_unless_a_tolerance_is_given():
    before, after = np.array([1.0, 2.0]), np.array([1.5, 2.0])
    assert Predictor(None).loss(before, after).tolist() == [True, False]
    assert Predictor(None, tolerance=0.5).loss(before, after).tolist() == [False, False]


@pytest.mark.parametrize("size", [0.25, 0.75])
def test_predictions_with_fractions_move_up_or_down(size):
    X = pd.DataFrame({"sex": ["M", "F"]})
    model = lambda X: np.where(X["sex"] == "M", size, 0.0)  # noqa: E731
    risk = assess_risk(model, X, {"sex": "M"}, tolerance=0)
    assert risk.directions["to"].tolist() == ["higher", "lower"]


def test_figures_of_all_rows_are_those_of_all_attributes_together():
    X = population(60, 0)
    X.loc[:19, "sex"] = None
    X.loc[:9, "race"] = None
    attributes = learn_attributes(X, PRIVILEGED, missing="keep")
    risk = assess_risk(lambda X: X["race"] == "W", X, attributes)
    table = risk.table()
    together = table.loc["all"]
    assert [risk.value, *risk.interval()[:2]] == together[["risk", "low", "high"]].tolist()
    assert risk.value == together["risk"] != table.loc["sex", "risk"]
    assert risk.n_not_perturbed == together["not_perturbed"] == 10
    assert risk.n_effective == len(X) - 10


def test_quantities_that_are_integers_in_one_chunk_need_not_be_labels():
    X = pd.DataFrame({"sex": ["M", "F"] * 2, "amount": [1.0, 2.0, 0.5, 1.5]})
    model = lambda X: X["amount"] + (X["sex"] == "M")  # noqa: E731
    risk = assess_risk(model, X, {"sex": "M"}, y=[9.0] * 4, tolerance=0.0, chunk_size=2)
    assert risk.value == 1


def test_a_risk_of_0_is_shown_with_what_it_does_not_say():
    X = pd.DataFrame({"sex": ["m", "f"] * 20, "age": range(40)})
    risk = assess_risk(lambda X: X["age"] > 20, X, {"sex": "m"})
    assert "probably does not use sex. Other columns can be proxies" in repr(risk)


@pytest.mark.parametrize("argument", ["sample_weight", "person"])
@pytest.mark.parametrize("assess", [assess_risk, assess_shift])
def test_a_model_that_lacks_the_column_of_an_argument_has_a_note_of_it(assess, argument):
    X = pd.DataFrame({"sex": ["M", "F"], "income": [1, 2]})
    for rows in (X, [X]):
        with pytest.raises(KeyError) as error:
            assess(lambda X: X["income"] / 2, rows, {"sex": "M"}, **{argument: "income"})
        [note] = [one for one in error.value.__notes__ if "without this column" in one]
        assert f"{argument} is 'income', a column of X" in note
        assert f"pass its values as {argument}" in note


def test_other_errors_of_a_model_have_no_note_of_columns():
    X = pd.DataFrame({"sex": ["M", "F"], "w": [1, 2]})
    with pytest.raises(KeyError, match="income") as error:
        assess_risk(lambda X: X["income"], X, {"sex": "M"}, sample_weight="w")
    assert not hasattr(error.value, "__notes__")
