"""The HTML report in a real browser."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from dr_core import Predictions, compare, learn_attributes, perturb
from dr_core.cli import main
from dr_core.metrics import FAIRNESS_MEASURES

pytest.importorskip("jinja2", reason="Jinja2 is not installed")

WIDTHS = [390, 1400]

HOSTILE = [
    "</script><script>window.hacked = 1</script>",
    "\"><img src=x onerror='window.hacked = 1'>",
    "`${window.hacked = 1}` \\ &amp; 'quoted' <b>bold</b>",
    "{{ 7 * 7 }} {% raw %} {# #}",
    "😀 \u202ebackwards ünïcode",
    "x" * 200,
]

TABLES = """[...document.querySelectorAll("table")].map((table) => ({
    caption: table.caption.textContent,
    rows: [...table.querySelectorAll("tr:not(.group)")].map((row) =>
        [...row.cells].map((cell) => ({
            text: (cell.firstChild?.textContent ?? "").trim(),
            value: cell.dataset.value,
        }))
    ),
}))"""

CONTRAST = """
    const luminance = (colour) => {
        const parts = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255);
        const linear = parts.map((p) => (p <= 0.04045 ? p / 12.92 : ((p + 0.055) / 1.055) ** 2.4));
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    };
    const behind = (element) => {
        for (let up = element; up; up = up.parentElement) {
            const colour = getComputedStyle(up).backgroundColor;
            if (colour !== "rgba(0, 0, 0, 0)") return colour;
        }
    };
    const contrast = (ink, paper) => {
        const pair = [luminance(ink), luminance(paper)].sort((a, b) => b - a);
        return (pair[0] + 0.05) / (pair[1] + 0.05);
    };
