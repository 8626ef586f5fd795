"""Mistakes that gave a wrong number without a word."""

import numpy as np
import pandas as pd
import pytest
from aif360.algorithms.postprocessing import RejectOptionClassification
from aif360.datasets import BinaryLabelDataset
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from aif360_dr import Chain, DiscriminativeRiskMetric, EstimatorTransformer, perturb_dataset
from aif360_dr._models import classify


def given(dataset, model, perturbed, *groups, **options):
    return DiscriminativeRiskMetric(
        dataset,
        classify(model, dataset),
        *groups,
        perturbed_classified_dataset=perturbed,
        **options,
    )


class TestPerturbedDatasets:
    def test_one_that_is_not_predicted_is_refused(self, dataset, forest, women, men):
        with pytest.raises(ValueError, match=r"perturbed_.*true labels.*Predict it"):
            given(dataset, forest, perturb_dataset(dataset, men), women, men)

    def test_one_that_is_not_perturbed_is_refused(self, dataset, forest, women, men):
        with pytest.raises(ValueError, match=r"perturbed_.*no row is perturbed.*perturb_dataset"):
            given(dataset, forest, classify(forest, dataset), women, men)

    @pytest.mark.parametrize("field", ["features", "protected_attributes"])
    def test_one_that_is_perturbed_in_part_is_refused(self, field, dataset, forest, women, men):
        perturbed = perturb_dataset(dataset, men)
        getattr(perturbed, field)[:, 0] = getattr(dataset, field)[:, 0]
        if field == "protected_attributes":  # race changes, so that some attribute does
            perturbed.protected_attributes[:, 1] = 1
            perturbed.features[:, 1] = 1
        with pytest.raises(ValueError, match=r"perturbed_.*'sex'.*do not agree"):
            given(dataset, forest, classify(forest, perturbed), women, men)

    def test_one_row_is_enough(self, dataset, forest, women, men):
        perturbed = perturb_dataset(dataset, men)
        perturbed.features[3, 0] = dataset.features[3, 0]
        with pytest.raises(ValueError, match=r"perturbed_.* 1 row .*'sex'"):
            given(dataset, forest, classify(forest, perturbed), women, men)

    def test_rows_may_get_values_that_only_the_domain_has(self, dataset, forest, women, men):
        some = dataset.subset(np.flatnonzero(dataset.features[:, 0] == 0))
        perturbed = perturb_dataset(some, men, domain=dataset)
        metric = given(some, forest, classify(forest, perturbed), women, men)
        assert metric.discriminative_risk() > 0

    def test_a_share_of_rows_may_stay(self, dataset, forest, women, men):
        perturbed = perturb_dataset(dataset, men, p=0.5, seed=0)
        metric = given(dataset, forest, classify(forest, perturbed), women, men)
        whole = DiscriminativeRiskMetric.from_estimator(forest, dataset, women, men)
        assert 0 < metric.discriminative_risk() < whole.discriminative_risk()

    def test_attributes_other_than_said_are_named(self, dataset, forest, women, men):
        perturbed = classify(forest, perturb_dataset(dataset, seed=0))
        with pytest.raises(ValueError, match=r"'sex', 'race'.*perturb is 'sex'"):
            given(dataset, forest, perturbed, women, men, perturb=["sex"])


class TestStaleResults:
    def test_given_labels_are_compared_as_they_are_now(self, dataset, forest, women, men):
        perturbed = classify(forest, perturb_dataset(dataset, men))
        metric = given(dataset, forest, perturbed, women, men)
        metric.classified_dataset.labels = 1 - perturbed.labels
        assert metric.discriminative_risk() == 1

    def test_labels_that_are_not_the_models_are_refused(self, dataset, forest, women, men):
        metric = DiscriminativeRiskMetric.from_estimator(forest, dataset, women, men)
        metric.classified_dataset.labels = 1 - metric.classified_dataset.labels
        with pytest.raises(ValueError, match=r"classified_dataset.labels.*from_estimator"):
            metric.discriminative_risk()


