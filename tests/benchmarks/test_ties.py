import pandas as pd
import pytest

from benchmarks.paper.ties import SHOWN, compare_ties, with_tie_free


@pytest.fixture
def found():
    """Three methods and the tie-free POAF on one data set; DR is 0.2, 0.1, 0.3 and 0.15."""
    risks = {"Ensem": 0.2, "KL": 0.1, "POAF": 0.05, "POAF, tie-free": 0.15}
    same = {"ensemble": "bagging", "protocol": "paper", "dataset": "ppr", "attribute": "sex"}
    same |= {"fold": 0, "seed": 0, "objective": 0.5} | dict.fromkeys(SHOWN, 0.5)
    return pd.DataFrame([{**same, "method": name, "DR": risk} for name, risk in risks.items()])


def test_the_tie_free_poaf_is_ranked_in_the_place_of_poaf(found):
    table = compare_ties(found).set_index("method")
    assert table["rank on DR"].to_dict() == {
        "Ensem": 3,
        "POAF, as published": 1,
        "POAF, tie-free": 2,
    }
    assert table["DR"].tolist() == [0.2, 0.05, 0.15]


def test_only_the_name_of_the_tie_free_poaf_changes(found):
    assert with_tie_free(found)["method"].tolist() == ["Ensem", "KL", "POAF"]
