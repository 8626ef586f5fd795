"""A real virtual environment with this project, some of its dependencies, and nothing else.

Packages are not installed anew: the folders of those that are wanted are linked from the
environment that runs the tests, which takes no network and no time.
"""

from __future__ import annotations

import sys
import venv
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
OWN = {
    "dr_core": "dr_core",
    "fairlearn_dr": "fairlearn_dr",
    "aif360_dr": "aif360_dr",
    "dr_adapters": "adapters",
    "dr_integrations": "dr_integrations",
}


def make_environment(folder: Path, *extra: str) -> Path:
    """Make an environment of what is required, and of `extra` distributions; return its Python."""
    venv.create(folder, symlinks=True, with_pip=False)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = folder / "lib" / version / "site-packages"
    for name in closure(["discriminative-risk", *extra]) - {"discriminative-risk"}:
        _link(name, packages)
    for name, source in OWN.items():
        (packages / name).symlink_to(ROOT / source)
    return folder / "bin" / "python"


def closure(names: list[str]) -> set[str]:
    """Distributions that these require, whatever these require, and so on; no extras."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        for line in distribution(name).requires or ():
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                waiting.append(requirement.name)
    return found


def _link(name: str, packages: Path) -> None:
    try:
        files = distribution(name).files or ()
    except PackageNotFoundError:
        return
    tops = {file.parts[0] for file in files} - {"..", "__pycache__"}
    for top in tops:
        source, target = Path(str(distribution(name).locate_file(top))), packages / top
        if not target.exists():
            target.symlink_to(source)
