"""Real files: ugly ones, other formats, standard input and output."""

import io
import json
import sys

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from dr_core import datasets
from dr_core.cli._main import main


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def ugly(tmp_path):
    """Semicolons, Latin-1, German numbers, blanks, an identifier, a date, gaps, Ja and Nein."""
    rng = np.random.default_rng(0)
    n = 500
    sex = rng.choice(["männlich", "weiblich"], n)
    pay = rng.normal(3000, 800, n)
    good = np.where(pay + 500 * (sex == "männlich") > 3200, "Ja", "Nein")
    german = [f"{one:,.2f}".translate(str.maketrans(",.", ".,")) for one in pay]
    frame = pd.DataFrame({"Kundennummer": range(1000, 1000 + n), "Geschlecht": sex})
    frame["Geburtstag"] = [f"{d:02}.{m:02}.19{50 + d}" for d, m in rng.integers(1, 12, (n, 2))]
    frame["Lohn"], frame["bewilligt"] = german, good
    frame.loc[:30, "Geschlecht"] = " Männlich"
    frame.loc[7, "Geschlecht"] = None
    frame.loc[::9, "Lohn"] = None
    path = tmp_path / "kredite.csv"
    frame.to_csv(path, index=False, sep=";", encoding="latin-1")
    return path


def test_messages_lead_through_an_ugly_file(capsys, ugly, tmp_path):
    audit = [ugly]
    leads = [
        ("--label COLUMN", ["--label", "bewilligt", "--privileged", "Geschlecht=männlich"]),
        ("--missing drop", ["--missing", "drop"]),
        ("--favorable", ["--favorable", "Ja"]),
    ]
    for lead, answer in leads:
        code, _, err = run(capsys, *audit)
        assert code == 2
        assert lead in err
        audit += answer
    code, _, err = run(capsys, *audit)
    assert code == 0
    assert "encoding cp1252, separator semicolon, numbers like 1.234,5 in Lohn" in err
    for lead in ("--normalize", "--drop Kundennummer", "--drop Geburtstag", "'Lohn' has missing"):
        assert lead in err
    audit += ["--normalize", "--drop", "Kundennummer", "Geburtstag"]
    code, out, err = run(capsys, *audit, "--json", tmp_path / "a.json")
    assert code == 0
    assert "of 500 rows; left out: 1 row without a sensitive value or a label" in out
    found = json.loads((tmp_path / "a.json").read_text())["data_quality"]
    done = [(one["check"], one["column"]) for one in found][1:]
    assert done == [("--normalize", "Geschlecht"), ("--missing drop", "Geschlecht")]
    assert found[0]["column"] == "Lohn"


@pytest.fixture(scope="module")
def typed():
    """A table whose columns have types that CSV files do not know."""
    rng = np.random.default_rng(0)
    n = 400
    frame = pd.DataFrame(
        {
            "sex": pd.Categorical(rng.choice(["M", "F"], n), ["M", "F"]),
            "kids": pd.array(rng.integers(0, 4, n), dtype="Int64"),
            "owner": pd.array(rng.random(n) > 0.5, dtype="boolean"),
            "town": rng.choice(["NA", "x", "None", "y"], n),
            "pay": rng.normal(size=n),
            "age": rng.integers(18, 60, n).astype("int8"),
            "date": pd.to_datetime(rng.choice(["2020-01-01", "2021-05-05"], n)),
        }
    )
    frame.loc[::7, "kids"] = pd.NA
    frame.loc[::9, "owner"] = pd.NA
    frame.loc[::5, "town"] = None
    noise = rng.normal(size=n)
    return frame.assign(y=(frame["pay"] + (frame["sex"] == "M") + noise > 0).astype(int))


@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_the_format_of_a_table_does_not_change_the_answer(capsys, typed, tmp_path, kind):
    typed.to_csv(tmp_path / "a.csv", index=False)
    getattr(typed, f"to_{kind}")(tmp_path / f"a.{kind}")
    values = []
    for path in (tmp_path / "a.csv", tmp_path / f"a.{kind}"):
        out = tmp_path / f"{path.suffix}.json"
        how = ("--label", "y", "--privileged", "sex=M", "--n-boot", 20, "--json", out)
        assert run(capsys, path, *how)[0] == 0
        values.append(json.loads(out.read_text())["values"])
    assert values[0] == values[1]


def ricci_csv():
    bunch = datasets.load("ricci")
    return bunch.data.assign(Class=bunch.target).to_csv(index=False)


AUDIT = ("--label", "Class", "--privileged", "Race=W", "--n-boot", 20)


def test_data_come_from_standard_input_and_json_goes_to_standard_output(capsys, monkeypatch):
    stdin = io.TextIOWrapper(io.BytesIO(ricci_csv().encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    code, out, err = run(capsys, "-", *AUDIT, "--json", "-")
    assert code == 0
    assert json.loads(out)["settings"]["rows"] == 36
    assert "of decisions would be different" in err


def test_one_output_alone_can_be_standard_output(capsys):
    code, _, err = run(capsys, "ricci", "--json", "-", "--html", "-")
    assert code == 2
    assert "--json and --html are the same file" in err


def test_a_column_name_may_have_an_equals_sign(capsys, tmp_path):
    (tmp_path / "a.csv").write_text(ricci_csv().replace("Race", "Race=origin", 1))
    how = ("--label", "Class", "--privileged", "Race=origin=W", "--n-boot", 0)
    code, out, _ = run(capsys, tmp_path / "a.csv", *how)
    assert code == 0
    assert "if only people's Race=origin were different" in out.replace("\n", " ")


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_version_and_help_are_printed(capsys, option):
    with pytest.raises(SystemExit) as stopped:
        main([option])
    out = capsys.readouterr().out
    assert stopped.value.code == 0
    assert out.startswith("dr-audit 0." if option == "--version" else "usage: dr-audit")
    assert option == "--version" or "exit codes:" in out


@pytest.mark.parametrize("width", [60, 80, 120])
def test_intervals_are_never_broken(width):
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, color_system=None, width=width)
    assert main(["credit", "--n-boot", "20"], console=console) == 0
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    cells = [line for line in lines if "[" in line]
    assert cells
    assert all(line.count("[") == line.count("]") for line in cells)
    assert "…" not in out.getvalue()
