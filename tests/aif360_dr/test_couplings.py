"""Features of AIF360 datasets that follow a protected attribute."""

import numpy as np
import pandas as pd
import pytest
from aif360.datasets import BinaryLabelDataset, StandardDataset
from sklearn.ensemble import RandomForestClassifier

from aif360_dr import DiscriminativeRiskMetric, EPAFPruning, POAFPruning, perturb_dataset
from aif360_dr._models import classify
from aif360_dr.examples import hiring
from dr_core import assess_risk, learn_attributes, perturb

WOMEN, MEN = [{"sex": 0.0}], [{"sex": 1.0}]
RULES = {"relationship": {"sex": {0: {"Husband": "Wife"}, 1: {"Wife": "Husband"}}}}
WORDS = {"relationship": {"sex": {"Female": {"Husband": "Wife"}, "Male": {"Wife": "Husband"}}}}
PRUNINGS = [POAFPruning, EPAFPruning]


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    sex = rng.choice(["Female", "Male"], 240)
    spouse = np.where(sex == "Male", "Husband", "Wife")
    relationship = np.where(rng.random(240) < 0.4, "Own-child", spouse)
    years = rng.integers(1, 20, 240)
    label = ((relationship == "Husband") | (years > 15)).astype(float)
    return pd.DataFrame({"sex": sex, "relationship": relationship, "years": years, "label": label})


@pytest.fixture(scope="module")
def dataset(people):
    """Return a dataset that AIF360 encoded: sex as 0 and 1, relationship one-hot."""
    return StandardDataset(
        people.astype({"sex": object, "relationship": object}),
        label_name="label",
        favorable_classes=[1.0],
        protected_attribute_names=["sex"],
        privileged_classes=[["Male"]],
        categorical_features=["relationship"],
        metadata={"protected_attribute_maps": [{1.0: "Male", 0.0: "Female"}]},
    )


@pytest.fixture(scope="module")
def forest(dataset):
    forest = RandomForestClassifier(n_estimators=9, random_state=0)
    return forest.fit(dataset.features, dataset.labels.ravel())


def decode(dataset):
    """Return sex and relationship of each row as strings."""
    frame = pd.DataFrame(dataset.features, columns=dataset.feature_names)
    names = [name for name in frame if name.startswith("relationship=")]
    assert (frame[names].sum(axis=1) == 1).all()
    words = frame[names].idxmax(axis=1).str.partition("=")[2]
    return pd.DataFrame({"sex": frame["sex"].map({0: "Female", 1: "Male"}), "relationship": words})


@pytest.mark.parametrize("rules", [RULES, WORDS])
def test_one_hot_features_follow_as_the_raw_column_does(people, dataset, rules):
    perturbed = decode(perturb_dataset(dataset, MEN, coupled=rules))
    attributes = learn_attributes(people, {"sex": "Male"}, coupled=WORDS)
    expected = perturb(people, attributes)[["sex", "relationship"]]
    assert perturbed.to_numpy().tolist() == expected.to_numpy().tolist()


def test_one_hot_features_may_be_named_in_full(dataset):
    full = {"sex": {0: {"relationship=Husband": "relationship=Wife"}}}
    short = {"sex": {0: {"Husband": "Wife"}}}
    perturbed = [
        perturb_dataset(dataset, MEN, coupled={"relationship": rules}).features
        for rules in (full, short)
    ]
    np.testing.assert_array_equal(*perturbed)


def test_without_rules_nothing_changes_to_the_last_digit(dataset):
    plain, empty = (perturb_dataset(dataset, MEN, coupled=rules) for rules in (None, {}))
    np.testing.assert_array_equal(plain.features, empty.features)


def test_a_dataset_is_never_modified_and_remembers_the_rules(dataset):
    before = dataset.features.copy()
    perturbed = perturb_dataset(dataset, MEN, coupled=RULES)
    np.testing.assert_array_equal(dataset.features, before)
    assert perturbed.metadata["params"]["coupled"] == RULES


@pytest.mark.filterwarnings("ignore:the model is right for")
def test_a_metric_from_an_estimator_is_that_of_the_raw_rows(people, dataset):
    wives = lambda features: features[:, wife] == 1  # noqa: E731
    wife = dataset.feature_names.index("relationship=Wife")
    metric = DiscriminativeRiskMetric.from_estimator(wives, dataset, WOMEN, MEN, coupled=RULES)
    attributes = learn_attributes(people, {"sex": "Male"}, coupled=WORDS)
    raw = assess_risk(lambda X: X["relationship"] == "Wife", people, attributes)
    assert metric.discriminative_risk() == pytest.approx(raw.value)
    plain = DiscriminativeRiskMetric.from_estimator(wives, dataset, WOMEN, MEN)
    assert plain.discriminative_risk() == 0


def test_sampled_risk_follows_rules_too(dataset, forest):
    exact, sampled = (
        DiscriminativeRiskMetric.from_estimator(
            forest, dataset, WOMEN, MEN, coupled=RULES, method=method, seed=0
        ).discriminative_risk()
        for method in ("exact", "sample")
    )
    assert sampled == exact  # a binary attribute leaves nothing to chance


