"""`--verify` repeats an audit, and compares everything in its record."""

import json
import pickle
import shlex
import sys
from io import BytesIO, TextIOWrapper

import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

from dr_core.cli._main import main
from dr_core.cli._provenance import RECORD_FORMAT


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture(scope="module")
def complete(tmp_path_factory):
    """A record with every section: limits, a report with the ensemble, and rules."""
    folder = tmp_path_factory.mktemp("audit")
    rules = {"Position": {"Race": {"W": {"Lieutenant": "Captain"}}}}
    (folder / "rules.json").write_text(json.dumps(rules))
    outputs = ("--json", folder / "a.json", "--html", folder / "a.html")
    options = ("--coupled", folder / "rules.json", "--max-risk", 0.9, "--n-boot", 20)
    main(list(map(str, ("ricci", *options, *outputs))))
    return json.loads((folder / "a.json").read_text())


def edit(path, change):
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def halve(value):
    if isinstance(value, dict):
        return {key: halve(one) for key, one in value.items()}
    if isinstance(value, list):
        return [halve(one) for one in value]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value / 2 if is_number else value


class TestSameAudit:
    def test_is_verified(self, capsys, record):
        code, out, _ = run(capsys, "--verify", record)
        assert code == 0
        assert "VERIFIED: same input, same settings, same results." in out

    def test_is_verified_with_every_section(self, capsys, complete, tmp_path):
        (tmp_path / "a.json").write_text(json.dumps(complete))
        assert run(capsys, "--verify", tmp_path / "a.json")[0] == 0

    def test_of_a_quantity_is_verified(self, capsys, tmp_path):
        record = tmp_path / "law.json"
        assert run(capsys, "lawschool", "--json", record)[0] == 0
        assert run(capsys, "--verify", record)[0] == 0

    def test_leaves_the_files_of_the_audit_alone(self, capsys, complete, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "a.json").write_text(json.dumps(complete))
        run(capsys, "--verify", "a.json")
        assert [path.name for path in tmp_path.iterdir()] == ["a.json"]

    def test_names_the_command_that_it_repeats(self, capsys, record):
        command = json.loads(record.read_text())["provenance"]["command"]
        out = run(capsys, "--verify", record)[1]
        assert out.startswith(f"repeating: {shlex.join(command)}\n")


def edit_verdict(content):
    content["verdict"] |= {"outcome": "fail"}


def add_settings(**settings):
    return lambda content: content["settings"].update(settings)


def add_provenance(**facts):
    return lambda content: content["provenance"].update(facts)


def empty(*names):
    return lambda content: content.update({name: {} for name in names})


def halve_part(name):
    return lambda content: content.update({name: halve(content[name])})


