import numpy as np
import pytest

from benchmarks.paper.protocol import (
    ENSEMBLES,
    LEARNERS,
    N_MEMBERS,
    PAPER,
    QUICK_ROWS,
    RECOMMENDED,
    SLOW_ROWS,
    affordable,
    fold_pieces,
    folds,
    load,
    make_ensemble,
    make_learner,
    recommended_poaf,
)
from dr_core import as_ensemble


@pytest.fixture(scope="module")
def credit():
    data = load("credit", quick=True)
    return data, folds(data.y)[0]


def test_test_parts_of_the_folds_are_all_rows_once(credit):
    data, _ = credit
    tested = np.concatenate([fold.test for fold in folds(data.y)])
    assert sorted(tested) == list(range(len(data.y)))


def test_fitted_and_held_out_rows_are_the_training_rows(credit):
    _, fold = credit
    assert sorted([*fold.fitted, *fold.held_out]) == sorted(fold.train)
    assert len(fold.held_out) == pytest.approx(len(fold.train) / 3, abs=1)


def test_no_training_row_is_tested(credit):
    _, fold = credit
    assert not set(fold.train) & set(fold.test)


def test_sensitive_columns_are_1_for_privileged_and_0_for_others(credit):
    data, fold = credit
    assert data.attributes.names == ["sex", "age"]
    assert set(data.X["sex"]) == {0, 1}
    assert (data.privileged("sex", fold.test) == (data.X["sex"].iloc[fold.test] == 1)).all()


def test_a_quick_data_set_is_small():
    assert len(load("ppr", quick=True).y) == QUICK_ROWS


def test_exact_risk_of_the_recommended_protocol_needs_no_seed(credit):
    data, fold = credit
    model = make_ensemble("bagging", 0).fit(*data.rows(fold.fitted))
    one, other = (data.votes(model, fold.test, "pruning", RECOMMENDED, seed) for seed in (0, 1))
    assert one.risk == other.risk


def test_the_papers_protocol_perturbs_fewer_people(credit):
    data, fold = credit
    model = make_ensemble("bagging", 0).fit(*data.rows(fold.fitted))
    risks = [data.votes(model, fold.test, "pruning", how).risk for how in (PAPER, RECOMMENDED)]
    assert risks[0] < risks[1]


@pytest.mark.parametrize("name", ENSEMBLES)
def test_an_ensemble_has_its_members_and_is_the_same_for_the_same_seed(credit, name):
    data, fold = credit
    one, other = (make_ensemble(name, 3).fit(*data.rows(fold.fitted)) for _ in range(2))
    assert len(as_ensemble(one).members) == N_MEMBERS
    assert (one.predict(data.X) == other.predict(data.X)).all()


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_learner_beats_a_coin_on_ricci(name):
    data = load("ricci")
    fold = folds(data.y)[0]
    model = make_learner(name, 0).fit(*data.rows(fold.train))
    assert (model.predict(data.X.iloc[fold.test]) == data.y.iloc[fold.test]).mean() > 0.5


def test_slow_learners_get_fewer_rows_and_fast_ones_all():
    rows = np.arange(SLOW_ROWS + 1)
    assert len(affordable("SVM", rows, seed=0)) == SLOW_ROWS
    assert affordable("DT", rows, seed=0) is rows


def test_pieces_are_data_sets_times_folds_times_choices():
    pieces = fold_pieces(learner=["DT", "NB"])
    assert len(pieces) == 5 * 5 * 2
    assert pieces[0] == {"dataset": "income", "fold": 0, "learner": "DT", "quick": False}


def test_recommended_poaf_keeps_at_most_as_many_members_as_asked(credit):
    data, fold = credit
    model = make_ensemble("bagging", 0).fit(*data.rows(fold.fitted))
    votes = data.votes(model, fold.held_out, "pruning", RECOMMENDED)
    assert 1 <= len(recommended_poaf(votes, 5).members) <= 5
