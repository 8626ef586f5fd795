"""Each package without the others' libraries: it works, or one line names what to install."""

import subprocess
import sys

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


def last_line(python, script):
    done = run(python, script)
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stderr.splitlines()[-1]


def test_the_environment_really_lacks_the_other_libraries(python):
    names = sorted(HEAVY - {"rich", "skops"})
    script = f"from importlib.util import find_spec; print([n for n in {names} if find_spec(n)])"
    assert run(python, script).stdout == "[]\n"


def test_the_core_works_alone(python):
    done = run(python, "from dr_core.cli import main; raise SystemExit(main(['ricci']))")
    assert (done.returncode, done.stderr) == (0, "")
    assert "discriminative risk" in done.stdout


@pytest.mark.parametrize("package", ["dr_core", "dr_adapters"])
def test_packages_without_a_library_of_their_own_are_imported(python, package):
    assert run(python, f"import {package}").returncode == 0


ERRORS = {
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


@pytest.mark.parametrize("script", ERRORS)
def test_one_line_names_what_is_lacking(python, script):
    assert last_line(python, script) == f"ImportError: {ERRORS[script]}"


def test_plots_without_matplotlib_name_their_extra(python_with_fairlearn):
    script = (
        "from dr_core import Votes, poaf; from fairlearn_dr import plot_pareto_front\n"
        "plot_pareto_front(poaf(Votes([[0], [1]], [[0], [1]], [0]), 1))"
    )
    assert last_line(python_with_fairlearn, script) == (
        "ImportError: plots need matplotlib: pip install 'discriminative-risk[plots]'"
    )


def test_the_dashboard_without_raiwidgets_names_its_extra(python_with_fairlearn):
    script = (
        "import pandas as pd; from fairlearn_dr import show_dashboard\n"
        "X = pd.DataFrame({'s': [0, 1]})\n"
        "show_dashboard({'m': lambda X: X['s']}, X, [0, 1], privileged={'s': 1})"
    )
    assert last_line(python_with_fairlearn, script).startswith(
        "ImportError: the dashboard needs raiwidgets: pip install 'discriminative-risk[dashboard]'"
    )


def test_importing_the_core_imports_nothing_that_is_needed_only_sometimes():
    # Besides what scikit-learn and pandas import themselves.
    script = (
        "import sys, pandas, sklearn.ensemble; before = set(sys.modules); import dr_core\n"
        f"print(sorted({HEAVY} & (set(sys.modules) - before)))"
    )
    assert run(sys.executable, script).stdout == "[]\n"
