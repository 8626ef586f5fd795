import io
import json
import pickle
import re
import subprocess
import sys
from functools import partial
from gzip import GzipFile
from zipfile import ZipFile

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from rich.console import Console
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from dr_core import compare, datasets
from dr_core.cli._main import main
from dr_core.cli._terminal import print_comparison
from dr_core.metrics import MEASURES, PERFORMANCE_MEASURES, recall, specificity


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture(scope="module")
def credit():
    bunch = datasets.load("credit")
    return bunch.data.assign(good=np.where(bunch.target == 1, "yes", "no"))


@pytest.fixture(scope="module")
def csv(credit, tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "loans.csv"
    credit.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def model(credit):
    X, y = credit.drop(columns="good"), credit["good"]
    encode = make_column_transformer(
        (
            OneHotEncoder(handle_unknown="ignore"),
            X.select_dtypes(exclude="number").columns.tolist(),
        ),
        remainder="passthrough",
    )
    return make_pipeline(encode, DecisionTreeClassifier(max_depth=9, random_state=0)).fit(X, y)


AUDIT = ("--label", "good", "--favorable", "yes", "--privileged", "sex=male", "age=adult")


def test_a_shipped_data_set_needs_only_its_name(capsys, tmp_path):
    code, out, err = run(capsys, "credit", "--json", tmp_path / "credit.json")
    assert (code, err) == (0, "")
    assert "of people would get a different decision if only their sex and age were" in out
    assert "credit, 300 of 1,000 rows" in out
    for line in ("discriminative risk", "demographic parity", "disparate impact", "accuracy"):
        assert line in out
    content = json.loads((tmp_path / "credit.json").read_text())
    values = {(v["attribute"], v["measure"]): v for v in content["values"]}
    shown = values["all", "discriminative_risk"]
    value, low, high = (100 * shown[name] for name in ("value", "low", "high"))
    assert f"{value:.1f} % [{low:.1f}, {high:.1f}]" in out


@pytest.mark.parametrize("name", ["ppr", "ppvr"])
def test_not_to_reoffend_is_favourable(capsys, tmp_path, name):
    code, out, _ = run(capsys, name, "--n-boot", 0, "--json", tmp_path / "a.json")
    assert code == 0
    assert re.search(r"^favourable +no (violent )?recidivism$", out, re.MULTILINE)
    values = json.loads((tmp_path / "a.json").read_text())["values"]
    impact = {v["attribute"]: v["value"] for v in values if v["measure"] == "disparate_impact"}
    # Fewer defendants of other races than white ones are predicted not to re-offend.
    assert impact["race"] < 1


def test_the_same_seed_prints_the_same(capsys):
    first, second = (run(capsys, "ricci", "--seed", 3) for _ in range(2))
    assert first == second


def test_a_quantity_is_audited_by_its_shift_and_by_group(capsys, tmp_path):
    path, page = tmp_path / "law.json", tmp_path / "law.html"
    code, out, _ = run(capsys, "lawschool", "--json", path, "--html", page)
    assert code == 0
    content = json.loads(path.read_text())
    shifts = {row["attribute"]: row for row in content["shift"]}
    assert set(shifts) == {"race", "sex", "all"}
    assert f"Predictions would move by {shifts['all']['mean']:.4g} on average" in out
    black = next(row for row in content["groups"] if row["group"] == "Black")
    assert f"{black['mean_absolute_error']:.4g}" in out
    text = page.read_text(encoding="utf-8")
    for shown in ("Mean absolute error", "unit of the label", f"{black['mean_error']:.4g}"):
        assert shown in text
    assert "favourable decision" not in text


def test_a_tolerance_counts_the_predictions_that_move_further(capsys, tmp_path):
    path = tmp_path / "law.json"
    code, out, _ = run(capsys, "lawschool", "--tolerance", "0.5", "--json", path)
    assert code == 0
    above = json.loads(path.read_text())["shift"][-1]["above_tolerance"]
    assert 0 < above < 1
    assert f"{above:.4g}" in out


def test_the_list_shows_every_data_set(capsys):
    code, out, _ = run(capsys, "--list")
    assert code == 0
    assert all(name in out for name in datasets.names())


def test_ones_own_file_without_a_model_is_split_and_a_model_trained(capsys, csv):
    code, out, _ = run(capsys, csv, *AUDIT)
    assert code == 0
    assert "loans.csv, 300 of 1,000 rows" in out


@pytest.mark.parametrize("kind", ["skops", "joblib", "pkl"])
def test_ones_own_model_is_audited_on_all_rows(capsys, csv, credit, model, tmp_path, kind):
    path = tmp_path / f"tree.{kind}"
    {
        "skops": lambda: skops.io.dump(model, path),
        "joblib": lambda: joblib.dump(model, path),
        "pkl": lambda: path.write_bytes(pickle.dumps(model)),
    }[kind]()
    trust = () if kind == "skops" else ("--trust-pickle",)
    json_path = tmp_path / "audit.json"
    code, _, err = run(capsys, csv, *AUDIT, "--model", path, *trust, "--json", json_path)
    assert (code, err) == (0, "")
    X, y = credit.drop(columns="good"), credit["good"]
    privileged = {"sex": "male", "age": "adult"}
    how = {"favorable": "yes", "reference": True}
    expected = compare({"model": model}, X, y, privileged, **how).table()
    for value in json.loads(json_path.read_text())["values"]:
        assert value["value"] == expected.loc[("model", value["attribute"]), value["measure"]]


def test_a_skops_file_may_hold_a_selector_of_columns(capsys, csv, credit, tmp_path):
    numbers = make_column_selector(dtype_include="number")
    encode = make_column_transformer(("passthrough", numbers), (OneHotEncoder(), ["sex", "age"]))
    model = make_pipeline(encode, DecisionTreeClassifier(max_depth=3))
    skops.io.dump(model.fit(credit.drop(columns="good"), credit["good"]), tmp_path / "m.skops")
    audit = (csv, *AUDIT, "--model", tmp_path / "m.skops")
    assert run(capsys, *audit)[0] == 0
    needed = next(name for name in credit.columns if name not in ("good", "sex", "age"))
    code, _, err = run(capsys, *audit, "--drop", needed)
    assert (code, f"--drop: the model was fitted on {needed!r}" in err) == (2, True)


def test_parquet_files_are_read(capsys, credit, tmp_path):
    path = tmp_path / "loans.parquet"
    credit.to_parquet(path)
    code, out, _ = run(capsys, path, *AUDIT)
    assert code == 0
    assert "loans.parquet" in out


def test_numbers_and_several_privileged_values_are_understood(capsys, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"g": rng.integers(0, 3, 300), "z": rng.normal(size=300), "y": rng.integers(0, 2, 300)}
    )
    frame.to_csv(tmp_path / "a.csv", index=False)
    code, out, _ = run(capsys, tmp_path / "a.csv", "--label", "y", "--privileged", "g=0,2")
    assert code == 0
    assert "g = 0, 2" in out


