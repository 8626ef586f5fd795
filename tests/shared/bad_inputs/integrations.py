"""Bad inputs by public name of `dr_integrations`: call, exception, fragments of the message."""

from types import SimpleNamespace

import pandas as pd

from dr_core import compare
from dr_integrations import RiskEvaluator, add_to_card

X = pd.DataFrame({"sex": ["M", "F", "F"], "age": [30, 40, 50]})
SEX = {"privileged": {"sex": "M"}}


def model(X):
    return (X["age"] > 35).astype(int)


def evaluate(config=SEX, *, model_type="classifier", y=(1, 0, 1), model=model):
    asked = None if model is None else SimpleNamespace(predict=model)
    return RiskEvaluator().evaluate(
        model_type=model_type,
        dataset=SimpleNamespace(features_data=X, labels_data=y),
        run_id="",
        evaluator_config=config,
        model=asked,
    )


def audit():
    return compare({"m": model}, X, [1, 0, 1], {"sex": "M"}, measures="accuracy")


CASES = {
    "RiskEvaluator": {
        "nobody privileged": (
            lambda: evaluate({}),
            ValueError,
            ("evaluator_config", "'discriminative_risk'", "'privileged'", "{'sex': 'Male'}"),
        ),
        "no configuration": (
            lambda: evaluate(None),
            ValueError,
            ("evaluator_config", "'discriminative_risk'", "'privileged'", "{'sex': 'Male'}"),
        ),
        "an unknown option": (
            lambda: evaluate(SEX | {"pos_label": 1}),
            ValueError,
            ("evaluator_config", "'pos_label'", "'favorable'", "'metric_prefix'"),
        ),
        "a regressor": (
            lambda: evaluate(model_type="regressor"),
            ValueError,
            ("model_type", "'classifier'", "'regressor'", "assess_shift"),
        ),
        "predictions without their model": (
            lambda: evaluate(model=None),
            ValueError,
            ("model=", "function", "perturbed rows"),
        ),
        "no labels": (
            lambda: evaluate(y=None),
            ValueError,
            ("labels", "targets="),
        ),
        "columns without a choice": (
            lambda: evaluate(model=lambda X: X),
            ValueError,
            ("columns", "'sex', 'age'", "predictions="),
        ),
        "a sensitive column that is not in the data": (
            lambda: evaluate({"privileged": {"race": 1}}),
            ValueError,
            ("'race'", "X", "'sex'", "'age'", "model"),
        ),
    },
    "add_to_card": {
        "a card of another kind": (
            lambda: add_to_card({}, audit()),
            TypeError,
            ("card", "dict", "skops.card.Card", "str"),
        ),
        "a table in place of a comparison": (
            lambda: add_to_card("# Card", X["age"]),
            TypeError,
            ("comparison", "Series", "dr_core.compare"),
        ),
        "a DataFrame in place of a comparison": (
            lambda: add_to_card("# Card", X),
            TypeError,
            ("comparison", "DataFrame", "dr_core.compare"),
        ),
    },
}

EXEMPT = {}
