import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textbook.bounds import tandem_risk
from textbook.ensembles import random_votes
from textbook.pruning import Evaluation
from textbook.voting import Ensemble

from dr_core import Votes
from dr_core.pruning._objectives import (
    ScalarObjective,
    bi_objective,
    compute_tandem_units,
    pair_objectives,
    scalar_objective,
    tandem_risks,
)

# the first member changes on both instances, the second on the first; the second errs on the last
VOTES = Votes([[0, 0], [0, 1]], [[1, 1], [1, 1]], y=[0, 0])


@st.composite
def ensembles(draw):
    return random_votes(
        np.random.default_rng(draw(st.integers(0, 2**32 - 1))),
        draw(st.integers(3, 7)),
        draw(st.integers(1, 25)),
        n_classes=draw(st.integers(1, 3)),
        weights=draw(st.sampled_from(["uniform", "whole", "adaboost"])),
        weighted_rows=draw(st.booleans()),
    )


trade_offs = st.sampled_from([0.0, 0.3, 0.5, 1.0])


def test_bi_objective_is_error_and_risk_of_the_vote():
    assert bi_objective(VOTES) == (VOTES.error, VOTES.risk) == (0.0, 1.0)


def test_tandem_risk_counts_instances_on_which_both_change():
    assert tandem_risks(VOTES).tolist() == [[1, 0.5], [0.5, 0.5]]


def test_tandem_risk_of_a_member_with_itself_is_its_risk():
    assert tandem_risks(VOTES).diagonal().tolist() == VOTES.member_risks.tolist()


def test_pair_objective_weighs_mean_error_and_tandem_risk():
    # errors 0 and 1/2
    assert pair_objectives(VOTES, 0.2)[0, 1] == pytest.approx(0.2 * 0.25 + 0.8 * 0.5)


def test_scalar_objective_by_hand():
    # mean error 1/4; mean tandem risk (1 + 1/2 + 1/2 + 1/2) / 4
    assert scalar_objective(VOTES, 0.2) == pytest.approx(0.2 / 4 + 0.8 * 2.5 / 4)


def test_trade_off_one_looks_at_errors_alone():
    assert scalar_objective(VOTES, 1) == 0.25


@pytest.mark.parametrize("trade_off", [-0.1, 1.1, float("nan")])
@pytest.mark.parametrize(
    "function", [scalar_objective, pair_objectives, ScalarObjective.from_votes]
)
def test_trade_off_outside_zero_to_one_is_refused(function, trade_off):
    with pytest.raises(ValueError, match=r"trade_off .* in \[0, 1\]"):
        function(VOTES, trade_off)


@given(ensembles())
def test_tandem_risks_equal_the_textbook(votes):
    plain = Ensemble.of(votes)
    expected = [[float(tandem_risk(plain, j, k)) for k in plain.everyone] for j in plain.everyone]
    assert tandem_risks(votes).tolist() == expected


@settings(max_examples=50)
@given(ensembles(), trade_offs, st.data())
def test_objective_of_a_subset_equals_the_textbook(votes, trade_off, data):
    members = sorted(data.draw(st.sets(st.integers(0, votes.n_members - 1), min_size=1)))
    expected = Evaluation(Ensemble.of(votes), trade_off).objective(tuple(members))
    selected = np.isin(np.arange(votes.n_members), members)
    found = ScalarObjective.from_votes(votes, trade_off)(selected)
    assert found == pytest.approx(expected, abs=1e-14)
    assert scalar_objective(votes.subset(members), trade_off) == pytest.approx(expected, abs=1e-14)


@given(st.integers(0, 2**32 - 1))
def test_unweighted_objectives_are_the_same_to_the_last_bit(seed):
    votes = random_votes(np.random.default_rng(seed), 6, 20)
    everyone = np.ones(6, dtype=bool)
    assert ScalarObjective.from_votes(votes, 0.3)(everyone) == scalar_objective(votes, 0.3)


@given(ensembles(), trade_offs, st.data())
def test_objectives_after_a_change_are_those_of_the_changed_subset(votes, trade_off, data):
    m = votes.n_members
    objective = ScalarObjective.from_votes(votes, trade_off)
    first, second, kept = data.draw(st.permutations(range(m)))[:3]
    selected = np.array(data.draw(st.lists(st.booleans(), min_size=m, max_size=m)))
    selected[kept] = True
    one, both = selected.copy(), selected.copy()
    one[first] ^= True
    both[[first, second]] ^= True
    found = objective.compute_neighbours(
        selected, np.array([first, first]), np.array([-1, second])
    )
    assert np.allclose(found, objective(np.array([one, both])), atol=1e-13)


def test_without_changes_all_tandem_units_are_zero():
    assert compute_tandem_units(np.zeros((2, 5), dtype=bool), np.ones(5)).tolist() == [
        [0, 0],
        [0, 0],
    ]


def test_many_instances_are_counted_in_blocks(monkeypatch):
    votes = random_votes(np.random.default_rng(0), 5, 200)
    expected = tandem_risks(votes)
    monkeypatch.setattr("dr_core.pruning._objectives.TANDEM_BLOCK", 32)
    assert (tandem_risks(votes) == expected).all()


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.sampled_from([0.01, 0.2, 0.9]), st.booleans(), st.data())
def test_rare_and_frequent_changes_give_the_same_sums(seed, share, weighted, data):
    rng = np.random.default_rng(seed)
    changes = rng.random((6, 40)) < share
    row_units = rng.integers(0, 2**40, 40).astype(float) if weighted else np.ones(40)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "dr_core.pruning._objectives.TANDEM_BLOCK", data.draw(st.sampled_from([2**24, 60]))
        )
        patch.setattr(
            "dr_core.pruning._objectives.SPARSE_PAIR_COST",
            data.draw(st.sampled_from([0, 400, 10**9])),
        )
        found = compute_tandem_units(changes, row_units)
    expected = [[row_units[one & other].sum() for other in changes] for one in changes]
    assert found.tolist() == expected


def test_only_where_votes_change_is_kept():
    votes = Votes([[0, 0, 1], [0, 1, 1]], [[0, 1, 1], [0, 1, 1]], y=[0, 0, 1])
    assert votes.changes.toarray().tolist() == [[False, True, False], [False] * 3]
    assert votes.changes.nnz == 1
