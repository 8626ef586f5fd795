"""Auditing one model: perturbation, risk, and the table of all measures."""

import numpy as np
import pandas as pd
from fairlearn.metrics import (
    MetricFrame,
    false_positive_rate,
    selection_rate,
    true_negative_rate,
    true_positive_rate,
)
from sklearn.metrics import accuracy_score, f1_score, precision_score, recall_score

from benchmarks.speed.measure import print_table, processor_seconds, seconds
from dr_core import Predictions, assess_risk, compare, datasets, enumerate_perturbations, perturb
from dr_core.cli import default_model

ROWS = 1_000_000


def main():
    header = ("what", "ratio", "at most")
    for title, rows in {
        "perturbing 1,000,000 rows of income, 2 text attributes": perturbation,
        "risk of a random-forest pipeline on income": risk,
        "all measures of 1,000,000 given predictions": measures,
    }.items():
        print_table(title, header, list(rows()))


def million(frame):
    rows = np.random.default_rng(0).integers(0, len(frame), ROWS)
    return frame.iloc[rows].reset_index(drop=True)


def perturbation():
    """Rows of (what, ratio, limit): `perturb` against a deep copy of the frame."""
    income = datasets.load("income")
    X = million(income.data)
    text = X.select_dtypes(exclude="number").columns
    for dtype in ("object", "category", "str"):
        frame = X.astype(dict.fromkeys(text, dtype))
        copy = seconds(lambda frame=frame: frame.copy(deep=True))
        ours = seconds(lambda frame=frame: perturb(frame, income.privileged, random_state=0))
        yield f"text as {dtype}: perturb / X.copy(deep=True)", ours / copy, 3


def risk():
    """Rows of (what, ratio, limit): risk against the predictions it cannot do without."""
    income = datasets.load("income")
    X = income.data
    model = default_model(X, regression=False, random_state=0).fit(X, income.target)
    model.set_params(randomforestclassifier__n_jobs=1)
    predict = seconds(lambda: model.predict(X), repeats=3)
    settings = {"each_attribute": False}
    sampled = seconds(
        lambda: assess_risk(
            model, X, income.privileged, method="sample", random_state=0, **settings
        ),
        repeats=3,
    )
    yield "sampled risk / two predict calls", sampled / (2 * predict), 1.25
    variants = enumerate_perturbations(X, income.privileged).data
    needed = predict + seconds(lambda: model.predict(variants), repeats=3)
    exact = seconds(lambda: assess_risk(model, X, income.privileged, **settings), repeats=3)
    yield f"exact risk / predict of the {len(X) + len(variants):,} rows", exact / needed, 1.25


def measures():
    """Rows of (what, ratio, limit): all measures with intervals against counts and one frame.

    All are processor times of the fastest of three calls.
    """
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"sex": rng.choice(["Male", "Female"], ROWS)})
    y, f = rng.integers(0, 2, (2, ROWS))
    perturbed = np.where(rng.random(ROWS) < 0.05, 1 - f, f)
    models = {"given": Predictions(f, perturbed)}
    rows = X.assign(y=y, f=f, perturbed=perturbed)
    ours = fastest(lambda: compare(models, X, y, {"sex": "Male"}, n_boot=1000, random_state=0))
    counts = fastest(lambda: rows.groupby(list(rows)).size())
    theirs = fastest(lambda: metric_frame(y, f, perturbed, X["sex"]))
    what = "13 measures, 1,000 replicates"
    yield f"{what} / pandas groupby(sex, y, f, perturbed).size()", ours / counts, 5
    yield f"{what} / one MetricFrame without any", ours / theirs, 0.05


def fastest(function):
    return processor_seconds(function, repeats=3)


def changed(y_true, y_pred, *, perturbed):
    return np.mean(np.asarray(y_pred) != np.asarray(perturbed))


def metric_frame(y, f, perturbed, sex):
    metrics = {
        "discriminative_risk": changed,
        "selection_rate": selection_rate,
        "true_positive_rate": true_positive_rate,
        "false_positive_rate": false_positive_rate,
        "accuracy": accuracy_score,
        "precision": precision_score,
        "recall": recall_score,
        "f1": f1_score,
        "specificity": true_negative_rate,
    }
    frame = MetricFrame(
        metrics=metrics,
        y_true=y,
        y_pred=f,
        sensitive_features=sex,
        sample_params={"discriminative_risk": {"perturbed": perturbed}},
    )
    return frame.by_group, frame.overall, frame.difference(), frame.ratio()


if __name__ == "__main__":
    main()
