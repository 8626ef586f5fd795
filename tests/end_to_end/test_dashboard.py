"""The dashboard in a real browser, from the first page of its wizard to the report."""

import re
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from dr_core import assess_risk, datasets

if find_spec("fairlearn") is None or find_spec("raiwidgets") is None:
    pytest.skip("fairlearn or raiwidgets is not installed", allow_module_level=True)

from fairlearn_dr.dashboard import RiskFairnessDashboard, show_dashboard

RISK = "Discriminative risk"
MODELS = ["shallow tree", "deep tree"]
FEATURES = ["sex", "age"]

HOSTILE = [
    "</script><script>window.hacked = 1</script>",
    '<img src=x onerror="window.hacked = 1"> <b>bold</b> &amp; 50%',
    "\"double\" 'single' `${window.hacked = 1}` \\ \\n {0} accuracy_score:{",
    '😀 ünïcode \u2028 __rai_app_id__ "__rai_model_data__"',
    "x" * 200,
]


@pytest.fixture(scope="module")
def credit():
    bunch = datasets.load("credit")
    X = datasets.binarize(bunch).iloc[:, :-1]
    return X, np.asarray(bunch.target), bunch.data[FEATURES], dict.fromkeys(bunch.privileged, 1)


@pytest.fixture(scope="module")
def models(credit):
    X, y, *_ = credit
    return {
        name: DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
        for name, depth in zip(MODELS, (6, 9), strict=True)
    }


@pytest.fixture(scope="module")
def dashboard(credit, models):
    X, y, features, privileged = credit
    shown = show_dashboard(models, X, y, sensitive_features=features, privileged=privileged)
    with shown as dashboard:
        yield dashboard


@pytest.fixture
def wizard(page):
    """The dashboard's pages, offline; no error may occur on them."""
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.route(re.compile("^https:"), lambda route: route.abort())  # fonts of its makers
    yield page
    assert errors == []


def go_on(page):
    page.get_by_role("button", name="Next").click()


def choose(page, text):
    page.get_by_text(text, exact=True).first.click()


def choose_risk(page):
    """Choose discriminative risk on the pages of the wizard, up to the one that compares."""
    go_on(page)
    choose(page, RISK)
    go_on(page)
    page.locator(".ms-GroupHeader", has_text=RISK).get_by_role("button").click()
    choose(page, f"{RISK} difference")
    go_on(page)
    page.get_by_text("Model comparison assessment").wait_for()


def open_report(page, position):
    page.locator(".scatterlayer .point").nth(position).click(force=True)
    page.get_by_text("Assessment results for").wait_for()
    page.locator(".yaxislayer-above .ytick").first.wait_for()


def report_table(page):
    """Numbers of the report's table: rows by group, columns by metric."""
    lines = [cell.splitlines() for cell in page.locator("[role=row]").all_inner_texts()]
    columns, *rows = [[text.strip() for text in line if text.strip()] for line in lines]
    return columns, {group: [shown(number) for number in numbers] for group, *numbers in rows}


def shown(text):
    return float(text.rstrip("%")) / 100


def expected(model, X, y, privileged, rows):
    """DR by `dr_core`, of these rows alone; the rates by their definitions."""
    prediction = model.predict(X[rows])
    return [
        assess_risk(model, X, privileged).individual[rows].mean(),
        prediction.mean(),
        prediction[y[rows] == 0].mean(),
        1 - prediction[y[rows] == 1].mean(),
    ]


def to_shown_precision(number):
    """Three digits of the percentage, and their last may be rounded either way."""
    return pytest.approx(number, rel=0.005, abs=1e-9)


def test_discriminative_risk_is_offered_as_a_performance_metric(wizard, dashboard):
    wizard.goto(dashboard.url)
    go_on(wizard)
    assert wizard.get_by_text("How do you want to measure performance?").is_visible()
    assert wizard.get_by_text(RISK, exact=True).is_visible()


