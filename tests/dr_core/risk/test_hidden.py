"""One attribute alone can have more risk than all attributes together."""

import pandas as pd
import pytest

from dr_core import assess_risk, compare
from dr_core.cli import main
from dr_core.risk import describe_hidden_risk

SENTENCE = "Perturbing sex alone changes more predictions"


@pytest.fixture
def people():
    return pd.DataFrame(
        {"sex": ["M", "F", "F", "M"] * 5, "race": ["W", "B", "W", "B"] * 5, "age": range(20)}
    )


PRIVILEGED = {"sex": "M", "race": "W"}


def agree(X):
    """Depends on whether both are privileged or both are not; changes of both cancel out."""
    return ((X["sex"] == "M") == (X["race"] == "W")).to_numpy().astype(int)


def either(X):
    return ((X["sex"] == "M") | (X["race"] == "W")).to_numpy().astype(int)


class TestSentence:
    def test_names_the_attribute_with_the_highest_risk_and_both_values(self):
        found = describe_hidden_risk({"race": 0.15, "sex": 0.162, "all": 0.143})
        assert found == f"{SENTENCE} (16.2 %) than all attributes together (14.3 %)."

    @pytest.mark.parametrize(
        "risks",
        [
            {"sex": 0.1, "race": 0.2, "all": 0.2},
            {"sex": 0.1, "race": 0.2, "all": 0.3},
            {"sex": 0.1},
            {"all": 0.1},
            {},
            {"sex": 0.1 + 0.2, "race": 0.0, "all": 0.3},
            {"sex": 0.3, "race": 0.1, "all": float("nan")},
            {"sex": float("nan"), "race": float("nan"), "all": 0.3},
        ],
    )
    def test_is_absent_where_nothing_is_hidden_or_known(self, risks):
        assert describe_hidden_risk(risks) == ""


class TestAssessment:
    def test_headline_says_so(self, people):
        risk = assess_risk(agree, people, PRIVILEGED)
        assert risk.value == 0
        expected = f"{SENTENCE} (100.0 %) than all attributes together (0.0 %)"
        assert expected in repr(risk)
        assert expected in risk._repr_html_()

    def test_headline_says_nothing_where_all_together_is_highest(self, people):
        assert "Perturbing" not in repr(assess_risk(either, people, PRIVILEGED))

    def test_headline_says_nothing_about_what_was_not_measured(self, people):
        assert "Perturbing" not in repr(assess_risk(agree, people, {"sex": "M"}))
        risk = assess_risk(agree, people, PRIVILEGED, each_attribute=False)
        assert "Perturbing" not in repr(risk)


class TestComparison:
    @pytest.fixture
    def both(self, people):
        models = {"agree": lambda X: agree(X) == 1, "either": lambda X: either(X) == 1}
        return compare(models, people, people["age"] > 9, PRIVILEGED)

    def test_a_note_names_the_model(self, both):
        (note,) = both.notes
        assert note.startswith(f"agree: {SENTENCE}")
        assert note in repr(both)
        assert note in both._repr_html_()

    def test_the_headline_of_the_report_says_so(self, both):
        page = both.to_html().replace("\N{NO-BREAK SPACE}", " ")
        assert page.count(f"{SENTENCE} (100.0 %) than all attributes together (0.0 %).") == 1

    def test_measures_without_risk_have_no_note(self, people):
        found = compare({"a": agree}, people, agree(people), PRIVILEGED, measures=["accuracy"])
        assert found.notes == []


class TestCommandLine:
    @pytest.fixture
    def audit(self, people, tmp_path, capsys, monkeypatch):
        def run(label, model):
            file = tmp_path / "people.csv"
            many = pd.concat([people] * 10, ignore_index=True)
            many.assign(label=label(many)).to_csv(file, index=False)
            options = ["--label", "label", "--privileged", "sex=M", "race=W", "--n-boot", "0"]
            options += [] if label is quantity else ["--favorable", "1"]
            monkeypatch.setattr("dr_core.cli._main.default_model", lambda *_, **__: Fitted(model))
            assert main([str(file), *options]) == 0
            return " ".join(capsys.readouterr().out.split())

        return run

    def test_headline_says_so(self, audit):
        assert f"{SENTENCE} (100.0 %) than all attributes together (0.0 %)." in audit(agree, agree)

    def test_says_so_of_a_regressor(self, audit):
        sentence = "Perturbing sex alone moves predictions further (1000) than all attributes"
        assert sentence in audit(quantity, lambda X: 1000.0 * agree(X))


def quantity(X):
    return X.index * 1.5


class Fitted:
    """A model that learns nothing."""

    def __init__(self, predict):
        self.predict = predict

    def fit(self, X, y):
        return self
