"""Values that few rows have, though many rows become them."""

import pandas as pd
import pytest

from dr_core import OneHot, assess_risk, compare, learn_attributes
from dr_core.perturbation import PerturbationPlan


def find_notes(privileged, n_rare=5, **options):
    sex = ["m"] * 600 + ["f"] * (400 - n_rare) + ["d"] * n_rare
    attributes = learn_attributes(pd.DataFrame({"sex": sex}), {"sex": privileged}, **options)
    return PerturbationPlan(attributes).notes


def test_a_note_names_value_probability_share_and_remedy():
    (note,) = find_notes("m")
    assert note.startswith(
        "privileged rows become rare values of 'sex' with probability 50.0 %: 'd' (0.5 % of "
        "the rows); merge values"
    )


def test_rare_privileged_values_are_named_too():
    (note,) = find_notes(["m", "d"])
    assert note.startswith("marginalised rows become rare values of 'sex'")


@pytest.mark.parametrize(("n_rare", "n_notes"), [(9, 1), (10, 0)])
def test_one_percent_of_the_rows_is_not_rare(n_rare, n_notes):
    assert len(find_notes("m", n_rare)) == n_notes


def test_a_value_that_is_the_only_one_to_become_has_no_note():
    assert find_notes(["m", "f"]) == []


def test_values_drawn_as_often_as_they_occur_are_not_called_rare():
    assert find_notes(lambda value: value == "m") == []


def test_the_domain_tells_how_frequent_values_are():
    assert find_notes("m", domain={"sex": ["m", "f", "d"]}) == []


@pytest.mark.parametrize(("n_values", "n_notes"), [(10, 1), (11, 0)])
def test_a_small_part_of_the_probability_needs_no_note(n_values, n_notes):
    common = [f"f{i}" for i in range(1, n_values)]
    column = ["m"] * 600 + common * 40 + ["d"]
    attributes = learn_attributes(pd.DataFrame({"sex": column}), {"sex": "m"})
    assert len(PerturbationPlan(attributes).notes) == n_notes


def test_results_have_the_note():
    X = pd.DataFrame({"sex": ["m"] * 600 + ["f"] * 395 + ["d"] * 5})
    model, note = lambda X: (X["sex"] == "m").astype(int), "become rare values of 'sex'"
    assert note in repr(assess_risk(model, X, {"sex": "m"}))
    found = compare({"a": model}, X, [0, 1] * 500, {"sex": "m"}, measures=["discriminative_risk"])
    assert note in repr(found)
    assert found.to_html().count(note.replace("'", "&#39;")) == 2  # in short, and settings


@pytest.mark.parametrize("dropped", [None, "f"])
def test_rare_values_of_one_hot_columns_are_named(dropped):
    X = pd.get_dummies(pd.Series(["m"] * 600 + ["f"] * 395 + ["d"] * 5))
    columns = [name for name in X if name != dropped]
    sex = OneHot(columns=columns, privileged="m", dropped=dropped)
    (note,) = PerturbationPlan(learn_attributes(X[columns], {"sex": sex})).notes
    assert "with probability 50.0 %: 'd' (0.5 % of the rows)" in note
