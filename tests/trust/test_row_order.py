"""Labels, weights and predictions whose index is that of X in another order are refused."""

import numpy as np
import pandas as pd
import pytest
from dr_adapters import to_aif360, to_aif360_sklearn
from sklearn.ensemble import RandomForestClassifier

from dr_core import Predictions, assess_risk, assess_shift, collect_votes, compare, marginalize
from dr_core.plugins import check_row_order
from fairlearn_dr import (
    AttributeMarginalizer,
    EPAFPruner,
    POAFPruner,
    dr_metric_frame,
    show_dashboard,
)

INDEX = [f"person {i}" for i in range(12)]
X = pd.DataFrame({"sex": [0, 1, 0, 1] * 3, "age": range(12)}, INDEX)
Y = pd.Series([0, 0, 1, 1] * 3, INDEX)
SEX = {"sex": 1}
FOREST = RandomForestClassifier(n_estimators=4, random_state=0).fit(X, Y)
TURNED = Y[::-1] + 1
"""Labels or weights of the same people in another order."""
PEOPLE = pd.Series(INDEX, INDEX)[::-1]
REFUSED = {
    "labels of assess_risk": ("y", lambda: assess_risk(FOREST, X, SEX, y=TURNED)),
    "weights of assess_risk": (
        "sample_weight",
        lambda: assess_risk(FOREST, X, SEX, sample_weight=TURNED),
    ),
    "people of assess_risk": ("person", lambda: assess_risk(FOREST, X, SEX, person=PEOPLE)),
    "weights of assess_shift": (
        "sample_weight",
        lambda: assess_shift(FOREST, X, SEX, favorable=1, sample_weight=TURNED),
    ),
    "labels of compare": ("y", lambda: compare({"forest": FOREST}, X, TURNED, SEX)),
    "predictions of compare": (
        "y_pred",
        lambda: compare({"given": Predictions(TURNED)}, X, Y, SEX),
    ),
    "weights of marginalize": (
        "sample_weight",
        lambda: marginalize(FOREST, X, SEX, sample_weight=TURNED),
    ),
    "labels of collect_votes": ("y", lambda: collect_votes(FOREST, X, TURNED, SEX)),
    "labels of dr_metric_frame": ("y", lambda: dr_metric_frame(FOREST, X, TURNED, privileged=SEX)),
    "groups of dr_metric_frame": (
        "sensitive_features",
        lambda: dr_metric_frame(FOREST, X, Y, privileged=SEX, sensitive_features=X["sex"][::-1]),
    ),
    "labels of POAFPruner": ("y", lambda: POAFPruner(FOREST, privileged=SEX).fit(X, TURNED)),
    "weights of EPAFPruner": (
        "sample_weight",
        lambda: EPAFPruner(FOREST, privileged=SEX).fit(X, Y, sample_weight=TURNED),
    ),
    "labels of AttributeMarginalizer": (
        "y",
        lambda: AttributeMarginalizer(FOREST, privileged=SEX).fit(X, TURNED),
    ),
    "labels of the dashboard": (
        "y",
        lambda: show_dashboard({"forest": FOREST}, X, TURNED, privileged=SEX),
    ),
    "predictions of to_aif360": (
        "y_pred",
        lambda: to_aif360(X, Y, privileged=SEX, y_pred=Y[::-1]),
    ),
    "labels of to_aif360_sklearn": (
        "y",
        lambda: to_aif360_sklearn(X, TURNED, privileged=SEX),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_rows_in_another_order_are_refused(case):
    name, call = REFUSED[case]
    with pytest.raises(ValueError, match=rf"^{name}.*X\.index.*numpy\.asarray"):
        call()


@pytest.mark.parametrize(
    "column",
    [
        Y,
        Y.to_numpy()[::-1],
        Y[::-1].reset_index(drop=True),
        pd.Series(Y.to_numpy(), [f"row {i}" for i in range(12)]),
        Y[::-1].iloc[:4],
        pd.Series(1, ["person 0"] * 12),
        None,
    ],
    ids=["same", "array", "counted", "other labels", "other length", "repeated", "none"],
)
def test_other_columns_pass(column):
    check_row_order(X, {"y": column})


@pytest.mark.parametrize("counted", ["X", "y"])
def test_an_index_that_counts_rows_in_order_does_not_fit_one_that_does_not(counted):
    numbers = np.arange(12)
    index = {"X": numbers, "y": numbers} | {"y" if counted == "X" else "X": numbers[::-1]}
    with pytest.raises(ValueError, match=r"y has the index of X in another order"):
        check_row_order(X.set_axis(index["X"]), {"y": Y.set_axis(index["y"])})


@pytest.mark.parametrize(
    ("index", "other"),
    [
        (pd.Index(range(100, 112)), pd.Index(range(100, 112), dtype="Int64")),
        (
            pd.date_range("2020", periods=12, tz="UTC"),
            pd.date_range("2020", periods=12, tz="UTC").tz_convert("Europe/Berlin"),
        ),
        (
            pd.MultiIndex.from_product([range(6), ["a", "b"]]),
            pd.MultiIndex.from_product([range(6), ["a", "b"], ["c"]]),
        ),
        (pd.MultiIndex.from_product([range(6), ["a", "b"]]), pd.Index(INDEX)),
        (pd.Index(INDEX), pd.MultiIndex.from_product([range(6), ["a", "b"]])),
        (pd.period_range("2020", periods=12), pd.Index(INDEX)),
        (pd.interval_range(0, 12), pd.Index(INDEX)),
        (pd.Index([0, 1] * 6), pd.Index([1, 0] * 6)),
    ],
    ids=["types", "zones", "levels", "flat", "deep", "periods", "intervals", "repeated"],
)
def test_indexes_that_cannot_be_a_permutation_pass(index, other):
    check_row_order(X.set_axis(index), {"y": Y.set_axis(other)})


@pytest.mark.parametrize(
    "index",
    [
        pd.MultiIndex.from_product([range(6), ["a", "b"]]),
        pd.date_range("2020", periods=12),
        pd.interval_range(0, 12),
        pd.Index([*range(11), np.nan]),
    ],
    ids=["levels", "dates", "intervals", "missing"],
)
def test_any_index_in_another_order_is_refused(index):
    with pytest.raises(ValueError, match=r"y has the index of X in another order"):
        check_row_order(X.set_axis(index), {"y": Y.set_axis(index[::-1])})


def test_tables_without_an_index_pass():
    check_row_order(X.to_numpy(), {"y": TURNED})
