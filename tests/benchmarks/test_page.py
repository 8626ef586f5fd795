"""The page on the reproduction says what the committed results say."""

import json
import re

import pandas as pd
import pytest

from benchmarks.paper.__main__ import EXPERIMENTS
from benchmarks.paper.claims import CLAIMS
from benchmarks.paper.page import PAGE, RESULTS, TABLES, refreshed

TEXT = PAGE.read_text("utf-8")


def test_every_table_of_the_page_is_that_of_the_results():
    assert refreshed(TEXT) == TEXT


def test_a_table_is_put_between_its_marks_and_nowhere_else(monkeypatch):
    monkeypatch.setitem(TABLES, "one", lambda results: pd.DataFrame({"a": [0.5]}))
    text = "x\n<!-- table: one -->\n<!-- end -->\ny\n"
    expected = "x\n<!-- table: one -->\n| a |\n| --- |\n| 0.5 |\n<!-- end -->\ny\n"
    assert refreshed(text) == expected
    assert refreshed(expected) == expected


def test_every_table_is_on_the_page():
    assert sorted(re.findall(r"<!-- table: (\w+) -->", TEXT)) == sorted(TABLES)


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_page_has_a_verdict_on_every_claim(claim):
    row = next(line for line in TEXT.splitlines() if line.startswith(f"| {claim} "))
    assert "reproduced**" in row


def test_every_figure_of_the_page_is_committed():
    figures = re.findall(r"\.\./(benchmarks\S+)", TEXT)
    assert figures
    assert all((PAGE.parents[1] / figure).is_file() for figure in figures)


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_committed_results_are_of_a_full_run_with_date_versions_and_machine(experiment):
    about = json.loads((RESULTS / experiment / "about.json").read_text())
    assert not about["quick"]
    assert {"date", "versions", "machine"} <= set(about)
