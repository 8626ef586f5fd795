"""Which attributes are perturbed, and which groups are compared."""

from inspect import signature

import numpy as np
import pandas as pd
import pytest
from aif360.datasets import BinaryLabelDataset
from aif360.metrics import utils
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from aif360_dr import (
    AttributeMarginalization,
    DiscriminativeRiskMetric,
    EPAFPruning,
    POAFPruning,
    perturb_dataset,
)
from aif360_dr._models import classify
from dr_core import assess_risk, at_least

ALL_BUT_BLACK_WOMEN = [{"sex": 1, "race": 0}, {"sex": 1, "race": 1}, {"sex": 0, "race": 1}]
ALL_BUT_BLACK_WOMEN += [{"sex": 1, "race": 2}, {"sex": 0, "race": 2}]
BLACK_WOMEN = [{"sex": 0, "race": 0}]
GROUPS = {
    "all but the doubly disadvantaged": (BLACK_WOMEN, ALL_BUT_BLACK_WOMEN),
    "exactly one of two": (
        [{"sex": 0, "race": 0}, {"sex": 1, "race": 1}],
        [{"sex": 0, "race": 1}, {"sex": 1, "race": 0}, {"sex": 1, "race": 2}],
    ),
    "either attribute": ([{"sex": 0, "race": 0}], [{"sex": 1}, {"race": 1}]),
    "several values": ([{"race": 0}], [{"race": 1}, {"race": 2}]),
}


def rows_of(dataset, groups):
    return utils.compute_boolean_conditioning_vector(
        dataset.protected_attributes, dataset.protected_attribute_names, groups
    )


@pytest.mark.parametrize("groups", GROUPS.values(), ids=GROUPS)
class TestAnyGroups:
    def test_each_group_has_the_mean_risk_of_its_rows(self, groups, dataset, forest):
        metric = DiscriminativeRiskMetric.from_estimator(forest, dataset, *groups)
        risks = metric.individual_risk()
        for privileged, rows in zip((False, True), groups, strict=True):
            expected = risks[rows_of(dataset, rows)].mean()
            assert metric.discriminative_risk(privileged) == pytest.approx(expected)

    def test_rows_may_be_perturbed_beforehand(self, groups, dataset, forest):
        perturbed = perturb_dataset(dataset, groups[1], seed=0)
        assert (perturbed.features != dataset.features).any()

    @pytest.mark.parametrize("pruning", [POAFPruning, EPAFPruning])
    def test_prunings_take_them(self, pruning, groups, dataset, forest):
        unprivileged, privileged = groups
        pruned = pruning(
            forest, privileged_groups=privileged, unprivileged_groups=unprivileged, seed=0
        )
        assert len(pruned.fit(dataset).members_) > 0

    def test_marginalisation_takes_them(self, groups, dataset, forest):
        averaged = AttributeMarginalization(forest, *groups).fit(dataset)
        metric = DiscriminativeRiskMetric.from_estimator(averaged, dataset, *groups)
        assert metric.discriminative_risk() == 0


def test_groups_with_every_value_perturb_the_datasets_own_privileged_values(dataset, forest):
    metric = DiscriminativeRiskMetric.from_estimator(
        forest, dataset, BLACK_WOMEN, ALL_BUT_BLACK_WOMEN
    )
    # sex has both values in the groups, and all three races are: 1 is privileged in the dataset
    core = assess_risk(forest, dataset.features, {0: 1.0, 1: 1.0})
    np.testing.assert_allclose(metric.individual_risk(), core.individual, atol=1e-12)


class TestPerturb:
    def test_it_changes_an_attribute_whichever_groups_are_compared(self, dataset, forest):
        metric = DiscriminativeRiskMetric.from_estimator(
            forest, dataset, BLACK_WOMEN, ALL_BUT_BLACK_WOMEN, perturb=["sex"]
        )
        core = assess_risk(forest, dataset.features, {0: 1.0})
        np.testing.assert_allclose(metric.individual_risk(), core.individual, atol=1e-12)
        expected = core.individual[rows_of(dataset, BLACK_WOMEN)].mean()
        assert metric.discriminative_risk(privileged=False) == pytest.approx(expected)

    def test_an_attribute_that_no_group_names_has_the_values_of_the_dataset(
        self, dataset, forest, women, men
    ):
        metric = DiscriminativeRiskMetric.from_estimator(
            forest, dataset, women, men, perturb=["race"]
        )
        core = assess_risk(forest, dataset.features, {1: 1.0})
        np.testing.assert_allclose(metric.individual_risk(), core.individual, atol=1e-12)

    def test_a_dataset_changes_in_it_alone(self, dataset):
        perturbed = perturb_dataset(dataset, perturb=["race"], seed=0)
        changed = (perturbed.features != dataset.features).any(axis=0)
        assert changed.tolist() == [False, True, False, False]
        assert perturbed.metadata["params"]["perturb"] == ["race"]

    def test_marginalisation_averages_it_out(self, dataset, forest, women, men):
        averaged = AttributeMarginalization(forest, women, men, perturb=["race"]).fit(dataset)
        risks = [
            DiscriminativeRiskMetric.from_estimator(
                averaged, dataset, women, men, perturb=[name]
            ).discriminative_risk()
            for name in ("race", "sex")
        ]
        assert risks[0] == 0 < risks[1]

    def test_a_pruning_perturbs_it(self, dataset, forest, women, men):
        groups = {"privileged_groups": men, "unprivileged_groups": women}
        races = {"privileged_groups": [{"race": 1}], "unprivileged_groups": [{"race": 0}]}
        ours = POAFPruning(forest, perturb=["race"], seed=0, **groups).fit(dataset)
        theirs = POAFPruning(forest, seed=0, **races).fit(dataset)
        np.testing.assert_array_equal(ours.members_, theirs.members_)

    @pytest.mark.parametrize(
        ("perturb", "error", "message"),
        [
            ("sex", TypeError, r"perturb must be a list .*\['sex'\]; got 'sex'"),
            ([], TypeError, r"perturb must be a list .*got \[\]"),
            (["age"], ValueError, "perturb names 'age'.*'sex', 'race'"),
        ],
    )
    def test_names_that_mean_nothing_are_refused(self, perturb, error, message, dataset, men):
        with pytest.raises(error, match=message):
            perturb_dataset(dataset, men, perturb=perturb)


