"""Every number of the report is in the JSON output."""

import json
import math

import pytest

from dr_core._utils import format_percent
from dr_core.metrics import FAIRNESS_MEASURES, MEASURES
from dr_core.report._words import describe_measure, format_points

NAMES = {describe_measure(name).title: name for name in MEASURES}


@pytest.fixture
def content(comparison):
    return json.loads(comparison.to_json())


@pytest.fixture
def page(comparison, read):
    return read(comparison.to_html())


def same(cell, value):
    """Whether a cell holds a value of the JSON exactly, and shows it rounded."""
    if value is None:
        return cell["value"] in ("", "Infinity")
    return float(cell["value"]) == value and cell["text"] in (format_percent(value), f"{value:,}")


def points(difference):
    """Percentage points with a sign, 0 without one."""
    text = f"{100 * difference:+.1f}".replace("-", "−")
    return text[1:] if text[1:] == "0.0" else text


def iter_cells(page, caption, content):
    """Cells of the measures of a table with their values in the JSON."""
    values = {(v["measure"], v["model"], v["attribute"]): v for v in content["values"]}
    header, *rows = page.table(caption)
    for measure, model, *cells in rows:
        for attribute, cell in zip(header[2:], cells, strict=True):
            name = {"all together": "all"}.get(attribute["text"], attribute["text"])
            yield cell, values[NAMES[measure["text"]], model["text"], name]


def test_two_computations_of_one_ratio_are_shown_alike():
    ratio = 0.6875  # 68.75 %, halfway between two numbers of one decimal
    nearly = math.nextafter(ratio, 0)
    assert format_percent(nearly) == format_percent(ratio) == "68.8 %"
    assert format_points(nearly) == format_points(ratio) == "+68.8 pp"


def test_signed_gaps_are_those_of_the_json(page, content):
    found = list(iter_cells(page, "Signed gaps", content))
    signed = [v for v in content["values"] if v["signed"] is not None]
    assert len(found) == len(signed) > 0
    for cell, value in found:
        assert float(cell["value"]) == value["signed"]
        assert cell["text"] == f"{points(value['signed'])} pp"
        low, high = points(value["signed_low"]), points(value["signed_high"])
        assert cell["note"] == f"{low} to {high} pp"


def test_measures_without_a_sign_are_those_of_the_json(page, content):
    found = list(iter_cells(page, "Fairness measures without", content))
    shown = {value["measure"] for _, value in found}
    signed = {v["measure"] for v in content["values"] if v["signed"] is not None}
    assert shown == set(FAIRNESS_MEASURES) - signed - {"discriminative_risk"}
    for cell, value in found:
        assert same(cell, value["value"])
        ends = (format_percent(value[end]) for end in ("low", "high"))
        assert cell["note"] == " to ".join(ends)


def test_measures_of_performance_are_those_of_the_json(page, content):
    values = {(v["measure"], v["model"]): v["value"] for v in content["values"]}
    header, *rows = page.table("Performance")
    assert [row[0]["text"] for row in rows] == ["forest", "rule"]
    for model, *cells in rows:
        for measure, cell in zip(header[1:], cells, strict=True):
            assert same(cell, values[NAMES[measure["text"]], model["text"]])


def test_directions_are_those_of_the_json(page, content):
    rows = page.table("Discriminative risk of each attribute alone")[1:]
    expected = {(d["attribute"], d["model"]): d for d in content["directions"]}
    assert len(rows) == len(expected) == 6
    for attribute, model, _, _, loses, gains in rows:
        name = {"all together": "all"}.get(attribute["text"], attribute["text"])
        assert same(loses, expected[name, model["text"]]["loses"])
        assert same(gains, expected[name, model["text"]]["gains"])


def test_groups_are_those_of_the_json(page, content):
    groups = {(g["attribute"], g["model"], g["group"]): g for g in content["groups"]}
    titles = {
        "When only sex is perturbed": "sex",
        "When only race is perturbed": "race",
        "When all attributes together are perturbed": "all",
    }
    rows = page.table("Discriminative risk by group")[1:]
    assert len(rows) == len(groups) == 2 * (2 + 3 + 6)
    for group, model, risk, _, loses, gains, of_changes, count, privileged in rows:
        expected = groups[titles[group["group"]], model["text"], group["text"]]
        assert privileged["text"] == ("yes" if expected["privileged"] else "no")
        assert same(count, expected["rows"])
        for cell, name in ((risk, "risk"), (loses, "loses"), (gains, "gains")):
            assert same(cell, expected[name])
        assert float(of_changes["value"]) == expected["share_of_changes"]


def is_bound(cell, value):
    """Whether a cell shows a bound; in the JSON, infinite ones are None."""
    if "uninformative" in cell["text"]:
        return value is None or value >= 1
    return same(cell, value) and (value is None or value < 1)


def test_bounds_and_front_are_those_of_the_json(page, content):
    ensemble = content["ensembles"]["forest"]
    for row, bound in zip(page.table("Bounds")[1:], ensemble["bounds"], strict=True):
        assert row[0]["text"] == bound["name"]
        shown = [bound["value"], *([bound["suggested"]] if ensemble["suggested"] else [])]
        for cell, value in zip(row[1:], shown, strict=False):
            assert is_bound(cell, value)
    if not ensemble["suggested"]:
        return
    for row, point in zip(page.table("Pareto")[1:], ensemble["front"], strict=True):
        assert same(row[1], len(point["members"]))
        assert same(row[2], point["error"])
        assert same(row[3], point["risk"])
    for row, score in zip(page.table("The full and")[1:], ensemble["scores"], strict=True):
        assert same(row[4], score["error"])
        assert same(row[5], score["risk"])


def test_headlines_tell_the_risk_with_its_interval(page, content):
    for value in content["values"]:
        if value["measure"] == "discriminative_risk" and value["attribute"] == "all":
            share, low, high = (f"{100 * value[key]:.1f} %" for key in ("value", "low", "high"))
            sentence = (
                f"{share} of decisions would be different if only people's sex and race were "
                "different (average over all perturbations of a row); 95 % interval "
                f"{low} to {high}."
            )
            assert sentence in page.text


def test_the_json_has_no_number_that_json_does_not_know(comparison):
    assert math.isinf(comparison.ensembles["forest"].bounds["value"].max())
    json.loads(comparison.to_json(), parse_constant=pytest.fail)
