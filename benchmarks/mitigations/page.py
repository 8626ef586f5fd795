"""`python -m benchmarks.mitigations.page` writes the tables of docs/lowering_measured.md anew."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from benchmarks.mitigations.judging import REPEATS
from benchmarks.mitigations.summary import changes_table, table_of
from benchmarks.paper.page import Tables, refreshed
from dr_core._utils import write_atomically

PAGE = Path(__file__).parents[2] / "docs" / "lowering_measured.md"
RESULTS = Path(__file__).parent / "results"

TABLES: Tables = {
    **{f"ways_{name}": partial(table_of, dataset=name) for name in REPEATS},
    "poaf_changes": changes_table,
}

if __name__ == "__main__":
    write_atomically(PAGE, refreshed(PAGE.read_text("utf-8"), RESULTS, TABLES))