def test_a_perturbed_dataset_with_rules_is_accepted_where_these_are_named(dataset, forest):
    perturbed = classify(forest, perturb_dataset(dataset, MEN, coupled=RULES))
    arguments = dataset, classify(forest, dataset), WOMEN, MEN
    with pytest.raises(ValueError, match=r"'relationship=Husband'.*coupled="):
        DiscriminativeRiskMetric(*arguments, perturbed_classified_dataset=perturbed)
    metric = DiscriminativeRiskMetric(
        *arguments, perturbed_classified_dataset=perturbed, coupled=RULES
    )
    whole = DiscriminativeRiskMetric.from_estimator(forest, dataset, WOMEN, MEN, coupled=RULES)
    assert metric.discriminative_risk() == whole.discriminative_risk()


@pytest.mark.parametrize("pruning", PRUNINGS)
def test_members_vote_on_rows_that_follow(pruning, dataset, forest):
    how = {"max_members": 3, "seed": 0}
    pruned = pruning(forest, WOMEN, MEN, coupled=RULES, **how).fit(dataset)
    metric = DiscriminativeRiskMetric.from_estimator(pruned, dataset, WOMEN, MEN, coupled=RULES)
    assert pruned.result_.risk == pytest.approx(metric.discriminative_risk())
    plain = DiscriminativeRiskMetric.from_estimator(pruned, dataset, WOMEN, MEN)
    assert metric.discriminative_risk() != plain.discriminative_risk()


def test_a_feature_of_numbers_follows_by_its_numbers(dataset):
    perturbed = perturb_dataset(dataset, MEN, coupled={"years": {"sex": {0: {3: 4}}}})
    years = dataset.feature_names.index("years")
    men = dataset.protected_attributes.ravel() == 1
    before, after = dataset.features[:, years], perturbed.features[:, years]
    np.testing.assert_array_equal(after, np.where(men & (before == 3), 4, before))


def test_attributes_with_several_values_drive_by_their_numbers():
    frame = pd.DataFrame(
        {"race": [0, 1, 2, 1], "tongue": [0.0, 1.0, 2.0, 1.0], "label": [0, 1, 0, 1]}
    )
    dataset = BinaryLabelDataset(
        df=frame,
        label_names=["label"],
        protected_attribute_names=["race"],
        privileged_protected_attributes=[[1.0]],
        unprivileged_protected_attributes=[[0.0, 2.0]],
    )
    rules = {"tongue": {"race": {1: {0: 1, 2: 1}, 0: {1: 0}, 2: {1: 2}}}}
    perturbed = perturb_dataset(dataset, [{"race": 1.0}], seed=0, coupled=rules)
    race, tongue = perturbed.features.T
    np.testing.assert_array_equal(race, tongue)
    assert (race != frame["race"]).all()


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"relation": RULES["relationship"]}, "'relation'"),
        (
            {"relationship": {"sex": {2: {"Husband": "Wife"}}}},
            r"coupled\['relationship'\]\['sex'\] .* 2, .* has 0\.0, 1\.0, 'Male', 'Female'",
        ),
        ({"relationship": {"sex": {0: {"Husban": "Wife"}}}}, "'Husban'"),
        ({"relationship": {"race": {0: {}}}}, "'race'"),
        ({"sex": {"sex": {0: {0: 1}}}}, "coupled names 'sex', .*remove"),
    ],
)
def test_rules_that_make_no_sense_are_refused_with_the_reason(dataset, rules, message):
    with pytest.raises(ValueError, match=message):
        perturb_dataset(dataset, MEN, coupled=rules)


@pytest.mark.parametrize("rules", [{"relationship": 1}, {"relationship": {"sex": 1}}])
def test_rules_of_another_shape_are_refused(dataset, rules):
    with pytest.raises(TypeError, match="mapping"):
        perturb_dataset(dataset, MEN, coupled=rules)


def test_the_function_of_a_rule_gets_the_protected_value_not_its_code():
    asked = set()

    def follow(sex, years):
        asked.add(sex)
        return years

    perturb_dataset(hiring(), [{"sex": 1.0}], coupled={"years": {"sex": follow}})
    assert asked == {0.0, 1.0}
    assert all(isinstance(value, float) for value in asked)


def test_a_function_applies_to_rows_that_its_rules_were_not_learned_from():
    frame = pd.DataFrame({"sex": [0.0, 1.0] * 3, "years": [1, 4, 2.5, 8, 9.75, 30.0]})
    dataset = BinaryLabelDataset(
        df=frame.assign(label=[0.0, 1.0] * 3),
        label_names=["label"],
        protected_attribute_names=["sex"],
    )
    rules = {"years": {"sex": lambda sex, years: years + 3 * sex if sex else min(years, 5)}}
    learned, others = dataset.subset([0, 1]), dataset.subset([2, 3, 4, 5])
    perturbed = perturb_dataset(others, MEN, domain=learned, coupled=rules)
    assert perturbed.features[:, 1].tolist() == [5.5, 5, 12.75, 5]
    metric = DiscriminativeRiskMetric.from_estimator(
        lambda features: features[:, 1] > 5, others, WOMEN, MEN, domain=learned, coupled=rules
    )
    assert metric.discriminative_risk() == 3 / 4
