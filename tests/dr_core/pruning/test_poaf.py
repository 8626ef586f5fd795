from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.ensemble import BaggingClassifier
from textbook import pruning as textbook
from textbook.ensembles import random_votes
from textbook.pruning import scores_of
from textbook.voting import Ensemble

from dr_core import Votes
from dr_core.pruning._exchange import ExchangeSearch
from dr_core.pruning._exhaustive import exhaustive_front
from dr_core.pruning._objectives import bi_objective, scalar_objective
from dr_core.pruning._pareto import hypervolume
from dr_core.pruning._poaf import poaf
from dr_core.pruning._ties import TieRule


@pytest.fixture
def searching(monkeypatch):
    """Search even where all sub-ensembles could be evaluated."""
    monkeypatch.setattr(import_module("dr_core.pruning._poaf"), "EXHAUSTIVE_SPEEDUP", 0)


def small(seed=0, m=7, n=30, **options):
    return random_votes(np.random.default_rng(seed), m, n, **options)


@pytest.mark.usefixtures("searching")
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("neighbourhood", ["paper", "exchange"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weights", ["uniform", "whole", "adaboost"])
@pytest.mark.parametrize("ties", ["cautious", "lowest"])
def test_same_sub_ensembles_as_algorithm_1(weights, n_classes, neighbourhood, ties, seed):
    votes = small(seed, weights=weights, n_classes=n_classes, weighted_rows=seed == 3)
    options = {"trade_off": 0.3, "n_iter": 12, "neighbourhood": neighbourhood, "ties": ties}
    found = poaf(votes, 4, **options, random_state=seed)
    members, front = textbook.poaf(
        Ensemble.of(votes), 4, 0.3, 12, neighbourhood == "exchange", seed, ties
    )
    assert set(found.front["members"]) == front
    assert tuple(found.members) == members


@pytest.mark.usefixtures("searching")
@pytest.mark.parametrize("n_classes", [2, 3])
def test_same_sub_ensembles_as_plain_loops_after_many_walks(n_classes):
    votes = small(5, n_classes=n_classes)
    found = poaf(votes, 5, trade_off=0.3, n_iter=200, random_state=5)
    members, front = textbook.poaf(Ensemble.of(votes), 5, 0.3, 200, True, 5)
    assert set(found.front["members"]) == front
    assert tuple(found.members) == members


@pytest.mark.usefixtures("searching")
@pytest.mark.parametrize("weights", ["uniform", "adaboost"])
def test_a_single_member_has_no_neighbours(weights):
    found = poaf(small(m=1, weights=weights), 1, n_iter=3, random_state=0)
    assert found.members.tolist() == [0]


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.data())
def test_never_more_than_max_members_and_all_scores_true(seed, data):
    m = data.draw(st.integers(1, 8))
    k = data.draw(st.integers(1, m))
    votes = small(seed, m, weights=data.draw(st.sampled_from(["uniform", "adaboost"])))
    neighbourhood = data.draw(st.sampled_from(["paper", "exchange"]))
    found = poaf(votes, k, n_iter=10, neighbourhood=neighbourhood, random_state=seed)
    assert 1 <= len(found.members) <= k
    for members, error, risk, objective in found.front.itertuples(index=False):
        part = votes.subset(members)
        assert 1 <= len(members) <= k
        assert scores_of(Ensemble.of(votes), members, "cautious") == (error, risk)
        assert objective == pytest.approx(scalar_objective(part), abs=1e-14)


def test_front_is_sorted_by_error_and_falls_in_risk():
    front = poaf(small(m=11, n=200), 6, n_iter=50, random_state=0).front
    assert front["error"].is_monotonic_increasing
    assert front["risk"].is_monotonic_decreasing
    assert list(front) == ["members", "error", "risk", "objective"]
    assert len(front) > 1


def test_members_are_sorted_and_scores_are_those_of_the_members():
    votes = small(m=11)
    found = poaf(votes, 5, random_state=0)
    assert (np.diff(found.members) > 0).all()
    assert (found.error, found.risk) == bi_objective(votes.subset(found.members))


def test_the_same_seed_gives_the_same_result():
    first, second = (poaf(small(m=25), 7, n_iter=20, random_state=3) for _ in range(2))
    pd.testing.assert_frame_equal(first.front, second.front)


@pytest.mark.parametrize("kind", [np.random.default_rng, np.random.RandomState])
def test_generators_serve_as_random_state(kind):
    first, second = (poaf(small(m=25), 7, n_iter=20, random_state=kind(0)) for _ in range(2))
    pd.testing.assert_frame_equal(first.front, second.front)


def test_no_iteration_leaves_the_random_start():
    found = poaf(small(), 3, n_iter=0, neighbourhood="paper", random_state=0)
    assert len(found.front) == 1
    assert len(found.members) == 3


def test_a_member_of_weight_zero_is_never_kept():
    votes = small(m=6)
    weighted = Votes(
        votes.votes, votes.perturbed, votes.y, [1, 0, 1, 1, 0, 1], classes=votes.classes
    )
    found = poaf(weighted, 6, n_iter=30, random_state=0)
    assert not {1, 4} & {j for members in found.front["members"] for j in members}


@pytest.mark.parametrize(
    ("options", "neighbourhood", "n_iter"),
    [
        ({}, "paper", 6),
        ({}, "exchange", 4000),
        ({"weights": "adaboost"}, "exchange", 200),
        ({"n_classes": 3}, "exchange", 200),
    ],
)
def test_iterations_are_those_of_the_paper_or_enough_for_the_front(options, neighbourhood, n_iter):
    votes = small(m=25, n=4, **options)
    found, expected = (
        poaf(votes, 6, n_iter=n, neighbourhood=neighbourhood, random_state=0)
        for n in (None, n_iter)
    )
    assert found.n_judged == expected.n_judged


@pytest.mark.parametrize(
    ("m", "n", "n_iter"),
    [
        (41, 4, 4000),
        (43, 1500, 4600),
        (43, 3000, 4600),
        (43, 750, 5200),
        (43, 500, 5800),
        (43, 4, 5800),
        (101, 1500, 22000),
    ],
)
def test_members_beyond_41_add_iterations_and_more_where_instances_are_few(m, n, n_iter):
    assert ExchangeSearch.get_default_n_iter(small(m=m, n=n), 6) == n_iter


@pytest.mark.parametrize(("n_iter", "n_starts"), [(7, 1), (8, 2), (15, 2), (16, 3)])
def test_a_long_search_starts_again_and_keeps_the_front_of_all_starts(
    monkeypatch, n_iter, n_starts
):
    monkeypatch.setattr("dr_core.pruning._exchange.START_LENGTH", 4)
    search = ExchangeSearch(small(m=25), 9, 0.5, TieRule("cautious"), np.random.default_rng(0))
    fronts, start = [search._front], search._start

    def start_again():
        fronts.append(search._front)
        start()

    monkeypatch.setattr(search, "_start", start_again)
    search.run(range(n_iter))
    assert len(fronts) == n_starts
    for front in fronts:
        assert not len(search._front.find_better(front.errors, front.risks))


class TestSelection:
    votes = small(m=11, n=300)

    def prune(self, **options):
        return poaf(self.votes, 6, n_iter=60, random_state=0, **options)

    def test_objective_takes_the_lowest_scalar_objective(self):
        found = self.prune()
        assert found.objective == found.front["objective"].min()

    def test_min_risk_takes_the_lowest_risk_at_little_loss_of_accuracy(self):
        found = self.prune(selection="min_risk", accuracy_tolerance=0.025)
        close = found.front[found.front["error"] <= found.front["error"].min() + 0.025]
        assert found.risk == close["risk"].min()
        assert found.error <= found.front["error"].min() + 0.025

    def test_min_risk_without_tolerance_is_the_lowest_error(self):
        found = self.prune(selection="min_risk", accuracy_tolerance=0)
        assert found.error == found.front["error"].min()

    def test_a_function_may_pick(self):
        found = self.prune(selection=lambda front: len(front) - 1)
        assert found.risk == found.front["risk"].min()

    @pytest.mark.parametrize(
        ("selection", "message"),
        [("best", "selection must be"), (lambda front: 99, "got 99")],
    )
    def test_bad_selection_is_refused(self, selection, message):
        with pytest.raises(ValueError, match=message):
            self.prune(selection=selection)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_members": 0}, "max_members must be an integer from 1 to 7.*got 0"),
        ({"max_members": 8}, "got 8"),
        ({"max_members": 2.5}, "got 2.5"),
        ({"trade_off": 2}, "trade_off"),
        ({"n_iter": -1}, "n_iter must be an integer, 0 or more; got -1"),
        ({"neighbourhood": "all"}, "neighbourhood must be"),
    ],
)
def test_bad_arguments_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        poaf(small(), **{"max_members": 3, **options})


