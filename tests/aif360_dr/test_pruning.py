"""Pruning ensembles inside AIF360 pipelines."""

import pickle

import numpy as np
import pandas as pd
import pytest
from aif360.algorithms.postprocessing import EqOddsPostprocessing
from aif360.algorithms.preprocessing import Reweighing
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from aif360_dr import (
    Chain,
    DiscriminativeRiskMetric,
    EPAFPruning,
    EstimatorTransformer,
    POAFPruning,
    perturb_dataset,
)
from aif360_dr._models import classify
from dr_core import as_ensemble, collect_votes, epaf, poaf

PRUNINGS = [POAFPruning, EPAFPruning]

# AdaBoost was not a vote by default before scikit-learn 1.6.
DEFAULT = AdaBoostClassifier().get_params().get("algorithm")
VOTING = {"algorithm": "SAMME"} if DEFAULT == "SAMME.R" else {}


def ensembles():
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    return {
        "forest": RandomForestClassifier(9, max_depth=4, random_state=0),
        "extra trees": ExtraTreesClassifier(9, max_depth=4, random_state=0),
        "bagging": BaggingClassifier(tree, 9, max_features=0.75, random_state=0),
        "adaboost": AdaBoostClassifier(tree, n_estimators=9, random_state=0, **VOTING),
        "voting": VotingClassifier([("t", tree), ("l", GaussianNB())], weights=[2, 1]),
        "pipeline": make_pipeline(StandardScaler(), RandomForestClassifier(9, random_state=0)),
    }


@pytest.mark.parametrize("pruning", PRUNINGS)
@pytest.mark.parametrize("favorable", [0.0, 1.0])
def test_recall_is_that_of_the_favorable_label(pruning, favorable, dataset, forest, women, men):
    dataset.favorable_label, dataset.unfavorable_label = favorable, 1 - favorable
    everyone = pruning(forest, women, men, max_members=9, seed=0).fit(dataset)
    of_label = dataset.labels.ravel() == favorable
    vote = as_ensemble(forest).predict(dataset.features)
    recall = (vote[of_label] == favorable).mean()
    assert everyone.result_.scores.at["before", "recall"] == pytest.approx(recall)


@pytest.mark.parametrize("pruning", PRUNINGS)
@pytest.mark.parametrize("kind", ensembles())
def test_every_voting_ensemble_can_be_pruned(pruning, kind, dataset, women, men):
    model = ensembles()[kind].fit(dataset.features, dataset.labels.ravel())
    fitted = pruning(model, women, men, seed=0).fit(dataset)
    assert 1 <= len(fitted.members_) <= (len(as_ensemble(model).members) + 1) // 2
    labels = fitted.predict(dataset).labels.ravel()
    np.testing.assert_array_equal(labels, fitted.ensemble_.predict(dataset.features))


@pytest.mark.parametrize(("pruning", "function"), [(POAFPruning, poaf), (EPAFPruning, epaf)])
def test_members_are_those_the_core_keeps(pruning, function, weighted, forest, women, men):
    votes = collect_votes(
        forest,
        weighted.features,
        weighted.labels.ravel(),
        {0: 1.0},
        method="exact",
        sample_weight=weighted.instance_weights,
    )
    how = {"selection": "min_risk"} if function is poaf else {}
    kept = function(votes, 5, random_state=0, **how).members
    fitted = pruning(forest, women, men, max_members=5, seed=0).fit(weighted)
    np.testing.assert_array_equal(fitted.members_, kept)


def test_the_risk_it_reports_is_that_of_the_metric(dataset, forest, women, men):
    fitted = POAFPruning(forest, women, men, seed=0).fit(dataset)
    metric = DiscriminativeRiskMetric.from_estimator(fitted, dataset, women, men)
    assert metric.discriminative_risk() == pytest.approx(fitted.result_.risk, abs=1e-12)
    assert metric.error_rate() == pytest.approx(fitted.result_.error, abs=1e-12)


def test_pruning_for_fairness_lowers_the_risk(dataset, forest, women, men):
    def risk(model):
        metric = DiscriminativeRiskMetric.from_estimator(model, dataset, women, men)
        return metric.discriminative_risk()

    assert risk(POAFPruning(forest, women, men, trade_off=0.1, seed=0).fit(dataset)) < risk(forest)


def test_members_of_bagging_see_their_own_features(dataset, women, men):
    bagging = ensembles()["bagging"].fit(dataset.features, dataset.labels.ravel())
    everyone = EPAFPruning(bagging, women, men, max_members=9).fit(dataset).predict(dataset)
    votes = [
        member.predict(dataset.features[:, columns])
        for member, columns in zip(bagging.estimators_, bagging.estimators_features_, strict=True)
    ]
    np.testing.assert_allclose(everyone.scores.ravel(), np.mean(votes, axis=0))


