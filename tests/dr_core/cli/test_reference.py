"""`--reference` names the rows by which the plausibility of perturbed rows is judged."""

import json

import numpy as np
import pandas as pd
import pytest

from dr_core.cli import main

AUDIT = ("--label", "y", "--privileged", "sex=M", "--n-boot", "0")


@pytest.fixture
def people(tmp_path):
    """Return a function that writes people to a file; no woman has the title Mr."""

    def write(name, n, seed=0):
        rng = np.random.default_rng(seed)
        sex = rng.choice(["M", "F"], n)
        title = np.where(rng.random(n) < 0.2, "Dr", np.where(sex == "M", "Mr", "Ms"))
        table = {
            "sex": sex,
            "title": title,
            "city": rng.integers(0, 5, n),
            "y": rng.integers(0, 2, n),
        }
        pd.DataFrame(table).to_csv(tmp_path / name, index=False)
        return str(tmp_path / name)

    return write


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, " ".join(captured.out.split()), " ".join(captured.err.split())


def test_few_rows_are_said_to_be_too_few(capsys, people):
    code, out, _ = run(capsys, people("a.csv", 20), *AUDIT)
    assert code == 0
    assert "No implausible combination was found. This says little" in out
    assert "the 20 reference rows are too few" in out


def test_more_rows_find_what_few_rows_cannot(capsys, people, tmp_path):
    audit = (people("a.csv", 40), *AUDIT, "--reference", people("b.csv", 2000, seed=1))
    code, out, _ = run(capsys, *audit, "--json", tmp_path / "a.json")
    assert code == 0
    assert "of perturbed rows are implausible" in out
    found = json.loads((tmp_path / "a.json").read_text())["plausibility"]["model"]
    assert found["reference_rows"] == 2000
    assert found["implausible"] > 0.5
    assert found["power"] == 1


def test_the_reference_is_verified_like_the_data(capsys, people, tmp_path):
    record, reference = tmp_path / "a.json", people("b.csv", 400, seed=1)
    audit = (people("a.csv", 60), *AUDIT, "--reference", reference, "--json", record)
    assert run(capsys, *audit)[0] == 0
    assert json.loads(record.read_text())["provenance"]["inputs"]["reference"]["name"] == reference
    assert run(capsys, "--verify", record)[0] == 0
    people("b.csv", 400, seed=2)
    code, out, _ = run(capsys, "--verify", record)
    assert code == 1
    assert "DIFFERENT: provenance.inputs.reference.sha256" in out


def test_rows_in_chunks_can_be_judged_by_a_reference(capsys, people, tmp_path, save_model):
    data, reference = people("a.csv", 60), people("b.csv", 400, seed=1)
    chunks = ("--chunk-rows", 20, "--model", save_model(data), "--trust-pickle")
    code, out, err = run(capsys, data, *AUDIT, *chunks, "--reference", reference)
    assert code == 0, err
    assert "of perturbed rows are implausible" in out


@pytest.mark.parametrize(("missing", "n_rows"), [("drop", 370), ("keep", 400)])
def test_reference_rows_without_a_sensitive_value_are_treated_like_the_data(
    capsys, people, tmp_path, missing, n_rows
):
    data, reference, record = people("a.csv", 60), people("b.csv", 400), tmp_path / "a.json"
    frame = pd.read_csv(reference)
    frame.assign(sex=frame["sex"].where(frame.index >= 30)).to_csv(reference, index=False)
    audit = (data, *AUDIT, "--reference", reference, "--missing", missing, "--json", record)
    code, _, err = run(capsys, *audit)
    assert code == 0, err
    found = json.loads(record.read_text())
    assert found["plausibility"]["model"]["reference_rows"] == n_rows
    left_out = "column 'sex' is missing in 30 of 400 reference rows; the check of plausibility"
    assert (left_out in err) == (n_rows == 370)
    assert ("--reference" in str(found["data_quality"])) == (n_rows == 370)


@pytest.fixture
def save_model(tmp_path):
    """Return a function that saves a model of a file."""
    import joblib

    from dr_core.cli._models import default_model

    def save(path):
        frame = pd.read_csv(path)
        X = frame.drop(columns="y")
        model = default_model(X, regression=False, random_state=0).fit(X, frame["y"])
        joblib.dump(model, tmp_path / "model.joblib")
        return tmp_path / "model.joblib"

    return save


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda frame: frame.drop(columns="title"), "lacks columns of 'a.csv': 'title'"),
        (lambda frame: frame.replace({"sex": {"M": "X"}}), "column 'sex' of 'b.csv' has the"),
        (lambda frame: frame.assign(sex=np.nan), "has no rows with all sensitive values"),
    ],
)
def test_a_reference_that_does_not_fit_is_refused(capsys, people, change, message):
    data, reference = people("a.csv", 60), people("b.csv", 60)
    change(pd.read_csv(reference)).to_csv(reference, index=False)
    code, _, err = run(capsys, data, *AUDIT, "--reference", reference)
    assert code == 2
    assert message in err


def test_a_reference_that_does_not_exist_is_refused(capsys, people):
    code, _, err = run(capsys, people("a.csv", 60), *AUDIT, "--reference", "no.csv")
    assert (code, "--reference: the file 'no.csv' does not exist" in err) == (2, True)


def test_an_output_does_not_overwrite_the_reference(capsys, people):
    data, reference = people("a.csv", 60), people("b.csv", 60)
    code, _, err = run(capsys, data, *AUDIT, "--reference", reference, "--json", reference)
    assert code == 2
    assert "--json would overwrite --reference" in err


def test_spellings_follow_those_of_the_data(capsys, people):
    data, reference = people("a.csv", 60), people("b.csv", 400, seed=1)
    frame = pd.read_csv(reference)
    frame.assign(sex=frame["sex"].str.lower()).to_csv(reference, index=False)
    code, _, err = run(capsys, data, *AUDIT, "--reference", reference, "--normalize")
    assert code == 0, err


def test_the_check_counts_people_and_not_their_rows(capsys, people, tmp_path):
    """Ten equal rows of each person make chance look significant."""
    path = people("a.csv", 60)
    one_each = pd.read_csv(path).assign(pid=range(60))
    one_each.loc[one_each.index.repeat(10)].to_csv(path, index=False)
    for options in ([], ["--reference", path]):
        record = tmp_path / "a.json"
        code, _, _ = run(capsys, path, *AUDIT, "--person", "pid", *options, "--json", record)
        assert code == 0
        [found] = json.loads(record.read_text())["plausibility"].values()
        assert found["reference_rows"] == 60
