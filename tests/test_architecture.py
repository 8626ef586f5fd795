"""Every room has one door, imports go one way as the site draws it, and none does work."""

import ast
import importlib
import re
import sys
from functools import cache
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest

from dr_core import assess_risk, compare

ROOT = Path(__file__).parents[1]
TOP = {"__init__.py", "plugins.py", "bounds.py", "marginalization.py", "py.typed"} | {
    *("_tables", "_utils", "cli", "comparison", "datasets", "ensembles", "metrics"),
    *("perturbation", "pruning", "report", "risk"),
}
PACKAGES = {"dr_core": "dr_core", "fairlearn_dr": "fairlearn_dr", "aif360_dr": "aif360_dr"}
PACKAGES |= {"dr_adapters": "adapters", "dr_integrations": "dr_integrations"}
HOSTS = {"fairlearn_dr", "aif360_dr", "dr_adapters", "dr_integrations"}
FORBIDDEN = {
    "dr_core": {"fairlearn", "aif360", "mlflow", "pytest", *HOSTS},
    "fairlearn_dr": {"aif360", *HOSTS} - {"fairlearn_dr"},
    "aif360_dr": {"fairlearn", *HOSTS} - {"aif360_dr"},
    "dr_adapters": {"dr_integrations"},
    "dr_integrations": {"fairlearn", "aif360", *HOSTS} - {"dr_integrations"},
}
FOR_HOSTS = {"dr_core", "dr_core.plugins", "dr_core.metrics", "dr_core.bounds"}
FOR_HOSTS |= {"dr_core.datasets", "dr_core.pruning.baselines"}
NAMESPACES = {"aif360_dr/sklearn.py"}
"""Public modules beside the door of their package: `aif360_dr.sklearn` is for `aif360.sklearn`."""
MAX_ENTERED = {"assess_risk": 10, "compare": 14, "assess_risk on a Dask frame": 13}
"""Number of files of the core that a reader of a simple call has to open."""
UPWARDS = {("dr_core/comparison/_comparison.py", "dr_core.report")}
"""The one import upwards, inside a function: `Comparison.to_html` writes the report."""
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