def test_labels_and_scores_have_one_column(dataset, forest, women, men):
    pruned = POAFPruning(forest, women, men, seed=0).fit_predict(dataset)
    assert pruned.labels.shape == pruned.scores.shape == (200, 1)


def test_scores_are_shares_of_votes_for_the_favorable_label(dataset, forest, women, men):
    fitted = POAFPruning(forest, women, men, max_members=3, seed=0).fit(dataset)
    votes = [forest.estimators_[j].predict(dataset.features) for j in fitted.members_]
    np.testing.assert_allclose(fitted.predict(dataset).scores.ravel(), np.mean(votes, axis=0))


def test_a_vote_that_would_tie_is_pruned_to_an_odd_size(dataset, women, men):
    members = [
        DecisionTreeClassifier(max_depth=1, random_state=0).fit([[0] * 4, [1] * 4], labels)
        for labels in ([0.0, 1.0], [1.0, 0.0])
    ]
    fitted = EPAFPruning(members, women, men, max_members=2).fit(dataset)
    assert len(fitted.members_) == 1


def test_groups_come_unprivileged_first_as_in_aif360(dataset, forest, women, men):
    by_position = POAFPruning(forest, women, men, n_iter=2, seed=0).fit(dataset)
    by_name = POAFPruning(
        forest, privileged_groups=men, unprivileged_groups=women, n_iter=2, seed=0
    ).fit(dataset)
    assert by_position.result_.risk == by_name.result_.risk
    assert by_position.privileged_groups == men


def test_scores_before_and_after_and_on_rows_that_did_not_choose(dataset, forest, women, men):
    scores = EPAFPruning(forest, women, men, seed=0).fit(dataset).result_.scores
    assert scores.index.tolist() == ["before", "after", "held out"]
    assert scores.columns.tolist() == [
        "error",
        "risk",
        "recall",
        "selection_rate",
        "balanced_accuracy",
    ]


def test_a_risk_can_be_promised(dataset, forest, women, men):
    result = POAFPruning(forest, women, men, n_iter=5, max_risk=0.5, seed=0).fit(dataset).result_
    assert (result.max_risk, result.delta) == (0.5, 0.05)
    with pytest.raises(ValueError, match=r"max_risk=0\.001 cannot be promised"):
        POAFPruning(forest, women, men, n_iter=5, max_risk=0.001, seed=0).fit(dataset)


@pytest.mark.parametrize("progress", [False, True])
def test_a_bar_is_shown_only_on_request(progress, dataset, forest, women, men, capsys):
    POAFPruning(forest, women, men, n_iter=5, seed=0, progress=progress).fit(dataset)
    assert ("5/5" in capsys.readouterr().err) == progress


def test_the_dataset_is_left_alone(dataset, forest, women, men):
    before = dataset.copy(deepcopy=True)
    POAFPruning(forest, women, men, seed=0).fit_predict(dataset)
    np.testing.assert_array_equal(dataset.features, before.features)
    np.testing.assert_array_equal(dataset.labels, before.labels)


def test_an_ensemble_fitted_on_a_frame_gets_a_frame(dataset, women, men):
    frame = pd.DataFrame(dataset.features, columns=dataset.feature_names)
    model = make_pipeline(StandardScaler().set_output(transform="pandas"), ensembles()["forest"])
    model.fit(frame, dataset.labels.ravel())
    fitted = EPAFPruning(model, women, men).fit(dataset)
    assert fitted.predict(dataset).labels.shape == (200, 1)


def test_epaf_d_gives_the_same_answer_on_any_number_of_jobs(dataset, forest, women, men):
    kept = [
        EPAFPruning(forest, women, men, 4, seed=0, n_groups=3, n_jobs=jobs).fit(dataset).members_
        for jobs in (1, 2)
    ]
    np.testing.assert_array_equal(*kept)


def test_it_chains_with_the_algorithms_of_aif360(weighted, women, men):
    reweighed = Reweighing(women, men).fit_transform(weighted)
    bagging = EstimatorTransformer(ensembles()["bagging"]).fit(reweighed)
    pruning = POAFPruning(bagging.estimator, women, men, seed=0).fit(reweighed)
    equal_odds = EqOddsPostprocessing(women, men, seed=0)
    equal_odds.fit(reweighed, pruning.predict(reweighed))
    final, perturbed = (
        equal_odds.predict(pruning.predict(rows))
        for rows in (reweighed, perturb_dataset(reweighed, men))
    )
    metric = DiscriminativeRiskMetric(
        reweighed, final, women, men, perturbed_classified_dataset=perturbed
    )
    assert metric.accuracy() > 0.5
    assert metric.num_instances() == pytest.approx(reweighed.instance_weights.sum())
    changed = (final.labels != perturbed.labels).ravel()
    assert metric.num_label_changes() == pytest.approx(reweighed.instance_weights[changed].sum())


