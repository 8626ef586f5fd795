"""Encodings, separators and ways of writing numbers are detected."""

import numpy as np
import pandas as pd
import pytest

from dr_core._tables import read_table
from dr_core._tables._formats import detect_format

TABLE = "Stadt;Lohn;Kinder\nKöln;1.234,50;1\nBonn;7,5;2\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
def test_a_german_file_is_read_in_any_encoding(tmp_path, encoding):
    path = tmp_path / "a.csv"
    path.write_bytes(TABLE.encode(encoding))
    with pytest.warns(UserWarning, match="'a.csv' is read with .*separator semicolon"):
        frame = read_table(path)
    assert frame.to_dict("list") == {
        "Stadt": ["Köln", "Bonn"],
        "Lohn": [1234.5, 7.5],
        "Kinder": [1, 2],
    }


@pytest.mark.parametrize(("separator", "name"), [("\t", "tab"), ("|", "vertical bar")])
def test_other_separators_are_detected(separator, name):
    found = detect_format(f"a{separator}b\n1{separator}x\n".encode())
    assert found.separator == separator
    assert str(found) == f"separator {name}"


def test_commas_inside_quotes_are_no_separators():
    assert str(detect_format(b'a;b\n"x, y";1\n"z";2\n')) == "separator semicolon"


def test_plain_files_are_read_without_a_word(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,1.5\n2,x\n")
    assert read_table(tmp_path / "a.csv")["b"].tolist() == ["1.5", "x"]


@pytest.mark.parametrize(
    ("content", "numbers"),
    [
        ('a,b\n"1,234.5",x\n"2,000",y\n', {"a": "English"}),
        ('a,b\n"1,5",x\n"2,25",y\n', {"a": "German"}),
        ("a;b\n1,234;x\n2,5;y\n", {"a": "German"}),
        ("a;b\n1.234;7,5\n12.500;8\n", {"a": "German", "b": "German"}),
        ("a;b\n03.10.1990;7,5\n24.12.1989;8\n", {"b": "German"}),
        ("a;b\n1.5;x\n2.5;y\n", {}),
    ],
)
def test_ways_of_writing_numbers_are_detected(content, numbers):
    assert detect_format(content.encode()).numbers == numbers


def test_a_word_after_the_sample_leaves_a_column_text(tmp_path):
    rows = ["1,5;x"] * 1000 + ["unbekannt;y"]
    (tmp_path / "a.csv").write_text("\n".join(["a;b", *rows]))
    with pytest.warns(UserWarning, match="numbers like"):
        assert read_table(tmp_path / "a.csv")["a"].tolist()[-2:] == ["1,5", "unbekannt"]


def test_a_letter_after_the_sample_is_read(tmp_path):
    content = b"a,b\n" + b"x,1\n" * 300_000 + "ü,2\n".encode("latin-1")
    (tmp_path / "a.csv").write_bytes(content)
    assert read_table(tmp_path / "a.csv")["a"].iloc[-1] == "ü"


@pytest.mark.parametrize("kind", ["tsv", "feather", "xlsx"])
def test_tables_in_other_formats_are_read(tmp_path, kind):
    frame = pd.DataFrame({"a": ["x", "y"], "b": np.array([1.5, 2.5])})
    path = tmp_path / f"a.{kind}"
    if kind == "tsv":
        frame.to_csv(path, sep="\t", index=False)
        with pytest.warns(UserWarning, match="separator tab"):
            found = read_table(path)
    else:
        pytest.importorskip({"feather": "pyarrow", "xlsx": "openpyxl"}[kind])
        frame.to_feather(path) if kind == "feather" else frame.to_excel(path, index=False)
        found = read_table(path)
    assert found.to_dict("list") == frame.to_dict("list")


def test_excel_files_without_the_library_name_it(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    (tmp_path / "a.xlsx").write_bytes(b"PK")
    with pytest.raises(ImportError, match="pip install openpyxl"):
        read_table(tmp_path / "a.xlsx")
