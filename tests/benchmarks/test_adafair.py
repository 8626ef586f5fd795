import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier
from textbook import adafair as textbook

from benchmarks.paper.adafair import AdaFair, Gaps, Rows


def biased_rows(n=300, seed=0):
    """Two groups; the label of the smaller one follows another feature, with noise."""
    random = np.random.default_rng(seed)
    protected = random.random(n) < 0.25
    X = random.normal(size=(n, 3)).astype(np.float32)
    y = (np.where(protected, X[:, 1], X[:, 0]) + random.normal(0, 0.5, n) > 0.3).astype(int)
    return X, y, protected


def gap(model, X, y, protected):
    return sum(map(abs, Rows(y.astype(bool), protected).gaps(model.predict(X) == 1)))


@pytest.mark.parametrize("tolerance", [0.0, 0.2])
@pytest.mark.parametrize("balance", [0.0, 0.5, 1.0])
def test_it_keeps_the_learners_of_the_textbook(tolerance, balance):
    X, y, protected = biased_rows()
    expected = textbook.learners_and_weights(
        lambda: DecisionTreeClassifier(max_depth=1, random_state=0),
        X, y.tolist(), protected.tolist(), 15, tolerance, balance,
    )  # fmt: skip
    model = AdaFair(n_estimators=15, tolerance=tolerance, balance=balance, random_state=0)
    model.fit(X, y, protected)
    assert model.estimator_weights_ == pytest.approx([alpha for _, alpha in expected])
    cuts = [learner.tree_.threshold[0] for learner in model.estimators_]
    assert cuts == [learner.tree_.threshold[0] for learner, _ in expected]


def test_the_cost_of_a_row_is_the_gap_at_its_group_expense():
    positive = np.array([True, True, True, False, False])
    protected = np.array([True, True, False, True, False])
    wrong = np.array([True, False, True, True, True])
    cost = Rows(positive, protected).fairness_cost(wrong, Gaps(0.3, -0.2), 0.0)
    assert cost.tolist() == [0.3, 0, 0, 0, 0.2]


def test_a_gap_within_the_tolerance_costs_nothing():
    everyone = np.array([True, True])
    cost = Rows(everyone, everyone).fairness_cost(everyone, Gaps(0.3, 0.0), tolerance=0.3)
    assert cost.tolist() == [0, 0]


def test_gaps_are_protected_minus_others():
    rows = Rows(np.array([1, 1, 1, 0, 0], bool), np.array([1, 1, 0, 1, 0], bool))
    assert rows.gaps(np.array([1, 0, 1, 0, 1], bool)) == (0.5, -1.0)


def test_it_has_a_smaller_gap_than_its_first_learners_alone():
    X, y, protected = biased_rows(2000)
    fair = AdaFair(n_estimators=60, random_state=0).fit(X, y, protected)
    plain = AdaFair(n_estimators=1, random_state=0).fit(X, y, protected)
    assert gap(fair, X, y, protected) < gap(plain, X, y, protected) / 2


def test_a_perfect_learner_decides_alone():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array(["no", "no", "yes", "yes"])
    model = AdaFair().fit(X, y, [True, False, True, False])
    assert len(model.estimators_) == 1
    assert model.predict(X).tolist() == y.tolist()


def test_three_classes_are_refused():
    with pytest.raises(ValueError, match=r"two classes; found \[0, 1, 2\]"):
        AdaFair().fit(np.zeros((3, 1)), [0, 1, 2], [True, False, True])
