import numpy as np
import pytest
from effort import effort
from hypothesis import given
from hypothesis import strategies as st
from textbook.ensembles import random_votes

from dr_core import Votes
from dr_core.pruning import epaf, exhaustive_front, poaf

SEARCH = {"n_iter": 3, "random_state": 0}
METHODS = {
    "poaf, exchange": lambda votes, k: poaf(votes, k, selection="min_risk", **SEARCH),
    "poaf, paper": lambda votes, k: poaf(votes, k, neighbourhood="paper", **SEARCH),
    "epaf": lambda votes, k: epaf(votes, k),
    "epaf in groups": lambda votes, k: epaf(votes, k, n_groups=2, random_state=0),
    "exhaustive": lambda votes, k: exhaustive_front(votes, k),
    "exhaustive, min_risk": lambda votes, k: exhaustive_front(votes, k, selection="min_risk"),
}


@st.composite
def ensembles(draw, **fixed):
    """Votes, and how many members to keep; all drawn from one seed, which is fast."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    m, n = random.integers([2, 1], [9, 26])
    options = {
        "n_classes": int(random.integers(2, 4)),
        "weights": str(random.choice(["uniform", "whole", "adaboost"])),
        "weighted_rows": bool(random.integers(2)),
    }
    return random_votes(random, m, n, **options | fixed), int(random.integers(1, m + 1))


def rename(votes, names):
    """Return the votes of the same members with class j called names[j]."""
    names = np.array(names)
    return Votes(
        names[votes.votes],
        names[votes.perturbed],
        names[votes.y],
        votes.units,
        votes.row_units,
        classes=votes.classes,
    )


@pytest.fixture
def searching(monkeypatch):
    """Search even where all sub-ensembles could be evaluated."""
    monkeypatch.setattr("dr_core.pruning._poaf.EXHAUSTIVE_SPEEDUP", 0)


@pytest.mark.usefixtures("searching")
@effort(some=50, many=1000)
@given(ensembles(), st.sampled_from([(1, 0, 2), (1, 2, 0)]))
@pytest.mark.parametrize("method", METHODS)
def test_renaming_the_classes_keeps_the_same_members_with_the_same_error_and_risk(
    method, ensemble, names
):
    (votes, k), prune = ensemble, METHODS[method]
    names = names if votes.n_classes == 3 else (1, 0)
    found, again = prune(votes, k), prune(rename(votes, names), k)
    assert again.members.tolist() == found.members.tolist()
    assert (again.error, again.risk) == (found.error, found.risk)


@effort(some=25, many=100)
@given(ensembles(n_classes=3), st.permutations(range(3)))
@pytest.mark.parametrize("method", METHODS)
def test_scores_are_upper_bounds_for_every_order_of_the_classes_that_breaks_ties(
    method, ensemble, names
):
    found = METHODS[method](*ensemble)
    deployed = rename(ensemble[0], names).subset(found.members)
    assert deployed.error <= found.error
    assert deployed.risk <= found.risk


@effort(some=25, many=100)
@given(ensembles(n_classes=2, weights="uniform"))
@pytest.mark.parametrize("method", METHODS)
def test_votes_of_two_classes_and_equal_weights_keep_odd_sizes(method, ensemble):
    votes, found = ensemble[0], METHODS[method](*ensemble)
    assert len(found.members) % 2 == 1
    assert all(len(members) % 2 == 1 for members in found.front["members"])
    part = votes.subset(found.members)
    assert (found.error, found.risk) == (part.error, part.risk)


def test_a_tied_vote_is_wrong_and_changed():
    # Two members disagree on x, and the first changes.
    votes = Votes([[0], [1]], [[1], [1]], y=[0], weights=[2, 2], classes=[0, 1])
    three = Votes([[0], [1]], [[1], [1]], y=[0], classes=[0, 1, 2])
    assert exhaustive_front(votes).front["members"].map(len).max() == 1
    both = epaf(three, 2)
    assert (both.error, both.risk) == (1.0, 1.0)


def test_a_tied_vote_of_members_that_do_not_change_is_not_changed():
    votes = Votes([[0], [1]], [[0], [1]], y=[0], classes=[0, 1, 2])
    both = epaf(votes, 2)
    assert (both.error, both.risk) == (1.0, 0.0)


def test_as_published_an_even_vote_gains_from_ties():
    # A vote of the two members is a logical AND: it predicts 1 for the last instance only.
    votes = Votes([[1, 0, 1], [0, 1, 1]], [[0, 0, 1], [0, 0, 1]], y=[0, 0, 1])
    published = exhaustive_front(votes, ties="lowest")
    assert published.members.tolist() == [0, 1]
    assert published.risk == 0
    assert exhaustive_front(votes).risk == pytest.approx(1 / 3)


@pytest.mark.parametrize("prune", [poaf, epaf, exhaustive_front])
def test_unknown_rules_are_refused(prune):
    with pytest.raises(ValueError, match="ties must be"):
        prune(Votes([[0]], [[0]], y=[0]), 1, ties="highest")