class TestEditedRecord:
    @pytest.mark.parametrize(
        ("change", "where"),
        [
            (edit_verdict, 'verdict.outcome: recorded "fail", found "pass"'),
            (halve_part("verdict"), "verdict.limits[model, Race, discriminative_risk].high"),
            (halve_part("plausibility"), "plausibility.model"),
            (halve_part("ensembles"), "ensembles.model"),
            (halve_part("group_rates"), "group_rates[model, Race, base_rate"),
            (empty("plausibility"), "plausibility.model: missing in the record"),
            (empty("ensembles"), "ensembles.model: missing in the record"),
            (empty("implausible_pairs"), "implausible_pairs.model: missing in the record"),
            (lambda c: c.pop("verdict"), "verdict: missing in the record"),
            (lambda c: c["values"].pop(), "values: recorded"),
            (lambda c: c.update(columns=[]), "columns: recorded []"),
            (lambda c: c.update(approved=True), "approved: recorded true, not found"),
            (
                add_settings(privileged={"Race": ["B"]}),
                'settings.privileged.Race[0]: recorded "B"',
            ),
            (add_settings(rows=50_000), "settings.rows: recorded 50000, found 36"),
            (add_settings(confidence=0.99), "settings.confidence: recorded 0.99, found 0.95"),
            (add_settings(method="sample"), 'settings.method: recorded "sample"'),
            (add_settings(date=None), "settings.date: recorded null"),
            (add_settings(versions={}), "settings.versions.numpy: missing in the record"),
            (add_provenance(favorable="0"), 'provenance.favorable: recorded "0", found "1"'),
            (add_provenance(label="sex"), 'provenance.label: recorded "sex", found null'),
            (add_provenance(seed=7), "provenance.seed: recorded 7, found 0"),
            (add_provenance(inputs={}), "provenance.inputs.data: missing in the record"),
            (
                lambda c: c["provenance"]["inputs"].pop("data"),
                "inputs.data: missing in the record",
            ),
            (
                lambda c: c["provenance"]["inputs"]["data"].pop("sha256"),
                "inputs.data.sha256: miss",
            ),
            (lambda c: c["provenance"].pop("inputs"), "provenance.inputs: missing in the record"),
        ],
    )
    def test_is_different_where_it_was_edited(self, capsys, complete, tmp_path, change, where):
        content = json.loads(json.dumps(complete))
        change(content)
        (tmp_path / "a.json").write_text(json.dumps(content))
        code, out, _ = run(capsys, "--verify", tmp_path / "a.json")
        assert code == 1
        assert where in out
        assert "VERIFIED" not in out

    def test_without_data_quality_is_different(self, capsys, record):
        edit(record, lambda content: content.pop("data_quality"))
        code, out, _ = run(capsys, "--verify", record)
        assert (code, "data_quality: missing in the record" in out) == (1, True)

    def test_shows_model_attribute_and_measure_of_a_number(self, capsys, record):
        edit(record, lambda content: content["values"][0].update(value=0.5))
        code, out, _ = run(capsys, "--verify", record)
        assert code == 1
        assert "values[model, Race, discriminative_risk].value: recorded 0.5, found 0." in out
        assert "The input is the same." in out

    def test_shows_the_first_differences_of_a_section(self, capsys, record):
        edit(record, halve_part("values"))
        _, out, _ = run(capsys, "--verify", record)
        assert out.count("DIFFERENT: values[") == 3
        assert "DIFFERENT: further entries of values: " in out


class TestVersions:
    def test_of_a_library_are_noted(self, capsys, record):
        def age(content):
            for part in ("settings", "provenance"):
                content[part]["versions"]["numpy"] = "0.1"

        edit(record, age)
        code, out, _ = run(capsys, "--verify", record)
        assert code == 0
        assert out.count("note: numpy was 0.1, is") == 1

    def test_of_a_host_library_may_lack_in_one_of_the_runs(self, capsys, record):
        edit(record, lambda content: content["provenance"]["versions"].pop("scipy"))
        code, out, _ = run(capsys, "--verify", record)
        assert (code, "note: scipy was not recorded, is" in out) == (0, True)

    @pytest.mark.parametrize(
        ("name", "version"), [("Certified", "yes"), ("numpy", {"risk": 0}), ("numpy", None)]
    )
    def test_of_a_library_that_is_none_is_a_difference(self, capsys, record, name, version):
        edit(record, lambda audit: audit["settings"]["versions"].update({name: version}))
        code, out, _ = run(capsys, "--verify", record)
        assert code == 1
        assert f"settings.versions.{name}" in out

    def test_of_the_record_may_be_older(self, capsys, record):
        edit(record, lambda content: content["provenance"].pop("format"))
        assert run(capsys, "--verify", record)[0] == 0

    @pytest.mark.parametrize("newer", [RECORD_FORMAT + 1, -1, "x", None])
    def test_of_the_record_must_be_known(self, capsys, record, newer):
        edit(record, lambda content: content["provenance"].update(format=newer))
        code, _, err = run(capsys, "--verify", record)
        assert code == 2
        assert "use the version that wrote the file" in err


