"""The checklist of the paper names what exists."""

from importlib import import_module
from pathlib import Path

import pytest

from benchmarks.paper.checklist import ITEMS, checklist_table
from benchmarks.paper.page import RESULTS

ROOT = Path(__file__).parents[2]

CODE = sorted({name for item in ITEMS for name in item.code})
EVIDENCE = sorted({name for item in ITEMS for name in item.evidence})


def find(name):
    """Import a dotted name: a module, or an attribute of one."""
    try:
        return import_module(name)
    except ModuleNotFoundError:
        parent, _, last = name.rpartition(".")
        return getattr(find(parent), last)


@pytest.mark.parametrize("name", CODE)
def test_every_counterpart_exists(name):
    assert (ROOT / name).is_file() if "/" in name else find(name) is not None


@pytest.mark.parametrize("name", EVIDENCE)
def test_every_test_and_every_file_of_results_exists(name):
    assert (ROOT / name if name.startswith("tests/") else RESULTS / name).exists()


@pytest.mark.parametrize(("kind", "last"), [("figure", 14), ("table", 8)])
def test_figures_and_tables_are_numbered_like_the_papers(kind, last):
    numbers = [int(item.name.split(":")[0]) for item in ITEMS if item.kind == kind]
    assert numbers == list(range(1, last + 1))


def test_all_eight_theorems_lemmas_and_corollaries_are_there():
    numbers = [item.name.split()[1].strip(",") for item in ITEMS if item.kind == "theorem"]
    assert numbers == [f"3.{i}" for i in range(1, 9)]


def test_all_three_algorithms_are_there():
    assert sum(item.kind == "algorithm" for item in ITEMS) == 3


def test_an_item_without_counterpart_says_why():
    assert all(item.note for item in ITEMS if not (item.code and item.evidence))


def test_a_missing_file_of_results_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"coverage\.csv"):
        checklist_table(tmp_path)
