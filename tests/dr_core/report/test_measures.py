"""A new measure is in the table of its kind, without an entry in the report."""

from itertools import chain

import pytest

from dr_core import compare
from dr_core.metrics import FAIRNESS_MEASURES, MEASURES, PERFORMANCE_MEASURES, recall, specificity

PRIVILEGED = {"sex": 1, "race": 1}
TABLES = {
    "fairness": "Fairness measures without a sign",
    "performance": "Performance over all rows",
}
KINDS = {"fairness": FAIRNESS_MEASURES, "performance": PERFORMANCE_MEASURES}


def mean_of_rates(view):
    """Mean of recall and specificity."""
    return (recall(view) + specificity(view)) / 2


@pytest.fixture
def add_measure(monkeypatch):
    """Add `mean_of_rates` as a measure of a kind."""
    added = []

    def add(kind):
        monkeypatch.setitem(MEASURES, "mean_of_rates", mean_of_rates)
        KINDS[kind].append("mean_of_rates")
        added.append(KINDS[kind])

    yield add
    for names in added:
        names.remove("mean_of_rates")


def test_all_measures_are_fairness_measures_then_performance_measures():
    assert list(MEASURES) == FAIRNESS_MEASURES + PERFORMANCE_MEASURES


@pytest.mark.parametrize(
    ("kind", "other"), [("fairness", "performance"), ("performance", "fairness")]
)
def test_a_new_measure_is_in_the_table_of_its_kind(
    kind, other, add_measure, people, labels, models, read
):
    add_measure(kind)
    comparison = compare({"rule": models["rule"]}, people, labels, PRIVILEGED)
    page = read(comparison.to_html())
    cells = {name: [*chain(*page.table(caption))] for name, caption in TABLES.items()}
    shown = next(cell for cell in cells[kind] if cell["text"] == "Mean of rates")
    assert shown["note"] == "Mean of recall and specificity"
    values = comparison.table()["mean_of_rates"].tolist()
    assert values[-1] in [float(cell["value"]) for cell in cells[kind] if cell["value"]]
    assert "Mean of rates" not in [cell["text"] for cell in cells[other]]
