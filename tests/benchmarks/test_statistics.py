import numpy as np
import pandas as pd
import pytest
from scipy import stats

from benchmarks.paper import statistics


def folds_of(**methods):
    """One block of as many folds as values are given."""
    length = len(next(iter(methods.values())))
    index = pd.MultiIndex.from_product([["one"], range(length)], names=["dataset", "fold"])
    return pd.DataFrame(methods, index=index)


def test_ties_share_their_rank():
    means = pd.DataFrame({"a": [0.1, 0.1], "b": [0.1, 0.2], "c": [0.3, 0.3]})
    assert statistics.average_ranks(means, "low").tolist() == [1.25, 1.75, 3]


def test_high_values_rank_first_where_high_is_better():
    means = pd.DataFrame({"a": [0.1], "b": [0.2]})
    assert statistics.average_ranks(means, "high").tolist() == [2, 1]


def test_an_undefined_value_ranks_last():
    means = pd.DataFrame({"a": [np.nan], "b": [0.9], "c": [0.2]})
    assert statistics.average_ranks(means, "low").tolist() == [3, 2, 1]


def test_rounding_breaks_no_tie():
    means = pd.DataFrame({"a": [0.1 + 0.2], "b": [0.3]})
    assert statistics.average_ranks(means, "low").tolist() == [1.5, 1.5]


def test_a_clear_difference_is_a_win_and_seen_from_the_other_side_a_loss():
    folds = folds_of(POAF=[0.10, 0.11, 0.12, 0.10, 0.12], other=[0.20, 0.23, 0.21, 0.22, 0.20])
    assert statistics.win_tie_loss(folds, "POAF", "low").to_dict() == {"other": "1/0/0"}
    assert statistics.win_tie_loss(folds, "POAF", "high").to_dict() == {"other": "0/0/1"}


def test_a_difference_within_the_noise_is_a_tie():
    folds = folds_of(POAF=[0.1, 0.3, 0.2, 0.1, 0.3], other=[0.3, 0.1, 0.2, 0.3, 0.2])
    assert statistics.win_tie_loss(folds, "POAF", "low").to_dict() == {"other": "0/1/0"}


def test_the_verdict_is_that_of_scipys_paired_test():
    random = np.random.default_rng(0)
    for shift in np.linspace(0, 0.15, 30):
        ours, theirs = pd.Series(random.normal(0, 0.1, 5)), pd.Series(random.normal(shift, 0.1, 5))
        found = stats.ttest_rel(ours, theirs)
        expected = -np.sign(found.statistic) if found.pvalue < 0.05 else 0
        assert statistics.verdict(ours, theirs, "low") == expected


def test_equal_results_are_a_tie_although_nothing_can_be_tested():
    assert statistics.verdict(pd.Series([0.0, 0.0]), pd.Series([0.0, 0.0]), "low") == 0


def test_friedman_rejects_that_methods_always_ranked_alike_perform_alike():
    means = pd.DataFrame({"a": [1, 2, 3, 4, 5.0], "b": [2, 3, 4, 5, 6.0], "c": [3, 4, 5, 6, 7.0]})
    assert statistics.friedman(means, "low") == pytest.approx(np.exp(-5))


def test_the_critical_difference_is_demsars():
    # Demšar (2006), section 3.2.2: four classifiers on fourteen data sets.
    assert statistics.critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)


def test_the_diagram_names_every_method_with_its_rank():
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    means = pd.DataFrame({"a": [1, 2, 3.0], "b": [2, 3, 4.0], "c": [3, 4, 5.0]})
    statistics.critical_difference_diagram(means, "low", axes, "ranks")
    texts = {text.get_text() for text in axes.texts}
    assert {"a (1.0)", "(3.0) c"} <= texts