@pytest.mark.parametrize("pruning", [POAFPruning, EPAFPruning])
def test_the_metadata_of_a_pruning_has_every_argument(pruning, dataset, forest, women, men):
    given = {"perturb": ["sex"], "carried_by": {"sex": ["sex"]}, "method": "sample", "seed": 3}
    pruned = pruning(forest, privileged_groups=men, unprivileged_groups=women, **given)
    params = pruned.fit_predict(dataset).metadata["params"]
    assert given.items() <= params.items()
    assert set(params) == set(signature(pruning).parameters)


class TestRanges:
    """A protected attribute of which a range is privileged, as `to_aif360` makes it."""

    X = pd.DataFrame({"age": [18, 19, 19, 22, 30, 30, 30, 41, 57, 70], "skill": range(10)})

    @pytest.fixture
    def ages(self):
        dataset = BinaryLabelDataset(
            df=self.X.assign(y=[0, 1] * 5).astype(float),
            label_names=["y"],
            protected_attribute_names=["age"],
            privileged_protected_attributes=[self.X["age"][self.X["age"] >= 25].unique()],
            unprivileged_protected_attributes=[self.X["age"][self.X["age"] < 25].unique()],
        )
        dataset.metadata["quantities"] = ["age"]
        return dataset

    def test_values_are_drawn_as_often_as_they_occur(self, ages):
        tree = DecisionTreeClassifier(random_state=0).fit(ages.features, ages.labels.ravel())
        metric = DiscriminativeRiskMetric.from_estimator(tree, ages)
        core = assess_risk(tree, ages.features, {0: at_least(25)})
        assert metric.discriminative_risk() == pytest.approx(core.value, abs=1e-12)
        np.testing.assert_allclose(metric.individual_risk(), core.individual, atol=1e-12)

    def test_perturbed_rows_are_in_the_other_group(self, ages):
        perturbed = perturb_dataset(ages, seed=0)
        assert ((perturbed.features[:, 0] >= 25) != (ages.features[:, 0] >= 25)).all()

    def test_marginalisation_averages_it_out(self, ages):
        tree = DecisionTreeClassifier(random_state=0).fit(ages.features, ages.labels.ravel())
        averaged = AttributeMarginalization(tree, None, None).fit(ages)
        assert DiscriminativeRiskMetric.from_estimator(averaged, ages).discriminative_risk() == 0

    @pytest.mark.parametrize("is_given", [True, False])
    def test_intervals_warn_where_learned_frequencies_count_as_known(self, ages, is_given):
        tree = DecisionTreeClassifier(random_state=0).fit(ages.features, ages.labels.ravel())
        old = [{"age": age} for age in ages.privileged_protected_attributes[0]]
        metric = DiscriminativeRiskMetric.from_estimator(tree, ages, None, old)
        if is_given:
            perturbed = classify(tree, perturb_dataset(ages, seed=0))
            metric = DiscriminativeRiskMetric(
                ages,
                classify(tree, ages),
                privileged_groups=old,
                perturbed_classified_dataset=perturbed,
            )
        else:
            assert metric.discriminative_risk_interval().high <= 1
        with pytest.warns(UserWarning, match="interval.*'age'.*only 4 rows.*domain"):
            metric.discriminative_risk_interval(None if is_given else True)

    def test_a_promise_warns_where_learned_frequencies_count_as_known(self, ages):
        forest = RandomForestClassifier(5, random_state=0).fit(ages.features, ages.labels.ravel())
        pruning = POAFPruning(forest, None, None, n_iter=2, max_risk=0.01, seed=0)
        with (
            pytest.warns(UserWarning, match="max_risk.*'age'.*only 4 rows.*domain"),
            pytest.raises(ValueError, match="cannot be promised"),
        ):
            pruning.fit(ages)