def test_difference_ratio_and_maximum_are_offered_as_fairness_metrics(wizard, dashboard):
    wizard.goto(dashboard.url)
    go_on(wizard)
    go_on(wizard)
    wizard.locator(".ms-GroupHeader", has_text=RISK).get_by_role("button").click()
    for title in (f"{RISK} difference", f"{RISK} ratio", f"Maximum {RISK.lower()}"):
        wizard.get_by_text(title, exact=True).wait_for()


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("name", MODELS)
def test_every_number_of_the_report_is_dr_cores(wizard, dashboard, credit, models, feature, name):
    X, y, features, privileged = credit
    wizard.goto(dashboard.url)
    choose(wizard, feature)
    choose_risk(wizard)
    open_report(wizard, MODELS.index(name))
    assert wizard.get_by_text(f"Assessment results for {name}", exact=True).is_visible()

    columns, table = report_table(wizard)
    groups = sorted(features[feature].unique())
    rows = {"Overall": np.full(len(X), True)}
    rows |= {group: (features[feature] == group).to_numpy() for group in groups}
    numbers = {
        group: expected(models[name], X, y, privileged, members) for group, members in rows.items()
    }
    risks = [numbers[group][0] for group in groups]
    numbers["Overall"].insert(2, max(risks) - min(risks))
    assert columns == [
        RISK,
        "Selection rate",
        f"{RISK} difference",
        "False positive rate",
        "False negative rate",
    ]
    assert table == {
        group: [to_shown_precision(number) for number in of_group]
        for group, of_group in numbers.items()
    }


def test_the_page_that_compares_models_shows_their_risk(wizard, dashboard, credit, models):
    X, _, _, privileged = credit
    wizard.goto(dashboard.url)
    choose_risk(wizard)
    risks = [assess_risk(model, X, privileged).value for model in models.values()]
    text = wizard.get_by_text(re.compile(f"{RISK} ranges from")).first.inner_text()
    low, high = map(shown, re.findall(r"[\d.]+%", text.split(". ")[0]))
    assert [low, high] == [to_shown_precision(risk) for risk in sorted(risks)]


def test_groups_that_are_numbers_are_drawn_by_name(wizard, credit, models):
    X, y, _, privileged = credit
    with show_dashboard(models, X, y, privileged=privileged) as dashboard:
        wizard.goto(dashboard.url)
        choose_risk(wizard)
        open_report(wizard, 0)
        ticks = wizard.locator(".yaxislayer-above .ytick").all_text_contents()
    assert sorted(map(str.strip, ticks)) == ["sex = 0", "sex = 1"]


@pytest.fixture(scope="module")
def hostile_dashboard():
    rng, n = np.random.default_rng(0), 200
    features = {
        HOSTILE[0]: rng.choice(HOSTILE[1:4], n),
        HOSTILE[3]: rng.choice([HOSTILE[0], HOSTILE[4]], n),
    }
    predictions = {name: rng.integers(0, 2, n) for name in HOSTILE}
    with RiskFairnessDashboard(
        sensitive_features=features,
        y_true=rng.integers(0, 2, n),
        y_pred=pd.DataFrame(predictions),
        individual_risk={name: rng.random(n) for name in HOSTILE},
    ) as dashboard:
        yield dashboard


def as_read(text):
    """What a reader sees: no invisible joiners, and white space as one blank."""
    return " ".join(text.replace("\u2060", "").split())


def test_hostile_names_are_shown_as_text_and_nothing_runs(wizard, hostile_dashboard):
    wizard.goto(hostile_dashboard.url)
    wizard.get_by_text("Along which features").wait_for()
    first_page = as_read(wizard.inner_text("body"))
    assert [name for name in HOSTILE if as_read(name) not in first_page] == []

    choose_risk(wizard)
    groups = sorted(map(as_read, HOSTILE[1:4]))
    for position, name in enumerate(HOSTILE):
        open_report(wizard, position)
        report = as_read(wizard.inner_text("body"))
        assert f"Assessment results for {as_read(name)}" in report
        assert [group for group in groups if group not in report] == []
        bars = wizard.locator(".yaxislayer-above .ytick").all_text_contents()
        assert sorted(map(as_read, bars)) == groups
        wizard.get_by_text("Back to all models").click()
        wizard.get_by_text("Model comparison assessment").wait_for()
    assert wizard.evaluate("window.hacked") is None
