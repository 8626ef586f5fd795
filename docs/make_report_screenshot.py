"""Photograph the report of a real run: `python docs/make_report_screenshot.py`.

It needs Playwright and Chromium.
"""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

from dr_core.cli import main

IMAGES = Path(__file__).parent / "images"
OPTIONS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
DESKTOP, COLUMN, PHONE, PAPER = (
    {"width": width, "height": height}
    for width, height in ((1200, 1480), (800, 900), (390, 900), (760, 1075))
)
VIEWS = {
    "report": {"viewport": DESKTOP, "color_scheme": "light"},
    "report-dark": {"viewport": COLUMN, "color_scheme": "dark"},
    "report-phone": {"viewport": PHONE, "color_scheme": "light"},
    "report-print": {"viewport": PAPER, "color_scheme": "light"},
}
SECTIONS = {"report-gaps": "#gaps", "report-flow": "#attributes", "report-people": "#individuals"}


def photograph(path):
    """The top of a page on a desktop, light and dark, on a phone and in print; some sections."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=OPTIONS
        )
        for name, view in VIEWS.items():
            page = browser.new_page(**view, bypass_csp=True)
            page.goto(path.as_uri())
            if name == "report-print":
                page.emulate_media(media="print")
                page.add_style_tag(content="body { padding: 15mm 13mm }")  # margins of a page
            if name == "report-phone":  # the first cards, not the title
                page.locator("#groups").evaluate("element => element.scrollIntoView()")
            page.screenshot(path=IMAGES / f"{name}.png")
        page = browser.new_page(viewport=DESKTOP)
        page.goto(path.as_uri())
        for name, section in SECTIONS.items():
            page.locator(section).screenshot(path=IMAGES / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        report = Path(folder) / "income.html"
        main(["income", "--html", str(report), "--individuals", "3"])
        photograph(report)