BAD = {
    "nothing at all": ((), "pass a data set or a file"),
    "an unknown data set": (("adult",), "'adult' is neither a file nor one of the data sets"),
    "a file without a label": (("{csv}",), "a file needs --label COLUMN and --privileged"),
    "an absent label": (
        ("{csv}", "--label", "x", "--privileged", "sex=male"),
        "label column 'x' is not in loans.csv",
    ),
    "an absent sensitive column": (
        ("{csv}", "--label", "good", "--favorable", "yes", "--privileged", "race=W"),
        "sensitive column 'race' is not in the file",
    ),
    "a privileged value that is not there": (
        ("{csv}", "--label", "good", "--favorable", "yes", "--privileged", "sex=man"),
        "privileged value 'man' is not in column 'sex', which has 'female', 'male'.",
    ),
    "privileged without a value": (
        ("{csv}", "--label", "good", "--favorable", "yes", "--privileged", "sex"),
        "--privileged must be COLUMN=VALUE, or a range such as 'age>=25'; got 'sex'.",
    ),
    "an unknown favourable label": (
        ("{csv}", "--label", "good", "--favorable", "1", "--privileged", "sex=male"),
        "--favorable must be one of the labels",
    ),
    "no favourable label": (
        ("{csv}", "--label", "good", "--privileged", "sex=male"),
        "pass --favorable, the favourable label: one of",
    ),
    "a file of an unknown kind": (
        ("{other}", "--label", "good", "--privileged", "sex=male"),
        "'notes.txt' must end in .csv, .csv.gz, .tsv, .feather, .xlsx or .parquet.",
    ),
    "an empty file": (
        ("{empty}", "--label", "good", "--privileged", "sex=male"),
        "No columns to parse",
    ),
    "an absent model": (
        ("{csv}", *AUDIT, "--model", "x.skops"),
        "--model: the file 'x.skops' does not exist",
    ),
    "a model of an unknown kind": (
        ("{csv}", *AUDIT, "--model", "{other}"),
        "model file 'notes.txt' must end in .skops",
    ),
    "a pickle that is not trusted": (
        ("{csv}", *AUDIT, "--model", "{pickle}"),
        "loading a pickle can run any code. Pass --trust-pickle",
    ),
    "a skops file with unknown types": (
        ("{csv}", *AUDIT, "--model", "{skops}"),
        "contains types that are not known to be safe: ",
    ),
    "a broken skops file": (
        ("{csv}", *AUDIT, "--model", "{broken}"),
        "'broken.skops' cannot be read as a model: ",
    ),
    "a broken pickle": (
        ("{csv}", *AUDIT, "--model", "{empty_pickle}", "--trust-pickle"),
        "'empty.pkl' cannot be read as a model: ",
    ),
    "a skops file with disguised types": (
        ("{csv}", *AUDIT, "--model", "{disguised}"),
        "contains types that are not known to be safe: ",
    ),
    "a data set with a label of one's own": (
        ("ricci", "--label", "Race"),
        "--person and --id are for files; the data set 'ricci' defines its",
    ),
    "a column named twice": (
        (
            "{csv}",
            "--label",
            "good",
            "--favorable",
            "yes",
            "--privileged",
            "sex=male",
            "sex=female",
        ),
        "--privileged names the column 'sex' twice",
    ),
    "a column named in two options": (
        ("{csv}", *AUDIT, "--privileged", "sex=female"),
        "--privileged names the column 'sex' twice",
    ),
    "a column left out twice": (
        ("{csv}", *AUDIT, "--drop", "age", "--drop", "age"),
        "--drop names 'age' twice",
    ),
    "a tolerance for classes": (
        ("ricci", "--tolerance", "1"),
        "--tolerance needs a label that is a quantity",
    ),
    "a header alone": (
        ("{header}", "--label", "y", "--privileged", "a=1"),
        "header.csv has no rows.",
    ),
    "a folder that does not exist": (
        ("ricci", "--json", "no/such/folder.json"),
        "No such file or directory",
    ),
}


