"""What a newcomer sees first: README and the pages of the repository."""

import html
import io
import re
from pathlib import Path

import pytest
import yaml
from rich.console import Console

from dr_core.cli import main

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PAGES = [README, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
FENCED = re.DOTALL | re.MULTILINE


def test_the_readme_is_shorter_than_150_lines():
    assert len(README.read_text(encoding="utf-8").splitlines()) < 150


def test_the_picture_of_the_home_page_shows_the_risk_that_the_command_prints():
    """The page for auditors shows the output of `dr-audit credit`, and a test runs it."""
    picture = (ROOT / "docs" / "_static" / "idea.html").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "get_started" / "auditors.md").read_text(encoding="utf-8")
    printed = " ".join(page.split())
    risk = re.search(r"([\d.]+ %) of people would get a different decision", printed)[1]
    interval = re.search(r"95 % interval ([\d.]+ % to [\d.]+ %)", printed)[1]
    assert f"DR = {risk}" in picture
    assert f"95 % interval {interval}" in picture


def test_the_picture_of_the_terminal_shows_what_the_command_prints():
    picture = (ROOT / "docs" / "images" / "dr-audit-credit.svg").read_text(encoding="utf-8")
    shown = html.unescape("".join(re.findall(r"<text[^>]*>(.*?)</text>", picture)))
    console = Console(width=122, file=io.StringIO())
    main(["credit"], console=console)
    printed, shown = (
        "".join(re.findall(r"[\w.%]", text)) for text in (console.file.getvalue(), shown)
    )
    assert printed in shown


def test_rows_of_tables_are_whole():
    for page in [*PAGES, *(ROOT / "docs").glob("*.md"), *(ROOT / "docs").glob("[gr]*/*.md")]:
        text = re.sub(r"^ *```.*?^ *```", "", page.read_text(encoding="utf-8"), flags=FENCED)
        rows = [line for line in text.splitlines() if line.startswith("|")]
        assert [row for row in rows if not row.endswith("|")] == [], page


def test_the_readme_has_one_picture():
    assert len(re.findall(r"!\[.+?\]\(.+?\)", README.read_text(encoding="utf-8"))) == 1


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_local_links_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_every_page_of_the_site_is_in_its_contents():
    """Sphinx warns of a page in no contents; this says so without building the site."""
    named = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md"))
    entries = set(re.findall(r"^[\w/]+$", named, re.MULTILINE))
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")} - {"index"}
    assert not pages - entries


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.stem)
def test_python_on_a_page_is_an_example_that_runs(page):
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), FENCED)
    assert [block for block in blocks if not block.startswith(">>> ")] == []


def test_the_citation_names_the_paper():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["cff-version"] == "1.2.0"
    assert citation["preferred-citation"]["title"].startswith("Improving Fairness with Ensemble")
