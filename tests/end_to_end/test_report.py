"""The HTML report in a real browser."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from dr_core import Predictions, compare, perturb
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
    rows: [...table.rows].map((row) => [...row.cells].map((cell) => ({
        text: (cell.firstChild?.textContent ?? "").trim(),
        value: cell.dataset.value,
    }))),
}))"""

FAINTEST = """() => {
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
    const hasText = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim();
    const contrasts = [...document.body.querySelectorAll("*")]
        .filter((element) => [...element.childNodes].some(hasText))
        .filter((element) => !["SCRIPT", "title", "desc"].includes(element.tagName))
        .map((element) => {
            const style = getComputedStyle(element);
            const ink = element instanceof SVGElement ? style.fill : style.color;
            const pair = [luminance(ink), luminance(behind(element))].sort((a, b) => b - a);
            return (pair[0] + 0.05) / (pair[1] + 0.05);
        });
    return Math.min(...contrasts);
}"""


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
    shown = tables(visit(path))
    header, *rows = next(shown[caption] for caption in shown if caption.startswith("Fairness"))
    attributes = [*[cell["text"] for cell in header[1:-1]], "all"]
    assert attributes == ["sex", "age", "all"]
    values = {(v["measure"], v["attribute"]): v for v in content["values"]}
    risk, *others = FAIRNESS_MEASURES
    measures = [risk, f"{risk}_plausible", *others]
    for measure, (_, *cells) in zip(measures, rows, strict=True):
        for attribute, cell in zip(attributes, cells, strict=True):
            value = values[measure, attribute]
            assert float(cell["value"]) == value["value"]
            has_sign = value["signed"] is not None
            assert cell["text"] == (
                f"{value['signed']:+.4f}" if has_sign else f"{value['value']:.4f}"
            )


def test_the_headline_is_in_plain_words(visit, audit):
    path, content = audit
    value = next(v for v in content["values"] if v["attribute"] == "all")
    assert visit(path).locator(".headline .sentence").inner_text() == (
        f"{value['value']:.1%} of people would get a different decision if only their sex and age "
        f"were different; 95% interval {value['low']:.1%} to {value['high']:.1%}."
    ).replace("%", " %")


@pytest.mark.parametrize("width", WIDTHS)
def test_the_report_does_not_scroll_sideways(visit, audit, width):
    assert not scrolls_sideways(visit(audit[0], width))


@pytest.mark.parametrize("width", WIDTHS)
def test_hostile_names_do_not_make_the_report_scroll_sideways(visit, hostile, width):
    assert not scrolls_sideways(visit(hostile, width))


def test_a_click_sorts_a_table_and_another_turns_it_around(visit, audit):
    page = visit(audit[0])
    box = page.get_by_role("region", name="By group, when all attributes together")
    for order, reverse in (("ascending", False), ("descending", True)):
        box.get_by_role("button", name="Rows").click()
        found = column(page, "By group, when all", "Rows")
        assert found == sorted(found, reverse=reverse)
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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(visit, page, audit, scheme):
    page.emulate_media(color_scheme=scheme)
    assert visit(audit[0]).evaluate(FAINTEST) >= 4.5


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


def test_hostile_names_are_shown_and_nothing_executes(visit, hostile):
    page = visit(hostile)
    assert page.title() == page.locator("h1").inner_text() == HOSTILE[0]
    assert page.evaluate("window.hacked") is None
    assert page.locator("img, b").count() == 0
    cells = {cell["text"] for rows in tables(page).values() for row in rows for cell in row}
    assert {" ".join(name.split()) for name in HOSTILE} <= {" ".join(c.split()) for c in cells}
