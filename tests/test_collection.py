"""How pytest collects this project."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
COLLECT = """
import sys, pytest
code = pytest.main(["-q", "-n", "0", "--collect-only", "dr_core/perturbation/_plan.py"])
package = sys.modules["dr_core.perturbation"]
same = sys.modules["dr_core.perturbation._plan"].PerturbationPlan is package.PerturbationPlan
sys.exit(code or not same)
"""


def test_a_module_that_is_collected_first_is_executed_once():
    assert subprocess.run([sys.executable, "-c", COLLECT], cwd=ROOT, check=False).returncode == 0
