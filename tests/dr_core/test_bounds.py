from math import comb, inf, isnan, log, pi, sqrt

import numpy as np
import pytest
from effort import choose, effort
from hypothesis import given
from hypothesis import strategies as st
from textbook import bounds as textbook
from textbook.ensembles import random_votes
from textbook.voting import Ensemble

from dr_core import Votes, bounds
from dr_core._utils import chernoff
from dr_core.bounds import compute_bounds
from dr_core.pruning import tandem_risks

ROUNDING = 1e-12
FAMILY = [
    "first order",
    "second order",
    "clipped first order",
    "clipped second order",
    "C-tandem",
    "relaxed first order",
    "relaxed second order",
]


def one_of_four_changes():
    """Three members, four instances; one vote of three changes on the last: φ = γ = 1/3."""
    votes = np.array([[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]])
    perturbed = votes.copy()
    perturbed[0, 3] = 1
    return Votes(votes, perturbed, [0, 0, 0, 0])


def values(votes, **options):
    return compute_bounds(votes, **options).set_index("name")["value"]


@st.composite
def ensembles(draw):
    return random_votes(
        np.random.default_rng(draw(st.integers(0, 2**32 - 1))),
        draw(st.integers(1, 7)),
        draw(st.integers(1, 25)),
        n_classes=draw(st.integers(1, 4)),
        weights=draw(st.sampled_from(["uniform", "whole", "adaboost"])),
        weighted_rows=draw(st.booleans()),
    )


class TestByHand:
    def test_margin_bound_is_the_share_that_could_change(self):
        assert bounds.margin_bound(one_of_four_changes()) == 1 / 4

    def test_first_order_is_twice_the_mean_ratio(self):
        assert bounds.first_order_bound(one_of_four_changes()) == 2 / 4

    def test_second_order_is_four_times_the_mean_squared_ratio(self):
        assert bounds.second_order_bound(one_of_four_changes()) == 4 / 4

    def test_clipped_bounds_count_an_instance_once_at_most(self):
        assert bounds.clipped_first_order_bound(one_of_four_changes()) == 1 / 4
        assert bounds.clipped_second_order_bound(one_of_four_changes()) == 1 / 4

    def test_c_tandem(self):
        # E[Z] = E[Z²] = 1/4: (1/4 - 1/16) / (1/4 - 1/4 + 1/4)
        assert bounds.c_tandem_bound(one_of_four_changes()) == pytest.approx(3 / 4)

    def test_relaxed_without_low_margins_uses_the_smallest_margin(self):
        # γ₀ = 1/3, η = 0, E[φ] = 1/12, E[φ²] = 1/36
        found = values(one_of_four_changes(), low_margin_share=0)
        assert found["relaxed first order"] == pytest.approx(2 * 3 / 12)
        assert found["relaxed second order"] == pytest.approx(4 * 9 / 36)

    def test_relaxed_sets_the_low_margin_share_aside(self):
        # γ₀ = 1, η = P(γ < 1) = 1/4
        found = values(one_of_four_changes(), low_margin_share=0.25)
        assert found["relaxed first order"] == pytest.approx(2 / 12 + 1 / 4)
        assert found["relaxed second order"] == pytest.approx(4 / 36 + 1 / 4)

    def test_best_share_gives_the_smaller(self):
        found = values(one_of_four_changes(), low_margin_share="best")
        assert found["relaxed first order"] == pytest.approx(2 / 12 + 1 / 4)
        assert found["relaxed second order"] == pytest.approx(4 / 36 + 1 / 4)

    def test_pac_bounds_add_what_a_sample_may_miss(self):
        found = values(one_of_four_changes(), delta=0.1)
        assert found["PAC, one hypothesis"] == pytest.approx(0.25 + sqrt(log(10) / 8))
        assert found["PAC, all weightings"] == pytest.approx(0.25 + sqrt(log(30) / 8))

    def test_pac_counts_effective_instances(self):
        votes = Votes([[0, 0, 0]], [[0, 0, 0]], [0, 0, 0], sample_weight=[2, 1, 1])
        assert bounds.effective_instances(votes) == pytest.approx(16 / 6)

    def test_analogues_leave_the_margin_out(self):
        found = values(one_of_four_changes())
        assert found["first order without margin"] == pytest.approx(2 / 12)
        assert found["second order without margin"] == pytest.approx(4 / 36)
        assert found["C-tandem without margin"] == pytest.approx(
            (1 / 36 - 1 / 144) / (1 / 36 - 1 / 12 + 1 / 4)
        )

    def test_actual_risk_stands_beside_every_bound(self):
        assert (compute_bounds(one_of_four_changes())["actual"] == 1 / 4).all()


