"""Everything that `assess_risk` finds, in the metric."""

import numpy as np
import pandas as pd
import pytest
from aif360.datasets import BinaryLabelDataset

from aif360_dr import DiscriminativeRiskMetric, perturb_dataset
from aif360_dr._models import classify
from dr_core import assess_risk, learn_attributes

SEX = {"sex": 1.0}


def raw(dataset):
    return pd.DataFrame(dataset.features, columns=dataset.feature_names)


@pytest.fixture(params=["equal weights", "unequal weights"])
def rows(request, dataset, weighted):
    return dataset if request.param == "equal weights" else weighted


@pytest.fixture
def metric(rows, forest, women, men):
    return DiscriminativeRiskMetric.from_estimator(forest, rows, women, men)


@pytest.fixture
def core(rows, forest):
    return assess_risk(
        lambda X: forest.predict(X.to_numpy()),
        raw(rows),
        SEX,
        sample_weight=None if (rows.instance_weights == 1).all() else rows.instance_weights,
    )


def test_the_interval_is_that_of_the_core(metric, core):
    for method in ("clopper-pearson", "wilson", "chernoff"):
        ours = metric.discriminative_risk_interval(confidence=0.9, method=method)
        theirs = core.interval(0.9, method=method)
        assert ours[:2] == pytest.approx(theirs[:2], abs=1e-12)


def test_the_interval_of_a_group_is_that_of_its_rows_alone(metric, rows, forest):
    some = np.flatnonzero(rows.protected_attributes[:, 0] == 0)
    # A row that becomes a man is perturbed into a value that these rows lack.
    attributes = learn_attributes(raw(rows), SEX)
    with pytest.warns(UserWarning, match="undefined"):
        alone = assess_risk(
            lambda X: forest.predict(X.to_numpy()),
            raw(rows).iloc[some],
            attributes,
            sample_weight=rows.instance_weights[some],
        )
    ours = metric.discriminative_risk_interval(privileged=False)
    assert ours[:2] == pytest.approx(alone.interval()[:2], abs=1e-12)


def test_an_interval_contains_the_risk(metric):
    for privileged in (None, True, False):
        low, high, *_ = metric.discriminative_risk_interval(privileged)
        assert low <= metric.discriminative_risk(privileged) <= high


def test_predictions_made_elsewhere_have_an_interval_too(rows, forest, metric, women, men):
    given = DiscriminativeRiskMetric(
        rows,
        classify(forest, rows),
        women,
        men,
        perturbed_classified_dataset=classify(forest, perturb_dataset(rows, men)),
    )
    assert given.discriminative_risk_interval() == metric.discriminative_risk_interval()


def test_an_empty_group_has_no_interval(rows, forest, men):
    metric = DiscriminativeRiskMetric.from_estimator(forest, rows, [{"sex": 5.0}], men)
    assert np.isnan(metric.discriminative_risk_interval(privileged=False)[:2]).all()


def test_directions_are_those_of_the_core(metric, core):
    shares = core.directions.set_index(["from", "to"])["share"]
    assert metric.favorable_to_unfavorable_rate() == pytest.approx(shares.get((1.0, 0.0), 0))
    assert metric.unfavorable_to_favorable_rate() == pytest.approx(shares.get((0.0, 1.0), 0))
    pd.testing.assert_frame_equal(metric.risk_assessment().directions, core.directions)


def test_rates_of_a_group_add_up_to_its_risk(metric):
    for privileged in (None, True, False):
        both = metric.favorable_to_unfavorable_rate(privileged)
        both += metric.unfavorable_to_favorable_rate(privileged)
        assert both == pytest.approx(metric.discriminative_risk(privileged))


def test_the_assessment_is_that_of_the_core(metric, core):
    found = metric.risk_assessment()
    assert found.value == pytest.approx(core.value)
    assert found.worst_case == pytest.approx(core.worst_case)
    pd.testing.assert_frame_equal(found.by_group, core.by_group)
    np.testing.assert_array_equal(found.concerned, core.concerned)


def test_affected_instances_are_those_of_the_core_by_name(metric, core, rows):
    found = metric.affected_instances()
    assert found.index.tolist() == [rows.instance_names[i] for i in core.concerned]
    np.testing.assert_allclose(found, core.individual[core.concerned])


def test_affected_instances_of_a_group_are_in_it(metric, rows):
    women = {str(i) for i in np.flatnonzero(rows.protected_attributes[:, 0] == 0)}
    assert set(metric.affected_instances(privileged=False).index) <= women


def test_instances_at_risk_make_the_worst_case(metric):
    expected = metric.num_instances_at_risk() / metric.num_instances()
    assert metric.worst_case_discriminative_risk() == expected


class TestPlausibility:
    @pytest.fixture
    def people(self):
        """Husbands are men, wives are women; age says nothing."""
        rng = np.random.default_rng(0)
        sex, married = rng.integers(0, 2, (2, 400))
        frame = pd.DataFrame({"sex": sex, "role": np.where(married, 1 + sex, 0)})
        frame["age"] = rng.integers(20, 60, 400)
        frame["y"] = rng.integers(0, 2, 400)
        return BinaryLabelDataset(df=frame, label_names=["y"], protected_attribute_names=["sex"])

    @staticmethod
    def favours_husbands(features):
        return (features[:, 0] == 1) & (features[:, 1] == 2)

    @pytest.fixture
    def metric(self, people, women, men):
        return DiscriminativeRiskMetric.from_estimator(self.favours_husbands, people, women, men)

    def test_it_is_that_of_the_core(self, metric, people):
        core = assess_risk(lambda X: self.favours_husbands(X.to_numpy()), raw(people), SEX)
        ours, theirs = metric.plausibility(), core.plausibility()
        assert ours.share == theirs.share > 0
        pd.testing.assert_frame_equal(ours.table(), theirs.table())
        pd.testing.assert_frame_equal(ours.pairs, theirs.pairs)

    def test_the_assessment_has_it_too(self, metric):
        assert metric.risk_assessment().plausibility().share == metric.plausibility().share

    def test_the_reference_may_be_another_dataset(self, metric, people):
        everybody = people.copy(deepcopy=True)
        everybody.features[:, 1] = np.arange(400) % 3
        assert metric.plausibility(everybody).share == 0

    def test_options_are_passed_on(self, metric):
        assert metric.plausibility(alpha=0).share == 0

    def test_predictions_made_elsewhere_have_none(self, people, metric, women, men):
        given = DiscriminativeRiskMetric(people, people.copy(), women, men)
        with pytest.raises(AttributeError, match="from_estimator"):
            given.plausibility()


def test_values_with_several_features_are_named_by_them(women, men):
    race = np.array([0, 1, 2] * 4)
    names = ["race=White", "race=Black", "race=Asian"]
    frame = pd.DataFrame(np.eye(3)[race], columns=names).assign(race=race == 0, y=race > 0)
    dataset = BinaryLabelDataset(
        df=frame.astype(float), label_names=["y"], protected_attribute_names=["race"]
    )
    dataset.features, dataset.feature_names = dataset.features[:, :3], names
    metric = DiscriminativeRiskMetric.from_estimator(
        lambda features: features[:, 1], dataset, [{"race": 0}], [{"race": 1}]
    )
    attribute = metric.risk_assessment().plan.attributes.attributes[0]
    assert attribute.values == ("0 (race=Asian)", "0 (race=Black)", "1 (race=White)")
    assert metric.discriminative_risk() == pytest.approx((0.5 + 1 + 0) / 3)
