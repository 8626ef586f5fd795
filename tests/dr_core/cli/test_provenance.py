"""An audit leaves evidence: hashes, command, versions; a schema; and it can be repeated."""

import json
import pickle
from hashlib import sha256
from importlib.resources import files

import jsonschema
import pytest

from dr_core.cli._main import main

SCHEMA, QUANTITY_SCHEMA = (
    json.loads(files("dr_core.cli").joinpath(f"{name}.schema.json").read_text("utf-8"))
    for name in ("audit", "quantity")
)


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def record(capsys, ricci, tmp_path):
    path = tmp_path / "audit.json"
    audit = ("--label", "Class", "--privileged", "Race=W", "--n-boot", 20, "--json", path)
    assert run(capsys, ricci, *audit)[0] == 0
    return path


def test_the_record_names_its_input(record, ricci):
    found = json.loads(record.read_text())["provenance"]
    assert found["inputs"]["data"] == {
        "name": str(ricci),
        "sha256": sha256(ricci.read_bytes()).hexdigest(),
        "bytes": ricci.stat().st_size,
    }
    assert found["command"][:2] == ["dr-audit", str(ricci)]
    assert (found["label"], found["favorable"], found["seed"]) == ("Class", "1", 0)
    assert found["split"]["audited_share"] == 0.3
    assert {"Python", "numpy", "scikit-learn", "scipy"} <= set(found["versions"])


def test_the_report_has_hash_and_command(capsys, tmp_path):
    html, values = tmp_path / "a.html", tmp_path / "a.json"
    assert run(capsys, "ricci", "--html", html, "--json", values, "--seed", 3)[0] == 0
    page = html.read_text()
    digest = json.loads(values.read_text())["provenance"]["inputs"]["data"]["sha256"]
    assert digest in page
    assert "dr-audit ricci --html" in page


@pytest.mark.parametrize(
    "arguments",
    [
        ("ricci",),
        ("credit", "--max-risk", "0.1", "--html", "a.html"),
        ("ricci", "--n-boot", "0"),
        ("ricci", "--coupled", "rules.json", "--n-boot", "20"),
    ],
)
def test_the_output_follows_the_schema(capsys, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    rules = {"Position": {"Race": {"W": {"Lieutenant": "Captain"}}}}
    (tmp_path / "rules.json").write_text(json.dumps(rules))
    assert run(capsys, *arguments, "--json", "a.json")[0] in (0, 1, 3)
    jsonschema.validate(json.loads((tmp_path / "a.json").read_text()), SCHEMA)


def test_the_output_of_a_file_follows_the_schema(record):
    jsonschema.validate(json.loads(record.read_text()), SCHEMA)


@pytest.mark.parametrize("arguments", [(), ("--tolerance", "0.1", "--html", "a.html")])
def test_the_output_of_a_quantity_follows_its_schema(capsys, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    assert run(capsys, "lawschool", *arguments, "--json", "a.json")[0] == 0
    jsonschema.validate(json.loads((tmp_path / "a.json").read_text()), QUANTITY_SCHEMA)


def test_the_same_input_is_verified(capsys, record):
    code, out, _ = run(capsys, "--verify", record)
    assert (code, out) == (0, "VERIFIED: same input, same numbers.\n")


def test_a_changed_byte_in_the_data_is_found(capsys, record, ricci):
    content = bytearray(ricci.read_bytes())
    content[-1:] = b" "  # the last line break: the numbers stay the same
    ricci.write_bytes(content)
    code, out, _ = run(capsys, "--verify", record)
    assert code == 1
    assert "DIFFERENT: data: SHA-256 of" in out
    assert "values" not in out


def test_a_changed_byte_is_found_where_the_audit_cannot_be_repeated(capsys, record, ricci):
    ricci.write_bytes(ricci.read_bytes().replace(b"Race", b"Rice", 1))
    code, out, _ = run(capsys, "--verify", record)
    assert code == 1
    assert "DIFFERENT: data: SHA-256 of" in out
    assert "cannot be repeated: sensitive column 'Race' is not in the file" in " ".join(
        out.split()
    )


def test_changed_numbers_are_found(capsys, record):
    content = json.loads(record.read_text())
    content["values"][0]["value"] += 0.01
    record.write_text(json.dumps(content))
    code, out, _ = run(capsys, "--verify", record)
    assert code == 1
    assert "DIFFERENT: values: 1 of" in out


def test_other_versions_are_noted(capsys, record):
    content = json.loads(record.read_text())
    content["provenance"]["versions"]["numpy"] = "0.1"
    record.write_text(json.dumps(content))
    code, out, _ = run(capsys, "--verify", record)
    assert code == 0
    assert "note: numpy was 0.1, is" in out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "cannot be read as JSON"),
        ("{}", "has no provenance"),
        ("[]", "has no provenance"),
        ('{"provenance": {"command": ["rm", "-rf"]}}', "has no provenance"),
        ('{"provenance": {"command": ["dr-audit", "-"]}}', "standard input"),
    ],
)
def test_what_cannot_be_verified_is_said(capsys, tmp_path, text, message):
    (tmp_path / "a.json").write_text(text)
    code, _, err = run(capsys, "--verify", tmp_path / "a.json")
    assert code == 2
    assert message in err


def test_a_record_cannot_make_a_pickle_trusted(capsys, record, tmp_path):
    (tmp_path / "m.pkl").write_bytes(pickle.dumps(1))
    content = json.loads(record.read_text())
    content["provenance"]["command"] += ["--model", str(tmp_path / "m.pkl"), "--trust-pickle"]
    record.write_text(json.dumps(content))
    code, _, err = run(capsys, "--verify", record)
    assert code == 2
    assert "Pass --trust-pickle" in err


def test_the_audit_of_a_quantity_can_be_verified(tmp_path, capsys):
    record = tmp_path / "law.json"
    assert main(["lawschool", "--json", str(record)]) == 0
    assert main(["--verify", str(record)]) == 0
    assert "VERIFIED" in capsys.readouterr().out
