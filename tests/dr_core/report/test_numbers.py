"""Every number of the report is in the JSON output."""

import json
import math

import pytest

from dr_core.metrics import FAIRNESS_MEASURES, MEASURES
from dr_core.report._words import describe_measure, format_number, format_signed

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
    return float(cell["value"]) == value and cell["text"] in (format_number(value), f"{value:,}")


def write_fairness(value):
    """Text and small print of a measure: signed for gaps that have a sign."""
    if value["signed"] is None:
        return format_number(value["value"]), f"{value['low']:.3f} to {value['high']:.3f}"
    ends = (format_signed(value[end], 3) for end in ("signed_low", "signed_high"))
    return format_signed(value["signed"]), " to ".join(ends)


def test_measures_of_fairness_are_those_of_the_json(page, content):
    values = {(v["measure"], v["model"], v["attribute"]): v for v in content["values"]}
    header, *rows = page.table("Fairness measures")
    assert len(rows) == len(FAIRNESS_MEASURES) * 2
    for measure, model, *cells in rows:
        for attribute, cell in zip(header[2:], cells, strict=True):
            name = {"all together": "all"}.get(attribute["text"], attribute["text"])
            value = values[NAMES[measure["text"]], model["text"], name]
            assert float(cell["value"]) == value["value"]
            assert (cell["text"], cell["note"]) == write_fairness(value)


def test_measures_of_performance_are_those_of_the_json(page, content):
    values = {(v["measure"], v["model"]): v["value"] for v in content["values"]}
    header, *rows = page.table("Performance")
    assert [row[0]["text"] for row in rows] == ["forest", "rule"]
    for model, *cells in rows:
        for measure, cell in zip(header[1:], cells, strict=True):
            assert same(cell, values[NAMES[measure["text"]], model["text"]])


def test_directions_are_those_of_the_json(page, content):
    rows = page.table("Discriminative risk of each attribute alone")[1:]
    assert len(rows) == len(content["directions"]) == 6
    for (_, model, _, loses, gains), expected in zip(rows, content["directions"], strict=True):
        assert model["text"] == expected["model"]
        assert same(loses, expected["loses"])
        assert same(gains, expected["gains"])


def test_groups_are_those_of_the_json(page, content):
    groups = {(g["attribute"], g["model"], g["group"]): g for g in content["groups"]}
    captions = {"sex": "sex is", "race": "race is", "all": "all attributes together are"}
    found = 0
    for attribute, caption in captions.items():
        for group, model, *cells, rows, privileged in page.table(f"By group, when {caption}")[1:]:
            expected = groups[attribute, model["text"], group["text"]]
            assert privileged["text"] == ("yes" if expected["privileged"] else "no")
            assert same(rows, expected["rows"])
            for cell, name in zip(cells[:3], ("risk", "loses", "gains"), strict=True):
                assert same(cell, expected[name])
            assert float(cells[3]["value"]) == expected["carries"]
            found += 1
    assert found == len(groups) == 2 * (2 + 3 + 6)


def test_bounds_and_front_are_those_of_the_json(page, content):
    ensemble = content["ensembles"]["forest"]
    for row, bound in zip(page.table("Bounds")[1:], ensemble["bounds"], strict=True):
        assert row[0]["text"] == bound["name"]
        assert same(row[1], bound["value"])
        if ensemble["suggested"]:
            assert same(row[2], bound["suggested"])
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
                f"{share} of people would get a different decision if only their sex and race "
                f"were different; 95 % interval {low} to {high}."
            )
            assert sentence in page.text


def test_the_json_has_no_number_that_json_does_not_know(comparison):
    assert math.isinf(comparison.ensembles["forest"].bounds["value"].max())
    json.loads(comparison.to_json(), parse_constant=pytest.fail)
