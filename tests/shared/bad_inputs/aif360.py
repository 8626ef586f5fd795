"""Bad inputs by public name of `aif360_dr`: call, exception, fragments of the message."""

import numpy as np
import pandas as pd
from aif360.algorithms.postprocessing import EqOddsPostprocessing, RejectOptionClassification
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from aif360_dr import (
    AttributeMarginalization,
    Chain,
    DiscriminativeRiskMetric,
    DRJSONExplainer,
    DRTextExplainer,
    EPAFPruning,
    EstimatorTransformer,
    POAFPruning,
    perturb_dataset,
)
from aif360_dr.examples import hiring
from bad_inputs.allowed import ENSEMBLES, SELECTIONS

MEN, WOMEN = [{"sex": 1}], [{"sex": 0}]


def changed(**fields):
    dataset = hiring()
    for name, value in fields.items():
        setattr(dataset, name, value)
    return dataset


def all_weights(weight):
    return changed(instance_weights=np.full(8, weight))


def one_weight(weight):
    return changed(instance_weights=np.array([1.0] * 7 + [weight]))


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


def given(perturbed):
    return DiscriminativeRiskMetric(
        hiring(), changed(labels=np.ones((8, 1))), perturbed_classified_dataset=perturbed
    )


def equal_odds():
    return EqOddsPostprocessing(WOMEN, MEN)


def poaf_pruning(estimator=None, groups=MEN, **options):
    return POAFPruning(forest() if estimator is None else estimator, WOMEN, groups, **options)


def marginalization(estimator=None, groups=MEN, **options):
    estimator = forest() if estimator is None else estimator
    return AttributeMarginalization(estimator, WOMEN, groups, **options)


