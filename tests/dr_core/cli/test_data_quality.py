"""Dirty data are not audited silently: what was found is said, and how to mend it."""

import json

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.compose import make_column_transformer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from dr_core.cli._data_quality import Cleaning, check_frame, check_identifier
from dr_core.cli._main import main


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture(scope="module")
def clean():
    rng = np.random.default_rng(0)
    n = 400
    sex, pay = rng.choice(["male", "female"], n), rng.normal(3000, 500, n).round(2)
    hired = np.where(pay + 400 * (sex == "male") > 3100, "yes", "no")
    return pd.DataFrame(
        {"sex": sex, "pay": pay, "town": rng.choice(["A", "B"], n), "hired": hired}
    )


def findings(frame, **options):
    found = check_frame(frame, "hired", ["sex"], **{"is_trained_on": True} | options)
    return [(one.check, one.column) for one in found]


def test_clean_data_give_no_finding(clean):
    assert findings(clean) == []


def misspell(values, *spellings):
    changed = values.tolist()
    for i, spelling in enumerate(spellings):
        changed[i] = spelling
    return changed


DIRT = {
    "case and blanks": ("sex", lambda c: misspell(c, *[" male", "MALE"] * 30), "spelling"),
    "accents": ("town", lambda c: misspell(c, "Köln", "Koln"), "spelling"),
    "a label of three values": ("hired", lambda c: misspell(c, *["maybe"] * 40), "label"),
    "a constant label": ("hired", lambda c: ["yes"] * len(c), "label"),
    "a small group": ("sex", lambda c: misspell(c, *["diverse"] * 29), "small groups"),
    "missing values": ("town", lambda c: misspell(c, *[None] * 20), "missing values"),
    "a counter": ("pay", lambda c: np.arange(len(c)), "feature"),
    "codes": ("town", lambda c: [f"C{7 * i}" for i in range(len(c))], "feature"),
    "German dates": ("town", lambda c: ["03.10.1990", "24.12.1989"] * (len(c) // 2), "feature"),
    "ISO dates": ("town", lambda c: ["1990-10-03", "1989-12-24"] * (len(c) // 2), "feature"),
    "a text among numbers": ("pay", lambda c: misspell(c.astype(object), "unknown"), "numbers"),
    "a text among numbers as text": ("pay", lambda c: misspell(c.astype(str), "?"), "numbers"),
    "timestamps": ("town", lambda c: pd.Timestamp("1990-10-03"), "feature"),
    "free text": ("town", lambda c: [f"was late {i} times" for i in range(len(c))], "feature"),
}


@pytest.mark.parametrize("dirt", DIRT)
def test_dirt_is_found(clean, dirt):
    column, soil, check = DIRT[dirt]
    assert findings(clean.assign(**{column: soil(clean[column])})) == [(check, column)]


def test_a_feature_that_identifies_rows_is_one_of_the_trained_model(clean):
    frame = clean.assign(town=[f"C{i}" for i in range(len(clean))])
    [finding] = check_frame(frame, "hired", ["sex"], is_trained_on=True)
    assert "the model is trained on it; leave it out with --drop town" in finding.remedy


def test_features_do_not_matter_to_a_model_that_is_given(clean):
    frame = clean.assign(town=[f"C{i}" for i in range(len(clean))])
    assert findings(frame, is_trained_on=False) == []


def test_a_column_of_text_with_some_numbers_is_no_column_of_numbers(clean):
    codes = [f"{i % 9}" if i % 5 else "B" for i in range(len(clean))]
    assert findings(clean.assign(town=codes)) == []
    assert findings(clean.assign(town=[str(i % 9) for i in range(len(clean))])) == []


def test_cells_that_are_no_numbers_are_named(clean):
    pay = misspell(clean["pay"].astype(str), "unknown", "unknown", "none")
    [finding] = check_frame(clean.assign(pay=pay), "hired", ["sex"], is_trained_on=True)
    assert "has 2 values among numbers, in 3 rows, that are no number" in finding.message
    assert "'unknown', 'none'" in finding.message
    assert "correct these cells or make them empty" in finding.remedy


class TestOneTextAmongNumbers:
    @pytest.fixture
    def audit(self, clean, tmp_path):
        pay = misspell(clean["pay"].astype(str), "unknown")
        clean.assign(pay=pay).to_csv(tmp_path / "a.csv", index=False)
        return (tmp_path / "a.csv", "--label", "hired", "--favorable", "yes", "--n-boot", 0)

    def test_is_named_if_the_model_cannot_read_it(self, capsys, audit, clean, tmp_path):
        columns = make_column_transformer(("passthrough", ["pay"]))
        model = make_pipeline(columns, DecisionTreeClassifier()).fit(clean, clean["hired"])
        skops.io.dump(model, tmp_path / "m.skops")
        given = ("--privileged", "sex=male", "--model", tmp_path / "m.skops")
        code, _, err = run(capsys, *audit, *given)
        assert code == 2
        assert "the model cannot predict these rows: could not convert string to float" in err
        assert "Column 'pay' has 1 value among numbers" in err.splitlines()[-1]

    def test_is_named_if_a_range_is_privileged(self, capsys, audit):
        code, _, err = run(capsys, *audit, "--privileged", "pay>=25")
        assert code == 2
        assert "--privileged 'pay>=25', a range, cannot be applied" in err
        assert "'unknown', not only numbers. Correct these cells" in err


def test_rows_without_a_label_are_not_kept(clean):
    frame = clean.assign(hired=clean["hired"].where(clean.index > 3))
    with pytest.raises(ValueError, match="4 rows; --missing keep is for sensitive values: remove"):
        Cleaning(missing="keep").apply(frame, "hired", ["sex"])


def test_measured_numbers_are_no_identifiers(clean):
    assert findings(clean.assign(pay=np.linspace(0, 1, len(clean)))) == []


def test_the_values_that_the_user_names_are_normalized_too(capsys, clean, tmp_path):
    clean.assign(sex=clean["sex"].replace("male", " Male")).to_csv(tmp_path / "a.csv", index=False)
    audit = (tmp_path / "a.csv", "--label", "hired", "--favorable", "YES", "--n-boot", 0)
    code, out, _ = run(capsys, *audit, "--privileged", "sex=MALE ", "--normalize")
    assert code == 0
    assert "sex = Male" in out
    code, _, err = run(capsys, *audit, "--privileged", "sex= Male")
    assert code == 2
    assert "--favorable must be one of the labels" in err


def test_spellings_become_the_most_frequent_one():
    frame = pd.DataFrame({"sex": ["male", " MALE", "male", "F", None], "y": [1, 0, 1, 0, 1]})
    normal = Cleaning(normalize=True).apply(frame.iloc[:4], "y", ["sex"])
    assert normal["sex"].tolist() == ["male", "male", "male", "F"]
    assert frame["sex"].tolist()[:2] == ["male", " MALE"]


@pytest.fixture
def dirty(clean, tmp_path):
    path = tmp_path / "dirty.csv"
    sex = misspell(clean["sex"], *[" male", "MALE"] * 30)
    clean.assign(sex=sex, id=range(len(clean))).to_csv(path, index=False)
    return path


AUDIT = ("--label", "hired", "--favorable", "yes", "--privileged", "sex=male", "--n-boot", 20)


def test_warnings_lead_to_a_clean_audit(capsys, dirty, tmp_path):
    code, _, err = run(capsys, dirty, *AUDIT)
    assert code == 0
    assert "dr-audit: warning: column 'sex' has values that differ in case or blanks only" in err
    assert "--normalize" in err
    assert "--drop id" in err
    html, values = tmp_path / "a.html", tmp_path / "a.json"
    mended = ("--normalize", "--drop", "id", "--html", html, "--json", values)
    code, _, err = run(capsys, dirty, *AUDIT, *mended)
    assert code == 0
    assert "warning" not in err
    content = json.loads(values.read_text())
    assert {g["group"] for g in content["groups"]} == {"female", "male"}
    assert [one["check"] for one in content["data_quality"]] == ["--normalize"]


def test_clean_data_are_said_to_be_clean(capsys, clean, tmp_path):
    clean.to_csv(tmp_path / "a.csv", index=False)
    audit = (tmp_path / "a.csv", *AUDIT, "--normalize", "--missing", "keep")
    code, _, err = run(capsys, *audit, "--html", tmp_path / "a.html")
    assert (code, err) == (0, "")
    assert "Nothing was found." in (tmp_path / "a.html").read_text()


def test_changed_spellings_stand_in_the_data_quality(capsys, clean, dirty, tmp_path):
    html, values = tmp_path / "a.html", tmp_path / "a.json"
    audit = (dirty, *AUDIT, "--normalize", "--drop", "id", "--html", html, "--json", values)
    _, _, err = run(capsys, *audit)
    (change,) = json.loads(values.read_text())["data_quality"]
    assert change["column"] == "sex"
    assert change["message"] == "had other spellings in 60 of 400 rows: ' male', 'MALE'"
    assert f"dr-audit: note: column 'sex' {change['message']}" in err
    assert "had other spellings in 60 of 400 rows" in html.read_text()


@pytest.mark.parametrize(
    ("missing", "done"), [("keep", "kept, this value unperturbed"), ("drop", "left out")]
)
def test_rows_with_missing_values_stand_in_the_data_quality(
    capsys, clean, tmp_path, missing, done
):
    path, values = tmp_path / "a.csv", tmp_path / "a.json"
    clean.assign(sex=misspell(clean["sex"], *[None] * 7)).to_csv(path, index=False)
    _, _, err = run(capsys, path, *AUDIT, "--missing", missing, "--json", values)
    assert json.loads(values.read_text())["data_quality"] == [
        {
            "check": f"--missing {missing}",
            "column": "sex",
            "message": "is missing in 7 of 400 rows",
            "remedy": f"these rows were {done}",
        }
    ]
    assert "dr-audit: note: column 'sex' is missing in 7 of 400 rows" in err


def test_rows_of_chunks_with_missing_values_stand_in_the_data_quality(capsys, clean, tmp_path):
    clean = clean[["sex", "pay", "hired"]].assign(sex=misspell(clean["sex"], *[None] * 7))
    clean.to_csv(tmp_path / "a.csv", index=False)
    model = make_pipeline(make_column_transformer(("passthrough", ["pay"])), GaussianNB())
    skops.io.dump(model.fit(clean, clean["hired"]), tmp_path / "m.skops")
    chunks = ("--model", tmp_path / "m.skops", "--chunk-rows", 150, "--missing", "keep")
    code, _, err = run(capsys, tmp_path / "a.csv", *AUDIT, *chunks)
    assert code == 0
    assert "dr-audit: note: column 'sex' is missing in 7 of 400 rows" in err


def test_dropped_rows_without_a_label_stand_in_the_data_quality(capsys, clean, tmp_path):
    path = tmp_path / "a.csv"
    clean.assign(hired=misspell(clean["hired"], *[None] * 7)).to_csv(path, index=False)
    _, _, err = run(capsys, path, *AUDIT, "--missing", "drop")
    assert "column 'hired' is missing in 7 of 400 rows; these rows were left out" in err


def test_findings_stand_in_report_and_json(capsys, dirty, tmp_path):
    html, values = tmp_path / "a.html", tmp_path / "a.json"
    assert run(capsys, dirty, *AUDIT, "--html", html, "--json", values)[0] == 0
    found = json.loads(values.read_text())["data_quality"]
    assert {(one["check"], one["column"]) for one in found} == {
        ("spelling", "sex"),
        ("feature", "id"),
    }
    assert "Data quality" in html.read_text()
    assert "with --normalize" in html.read_text()


@pytest.mark.parametrize(
    ("column", "remedy"), [("sex", "--missing keep"), ("hired", "--missing drop")]
)
def test_missing_values_are_refused_with_a_remedy(capsys, clean, tmp_path, column, remedy):
    path = tmp_path / "a.csv"
    clean.assign(**{column: misspell(clean[column], None, None)}).to_csv(path, index=False)
    code, _, err = run(capsys, path, *AUDIT)
    assert code == 2
    assert f"{column!r} has missing values in 2 rows" in err
    assert remedy in err
    code, out, _ = run(capsys, path, *AUDIT, "--missing", "drop")
    assert code == 0
    assert "of 400 rows; left out: 2 rows without a sensitive value or a label" in out


def test_rows_left_out_stand_where_the_audit_says_what_it_did_not_test(capsys, clean, tmp_path):
    path, html, values = (tmp_path / name for name in ("a.csv", "a.html", "a.json"))
    clean.assign(sex=misspell(clean["sex"], *[None] * 7)).to_csv(path, index=False)
    run(capsys, path, *AUDIT, "--missing", "drop", "--html", html, "--json", values)
    assert json.loads(values.read_text())["rows_left_out"] == 7
    assert "Left out: 7 rows without a sensitive value or a label." in html.read_text()
    run(capsys, path, *AUDIT, "--missing", "keep", "--html", html, "--json", values)
    assert "rows_left_out" not in json.loads(values.read_text())
    assert "without a sensitive value or a label" not in html.read_text()


def test_a_code_for_missing_values_is_named_with_a_remedy(capsys, clean, tmp_path):
    path = tmp_path / "codes.csv"
    clean.assign(sex=misspell(clean["sex"], *["?"] * 20)).to_csv(path, index=False)
    code, _, err = run(capsys, path, *AUDIT)
    assert code == 0
    assert "'sex' has the value '?'" in err
    assert "--missing drop or --missing keep" in err


def test_rows_with_missing_values_can_be_kept(capsys, clean, tmp_path):
    path = tmp_path / "a.csv"
    clean.assign(sex=misspell(clean["sex"], *[None] * 40)).to_csv(path, index=False)
    keep = "--missing", "keep", "--max-risk", "1", "--junit", tmp_path / "a.xml"
    code, out, _ = run(capsys, path, *AUDIT, *keep)
    assert code == 0
    assert "of 400 rows" in out
    assert "missing" in out
    assert "PASS: discriminative risk of model for " in out
    assert 'name="discriminative_risk for ' in (tmp_path / "a.xml").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--drop", "age"), "--drop: column 'age' is not in the file"),
        (("--drop", "sex"), "--drop: column 'sex' is the label or a sensitive column"),
        (("--model", "m.skops", "--chunk-rows", 9, "--normalize"), "leave out --chunk-rows"),
    ],
)
def test_what_cannot_be_cleaned_is_said(capsys, dirty, options, message):
    code, _, err = run(capsys, dirty, *AUDIT, *options)
    assert code == 2
    assert message in err


def test_shipped_data_are_not_cleaned(capsys):
    code, _, err = run(capsys, "ricci", "--normalize")
    assert code == 2
    assert "--normalize, --drop and --missing are for files" in err


@pytest.mark.parametrize("name", ["ppvr", "lawschool"])  # decisions, and a quantity
def test_rare_values_that_many_rows_become_are_named_with_a_remedy(capsys, name):
    code, _, err = run(capsys, name, "--n-boot", 0)
    assert code == 0
    assert "dr-audit: note: privileged rows become rare values of 'race'" in err
    assert "merge values in training and audit; or, in Python, " in err


class TestSpellingsBesideTheHeadline:
    SAID = "Spellings of sex that differ only in case, blanks or accents count as different values"

    @pytest.fixture
    def loans(self, clean, tmp_path):
        dirty = clean.assign(sex=misspell(clean["sex"], *["male "] * 20))
        dirty = dirty.assign(town=misspell(clean["town"], *["a"] * 20), score=clean["pay"] / 7)
        dirty.to_csv(tmp_path / "loans.csv", index=False)
        return tmp_path / "loans.csv", "--privileged", "sex=male", "--n-boot", 9

    @pytest.mark.parametrize(
        "label", [("--label", "hired", "--favorable", "yes"), ("--label", "score")]
    )
    def test_are_named_in_terminal_and_report(self, capsys, loans, tmp_path, label):
        code, out, _ = run(capsys, *loans, *label, "--html", tmp_path / "a.html")
        assert code == 0
        assert self.SAID in " ".join(out.split())
        assert self.SAID in (tmp_path / "a.html").read_text()

    def test_are_not_named_if_they_are_unified(self, capsys, loans):
        _, out, _ = run(capsys, *loans, "--label", "hired", "--favorable", "yes", "--normalize")
        assert "Spellings of" not in out


class TestIdentifierThatRepeats:
    @pytest.fixture
    def stacked(self, clean, tmp_path):
        """Three copies of each row."""
        path = tmp_path / "stacked.csv"
        pd.concat([clean.assign(badge=range(len(clean)))] * 3).to_csv(path, index=False)
        return path, "--label", "hired", "--favorable", "yes", "--privileged", "sex=male"

    def find(self, capsys, tmp_path, *arguments):
        path = tmp_path / "a.json"
        assert run(capsys, *arguments, "--n-boot", 9, "--json", path)[0] == 0
        return json.loads(path.read_text())

    def test_is_found_with_its_counts_and_the_remedy(self, capsys, stacked, tmp_path):
        found = self.find(capsys, tmp_path, *stacked, "--id", "badge")["data_quality"]
        [one] = [one for one in found if one["check"] == "identifier"]
        assert one["message"].startswith("identifies 1,200 rows, but has 400 values")
        assert "pass --person badge" in one["remedy"]

    def test_makes_intervals_longer_with_the_remedy(self, capsys, stacked, tmp_path):
        rows, people = (
            self.find(capsys, tmp_path, *stacked, option, "badge")
            for option in ("--id", "--person")
        )
        assert not [one for one in people["data_quality"] if one["check"] == "identifier"]
        lengths = [one["values"][0]["high"] - one["values"][0]["low"] for one in (rows, people)]
        assert lengths[1] > 1.5 * lengths[0]

    def test_is_none_if_each_row_has_its_own(self):
        assert list(check_identifier(pd.Series([1, 2, None, None], name="badge"))) == []
