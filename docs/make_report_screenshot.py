"""Photograph the report of a real run: `python docs/make_report_screenshot.py`.

It needs Playwright and Chromium.
"""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

from dr_core.cli import main

IMAGE = Path(__file__).parent / "images" / "report.png"
OPTIONS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
SIZE = {"width": 1200, "height": 1480}


def photograph(path):
    """The first screenful of a page."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=OPTIONS
        )
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        page.goto(path.as_uri())
        page.screenshot(path=IMAGE)
        browser.close()


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        report = Path(folder) / "income.html"
        main(["income", "--html", str(report)])
        photograph(report)
