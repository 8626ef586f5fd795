"""Distinct values that chunks keep from the pass that finds their types."""

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
