import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from benchmarks.paper.boosting import ResampledBoosting


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 4))
    return X, (X[:, 0] + random.normal(size=200) > 0).astype(int)


@pytest.fixture(scope="module")
def model(data):
    return ResampledBoosting(DecisionTreeClassifier(max_depth=2), 5, random_state=0).fit(*data)


def test_members_vote_as_freund_and_schapire_say(data, model):
    X, y = data
    weights, expected = [1 / len(y)] * len(y), []
    for member in model.estimators_:
        wrong = member.predict(X) != y
        error = sum(w for w, bad in zip(weights, wrong, strict=True) if bad)
        vote = 0.5 * np.log((1 - error) / error)
        expected.append(vote)
        weights = [
            w * np.exp(vote if bad else -vote) for w, bad in zip(weights, wrong, strict=True)
        ]
        weights = [w / sum(weights) for w in weights]
    np.testing.assert_allclose(model.estimator_weights_, expected)


def test_prediction_is_the_sign_of_the_weighted_votes(data, model):
    X, _ = data
    votes = np.array([2 * member.predict(X) - 1 for member in model.estimators_])
    expected = (model.estimator_weights_ @ votes > 0).astype(int)
    assert (model.predict(X) == expected).all()


def test_a_perfect_member_does_not_end_it():
    X = np.arange(20.0)[:, None]
    model = ResampledBoosting(DecisionTreeClassifier(), 7, random_state=0).fit(X, X[:, 0] > 9)
    assert len(model.estimators_) == 7
    assert np.isfinite(model.estimator_weights_).all()


def test_the_same_seed_gives_the_same_members(data, model):
    again = ResampledBoosting(DecisionTreeClassifier(max_depth=2), 5, random_state=0).fit(*data)
    assert (again.estimator_weights_ == model.estimator_weights_).all()