class TestCarriedBy:
    @pytest.mark.parametrize(
        ("carried_by", "error", "message"),
        [
            ({"gender": ["age"]}, ValueError, "carried_by .*'gender'.*'sex', 'race'"),
            ({"sex": "age"}, TypeError, r"carried_by\['sex'\] .*list.*'age'"),
            ({"sex": ["height"]}, ValueError, "carried_by .*'height'.*feature_names"),
            (["age"], TypeError, r"carried_by must be a dict.*\['age'\]"),
        ],
    )
    def test_names_that_mean_nothing_are_refused(
        self, carried_by, error, message, dataset, forest, women, men
    ):
        with pytest.raises(error, match=message):
            perturb_dataset(dataset, men, carried_by=carried_by)
        with pytest.raises(error, match=message):
            DiscriminativeRiskMetric.from_estimator(
                forest, dataset, women, men, carried_by=carried_by
            )
        perturbed = classify(forest, perturb_dataset(dataset, men))
        with pytest.raises(error, match=message):
            given(dataset, forest, perturbed, women, men, carried_by=carried_by)

    def test_a_feature_of_many_values_that_sex_does_not_explain_is_a_warning(self, dataset, men):
        with pytest.warns(
            UserWarning, match=r"carried_by\['sex'\] .*'age'.*leave it out.*coupled"
        ):
            perturb_dataset(dataset, men, carried_by={"sex": ["age"]}, seed=0)

    def test_years_of_age_carry_an_age_group_and_one_hot_features_a_race(self, dataset, men):
        is_old = (dataset.features[:, 2] > 40).astype(float)
        dataset.protected_attributes[:, 0] = is_old
        perturbed = perturb_dataset(dataset, men, carried_by={"sex": ["age"]}, seed=0)
        assert ((perturbed.features[:, 2] > 40) != is_old).all()
        dataset.protected_attributes[:, 0] = dataset.features[:, 1] == 1
        perturb_dataset(dataset, men, carried_by={"sex": ["race"]}, seed=0)


class TestModelsWithoutTheAttribute:
    @pytest.fixture
    def blind(self, dataset):
        frame = pd.DataFrame(dataset.features, columns=dataset.feature_names)
        return DecisionTreeClassifier(random_state=0).fit(
            frame.drop(columns="sex"), dataset.labels.ravel()
        )

    @pytest.mark.parametrize("wrap", [lambda model: model, EstimatorTransformer, Chain])
    def test_they_are_refused_however_they_are_wrapped(self, wrap, blind, dataset, women, men):
        with pytest.raises(ValueError, match=r"fitted without 'sex'.*risk 0 .*perturb="):
            DiscriminativeRiskMetric.from_estimator(wrap(blind), dataset, women, men)

    def test_another_attribute_can_be_perturbed(self, blind, dataset, women, men):
        metric = DiscriminativeRiskMetric.from_estimator(
            blind, dataset, women, men, perturb=["race"]
        )
        assert metric.discriminative_risk() > 0


