"""fairlearn's models that draw their predictions, without a wrapper."""

from types import SimpleNamespace

import fairlearn
import numpy as np
import pandas as pd
import pytest
from fairlearn.metrics import selection_rate
from fairlearn.postprocessing import ThresholdOptimizer
from fairlearn.reductions import BoundedGroupLoss, DemographicParity, ExponentiatedGradient
from fairlearn.reductions import SquareLoss as SquaredLoss
from packaging.version import Version
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from dr_core import RandomizedModel, assess_risk, compare
from fairlearn_dr import dr_metric_frame, perturbed_predictions, risk_scorer

# fairlearn's own fit warns with some versions of pandas.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]

SEX, BOTH = {"sex": 1}, {"sex": 1, "race": 1}
WORDS = {"sex": {0: "F", 1: "M"}, "race": {0: "B", 1: "W", 2: "O"}}


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    n = 600
    frame = pd.DataFrame(
        {
            "sex": rng.choice([1, 0], n),
            "race": rng.choice([1, 0, 2], n, p=[0.6, 0.2, 0.2]),
            "a": rng.normal(size=n),
            "b": rng.normal(size=n),
        }
    )
    y = (frame["a"] + frame["sex"] + rng.normal(size=n) > 0.5).astype(int)
    return frame, y


def in_words(X):
    return X.assign(**{name: X[name].map(words) for name, words in WORDS.items()})


class Codes(FunctionTransformer):
    """Some columns, sensitive ones as numbers."""

    def __init__(self, columns=("sex", "race", "a", "b")):
        self.columns = columns
        super().__init__(self._encode)

    def _encode(self, X):
        codes = {word: code for words in WORDS.values() for code, word in words.items()}
        return pd.DataFrame(
            {name: X[name].map(lambda value: codes.get(value, value)) for name in self.columns}
        ).astype(float)


def make_optimizer(X, y, sensitive, columns=("sex", "race", "a", "b")):
    model = make_pipeline(Codes(columns), LogisticRegression())
    optimizer = ThresholdOptimizer(
        estimator=model, constraints="equalized_odds", predict_method="predict_proba"
    )
    return optimizer.fit(X, y, sensitive_features=X[sensitive])


def make_mixture(X, y, columns, group="sex"):
    class Tree(DecisionTreeClassifier):
        def fit(self, X, y, sample_weight=None):
            return super().fit(Codes(columns).transform(X), y, sample_weight)

        def predict(self, X):
            return super().predict(Codes(columns).transform(X))

    mixture = ExponentiatedGradient(
        Tree(max_depth=4, random_state=0), DemographicParity(), eps=0.01
    )
    return mixture.fit(X, y, sensitive_features=X[group])


def share_of_draws(draw, n_draws=500):
    return np.mean([draw(seed) for seed in range(n_draws)], axis=0)


def flip(X):
    return X.assign(sex=1 - X["sex"])


class TestExponentiatedGradient:
    def test_without_the_attribute_there_is_no_risk(self, people):
        X, y = people
        mixture = make_mixture(X, y, ("a", "b"))
        assert len(mixture.weights_[mixture.weights_ > 0]) > 1  # it draws
        assert assess_risk(mixture, X, SEX).value == 0
        assert risk_scorer(SEX)(mixture, X, y) == 0
        assert dr_metric_frame(mixture, X, y, privileged=SEX).overall["discriminative_risk"] == 0
        assert compare({"m": mixture}, X, y, SEX).table()["discriminative_risk"].item() == 0

    def test_the_risk_is_the_difference_of_the_probabilities(self, people):
        X, y = people
        mixture = make_mixture(X, y, ("sex", "race", "a", "b"), "race")
        before, after = (mixture._pmf_predict(some)[:, 1] for some in (X, flip(X)))
        expected = np.abs(np.asarray(before) - np.asarray(after))
        risk = assess_risk(mixture, X, SEX)
        np.testing.assert_allclose(risk.individual, expected, atol=1e-9)
        assert risk.value > 0

    def test_predictors_need_no_classes(self, people):
        X, y = people
        mixture = make_mixture(X, y, ("sex", "race", "a", "b"), "race")
        expected = assess_risk(mixture, X, SEX).value
        mixture.predictors_ = mixture.predictors_.map(
            lambda one: SimpleNamespace(predict=one.predict)
        )
        assert assess_risk(mixture, X, SEX).value == expected

    def test_its_method_predict_is_the_same(self, people):
        X, y = people
        mixture = make_mixture(X, y, ("sex", "race", "a", "b"), "race")
        assert assess_risk(mixture.predict, X, SEX).value == assess_risk(mixture, X, SEX).value

    def test_in_a_pipeline_it_is_the_same(self, people):
        X, y = people
        mixture = make_mixture(X, y, ("sex", "race", "a", "b"), "race")
        pipeline = make_pipeline(FunctionTransformer(), mixture)
        assert assess_risk(pipeline, X, SEX).value == assess_risk(mixture, X, SEX).value

    def test_a_mixture_of_regressors_is_refused(self, people):
        X, y = people
        numbers = Codes().transform(X)
        constraint = BoundedGroupLoss(SquaredLoss(0, 1), upper_bound=0.01)
        mixture = ExponentiatedGradient(LinearRegression(), constraint)
        mixture.fit(numbers, y, sensitive_features=X["sex"])
        with pytest.raises(ValueError, match=r"not decisions|predicted twice"):
            assess_risk(mixture, numbers, {"sex": 1})