def test_small_ensembles_get_their_true_front():
    votes = small(m=10)
    found, truth = poaf(votes, 5, n_iter=200), exhaustive_front(votes, 5)
    pd.testing.assert_frame_equal(found.front, truth.front)


def share_of_true_hypervolume(votes, k, **options):
    reference = votes.member_errors.mean(), votes.member_risks.mean()
    truth, found = exhaustive_front(votes, k).front, poaf(votes, k, n_iter=200, **options).front
    volumes = (hypervolume(front["error"], front["risk"], reference) for front in (found, truth))
    return next(volumes) / next(volumes)


def bagged_trees(seed, m, n=300):
    X, y = make_classification(2 * n, 8, n_informative=5, flip_y=0.1, random_state=seed)
    X[:, 0] = X[:, 0] > 0
    ensemble = BaggingClassifier(n_estimators=m, max_features=0.6, random_state=seed)
    ensemble.fit(X[:n], y[:n])
    perturbed = X.copy()
    perturbed[:, 0] = 1 - X[:, 0]
    parts = list(zip(ensemble.estimators_, ensemble.estimators_features_, strict=True))
    votes, changed = ([f.predict(Z[n:, c]) for f, c in parts] for Z in (X, perturbed))
    return Votes(np.array(votes, int), np.array(changed, int), y[n:])


@pytest.mark.usefixtures("searching")
@pytest.mark.parametrize("make", [lambda seed, m: small(seed, m, 300), bagged_trees])
def test_search_finds_nearly_all_of_the_true_front(make):
    shares = [
        share_of_true_hypervolume(make(seed, m), k, random_state=seed)
        for seed, (m, k) in enumerate([(9, 4), (11, 5), (11, 9), (13, 8), (15, 7), (15, 13)])
    ]
    assert np.mean(shares) >= 0.98
    assert min(shares) >= 0.95
