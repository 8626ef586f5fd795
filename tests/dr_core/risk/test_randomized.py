"""Models that draw their predictions, that answer differently when asked twice, and scores."""

from decimal import Decimal
from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import BaseEstimator
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from dr_core import (
    Predictions,
    RandomizedModel,
    assess_risk,
    compare,
    datasets,
    learn_attributes,
)
from dr_core.risk._changes import choose_repeated
from dr_core.risk._predictor import _unwrap
from dr_core.risk._randomized import find_flows, total_variation

SEX = {"sex": "M"}


def people(n=400, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"sex": rng.choice(["M", "F"], n), "score": rng.normal(size=n)})


class FrozenEstimator(BaseEstimator):
    """scikit-learn's class of this name, which its oldest supported version lacks."""

    def __init__(self, estimator):
        self.estimator = estimator


def distribution(X):
    """P(0), P(1), P(2): women get class 0 more often."""
    high = 1 / (1 + np.exp(-X["score"].to_numpy()))
    low = np.where(X["sex"] == "F", 0.5, 0.2) * (1 - high)
    return np.column_stack([low, 1 - low - high * 0.5, high * 0.5])


THREE = RandomizedModel(distribution, [0, 1, 2])


def smallest_change(before, after):
    """The smallest P(f ≠ f̃) of any joint distribution, by the sum of what both share."""
    return 1 - sum(min(p, q) for p, q in zip(before, after, strict=True))


def test_the_risk_is_the_total_variation():
    X = people()
    flipped = X.assign(sex=np.where(X["sex"] == "M", "F", "M"))
    pairs = zip(distribution(X), distribution(flipped), strict=True)
    expected = [smallest_change(before, after) for before, after in pairs]
    risk = assess_risk(THREE, X, SEX)
    np.testing.assert_allclose(risk.individual, expected, atol=1e-12)
    assert risk.value == pytest.approx(np.mean(expected))


@pytest.mark.parametrize("chunk_size", [1, 7, None])
def test_a_model_that_never_sees_the_attribute_has_no_risk_whatever_it_draws(chunk_size):
    rng = np.random.default_rng(1)
    weights = rng.normal(size=(1, 300)).astype(np.float32)

    def blind(X):
        hidden = np.tanh(X[["score"]].to_numpy(np.float32) @ weights)
        high = 1 / (1 + np.exp(-hidden @ weights[0] / 300))
        return np.column_stack([1 - high, high])

    model = RandomizedModel(blind, ["no", "yes"])
    risk = assess_risk(model, people(100), SEX, chunk_size=chunk_size)
    assert risk.value == 0
    assert risk.worst_case == 0


def test_a_certain_model_has_the_same_result_as_a_function():
    X = people()
    y = (X["score"] > 0.2).astype(int)
    rule = lambda X: (X["score"] > np.where(X["sex"] == "M", 0, 0.5)).astype(int)  # noqa: E731
    certain = RandomizedModel(lambda X: np.eye(2)[rule(X)], [0, 1])
    expected, found = (assess_risk(model, X, SEX, y=y) for model in (rule, certain))
    pd.testing.assert_frame_equal(found.table(), expected.table())
    pd.testing.assert_frame_equal(found.directions, expected.directions)


def test_accuracy_is_the_probability_of_the_label():
    X = people()
    y = np.arange(len(X)) % 3
    table = assess_risk(THREE, X, SEX, y=y).table()
    assert table.loc["sex", "accuracy"] == pytest.approx(
        distribution(X)[np.arange(len(X)), y].mean()
    )


def test_directions_add_up_to_the_risk():
    risk = assess_risk(THREE, people(), SEX)
    assert risk.directions["share"].sum() == pytest.approx(risk.value)


def test_parts_give_the_result_of_the_whole():
    X = people()
    parts, whole = (assess_risk(THREE, some, SEX) for some in ([X[:150], X[150:]], X))
    assert parts.value == whole.value
    pd.testing.assert_frame_equal(parts.directions, whole.directions)


def test_one_draw_of_the_predictions_follows_the_distribution():
    X = pd.concat([people(1)] * 4000, ignore_index=True)
    X.loc[0, "sex"] = "M" if X.loc[0, "sex"] == "F" else "F"  # nothing to perturb otherwise
    risk = assess_risk(THREE, X, SEX)
    drawn = risk.draw_predictions(0)
    shares = [np.mean(drawn == label) for label in (0, 1, 2)]
    assert shares == pytest.approx(distribution(X)[1].tolist(), abs=0.03)
    assert (drawn == risk.draw_predictions(0)).all()


