"""What `import dr_core` costs, against `import sklearn`; run as a module.

python -m benchmarks.speed.imports
"""

from __future__ import annotations

import resource
import subprocess
import sys

from benchmarks.speed.measure import print_table

REPEATS = 7
MOST = 1.5
"""How many times the processor time of `import sklearn` is allowed."""


def main() -> None:
    ours, sklearn = (processor_seconds(f"import {name}") for name in ("dr_core", "sklearn"))
    print_table(
        "Processor time of an import, Python's start included",
        ["import", "seconds", "ratio", "at most"],
        [("sklearn", sklearn, 1.0, ""), ("dr_core", ours, ours / sklearn, MOST)],
    )


def processor_seconds(script: str) -> float:
    """Processor time of the fastest of several fresh processes."""
    return min(_once(script) for _ in range(REPEATS))


def _once(script: str) -> float:
    before = _of_children()
    subprocess.run([sys.executable, "-c", script], check=True)
    return _of_children() - before


def _of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
