"""Packages import one way, as the site draws it, and none does work when it is imported."""

import ast
import re
import subprocess
import sys
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[1]
FORBIDDEN = {
    "dr_core": {"fairlearn", "aif360", "fairlearn_dr", "aif360_dr", "dr_adapters"},
    "fairlearn_dr": {"aif360", "aif360_dr", "dr_adapters"},
    "aif360_dr": {"fairlearn", "fairlearn_dr", "dr_adapters"},
    "adapters": set(),
}
PICTURE = ElementTree.parse(ROOT / "docs" / "images" / "architecture.svg")
SVG = {"svg": "http://www.w3.org/2000/svg"}
BOXES = {
    group.get("id").removeprefix("house-"): group
    for group in PICTURE.iterfind(".//svg:g[@data-modules]", SVG)
}
ARROWS = [
    (arrow.get("data-from"), arrow.get("data-to"))
    for arrow in PICTURE.iterfind(".//svg:path[@data-from]", SVG)
]


def modules(nodes):
    """Full names of what import statements among these nodes import."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def through_the_core(name):
    """Where a name that `dr_core` gives on comes from."""
    return GIVEN_ON.get(name, name)


def syntax(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(path):
    """Packages that a file imports, be it in a function."""
    return {name.split(".")[0] for name in modules(ast.walk(syntax(path)))}


GIVEN_ON = {
    f"dr_core.{name.rpartition('.')[2]}": name
    for name in modules(syntax(ROOT / "dr_core" / "__init__.py").body)
    if name.count(".") > 1
}


def files(module):
    path = ROOT.joinpath(*module.split("."))
    return sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]


def imported_by(box):
    """What the files of a box import when they are imported themselves."""
    paths = [path for module in BOXES[box].get("data-modules").split() for path in files(module)]
    return {through_the_core(name) for path in paths for name in modules(syntax(path).body)}


def imports(lower, upper):
    """Whether a file in one box of the picture imports one in another."""
    uppers = tuple(BOXES[upper].get("data-modules").split())
    return any(
        name == one or name.startswith(f"{one}.") for name in imported_by(lower) for one in uppers
    )


def height(box):
    return float(BOXES[box].find("svg:rect", SVG).get("y"))


@pytest.mark.parametrize("package", FORBIDDEN)
def test_arrows_between_packages_point_one_way(package):
    for path in (ROOT / package).rglob("*.py"):
        assert not FORBIDDEN[package] & imported(path), path


@pytest.mark.parametrize(("upper", "lower"), ARROWS)
def test_an_arrow_of_the_picture_is_an_import_of_the_code(upper, lower):
    assert imports(lower, upper)


@pytest.mark.parametrize(
    ("one", "other"),
    [pair for pair in product(BOXES, BOXES) if height(pair[0]) <= height(pair[1])],
)
def test_no_box_of_the_picture_imports_one_beside_or_below_it(one, other):
    assert one == other or not imports(one, other)


def test_the_table_of_the_page_says_which_of_our_packages_each_imports():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    said = re.findall(r"^\| `(\w+)` \|[^|]*\|([^|]*)\|", page, re.MULTILINE)
    ours = {package: "adapters" if package == "dr_adapters" else package for package, _ in said}
    for package, importing in said:
        paths = (ROOT / ours[package]).rglob("*.py")
        found = {name for path in paths for name in imported(path)} & set(ours) - {package}
        assert found == set(re.findall(r"\w+", importing)), package


@pytest.mark.parametrize(
    ("package", "library", "extra"),
    [("fairlearn_dr", "fairlearn", "fairlearn"), ("aif360_dr", "aif360", "aif360")],
)
def test_a_plugin_without_its_library_names_its_extra(package, library, extra):
    script = f"import sys; sys.modules[{library!r}] = None; import {package}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode != 0
    assert f"pip install 'discriminative-risk[{extra}]'" in done.stderr.splitlines()[-1]


def test_the_core_imports_no_other_fairness_library_and_draws_nothing():
    names = {"fairlearn", "aif360", "matplotlib", "dask"}
    script = f"import dr_core, sys; print(sorted({names} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