class TestScalesApart:
    @pytest.fixture
    def scaled(self, dataset):
        """A dataset whose features are large, and a model of the scaled ones."""
        dataset.features[:, 2:] *= 1000
        scaler = StandardScaler().fit(dataset.features)
        dataset.labels = (scaler.transform(dataset.features)[:, [2]] > 0.5).astype(float)
        dataset.features[:, 2] += 1e6
        scaler = StandardScaler().fit(dataset.features)
        model = LogisticRegression().fit(
            scaler.transform(dataset.features), dataset.labels.ravel()
        )
        return dataset, scaler, model

    def test_less_accuracy_than_a_constant_has_is_a_warning(self, scaled, women, men):
        dataset, _, model = scaled
        with pytest.warns(UserWarning, match=r"right for .*0 for everybody.*Chain\(scaler"):
            metric = DiscriminativeRiskMetric.from_estimator(model, dataset, women, men)
        assert metric.accuracy() < 0.5

    def test_one_label_for_nearly_everybody_is_a_warning_however_accurate(
        self, dataset, women, men
    ):
        pay = np.sort(dataset.features[:, 3])
        dataset.labels = (dataset.features[:, [3]] >= pay[90]).astype(float)
        with pytest.warns(UserWarning, match=r"predicts 1 for 99.0 %.*45.0 % .*Chain\(scaler"):
            metric = DiscriminativeRiskMetric.from_estimator(
                lambda features: features[:, 3] >= pay[2], dataset, women, men
            )
        assert metric.accuracy() == 0.56  # a constant has 0.55

    @pytest.mark.parametrize("n", [4, 200])
    def test_few_rows_or_labels_of_one_kind_are_no_reason_to_warn(self, n, dataset, women, men):
        some = dataset.subset(range(n))
        if n == 200:
            some.labels[:] = 0.0
        metric = DiscriminativeRiskMetric.from_estimator(
            lambda features: np.ones(len(features)), some, women, men
        )
        assert metric.discriminative_risk() == 0

    def test_with_the_scaler_in_a_chain_nothing_is_said(self, scaled, women, men):
        dataset, scaler, model = scaled
        metric = DiscriminativeRiskMetric.from_estimator(Chain(scaler, model), dataset, women, men)
        assert metric.accuracy() > 0.9

    def test_a_chain_with_the_scaler_is_not_told_to_have_one(self, scaled, women, men):
        dataset, scaler, model = scaled
        dataset.features *= 1000
        with pytest.warns(UserWarning, match=r"must not be applied to the dataset") as caught:
            DiscriminativeRiskMetric.from_estimator(Chain(scaler, model), dataset, women, men)
        assert "Put the scaler into" not in str(caught[0].message)

    @pytest.fixture
    def reject(self, women, men):
        """A postprocessor whose threshold is so high that it rejects everybody."""
        reject = RejectOptionClassification(women, men)
        reject.classification_threshold, reject.ROC_margin = 2.0, 0.0
        return reject

    @pytest.mark.parametrize("wrap", [lambda model: model, Chain])
    def test_postprocessing_is_named_if_it_lowers_the_accuracy(
        self, wrap, reject, scaled, women, men
    ):
        dataset, scaler, _ = scaled
        dataset.labels = 1 - dataset.labels  # most are favorable
        fitted = LogisticRegression().fit(
            scaler.transform(dataset.features), dataset.labels.ravel()
        )
        chain = Chain(wrap(Chain(scaler, fitted)), reject)
        with pytest.warns(UserWarning, match=r"postprocessing.*RejectOption") as caught:
            DiscriminativeRiskMetric.from_estimator(chain, dataset, women, men)
        assert "scale" not in str(caught[0].message)

    def test_postprocessing_of_an_inaccurate_model_is_not_named(self, reject, scaled, women, men):
        dataset, _, model = scaled
        reject.classification_threshold = 0.5
        with pytest.warns(UserWarning, match="scale") as caught:
            DiscriminativeRiskMetric.from_estimator(Chain(model, reject), dataset, women, men)
        assert "postprocessing" not in str(caught[0].message)

    def test_a_model_that_is_hardly_worse_is_none(self, dataset, women, men):
        labels = dataset.labels.ravel()
        constant = labels.mean().round()
        right, wrong = (np.flatnonzero((labels == constant) == is_wrong) for is_wrong in (0, 1))
        others = dataset.features[np.concatenate([right[:18], wrong[:20]]), 3]
        metric = DiscriminativeRiskMetric.from_estimator(
            lambda features: np.where(np.isin(features[:, 3], others), 1 - constant, constant),
            dataset,
            women,
            men,
        )
        base = max(labels.mean(), 1 - labels.mean())
        assert metric.accuracy() == pytest.approx(base - 0.01)


