"""The display of risks is tested by the data of its artists."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from dr_core import RiskDisplay, assess_risk, clopper_pearson, learn_attributes

BOTH = {"sex": "M", "race": "w"}


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    columns = {"sex": rng.choice(["F", "M"], 200), "race": rng.choice(["w", "b"], 200)}
    return pd.DataFrame({**columns, "score": rng.normal(size=200)})


def rule(X):
    return (X["score"] + 0.5 * (X["sex"] == "M") > 0).astype(int)


def bars(display, series):
    return [bar.get_height() for bar in display.bars_[series]]


def error_bars(display, series):
    (lines,) = display.bars_[series].errorbar.lines[2]
    return [segment[:, 1].tolist() for segment in lines.get_segments()]


def test_draws_the_risk_of_each_attribute_with_its_interval(people):
    display = RiskDisplay.from_estimator(rule, people, BOTH, confidence=0.8)
    table = assess_risk(rule, people, BOTH).table(0.8)
    assert bars(display, "discriminative_risk") == pytest.approx(table["risk"].tolist())
    drawn = error_bars(display, "discriminative_risk")
    assert np.allclose(drawn, table[["low", "high"]].to_numpy())
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == ["sex", "race", "all"]
    assert display.ax_.get_ylabel() == "discriminative risk"


def test_draws_the_risk_of_groups_with_clopper_and_pearson_intervals(people):
    assessment = assess_risk(rule, people, {"sex": "M"})
    display = RiskDisplay.from_assessment(assessment, by="group")
    men = people["sex"] == "M"
    for series, rows in (("privileged", men), ("marginalised", ~men)):
        risk = assessment.individual[rows].mean()
        assert bars(display, series) == pytest.approx([risk])
        ends = clopper_pearson(risk, rows.sum(), 0.95)[:2]
        assert np.allclose(error_bars(display, series), [ends])
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert legend == ["privileged", "marginalised"]
    assert display.ax_.get_ylabel() == "discriminative risk"


def test_groups_of_weighted_rows_have_no_intervals(people):
    weights = np.arange(1.0, 201.0)
    display = RiskDisplay.from_estimator(
        rule, people, {"sex": "M"}, by="group", sample_weight=weights
    )
    assert display.bars_["privileged"].errorbar is None


@pytest.mark.filterwarnings("ignore:no marginalised row")
def test_a_group_without_rows_has_no_bar(people):
    men = people.assign(sex="M")
    attributes = learn_attributes(men, {"sex": "M"}, domain={"sex": ["F", "M"]})
    display = RiskDisplay.from_assessment(assess_risk(rule, men, attributes), by="group")
    drawn = bars(display, "marginalised")
    assert np.isnan(drawn).all()


def test_rows_that_were_not_perturbed_do_not_dilute_the_bars(people):
    some = people.assign(sex=people["sex"].where(people.index > 50))
    attributes = learn_attributes(some, {"sex": "M"}, missing="keep")
    assessment = assess_risk(rule, some, attributes)
    drawn = bars(RiskDisplay.from_assessment(assessment), "discriminative_risk")
    assert drawn == [assessment.value]
    assert drawn == [assess_risk(rule, some[some.index > 50], {"sex": "M"}).value]


def test_plot_returns_the_display_and_draws_on_the_axes_given(people):
    display = RiskDisplay.from_estimator(rule, people, {"sex": "M"})
    figure, ax = plt.subplots()
    assert display.plot(ax) is display
    assert display.ax_ is ax
    assert display.figure_ is figure


def test_frame_has_what_is_drawn(people):
    display = RiskDisplay.from_estimator(rule, people, BOTH)
    frame = display.frame()
    assert list(frame.columns.get_level_values(0)) == ["value", "low", "high"]
    assert frame["value", "discriminative_risk"].tolist() == bars(display, "discriminative_risk")


def make_display(groups):
    index = pd.MultiIndex.from_tuples(groups, names=["age", "sex", "origin"])
    return RiskDisplay(pd.DataFrame({"discriminative_risk": 0.1}, index))


SIDES = ("age < 28", "age >= 28")


def test_labels_of_few_groups_are_horizontal():
    display = make_display([(age, "man", "EU") for age in SIDES]).plot()
    assert [label.get_rotation() for label in display.ax_.get_xticklabels()] == [0, 0]


@pytest.mark.parametrize("is_part", [False, True])
def test_labels_of_many_groups_are_slanted_and_do_not_overlap(is_part):
    every = [(age, sex, home) for age in SIDES for sex in ("man", "woman") for home in "abc"]
    figure = plt.figure(layout="constrained")
    part = figure.subfigures(1, 1) if is_part else figure
    display = make_display(every).plot(part.add_subplot())
    figure.draw_without_rendering()
    labels = display.ax_.get_xticklabels()
    assert {(label.get_rotation(), label.get_ha()) for label in labels} == {(40, "right")}
    # Slanted texts are one below the other: the gap of their base lines is wider than a line.
    height = plt.rcParams["font.size"] * figure.dpi / 72
    starts = display.ax_.transData.transform([(i, 0) for i in range(len(every))])[:, 0]
    assert (np.diff(starts) * np.sin(np.deg2rad(40)) > height).all()
