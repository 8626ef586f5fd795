"""What `aif360_dr` refuses, by public name: the call, the exception, and its message."""

import numpy as np
import pandas as pd
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier

from aif360_dr import (
    DiscriminativeRiskMetric,
    DRJSONExplainer,
    DRTextExplainer,
    EPAFPruning,
    EstimatorTransformer,
    POAFPruning,
    perturb_dataset,
)
from aif360_dr.examples import hiring

MEN, WOMEN = [{"sex": 1}], [{"sex": 0}]


def changed(**fields):
    dataset = hiring()
    for name, value in fields.items():
        setattr(dataset, name, value)
    return dataset


def with_feature(column, values):
    dataset = hiring()
    dataset.features = dataset.features.copy()
    dataset.features[:, column] = values
    return dataset


def metric(model, dataset=None, privileged=MEN, **options):
    dataset = hiring() if dataset is None else dataset
    return DiscriminativeRiskMetric.from_estimator(model, dataset, WOMEN, privileged, **options)


def forest(kind=RandomForestClassifier):
    return kind(n_estimators=3, random_state=0).fit(hiring().features, hiring().labels.ravel())


def poaf_pruning(estimator=None, groups=MEN, **options):
    return POAFPruning(forest() if estimator is None else estimator, groups, WOMEN, **options)