class TestInput:
    def test_with_one_other_byte_is_different_though_the_numbers_are_not(
        self, capsys, record, ricci
    ):
        content = bytearray(ricci.read_bytes())
        content[-1:] = b" "  # the last line break: the numbers stay the same
        ricci.write_bytes(content)
        code, out, _ = run(capsys, "--verify", record)
        assert code == 1
        assert "DIFFERENT: provenance.inputs.data.sha256: recorded" in out
        assert "all settings and results are the same" in out

    def test_that_cannot_be_audited_any_more_is_different(self, capsys, record, ricci):
        ricci.write_bytes(ricci.read_bytes().replace(b"Race", b"Rice", 1))
        code, out, _ = run(capsys, "--verify", record)
        assert code == 1
        assert "DIFFERENT: provenance.inputs.data.sha256: recorded" in out
        assert "cannot be repeated: sensitive column 'Race' is not in the file" in out

    def test_that_is_missing_cannot_be_verified(self, capsys, record, ricci):
        ricci.unlink()
        code, out, err = run(capsys, "--verify", record)
        assert (code, out) == (2, "")
        assert "ricci.csv' is missing; run the command in the folder" in err

    def test_from_standard_input_cannot_be_verified(self, capsys, ricci, tmp_path, monkeypatch):
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(ricci.read_bytes())))
        record = tmp_path / "a.json"
        audit = ("-", "--label", "Class", "--privileged", "Race=W", "--n-boot", 9)
        assert run(capsys, *audit, "--json", record)[0] == 0
        described = json.loads(record.read_text())["provenance"]["inputs"]["data"]
        assert described["name"] == "standard input"
        code, out, err = run(capsys, "--verify", record)
        assert (code, out) == (2, "")
        assert "standard input, which cannot be read again; audit a file" in err


class TestOtherArguments:
    @pytest.mark.parametrize(
        ("arguments", "named"),
        [
            (("--max-risk", "0.01"), "--max-risk"),
            (("--max-gap", "demographic_parity=0.1"), "--max-gap"),
            (("--html", "z.html"), "--html"),
            (("--json", "-"), "--json"),
            (("--seed", "0"), "--seed"),
            (("--n-boot", "1000"), "--n-boot"),
            (("--list",), "--list"),
            (("--normalize", "--seed", "1"), "--normalize, --seed"),
        ],
    )
    def test_cannot_be_combined_with_it(self, capsys, record, arguments, named):
        code, out, err = run(capsys, "--verify", record, *arguments)
        assert (code, out) == (2, "")
        assert f"--verify cannot be combined with {named}:" in err
        assert "Leave out these arguments" in err

    def test_may_not_name_other_data(self, capsys, record):
        code, _, err = run(capsys, "other.csv", "--verify", record)
        assert code == 2
        assert "--verify cannot be combined with 'other.csv'" in err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "cannot be read as JSON"),
        ("[" * 100_000, "cannot be read as JSON"),
        ('{"verdict": 1, "verdict": 2}', "several values of 'verdict'"),
        ("{}", "has no provenance"),
        ("[]", "has no provenance"),
        ('{"provenance": []}', "has no provenance"),
        ('{"provenance": {"command": ["rm", "-rf"]}}', "is not one of dr-audit: rm -rf. It"),
        ('{"provenance": {"command": []}}', "has no provenance"),
        (
            '{"provenance": {"command": ["dr-audit", "ricci", "--seed", "1", "--seed", "2"]}}',
            "the recorded command cannot be repeated: --seed is given twice",
        ),
        ('{"provenance": {"command": ["dr-audit", "-"]}}', "standard input"),
        ('{"provenance": {"command": ["dr-audit", "--help"]}}', "is no audit"),
        ('{"provenance": {"command": ["dr-audit", "--list"]}}', "is no audit"),
        ('{"provenance": {"command": ["dr-audit", "--seed", "x"]}}', "is no audit"),
        ('{"provenance": {"command": ["dr-audit", "--verify", "a.json"]}}', "is no audit"),
    ],
)
def test_a_record_that_cannot_be_verified_is_refused(capsys, tmp_path, text, message):
    (tmp_path / "a.json").write_text(text)
    code, out, err = run(capsys, "--verify", tmp_path / "a.json")
    assert (code, out) == (2, "")
    assert message in err


def test_a_record_cannot_make_a_pickle_trusted(capsys, ricci, tmp_path):
    rows = pd.read_csv(ricci)
    model = DummyClassifier()
    model.fit(rows.drop(columns="Class"), rows["Class"])
    (tmp_path / "m.pkl").write_bytes(pickle.dumps(model))
    audit = (ricci, "--label", "Class", "--privileged", "Race=W", "--n-boot", 9, "--json")
    record = tmp_path / "a.json"
    assert run(capsys, *audit, record, "--model", tmp_path / "m.pkl", "--trust-pickle")[0] == 0
    code, _, err = run(capsys, "--verify", record)
    assert code == 2
    assert "Pass --trust-pickle" in err
    assert run(capsys, "--verify", record, "--trust-pickle")[0] == 0