class Unknown:
    """A type skops cannot vouch for."""

    def predict(self, X):
        return ["yes"] * len(X)


@pytest.fixture(scope="module")
def places(csv, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bad")
    other, pickled, unsafe, empty = (
        folder / name for name in ("notes.txt", "model.pkl", "model.skops", "empty.csv")
    )
    other.write_text("hello")
    empty.write_text("")
    pickled.write_bytes(pickle.dumps(1))
    skops.io.dump(Unknown(), unsafe)
    (folder / "broken.skops").write_bytes(b"garbage")
    (folder / "empty.pkl").write_bytes(b"")
    (folder / "header.csv").write_text("a,y\n")
    return {
        "csv": csv,
        "other": other,
        "pickle": pickled,
        "skops": unsafe,
        "empty": empty,
        "broken": folder / "broken.skops",
        "empty_pickle": folder / "empty.pkl",
        "header": folder / "header.csv",
        "disguised": disguised(folder / "disguised.skops", folder / "victim.txt"),
    }


def disguised(path, victim):
    """A skops file that reaches a class which writes files through a name within scikit-learn."""
    harmless = skops.io.dumps(partial(GzipFile, str(victim), "wb"))
    with ZipFile(io.BytesIO(harmless)) as archive, ZipFile(path, "w") as forged:
        for name in archive.namelist():
            content = archive.read(name)
            if name == "schema.json":
                content = content.replace(b'"functools"', b'"sklearn.compose._column_transformer"')
                content = content.replace(b'"gzip"', b'"sklearn.datasets._covtype"')
            forged.writestr(name, content)
    return path


def test_a_disguised_model_file_writes_nothing(capsys, places):
    run(capsys, places["csv"], *AUDIT, "--model", places["disguised"])
    assert not places["disguised"].with_name("victim.txt").exists()


def test_without_a_bootstrap_there_are_no_intervals(capsys):
    code, out, err = run(capsys, "ricci", "--n-boot", "0")
    assert (code, err) == (0, "")
    assert "interval" not in out


def test_gaps_are_printed_with_their_sign(capsys, tmp_path):
    path = tmp_path / "ricci.json"
    code, out, _ = run(capsys, "ricci", "--json", path, "--n-boot", "50")
    assert code == 0
    values = {row["measure"]: row for row in json.loads(path.read_text())["values"]}
    gap, combined = values["demographic_parity"], values["equalized_odds"]
    value, low, high = (100 * gap[name] for name in ("signed", "signed_low", "signed_high"))
    assert f"{value:+.1f} pp [{low:+.1f}, {high:+.1f}]" in out
    value, low, high = (100 * combined[name] for name in ("value", "low", "high"))
    assert f"{value:.1f} % [{low:.1f}, {high:.1f}]" in out
    assert "marginalised minus privileged" in " ".join(out.split())


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_one_clear_line_and_exit_code_2(capsys, places, case):
    arguments, message = BAD[case]
    code, out, err = run(capsys, *(argument.format(**places) for argument in arguments))
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert err.startswith("dr-audit: ")
    assert message in err


def test_the_installed_command_runs_and_is_plain_when_piped():
    command = [sys.executable, "-c", "from dr_core.cli import main; raise SystemExit(main())"]
    done = subprocess.run([*command, "ricci"], capture_output=True, text=True, check=True)
    assert "\x1b" not in done.stdout
    assert done.stdout.isascii()
    assert done.stderr == ""


def test_a_terminal_gets_colours_and_lines():
    bunch = datasets.load("ricci")
    comparison = compare(
        {"m": lambda X: ((X["Race"] == "W") | (X["Oral"] > 75)).astype(int)},
        bunch.data,
        bunch.target,
        bunch.privileged,
        n_boot=20,
    )
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=100, legacy_windows=False)
    print_comparison(console, comparison, {"data": "ricci"})
    assert "\x1b[1m" in out.getvalue()
    assert "─" in out.getvalue()


