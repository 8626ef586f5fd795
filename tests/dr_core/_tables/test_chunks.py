from inspect import signature

import numpy as np
import pandas as pd
import pytest
from effort import effort
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dr_core import assess_risk, compare, iter_chunks

PRIVILEGED = {"sex": "M", "race": "W"}

BIG, HUGE = str(2**63 + 1), str(2**70)


@pytest.fixture(scope="module")
def frame():
    """Columns that chunks of 64 rows alone would read with other types than the file."""
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


def test_chunks_can_be_iterated_over_again(path):
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


def test_several_files_are_read_one_after_another(frame, tmp_path):
    for number in range(3):
        frame[number * 100 : (number + 1) * 100].to_csv(tmp_path / f"{number}.csv", index=False)
    chunks = iter_chunks(sorted(tmp_path.iterdir()), rows=70)
    scores = pd.concat(chunks)["score"].to_numpy()
    np.testing.assert_allclose(scores, frame["score"][:300], rtol=1e-12)


def test_options_are_passed_to_the_reader(tmp_path):
    (tmp_path / "a.csv").write_text("a;b\n1;2\n")
    assert [list(chunk) for chunk in iter_chunks(tmp_path / "a.csv", sep=";")] == [["a", "b"]]
    dtype = {"a": "float32", "b": "float32"}
    (chunk,) = iter_chunks(tmp_path / "a.csv", sep=";", dtype=dtype)
    assert chunk["a"].dtype == np.float32


def write_column(path, cells):
    path.write_text("sex,k\n" + "".join(f"{'MF'[i % 2]},{x}\n" for i, x in enumerate(cells)))
    return path


def assert_as_whole(chunks, whole):
    chunks = list(chunks)
    assert len(chunks) > 1
    assert_same(chunks, whole)


def assert_same(chunks, whole):
    """Chunks have the values and dtypes of the whole file, down to the type of each cell."""
    for chunk in chunks:
        assert chunk.dtypes.to_dict() == whole.dtypes.to_dict()
    cells = [chunk.astype(object) for chunk in chunks]
    pd.testing.assert_frame_equal(pd.concat(cells), whole.astype(object), check_exact=True)
    for key in whole:
        assert [type(x) for cell in cells for x in cell[key]] == [type(x) for x in whole[key]]


@pytest.mark.parametrize(
    "cells",
    [
        pytest.param(["True", "True", "", ""], id="booleans, then missing"),
        pytest.param(["", "", "True", "FALSE"], id="missing, then booleans"),
        pytest.param(["True", "", "", "", "False", "True"], id="booleans and missing"),
        pytest.param(["", "", "", ""], id="missing"),
        pytest.param(["1", "2", "", ""], id="integers, then missing"),
        pytest.param(["a", "b", "", ""], id="text, then missing"),
        pytest.param(["True", "False", "x", "y"], id="booleans and text"),
        pytest.param(["True", "", "x", "", "", ""], id="booleans, text and missing"),
        pytest.param(["1", " 2", "x", "1.0", "-01", ""], id="numbers and text"),
        pytest.param(["1", "2", BIG, BIG], id="uint64"),
        pytest.param(["1", "2", BIG, BIG, "x", ""], id="uint64 and text"),
        pytest.param(["x", str(2**62), "", ""], id="text, then int64"),
        pytest.param([str(2**53 + 1), "2", "1.5", "0.1"], id="rounded as the reader does"),
    ],
)
def test_a_column_has_the_type_of_the_whole_file(cells, tmp_path):
    path = write_column(tmp_path / "a.csv", cells)
    assert_as_whole(iter_chunks(path, 2), pd.read_csv(path, low_memory=False))


@pytest.mark.parametrize(
    "cells",
    [
        pytest.param(["True", "False", "1", "0"], id="booleans and integers"),
        pytest.param(["True", "False", "1.50", ""], id="booleans and floats"),
        pytest.param(["-1", "2", BIG, BIG], id="uint64, and negative"),
        pytest.param(["-1", BIG, "1", "2"], id="uint64 beside negative"),
        pytest.param(["1", "", BIG, BIG], id="uint64, and missing"),
        pytest.param(["1", "2", "", "", BIG, BIG], id="uint64, and all missing"),
        pytest.param(["1", "2", BIG, "", "", BIG], id="uint64 beside missing"),
        pytest.param(["1", "2", BIG, BIG, "1.5", "2"], id="uint64 and floats"),
        pytest.param(["-1", BIG, "1.5", "2"], id="uint64 beside negative, and floats"),
        pytest.param(["-1", BIG, "1", "x"], id="uint64 beside negative, and text"),
        pytest.param([HUGE, "2", "True", "x"], id="beyond 64 bits, then text"),
        pytest.param(["x", HUGE, "", ""], id="text, then beyond 64 bits"),
        pytest.param(["nan", BIG, "1", "2"], id="uint64 beside a missing marker"),
        pytest.param(["1", HUGE, "x", ""], id="beyond 64 bits, then text and missing"),
        pytest.param(["1", "2", HUGE, HUGE], id="beyond 64 bits"),
        pytest.param(["-1", "", HUGE, BIG, "", ""], id="beyond 64 bits, and missing"),
        pytest.param([HUGE, "2", "1.5", "2"], id="beyond 64 bits, then floats"),
        pytest.param(["1.5", "2", HUGE, "0.5"], id="floats, then beyond 64 bits"),
        pytest.param(["1", "2", "9" * 5000, "3"], id="more digits than Python reads"),
    ],
)
def test_a_column_without_a_common_type_is_refused_unless_its_dtype_is_given(cells, tmp_path):
    path = write_column(tmp_path / "a.csv", cells)
    message = r"^column 'k' has no common type: .* in rows \d+ to \d+ of 'a\.csv'.*dtype={'k': "
    with pytest.raises(ValueError, match=message):
        list(iter_chunks(path, 2))
    dtype = {"k": str}
    assert_as_whole(iter_chunks(path, 2, dtype=dtype), pd.read_csv(path, dtype=dtype))


