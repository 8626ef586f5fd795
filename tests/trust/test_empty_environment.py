"""Each package without the others' libraries: it works, or one line names what to install."""

import json
import subprocess

import pytest
from environments import make_environment

HEAVY = {"aif360", "dask", "fairlearn", "jinja2", "matplotlib", "polars", "rich", "skops"}


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """Python with what a plain `pip install discriminative-risk` gives."""
    return make_environment(tmp_path_factory.mktemp("environments") / "plain")


@pytest.fixture(scope="module")
def python_with_fairlearn(tmp_path_factory):
    return make_environment(tmp_path_factory.mktemp("environments") / "fairlearn", "fairlearn")


def run(python, script):
    return subprocess.run([str(python), "-c", script], capture_output=True, text=True)


# One process runs all scripts: a process for each would spend its time on the same imports.
RUN_ALL = """
import json, sys, traceback

def last_line(script):
    try:
        exec(script, {"__name__": "__main__"})
    except Exception as error:
        return traceback.format_exception_only(error)[-1].strip()

print(json.dumps([last_line(script) for script in json.loads(sys.argv[1])]))
"""


def last_lines(python, scripts):
    """The last line of the traceback of each script; None where a script does not fail."""
    command = [str(python), "-c", RUN_ALL, json.dumps(list(scripts))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(zip(scripts, json.loads(done.stdout), strict=True))


def test_the_environment_really_lacks_the_other_libraries(python):
    names = sorted(HEAVY - {"rich", "skops"})
    script = f"from importlib.util import find_spec; print([n for n in {names} if find_spec(n)])"
    assert run(python, script).stdout == "[]\n"


def test_the_core_works_alone(python):
    done = run(python, "from dr_core.cli import main; raise SystemExit(main(['ricci']))")
    assert (done.returncode, done.stderr) == (0, "")
    assert "discriminative risk" in done.stdout


ERRORS = {
    "import dr_core": None,
    "import dr_adapters": None,
    "import dr_integrations": None,
    "import fairlearn_dr": (
        "fairlearn_dr needs fairlearn: pip install 'discriminative-risk[fairlearn]'"
    ),
    "import aif360_dr": "aif360_dr needs AIF360: pip install 'discriminative-risk[aif360]'",
    "import numpy, dr_adapters as d\n"
    "d.to_aif360(numpy.array([[0, 1], [1, 1]]), [0, 1], privileged={0: 1})": (
        "dr_adapters needs AIF360 for this: pip install 'discriminative-risk[aif360]'"
    ),
    "import dr_adapters as d; d.groups(None)": (
        "dr_adapters needs AIF360 for this: pip install 'discriminative-risk[aif360]'"
    ),
    "import dr_adapters as d; d.as_transformer(None)": (
        "aif360_dr needs AIF360: pip install 'discriminative-risk[aif360]'"
    ),
    "import pandas as pd\nfrom dr_core import compare\n"
    "X = pd.DataFrame({'s': [0, 1]})\n"
    "compare({'m': lambda X: X['s']}, X, [0, 1], {'s': 1}, measures='accuracy').to_html()": (
        "the report needs Jinja2; run pip install 'discriminative-risk[report]'"
    ),
    "from pathlib import Path\nfrom dr_core._tables import read_table\n"
    "read_table(Path('a.parquet'))": (
        "Parquet and Feather files need pyarrow: run pip install pyarrow"
    ),
}


@pytest.fixture(scope="module")
def found(python):
    return last_lines(python, ERRORS)


@pytest.mark.parametrize("script", ERRORS)
def test_a_package_is_imported_or_one_line_names_what_is_lacking(found, script):
    assert found[script] == (ERRORS[script] and f"ImportError: {ERRORS[script]}")


ERRORS_OF_FAIRLEARN_DR = {
    "from dr_core import Votes, poaf; from fairlearn_dr import plot_pareto_front\n"
    "plot_pareto_front(poaf(Votes([[0], [1]], [[0], [1]], [0]), 1))": (
        "plots need matplotlib: pip install 'discriminative-risk[plots]'"
    ),
    "import pandas as pd; from fairlearn_dr import show_dashboard\n"
    "X = pd.DataFrame({'s': [0, 1]})\n"
    "show_dashboard({'m': lambda X: X['s']}, X, [0, 1], privileged={'s': 1})": (
        "the dashboard needs raiwidgets: pip install 'discriminative-risk[dashboard]'"
    ),
}


def test_plots_and_dashboard_name_their_extras(python_with_fairlearn):
    found = last_lines(python_with_fairlearn, ERRORS_OF_FAIRLEARN_DR)
    for script, message in ERRORS_OF_FAIRLEARN_DR.items():
        assert found[script].startswith(f"ImportError: {message}")