class TestMissingFeatures:
    @pytest.fixture
    def missing(self, dataset):
        dataset.features[::3, 3] = np.nan
        return dataset

    def test_a_model_that_takes_them_has_a_risk(self, missing, women, men):
        model = HistGradientBoostingClassifier(max_iter=20, random_state=0)
        model.fit(missing.features, missing.labels.ravel())
        metric = DiscriminativeRiskMetric.from_estimator(model, missing, women, men)
        swapped = np.column_stack([1 - missing.features[:, 0], missing.features[:, 1:]])
        changes = model.predict(missing.features) != model.predict(swapped)
        assert metric.discriminative_risk() == changes.mean() > 0

    def test_features_that_differ_raise_the_error_of_aif360(self, missing):
        classified = missing.copy(deepcopy=True)
        classified.features[1, 2] += 1
        with pytest.raises(ValueError, match="expected to differ only"):
            DiscriminativeRiskMetric(missing, classified)

    def test_perturbed_rows_miss_the_same_values(self, missing, women, men):
        model = lambda features: features[:, 0] == 1  # noqa: E731
        perturbed = classify(model, perturb_dataset(missing, men))
        assert given(missing, model, perturbed, women, men).discriminative_risk() == 1

    def test_a_missing_value_of_a_feature_that_carries_the_attribute_is_named(
        self, dataset, women, men
    ):
        dataset.features[:5, 0] = np.nan
        with pytest.raises(ValueError, match=r"'sex' or a feature .*missing in 5 of 200"):
            perturb_dataset(dataset, men)


class TestLabels:
    @pytest.mark.parametrize(
        ("model", "message"),
        [
            (lambda X: X[:, 0] * 2 + 3, r"labels 3\.0, 5\.0.*labels 1\.0, 0\.0\. Fit the model"),
            (lambda X: 0.25 + X[:, 0] / 2, r"labels 0\.25, 0\.75, which are scores.*Threshold"),
        ],
    )
    def test_labels_of_another_kind_are_refused_with_a_remedy(
        self, model, message, dataset, women, men
    ):
        with pytest.raises(ValueError, match=message):
            DiscriminativeRiskMetric.from_estimator(model, dataset, women, men)


class TestDummies:
    """The 0/1 feature of a protected attribute that others encode with it."""

    RACES = np.array(["black", "hispan", "white"])[np.arange(90) % 3]

    def make_dataset(self, protected, codes):
        features = (
            pd.get_dummies(self.RACES)
            .astype(float)
            .assign(debt=np.arange(90) % 7, repaid=np.arange(90) % 2, **{protected: codes})
        )
        return BinaryLabelDataset(
            df=features, label_names=["repaid"], protected_attribute_names=[protected]
        )

    def test_one_column_of_an_encoding_is_named_with_the_remedy(self):
        dataset = self.make_dataset("white", (self.RACES == "white").astype(float))
        model = lambda X: (X[:, 1] + X[:, 2] > 0).astype(float)  # noqa: E731
        with pytest.warns(UserWarning, match=r"'white'.*'black', 'hispan'.*carried_by"):
            DiscriminativeRiskMetric.from_estimator(model, dataset, [{"white": 0}], [{"white": 1}])

    def test_copies_of_an_attribute_are_named_with_the_remedy(self):
        codes = pd.factorize(self.RACES, sort=True)[0].astype(float)
        dataset, groups = self.make_dataset("race", codes), ([{"race": 0}], [{"race": 2}])
        remedy = r"carried_by={'race': \['race', 'black', 'hispan', 'white'\]}"
        with pytest.warns(UserWarning, match=remedy):
            DiscriminativeRiskMetric.from_estimator(lambda X: X[:, 1], dataset, *groups)

    def test_the_remedy_raises_no_warning(self):
        codes = pd.factorize(self.RACES, sort=True)[0].astype(float)
        dataset = self.make_dataset("race", codes)
        model = lambda X: (X[:, 1] + X[:, 2] > 0).astype(float)  # noqa: E731
        metric = DiscriminativeRiskMetric.from_estimator(
            model,
            dataset,
            [{"race": 0}, {"race": 1}],
            [{"race": 2}],
            carried_by={"race": ["race", "white", "black", "hispan"]},
        )
        # Black people become white: the model, of hispanic and white, changes. White people become
        # black or hispanic with equal probability: it changes for the former.
        assert metric.discriminative_risk() == pytest.approx((1 + 0 + 0.5) / 3)
