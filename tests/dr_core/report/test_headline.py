"""What the headlines call the discriminative risk: people, or decisions on average."""

import numpy as np
import pandas as pd
import pytest

from dr_core import assess_risk, clopper_pearson, compare, learn_attributes
from dr_core._utils import format_percent
from dr_core.report import format_headline
from dr_core.report._headline import make_headlines
from dr_core.report._values import MeasuredValues

X = pd.DataFrame(
    {"sex": ["m", "f", "d", "m"] * 25, "age": ["old", "young"] * 50, "row": range(100)}
)
THREE, TWO, BOTH = {"sex": "m"}, {"age": "old"}, {"sex": "m", "age": "old"}
AVERAGES = {
    "one perturbation": (TWO, {}, ""),
    "one of two outcomes": (
        TWO,
        {"p": 0.5},
        "average over all perturbations of a row, each attribute perturbed with probability 0.5",
    ),
    "three values": (THREE, {}, "average over all perturbations of a row"),
    "several attributes": (BOTH, {}, "average over all perturbations of a row"),
    "two privileged values": (
        {"sex": ["m", "f"]},
        {},
        "average over all perturbations of a row",
    ),
    "one draw": (THREE, {"method": "sample"}, "one random perturbation of each row"),
    "one draw of one perturbation": (TWO, {"method": "sample"}, ""),
    "several draws": (
        THREE,
        {"method": "sample", "n_samples": 5},
        "average over 5 random perturbations of a row",
    ),
}


def is_privileged(X):
    return ((X["sex"] == "m") & (X["age"] == "old")).astype(int)


def make_headline(privileged, **options):
    y, measures = [0, 0, 1, 1] * 25, ["discriminative_risk"]
    models = {"model": is_privileged}
    found = compare(models, X, y, privileged, measures=measures, random_state=0, **options)
    return format_headline(found, "model")


@pytest.mark.parametrize("case", AVERAGES)
def test_people_are_named_only_where_each_has_one_perturbation(case):
    privileged, options, average = AVERAGES[case]
    headline = make_headline(privileged, **options)
    assert ("% of people would get a different decision if only their" in headline) != bool(
        average
    )
    assert ("% of decisions would be different if only people's" in headline) == bool(average)
    assert f"were different ({average})" in headline or not average
    assert ("average" in headline) == ("average" in average)


@pytest.mark.parametrize("case", AVERAGES)
def test_the_representation_names_the_average(case):
    privileged, options, average = AVERAGES[case]
    shown = repr(assess_risk(is_privileged, X, privileged, random_state=0, **options))
    method = options.get("method", "exact")
    assert f"; {method}, {average}{', ' if average else ''}100 rows)" in shown


def test_decisions_about_people_with_several_rows_are_averages_too():
    person = X["row"] // 2
    headline = make_headline(THREE, person=person)
    assert "of the decisions about 50 people would be different if only their sex" in headline
    assert "were different (average over all perturbations of a row)" in headline


def test_the_most_affected_group_has_an_interval():
    y, options = [0, 1] * 50, {"measures": ["discriminative_risk"], "n_boot": 5}
    rule = lambda X: X["row"] < X["sex"].map({"m": 10, "f": 40, "d": 40})  # noqa: E731
    page = compare({"m": rule}, X, y, {"sex": "m"}, **options).to_html()
    # Of 50 men, those from row 10 to row 39 change.
    low, high = (format_percent(end) for end in clopper_pearson(0.3, 50, 0.95)[:2])
    text = page.replace("\xa0", " ")
    assert f"30.0 % of 50 rows (95 % interval {low} to {high}; " in text


def decide(X):
    """One of three labels; for women, 40 of 100 lose, 20 go from "part" to "no"."""
    usual = np.select([X["row"] < 40, X["row"] < 60], ["full", "part"], "no")
    return np.where(X["sex"] == "m", usual, "no")


def test_changes_to_another_unfavourable_decision_are_named():
    rows = pd.DataFrame({"sex": ["m"] * 100, "row": range(100)})
    attributes = learn_attributes(rows, {"sex": "m"}, domain={"sex": ["m", "f"]})
    y, measures = ["full", "part", "no", "no"] * 25, ["discriminative_risk"]
    found = compare({"m": decide}, rows, y, attributes, favorable="full", measures=measures)
    directions, most = make_headlines(MeasuredValues(found))[0].details[:2]
    assert directions == (
        "40.0 % would lose the favourable decision, 0.0 % would gain it, 20.0 % would "
        "change to another unfavourable decision."
    )
    assert most.endswith("20.0 % would change to another unfavourable decision.")


def test_two_labels_have_no_other_unfavourable_decision():
    y, measures = [0, 1] * 50, ["discriminative_risk"]
    found = compare({"m": is_privileged}, X, y, BOTH, measures=measures)
    assert "another" not in " ".join(make_headlines(MeasuredValues(found))[0].details)
