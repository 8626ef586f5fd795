"""Distinct values that chunks keep from the pass that finds their types."""

import pytest

from dr_core import assess_risk, at_least, compare
from dr_core._tables import iter_chunks


def write(path, *rows):
    path.write_text("\n".join(["a,y", *rows]) + "\n")
    return iter_chunks(path, 2)


def test_values_that_a_chunk_reads_with_its_own_type_are_cast(tmp_path):
    chunks = write(tmp_path / "a.csv", "1,0", "2,1", "3.5,0", ",1")
    chunks.remember(["a"])
    assert [(n, c["a"].values.dropna().tolist()) for n, c in chunks.recall(["a"])] == [
        (2, [1.0, 2.0]),
        (2, [3.5]),
    ]


def test_text_that_a_chunk_read_as_numbers_is_read_again(tmp_path):
    chunks = write(tmp_path / "a.csv", "01,0", "02,1", "x,0", "y,1")
    chunks.remember(["a"])
    assert chunks.recall(["a"]) is None


def test_columns_that_were_not_kept_are_read_again(tmp_path):
    chunks = write(tmp_path / "a.csv", "x,0", "y,1")
    chunks.remember(["a"])
    assert chunks.recall(["a", "y"]) is None


ROWS = ["sex,age,y", *(f"{'MF'[i % 2]},{20 + i % 40},{i % 3 // 2}" for i in range(120))]
RULE = {"rule": lambda X: (X["age"] > 40).astype(int)}
OLD = {"sex": "M", "age": at_least(25)}
COUNTS = {"measures": ["discriminative_risk", "accuracy"], "n_boot": 0}


@pytest.mark.parametrize(
    ("call", "options"),
    [
        (lambda chunks: assess_risk(RULE["rule"], chunks, {"sex": "M"}), {}),
        (lambda chunks: assess_risk(RULE["rule"], chunks, OLD, y="y"), {}),
        (lambda chunks: compare(RULE, chunks, "y", OLD, **COUNTS), {}),
        (lambda chunks: compare(RULE, chunks, "y", OLD, **COUNTS), {"dtype": {"sex": "category"}}),
        (lambda chunks: compare(RULE, chunks, "y", OLD, **COUNTS), {"dtype": {"sex": str}}),
    ],
)
def test_an_audit_reads_a_csv_file_twice(tmp_path, monkeypatch, call, options):
    (tmp_path / "a.csv").write_text("\n".join(ROWS))
    chunks, ends = iter_chunks(tmp_path / "a.csv", 20, **options), []
    read = type(chunks)._read

    def count(self, *arguments):
        yield from read(self, *arguments)
        ends.append(1)  # the end of the file was reached

    monkeypatch.setattr(type(chunks), "_read", count)
    call(chunks)
    assert len(ends) == 2