@given(arrays(float, (5, 3), elements=st.floats(0.01, 1)), st.integers(0, 4))
def test_flows_join_the_two_draws_and_change_as_rarely_as_possible(parts, shift):
    before = parts / parts.sum(axis=1, keepdims=True)
    after = np.roll(before, shift, axis=0)
    flows = find_flows(before, after)
    assert sum((mass for *_, mass in flows), np.zeros(5)) == pytest.approx(
        total_variation(before, after), abs=1e-8
    )
    for label, row in product(range(3), range(5)):
        lost = sum(mass[row] for a, _, mass in flows if a == label)
        gained = sum(mass[row] for _, b, mass in flows if b == label)
        assert gained - lost == pytest.approx(after[row, label] - before[row, label], abs=1e-8)


class TestAskedTwice:
    def test_a_model_that_draws_is_refused_with_the_share_and_the_remedy(self):
        rng = np.random.default_rng(0)
        with pytest.raises(ValueError, match=r"of 50 rows \(.*RandomizedModel"):
            assess_risk(lambda X: rng.random(len(X)) > 0.5, people(), SEX)

    def test_the_share_of_different_answers_is_stated(self):
        answers = iter([np.zeros(50), np.r_[np.zeros(50), np.ones(20), np.zeros(30)]])
        with pytest.raises(ValueError, match=r"differ for 20 of 50 rows \(40.0 %\)"):
            assess_risk(lambda X: next(answers), people(50), SEX)

    def test_a_model_whose_answer_depends_on_the_other_rows_is_refused(self):
        among_the_best = lambda X: X["score"].rank(ascending=False) <= 20  # noqa: E731
        with pytest.raises(ValueError, match=r"other rows of the batch.* each row alone"):
            assess_risk(among_the_best, people(60), SEX)

    @pytest.mark.parametrize(("apart", "calls"), [(8000, [8000, 8000, 240]), (8001, [8000, 8240])])
    def test_few_rows_of_many_are_predicted_twice(self, monkeypatch, apart, calls):
        monkeypatch.setattr("dr_core.risk._changes.MIN_VARIANTS_APART", apart)
        asked = []
        model = lambda X: (asked.append(len(X)), X["score"] > 0)[1]  # noqa: E731
        assess_risk(model, people(8000), SEX)
        assert asked == calls

    @pytest.mark.parametrize(("n", "calls"), [(99_999, 2), (100_000, 3)])
    def test_many_perturbed_rows_are_predicted_in_a_call_of_their_own(self, n, calls):
        asked = []
        X = pd.DataFrame({"sex": np.arange(n) % 2})
        assess_risk(lambda X: asked.append(len(X)) or X["sex"], X, {"sex": 1})
        assert len(asked) == calls

    def test_rows_from_the_first_to_the_last_are_predicted_twice(self):
        assert choose_repeated(30).tolist() == list(range(30))
        repeated = choose_repeated(8000)
        assert repeated[[0, -1]].tolist() == [0, 7999]
        assert len(set(repeated.tolist())) == 240

    @pytest.mark.parametrize("chunk_size", [1, 7, 100])
    def test_small_chunks_do_not_hide_the_randomness(self, chunk_size):
        rng = np.random.default_rng(0)
        draw = lambda X: rng.random(len(X)) > 0.5  # noqa: E731
        with pytest.raises(ValueError, match=r"of (5\d|1\d\d) rows \(.*predicted twice"):
            assess_risk(draw, people(), SEX, chunk_size=chunk_size)

    def test_randomness_in_the_last_rows_only_is_found(self):
        rng = np.random.default_rng(0)
        X = people(2000).sort_values("sex")  # F before M
        draw = lambda X: (X["sex"] == "M") & (rng.random(len(X)) > 0.5)  # noqa: E731
        with pytest.raises(ValueError, match="predicted twice"):
            assess_risk(draw, X, SEX, chunk_size=500)

    @pytest.mark.parametrize("n", [300, 6000])
    def test_rows_without_perturbations_do_not_hide_the_randomness(self, n):
        rng = np.random.default_rng(0)
        X = people(n)
        X.loc[: n - 3, "sex"] = None
        attributes = learn_attributes(X, SEX, missing="keep", domain={"sex": ["F", "M"]})
        draw = lambda X: rng.random(len(X)) > 0.5  # noqa: E731
        with pytest.raises(ValueError, match="predicted twice"):
            assess_risk(draw, X, attributes, chunk_size=100)

    def test_a_known_distribution_is_found_in_what_wraps_the_model(self):
        model = make_pipeline(FunctionTransformer(), THREE)
        expected = assess_risk(THREE, people(), SEX).value
        for wrapped in (model, FrozenEstimator(model), SimpleNamespace(best_estimator_=model)):
            wrapped.predict = len  # not called
            assert assess_risk(wrapped, people(), SEX).value == expected

    def test_only_the_method_predict_stands_for_its_model(self):
        class Model:
            def decide(self, X): ...
            def predict(self, X): ...

        model = Model()
        assert _unwrap(model.predict) is model
        assert _unwrap(model.decide) == model.decide

    def test_a_constant_seed_does_not_hide_the_randomness(self):
        seeded = lambda X: np.random.default_rng(0).random(len(X)) > 0.5  # noqa: E731
        with pytest.raises(ValueError, match="predicted twice"):
            assess_risk(seeded, people(), SEX)


