"""A comparison as Markdown."""

import numpy as np
import pandas as pd
import pytest

from dr_core import compare
from dr_core.comparison._markdown import escape_markdown

X = pd.DataFrame({"sex": ["M", "F"] * 50, "race": ["w", "w", "b", "b"] * 25, "age": range(100)})
Y = np.arange(100) % 3 > 0
BOTH = {"sex": "M", "race": "w"}


def rule(X):
    return X["age"] > X["sex"].map({"M": 40, "F": 50})


def rows(text):
    """Cells of the lines of all tables, without those of the rules."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [line[2:-2].split(" | ") for line in lines if "---" not in line]


def test_a_row_has_the_values_of_a_measure_with_their_intervals():
    comparison = compare({"rule": rule}, X, Y, BOTH, n_boot=20, random_state=0)
    values = comparison.table(wide=False).loc["rule"]
    measures = {row[0].replace(" ", "_"): row[1:] for row in rows(comparison.to_markdown())}
    for name, cells in measures.items():
        for attribute, cell in zip(["sex", "race", "all"], cells, strict=False):
            if name != "measure" and len(cells) == 3:
                found = values.loc[attribute, name]
                ends = f" ({found['low']:.4f} to {found['high']:.4f})"
                assert cell == f"{found['value']:.4f}{ends}"
    assert list(measures)[1] == "discriminative_risk"


def test_performance_is_shown_once():
    text = compare({"rule": rule}, X, Y, BOTH).to_markdown()
    assert text.count("| accuracy |") == 1


def test_several_models_have_a_column_and_a_sentence_each():
    text = compare(
        {"rule": rule, "age": lambda X: X["age"] > 45}, X, Y, {"sex": "M"}
    ).to_markdown()
    assert rows(text)[0] == ["measure", "model", "sex"]
    assert "**rule**: " in text
    assert "**age**: 0.0 % of people" in text


def test_names_from_the_data_cannot_break_the_table():
    evil = X.rename(columns={"sex": "s|x <b>"})
    text = compare(
        {"rule": lambda X: X["age"] > 40}, evil, Y, {"s|x <b>": "M"}, measures="accuracy"
    ).to_markdown()
    assert "<b>" not in text
    assert escape_markdown("s|x <b>") in text


@pytest.mark.filterwarnings("ignore:undefined")
def test_undefined_values_are_said_to_be():
    text = compare({"never": lambda X: X["age"] < 0}, X, Y, {"sex": "M"}, measures="precision")
    assert "| precision | undefined |" in text.to_markdown()


def test_the_facts_say_how_it_was_computed():
    text = compare({"rule": rule}, X, Y, BOTH, random_state=7).to_markdown()
    assert "- rows: 100" in text
    assert "- privileged: sex = M; race = w" in text
    assert "- seed: 7" in text


def test_the_text_is_written_to_a_path(tmp_path):
    comparison = compare({"rule": rule}, X, Y, BOTH, measures="accuracy")
    text = comparison.to_markdown(tmp_path / "card.md")
    assert (tmp_path / "card.md").read_text(encoding="utf-8") == text