def a_forest_in_which_one_changes(n=200):
    """Five members and n rows; the first member changes on every tenth row, the vote never."""
    votes = np.zeros((5, n), int)
    perturbed = votes.copy()
    perturbed[0, ::10] = 1
    return Votes(votes, perturbed, votes[0])


class TestWhatABoundHoldsFor:
    def test_a_bound_with_margin_holds_for_these_rows(self):
        table = compute_bounds(one_of_four_changes()).set_index("name")
        assert (table.loc[["margin", *FAMILY], "holds_for"] == "these rows").all()
        assert table.loc[["margin", *FAMILY], "guaranteed"].all()

    @pytest.mark.parametrize(
        ("name", "holds_for"),
        [
            ("PAC, one hypothesis", "population, vote fixed beforehand"),
            ("PAC, any pruned vote", "population, vote chosen on these rows"),
        ],
    )
    def test_a_pac_bound_says_whether_the_vote_may_be_chosen_on_these_rows(self, name, holds_for):
        row = compute_bounds(one_of_four_changes()).set_index("name").loc[name]
        assert row["holds_for"] == holds_for
        assert row["guaranteed"]

    def test_the_papers_union_bound_over_members_is_not_guaranteed(self):
        row = compute_bounds(one_of_four_changes()).set_index("name").loc["PAC, all weightings"]
        assert not row["guaranteed"]
        assert row["holds_for"] == "not guaranteed"

    def test_pac_bounds_are_approximate_for_rows_of_unequal_weight(self):
        votes = Votes([[0, 0, 0]], [[0, 0, 1]], [0, 0, 0], sample_weight=[2, 1, 1])
        table = compute_bounds(votes).set_index("name")
        pac = table.loc[["PAC, one hypothesis", "PAC, any pruned vote"]]
        assert not pac["guaranteed"].any()
        assert (pac["holds_for"] == "approximate, rows of unequal weight").all()
        assert table.loc["margin", "guaranteed"]

    @pytest.mark.parametrize("parts", [[1 / 3] * 3, [1 / pi] * 3 + [1 - 3 / pi]])
    def test_perturbations_with_probabilities_are_not_rows_of_unequal_weight(self, parts):
        """Row 0 has one perturbation, row 1 several; rounding may leave a tiny difference."""
        n = len(parts)
        rows = [0] + [1] * n
        perturbed = [0, 0] + [1] * (n - 1)
        votes = Votes(
            [[0] * (n + 1)], [perturbed], [0] * (n + 1), sample_weight=[1, *parts], rows=rows
        )
        assert bounds.has_equal_rows(votes)

    def test_rows_without_weight_do_not_count(self):
        votes = Votes([[0] * 3], [[0, 0, 1]], [0] * 3, sample_weight=[1, 0, 1])
        assert bounds.has_equal_rows(votes)

    def test_rows_whose_weights_differ_by_a_billionth_are_equal(self):
        for weight, is_equal in ((10**9 - 1, True), (10**9 - 2, False)):
            votes = Votes([[0, 1]], [[0, 0]], [0, 1], sample_weight=[10**9, weight])
            assert bounds.has_equal_rows(votes) == is_equal