@pytest.fixture
def mean_of_rates(monkeypatch):
    """A new performance measure."""
    name = "mean_of_rates"
    mean = lambda view: (recall(view) + specificity(view)) / 2  # noqa: E731
    monkeypatch.setitem(MEASURES, name, mean)
    PERFORMANCE_MEASURES.append(name)
    yield name
    PERFORMANCE_MEASURES.remove(name)


def test_a_new_performance_measure_is_in_the_line_of_performance(capsys, mean_of_rates):
    code, out, _ = run(capsys, "ricci")
    assert code == 0
    performance = " ".join(out.partition("\naccuracy ")[2].split())
    assert f" {mean_of_rates} " in performance
    assert "| mean of rates" not in out


def test_terminal_and_report_have_the_same_headline(capsys, tmp_path):
    _, out, _ = run(capsys, "credit", "--html", tmp_path / "credit.html")
    headline = re.search(r"[\d.]+ % of people would .+? interval .+? to .+? %\.", out, re.DOTALL)
    page = (tmp_path / "credit.html").read_text(encoding="utf-8")
    sentence = " ".join(headline[0].split())
    assert f'<p class="sentence">{sentence}</p>' in page.replace("\xa0", " ")


@pytest.fixture(scope="module")
def saved_model(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "model.joblib"
    joblib.dump(model, path)
    return path


def written(path):
    """What was written, but command and date, and what is not checked in chunks."""
    content = json.loads(path.read_text())
    for part in ("provenance", "data_quality"):
        content.pop(part, None)
    return content | {"settings": {k: v for k, v in content["settings"].items() if k != "date"}}


def printed(out):
    """What was printed, but which files were written."""
    return [line for line in out.splitlines() if not line.startswith("Wrote ")]


def test_independent_columns_raise_no_alarm(capsys, tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 12))).add_prefix("x").assign(group=[1] * 20 + [0] * 180)
    X.assign(label=(X["x0"] > 0).astype(int)).to_csv(tmp_path / "rows.csv", index=False)
    options = ("--label", "label", "--favorable", 1, "--privileged", "group=0")
    outputs = ("--html", tmp_path / "rows.html", "--json", tmp_path / "rows.json")
    code, out, _ = run(capsys, tmp_path / "rows.csv", *options, *outputs)
    assert code == 0
    assert "No implausible combination was found" in out
    assert "perturbed rows are implausible" not in out
    assert "perturbed rows are implausible" not in (tmp_path / "rows.html").read_text()
    assert json.loads((tmp_path / "rows.json").read_text())["implausible_pairs"] == {"model": []}


