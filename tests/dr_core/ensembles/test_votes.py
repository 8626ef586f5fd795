import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textbook import voting as textbook
from textbook.ensembles import random_votes

from dr_core._utils import iter_slices, to_units
from dr_core.ensembles._votes import EXACT_IN_FLOAT32, Votes, find_leaders

VOTES = [[0, 1, 1], [0, 1, 0], [1, 0, 0]]
PERTURBED = [[0, 1, 1], [0, 0, 0], [1, 0, 1]]
Y = [0, 1, 1]

EXACT_IN_FLOAT64 = 2**53


def small(**changes):
    return Votes(**{"votes": VOTES, "perturbed": PERTURBED, "y": Y, **changes})


seeds = st.integers(0, 2**32 - 1)
weight_kinds = st.sampled_from(["uniform", "whole", "adaboost"])


@st.composite
def ensembles(draw):
    m, n, n_classes = draw(st.integers(1, 7)), draw(st.integers(1, 25)), draw(st.integers(1, 4))
    return random_votes(
        np.random.default_rng(draw(seeds)),
        m,
        n,
        n_classes=n_classes,
        weights=draw(weight_kinds),
        weighted_rows=draw(st.booleans()),
    )


class TestVote:
    def test_majority_wins(self):
        assert small().vote.tolist() == [0, 1, 0]
        assert small().perturbed_vote.tolist() == [0, 0, 1]

    def test_ties_go_to_the_lowest_class(self):
        votes = Votes([["b"], ["a"]], [["a"], ["b"]], ["b"])
        assert votes.classes[votes.vote].tolist() == ["a"]

    def test_margin_is_the_lead_over_the_second(self):
        assert np.allclose(small().margin, 1 / 3)

    def test_margin_of_a_single_class_is_one(self):
        assert Votes([[5], [5]], [[5], [5]], [5]).margin.tolist() == [1]

    def test_inconsistency_is_the_weight_that_changes(self):
        votes = small(weights=[1, 1, 2])
        assert votes.inconsistency.tolist() == [0, 0.25, 0.5]

    def test_error_and_risk_are_shares_of_instances(self):
        assert small().error == 1 / 3
        assert small().risk == 2 / 3

    def test_members_are_judged_one_by_one(self):
        assert small().member_errors.tolist() == [0, 1 / 3, 1]
        assert small().member_risks.tolist() == [0, 1 / 3, 1 / 3]

    def test_sample_weights_weigh_instances(self):
        votes = small(sample_weight=[1, 0, 3])
        assert votes.error == 0.75
        assert votes.risk == 0.75

    def test_weights_of_instances_sum_to_one(self):
        assert small(sample_weight=[1, 2, 5]).row_weights.tolist() == [0.125, 0.25, 0.625]

    def test_equal_sample_weights_change_nothing(self):
        assert small(sample_weight=[0.1] * 3).risk == small().risk

    def test_heavier_member_decides(self):
        assert small(weights=[1, 1, 3]).vote.tolist() == [1, 0, 0]


class TestUnits:
    def test_equal_weights_are_all_one(self):
        assert small(weights=[1 / 3] * 3).units.tolist() == [1, 1, 1]

    @pytest.mark.parametrize(
        ("weights", "units"),
        [
            ([3, 0, 5], [3, 0, 5]),
            ([0.5, 0.25, 2], [2, 1, 8]),
            ([0.1, 0.2, 0.3], [1, 2, 3]),
            ([1 / 6, 2 / 6, 3 / 6], [1, 2, 3]),
            ([1e300, 3e300, 2e300], [1, 3, 2]),
        ],
    )
    def test_simple_proportions_are_exact(self, weights, units):
        assert small(weights=weights).units.tolist() == units

    def test_decimal_weights_tie_as_written(self):
        votes = Votes([[0], [0], [1]], [[0], [0], [1]], [0], weights=[0.1, 0.2, 0.3])
        assert votes.margin.tolist() == [0]

    def test_weights_sum_to_one(self):
        assert small(weights=[1, 2, 5]).weights.tolist() == [0.125, 0.25, 0.625]

    @given(st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=30))
    def test_units_are_whole_sum_exactly_and_keep_proportions(self, weights):
        units = to_units(weights, len(weights), "weights")
        assert (units == np.rint(units)).all()
        assert units.sum() < EXACT_IN_FLOAT64
        assert np.allclose(units / units.sum(), np.array(weights) / sum(weights), atol=1e-14)

    def test_far_apart_weights_are_rounded(self):
        assert to_units([1e300, 1, 0], 3, "weights")[1:].tolist() == [0, 0]

    def test_ratios_without_a_common_denominator_are_rounded(self):
        units = to_units(1 / np.array([1000, 999, 997, 991, 983, 977, 971]), 7, "weights")
        assert EXACT_IN_FLOAT64 / 4 < units.sum() < EXACT_IN_FLOAT64 / 2

    def test_many_distinct_weights_are_rounded(self):
        assert to_units(np.sqrt(np.arange(1, 2000)), 1999, "weights").sum() < EXACT_IN_FLOAT64


