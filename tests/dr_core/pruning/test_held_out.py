import numpy as np
import pytest
from scipy.stats import binom
from textbook.ensembles import random_votes

from dr_core import Votes, epaf, poaf
from dr_core.pruning._held_out import prune_and_estimate
from dr_core.pruning._promise import (
    compute_p_value,
    compute_row_risks,
    find_promised,
    split_rows,
)
from dr_core.pruning._ties import TieRule

CAUTIOUS = TieRule("cautious")


def some_votes(seed=0, m=9, n=200, **options):
    return random_votes(np.random.default_rng(seed), m, n, **options)


def steady(risk, n=200):
    """Votes of one member per risk that changes on a share of the rows, and is right on others."""
    changed = np.arange(n) < np.round(np.array(risk)[:, None] * n)
    return Votes(np.zeros(changed.shape, int), changed.astype(int), np.zeros(n, int))


class TestSplitRows:
    def test_instances_of_a_row_stay_together(self):
        votes = some_votes(n=6)
        repeated = Votes(
            votes.votes, votes.perturbed, votes.y, rows=[0, 0, 1, 2, 2, 3], classes=votes.classes
        )
        first, second = split_rows(repeated, np.random.default_rng(0))
        assert sorted([*first, *second]) == list(range(6))
        assert not set(repeated.rows[first]) & set(repeated.rows[second])

    def test_rows_without_weight_are_in_neither_half(self):
        votes = Votes([[0, 1, 0]], [[0, 1, 0]], [0, 1, 0], sample_weight=[1, 0, 1])
        halves = split_rows(votes, np.random.default_rng(0))
        assert sorted(np.concatenate(halves)) == [0, 2]

    def test_one_row_cannot_be_split(self):
        with pytest.raises(ValueError, match="at least 2 rows with weight"):
            split_rows(Votes([[0]], [[0]], [0]), np.random.default_rng(0))


class TestPruneAndEstimate:
    def test_each_row_is_scored_by_members_chosen_without_it(self):
        votes = some_votes()
        result = epaf(votes, 3)
        found = prune_and_estimate(epaf, votes, 3, random_state=5)
        halves = split_rows(votes, np.random.default_rng(5))
        wrong = changed = 0
        for choosing, judging in (halves, halves[::-1]):
            kept = votes.take(judging).subset(epaf(votes.take(choosing), 3).members)
            wrong += np.count_nonzero(kept.vote != kept.y)
            changed += np.count_nonzero(kept.vote != kept.perturbed_vote)
        held_out = found.scores.loc["held out"]
        assert held_out["error"] == pytest.approx(wrong / 200)
        assert held_out["risk"] == pytest.approx(changed / 200)
        assert found.members.tolist() == result.members.tolist()

    def test_only_rows_not_fitted_on_are_scored(self):
        votes = steady([0.5])
        unseen = np.arange(200) >= 100
        found = prune_and_estimate(epaf, votes, 1, unseen=unseen)
        assert found.scores["risk"].tolist() == [0.5, 0.5, 0.0]

    def test_nothing_is_added_without_such_rows(self):
        votes = steady([0.5])
        unseen = np.zeros(200, bool)
        found = prune_and_estimate(epaf, votes, 1, unseen=unseen)
        assert found.scores.index.tolist() == ["before", "after"]

    def test_the_estimate_is_higher_than_the_risk_on_the_rows_that_chose(self):
        """With members that are all alike, whatever pruning gains is chance."""
        gaps = []
        for seed in range(5):
            random = np.random.default_rng(seed)
            votes = Votes(np.zeros((31, 100), int), random.random((31, 100)) < 0.4, np.zeros(100))
            options = {"n_iter": 20, "selection": "min_risk", "random_state": 0}
            found = prune_and_estimate(poaf, votes, 3, **options)
            gaps.append(found.scores.at["held out", "risk"] - found.scores.at["after", "risk"])
        assert min(gaps) > 0

    def test_a_gain_that_held_out_rows_do_not_show_is_warned_of(self):
        """Members that are all alike: a vote of three changes more often than one of 31."""
        random = np.random.default_rng(0)
        votes = Votes(np.zeros((31, 100), int), random.random((31, 100)) < 0.4, np.zeros(100))
        before = np.mean(votes.vote != votes.perturbed_vote)
        with pytest.warns(UserWarning, match=rf"{before:.4f} before.*held-out rows.*marginaliz"):
            prune_and_estimate(poaf, votes, 3, n_iter=20, random_state=0)

    def test_more_risk_on_the_rows_that_chose_is_warned_of(self):
        """The more accurate of two members changes on every row, the vote of all on none."""
        plain = [[0] * 8, [0] * 5 + [1] * 3, [0] * 5 + [1] * 3]
        perturbed = [[1] * 8, *plain[1:]]
        votes = Votes(plain, perturbed, y=[0] * 8)
        with pytest.warns(UserWarning, match=r"0\.0000 before; after pruning 1\.0000"):
            prune_and_estimate(poaf, votes, 1, selection="min_risk", random_state=0)

    def test_a_gain_on_held_out_rows_is_not_warned_of(self, recwarn):
        prune_and_estimate(epaf, steady([0.5, 0.5, 0.0]), 1, trade_off=0, random_state=0)
        assert not [one for one in recwarn if "Pruning" in str(one.message)]

    @pytest.mark.parametrize(
        ("options", "expected"),
        [
            ({}, [None, 1000, 1000]),
            ({"n_iter": 50}, [50, 50, 50]),
            ({"neighbourhood": "paper"}, [None, None, None]),
        ],
    )
    def test_searches_on_halves_are_shorter_unless_their_length_is_given(
        self, monkeypatch, options, expected
    ):
        asked = []

        def search(votes, max_members, n_iter=None, **options):
            asked.append(n_iter)
            return epaf(votes, max_members)

        monkeypatch.setattr("dr_core.pruning._held_out.poaf", search)
        prune_and_estimate(search, some_votes(), 3, **options)
        assert asked == expected


