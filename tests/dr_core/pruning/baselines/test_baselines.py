"""The paper's pruning baselines: against plain-loop versions, by hand, and their laws."""

import numpy as np
import pytest
from textbook.baselines import TEXTBOOK, Ensemble

from dr_core import Votes
from dr_core.pruning.baselines import methods, prune
from dr_core.pruning.baselines._registry import BASELINES

NAMES = list(BASELINES)
OWN_SIZE = {"OO", "DREP", "SEP", "OEP", "PEP", "TSP.AP", "TSP.DP"}
GROUPED = {"DP", "EOpp", "PP"}


def random_votes(seed, *, n_classes=2, weighted=False, m=None, n=None):
    rng = np.random.default_rng(seed)
    m, n = m or int(rng.integers(1, 9)), n or int(rng.integers(4, 25))
    y = rng.integers(0, n_classes, n)
    noise = rng.integers(0, n_classes, (m, n))
    voted = np.where(rng.random((m, n)) < 0.5, y, noise)
    perturbed = np.where(rng.random((m, n)) < 0.2, rng.integers(0, n_classes, (m, n)), voted)
    weights = {"weights": rng.random(m), "sample_weight": rng.random(n)} if weighted else {}
    return Votes(voted, perturbed, y, **weights)


def half_privileged(votes):
    return np.arange(votes.n_instances) % 2 == 0


def run(name, votes, max_members, seed=0):
    return prune(name, votes, max_members, groups=half_privileged(votes), random_state=seed)


def in_chosen_order(name, votes, max_members):
    """Members by the package and by the textbook, in the order chosen."""
    needs = {
        "rng": lambda: {"rng": np.random.default_rng(7)},
        "groups": lambda: {"groups": half_privileged(votes)},
        None: dict,
    }[BASELINES[name].needs]
    fast = [int(member) for member in BASELINES[name].select(votes, max_members, **needs())]
    return fast, TEXTBOOK[name](Ensemble(votes), max_members, **needs())


def unanimous_votes(m=3):
    """Return votes of m members that are always right."""
    return Votes([[0, 0, 1, 1]] * m, [[0, 0, 1, 1]] * m, y=[0, 0, 1, 1])


class TestAgainstTheTextbook:
    @pytest.mark.parametrize("weighted", [False, True], ids=["uniform", "weighted"])
    @pytest.mark.parametrize("n_classes", [2, 3])
    @pytest.mark.parametrize("name", NAMES)
    def test_same_members_in_the_same_order(self, name, n_classes, weighted):
        for seed in range(16):
            votes = random_votes(seed, n_classes=n_classes, weighted=weighted)
            max_members = 1 + seed % votes.n_members
            if name in GROUPED and not both_groups_have_positives(votes):
                continue
            fast, textbook = in_chosen_order(name, votes, max_members)
            assert fast == textbook, seed

    @pytest.mark.parametrize("name", [name for name in NAMES if name != "PEP"])
    def test_same_members_of_a_larger_ensemble(self, name):
        fast, textbook = in_chosen_order(name, random_votes(1, m=15, n=40), 7)
        assert fast == textbook

    @pytest.mark.parametrize("name", NAMES)
    def test_same_members_when_many_members_are_alike(self, name):
        base = random_votes(2, m=2, n=12)
        doubled = np.repeat([0, 1], 3)
        votes = Votes(base.votes[doubled], base.perturbed[doubled], base.y)
        fast, textbook = in_chosen_order(name, votes, 4)
        assert fast == textbook


def both_groups_have_positives(votes):
    """Whether every measure is defined for some member."""
    groups, positive = half_privileged(votes), votes.votes == votes.n_classes - 1
    true = votes.y == votes.n_classes - 1
    voted = positive[:, groups].any(axis=1) & positive[:, ~groups].any(axis=1)
    return bool(true[groups].any() and true[~groups].any() and voted.any())


