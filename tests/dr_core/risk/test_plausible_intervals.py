"""The interval of the risk of plausible perturbed rows."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dr_core import assess_risk, assess_shift, at_least, clopper_pearson, compare

PRIVILEGED = {"sex": "M", "race": ["W"]}


def rows(n=300, seed=0):
    """Rows in which Mr and Ms go with sex, and nobody of race B has the badge "none"."""
    rng = np.random.default_rng(seed)
    sex, race = rng.choice(["M", "F"], n), rng.choice(["W", "A", "B"], n)
    title = np.where(rng.random(n) < 0.5, "Dr", np.where(sex == "M", "Mr", "Ms"))
    badge = np.where((race != "B") & (rng.random(n) < 0.4), "none", "one")
    score = rng.normal(size=n)
    return pd.DataFrame({"sex": sex, "race": race, "title": title, "badge": badge, "score": score})


def rule(X):
    bonus = 0.3 * np.asarray(X["sex"] == "M") + 0.4 * np.asarray(X["race"] == "B")
    return np.asarray(X["score"]) + bonus > 0.5


def list_perturbations(row):
    """The perturbed rows of one row with their probabilities."""
    sexes = ["F"] if row["sex"] == "M" else ["M"]
    races = ["A", "B"] if row["race"] == "W" else ["W"]
    return [(row | {"sex": sex, "race": race}, 1 / len(races)) for sex in sexes for race in races]


def is_implausible(row):
    mixed = (row["sex"], row["title"]) in (("F", "Mr"), ("M", "Ms"))
    return mixed or (row["race"], row["badge"]) == ("B", "none")


def count_effective(X, weights, people):
    """The mean, and μ(1-μ) over its linearised variance, at most Kish's number of people."""
    changed, plausible = {}, {}
    for row, w, who in zip(X.to_dict("records"), weights, people, strict=True):
        before = rule(pd.DataFrame([row]))[0]
        for other, probability in list_perturbations(row):
            if is_implausible(other):
                continue
            after = rule(pd.DataFrame([other]))[0]
            plausible[who] = plausible.get(who, 0) + w * probability
            changed[who] = changed.get(who, 0) + w * probability * (before != after)
    total = sum(plausible.values())
    mean = sum(changed.values()) / total
    variance = sum((changed[who] - mean * plausible[who]) ** 2 for who in plausible) / total**2
    kish = total**2 / sum(one**2 for one in plausible.values())
    return mean, min(kish, mean * (1 - mean) / variance if variance > 1e-15 else math.inf)


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 10_000), st.booleans(), st.booleans())
def test_the_effective_number_of_people_is_that_of_the_textbook(seed, weighted, has_people):
    X, rng = rows(60, seed), np.random.default_rng(seed)
    weights = rng.lognormal(size=60) if weighted else np.ones(60)
    people = rng.integers(0, 20, 60) if has_people else np.arange(60)
    options = {"sample_weight": weights if weighted else None}
    options |= {"person": people if has_people else None}
    found = assess_risk(rule, X, PRIVILEGED, **options).plausibility(rows(5000, 1))
    mean, n = count_effective(X, weights.tolist(), people.tolist())
    sample = found.make_sample(-1)
    assert sample.mean == pytest.approx(mean)
    assert sample.n_effective == pytest.approx(n)


def test_it_is_the_interval_of_the_risk_where_all_rows_are_plausible():
    X = rows()[["sex", "race", "score"]]
    risk = assess_risk(rule, X, PRIVILEGED)
    assert risk.plausibility().interval()[:2] == pytest.approx(risk.interval()[:2])


def test_rows_that_are_implausible_do_not_count():
    X = rows()[["sex", "title", "score"]]

    def promotes(X):
        return X["score"] + (X["sex"] == "M") > 1

    found = assess_risk(promotes, X, {"sex": "M"}).plausibility(rows(5000, 1)[list(X)])
    n_doctors = int((X["title"] == "Dr").sum())
    low, high, *_ = clopper_pearson(found.risk, n_doctors, 0.95)
    assert found.interval()[:2] == pytest.approx((low, high))


def test_compare_has_the_same_interval():
    X, reference = rows(), rows(5000, 1)
    found = assess_risk(rule, X, PRIVILEGED).plausibility(reference).interval()
    options = {"measures": ["discriminative_risk"], "n_boot": 9, "reference": reference}
    values = compare({"m": rule}, X, rule(X), PRIVILEGED, **options).values
    of_all = values[values["attribute"] == "all"].set_index("measure")
    row = of_all.loc["discriminative_risk_plausible"]
    assert (row["low"], row["high"]) == found[:2]


def test_it_is_undefined_for_ranges_and_scores():
    X = rows().assign(age=np.arange(300) % 60)
    of_age = assess_risk(rule, X, PRIVILEGED | {"age": at_least(30)}).plausibility()
    assert of_age.risk >= 0
    assert np.isnan(of_age.interval()[:2]).all()
    of_score = assess_shift(lambda X: X["score"], X, PRIVILEGED, response="predict").plausibility()
    assert np.isnan(of_score.interval()[:2]).all()


@pytest.mark.filterwarnings("ignore:.*may encode it, too")
def test_it_is_undefined_without_a_plausible_row():
    X = pd.DataFrame({"sex": ["M", "F"] * 100, "title": ["Mr", "Ms"] * 100})
    found = assess_risk(lambda X: X["sex"] == "M", X, {"sex": "M"}).plausibility()
    assert found.share == 1
    assert np.isnan(found.interval()[:2]).all()


def test_the_text_has_the_interval():
    found = assess_risk(rule, rows(), PRIVILEGED).plausibility()
    assert "(95 % interval" in str(found)