class TestPValue:
    def test_equal_rows_of_risk_0_or_1_are_binomial(self):
        risks = np.repeat([1.0, 0.0], [3, 97]), np.ones(100)
        assert compute_p_value(risks, 0.1) == pytest.approx(binom.cdf(3, 100, 0.1))

    def test_a_risk_above_the_limit_is_never_rejected(self):
        assert compute_p_value((np.full(50, 0.2), np.ones(50)), 0.1) == 1

    def test_fractions_are_bounded_by_hoeffding_and_bentkus(self):
        p = compute_p_value((np.full(100, 0.02), np.ones(100)), 0.1)
        assert binom.cdf(2, 100, 0.1) < p < 0.05

    @pytest.mark.parametrize("weights", [np.ones(100), np.arange(1.0, 101)])
    def test_scaling_the_weights_changes_nothing(self, weights):
        risks = np.linspace(0, 0.1, 100)
        once, again = (compute_p_value((risks, w), 0.2) for w in (weights, 8 * weights))
        assert once == pytest.approx(again)

    def test_a_heavy_row_is_worth_less_than_many_light_ones(self):
        light = compute_p_value((np.zeros(100), np.ones(100)), 0.1)
        heavy = compute_p_value((np.zeros(100), np.array([50.0] + [1.0] * 99)), 0.1)
        assert light < heavy


def test_the_risk_of_a_row_is_the_weighted_mean_over_its_perturbations():
    votes = Votes([[0, 0, 0]], [[0, 1, 1]], [0, 0, 0], sample_weight=[3, 1, 2], rows=[0, 0, 1])
    risks, weights = compute_row_risks(votes, (0,), CAUTIOUS)
    assert risks.tolist() == [0.25, 1]
    assert weights.tolist() == [4, 2]


class TestPromise:
    front = poaf(steady([0.0]), 1).front

    def table(self, n_members):
        members = [(j,) for j in range(n_members)]
        return self.front.iloc[[0] * n_members].assign(members=members)

    def test_the_most_accurate_candidate_that_passes_is_selected(self):
        votes = steady([0.3, 0.04, 0.01])
        assert find_promised(self.table(3), votes, 0.1, 0.05, CAUTIOUS) == 1

    def test_no_candidate_behind_a_failure_is_selected(self):
        votes = steady([0.0, 0.3, 0.0])
        assert find_promised(self.table(3), votes, 0.1, 0.05, CAUTIOUS) == 2

    def test_none_is_said_with_the_remedy(self):
        with pytest.raises(
            ValueError, match=r"max_risk=0\.1 cannot .* 0\.3000 on 200 rows.*larger"
        ):
            find_promised(self.table(1), steady([0.3]), 0.1, 0.05, CAUTIOUS)

    def test_poaf_promises_on_rows_that_did_not_make_the_front(self):
        votes = some_votes(n=400)
        found = poaf(votes, 5, n_iter=5, max_risk=0.5, delta=0.1, random_state=0)
        choosing, judging = split_rows(votes, np.random.default_rng(0))
        assert found.risk == votes.take(choosing).subset(found.members).risk
        assert found.scores.at["held out", "risk"] == pytest.approx(
            votes.take(judging).subset(found.members).risk
        )
        assert "at most 0.5 with probability 0.9" in repr(found)

    @pytest.mark.parametrize("options", [{"max_risk": 0}, {"max_risk": 1}, {"max_risk": "low"}])
    def test_a_limit_that_is_none_is_refused(self, options):
        with pytest.raises(ValueError, match="max_risk must be above 0 and below 1"):
            poaf(some_votes(), 3, **options)

    def test_delta_is_checked(self):
        with pytest.raises(ValueError, match="delta must be above 0 and below 1; got 1"):
            poaf(some_votes(), 3, max_risk=0.5, delta=1)
