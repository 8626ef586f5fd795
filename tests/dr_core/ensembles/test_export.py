import pickle

import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dr_core import export

X = np.random.default_rng(0).normal(size=(200, 3))
Y = (X[:, 0] > 0).astype(int)


def test_an_exported_vote_holds_the_kept_members_only():
    voting = VotingClassifier(
        [("forest", RandomForestClassifier(50)), ("bayes", GaussianNB())], voting="hard"
    ).fit(X, Y)
    exported = export(voting, [1])
    assert list(exported.named_estimators_) == ["bayes"]
    assert len(pickle.dumps(exported)) < len(pickle.dumps(voting)) / 10


def test_what_was_estimated_of_the_whole_ensemble_is_gone():
    forest = RandomForestClassifier(40, oob_score=True, random_state=0).fit(X, Y)
    with pytest.warns(UserWarning, match="averages the probabilities"):
        exported = export(forest, [0, 1])
    assert hasattr(forest, "oob_score_")
    assert not hasattr(exported, "oob_score_")


def test_a_pipeline_in_a_pipeline_says_that_it_averages_too():
    forest = RandomForestClassifier(4, random_state=0)
    model = make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), forest)).fit(X, Y)
    with pytest.warns(UserWarning, match="averages the probabilities"):
        exported = export(model, [0])
    assert len(exported[-1][-1].estimators_) == 1
    assert len(model[-1][-1].estimators_) == 4


@pytest.mark.parametrize("members", [[], [-1], [0, 0], [9]])
def test_members_that_are_none_are_refused(members):
    bagging = BaggingClassifier(LogisticRegression(), 3).fit(X, Y)
    with pytest.raises(ValueError, match="distinct positions from 0 to 2, at least one; got"):
        export(bagging, members)