def test_it_takes_predictions_as_other_postprocessors_do(dataset, forest, women, men):
    predicted = classify(forest, dataset)
    pruned = POAFPruning(forest, women, men, seed=0).fit_predict(dataset, predicted)
    again = POAFPruning(forest, women, men, seed=0).fit(dataset, predicted).predict(dataset)
    np.testing.assert_array_equal(pruned.labels, again.labels)


def test_it_must_be_fitted_first(dataset, forest, women, men):
    with pytest.raises(NotFittedError, match=r"POAFPruning .*call fit"):
        POAFPruning(forest, women, men).predict(dataset)


@pytest.mark.parametrize("kind", ensembles())
def test_what_was_pruned_can_be_pickled(kind, dataset, women, men):
    model = ensembles()[kind].fit(dataset.features, dataset.labels.ravel())
    fitted = EPAFPruning(model, women, men).fit(dataset)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(dataset).scores, fitted.predict(dataset).scores)


def test_an_ensemble_that_never_sees_the_attribute_is_refused(dataset, women, men):
    blind = dataset.copy()
    keep = [i for i, name in enumerate(dataset.feature_names) if name != "sex"]
    blind.features = dataset.features[:, keep]
    blind.feature_names = [dataset.feature_names[i] for i in keep]
    forest = RandomForestClassifier(5, random_state=0).fit(blind.features, blind.labels.ravel())
    with pytest.raises(ValueError, match=r"'sex'.*pass carried_by="):
        POAFPruning(forest, women, men).fit(blind)


def test_gradient_boosting_is_no_vote(dataset, women, men):
    boosted = GradientBoostingClassifier(n_estimators=2).fit(
        dataset.features, dataset.labels.ravel()
    )
    with pytest.raises(TypeError, match="GradientBoostingClassifier"):
        POAFPruning(boosted, women, men).fit(dataset)


class TestEstimatorTransformer:
    def test_instance_weights_reach_the_estimator(self, weighted):
        tree = DecisionTreeClassifier(max_depth=2, random_state=0)
        fitted = EstimatorTransformer(tree).fit(weighted).estimator
        weights = weighted.instance_weights
        direct = tree.fit(weighted.features, weighted.labels.ravel(), sample_weight=weights)
        np.testing.assert_array_equal(fitted.tree_.value, direct.tree_.value)

    def test_instance_weights_reach_the_end_of_a_pipeline(self, weighted):
        model = make_pipeline(StandardScaler(), GaussianNB())
        fitted = EstimatorTransformer(model).fit(weighted).estimator
        weights = {"gaussiannb__sample_weight": weighted.instance_weights}
        model.fit(weighted.features, weighted.labels.ravel(), **weights)
        np.testing.assert_array_equal(fitted[-1].theta_, model[-1].theta_)

    def test_an_estimator_that_cannot_weigh_is_refused(self, weighted):
        with pytest.raises(ValueError, match=r"KNeighbors.*sample_weight.*weights to 1"):
            EstimatorTransformer(KNeighborsClassifier()).fit(weighted)

    def test_the_estimator_passed_in_stays_unfitted(self, dataset):
        tree = DecisionTreeClassifier()
        EstimatorTransformer(tree).fit(dataset)
        assert not hasattr(tree, "tree_")


@pytest.mark.parametrize(
    ("wrap", "remedy"),
    [
        (lambda forest, *both: Chain(forest), r"make_pipeline\(\*chain.steps\)"),
        (lambda forest, *both: EstimatorTransformer(forest), "attribute estimator"),
        (POAFPruning, r"votes.subset\(pruning.members_\)"),
        (EPAFPruning, r"votes.subset\(pruning.members_\)"),
    ],
)
def test_votes_of_algorithms_are_refused_with_arrays_to_pass(wrap, remedy, dataset, women, men):
    forest = RandomForestClassifier(3, random_state=0)
    algorithm = wrap(forest.fit(dataset.features, dataset.labels.ravel()), women, men)
    with pytest.raises(TypeError, match=rf"{remedy}.*dataset.features.*dataset.instance_weights"):
        collect_votes(algorithm, dataset.features, dataset.labels.ravel(), {0: 1.0})


def test_votes_on_the_arrays_of_a_dataset_have_the_risk_of_the_metric(weighted):
    forest = RandomForestClassifier(15, random_state=0)  # fully grown, so that it is a vote
    forest.fit(weighted.features, weighted.labels.ravel())
    votes = collect_votes(
        forest,
        weighted.features,
        weighted.labels.ravel(),
        {0: 1.0, 1: 1.0},
        method="exact",
        sample_weight=weighted.instance_weights,
    )
    metric = DiscriminativeRiskMetric.from_estimator(forest, weighted)
    assert votes.risk == pytest.approx(metric.discriminative_risk(), abs=1e-12)
    assert votes.risk > 0