CASES = {
    "perturb_dataset": {
        "a frame": (
            lambda: perturb_dataset(pd.DataFrame({"sex": [0, 1]}), MEN),
            TypeError,
            "dataset is a DataFrame; pass an AIF360 dataset. Frames become one with "
            "dr_adapters.to_aif360.",
        ),
        "one group in place of a list": (
            lambda: perturb_dataset(hiring(), {"sex": 1}),
            TypeError,
            "privileged_groups must be a list of dicts of numbers, such as [{'sex': 1}]; it"
            " is {'sex': 1}.",
        ),
        "groups in words": (
            lambda: perturb_dataset(hiring(), "sex"),
            TypeError,
            "privileged_groups must be a list of dicts of numbers, such as [{'sex': 1}]; it"
            " is 'sex'.",
        ),
        "a value in words": (
            lambda: perturb_dataset(hiring(), [{"sex": "Male"}]),
            TypeError,
            "privileged_groups must be a list of dicts of numbers, such as [{'sex': 1}]; it"
            " is [{'sex': 'Male'}].",
        ),
        "an unknown attribute": (
            lambda: perturb_dataset(hiring(), [{"age": 1}]),
            ValueError,
            "privileged_groups name 'age', which is no protected attribute of the dataset; "
            "it has 'sex', 'race'.",
        ),
        "an unknown value": (
            lambda: perturb_dataset(hiring(), [{"sex": 7}]),
            ValueError,
            "privileged value 7.0 of 'sex' is not in the dataset, which has 0.0, 1.0.",
        ),
        "values that are all privileged": (
            lambda: perturb_dataset(hiring(), [{"sex": 0}, {"sex": 1}]),
            ValueError,
            "every value of 'sex' is privileged (0.0, 1.0): there is nothing to perturb it "
            "into. Leave it out of privileged_groups, or pass a dataset that has all its "
            "values as domain.",
        ),
        "p of 0": (
            lambda: perturb_dataset(hiring(), MEN, p=0),
            ValueError,
            "p must be greater than 0 and at most 1; it is 0.",
        ),
        "a seed in words": (
            lambda: perturb_dataset(hiring(), MEN, seed="x"),
            ValueError,
            "random_state must be a whole number, 0 or more, a NumPy generator or None; it "
            "is 'x'.",
        ),
        "a carrying feature that is not there": (
            lambda: perturb_dataset(hiring(), MEN, carried_by={"sex": ["gender"]}),
            ValueError,
            "carried_by names 'gender', which the dataset has not.",
        ),
        "a missing protected attribute": (
            lambda: perturb_dataset(
                changed(
                    protected_attributes=np.where(hiring().protected_attributes == 2, np.nan, 1)
                ),
                [{"race": 1}],
            ),
            ValueError,
            "protected attribute 'race' is missing in 2 of 8 rows. Fill or drop them.",
        ),
        "a value that the domain lacks": (
            lambda: perturb_dataset(with_feature(1, 5), [{"race": 1}], domain=hiring()),
            ValueError,
            "protected attribute 'race' has values that it did not have where its values "
            "were learned, such as [0.0, 5.0]. Pass the whole dataset as domain.",
        ),
    },
    "DiscriminativeRiskMetric": {
        "a dataset of another length": (
            lambda: DiscriminativeRiskMetric(hiring(), hiring().subset([0, 1])),
            ValueError,
            "dataset has 8 rows, but classified_dataset has 2.",
        ),
        "labels outside the label set": (
            lambda: DiscriminativeRiskMetric(hiring(), changed(labels=np.full((8, 1), 7.0))),
            ValueError,
            "classified_dataset has labels 7.0, but the dataset has the labels 1.0, 0.0.",
        ),
        "labels of a wrong shape": (
            lambda: DiscriminativeRiskMetric(hiring(), changed(labels=np.zeros((8, 2)))),
            ValueError,
            "classified_dataset has 8 rows, but labels of shape (8, 2); (8, 1) is needed.",
        ),
        "risk without perturbed predictions": (
            lambda: DiscriminativeRiskMetric(hiring(), hiring()).discriminative_risk(),
            AttributeError,
            "discriminative risk needs predictions for perturbed rows: pass "
            "perturbed_classified_dataset=model.predict(perturb_dataset(dataset, "
            "privileged_groups)), or use DiscriminativeRiskMetric.from_estimator(...).",
        ),
        "a perturbed dataset that differs in more": (
            lambda: DiscriminativeRiskMetric(
                hiring(), hiring(), perturbed_classified_dataset=with_feature(2, 0)
            ),
            ValueError,
            "perturbed_classified_dataset differs in 'years'; only protected attributes "
            "('sex', 'race') and features that carry them may differ. Name features that "
            'carry one in another form: carried_by={"attribute": ["feature", ...]}; features '
            "that follow one: coupled={...}.",
        ),
        "a perturbed dataset of other weights": (
            lambda: DiscriminativeRiskMetric(
                hiring(),
                hiring(),
                perturbed_classified_dataset=changed(instance_weights=[2.0] * 8),
            ),
            ValueError,
            "perturbed_classified_dataset has other instance_weights than classified_dataset.",
        ),
        "a perturbed dataset of another length": (
            lambda: DiscriminativeRiskMetric(
                hiring(), hiring(), perturbed_classified_dataset=hiring().subset([0])
            ),
            ValueError,
            "dataset has 8 rows, but perturbed_classified_dataset has 1.",
        ),
        "no model": (
            lambda: metric(None),
            TypeError,
            "the model is a NoneType; pass an object with predict(X), or a function of X "
            "that returns predictions.",
        ),
        "a class for a model": (
            lambda: metric(RandomForestClassifier),
            TypeError,
            "RandomForestClassifier is a class; pass a fitted instance of it.",
        ),
        "a model that predicts words": (
            lambda: metric(lambda X: ["yes"] * len(X)),
            ValueError,
            "the model returned labels such as 'yes'; fit it on the labels of the dataset, "
            "which are numbers.",
        ),
        "a model that predicts other labels": (
            lambda: metric(lambda X: X[:, 2]),
            ValueError,
            "the model has labels 3.0, 5.0, 7.0, but the dataset has the labels 1.0, 0.0.",
        ),
        "a model that predicts too little": (
            lambda: metric(lambda X: [1.0]),
            ValueError,
            "the model returned 1 labels for 8 rows.",
        ),
        "an unknown method": (
            lambda: metric(forest(), method="all"),
            ValueError,
            'method must be "exact" or "sample"; it is \'all\'.',
        ),
        "an attribute that no feature carries": (
            lambda: metric(forest(), changed(feature_names=["gender", "race", "years"])),
            ValueError,
            "no feature carries protected attribute 'sex': an estimator that never sees it "
            "has discriminative risk 0 by definition. If features carry it under other "
            "names, pass carried_by={'sex': [...]}.",
        ),
        "a dataset in a frame": (
            lambda: metric(forest(), pd.DataFrame({"sex": [0, 1]})),
            TypeError,
            "dataset is a DataFrame; pass an AIF360 dataset. Frames become one with "
            "dr_adapters.to_aif360.",
        ),
        "a model of other features": (
            lambda: metric(
                RandomForestClassifier(n_estimators=1).fit(
                    pd.DataFrame({"age": [1.0, 2.0]}), [0, 1]
                )
            ),
            ValueError,
            "the model was fitted on features ['age'], which the dataset has not; it has "
            "['sex', 'race', 'years'].",
        ),
    },
    "POAFPruning": {
        "gradient boosting": (
            lambda: poaf_pruning(forest(GradientBoostingClassifier)).fit(hiring()),
            TypeError,
            "a GradientBoostingClassifier is not a weighted vote of classifiers. Supported "
            "are RandomForestClassifier, ExtraTreesClassifier, BaggingClassifier, "
            "AdaBoostClassifier, VotingClassifier, a Pipeline that ends in one of these, "
            "and a list of fitted classifiers; register others with "
            "dr_core.ensembles.as_ensemble.",
        ),
        "an ensemble that is not fitted": (
            lambda: poaf_pruning(RandomForestClassifier()).fit(hiring()),
            NotFittedError,
            "This RandomForestClassifier instance is not fitted yet. Call 'fit' with "
            "appropriate arguments before using this estimator.",
        ),
        "a pruning that is not fitted": (
            lambda: poaf_pruning().predict(hiring()),
            NotFittedError,
            "this POAFPruning is not fitted yet; call fit first.",
        ),
        "more members than there are": (
            lambda: poaf_pruning(max_members=4).fit(hiring()),
            ValueError,
            "max_members must be a whole number from 1 to 3, the number of members; found 4.",
        ),
        "an unknown selection": (
            lambda: poaf_pruning(selection="x").fit(hiring()),
            ValueError,
            'selection must be "objective", "largest", "min_risk" or a function of the '
            "front; found 'x'.",
        ),
        "one group in place of a list": (
            lambda: poaf_pruning(groups={"sex": 1}).fit(hiring()),
            TypeError,
            "privileged_groups must be a list of dicts of numbers, such as [{'sex': 1}]; it"
            " is {'sex': 1}.",
        ),
    },
    "EPAFPruning": {
        "too many groups": (
            lambda: EPAFPruning(forest(), MEN, WOMEN, n_groups=4).fit(hiring()),
            ValueError,
            "n_groups must be a whole number from 1 to 3, the number of members with a say;"
            " found 4.",
        ),
        "a trade-off above 1": (
            lambda: EPAFPruning(forest(), MEN, WOMEN, trade_off=2).fit(hiring()),
            ValueError,
            "trade_off weighs accuracy and must be in [0, 1]; found 2.",
        ),
        "a pruning that is not fitted": (
            lambda: EPAFPruning(forest(), MEN, WOMEN).predict(hiring()),
            NotFittedError,
            "this EPAFPruning is not fitted yet; call fit first.",
        ),
    },
    "EstimatorTransformer": {
        "what is no estimator": (
            lambda: EstimatorTransformer("tree"),
            TypeError,
            "estimator is a str; pass one with fit and predict.",
        ),
        "an estimator that is not fitted": (
            lambda: EstimatorTransformer(RandomForestClassifier()).predict(hiring()),
            NotFittedError,
            "This RandomForestClassifier instance is not fitted yet. Call 'fit' with "
            "appropriate arguments before using this estimator.",
        ),
        "weights for an estimator that takes none": (
            lambda: EstimatorTransformer(KNeighborsClassifier(1)).fit(
                changed(instance_weights=np.arange(1.0, 9.0))
            ),
            ValueError,
            "the dataset has instance weights, but KNeighborsClassifier.fit takes no "
            "sample_weight. Use another estimator, or set the weights to 1.",
        ),
    },
    "DRTextExplainer": {
        "what is no metric": (lambda: DRTextExplainer(0.5), TypeError, "metric must be a Metric.")
    },
    "DRJSONExplainer": {
        "what is no metric": (lambda: DRJSONExplainer(None), TypeError, "metric must be a Metric.")
    },
}

EXEMPT = {}
