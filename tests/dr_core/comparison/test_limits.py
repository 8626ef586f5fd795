"""Limits of a comparison that could pass without being checked."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

from dr_core import clopper_pearson, compare, learn_attributes
from dr_core.comparison import Decision

X = pd.DataFrame({"sex": ["m", "f"] * 50 + [None] * 900, "row": range(1000)})
KEPT = learn_attributes(X, {"sex": "m"}, missing="keep")


def is_man(X):
    return (X["sex"] == "m").astype(int)


def check(max_risk, **options):
    y = np.arange(1000) // 2 % 2
    return compare({"m": is_man}, X, y, KEPT, n_boot=100, random_state=0, **options).check(
        max_risk=max_risk
    )


def test_a_risk_that_was_not_measured_is_refused():
    with pytest.raises(ValueError, match=r"max_risk.*'discriminative_risk'.*measures"):
        check(0.1, measures=["accuracy"])


def test_rows_that_cannot_be_perturbed_do_not_dilute_the_risk():
    verdict = check(0.15, measures=["discriminative_risk"])
    assert verdict.outcome == "fail"
    assert verdict.decisions[0].value == 1


def test_a_single_attribute_is_all_of_them():
    assert check({"all": 0.15}, measures=["discriminative_risk"]).outcome == "fail"


def decide(model, **limits):
    people, y = pd.DataFrame({"sex": ["m", "f"] * 50, "row": range(100)}), [0, 0, 1, 1] * 25
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of undefined gaps
        found = compare({"m": model}, people, y, {"sex": "m"}, n_boot=100, random_state=0)
    return found.check(**limits)


def test_a_gap_has_its_sign():
    verdict = decide(is_man, max_gap={"demographic_parity": 0.1})
    (decision,) = verdict.decisions
    assert (decision.value, decision.signed) == (1, -1)
    assert re.search(r"for sex: -100.0 pp \[-100.0, -\d+.\d\], limit ±10 pp$", str(verdict))


def test_equalized_odds_have_no_sign():
    verdict = decide(is_man, max_gap={"equalized_odds": 0.1})
    assert np.isnan(verdict.decisions[0].signed)
    assert re.search(r"for sex: 100.0 % \[\d+.\d, 100.0\], limit 10 %$", str(verdict))


def test_an_undefined_gap_is_undecided():
    verdict = decide(lambda X: np.zeros(len(X), int), max_gap={"predictive_parity": 0.1})
    assert verdict.outcome == "undecided"
    assert "for sex: undefined, limit 10 %" in str(verdict)


def is_everyone(X):
    return np.ones(len(X), dtype=int)


def test_a_kept_limit_says_that_the_model_may_not_use_the_attribute():
    verdict = decide(is_everyone, max_risk=0.1)
    assert verdict.outcome == "pass"
    (note,) = verdict.notes
    assert note.startswith("m: No prediction changes, so the model probably does not use sex.")
    assert str(verdict).endswith(note)


def test_a_limit_on_a_gap_says_nothing_about_the_risk():
    assert decide(is_everyone, max_gap={"demographic_parity": 0.1}).notes == []


def test_a_model_that_uses_the_attribute_has_no_note():
    assert decide(is_man, max_risk=0.1).notes == []


def have_like_values(X):
    return ((X["sex"] == "m") == (X["race"] == "w")).astype(int)


def test_a_kept_limit_on_all_attributes_says_that_one_alone_has_more_risk():
    people = pd.DataFrame({"sex": ["m", "f"] * 50, "race": list("wwbb") * 25})
    attributes, measures = {"sex": "m", "race": "w"}, ["discriminative_risk"]
    models, y = {"m": have_like_values}, [0, 1] * 50
    found = compare(models, people, y, attributes, n_boot=100, measures=measures)
    verdict = found.check(max_risk=0.1)
    assert verdict.outcome == "pass"
    (note,) = verdict.notes
    assert note.startswith("m: Perturbing sex alone changes more predictions (100.0 %)")


def changes_for_every(k, n):
    """Rows of which every k-th changes, and a model that changes these."""
    rows = pd.DataFrame({"sex": ["m", "f"] * (n // 2), "row": range(n)})
    return rows, lambda X: (X["sex"] == "m").astype(int) * (X["row"] % k == 0)


@pytest.mark.parametrize("limit", [0.06, 0.04])
def test_the_estimated_number_of_rows_would_decide_about_the_same_risk(limit):
    rows, model = changes_for_every(20, 400)
    y, privileged = np.arange(400) % 2, {"sex": "m"}
    options = {"n_boot": 9, "measures": ["discriminative_risk"]}
    needed = compare({"m": model}, rows, y, privileged, **options).check(max_risk=limit)
    needed = needed.decisions[0].rows_needed
    for n, is_decided in ((needed - 1, False), (needed, True)):
        low, high, *_ = clopper_pearson(0.05, n, 0.95)
        assert (limit <= low or high <= limit) == is_decided


def test_rows_of_equal_persons_are_worth_as_many_rows_in_the_estimate():
    rows, model = changes_for_every(20, 400)
    options = {"n_boot": 9, "measures": ["discriminative_risk"]}
    once, twice = (
        compare(
            {"m": model},
            pd.concat([rows] * k),
            np.tile(np.arange(400) % 2, k),
            {"sex": "m"},
            person=np.tile(np.arange(400), k),
            **options,
        )
        .check(max_risk=0.06)
        .decisions[0]
        .rows_needed
        for k in (1, 2)
    )
    assert twice == pytest.approx(2 * once, rel=0.01)


def make_decision(*numbers, limit, **signed):
    return Decision("m", "sex", "measure", *numbers, limit, "undecided", 100, **signed)


@pytest.mark.parametrize(
    ("decision", "shown"),
    [
        (make_decision(0.0612, 0.049993, 0.0713, limit=0.05), "6.120 % [4.999, 7.130], limit 5 %"),
        (make_decision(0.0503, 0.04, 0.0713, limit=0.05), "5.03 % [4.00, 7.13], limit 5 %"),
        (make_decision(0.05, 0.04, 0.0713, limit=0.05), "5.0 % [4.0, 7.1], limit 5 %"),
        (
            make_decision(0.061, 0.0456, 0.0713, limit=0.04567),
            "6.10 % [4.56, 7.13], limit 4.567 %",
        ),
        (make_decision(2e-5, 1e-7, 3e-3, limit=0), "0.00200 % [0.00001, 0.30000], limit 0 %"),
        (
            make_decision(
                *(0.12, 0.09, 0.15),
                limit=0.1,
                signed=-0.12,
                signed_low=-0.15,
                signed_high=-0.09996,
            ),
            "-12.000 pp [-15.000, -9.996], limit ±10 pp",
        ),
    ],
)
def test_each_number_is_shown_on_its_side_of_the_limit(decision, shown):
    assert shown in str(decision)


def test_a_gap_needs_many_replicates():
    people, y = pd.DataFrame({"sex": ["m", "f"] * 50}), [0, 1] * 50
    options = {"n_boot": 99, "measures": ["discriminative_risk", "demographic_parity"]}
    found = compare({"m": lambda X: X["sex"] == "m"}, people, y, {"sex": "m"}, **options)
    with pytest.raises(ValueError, match=r"n_boot must be at least 100.*got 99"):
        found.check(max_gap={"demographic_parity": 0.1})
    assert found.check(max_risk=0.5).outcome == "fail"