class TestLabels:
    @pytest.mark.parametrize(
        "labels",
        [
            np.array(["no", "yes"]),
            np.array(["no", "yes"], dtype=object),
            np.array([False, True]),
            np.array([-5, 900]),
            np.array([0.5, 1.5]),
        ],
    )
    def test_any_type_of_label_gives_the_same_votes(self, labels):
        votes = Votes(labels[VOTES], labels[PERTURBED], labels[Y])
        assert (votes.classes == labels).all()
        assert (votes.votes == VOTES).all()
        assert (votes.risk, votes.error) == (small().risk, small().error)

    def test_data_frames_are_welcome(self):
        assert Votes(pd.DataFrame(VOTES), pd.DataFrame(PERTURBED), pd.Series(Y)).risk == 2 / 3

    @pytest.mark.parametrize(("n_classes", "dtype"), [(256, np.uint8), (257, np.uint16)])
    def test_a_vote_takes_one_byte_and_two_among_many_classes(self, n_classes, dtype):
        row = np.arange(n_classes)
        votes = Votes([row], [row], row)
        assert votes.votes.dtype == votes.vote.dtype == votes.y.dtype == dtype
        assert votes.error == 0

    def test_classes_given_means_codes_given(self):
        votes = small(classes=["a", "b", "c"])
        assert votes.n_classes == 3
        assert votes.totals.shape == (3, 3)


class TestSubset:
    def test_weights_are_renormalised(self):
        assert small(weights=[1, 2, 6]).subset([0, 2]).weights.tolist() == [1 / 7, 6 / 7]

    @settings(max_examples=50)
    @given(ensembles(), st.data())
    def test_is_the_vote_of_these_members(self, votes, data):
        chosen = data.draw(st.sets(st.integers(0, votes.n_members - 1), min_size=1))
        plain, part = textbook.Ensemble.of(votes), votes.subset(sorted(chosen))
        assert part.error == textbook.error(plain, sorted(chosen))
        assert part.risk == textbook.risk(plain, sorted(chosen))

    def test_keeps_classes_nobody_votes_for(self):
        assert small().subset([0]).classes.tolist() == [0, 1]