@pytest.mark.parametrize("chunks", [(), ("--chunk-rows", 200)])
def test_a_model_of_other_labels_than_the_file_is_refused(capsys, csv, credit, tmp_path, chunks):
    numbers = credit.select_dtypes("number").columns
    select = make_column_transformer(("passthrough", numbers))
    tree = make_pipeline(select, DecisionTreeClassifier(max_depth=2, random_state=0))
    path = tmp_path / "tree.pkl"
    path.write_bytes(pickle.dumps(tree.fit(credit.drop(columns="good"), credit["good"] == "yes")))
    code, _, error = run(capsys, csv, *AUDIT, "--model", path, "--trust-pickle", *chunks)
    assert code == 2
    assert "predicts False, True, but y has 'no', 'yes'" in error


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_an_audit_in_chunks_says_the_same(capsys, credit, saved_model, tmp_path, kind):
    path = tmp_path / f"loans.{kind}"
    credit.to_csv(path, index=False) if kind == "csv" else credit.to_parquet(path)
    arguments = (path, *AUDIT, "--model", saved_model, "--trust-pickle", "--n-boot", 50)
    whole = run(capsys, *arguments, "--json", tmp_path / "whole.json")
    chunks = ("--chunk-rows", 90, "--reference", path)
    parts = run(capsys, *arguments, "--json", tmp_path / "parts.json", *chunks)
    assert whole[0] == parts[0] == 0
    assert printed(whole[1]) == printed(parts[1])
    assert written(tmp_path / "whole.json") == written(tmp_path / "parts.json")


