"""The ways to lower DR: what is judged, how it is summed up, and what the page says of it."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import BaggingClassifier

from benchmarks.mitigations import judging, methods
from benchmarks.mitigations.judging import REPEATS, SLOW_REPEATS, iter_pieces
from benchmarks.mitigations.methods import PART, WHOLE
from benchmarks.mitigations.page import PAGE, RESULTS, TABLES
from benchmarks.mitigations.summary import COUPLED, ORDER, SHOWN, summarize
from benchmarks.paper.page import refreshed

TEXT = PAGE.read_text("utf-8")


def rows_of_folds(**risks):
    """Folds in which nothing but the risk of each way, one number for each fold, is not 0."""
    return pd.DataFrame(
        {"dataset": "d", "ensemble": "e", "repeat": 0, "fold": fold, "way": way}
        | dict.fromkeys(SHOWN, 0.0)
        | {"DR": risk, COUPLED: np.nan}
        for way, of_folds in risks.items()
        for fold, risk in enumerate(of_folds)
    )


def test_changes_are_against_the_ensemble_that_was_pruned():
    folds = rows_of_folds(**{WHOLE: [0.1, 0.1], PART: [0.2, 0.4], "POAF": [0.1, 0.2]})
    found = summarize(folds).set_index("way").loc["POAF"]
    assert found["DR"] == pytest.approx(15)
    assert found["DR change"] == pytest.approx(-15)
    assert found["DR change se"] == pytest.approx(5)


def test_other_changes_are_against_the_whole_ensemble():
    folds = rows_of_folds(**{WHOLE: [0.1, 0.3], "marginalised": [0.0, 0.0]})
    assert summarize(folds).set_index("way").loc["marginalised", "DR change"] == pytest.approx(-20)


def test_every_table_of_the_page_is_that_of_the_results():
    assert refreshed(TEXT, RESULTS, TABLES) == TEXT


def test_every_table_is_on_the_page():
    assert sorted(re.findall(r"<!-- table: (\w+) -->", TEXT)) == sorted(TABLES)


def test_committed_results_are_of_a_full_run():
    assert not json.loads((RESULTS / "about.json").read_text())["quick"]
    summary = pd.read_csv(RESULTS / "summary.csv")
    counts = summary.set_index(["dataset", "ensemble", "way"])["folds"]
    for repeats, way in ((SLOW_REPEATS, WHOLE), (REPEATS, PART)):
        pieces = pd.DataFrame(iter_pieces(repeats, quick=False)).value_counts(
            ["dataset", "ensemble"]
        )
        assert counts.xs(way, level="way").to_dict() == pieces.to_dict()


def test_averaged_and_blind_models_have_no_risk_in_any_fold():
    summary = pd.read_csv(RESULTS / "summary.csv").set_index("way")
    assert (summary.loc[["marginalised", "columns left out"], ["DR", "DR se"]] == 0).all(axis=None)
    assert (summary.loc[["marginalised, coupled"], ["DR coupled", "DR coupled se"]] == 0).all(
        axis=None
    )


@pytest.mark.filterwarnings("ignore")
def test_every_way_is_judged(monkeypatch):
    monkeypatch.setattr(methods, "N_MEMBERS", 5)
    monkeypatch.setattr(methods, "KEPT", 3)
    small = {"bagging": lambda seed: BaggingClassifier(n_estimators=5, random_state=seed)}
    monkeypatch.setattr(methods, "ENSEMBLES", small)
    found = [
        row["way"]
        for judge in (judging.judge_retrained, judging.judge_pruned)
        for row in judge("credit", "bagging", 0, 0)
    ]
    assert sorted(found) == sorted(set(ORDER) - {"marginalised, coupled"})