"""

FAINTEST_TEXT = f"""() => {{ {CONTRAST}
    const hasText = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim();
    return Math.min(...[...document.body.querySelectorAll("*")]
        .filter((element) => [...element.childNodes].some(hasText))
        .filter((element) => !["SCRIPT", "title", "desc"].includes(element.tagName))
        .map((element) => {{
            const style = getComputedStyle(element);
            const ink = element instanceof SVGElement ? style.fill : style.color;
            return contrast(ink, behind(element));
        }}));
}}"""

MARKS = [
    *(".whisker", ".point", ".tick", ".zero", ".loses", ".gains", ".node"),
    *(".front", ".dot", ".full", ".suggested"),
]
"""Drawings that carry information: intervals, values, references, flows."""

FAINTEST_MARKS = f"""(marks) => {{ {CONTRAST}
    const faintest = (mark) => Math.min(...[...document.querySelectorAll(mark)].map((element) => {{
        const style = getComputedStyle(element);
        const inks = [style.fill, style.stroke].filter((ink) => ink !== "none");
        return Math.max(...inks.map((ink) => contrast(ink, behind(element))));
    }}));
    return Object.fromEntries(marks.map((mark) => [mark, faintest(mark)]));
}}"""


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    """What `dr-audit` writes: the report, and the values it was made of."""
    folder = tmp_path_factory.mktemp("audit")
    html, values = folder / "credit.html", folder / "credit.json"
    written = ["--html", str(html), "--json", str(values), "--individuals", "5"]
    assert main(["credit", *written]) == 0
    return html, json.loads(values.read_text())


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A report on models, columns, groups and labels that try to break out of it."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.choice(HOSTILE, 300) for name in HOSTILE})
    y = rng.choice(HOSTILE[2:4], 300)
    text = (OneHotEncoder(sparse_output=False), make_column_selector())
    forest = make_pipeline(
        make_column_transformer(text), RandomForestClassifier(9, max_depth=5, random_state=0)
    ).fit(X, y)
    privileged = {HOSTILE[0]: HOSTILE[1], HOSTILE[5]: HOSTILE[4]}
    perturbed = forest.predict(perturb(X, privileged, random_state=0))
    given = Predictions(forest.predict(X), dict.fromkeys([*privileged, "all"], perturbed))
    models = dict.fromkeys(HOSTILE[:2], forest) | dict.fromkeys(HOSTILE[2:], given)
    options = {"favorable": HOSTILE[2], "individuals": 3, "ensembles": True, "n_boot": 20}
    path = tmp_path_factory.mktemp("hostile") / "report.html"
    comparison = compare(models, X, y, privileged, random_state=0, **options)
    comparison.to_html(path, title=HOSTILE[0], facts={HOSTILE[1]: HOSTILE[2]})
    return path


@pytest.fixture
def visit(page):
    """Open a report; nothing may go wrong on it, and nothing may leave it."""
    complaints, requests = [], []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))

    def opened(path, width=1400):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(path.as_uri())
        return page

    yield opened
    assert complaints == []
    assert len(requests) == 1
    assert requests[0].startswith("file:")


def tables(page):
    return {table["caption"]: table["rows"] for table in page.evaluate(TABLES)}


def scrolls_sideways(page):
    return page.evaluate("document.documentElement.scrollWidth > innerWidth")


def column(page, table, title):
    """The numbers of a column, from above."""
    header, *rows = next(rows for name, rows in tables(page).items() if name.startswith(table))
    place = [cell["text"].strip(" ↕↑↓\xa0") for cell in header].index(title)
    return [float(row[place]["value"]) for row in rows]


def test_the_report_shows_the_numbers_of_the_json(visit, audit):
    path, content = audit
    values = {(v["measure"], v["attribute"]): v for v in content["values"]}
    header, *rows = tables(visit(path))["Signed gaps: marginalised minus privileged"]
    assert [cell["text"] for cell in header[1:]] == ["sex", "age", "all together"]
    measures = [name for name in FAIRNESS_MEASURES if values[name, "all"]["signed"] is not None]
    for measure, (_, *cells) in zip(measures, rows, strict=True):
        for attribute, cell in zip(["sex", "age", "all"], cells, strict=True):
            signed = values[measure, attribute]["signed"]
            assert float(cell["value"]) == signed
            assert cell["text"] == f"{100 * signed:+.1f} pp".replace("-", "−")


def test_the_headline_is_in_plain_words(visit, audit):
    path, content = audit
    value = next(v for v in content["values"] if v["attribute"] == "all")
    sentence = visit(path).locator(".headline .sentence").inner_text()
    assert sentence.replace("\xa0%", "%") == (
        f"{value['value']:.1%} of people would get a different decision if only their sex and age "
        f"were different; 95% interval {value['low']:.1%} to {value['high']:.1%}."
    )


@pytest.mark.parametrize("width", WIDTHS)
def test_the_report_does_not_scroll_sideways(visit, audit, width):
    assert not scrolls_sideways(visit(audit[0], width))


@pytest.mark.parametrize("width", WIDTHS)
def test_hostile_names_do_not_make_the_report_scroll_sideways(visit, hostile, width):
    assert not scrolls_sideways(visit(hostile, width))


def test_a_click_sorts_the_groups_of_each_attribute_and_another_turns_them_around(visit, audit):
    page = visit(audit[0])
    box = page.get_by_role("region", name="Discriminative risk by group")
    sizes = [2, 2, 4]  # of sex, of age, of both
    for order, reverse in (("ascending", False), ("descending", True)):
        box.get_by_role("button", name="Rows").click()
        found = iter(column(page, "Discriminative risk by group", "Rows"))
        for size in sizes:
            part = [next(found) for _ in range(size)]
            assert part == sorted(part, reverse=reverse)
        header = box.get_by_role("columnheader", name="Rows")
        assert header.get_attribute("aria-sort") == order
    box.get_by_role("button", name="Group").click()
    assert header.get_attribute("aria-sort") is None


def test_the_keyboard_sorts_a_table(visit, audit):
    page = visit(audit[0])
    page.get_by_role("region", name="Bounds on the discriminative risk").focus()
    for _ in range(2):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Full vote"
    for key, sign in (("Enter", 1), ("Space", -1)):
        page.keyboard.press(key)
        values = [row[1]["value"] for row in tables(page)[BOUNDS][1:]]
        known = [float(value) for value in values if value]
        assert known == sorted(known, key=lambda value: sign * value)
        assert values[len(known) :] == [""] * (len(values) - len(known))


BOUNDS = "Bounds on the discriminative risk of the vote"


LOOKS = [("light", "screen"), ("dark", "screen"), ("light", "print")]


@pytest.mark.parametrize(("scheme", "media"), LOOKS)
def test_text_stands_out_from_what_is_behind_it(visit, page, audit, scheme, media):
    page.emulate_media(color_scheme=scheme, media=media)
    assert visit(audit[0]).evaluate(FAINTEST_TEXT) >= 4.5


@pytest.mark.parametrize(("scheme", "media"), LOOKS)
def test_drawings_stand_out_from_what_is_behind_them(visit, page, audit, scheme, media):
    page.emulate_media(color_scheme=scheme, media=media)
    found = visit(audit[0]).evaluate(FAINTEST_MARKS, MARKS)
    drawn = {mark: contrast for mark, contrast in found.items() if contrast is not None}
    assert {".whisker", ".point", ".tick", ".zero", ".loses", ".gains", ".node"} <= drawn.keys()
    assert min(drawn.values()) >= 4.5, drawn


def test_losses_and_gains_are_apart_without_colours(visit, audit):
    page = visit(audit[0])
    sides = page.evaluate("""[...document.querySelectorAll(".bar")]
        .filter((bar) => bar.querySelector(".loses"))
        .map((bar) => [".loses", ".zero", ".gains"].map((name) => bar.querySelector(name)))
        .map(([loses, zero, gains]) => [
            Number(loses.getAttribute("x")) + Number(loses.getAttribute("width")),
            parseFloat(zero.getAttribute("d").slice(1)),
            Number(gains.getAttribute("x")),
        ])""")
    assert sides
    assert all(loses <= zero <= gains for loses, zero, gains in sides)


def test_a_dark_screen_gets_a_dark_page_and_paper_a_white_one(visit, page, audit):
    background = "getComputedStyle(document.body).backgroundColor"
    page.emulate_media(color_scheme="dark")
    assert visit(audit[0]).evaluate(background) == "rgb(20, 23, 28)"
    page.emulate_media(color_scheme="dark", media="print")
    assert page.evaluate(background) == "rgb(255, 255, 255)"


def test_everything_fits_on_paper(visit, page, audit):
    page.emulate_media(media="print")
    visit(audit[0], width=718)  # A4 between margins of one centimetre
    assert not scrolls_sideways(page)


def test_printed_pages_have_numbers_and_repeat_the_headers_of_tables(visit, page, audit):
    pypdf = pytest.importorskip("pypdf", reason="pypdf is not installed")
    pdf = visit(audit[0]).pdf(prefer_css_page_size=True)
    pages = [one.extract_text() for one in pypdf.PdfReader(io.BytesIO(pdf)).pages]
    for number, text in enumerate(pages, start=1):
        assert f"{number} / {len(pages)}" in text
    assert sum("Base rate" in " ".join(text.split()) for text in pages) > 1


def test_a_phone_shows_every_column(visit, audit):
    page = visit(audit[0], width=390)
    hidden = page.evaluate("""[...document.querySelectorAll("td")].filter((cell) => {
        const box = cell.getBoundingClientRect();
        const title = getComputedStyle(cell, "::before").content;
        return box.width === 0 || box.right > innerWidth + 1 || title === '""';
    }).length""")
    assert hidden == 0


def test_hostile_names_are_shown_and_nothing_executes(visit, hostile):
    page = visit(hostile)
    assert page.title() == page.locator("h1").inner_text() == HOSTILE[0]
    assert page.evaluate("window.hacked") is None
    assert page.locator("img, b").count() == 0
    cells = {cell["text"] for rows in tables(page).values() for row in rows for cell in row}
    assert {" ".join(name.split()) for name in HOSTILE} <= {" ".join(c.split()) for c in cells}


def test_the_table_of_groups_fits_a_small_window(visit, tmp_path):
    rng = np.random.default_rng(0)
    people = pd.DataFrame(
        {
            "sex": rng.choice(["male", "female", None], 300, p=[0.6, 0.35, 0.05]),
            "age": rng.choice(["adult", "youth", None], 300, p=[0.6, 0.35, 0.05]),
            "pay": rng.random(300),
        }
    )
    attributes = learn_attributes(people, {"sex": "male", "age": "adult"}, missing="keep")

    def hires(X):
        return (X["pay"] + (X["sex"] == "male") / 4 > 0.5).astype(int)

    path = tmp_path / "report.html"
    compare({"m": hires}, people, rng.integers(0, 2, 300), attributes, n_boot=20).to_html(path)
    overflows = """[...document.querySelectorAll("#rates .scroll")].map(
        (box) => box.scrollWidth > box.clientWidth)"""
    assert visit(path, width=1100).evaluate(overflows) == [False]
