import numpy as np
import pytest

from benchmarks.paper.counterfactual import AdditiveWorld, FairAdd, FairK, Full, Unaware
from dr_core import assess_risk, datasets, learn_attributes


@pytest.fixture(scope="module")
def law():
    bunch = datasets.load("lawschool")
    rows = np.random.default_rng(0).permutation(len(bunch.target))[:1500]
    attributes = learn_attributes(bunch.data, bunch.privileged)
    data = bunch.data.iloc[rows].reset_index(drop=True)
    return data, bunch.target.to_numpy()[rows], attributes


@pytest.fixture(scope="module")
def world(law):
    return AdditiveWorld(law[0])


def counterfactual_risk(model, law, world, tolerance):
    X, _, attributes = law
    predict = lambda persons: model.predict(world.scores(persons))  # noqa: E731
    return assess_risk(predict, world.persons(X), attributes, tolerance=tolerance).value


def test_scores_of_persons_are_the_scores_they_had(law, world):
    X = law[0]
    again = world.scores(world.persons(X))
    np.testing.assert_allclose(again[["UGPA", "LSAT"]], X[["UGPA", "LSAT"]])


def test_residuals_are_unrelated_to_race_and_sex(law, world):
    persons = world.persons(law[0])
    means = persons.groupby(["sex"])[["UGPA", "LSAT"]].mean()
    assert means.abs().to_numpy().max() < 1e-8


def test_only_unawareness_ignores_the_attributes_alone(law):
    X, y, attributes = law
    models = [Full(), Unaware(), FairAdd()]
    risks = [assess_risk(m.fit(X, y), X, attributes, tolerance=0.01).value for m in models]
    assert risks[1] == 0
    assert min(risks[0], risks[2]) > 0.5


def test_fair_add_is_counterfactually_fair_and_unawareness_is_not(law, world):
    X, y, _ = law
    assert counterfactual_risk(FairAdd().fit(X, y), law, world, 1e-6) == 0
    assert counterfactual_risk(Unaware().fit(X, y), law, world, 0.01) > 0.9


def test_fair_k_is_almost_counterfactually_fair(law, world):
    X, y, _ = law
    model = FairK(n_draws=50, n_warmup=20).fit(X, y)
    assert counterfactual_risk(model, law, world, 0.05) == 0


def test_full_predicts_better_than_the_fair_models(law):
    X, y, _ = law
    errors = [np.mean((m.fit(X, y).predict(X) - y) ** 2) for m in (Full(), Unaware(), FairAdd())]
    assert errors == sorted(errors)