class TestLaws:
    @pytest.mark.parametrize("name", NAMES)
    def test_never_empty_and_never_more_than_asked(self, name):
        votes = random_votes(3, m=9, n=30)
        for max_members in range(1, 10):
            members = run(name, votes, max_members).members
            assert 1 <= len(members) <= max_members
            assert (np.diff(members) > 0).all()

    @pytest.mark.parametrize("name", [name for name in NAMES if name not in OWN_SIZE])
    def test_exactly_as_many_as_asked(self, name):
        votes = random_votes(4, m=9, n=30)
        sizes = [len(run(name, votes, size).members) for size in range(1, 10)]
        assert sizes == [1, 2, 3, 4, 5, 6, 7, 8, 9]

    @pytest.mark.parametrize("name", NAMES)
    def test_same_seed_same_members(self, name):
        votes = random_votes(5, n_classes=3, weighted=True, m=8, n=30)
        first, second = (run(name, votes, 4, seed=11).members for _ in range(2))
        assert first.tolist() == second.tolist()

    @pytest.mark.parametrize("name", NAMES)
    def test_votes_are_never_modified(self, name):
        votes = random_votes(6, n_classes=3, weighted=True, m=6, n=20)
        arrays = [votes.votes, votes.perturbed, votes.y, votes.weights, votes.units]
        before = [array.copy() for array in arrays]
        run(name, votes, 3)
        for array, copy in zip(arrays, before, strict=True):
            np.testing.assert_array_equal(array, copy)

    @pytest.mark.parametrize("name", NAMES)
    def test_the_global_seed_is_left_alone(self, name):
        before = np.random.get_state()[1].copy()  # noqa: NPY002
        run(name, random_votes(7, m=6, n=20), 3, seed=None)
        np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002

    @pytest.mark.parametrize("name", NAMES)
    def test_the_result_is_that_of_the_members_kept(self, name):
        votes = random_votes(8, n_classes=3, weighted=True, m=7, n=30)
        result = run(name, votes, 3)
        kept = votes.subset(result.members)
        assert (result.error, result.risk) == (kept.error, kept.risk)

    @pytest.mark.parametrize("name", NAMES)
    def test_members_of_weight_zero_are_never_kept(self, name):
        base = random_votes(9, m=6, n=30)
        votes = Votes(base.votes, base.perturbed, base.y, weights=[0, 1, 0, 1, 2, 0])
        assert set(run(name, votes, 6).members) <= {1, 3, 4}

    @pytest.mark.parametrize("name", NAMES)
    def test_labels_may_be_words(self, name):
        base = random_votes(10, m=6, n=30)
        words = np.array(["no", "yes"])
        votes = Votes(words[base.votes], words[base.perturbed], words[base.y])
        assert run(name, votes, 3).members.tolist() == run(name, base, 3).members.tolist()

    @pytest.mark.parametrize("name", NAMES)
    def test_a_single_member_is_kept(self, name):
        assert run(name, unanimous_votes(1), 1).members.tolist() == [0]

    @pytest.mark.parametrize("name", [name for name in NAMES if name not in OWN_SIZE])
    def test_members_alike_are_kept_from_the_first_on(self, name):
        assert run(name, unanimous_votes(), 2).members.tolist() == [0, 1]

    @pytest.mark.parametrize("name", NAMES)
    def test_one_class_only_is_no_problem(self, name):
        votes = Votes([[0, 0]] * 3, [[0, 0]] * 3, y=[0, 0])
        assert run(name, votes, 1).members.size == 1