class TestAnyPrunedVote:
    def test_without_a_change_it_has_a_closed_form(self):
        # kl(0, μ) = -ln(1 - μ): the bound is 1 - exp(-ln((2⁵ - 1)/δ)/n)
        found = values(a_forest_in_which_one_changes())["PAC, any pruned vote"]
        assert found == pytest.approx(1 - (31 / 0.05) ** (-1 / 200))

    def test_a_limit_on_the_members_makes_it_smaller(self):
        votes = a_forest_in_which_one_changes().subset([0, 2])
        found = values(votes, max_members=2)["PAC, any pruned vote"]
        assert found < values(votes)["PAC, any pruned vote"]
        assert found == pytest.approx(bounds.pruned_vote_bound(votes, 0.05, 5, 2))

    def test_a_subset_remembers_how_many_it_was_chosen_from(self):
        votes = a_forest_in_which_one_changes()
        alone = values(Votes(votes.votes[:1], votes.perturbed[:1], votes.y), n_pool=5)
        assert values(votes.subset([0, 2]).subset([0]))["PAC, any pruned vote"] == pytest.approx(
            alone["PAC, any pruned vote"]
        )

    def test_one_candidate_is_the_chernoff_bound(self):
        votes = a_forest_in_which_one_changes().subset([0])
        found = bounds.pruned_vote_bound(votes, 0.025, n_pool=1, max_members=1)
        assert found == pytest.approx(chernoff(0.1, 200, 0.95).high)

    def test_weighted_votes_are_not_covered(self):
        votes = Votes([[0], [0]], [[0], [1]], [0], weights=[2, 1])
        assert isnan(values(votes)["PAC, any pruned vote"])

    def test_a_member_of_weight_zero_is_one_left_out(self):
        votes = Votes([[0], [0], [0]], [[0], [1], [1]], [0], weights=[1, 1, 0])
        assert not isnan(values(votes, max_members=2)["PAC, any pruned vote"])

    def test_counts_sub_ensembles(self):
        for m in range(1, 9):
            for k in range(1, m + 1):
                assert bounds.count_votes(m, k) == sum(comb(m, j) for j in range(1, k + 1))

    def test_thousands_of_members_are_no_obstacle(self):
        votes = a_forest_in_which_one_changes()
        assert values(votes, n_pool=3000)["PAC, any pruned vote"] == pytest.approx(1, abs=1e-4)

    @pytest.mark.parametrize("n_pool", [4, 5.0, "all"])
    def test_a_pool_smaller_than_the_vote_is_refused(self, n_pool):
        with pytest.raises(ValueError, match="n_pool must be an integer of at least 5"):
            compute_bounds(a_forest_in_which_one_changes(), n_pool=n_pool)

    @pytest.mark.parametrize("max_members", [4, 6])
    def test_a_limit_that_the_vote_does_not_keep_is_refused(self, max_members):
        with pytest.raises(ValueError, match="max_members must be an integer from 5"):
            compute_bounds(a_forest_in_which_one_changes(), max_members=max_members)


class TestCorners:
    def test_nothing_changed_and_no_margin_is_no_risk(self):
        votes = Votes([[0], [1]], [[0], [1]], [0])
        assert bounds.inconsistency_ratio(votes).tolist() == [0]
        assert bounds.first_order_bound(votes) == 0

    def test_a_change_without_margin_makes_plain_bounds_infinite(self):
        votes = Votes([[0], [1]], [[0], [0]], [0])
        found = compute_bounds(votes).set_index("name")
        assert found.loc["first order", "value"] == inf
        assert found.loc["first order", "applies"]
        assert found.loc["clipped first order", "value"] == 1

    def test_c_tandem_does_not_apply_from_a_mean_ratio_of_one_half(self):
        votes = Votes([[0], [0]], [[0], [1]], [0])  # Z = 1/2
        row = compute_bounds(votes).set_index("name").loc["C-tandem"]
        assert isnan(row["value"])
        assert not row["applies"]

    def test_relaxed_bounds_do_not_apply_when_too_many_margins_are_zero(self):
        votes = Votes([[0, 0], [0, 1]], [[0, 0], [0, 1]], [0, 0])
        assert isnan(values(votes)["relaxed first order"])
        assert values(votes, low_margin_share=0.5)["relaxed first order"] == 0.5

    def test_no_positive_margin_leaves_nothing_to_choose_the_best_from(self):
        votes = Votes([[0], [1]], [[0], [1]], [0])
        assert isnan(values(votes, low_margin_share="best")["relaxed second order"])

    def test_an_instance_of_weight_zero_does_not_count_even_where_infinite(self):
        votes = Votes([[0, 0], [0, 1]], [[0, 0], [0, 0]], [0, 0], sample_weight=[1, 0])
        assert bounds.first_order_bound(votes) == 0

    def test_without_margin_a_bound_can_fail(self):
        votes = Votes([[0], [0], [0], [1], [1]], [[0], [0], [1], [1], [1]], [0])
        row = compute_bounds(votes).set_index("name").loc["first order without margin"]
        assert row["value"] < row["actual"]
        assert not row["guaranteed"]

    @pytest.mark.parametrize("share", [-0.1, 1, "worst"])
    def test_bad_share_is_refused(self, share):
        with pytest.raises(ValueError, match="low_margin_share must be in"):
            compute_bounds(one_of_four_changes(), low_margin_share=share)

    @pytest.mark.parametrize("delta", [0, 1])
    def test_bad_delta_is_refused(self, delta):
        with pytest.raises(ValueError, match="delta must be in"):
            compute_bounds(one_of_four_changes(), delta=delta)


