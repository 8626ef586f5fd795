"""Integers in a file with empty cells, which pandas reads as floats, are named as in the file."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest

from dr_core.cli._main import main

N_ROWS, N_EMPTY = 400, 10


class Floats:
    """A model that refuses other types than those that pandas reads from the file."""

    def predict(self, X):
        assert X["sex"].dtype == np.float64
        return ((X["sex"] == 2) | (X["income"] > 0)).astype(int).to_numpy()


@pytest.fixture
def people():
    rng = np.random.default_rng(0)
    sex = pd.array(rng.integers(1, 3, N_ROWS), dtype="Int64")
    sex[:N_EMPTY] = pd.NA
    income, badge = rng.normal(size=N_ROWS), pd.array(range(N_ROWS), dtype="Int64")
    badge[0] = pd.NA
    hired = ((sex == 1).astype("boolean").fillna(False) | (income > 0.5)).astype("Int64")
    return pd.DataFrame({"sex": sex, "income": income, "badge": badge, "hired": hired})


@pytest.fixture
def codes(people, tmp_path):
    """A CSV file of the people."""
    people.to_csv(tmp_path / "a.csv", index=False)
    return tmp_path / "a.csv"


def run(capsys, *arguments):
    code = main([str(argument) for argument in ("--n-boot", 9, *arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def audit(path, *more, value="1"):
    return (path, "--label", "hired", "--privileged", f"sex={value}", *more)


@pytest.mark.parametrize("missing", ["keep", "drop"])
@pytest.mark.parametrize("value", ["1", "1.0"])
def test_a_code_is_accepted_and_shown_as_an_integer(capsys, codes, tmp_path, missing, value):
    outputs = ("--json", tmp_path / "a.json", "--html", tmp_path / "a.html")
    code, out, _ = run(capsys, *audit(codes, "--missing", missing, *outputs, value=value))
    assert code == 0
    assert "sex = 1\n" in out
    found = json.loads((tmp_path / "a.json").read_text())
    assert found["settings"]["privileged"] == {"sex": [1]}
    assert {entry["group"] for entry in found["groups"]} - {"(missing)"} == {"1", "2"}


def test_people_in_the_report_have_integers(capsys, codes, tmp_path):
    more = (
        "--missing",
        "drop",
        "--id",
        "badge",
        "--individuals",
        5,
        "--html",
        tmp_path / "a.html",
    )
    assert run(capsys, *audit(codes, *more))[0] == 0
    page = (tmp_path / "a.html").read_text()
    assert "sex = 1" in page
    assert ".0<" not in page.partition("Individuals affected")[2].partition("</table>")[0]


def test_an_unknown_code_is_refused_with_integers(capsys, codes):
    code, _, err = run(capsys, *audit(codes, "--missing", "keep", value="3"))
    assert code == 2
    assert "'3' is not in column 'sex', which has 1, 2" in err.replace("2, 1", "1, 2")


def test_labels_with_empty_cells_are_integers(capsys, people, tmp_path):
    people.loc[20:25, "hired"] = pd.NA
    people.to_csv(tmp_path / "b.csv", index=False)
    unlabelled = audit(tmp_path / "b.csv", "--missing", "drop", "--favorable")
    code, out, _ = run(capsys, *unlabelled, "1")
    assert code == 0
    assert "favourable  1\n" in out
    code, _, err = run(capsys, *unlabelled, "3")
    assert code == 2
    assert "--favorable must be one of the labels '1', '0'; got '3'" in err.replace(
        "'0', '1'", "'1', '0'"
    )


def test_the_format_of_the_file_does_not_matter(capsys, people, codes, tmp_path):
    pytest.importorskip("pyarrow")
    people.to_parquet(tmp_path / "a.parquet")
    shown = [
        run(capsys, *audit(path, "--missing", "keep"))[1].partition("\n")[2]
        for path in (codes, tmp_path / "a.parquet")
    ]
    assert shown[0] == shown[1]


@pytest.mark.parametrize("chunks", [(), ("--chunk-rows", 150)])
def test_a_model_gets_the_floats_of_pandas(capsys, codes, tmp_path, chunks):
    (tmp_path / "m.pkl").write_bytes(pickle.dumps(Floats()))
    more = ("--missing", "keep", "--model", tmp_path / "m.pkl", "--trust-pickle", *chunks)
    code, out, err = run(capsys, *audit(codes, *more))
    assert code == 0, err
    assert "sex = 1\n" in out


def test_small_groups_are_named_by_their_codes(capsys, people, tmp_path):
    people.loc[30:40, "sex"] = 3
    people.to_csv(tmp_path / "b.csv", index=False)
    assert (
        "groups below 30 rows: 3 (11)"
        in run(capsys, *audit(tmp_path / "b.csv", "--missing", "keep"))[2]
    )