class TestThresholdOptimizer:
    @pytest.mark.parametrize("sensitive", [["sex"], ["race", "sex"]])
    def test_the_risk_is_exact_without_a_lambda(self, people, sensitive):
        X, y = people
        optimizer = make_optimizer(X, y, sensitive)
        before, after = (
            optimizer._pmf_predict(some, sensitive_features=some[sensitive])[:, 1]
            for some in (X, flip(X))
        )
        risk = assess_risk(optimizer, X, BOTH)
        expected = np.mean(np.abs(before - after))
        assert risk.by_attribute["sex"] == pytest.approx(expected, abs=1e-12)
        assert 0 < risk.by_attribute["sex"] < 1

    @pytest.mark.skipif(
        Version(fairlearn.__version__) < Version("0.8"), reason="fairlearn 0.7 refuses words in X"
    )
    @pytest.mark.parametrize("sensitive", [["sex"], ["race", "sex"]])
    def test_words_and_numbers_have_the_same_risk(self, people, sensitive):
        X, y = people
        risks = [
            assess_risk(make_optimizer(some, y, sensitive), some, privileged).value
            for some, privileged in ((X, BOTH), (in_words(X), {"sex": "M", "race": "W"}))
        ]
        assert risks[0] == pytest.approx(risks[1])

    def test_the_distribution_is_that_of_many_draws(self, people):
        X, y = people
        optimizer = make_optimizer(X, y, ["sex"])
        drawn = share_of_draws(
            lambda seed: optimizer.predict(X, sensitive_features=X["sex"], random_state=seed)
        )
        predicted = assess_risk(optimizer, X, SEX).predictions[:, 1]
        np.testing.assert_allclose(drawn, predicted, atol=0.09)

    def test_an_inner_model_without_the_attribute_gets_its_own_columns(self, people):
        X, y = people
        inner = LogisticRegression().fit(X[["a", "b"]], y)
        optimizer = ThresholdOptimizer(
            estimator=inner, prefit=True, predict_method="predict_proba"
        ).fit(X[["a", "b"]], y, sensitive_features=X["sex"])
        assert assess_risk(optimizer, X[["sex", "a", "b"]], SEX).value > 0

    def test_groups_that_have_no_thresholds_are_refused(self, people):
        X, y = people
        optimizer = make_optimizer(X, y, ["sex"])
        with pytest.raises(ValueError, match=r"thresholds for the groups.*no choice"):
            assess_risk(optimizer, X.assign(sex=X["sex"].replace({0: 5})), SEX)

    @pytest.mark.parametrize("sensitive", [["sex"], ["sex", "race"]])
    @pytest.mark.parametrize("chunk_size", [1, 5])
    def test_the_choice_of_columns_does_not_depend_on_chunks(self, people, sensitive, chunk_size):
        optimizer = make_optimizer(*people, sensitive)
        # Some chunks have no race 2, so that both columns have the values 0 and 1.
        X = people[0][:50]
        options = {"privileged": BOTH}
        expected = assess_risk(optimizer, X, **options).value
        assert assess_risk(optimizer, X, **options, chunk_size=chunk_size).value == expected
        assert assess_risk(optimizer, [X[:2], X[2:]], **options).value == expected

    def test_columns_that_cannot_be_told_apart_are_refused(self, people):
        X, y = people
        X = X.assign(race=(X["race"] == 1) * 1)
        optimizer = make_optimizer(X, y, ["sex"])
        with pytest.raises(ValueError, match="several choices"):
            assess_risk(optimizer, X, {"sex": 1, "race": 1})
        assert assess_risk(optimizer, X, {"sex": 1}).value > 0


def test_a_frame_has_exact_risk_and_metrics_of_one_draw(people):
    X, y = people
    optimizer = make_optimizer(X, y, ["sex"])
    frames = [
        dr_metric_frame(
            optimizer, X, y, privileged=SEX, metrics={"rate": selection_rate}, random_state=seed
        )
        for seed in (0, 0, 1)
    ]
    risks, rates = ([frame.overall[name] for frame in frames] for name in frames[0].overall.index)
    assert risks == [assess_risk(optimizer, X, SEX).value] * 3
    assert rates[0] == rates[1] != rates[2]


def test_perturbed_predictions_of_a_model_that_draws_are_refused(people):
    X, y = people
    optimizer = make_optimizer(X, y, ["sex"])
    with pytest.raises(ValueError, match="individual_risk"):
        perturbed_predictions(optimizer, X, privileged=SEX)
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="predicted twice"):
        perturbed_predictions(lambda X: rng.random(len(X)) > 0.5, X, privileged=SEX)


def test_a_comparison_has_the_expected_measures_of_a_randomised_model(people):
    X, y = people
    coin = RandomizedModel(
        lambda X: np.column_stack([0.7 - 0.2 * X["sex"], 0.3 + 0.2 * X["sex"]]),
        [0, 1],
    )
    values = compare({"coin": coin}, X, y, SEX, n_boot=100, random_state=0).table().loc["coin"]
    assert values["discriminative_risk"].item() == pytest.approx(0.2)
    assert values["demographic_parity"].item() == pytest.approx(0.2)
    chance = np.where(X["sex"] == 1, 0.5, 0.3)
    assert values["accuracy"].item() == pytest.approx(np.where(y, chance, 1 - chance).mean())