def test_a_quantity_in_chunks_has_the_shift_of_the_whole_file(capsys, csv, credit, tmp_path):
    columns = make_column_transformer((OneHotEncoder(), ["sex"]), ("passthrough", ["month"]))
    model, path = make_pipeline(columns, LinearRegression()), tmp_path / "linear.pkl"
    X = credit.drop(columns="credit_amount")
    path.write_bytes(pickle.dumps(model.fit(X, credit["credit_amount"])))
    options = ("--label", "credit_amount", "--privileged", "sex=male", "--model", path)
    found = []
    for chunks in ((), ("--chunk-rows", 90)):
        out = tmp_path / "out.json"
        code, *_ = run(capsys, csv, *options, "--trust-pickle", "--json", out, *chunks)
        assert code == 0
        found.append(json.loads(out.read_text()))
    whole, parts = found
    for key in ("shift", "groups", "errors"):
        assert whole[key] == parts[key]


def test_a_report_of_chunks_says_what_it_lacks(capsys, csv, saved_model, tmp_path):
    code, _, error = run(
        capsys,
        csv,
        *AUDIT,
        *("--model", saved_model, "--trust-pickle", "--chunk-rows", 300),
        *("--html", tmp_path / "report.html"),
    )
    assert code == 0
    assert "bounds and pruning of an ensemble need rows in memory" in error
    assert "% of people would get a different decision" in (tmp_path / "report.html").read_text()


CHUNKED = ("--privileged", "sex=male", "--model", "MODEL", "--chunk-rows", 90)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("income", "--chunk-rows", 9), "--chunk-rows is for files"),
        (
            ("FILE", *AUDIT, "--chunk-rows", 9),
            "--chunk-rows needs a fitted model: add --model FILE",
        ),
        (("FILE", *AUDIT, "--model", "MODEL", "--chunk-rows", 0), "rows must be an integer"),
        (
            ("FILE", "--label", "nothing", *CHUNKED),
            "label column 'nothing' is not in loans.csv",
        ),
    ],
)
def test_what_chunks_need_is_said(capsys, csv, saved_model, arguments, message):
    names = {"FILE": csv, "MODEL": saved_model}
    given = [names.get(argument, argument) for argument in arguments]
    code, _, error = run(capsys, *given, "--trust-pickle")
    assert code == 2
    assert message in error


def test_people_with_several_rows_are_counted_and_kept_together(credit, tmp_path, capsys):
    path, out = tmp_path / "loans.csv", tmp_path / "out.json"
    credit.assign(customer=np.arange(len(credit)) // 4).to_csv(path, index=False)
    code, text, _ = run(capsys, path, *AUDIT, "--person", "customer", "--json", out)
    assert code == 0
    settings = json.loads(out.read_text())["settings"]
    # All rows of a customer are in the part that is audited, or none.
    assert settings["rows"] == 4 * settings["people"]
    assert f"of the decisions about {settings['people']} people would be different" in text


def test_people_of_a_file_in_chunks_are_those_of_the_file(credit, model, tmp_path, capsys):
    path, fitted = tmp_path / "loans.csv", tmp_path / "model.pkl"
    credit.assign(customer=np.arange(len(credit)) % 100).to_csv(path, index=False)
    fitted.write_bytes(pickle.dumps(model))
    audit = (path, *AUDIT, "--person", "customer", "--model", fitted, "--trust-pickle")
    both = [tmp_path / "whole.json", tmp_path / "chunks.json"]
    assert run(capsys, *audit, "--n-boot", 50, "--json", both[0])[0] == 0
    assert run(capsys, *audit, "--n-boot", 50, "--json", both[1], "--chunk-rows", 300)[0] == 0
    whole, chunks = (pd.DataFrame(json.loads(one.read_text())["values"]) for one in both)
    chunks = chunks.set_index(["attribute", "measure"])
    shared = whole.set_index(["attribute", "measure"]).loc[chunks.index]
    pd.testing.assert_frame_equal(shared, chunks)


@pytest.fixture(scope="module")
def loans_by_age(tmp_path_factory):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(18, 75, 400), "debt": rng.normal(size=400)})
    frame["paid"] = (frame["age"] / 40 + frame["debt"] > 1).astype(int)
    path = tmp_path_factory.mktemp("ages") / "loans.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["age>=25"], "age >= 25"),
        (["age<65"], "age < 65"),
        (["age>25.5"], "age > 25.5"),
        (["age>=25", "age<65"], "25 <= age < 65"),
        (["age<=64", "age>24"], "24 < age <= 64"),
    ],
)
def test_a_privileged_range_is_understood(capsys, tmp_path, loans_by_age, texts, said):
    options = ("--label", "paid", "--n-boot", 0, "--json", tmp_path / "out.json")
    code, out, err = run(capsys, loans_by_age, *options, "--privileged", *texts)
    assert code == 0
    assert err == ""
    assert said in " ".join(out.split())
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["settings"]["privileged"] == {"age": said}
    assert [group["group"] for group in found["groups"]][1] == said