class TestLaws:
    @effort(some=50, many=200)
    @given(ensembles(), st.sampled_from([0.0, 0.05, 0.3]))
    def test_every_bound_equals_the_textbook(self, votes, share):
        expected = textbook.bounds(Ensemble.of(votes), share, delta=0.05)
        found = values(votes, low_margin_share=share)
        assert list(found.index) == list(expected)
        for name, value in expected.items():
            assert found[name] == pytest.approx(float(value), rel=1e-9, abs=1e-12, nan_ok=True)

    @given(ensembles())
    def test_the_lemma_second_moment_is_mean_tandem_risk(self, votes):
        second_moment = votes.row_weights @ votes.inconsistency**2
        mean_tandem = votes.weights @ tandem_risks(votes) @ votes.weights
        assert second_moment == pytest.approx(mean_tandem, abs=1e-12)

    @given(ensembles())
    def test_best_is_no_worse_than_any_share(self, votes):
        best = values(votes, low_margin_share="best")
        for share in (0, 0.1, 0.5):
            found = values(votes, low_margin_share=share)
            for name in ("relaxed first order", "relaxed second order"):
                assert isnan(found[name]) or best[name] <= found[name]

    @pytest.mark.hypothesis
    def test_no_guaranteed_bound_fails_on_any_random_ensemble(self):
        random = np.random.default_rng(0)
        for _ in range(choose(some=500, many=10_000)):
            votes = any_ensemble(random)
            share = random.choice(["best", "0", "0.1", "0.4"])
            found = guaranteed_values(votes, share if share == "best" else float(share))
            assert all(value >= votes.risk - ROUNDING for value in found.values()), found
            margin = found["margin"]
            assert all(found[name] >= margin - ROUNDING for name in FAMILY if name in found)
            assert found["clipped first order"] <= found["first order"] + ROUNDING
            assert found["clipped second order"] <= found["second order"] + ROUNDING


def any_ensemble(random):
    return random_votes(
        random,
        int(random.integers(1, 8)),
        int(random.integers(1, 12)),
        n_classes=int(random.integers(2, 5)),
        weights=str(random.choice(["uniform", "whole", "adaboost"])),
        weighted_rows=bool(random.integers(2)),
    )


def guaranteed_values(votes, share):
    """Values of the bounds on these rows that apply."""
    found = bounds.bounds_on_rows(votes, share)
    return {name: value for name, value in found.items() if not isnan(value)}


def test_a_bound_by_itself_is_that_of_the_table():
    votes = random_votes(np.random.default_rng(0), 7, 100, weights="adaboost")
    table = compute_bounds(votes).set_index("name")["value"]
    assert bounds.relaxed_first_order_bound(votes) == table["relaxed first order"]
    assert bounds.relaxed_second_order_bound(votes) == table["relaxed second order"]
    assert bounds.pac_bound(votes) == table["PAC, one hypothesis"]


def test_the_same_inconsistency_with_wider_margins_has_lower_bounds():
    # One of five members changes on every row; it is torn 3 to 2 at first, then unanimous.
    narrow = Votes([[0]] * 3 + [[1]] * 2, [[1]] + [[0]] * 2 + [[1]] * 2, y=[0])
    wide = Votes([[0]] * 5, [[1]] + [[0]] * 4, y=[0], classes=[0, 1])
    names = ["first order", "second order", "relaxed first order", "relaxed second order"]
    before, after = (compute_bounds(v).set_index("name")["value"][names] for v in (narrow, wide))
    assert (after < before).all()