class TestByHand:
    def test_kappa_takes_the_pair_that_agrees_least(self):
        voted = [[0, 0, 1, 1], [0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 1]]
        votes = Votes(voted, voted, y=[0, 0, 1, 1])
        # κ is 1 for (0, 1), -1 for (0, 2) and (1, 2), 0 for all pairs with 3
        assert prune("KP", votes, 2).members.tolist() == [0, 2]
        assert prune("KP", votes, 3).members.tolist() == [0, 1, 2]

    def test_kl_divergence_by_adaboost_weights(self):
        # mistakes: 0 on the first, 1 on the first, 2 on the last instance; p_0 = p_1
        voted = [[1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]]
        votes = Votes(voted, voted, y=[0, 0, 0, 0], classes=[0, 1])
        assert prune("KL", votes, 2).members.tolist() == [0, 2]

    def test_complementarity_prefers_the_member_right_where_the_vote_is_wrong(self):
        # member 0 errs on the last two; 1 is right on one of them, 2 on both but errs elsewhere
        voted = [[0, 0, 0, 0, 0, 1, 1], [1, 0, 0, 0, 0, 0, 1], [1, 1, 1, 1, 0, 0, 0]]
        votes = Votes(voted, voted, y=[0, 0, 0, 0, 0, 0, 0], classes=[0, 1])
        assert prune("CM", votes, 2).members.tolist() == [0, 2]

    def test_reduced_error_looks_at_the_vote_not_at_the_members(self):
        # errors 1/6, 2/6 and 3/6; ties go to class 0, so 0 and 2 together make no mistake
        voted = [[1, 0, 0, 0, 1, 1], [1, 0, 0, 0, 0, 1], [0, 1, 1, 1, 1, 1]]
        votes = Votes(voted, voted, y=[0, 0, 0, 0, 1, 1])
        assert prune("RE", votes, 2).members.tolist() == [0, 2]
        assert prune("RE", votes, 2).error == 0

    def test_orientation_leaves_out_members_beyond_a_right_angle(self):
        # signatures (+,+,+,-), (+,+,-,+) and (-,-,+,+): the ensemble points to (1,1,1,1)/3,
        # so the reference vanishes and the order is that of accuracy; the last has angle π/2
        voted = [[0, 0, 0, 1], [0, 0, 1, 0], [1, 1, 0, 0]]
        votes = Votes(voted, voted, y=[0, 0, 0, 0], classes=[0, 1])
        assert prune("OO", votes, 3).members.tolist() == [0, 1]

    def test_drep_ends_when_the_error_cannot_fall(self):
        assert prune("DREP", unanimous_votes(), 3).members.tolist() == [0]

    def test_ordering_based_keeps_the_shortest_of_the_best_prefixes(self):
        assert prune("OEP", unanimous_votes(), 3).members.tolist() == [0]

    @pytest.mark.parametrize("name", ["SEP", "PEP"])
    def test_searches_find_the_best_sub_ensemble_of_few_members(self, name):
        votes = random_votes(12, m=5, n=30)
        masks = [[j for j in range(5) if code >> j & 1] for code in range(1, 32)]
        lowest = min(votes.subset(mask).error for mask in masks if len(mask) <= 3)
        assert prune(name, votes, 3, random_state=0).error == lowest

    def test_pareto_prefers_the_smaller_of_equals(self):
        assert prune("PEP", unanimous_votes(5), 4, random_state=0).members.size == 1

    def test_mrmr_avoids_the_copy(self):
        voted = [[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 0, 1]]
        votes = Votes(voted, voted, y=[0, 0, 1, 1, 1, 1])
        # 1 equals 0, so it is as redundant as it is relevant; 2 is nearly independent of 0
        assert prune("MRMR", votes, 2).members.tolist() == [0, 2]

    def test_mrmc_adds_the_member_that_the_whole_ensemble_needs(self):
        # accuracy 5/6 of all three, 1 without 1, 4/6 without 2: Rel is -0.2 of 1, 0.2 of 2;
        # accuracy 5/6 of 0, 4/6 with 1, 1 with 2: Com is -0.2 of 1, 0.2 of 2
        voted = [[1, 0, 0, 0, 1, 1], [1, 0, 0, 0, 0, 1], [0, 1, 1, 1, 1, 1]]
        votes = Votes(voted, voted, y=[0, 0, 0, 0, 1, 1])
        assert prune("MRMC", votes, 2).members.tolist() == [0, 2]

    def test_discriminative_looks_where_the_vote_is_wrong(self):
        # 0 errs on the last two; there 1 always votes 0, and 2 separates the classes
        voted = [[0, 0, 0, 1, 1, 1, 1, 0], [0, 1, 0, 1, 0, 1, 0, 0], [0, 1, 0, 1, 0, 1, 0, 1]]
        votes = Votes(voted, voted, y=[0, 0, 0, 1, 1, 1, 0, 1])
        assert prune("Disc.EP", votes, 2).members.tolist() == [0, 2]

    def test_accuracy_decile_keeps_the_upper_half_of_ten(self):
        y = np.zeros(10, dtype=int)
        voted = [[int(i < j) for i in range(10)] for j in range(10)]  # member j errs j times
        votes = Votes(voted, voted, y, classes=[0, 1])
        assert prune("TSP.AP", votes, 5).members.tolist() == [0, 1, 2, 3, 4]

    def test_diversity_decile_keeps_the_member_that_disagrees_most(self):
        voted = [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [1, 1, 1, 1]]
        votes = Votes(voted, voted, y=[0, 0, 0, 0])
        # mean disagreements 5/16, 5/16, 5/16, 11/16
        assert prune("TSP.DP", votes, 1).members.tolist() == [3]

    def test_ranking_by_risk_takes_the_members_that_change_least(self):
        votes = Votes([[0, 0, 0]] * 3, [[1, 1, 0], [0, 0, 0], [1, 0, 0]], y=[0, 0, 0])
        assert prune("DR", votes, 2).members.tolist() == [1, 2]

    def test_rankings_by_group_measures(self):
        groups = [True, True, True, False, False, False]
        y = [1, 1, 0, 1, 0, 0]
        voted = [
            [1, 1, 0, 1, 0, 0],  # right: DP 1/3, EOpp 0, PP 0
            [1, 0, 0, 1, 0, 0],  # DP 0, EOpp 1/2, PP 0
            [1, 1, 1, 0, 1, 0],  # DP 2/3, EOpp 1, PP 2/3
        ]
        votes = Votes(voted, voted, y)
        best = {name: prune(name, votes, 1, groups=groups).members[0] for name in sorted(GROUPED)}
        assert best == {"DP": 1, "EOpp": 0, "PP": 0}

    def test_undefined_members_rank_last(self):
        groups = [True, True, False, False]
        voted = [[1, 0, 0, 0], [1, 1, 1, 1]]  # the first never votes 1 for the others
        votes = Votes(voted, voted, y=[1, 0, 1, 1])
        assert prune("PP", votes, 1, groups=groups).members.tolist() == [1]


