import pytest

from benchmarks.paper import published
from dr_core import datasets


def test_a_published_cell_is_as_printed():
    table = published.published("pruning_DR_bagging").set_index(["dataset", "method"])
    assert table.loc[("ppvr", "POAF"), ["mean", "std"]].tolist() == [0.0275, 0.0056]


def test_tables_of_fairness_aware_methods_have_a_row_for_each_attribute():
    table = published.published("aware_DP")
    assert table.groupby("dataset")["attribute"].unique().map(list).to_dict() == {
        "ricci": ["race"],
        "credit": ["sex", "age"],
        "income": ["race", "sex"],
        "ppr": ["sex", "race"],
        "ppvr": ["sex", "race"],
    }


def test_ranks_and_win_tie_loss_name_the_methods_of_their_table():
    for name in published.tables():
        methods = set(published.published(name)["method"])
        assert set(published.average_ranks(name).index) == methods
        assert set(published.win_tie_loss(name).index) == methods - {"POAF"}


@pytest.mark.parametrize("name", ["ricci", "credit", "income", "ppr", "ppvr"])
def test_shipped_data_have_the_published_counts(name):
    counts, bunch = published.dataset_counts()[name], datasets.load(name)
    assert len(bunch.target) == counts["instances"]
    assert datasets.binarize(bunch).shape[1] == counts["binarized"]