def test_a_range_of_chunks_is_that_of_the_whole_file(capsys, tmp_path, loans_by_age):
    frame = pd.read_csv(loans_by_age)
    model = DecisionTreeClassifier(max_depth=4, random_state=0)
    joblib.dump(model.fit(frame[["age", "debt"]], frame["paid"]), tmp_path / "tree.joblib")
    options = ("--label", "paid", "--model", tmp_path / "tree.joblib", "--trust-pickle")
    options = (*options, "--n-boot", 0, "--privileged", "age>=25")
    run(capsys, loans_by_age, *options, "--json", tmp_path / "a.json")
    run(capsys, loans_by_age, *options, "--chunk-rows", 70, "--json", tmp_path / "b.json")
    a, b = (json.loads((tmp_path / name).read_text()) for name in ("a.json", "b.json"))
    risk = [row["value"] for row in a["values"] if row["measure"] == "discriminative_risk"]
    assert risk == [row["value"] for row in b["values"] if row["measure"] == "discriminative_risk"]
    assert a["groups"] == b["groups"]


@pytest.mark.parametrize(
    ("texts", "match"),
    [
        (["age>=young"], "needs a number; got 'young'"),
        (["age"], "or a range such as 'age>=25'"),
        (["years>=25"], "sensitive column 'years' is not in the file"),
        (["age>=25", "age>=30"], "names the column 'age' twice"),
        (["age=30"], "--privileged 'age>=30'"),
        (["age>=200"], "none of the"),
    ],
)
def test_a_range_that_makes_no_sense_is_refused(capsys, loans_by_age, texts, match):
    code, _, err = run(capsys, loans_by_age, "--label", "paid", "--privileged", *texts)
    assert code == 2
    assert match in err


@pytest.fixture(scope="module")
def loans_by_sex(tmp_path_factory):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"sex": rng.choice(["male", "Male ", "female"], 300, p=[0.5, 0.1, 0.4])})
    frame["paid"] = (frame["sex"] != "female").astype(int) ^ (rng.random(300) < 0.1)
    path = tmp_path_factory.mktemp("spellings") / "loans.csv"
    frame.to_csv(path, index=False)
    return path


def test_values_that_differ_in_case_or_blanks_are_noted(capsys, loans_by_sex):
    options = ("--label", "paid", "--n-boot", 0, "--privileged", "sex=male")
    code, _, err = run(capsys, loans_by_sex, *options)
    assert code == 0
    assert "'sex' has values that differ in case or blanks only: 'male', 'Male '" in err
    assert err.count("in case or blanks") == 1


def test_values_that_differ_in_case_or_blanks_can_be_merged(capsys, tmp_path, loans_by_sex):
    options = ("--label", "paid", "--n-boot", 0, "--json", tmp_path / "out.json")
    options = (*options, "--privileged", "sex=male", "--normalize")
    code, _, err = run(capsys, loans_by_sex, *options)
    assert code == 0
    assert "case or blanks" not in err
    groups = json.loads((tmp_path / "out.json").read_text())["groups"]
    assert [group["group"] for group in groups] == ["female", "male"]
