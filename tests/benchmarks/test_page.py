"""The pages on the reproduction say what the committed results say."""

import json
import re

import pandas as pd
import pytest

from benchmarks.paper.__main__ import EXPERIMENTS
from benchmarks.paper.claims import CLAIMS
from benchmarks.paper.page import PAGE, PAGES, RESULTS, TABLES, refreshed

TEXTS = {page.stem: page.read_text("utf-8") for page in PAGES}
VERDICTS = TEXTS[PAGE.stem]


@pytest.mark.parametrize("page", TEXTS)
def test_every_table_of_a_page_is_that_of_the_results(page):
    assert refreshed(TEXTS[page]) == TEXTS[page]


def test_a_table_is_put_between_its_marks_and_nowhere_else(monkeypatch):
    monkeypatch.setitem(TABLES, "one", lambda results: pd.DataFrame({"a": [0.5]}))
    text = "x\n<!-- table: one -->\n<!-- end -->\ny\n"
    expected = "x\n<!-- table: one -->\n| a |\n| --- |\n| 0.5 |\n<!-- end -->\ny\n"
    assert refreshed(text) == expected
    assert refreshed(expected) == expected


def test_every_table_is_on_one_page():
    marks = re.findall(r"<!-- table: (\w+) -->", "".join(TEXTS.values()))
    assert sorted(marks) == sorted(TABLES)


@pytest.mark.parametrize("number", range(1, len(CLAIMS) + 1))
def test_the_page_has_place_and_verdict_of_every_claim(number):
    row = next(line for line in VERDICTS.splitlines() if line.startswith(f"| {number} |"))
    assert row.endswith(f"| {CLAIMS[number - 1].text} | **{CLAIMS[number - 1].judge(RESULTS)}** |")
    assert CLAIMS[number - 1].place in row


def test_verdicts_come_before_everything_else():
    assert VERDICTS.index("<!-- table: verdicts -->") < VERDICTS.index("## Run it")


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda page: page.stem)
def test_every_sub_page_is_in_the_table_of_contents(page):
    assert f"reproduction/{page.stem}\n" in VERDICTS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_figure_of_a_page_is_committed(page):
    figures = re.findall(r"{image} (\S+)", TEXTS[page.stem])
    assert all((page.parent / figure).is_file() for figure in figures)


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_committed_results_are_of_a_full_run_with_date_versions_and_machine(experiment):
    about = json.loads((RESULTS / experiment / "about.json").read_text())
    assert not about["quick"]
    assert {"date", "versions", "machine"} <= set(about)
