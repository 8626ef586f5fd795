import pandas as pd
import pytest

from benchmarks.paper import page_tables


@pytest.fixture
def results(tmp_path):
    """Results of two methods in one case, written as the experiments write them."""
    ranks = pd.DataFrame(
        {
            "ensemble": "bagging",
            "protocol": ["paper", "paper", "recommended", "recommended"],
            "measure": "DR",
            "method": ["KL", "POAF", "KL", "POAF"],
            "average rank, all cuts": [1.0, 2.0, 1.75, 1.25],
        }
    )
    means = pd.DataFrame(
        {
            "protocol": ["paper", "recommended"],
            "dataset": "credit",
            "attribute": "sex",
            "method": "AdaFair",
            "accuracy": [0.725, 0.75],
            "DR": [0.01, 0.02],
        }
    )
    for name, table in {"pruning/ranks.csv": ranks, "aware/means.csv": means}.items():
        (tmp_path / name).parent.mkdir()
        table.to_csv(tmp_path / name, index=False)
    return tmp_path


def test_ranks_are_published_then_paper_then_recommended(results):
    table = page_tables.TABLES["pruning_DR"](results)
    assert table.values.tolist() == [["KL", "— / 1.0 / 1.8"], ["POAF", "2.2 / 2.0 / 1.2"]]


def test_means_stand_behind_the_published_one(results):
    table = page_tables.TABLES["aware_accuracy"](results)
    assert table.values.tolist() == [["credit", "sex", "70.0 / 72.5 / 75.0"]]
