"""A real browser for the tests that need one."""

import shutil

import pytest

WITHOUT_NETWORK = ["--disable-background-networking", "--disable-component-update"]


@pytest.fixture(scope="session")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("Chromium is not installed")
    options = ["--no-sandbox", "--disable-gpu", "--no-first-run", *WITHOUT_NETWORK]
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=options)
        yield browser
        browser.close()


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    context.set_default_timeout(60_000)
    yield context.new_page()
    context.close()
