import numpy as np
import pandas as pd
import pytest

from benchmarks.paper.aware import MEASURES, METHODS, rows_of, tie_free_ranks
from dr_core.perturbation import ALL


@pytest.fixture
def table():
    """What `compare` says of two models; risks are 0.1, 0.2 and, of both attributes, 0.3."""
    names = ["lightGBM", "AdaFair/sex"]
    index = pd.MultiIndex.from_product([names, ["sex", "race", ALL]])
    table = pd.DataFrame(0.5, index, list(MEASURES.values()))
    table["discriminative_risk"] = [0.1, 0.2, 0.3] * 2
    return table


def rows_about(table, method):
    return list(rows_of(table, [method], ["sex", "race"]))


def test_dr_is_that_of_all_attributes_together(table):
    assert [row["DR"] for row in rows_about(table, "lightGBM")] == [0.3, 0.3]


def test_a_model_told_one_attribute_is_judged_for_it_alone(table):
    about_sex, about_race = rows_about(table, "AdaFair")
    assert about_sex["accuracy"] == 0.5
    assert np.isnan(about_race["accuracy"])


def test_every_method_has_a_row_even_if_it_was_not_run(table):
    rows = rows_of(table, METHODS, ["sex", "race"])
    assert [row["method"] for row in rows] == METHODS * 2


def test_the_tie_free_poaf_is_ranked_in_the_place_of_poaf():
    values = dict.fromkeys(METHODS, 0.5) | {"POAF": 0.9, "POAF, tie-free": 0.1}
    means = pd.DataFrame(
        {"protocol": "paper", "dataset": "ppr", "attribute": "sex", "method": name}
        | dict.fromkeys(MEASURES, value)
        for name, value in values.items()
    )
    ranks = tie_free_ranks(means).query("measure == 'DR'").set_index("method")["average rank"]
    assert ranks["POAF"] == 1
    assert ranks["EPAF-C"] == 4.5
