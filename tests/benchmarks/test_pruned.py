import pytest

from benchmarks.paper import pruned
from benchmarks.paper.protocol import PAPER, RECOMMENDED, folds, load, make_ensemble
from benchmarks.paper.pruned import (
    BY_ATTRIBUTE,
    JOINT,
    OVERALL,
    Judge,
    measures_without_ties,
    our_methods,
    tie_free_poaf,
)
from dr_core import Votes, as_ensemble, compare
from dr_core.perturbation import ALL


@pytest.fixture(scope="module")
def credit():
    data = load("credit", quick=True)
    fold = folds(data.y)[0]
    model = make_ensemble("bagging", 0).fit(*data.rows(fold.fitted))
    return data, fold, model


@pytest.fixture
def rows_and_table(credit):
    """The same sub-ensemble judged from its votes, and from its predictions by the library."""
    data, fold, model = credit
    votes = data.votes(model, fold.test, "pruning", RECOMMENDED).subset([0, 3, 4])
    members = as_ensemble(model).subset([0, 3, 4])
    X, y = data.rows(fold.test)
    return Judge(data, fold.test).rows(votes), compare({"it": members}, X, y, data.attributes)


@pytest.mark.parametrize("short", OVERALL)
def test_measures_of_votes_are_those_of_the_pruned_ensembles_predictions(rows_and_table, short):
    rows, comparison = rows_and_table
    expected = comparison.table().at[("it", ALL), OVERALL[short]]
    assert [row[short] for row in rows] == pytest.approx([expected] * len(rows))


@pytest.mark.parametrize("short", BY_ATTRIBUTE)
def test_group_measures_are_those_of_each_attribute(rows_and_table, short):
    rows, comparison = rows_and_table
    for row in rows[:-1]:
        expected = comparison.table().at[("it", row["attribute"]), BY_ATTRIBUTE[short]]
        assert row[short] == pytest.approx(expected)


def test_the_last_row_compares_those_privileged_in_every_attribute_with_all_others(credit):
    data, fold, model = credit
    votes = data.votes(model, fold.test, "pruning", PAPER)
    row = Judge(data, fold.test).rows(votes)[-1]
    X = data.X.iloc[fold.test]
    joint = ((X["sex"] == 1) & (X["age"] == 1)).to_numpy()
    right = votes.vote == votes.y
    assert row["attribute"] == JOINT
    assert row["DP"] == pytest.approx(abs(votes.vote[joint].mean() - votes.vote[~joint].mean()))
    assert row["accuracy gap"] == pytest.approx(abs(right[joint].mean() - right[~joint].mean()))


def test_a_tied_vote_counts_as_wrong_and_as_changed_unless_no_member_changed():
    votes = Votes([[0, 0, 0, 1], [1, 1, 0, 1]], [[0, 1, 0, 1], [1, 0, 1, 1]], y=[0, 0, 0, 1])
    found = measures_without_ties(votes)
    # Row 0 is tied and nobody changes; row 1 is tied and both change; row 2 becomes tied.
    assert found == {"tied": 0.5, "DR, ties undecided": 0.5, "accuracy, ties undecided": 0.5}


@pytest.mark.parametrize("protocol", [PAPER, RECOMMENDED])
def test_tie_free_poaf_keeps_an_odd_number_of_trees(credit, protocol):
    data, fold, model = credit
    votes = data.votes(model, pruned.pruning_rows(fold, protocol), "pruning", protocol)
    assert len(tie_free_poaf(protocol)(votes, 5).members) % 2 == 1


def test_the_baselines_groups_are_privileged_in_every_attribute(credit):
    data, fold, model = credit
    votes = data.votes(model, fold.held_out, "pruning", RECOMMENDED)
    groups = Judge(data, fold.held_out).jointly_privileged(votes)
    rows = data.X.iloc[fold.held_out].iloc[votes.rows]
    assert groups.tolist() == ((rows["sex"] == 1) & (rows["age"] == 1)).tolist()


@pytest.mark.parametrize("protocol", [PAPER, RECOMMENDED])
def test_every_method_keeps_at_most_five(credit, protocol):
    data, fold, model = credit
    votes = data.votes(model, pruned.pruning_rows(fold, protocol), "pruning", protocol)
    for prune in our_methods(protocol).values():
        assert 1 <= len(prune(votes, 5).members) <= 5


def test_votes_of_the_recommended_protocol_are_on_rows_not_trained_on(credit):
    data, fold, _ = credit
    piece = {"dataset": "credit", "fold": 0, "ensemble": "bagging", "seed": 0, "quick": True}
    votes, unseen = pruned.votes_of.func(**piece, protocol=RECOMMENDED)
    assert votes.y.tolist() == data.y.iloc[fold.held_out].tolist()
    assert unseen.y.tolist() == data.y.iloc[fold.test].tolist()