CASES = {
    "AttributeMarginalization": {
        "weights that are all 0": (
            lambda: marginalization().fit(all_weights(0.0)),
            ValueError,
            ("dataset.instance_weights", "0"),
        ),
        "a missing weight": (
            lambda: marginalization().fit(one_weight(np.nan)),
            ValueError,
            ("dataset.instance_weights", "finite", "nan", "1 of 8"),
        ),
        "a negative weight": (
            lambda: marginalization().fit(one_weight(-1.0)),
            ValueError,
            ("dataset.instance_weights", "negative", "-1.0", "1 of 8"),
        ),
        "unknown weights": (
            lambda: marginalization(weights="equal").fit(hiring()),
            ValueError,
            ("weights", "empirical", "uniform", "'equal'"),
        ),
        "an unknown response": (
            lambda: marginalization(response="score").fit(hiring()),
            ValueError,
            ("response", "auto", "predict_proba", "predict", "'score'"),
        ),
        "no model": (
            lambda: marginalization("forest").fit(hiring()),
            TypeError,
            ("str", "predict(X)"),
        ),
        "an estimator that is not fitted": (
            lambda: marginalization(RandomForestClassifier()).fit(hiring()),
            NotFittedError,
            ("RandomForestClassifier", "not fitted", "fit"),
        ),
        "probabilities of a model that has none": (
            lambda: marginalization(lambda X: X[:, 0], response="predict_proba").fit(hiring()),
            ValueError,
            ("response", "predict_proba", "function", '"predict" or "auto"'),
        ),
        "a postprocessor without a model": (
            lambda: marginalization(equal_odds()).fit(hiring()),
            TypeError,
            ("EqOddsPostprocessing", "aif360_dr.Chain(model, postprocessor)"),
        ),
        "predictions before fit": (
            lambda: marginalization().predict(hiring()),
            NotFittedError,
            ("AttributeMarginalization", "not fitted", "fit"),
        ),
        "one group in place of a list": (
            lambda: marginalization(groups={"sex": 1}).fit(hiring()),
            TypeError,
            ("privileged_groups", "[{'sex': 1}]", "{'sex': 1}"),
        ),
    },
    "perturb_dataset": {
        "a frame": (
            lambda: perturb_dataset(pd.DataFrame({"sex": [0, 1]}), MEN),
            TypeError,
            ("dataset", "DataFrame", "AIF360", "to_aif360"),
        ),
        "one group in place of a list": (
            lambda: perturb_dataset(hiring(), {"sex": 1}),
            TypeError,
            ("privileged_groups", "[{'sex': 1}]", "{'sex': 1}"),
        ),
        "groups in words": (
            lambda: perturb_dataset(hiring(), "sex"),
            TypeError,
            ("privileged_groups", "[{'sex': 1}]", "'sex'"),
        ),
        "a value in words": (
            lambda: perturb_dataset(hiring(), [{"sex": "Male"}]),
            TypeError,
            ("privileged_groups", "[{'sex': 1}]", "[{'sex': 'Male'}]"),
        ),
        "an unknown attribute": (
            lambda: perturb_dataset(hiring(), [{"age": 1}]),
            ValueError,
            ("privileged_groups", "'age'", "'sex'", "'race'"),
        ),
        "an unknown value": (
            lambda: perturb_dataset(hiring(), [{"sex": 7}]),
            ValueError,
            ("privileged", "7.0", "'sex'", "0.0", "1.0"),
        ),
        "values that are all privileged": (
            lambda: perturb_dataset(hiring(), [{"sex": 0}, {"sex": 1}]),
            ValueError,
            ("'sex'", "privileged_groups", "0.0", "1.0", "domain"),
        ),
        "p of 0": (
            lambda: perturb_dataset(hiring(), MEN, p=0),
            ValueError,
            ("p", "0", "1"),
        ),
        "a seed in words": (
            lambda: perturb_dataset(hiring(), MEN, seed="x"),
            ValueError,
            ("0", "generator", "None", "'x'"),
        ),
        "a carrying feature that is not there": (
            lambda: perturb_dataset(hiring(), MEN, carried_by={"sex": ["gender"]}),
            ValueError,
            ("carried_by", "'gender'"),
        ),
        "features of an attribute that is not there": (
            lambda: perturb_dataset(hiring(), MEN, carried_by={"gender": ["years"]}),
            ValueError,
            ("carried_by", "'gender'", "protected attribute", "'sex'", "'race'"),
        ),
        "one feature in place of a list": (
            lambda: perturb_dataset(hiring(), MEN, carried_by={"sex": "years"}),
            TypeError,
            ("carried_by['sex']", "list", "'years'"),
        ),
        "one attribute in place of a list": (
            lambda: perturb_dataset(hiring(), MEN, perturb="sex"),
            TypeError,
            ("perturb", "list", "['sex']", "'sex'"),
        ),
        "an unknown attribute to perturb": (
            lambda: perturb_dataset(hiring(), MEN, perturb=["age"]),
            ValueError,
            ("perturb", "'age'", "'sex'", "'race'"),
        ),
        "a missing protected attribute": (
            lambda: perturb_dataset(
                changed(
                    protected_attributes=np.where(hiring().protected_attributes == 2, np.nan, 1)
                ),
                [{"race": 1}],
            ),
            ValueError,
            ("'race'", "missing", "2", "8", "fill", "drop"),
        ),
        "a value that the domain lacks": (
            lambda: perturb_dataset(with_feature(1, 5), [{"race": 1}], domain=hiring()),
            ValueError,
            ("'race'", "[0.0, 5.0]", "domain"),
        ),
    },
    "DiscriminativeRiskMetric": {
        "a dataset without rows": (
            lambda: metric(np.ravel, hiring().subset([]), domain=hiring()),
            ValueError,
            ("dataset", "no rows"),
        ),
        "weights that are all 0": (
            lambda: metric(forest(), all_weights(0.0)),
            ValueError,
            ("dataset.instance_weights", "0"),
        ),
        "a missing weight": (
            lambda: metric(forest(), one_weight(np.nan)),
            ValueError,
            ("dataset.instance_weights", "finite", "nan", "1 of 8"),
        ),
        "a negative weight": (
            lambda: metric(forest(), one_weight(-1.0)),
            ValueError,
            ("dataset.instance_weights", "negative", "-1.0", "1 of 8"),
        ),
        "a dataset of another length": (
            lambda: DiscriminativeRiskMetric(hiring(), hiring().subset([0, 1])),
            ValueError,
            ("dataset", "8", "classified_dataset", "2"),
        ),
        "labels outside the label set": (
            lambda: DiscriminativeRiskMetric(hiring(), changed(labels=np.full((8, 1), 7.0))),
            ValueError,
            ("classified_dataset", "label", "7.0", "1.0", "0.0"),
        ),
        "labels of a wrong shape": (
            lambda: DiscriminativeRiskMetric(hiring(), changed(labels=np.zeros((8, 2)))),
            ValueError,
            ("classified_dataset", "label", "(8, 2)", "(8, 1)"),
        ),
        "risk without perturbed predictions": (
            lambda: DiscriminativeRiskMetric(hiring(), hiring()).discriminative_risk(),
            AttributeError,
            (
                "perturbed_classified_dataset=",
                "perturb_dataset",
                "DiscriminativeRiskMetric.from_estimator",
            ),
        ),
        "risk of attributes that were not perturbed alone": (
            lambda: DiscriminativeRiskMetric.from_estimator(
                lambda features: features[:, 0] > 0, hiring()
            ).discriminative_risk_by_attribute(),
            AttributeError,
            ("one by one", "from_estimator(..., each_attribute=True)"),
        ),
        "a perturbed dataset that differs in more": (
            lambda: DiscriminativeRiskMetric(
                hiring(), hiring(), perturbed_classified_dataset=with_feature(2, 0)
            ),
            ValueError,
            (
                "perturbed_classified_dataset",
                "'years'",
                "'sex'",
                "'race'",
                "carried_by=",
                "coupled=",
            ),
        ),
        "a perturbed dataset that is not perturbed": (
            lambda: given(hiring()),
            ValueError,
            ("perturbed_classified_dataset", "protected attributes", "perturb_dataset"),
        ),
        "a perturbed dataset that is not predicted": (
            lambda: given(perturb_dataset(hiring(), MEN)),
            ValueError,
            ("perturbed_classified_dataset", "true labels", "model.predict(perturb_dataset"),
        ),
        "a perturbed dataset whose features are not perturbed": (
            lambda: given(
                changed(protected_attributes=perturb_dataset(hiring(), MEN).protected_attributes)
            ),
            ValueError,
            ("perturbed_classified_dataset", "8", "'sex'", "[0.0]", "perturb_dataset"),
        ),
        "a postprocessor without its model": (
            lambda: metric(equal_odds()),
            TypeError,
            ("EqOddsPostprocessing", "labels", "aif360_dr.Chain(model, postprocessor)"),
        ),
        "a model that predicts probabilities": (
            lambda: metric(lambda X: X[:, 2] / 8),
            ValueError,
            ("model", "label", "0.125", "scores", "1.0", "0.0", "threshold"),
        ),
        "a perturbed dataset of other weights": (
            lambda: DiscriminativeRiskMetric(
                hiring(),
                hiring(),
                perturbed_classified_dataset=changed(instance_weights=[2.0] * 8),
            ),
            ValueError,
            ("perturbed_classified_dataset", "instance_weights", "classified_dataset"),
        ),
        "a perturbed dataset of another length": (
            lambda: DiscriminativeRiskMetric(
                hiring(), hiring(), perturbed_classified_dataset=hiring().subset([0])
            ),
            ValueError,
            ("dataset", "8", "perturbed_classified_dataset", "1"),
        ),
        "no model": (
            lambda: metric(None),
            TypeError,
            ("model", "NoneType", "predict(X)", "function"),
        ),
        "a class for a model": (
            lambda: metric(RandomForestClassifier),
            TypeError,
            ("RandomForestClassifier", "class", "fitted"),
        ),
        "a model that predicts words": (
            lambda: metric(lambda X: ["yes"] * len(X)),
            ValueError,
            ("model", "label", "'yes'", "dataset", "number"),
        ),
        "a model that predicts other labels": (
            lambda: metric(lambda X: X[:, 2]),
            ValueError,
            ("model", "label", "3.0", "5.0", "7.0", "1.0", "0.0"),
        ),
        "a model that predicts too little": (
            lambda: metric(lambda X: [1.0]),
            ValueError,
            ("model", "label", "1", "8"),
        ),
        "an unknown method": (
            lambda: metric(forest(), method="all"),
            ValueError,
            ("method", "exact", "sample", "'all'"),
        ),
        "an attribute that no feature carries": (
            lambda: metric(forest(), changed(feature_names=["gender", "race", "years"])),
            ValueError,
            ("'sex'", "protected attribute", "carried_by="),
        ),
        "a dataset in a frame": (
            lambda: metric(forest(), pd.DataFrame({"sex": [0, 1]})),
            TypeError,
            ("dataset", "DataFrame", "AIF360", "to_aif360"),
        ),
        "a model of other features": (
            lambda: metric(
                RandomForestClassifier(n_estimators=1).fit(
                    pd.DataFrame({"age": [1.0, 2.0]}), [0, 1]
                )
            ),
            ValueError,
            ("model", "feature", "'age'", "'sex'", "'race'", "'years'"),
        ),
    },
    "Chain": {
        "no model": (
            lambda: Chain(StandardScaler()),
            TypeError,
            ("step", "chain", "'StandardScaler'", "model", "predict"),
        ),
        "a postprocessor without a model before it": (
            lambda: Chain(equal_odds()),
            TypeError,
            ("EqOddsPostprocessing", "aif360_dr.Chain(model, postprocessor)"),
        ),
        "preprocessing after the model": (
            lambda: Chain(forest(), StandardScaler()),
            TypeError,
            ("step 1", "StandardScaler", "before the model"),
        ),
        "a word": (
            lambda: Chain("scaler", forest()),
            TypeError,
            ("step 0", "str", "transform", "predict"),
        ),
        "a postprocessor that is not fitted": (
            lambda: Chain(forest(), RejectOptionClassification(WOMEN, MEN)).predict(hiring()),
            NotFittedError,
            ("RejectOptionClassification", "not fitted", "fit"),
        ),
        "a scaler that is not fitted": (
            lambda: Chain(StandardScaler(), forest()).predict(hiring()),
            NotFittedError,
            ("StandardScaler", "not fitted", "fit"),
        ),
    },
    "POAFPruning": {
        "weights that are all 0": (
            lambda: poaf_pruning().fit(all_weights(0.0)),
            ValueError,
            ("dataset.instance_weights", "0"),
        ),
        "a missing weight": (
            lambda: poaf_pruning().fit(one_weight(np.nan)),
            ValueError,
            ("dataset.instance_weights", "finite", "nan", "1 of 8"),
        ),
        "a negative weight": (
            lambda: poaf_pruning().fit(one_weight(-1.0)),
            ValueError,
            ("dataset.instance_weights", "negative", "-1.0", "1 of 8"),
        ),
        "a chain that postprocesses": (
            lambda: poaf_pruning(Chain(forest(), equal_odds())).fit(hiring()),
            TypeError,
            ("EqOddsPostprocessing", "Chain(pruning, postprocessor)"),
        ),
        "gradient boosting": (
            lambda: poaf_pruning(forest(GradientBoostingClassifier)).fit(hiring()),
            TypeError,
            ("GradientBoostingClassifier", *ENSEMBLES),
        ),
        "an ensemble that is not fitted": (
            lambda: poaf_pruning(RandomForestClassifier()).fit(hiring()),
            NotFittedError,
            ("RandomForestClassifier", "not fitted", "fit"),
        ),
        "a pruning that is not fitted": (
            lambda: poaf_pruning().predict(hiring()),
            NotFittedError,
            ("POAFPruning", "not fitted", "fit"),
        ),
        "more members than there are": (
            lambda: poaf_pruning(max_members=4).fit(hiring()),
            ValueError,
            ("max_members", "1", "3", "4"),
        ),
        "a promise above 1": (
            lambda: poaf_pruning(max_risk=1.5).fit(hiring()),
            ValueError,
            ("max_risk", "above 0", "below 1", "1.5"),
        ),
        "an unknown selection": (
            lambda: poaf_pruning(selection="x").fit(hiring()),
            ValueError,
            ("selection", *SELECTIONS, "'x'"),
        ),
        "one group in place of a list": (
            lambda: poaf_pruning(groups={"sex": 1}).fit(hiring()),
            TypeError,
            ("privileged_groups", "[{'sex': 1}]", "{'sex': 1}"),
        ),
    },
    "EPAFPruning": {
        "weights that are all 0": (
            lambda: EPAFPruning(forest(), WOMEN, MEN).fit(all_weights(0.0)),
            ValueError,
            ("dataset.instance_weights", "0"),
        ),
        "a missing weight": (
            lambda: EPAFPruning(forest(), WOMEN, MEN).fit(one_weight(np.nan)),
            ValueError,
            ("dataset.instance_weights", "finite", "nan", "1 of 8"),
        ),
        "a negative weight": (
            lambda: EPAFPruning(forest(), WOMEN, MEN).fit(one_weight(-1.0)),
            ValueError,
            ("dataset.instance_weights", "negative", "-1.0", "1 of 8"),
        ),
        "too many groups": (
            lambda: EPAFPruning(forest(), WOMEN, MEN, n_groups=4).fit(hiring()),
            ValueError,
            ("n_groups", "1", "3", "4"),
        ),
        "a trade-off above 1": (
            lambda: EPAFPruning(forest(), WOMEN, MEN, trade_off=2).fit(hiring()),
            ValueError,
            ("trade_off", "0", "1", "2"),
        ),
        "a pruning that is not fitted": (
            lambda: EPAFPruning(forest(), WOMEN, MEN).predict(hiring()),
            NotFittedError,
            ("EPAFPruning", "not fitted", "fit"),
        ),
    },
    "EstimatorTransformer": {
        "what is no estimator": (
            lambda: EstimatorTransformer("tree"),
            TypeError,
            ("estimator", "str", "fit", "predict"),
        ),
        "an estimator that is not fitted": (
            lambda: EstimatorTransformer(RandomForestClassifier()).predict(hiring()),
            NotFittedError,
            ("RandomForestClassifier", "not fitted", "fit"),
        ),
        "weights for an estimator that takes none": (
            lambda: EstimatorTransformer(KNeighborsClassifier(1)).fit(
                changed(instance_weights=np.arange(1.0, 9.0))
            ),
            ValueError,
            ("dataset", "weights", "KNeighborsClassifier", "sample_weight", "1"),
        ),
    },
    "DRTextExplainer": {
        "what is no metric": (lambda: DRTextExplainer(0.5), TypeError, ("metric",))
    },
    "DRJSONExplainer": {
        "what is no metric": (lambda: DRJSONExplainer(None), TypeError, ("metric",))
    },
}

EXEMPT = {}
