"""An audit leaves evidence: hashes, command, versions, and a schema."""

import json
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
