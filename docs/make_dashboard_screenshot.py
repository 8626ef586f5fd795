"""Take the picture of the dashboard, of a real run: `python docs/make_dashboard_screenshot.py`."""

import re
import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from dr_core import datasets
from fairlearn_dr.dashboard import show_dashboard

IMAGES = Path(__file__).parent / "images"
RISK = "Discriminative risk"


def screenshot(name, path):
    """The report on a forest, trained on one half of a data set and judged on the other."""
    bunch = datasets.load(name)
    X = datasets.binarize(bunch).iloc[:, :-1]
    X, X_test, y, y_test = train_test_split(X, bunch.target, test_size=0.5, random_state=0)
    models = {
        "random forest": RandomForestClassifier(50, random_state=0).fit(X, y),
        "tree": DecisionTreeClassifier(random_state=0).fit(X, y),
    }
    with (
        show_dashboard(
            models,
            X_test,
            y_test,
            sensitive_features=bunch.data.loc[X_test.index, list(bunch.privileged)],
            privileged=dict.fromkeys(bunch.privileged, 1),
        ) as dashboard,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1500, "height": 1000})
        _through_the_wizard(page, dashboard.url)
        page.screenshot(path=path, clip={"x": 60, "y": 50, "width": 1130, "height": 890})
        browser.close()


def _through_the_wizard(page, url):
    page.route(re.compile("^https:"), lambda route: route.abort())  # fonts of its makers
    page.goto(url)
    page.get_by_text("sex", exact=True).click()
    page.get_by_role("button", name="Next").click()
    page.get_by_text(RISK, exact=True).click()
    page.get_by_role("button", name="Next").click()
    page.locator(".ms-GroupHeader", has_text=RISK).get_by_role("button").click()
    page.get_by_text(f"{RISK} difference", exact=True).click()
    page.get_by_role("button", name="Next").click()
    page.locator(".scatterlayer .point").first.click(force=True)
    page.locator(".yaxislayer-above .ytick").first.wait_for()
    # The icons are letters of a font that stays away too; they would be empty boxes.
    page.add_style_tag(content="i[data-icon-name] { visibility: hidden }")
    page.mouse.move(0, 0)
    page.wait_for_timeout(500)  # the tooltip of the chart that was clicked fades


if __name__ == "__main__":
    screenshot("income", IMAGES / "dashboard.png")