class TestLaws:
    @settings(max_examples=100)
    @given(ensembles())
    def test_everything_equals_the_textbook(self, votes):
        plain = textbook.Ensemble.of(votes)
        everyone = plain.everyone
        assert votes.error == textbook.error(plain, everyone)
        assert votes.risk == textbook.risk(plain, everyone)
        margins = [float(textbook.margin(plain, everyone, i)) for i in plain.instances]
        changes = [float(textbook.inconsistency(plain, everyone, i)) for i in plain.instances]
        assert np.allclose(votes.margin, margins, atol=1e-15)
        assert np.allclose(votes.inconsistency, changes, atol=1e-15)

    @given(ensembles())
    def test_a_changed_vote_has_inconsistency_of_half_the_margin(self, votes):
        changed = votes.vote != votes.perturbed_vote
        assert (2 * votes.inconsistency_units >= votes.margin_units)[changed].all()

    @given(seeds, st.integers(2, 5))
    def test_leaders_are_the_first_two_of_a_stable_ranking(self, seed, n_classes):
        totals = np.random.default_rng(seed).integers(0, 4, (n_classes, 30)).astype(float)
        ranking = np.argsort(-totals, axis=0, kind="stable")
        led = find_leaders(totals)
        assert (led.winner == ranking[0]).all()
        assert (led.runner_up == ranking[1]).all()
        assert (led.margin == led.first - np.take_along_axis(totals, ranking, 0)[1]).all()

    def test_large_ensembles_are_counted_in_blocks(self, monkeypatch):
        votes = random_votes(np.random.default_rng(0), 9, 100, n_classes=3)
        monkeypatch.setattr("dr_core.ensembles._votes.MAX_VOTES_PER_BLOCK", 64)
        again = votes.subset(range(9))
        assert (again.totals == votes.totals).all()
        assert again.error == votes.error

    def test_a_block_has_as_many_votes_as_fit(self, monkeypatch):
        sizes = []
        cut = lambda length, size: (sizes.append(size), iter_slices(length, size))[1]  # noqa: E731
        monkeypatch.setattr("dr_core.ensembles._votes.MAX_VOTES_PER_BLOCK", 64)
        monkeypatch.setattr("dr_core.ensembles._votes.iter_slices", cut)
        assert random_votes(np.random.default_rng(0), 9, 100).totals.shape == (2, 100)
        assert sizes == [64 // 9]

    def test_integers_are_exact_in_float32_up_to_the_limit(self):
        assert int(np.float32(EXACT_IN_FLOAT32 - 1)) == EXACT_IN_FLOAT32 - 1
        assert int(np.float32(EXACT_IN_FLOAT32 + 1)) != EXACT_IN_FLOAT32 + 1


class TestBadInput:
    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"votes": [0, 1, 1]}, r"votes must have shape \(members, instances\).*\(3,\)"),
            ({"votes": np.empty((3, 0))}, "at least one of each"),
            ({"votes": [[0], [0, 1]]}, "votes must be an array; got rows of different lengths"),
            ({"perturbed": [[0, 1, 1]]}, r"perturbed must have shape \(3, 3\).*got \(1, 3\)"),
            ({"y": [0, 1]}, r"y must have shape \(3,\).*got \(2,\)"),
            ({"y": ["a", "b", "a"]}, "labels of one kind; got votes of int64"),
            ({"y": [0, 1, np.nan]}, "y has missing labels"),
            ({"weights": [1, 2]}, r"weights must have shape \(3,\).*members; got \(2,\)"),
            ({"weights": [0, 0, 0]}, "weights are all 0"),
            ({"weights": [1, -1, 1]}, "weights must be finite and at least 0; got -1.0"),
            ({"weights": [1, np.inf, 1]}, "weights must be finite and at least 0; got inf"),
            ({"weights": ["a", "b", "c"]}, "weights must be numbers"),
            ({"sample_weight": [1]}, "sample_weight must have shape.*instances"),
            ({"classes": [0, 1], "y": [0, -1, 1]}, "y must be positions.*got -1 to 1"),
            ({"classes": [0]}, "votes must be positions in classes, from 0 to 0; got 0 to 1"),
            (
                {"classes": [0, 1], "y": [0.0, 1.0, 1.0]},
                "y must be integers, positions in classes",
            ),
            ({"classes": np.arange(2**16 + 1)}, "at most 65536 classes"),
        ],
    )
    def test_says_what_is_wrong(self, changes, message):
        with pytest.raises(ValueError, match=message):
            small(**changes)

    def test_labels_that_cannot_be_sorted(self):
        mixed = np.array([[0, "a"]], dtype=object)
        with pytest.raises(ValueError, match="cannot be sorted; use one type"):
            Votes(mixed, mixed, mixed[0])

    def test_nothing_is_modified(self):
        votes, weights = np.array(VOTES), np.array([1.0, 2.0, 4.0])
        Votes(votes, PERTURBED, Y, weights)
        assert votes.tolist() == VOTES
        assert weights.tolist() == [1, 2, 4]

    def test_repr_is_short(self):
        assert repr(small()) == "Votes(3 members, 3 instances, classes [0, 1])"

    @pytest.mark.parametrize(("n", "shown"), [(6, "0, 1, 2, 3, 4, 5"), (7, "0, 1, ..., 5, 6")])
    def test_repr_of_many_classes_shows_the_first_and_the_last(self, n, shown):
        assert repr(small(classes=np.arange(n))).endswith(f"classes [{shown}])")


def test_weights_that_differ_by_rounding_alone_are_equal():
    rng = np.random.default_rng(0)
    votes, perturbed, y = rng.integers(0, 2, (2, 5, 500)), None, rng.integers(0, 2, 500)
    votes, perturbed = votes
    nearly = np.where(np.arange(500) % 2, 1.0, 1 + 2e-15)
    plain = Votes(votes, perturbed, y)
    weighted = Votes(votes, perturbed, y, sample_weight=nearly)
    assert weighted.risk == plain.risk > 0
    assert weighted.error == plain.error > 0


def test_the_lead_counts_that_ties_go_to_the_lower_class():
    leads = find_leaders(np.array([[3.0, 2.0, 2.0], [1.0, 2.0, 4.0]])).lead
    assert leads.tolist() == [3, 1, 2]
