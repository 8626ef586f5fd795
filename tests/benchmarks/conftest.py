"""The benchmarks are not installed; they are imported from the root of the repository."""

import sys
from pathlib import Path

# Last, so that installed packages are not hidden by folders of the same name.
sys.path.append(str(Path(__file__).parents[2]))
