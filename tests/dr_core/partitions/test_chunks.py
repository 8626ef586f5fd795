import numpy as np
import pandas as pd
import pytest

from dr_core import assess_risk, compare, iter_chunks

PRIVILEGED = {"sex": "M", "race": "W"}


@pytest.fixture(scope="module")
def frame():
    """Columns about which chunks of 64 rows do not agree with the whole."""
    rng, n = np.random.default_rng(0), 500
    columns = {
        "sex": rng.choice(["M", "F"], n),
        "race": pd.Categorical(np.sort(rng.choice(["W", "B", "O"], n))),
        "score": rng.normal(size=n),
        "hired": rng.integers(0, 2, n),
        "children": [*range(n - 1), None],
        "vip": [*[True] * (n - 1), None],
        "house": [*map(str, range(n - 1)), "12a"],
        "note": [*[None] * (n - 1), "late"],
    }
    return pd.DataFrame(columns).astype({"children": "float64", "vip": object})


@pytest.fixture(scope="module", params=["people.parquet", "people.csv", "people.csv.gz"])
def path(request, frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("files") / request.param
    if path.suffix == ".parquet":
        pytest.importorskip("pyarrow")
        with_ints = frame.assign(children=frame["children"].astype("Int64"))
        with_ints.to_parquet(path, row_group_size=150, index=False)
    else:
        frame.to_csv(path, index=False)
    return path


def read(path):
    if path.suffix == ".parquet":
        return pd.read_parquet(path)
    return pd.read_csv(path, low_memory=False)


def rule(X):
    bonus = 0.4 * (X["sex"] == "M") + 0.3 * (X["race"] == "W")
    return np.where(X["score"] + bonus > 0.2, 1, 0)


def test_chunks_together_are_the_file_with_its_dtypes(path):
    chunks = list(iter_chunks(path, rows=64))
    whole = read(path)
    assert max(map(len, chunks)) == 64
    for chunk in chunks:
        assert chunk.dtypes.to_dict() == whole.dtypes.to_dict()
    together = pd.concat(chunks, ignore_index=True).astype(object)
    pd.testing.assert_frame_equal(together, whole.astype(object))


def test_chunks_can_be_gone_through_again(path):
    chunks = iter_chunks(path, rows=200)
    assert [len(chunk) for chunk in chunks] == [len(chunk) for chunk in chunks] != []


def test_some_columns_can_be_read_alone(path):
    for chunk in iter_chunks(path, rows=200).select(["score", "vip"]):
        assert list(chunk) == ["score", "vip"]


def test_an_audit_in_chunks_is_that_of_the_file(path):
    whole, chunks = read(path), iter_chunks(path, rows=37)
    assert chunks.columns == list(whole)
    risk = assess_risk(rule, chunks, PRIVILEGED, y="hired")
    assert risk.table().equals(assess_risk(rule, whole, PRIVILEGED, y="hired").table())
    options = {"n_boot": 20, "random_state": 0}
    mine = compare({"rule": rule}, chunks, "hired", PRIVILEGED, **options)
    its = compare({"rule": rule}, whole, "hired", PRIVILEGED, **options)
    pd.testing.assert_frame_equal(mine.values, its.values, check_exact=True)


def test_several_files_go_through_one_after_another(frame, tmp_path):
    for number in range(3):
        frame[number * 100 : (number + 1) * 100].to_csv(tmp_path / f"{number}.csv", index=False)
    chunks = iter_chunks(sorted(tmp_path.iterdir()), rows=70)
    scores = pd.concat(chunks)["score"].to_numpy()
    np.testing.assert_allclose(scores, frame["score"][:300], rtol=1e-12)


def test_options_go_to_the_reader(tmp_path):
    (tmp_path / "a.csv").write_text("a;b\n1;2\n")
    assert [list(chunk) for chunk in iter_chunks(tmp_path / "a.csv", sep=";")] == [["a", "b"]]
    dtype = {"a": "float32", "b": "float32"}
    (chunk,) = iter_chunks(tmp_path / "a.csv", sep=";", dtype=dtype)
    assert chunk["a"].dtype == np.float32


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere.csv",), "there is no file 'nowhere.csv'"),
        ((__file__,), "must end in .csv, .csv.gz or .parquet"),
        (([],), "at least one file"),
        (("a.csv", 0), "rows must be a whole number, 1 or more"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        iter_chunks(*arguments)


def test_files_of_two_kinds_are_refused(tmp_path):
    for name in ("a.csv", "b.parquet"):
        (tmp_path / name).touch()
    with pytest.raises(ValueError, match="all files must be Parquet, or all CSV"):
        iter_chunks([tmp_path / "a.csv", tmp_path / "b.parquet"])
    with pytest.raises(TypeError, match="take no options; found sep"):
        iter_chunks(tmp_path / "b.parquet", sep=";")
