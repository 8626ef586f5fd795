"""Rates of groups are those that counting rows gives."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dr_core import clopper_pearson, compare, learn_attributes
from dr_core._utils import format_percent
from dr_core.report import iter_impact_sentences

PRIVILEGED = {"sex": "M", "race": "W"}


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    race = rng.choice(["W", "B", "A"], 400, p=[0.6, 0.39, 0.01])
    return pd.DataFrame(
        {"sex": rng.choice(["M", "F"], 400), "race": race, "score": rng.normal(size=400)}
    )


@pytest.fixture(scope="module")
def y(people):
    return (people["score"] + np.random.default_rng(1).normal(size=400) > 0).astype(int)


def rule(X):
    return (X["score"] > 0.5 * (X["sex"] == "F")).astype(int)


@pytest.fixture(scope="module")
def rates(people, y):
    found = compare({"rule": rule}, people, y, PRIVILEGED, n_boot=5, random_state=0).group_rates
    return found.set_index(["attribute", "group", "measure"])


def count(people, y, chosen):
    """The rates of some rows, by counting them."""
    label, decision = y[chosen].to_numpy(), rule(people[chosen]).to_numpy()
    return {
        "base_rate": label,
        "selection_rate": decision,
        "true_positive_rate": decision[label == 1],
        "false_positive_rate": decision[label == 0],
    }


GROUPS = [("sex", "F"), ("sex", "M"), ("race", "B"), ("all", "M, W"), ("all", "F, B")]


@pytest.mark.parametrize(("attribute", "group"), GROUPS)
def test_rates_and_intervals_are_those_of_the_rows(people, y, rates, attribute, group):
    names = ["sex", "race"] if attribute == "all" else [attribute]
    chosen = (people[names] == group.split(", ")).all(axis=1)
    for measure, values in count(people, y, chosen).items():
        row = rates.loc[(attribute, group, measure)]
        assert row["value"] == pytest.approx(values.mean())
        interval = clopper_pearson(values.mean(), len(values), 0.95)
        assert (row["low"], row["high"]) == pytest.approx(interval[:2])


def test_the_risk_is_that_of_the_group(people, y, rates):
    by_group = compare({"rule": rule}, people, y, PRIVILEGED).by_group
    for row in by_group.itertuples():
        assert rates.loc[(row.attribute, row.group, "discriminative_risk"), "value"] == row.risk


def test_impact_ratios_are_relative_to_the_highest_rate(rates):
    selection = rates.xs("selection_rate", level="measure")["value"]
    ratio = rates.xs("impact_ratio", level="measure")["value"]
    assert ratio["sex", "M"] == 1
    assert ratio["sex", "F"] == selection["sex", "F"] / selection["sex", "M"]
    # Group A, with 1 % of the rows, is no reference.
    assert max(ratio["race", "W"], ratio["race", "B"]) == 1


@pytest.mark.parametrize(("n_rows", "reference"), [(50, "A"), (51, "B")])
def test_a_group_of_two_percent_can_be_the_reference(n_rows, reference):
    X = pd.DataFrame({"race": ["A", *["B", "W"] * 25][:n_rows], "row": range(n_rows)})
    model = lambda X: (X["race"] == "A") | ((X["race"] == "B") & (X["row"] % 4 == 1))  # noqa: E731
    y = np.arange(n_rows) % 2
    found = compare({"m": model}, X, y, {"race": "W"}, measures=["accuracy"]).group_rates
    assert set(found["reference"].dropna()) == {reference}


def test_impact_ratios_have_intervals_but_that_of_the_reference(rates):
    ratio = rates.xs("impact_ratio", level="measure")
    assert ratio.loc[("sex", "M"), ["low", "high"]].isna().all()
    row = ratio.loc[("sex", "F")]
    assert row["low"] < row["value"] < row["high"]


def test_weighted_rows_have_rates_without_intervals(people, y):
    weights = np.where(people["sex"] == "M", 2.0, 1.0)
    options = {"n_boot": 5, "sample_weight": weights, "random_state": 0}
    rates = compare({"rule": rule}, people, y, PRIVILEGED, **options).group_rates
    assert rates["low"].isna().all()
    row = rates.set_index(["attribute", "group", "measure"]).loc[("race", "B", "base_rate")]
    chosen = people["race"] == "B"
    assert row["value"] == pytest.approx(np.average(y[chosen], weights=weights[chosen]))


def test_chunks_have_the_same_rates(people, y):
    frame = people.assign(y=y)
    parts = [frame[:150], frame[150:]]
    whole = compare({"rule": rule}, people, y, PRIVILEGED, n_boot=5, random_state=0).group_rates
    cut = compare({"rule": rule}, parts, "y", PRIVILEGED, n_boot=5, random_state=0).group_rates
    pd.testing.assert_frame_equal(whole, cut)


def test_impact_ratios_name_their_reference(rates):
    ratio = rates.xs("impact_ratio", level="measure")
    assert set(ratio.loc["sex"]["reference"]) == {"M"}
    assert rates.xs("selection_rate", level="measure")["reference"].isna().all()


def test_a_sentence_names_the_reference_and_its_size(people, y):
    found = compare({"rule": rule}, people, y, PRIVILEGED)
    n = (people["sex"] == "M").sum()
    first, *_, last = iter_impact_sentences(found, "rule")
    assert f"F ({400 - n} rows, " in first
    assert f"compared with M ({n} rows, {n / 4:.1f} % of all)." in first
    assert last.startswith("Lowest impact ratio for intersections: ")


def test_a_small_reference_is_flagged(people, y):
    found = compare({"rule": rule}, people[:150], y[:150], {"sex": "M"})
    (text,) = iter_impact_sentences(found, "rule")
    assert "too few for a precise rate" in text


def test_the_ratio_of_two_groups_is_shown_like_disparate_impact():
    hired = [1] * 11 + [0] * 9 + [1] * 24 + [0] * 6  # 55 % of women, 80 % of men
    decided = pd.DataFrame({"sex": ["F"] * 20 + ["M"] * 30, "hired": hired})
    weights = np.full(len(decided), 0.1)  # sums of these weights are rounded
    found = compare(
        {"m": lambda X: X["hired"]},
        decided,
        decided["hired"],
        {"sex": "M"},
        measures=["disparate_impact"],
        sample_weight=weights,
    )
    rates = found.group_rates.set_index(["measure", "group"])["value"]
    shown = {format_percent(found.values["value"][0]), format_percent(rates["impact_ratio", "F"])}
    assert shown == {"68.8 %"}


def test_rows_without_a_sensitive_value_have_no_risk_of_their_own():
    X = pd.DataFrame({"sex": ["M", "F", None, "F"] * 10, "age": range(40)})
    attributes = learn_attributes(X, {"sex": "M"}, missing="keep")
    options = {"measures": ["discriminative_risk"], "n_boot": 10}
    found = compare({"m": lambda X: X["sex"] == "M"}, X, [True, False] * 20, attributes, **options)
    rates = found.group_rates.set_index(["group", "measure"])
    assert np.isnan(rates.loc[("(missing)", "discriminative_risk"), "value"])
    assert rates.loc[("(missing)", "selection_rate"), "value"] == 0
    assert rates.loc[("M", "discriminative_risk"), "value"] == 1


@pytest.fixture(scope="module")
def lacking(people, y):
    """The rows with the highest scores lack a sex: all of them are selected."""
    X = people.assign(sex=people["sex"].where(people["score"] < 1))
    attributes = learn_attributes(X, {"sex": "M"}, missing="keep")
    return compare({"rule": rule}, X, y, attributes, n_boot=5, random_state=0)


@pytest.fixture(scope="module")
def rates_lacking(lacking):
    return lacking.group_rates.set_index(["group", "measure"])["value"]


class TestRowsWithoutASensitiveValue:
    def test_are_no_reference_of_impact_ratios(self, lacking, rates_lacking):
        assert rates_lacking.loc[("(missing)", "selection_rate")] == 1
        ratios = lacking.group_rates.query("measure == 'impact_ratio'")
        assert set(ratios["reference"]) == {"M"}

    def test_have_their_own_rates_and_no_impact_ratio(self, rates_lacking):
        assert rates_lacking.loc[("(missing)", "base_rate")] > 0
        assert np.isnan(rates_lacking.loc[("(missing)", "impact_ratio")])

    def test_leave_the_impact_ratio_equal_to_disparate_impact(self, lacking, rates_lacking):
        ratio = rates_lacking.loc[("F", "impact_ratio")]
        assert ratio == pytest.approx(lacking.table()["disparate_impact"].item())

    def test_are_not_named_with_the_lowest_impact_ratio(self, lacking):
        assert "(missing)" not in " ".join(iter_impact_sentences(lacking, "rule"))

    def test_keep_their_row_in_the_tables_of_the_report(self, lacking):
        page = replace(lacking, evidence={"local_law_144": True}).to_html()
        assert page.count("not compared, a value is missing") == 2
