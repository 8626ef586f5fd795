import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, recall_score
from textbook.ensembles import random_votes

from dr_core import Votes, epaf
from dr_core.pruning._scores import predicts_one_class, score_vote


@pytest.mark.parametrize("weighted_rows", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_are_those_of_scikit_learn(n_classes, weighted_rows):
    random = np.random.default_rng(0)
    votes = random_votes(random, 5, 60, n_classes=n_classes, weighted_rows=weighted_rows)
    found, weights = score_vote(votes), votes.row_units
    assert found["error"] == pytest.approx(votes.error)
    assert found["risk"] == pytest.approx(votes.risk)
    assert found["balanced_accuracy"] == pytest.approx(
        balanced_accuracy_score(votes.y, votes.vote, sample_weight=weights)
    )
    if n_classes == 2:
        assert found["recall"] == pytest.approx(
            recall_score(votes.y, votes.vote, sample_weight=weights)
        )
        assert found["selection_rate"] == pytest.approx(votes.share(votes.vote == 1))
    else:
        assert np.isnan(found[["recall", "selection_rate"]]).all()


@pytest.mark.parametrize("favorable", ["a", "b", "c"])
def test_recall_and_selection_rate_are_those_of_the_favorable_class(favorable):
    plain, perturbed, y = np.random.default_rng(0).choice(["a", "b", "c"], (3, 5, 60))
    votes = Votes(plain, perturbed, y[0], favorable=favorable)
    found, code = score_vote(votes), "abc".index(favorable)
    assert found["recall"] == (votes.vote == code)[votes.y == code].mean()
    assert found["selection_rate"] == (votes.vote == code).mean()


def test_tables_of_scores_name_the_favorable_class():
    votes = Votes([["no", "yes"]] * 3, [["no", "no"]] * 3, y=["no", "yes"], favorable="no")
    assert epaf(votes, 1).scores.columns.name == "positive: no"


def test_parts_of_votes_have_the_same_favorable_class():
    votes = Votes([[0, 1], [1, 1]], [[0, 1], [1, 1]], y=[0, 1], favorable=0)
    assert (votes.subset([0]).favorable, votes.take(np.array([1])).favorable) == (0, 0)


def test_a_favorable_class_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match=r"favorable must be one of the classes \[0, 1\]; got 2"):
        Votes([[0, 1]], [[0, 1]], y=[0, 1], favorable=2)


def test_nobody_is_selected_by_a_class_that_no_vote_is_for():
    found = score_vote(Votes([[0, 1]], [[0, 1]], y=[0, 0], classes=[0, 1, 2], favorable=2))
    assert found["selection_rate"] == 0


def test_a_class_that_does_not_occur_has_no_recall():
    found = score_vote(Votes([[0, 1]], [[0, 1]], y=[0, 0], classes=[0, 1]))
    assert np.isnan(found["recall"])
    assert found["balanced_accuracy"] == 0.5


def test_results_tell_the_scores_before_and_after():
    votes = random_votes(np.random.default_rng(0), 7, 60)
    found = epaf(votes, 3)
    assert found.scores.loc["before"].equals(score_vote(votes).rename("before"))
    kept = votes.subset(found.members)
    assert found.scores.loc["after"].equals(score_vote(kept).rename("after"))
    assert "balanced_accuracy" in found._repr_html_()


@pytest.mark.parametrize(
    ("n_predicted", "n_actual", "flagged"),
    [(0, 50, True), (5, 11, True), (5, 10, False), (6, 50, False)],
)
def test_one_class_for_nearly_everybody_is_flagged_where_others_occur(
    n_predicted, n_actual, flagged
):
    vote, y = (np.arange(100) < n for n in (n_predicted, n_actual))
    assert predicts_one_class(Votes([vote], [vote], y, classes=None)) == flagged