class TestScores:
    @pytest.mark.parametrize(
        "form",
        [
            np.ravel,
            lambda a: a.reshape(-1, 1),
            np.float32,
            lambda a: a.astype(object),
            lambda a: a.astype(object).reshape(-1, 1),
            lambda a: list(map(Decimal, a)),
        ],
    )
    def test_scores_are_refused_with_the_remedy(self, form):
        scores = lambda X: form(1 / (1 + np.exp(-X["score"].to_numpy())))  # noqa: E731
        with pytest.raises(ValueError, match=r"not decisions.*> 0.5.*tolerance="):
            assess_risk(scores, people(), SEX)

    def test_a_regressor_is_refused_even_if_it_predicts_integers(self):
        X = pd.DataFrame({"sex": [0, 1] * 10, "a": np.arange(20.0)})
        model = LinearRegression().fit(X, X["a"])
        model.coef_ = np.array([1.0, 0.0])
        model.intercept_ = 0.0
        with pytest.raises(ValueError, match="not decisions"):
            assess_risk(model, X, {"sex": 1})

    @pytest.mark.parametrize("dtype", [int, float, object])
    @pytest.mark.parametrize("chunk_size", [10, None])
    def test_scores_without_fractions_are_refused(self, dtype, chunk_size):
        points = lambda X: (  # noqa: E731
            (X["score"].to_numpy() * 100 + 5 * (X["sex"] == "M")).astype(int).astype(dtype)
        )
        with pytest.raises(ValueError, match=r"not decisions.*tolerance="):
            assess_risk(points, people(), SEX, chunk_size=chunk_size)
        assert assess_risk(points, people(), SEX, tolerance=0, chunk_size=chunk_size).value > 0.9

    def test_objects_that_are_floats_are_compared_with_the_tolerance(self):
        scores = lambda X: (X["score"] + (X["sex"] == "M") * 0.3).astype(object)  # noqa: E731
        assert assess_risk(scores, people(), SEX, tolerance=0.5).value == 0

    def test_a_comparison_refuses_scores_with_the_remedy(self):
        X = people()
        scores = lambda X: X["score"].to_numpy()  # noqa: E731
        for model in (scores, Predictions(scores(X))):
            with pytest.raises(ValueError, match=r"'m' are numbers.*> 0.5.*assess_shift"):
                compare({"m": model}, X, (X["score"] > 0).astype(int), SEX)

    def test_scores_are_compared_if_a_tolerance_is_given(self):
        scores = lambda X: X["score"] + (X["sex"] == "M") * 0.3  # noqa: E731
        assert assess_risk(scores, people(), SEX, tolerance=0).value == 1
        assert assess_risk(scores, people(), SEX, tolerance=0.5).value == 0

    def test_labels_that_are_floats_are_decisions(self):
        assert assess_risk(lambda X: (X["score"] > 0) * 2.0, people(), SEX).value == 0


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("chunk_size", [1, 7, 100, None])
def test_the_noise_of_a_network_in_any_precision_is_no_change(dtype, chunk_size):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 100)).astype(dtype)
    X[:, 0] = rng.integers(0, 2, 300)
    first, second = rng.normal(size=(2, 100, 100)).astype(dtype) / 10
    first[0] = 0  # it ignores the attribute
    network = lambda X: np.maximum(X @ first, 0) @ second[:, 0]  # noqa: E731
    assert assess_risk(network, X, {0: 1}, tolerance=0, chunk_size=chunk_size).value == 0


class TestLabels:
    @pytest.mark.parametrize("labels", [["no", "yes"], ["0", "1"], [1, 2]])
    def test_a_model_of_other_labels_than_y_is_refused_naming_both(self, labels):
        ricci = datasets.load("ricci")
        X, y = ricci.data[["Race", "Combine"]], np.asarray(labels)[ricci.target]
        with pytest.raises(ValueError, match=r"predicts 0, 1, but y has|not among"):
            assess_risk(Threshold(), X, {"Race": "W"}, y=y)

    def test_a_label_that_the_model_never_predicts_is_fine(self):
        ricci = datasets.load("ricci")
        X = ricci.data[["Race", "Combine"]]
        assert assess_risk(Threshold(1000), X, {"Race": "W"}, y=ricci.target).value == 0


class Threshold:
    """A model with classes_."""

    classes_ = np.array([0, 1])

    def __init__(self, limit=70):
        self.limit = limit

    def predict(self, X):
        return (X["Combine"] > self.limit).astype(int)