numbers = st.integers(-(2**64), 2**65) | st.integers(-3, 3) | st.floats(width=32)
dates = st.dates().map(str)
words = st.sampled_from(["", "NA", "x", " y", "True", "false", "1.0", "007", " 1", "1e3", "inf"])
columns = st.sampled_from(
    [
        numbers,
        st.integers(-9, 9) | st.just(""),
        st.booleans() | st.just(""),
        dates | st.just(""),
        words,
        numbers | words | dates | st.booleans(),
    ]
).flatmap(lambda cells: st.lists(cells.map(str), min_size=1, max_size=12))


@settings(effort(some=50, many=200), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(columns, st.integers(1, 5))
def test_chunks_are_the_whole_file_or_name_the_column_they_refuse(tmp_path, cells, rows):
    path = write_column(tmp_path / "a.csv", cells)
    try:
        chunks = list(iter_chunks(path, rows))
    except ValueError as error:
        assert "column 'k' has no common type" in str(error)  # noqa: PT017
        assert "pass its type to iter_chunks" in str(error).lower()  # noqa: PT017
    else:
        assert_same(chunks, pd.read_csv(path, low_memory=False))


def test_floats_before_huge_numbers_are_floats(tmp_path):
    path = write_column(tmp_path / "a.csv", ["1.5", "2", HUGE, "0.5"])
    whole = pd.read_csv(path)
    assert whole["k"].dtype == np.float64
    assert_as_whole(iter_chunks(path, 3), whole)


def favors_true(X):
    return (X["sex"] == "M") & (X["k"] == True)  # noqa: E712, missing is not True


def favors_exact(X):
    return (X["sex"] == "M") & (X["k"] == int(BIG))


@pytest.mark.parametrize(
    ("model", "cells"),
    [(favors_true, ["True", "True", "", ""]), (favors_exact, ["1", "2", BIG, str(2**63)])],
)
def test_a_model_sees_the_values_of_the_whole_file(model, cells, tmp_path):
    path = write_column(tmp_path / "a.csv", cells)
    mine = assess_risk(model, iter_chunks(path, 2), {"sex": "M"}).value
    assert mine == assess_risk(model, pd.read_csv(path), {"sex": "M"}).value > 0


def test_a_file_without_rows_does_not_affect_types(tmp_path):
    paths = [write_column(tmp_path / "0.csv", []), write_column(tmp_path / "1.csv", [1, 2])]
    assert [chunk["k"].dtype for chunk in iter_chunks(paths)][-1] == np.int64


def test_columns_without_a_name_have_the_type_of_the_whole_file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("M,True\nF,False\nM,\nF,\n")
    assert_as_whole(iter_chunks(path, 2, header=None), pd.read_csv(path, header=None))


def test_a_dtype_for_one_column_leaves_the_others_to_the_file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("sex,zip,k\nM,01,1\nF,02,2\nM,03,\nF,04,4\n")
    dtype = {"zip": str}
    assert_as_whole(iter_chunks(path, 2, dtype=dtype), pd.read_csv(path, dtype=dtype))
    assert assess_risk(lambda X: X["k"] > 1, iter_chunks(path, 2, dtype=dtype), {"sex": "M"})


@pytest.mark.parametrize("dtype", [str, {"k": "float32", "sex": str}])
def test_dtypes_of_all_columns_are_kept(dtype, tmp_path):
    path = write_column(tmp_path / "a.csv", ["1", "2", "", "4"])
    assert_as_whole(iter_chunks(path, 2, dtype=dtype), pd.read_csv(path, dtype=dtype))


def test_categories_are_those_of_the_whole_file(tmp_path):
    path = write_column(tmp_path / "a.csv", ["c", "b", "a", "", "", ""])
    dtype = {"k": "category"}
    assert_as_whole(iter_chunks(path, 2, dtype=dtype), pd.read_csv(path, dtype=dtype))


def test_results_of_converters_are_kept(tmp_path):
    path = write_column(tmp_path / "a.csv", ["-1", BIG, "1", "2"])
    converters = {"k": str}
    whole = pd.read_csv(path, converters=converters)
    assert_as_whole(iter_chunks(path, 2, converters=converters), whole)


PEOPLE = "id,sex,k,d\n7,M,1,2020-01-02\n8,F,2,2020-12-31\n9,M,,\n10,F,4,\n"


@pytest.mark.parametrize(
    "options",
    [
        {"index_col": "id"},
        {"index_col": 0},
        {"usecols": [1, 2], "names": ["sex", "k"], "header": 0},
    ],
)
def test_options_that_select_columns_work_in_an_audit(options, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(PEOPLE)
    whole = pd.read_csv(path, **options)
    assert_as_whole(iter_chunks(path, 2, **options), whole)
    model = lambda X: (X["sex"] == "M") & (X["k"] > 0)  # noqa: E731
    risk = assess_risk(model, iter_chunks(path, 2, **options), {"sex": "M"})
    assert risk.value == assess_risk(model, whole, {"sex": "M"}).value > 0


def test_an_index_may_have_missing_values(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,sex,k\n1,M,True\n2.5,F,False\n,M,\n,F,\n")
    assert_as_whole(iter_chunks(path, 2, index_col="id"), pd.read_csv(path, index_col="id"))


KNOWS_DATE_FORMAT = "date_format" in signature(pd.read_csv).parameters


@pytest.mark.skipif(not KNOWS_DATE_FORMAT, reason="pandas 1 has no date_format")
@pytest.mark.parametrize("last", ["2021-02-03", "", "soon"])
def test_dates_are_those_of_the_whole_file(last, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(PEOPLE + f"11,M,5,{last}\n")
    options = {"parse_dates": ["d"], "date_format": "%Y-%m-%d"}
    whole = pd.read_csv(path, **options)
    assert_as_whole(iter_chunks(path, 2, **options), whole)
    model = lambda X: (X["sex"] == "M") & (X["d"] < "2020-06")  # noqa: E731
    risk = assess_risk(model, iter_chunks(path, 2, **options), {"sex": "M"})
    assert risk.value == assess_risk(model, whole, {"sex": "M"}).value > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"parse_dates": ["d"]}, "^parse_dates must be .* date_format"),
        ({"parse_dates": True, "date_format": "ISO8601"}, "^parse_dates must be a list"),
        ({"parse_dates": ["d"], "date_format": {"e": "ISO8601"}}, "^parse_dates must be"),
        ({"chunksize": 2}, "takes no chunksize: pass `rows` instead"),
        ({"skipfooter": 1}, "takes no skipfooter"),
    ],
)
def test_options_that_cannot_work_are_refused_at_once(options, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        iter_chunks(write_column(tmp_path / "a.csv", [1]), **options)


def test_a_nested_column_hides_no_missing_values(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    home = [{"street": 1, "town": 2}] * 4
    path = tmp_path / "a.parquet"
    parquet.write_table(
        pyarrow.table({"home": home, "sex": [*"MFMF"], "k": [1, 2, None, 4]}), path
    )
    chunks = [chunk["k"] for chunk in iter_chunks(path, 2)]
    assert [chunk.dtype for chunk in chunks] == [np.float64] * 2
    np.testing.assert_array_equal(pd.concat(chunks), [1, 2, np.nan, 4])


@pytest.mark.parametrize(
    "files",
    [
        pytest.param([{"k": [1, None, 3]}], id="integers and missing"),
        pytest.param([{"k": [1, 2]}, {"k": [0.5, 1.5]}], id="integers and floats"),
        pytest.param([{"k": [True, False]}, {"k": [None, True]}], id="booleans and missing"),
        pytest.param([{"k": pd.array([int(BIG), None, 1], "UInt64")}], id="nullable uint64"),
        pytest.param([{"k": pd.Categorical(["b", "a", "b"])}], id="categories"),
    ],
)
def test_chunks_of_parquet_files_have_one_type(files, tmp_path):
    pytest.importorskip("pyarrow")
    paths, frames = [], [pd.DataFrame(file) for file in files]
    for number, frame in enumerate(frames):
        paths.append(tmp_path / f"{number}.parquet")
        frame.to_parquet(paths[-1], row_group_size=1)
    chunks = list(iter_chunks(paths, 2))
    whole = pd.concat([pd.read_parquet(path) for path in paths])
    assert {chunk["k"].dtype for chunk in chunks} == {whole["k"].dtype}
    assert max(map(len, chunks)) == 2
    pd.testing.assert_series_equal(
        pd.concat(chunks)["k"].astype(object), whole["k"].astype(object), check_index=False
    )


def test_parquet_files_with_different_types_of_a_column_are_refused(tmp_path):
    pytest.importorskip("pyarrow")
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path, values in zip(paths, ([1, 2], ["x", "y"]), strict=True):
        pd.DataFrame({"k": values}).to_parquet(path)
    message = "column 'k' has no common type: int64 in .*'a.parquet'.*'b.parquet'.*Save all files"
    with pytest.raises(ValueError, match=message):
        list(iter_chunks(paths))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere.csv",), "there is no file 'nowhere.csv'"),
        ((__file__,), "must end in .csv, .csv.gz, .tsv or .parquet"),
        (([],), "at least one file"),
        (("a.csv", 0), "rows must be an integer of at least 1"),
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