class TestInterface:
    def test_every_method_of_the_paper_is_there(self):
        assert list(methods()) == list(TEXTBOOK)

    def test_methods_call_like_prune(self):
        votes = random_votes(13, m=6, n=20)
        for name, method in methods().items():
            result = method(votes, 3, groups=half_privileged(votes), random_state=5)
            assert result.members.tolist() == run(name, votes, 3, seed=5).members.tolist()

    def test_options_reach_the_method(self):
        votes = random_votes(14, m=6, n=20)
        assert prune("SEP", votes, 3, random_state=1, n_iter=0).members.size <= 3
        alone = prune("DREP", votes, 6, share=0.01).members
        assert alone.size <= prune("DREP", votes, 6, share=1.0).members.size

    def test_a_generator_may_be_given(self):
        votes = random_votes(15, m=6, n=20)
        given = prune("SEP", votes, 3, random_state=np.random.default_rng(3)).members
        assert given.tolist() == prune("SEP", votes, 3, random_state=3).members.tolist()

    def test_an_unknown_name_lists_the_known(self):
        with pytest.raises(ValueError, match=r"'kappa'; use one of KL, KP"):
            prune("kappa", unanimous_votes(), 2)

    @pytest.mark.parametrize("name", sorted(GROUPED))
    def test_group_measures_ask_for_groups(self, name):
        with pytest.raises(ValueError, match=f"{name} compares groups.*pass groups="):
            prune(name, unanimous_votes(), 2)

    @pytest.mark.parametrize(
        ("groups", "message"),
        [
            ([True, False], r"shape \(4,\).*got bool of shape \(2,\)"),
            ([1, 0, 1, 0], "got int64"),
            ([True] * 4, "both privileged"),
        ],
    )
    def test_groups_that_do_not_fit_are_refused(self, groups, message):
        with pytest.raises(ValueError, match=message):
            prune("DP", unanimous_votes(), 2, groups=groups)

    def test_a_measure_undefined_for_every_member_is_refused(self):
        votes = Votes([[0, 0]] * 2, [[0, 0]] * 2, y=[0, 1])
        with pytest.raises(ValueError, match="EOpp is undefined for every member"):
            prune("EOpp", votes, 1, groups=[True, False])

    @pytest.mark.parametrize("size", [0, -1, 2.0, 99])
    def test_sizes_out_of_range_are_refused(self, size):
        with pytest.raises(ValueError, match="max_members must be an integer from 1 to"):
            prune("RE", unanimous_votes(), size)