def imports_of(nodes, package):
    """Modules that import statements among these nodes import from, and imported names."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            inner = ".".join(filter(None, [package, node.module])) if node.level else node.module
            yield from ((inner, alias.name) for alias in node.names)


def module_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join("dr_adapters" if part == "adapters" else part for part in parts)


@cache
def syntax(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imported(path, *, anywhere=True):
    """What a file imports: with `anywhere`, also inside functions."""
    nodes = ast.walk(syntax(path)) if anywhere else syntax(path).body
    return set(imports_of(nodes, module_of(path).rpartition(".")[0]))


def files(*folders):
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def room_of(module):
    """The room a private module is in: all up to the first underscore behind a dot."""
    parts = module.split(".")
    private = (i for i, part in enumerate(parts) if i > 1 and part.startswith("_"))
    return ".".join(parts[: next(private, len(parts))])


GIVEN_ON = {
    name: module
    for module, name in imported(ROOT / "dr_core" / "__init__.py")
    if module.startswith("dr_core.")
}


@cache
def box_imports(box):
    """Modules that the files of a box import when they are imported themselves."""
    folders = BOXES[box].get("data-modules").replace(".", "/").split()
    paths = files(*folders) or [ROOT / f"{folder}.py" for folder in folders]
    pairs = (pair for path in paths for pair in imported(path, anywhere=False))
    return {
        GIVEN_ON.get(name, f"dr_core.{name}") if module == "dr_core" else module
        for module, name in pairs
    }


def imports(lower, upper):
    """Whether a file in one box of the picture imports one in another."""
    modules = BOXES[upper].get("data-modules").split()
    return any(
        found == one or found.startswith(f"{one}.")
        for found in box_imports(lower)
        for one in modules
    )


def height(box):
    return float(BOXES[box].find("svg:rect", SVG).get("y"))


def test_at_the_top_of_the_core_stand_its_rooms_and_nothing_else():
    found = {path.name for path in (ROOT / "dr_core").iterdir()} - {"__pycache__"}
    assert found == TOP


@pytest.mark.parametrize("package", PACKAGES)
def test_modules_inside_a_room_are_private(package):
    doors = {"__init__.py", "plugins.py", "bounds.py", "marginalization.py", "examples.py"}
    for path in files(PACKAGES[package]):
        is_namespace = str(path.relative_to(ROOT)) in NAMESPACES
        assert path.name.startswith("_") or path.name in doors or is_namespace, path


@pytest.mark.parametrize("package", PACKAGES)
def test_arrows_between_packages_point_one_way(package):
    for path in files(PACKAGES[package]):
        assert not FORBIDDEN[package] & {module.split(".")[0] for module, _ in imported(path)}, (
            path
        )


@pytest.mark.parametrize("package", PACKAGES)
def test_nobody_reaches_through_a_wall(package):
    for path in files(PACKAGES[package], "benchmarks", "docs"):
        for module, name in imported(path):
            whole = f"{module}.{name}" if name and name.startswith("_") else module
            if whole.split(".")[0] == package and room_of(whole) != whole:
                assert module_of(path).startswith(f"{room_of(whole)}."), f"{path}: {whole}"


def test_only_the_tests_of_a_room_import_its_private_modules():
    for path in files("tests"):
        for module, _ in imported(path):
            if module.split(".")[0] in PACKAGES and room_of(module) != module:
                folder = room_of(module).replace("dr_adapters", "adapters").replace(".", "/")
                assert path.is_relative_to(ROOT / "tests" / folder), f"{path}: {module}"


def test_no_two_classes_share_a_name():
    found = [
        node.name
        for path in files(*PACKAGES.values())
        for node in syntax(path).body
        if isinstance(node, ast.ClassDef)
    ]
    assert len(set(found)) == len(found)


def test_no_two_constants_share_a_name():
    found = [
        name.id
        for path in files(*PACKAGES.values())
        for node in syntax(path).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        for name in ast.walk(target)
        if isinstance(name, ast.Name) and name.id.isupper()
    ]
    assert sorted(name for name in set(found) if found.count(name) > 1) == []


def nesting(node):
    """Levels of if, for, while, with and try inside a function, not those of inner functions."""
    inner = (
        nesting(child) + isinstance(child, ast.If | ast.For | ast.While | ast.With | ast.Try)
        for child in ast.iter_child_nodes(node)
        if not isinstance(child, ast.FunctionDef | ast.Lambda | ast.ClassDef)
    )
    return max(inner, default=0)


def test_functions_are_short_and_flat():
    functions = [
        node
        for path in files(*PACKAGES.values())
        for node in ast.walk(syntax(path))
        if isinstance(node, ast.FunctionDef)
    ]
    assert max(map(nesting, functions)) <= 3
    bodies = [one.body[1:] if ast.get_docstring(one) else one.body for one in functions]
    lines = sorted(body[-1].end_lineno - body[0].lineno + 1 if body else 0 for body in bodies)
    assert lines[len(lines) // 2] <= 5
    assert lines[len(lines) * 9 // 10] <= 14


@pytest.mark.parametrize("package", sorted(HOSTS))
def test_host_packages_use_the_public_names_and_the_plugins_of_the_core(package):
    for path in files(PACKAGES[package]):
        core = {module for module, _ in imported(path) if module.split(".")[0] == "dr_core"}
        assert core <= FOR_HOSTS, path


def test_every_room_is_a_box_of_the_picture():
    rooms = {name for name in TOP if "." not in name} | {"bounds", "marginalization", "plugins"}
    drawn = {module for box in BOXES.values() for module in box.get("data-modules").split()}
    assert drawn == {f"dr_core.{room}" for room in rooms} | {"fairlearn_dr", "aif360_dr"}


@pytest.mark.parametrize(("upper", "lower"), ARROWS)
def test_an_arrow_of_the_picture_is_an_import_of_the_code(upper, lower):
    assert imports(lower, upper)


@pytest.mark.parametrize(
    ("one", "other"),
    [pair for pair in product(BOXES, BOXES) if height(pair[0]) <= height(pair[1])],
)
def test_no_box_of_the_picture_imports_one_beside_or_below_it(one, other):
    assert one == other or not imports(one, other)


def test_imports_inside_functions_point_the_same_way():
    order = {box.get("data-modules"): height(name) for name, box in BOXES.items()}
    upwards = set()
    for path in files("dr_core"):
        own = ".".join(module_of(path).split(".")[:2])
        for module, _ in imported(path):
            other = ".".join(module.split(".")[:2])
            if own in order and other in order and own != other and order[own] <= order[other]:
                upwards.add((str(path.relative_to(ROOT)), other))
    assert upwards == UPWARDS


def test_the_table_of_the_page_says_which_of_our_packages_each_imports():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    said = re.findall(r"^\| `(\w+)` \|[^|]*\|([^|]*)\|", page, re.MULTILINE)
    ours = {package for package, _ in said} & set(PACKAGES)
    assert ours == set(PACKAGES)
    for package, importing in said:
        if package in ours:
            paths = files(PACKAGES[package])
            found = {m.split(".")[0] for path in paths for m, _ in imported(path)}
            assert found & ours - {package} == set(re.findall(r"\w+", importing)), package


@pytest.mark.parametrize(
    ("package", "library", "extra"),
    [("fairlearn_dr", "fairlearn", "fairlearn"), ("aif360_dr", "aif360", "aif360")],
)
def test_a_plugin_without_its_library_names_its_extra(package, library, extra, monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] in (package, library)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=rf"pip install 'discriminative-risk\[{extra}\]'$"):
        importlib.import_module(package)


def call_on_toy_data(verb):
    X = pd.DataFrame({"sex": ["m", "f", "f", "m"] * 10, "age": range(20, 60)})
    if verb == "compare":
        return compare({"rule": hire}, X, X["age"] > 40, {"sex": "m"})
    if verb == "assess_risk":
        return assess_risk(hire, X, {"sex": "m"})
    dask, frames = pytest.importorskip("dask"), pytest.importorskip("dask.dataframe")
    with dask.config.set(scheduler="synchronous"):  # other threads are not profiled
        return assess_risk(hire, frames.from_pandas(X, npartitions=2), {"sex": "m"})


def hire(X):
    return X["age"] > X["sex"].map({"m": 30, "f": 40}).astype(int)


def find_entered(call, *args):
    """Files of the core with a function that a call enters; importing a file does not count."""
    codes, before = set(), sys.getprofile()
    sys.setprofile(lambda frame, event, arg: codes.add(frame.f_code))
    try:
        call(*args)
    finally:
        sys.setprofile(before)
    paths = {Path(code.co_filename) for code in codes if code.co_name != "<module>"}
    core = ROOT / "dr_core"
    return sorted(str(path.relative_to(core)) for path in paths if path.is_relative_to(core))


@pytest.mark.parametrize("verb", MAX_ENTERED)
def test_a_reader_follows_a_verb_through_few_files(verb):
    entered = find_entered(call_on_toy_data, verb)
    listed = ", ".join(entered)
    assert 5 < len(entered) <= MAX_ENTERED[verb], f"{verb} enters {len(entered)} files: {listed}"
