import pandas as pd

from benchmarks.paper import side_by_side, statistics


def folds_of_credit(**methods):
    index = pd.MultiIndex.from_product([["credit"], [0, 1]], names=["dataset", "fold"])
    return pd.DataFrame(methods, index=index)


def test_published_values_stand_beside_measured_ones():
    folds = {"paper": folds_of_credit(POAF=[0.02, 0.04])}
    table = side_by_side.values("pruning_DR_bagging", folds, digits=3)
    assert table.values.tolist() == [["credit", "POAF", "0.033 ± 0.013", "0.030 ± 0.010"]]


def test_what_the_paper_does_not_list_is_a_dash():
    folds = {"paper": folds_of_credit(KL=[0.02, 0.04])}
    table = side_by_side.values("pruning_DR_bagging", folds)
    assert table["published"].tolist() == ["—"]


def test_ranks_and_wins_stand_beside_the_papers():
    summary = statistics.summary(folds_of_credit(KL=[0.3, 0.3], POAF=[0.1, 0.1]), "POAF", "low")
    table = side_by_side.ranks("pruning_DR_bagging", {"paper": summary})
    assert table.values.tolist() == [["KL", "—", "—", 2.0, "1/0/0"], ["POAF", 2.2, "—", 1.0, "—"]]
