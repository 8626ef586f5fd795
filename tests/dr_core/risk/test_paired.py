"""The change of discriminative risk between two models on the same rows."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from dr_core import assess_risk, at_least, learn_attributes

SEX = {"sex": 1}


def make_rows(kinds):
    return pd.DataFrame({"sex": [1, 0] * (len(kinds) // 2), "kind": kinds})


def use_sex_of(*kinds):
    """Return a model whose prediction is the sex of rows of some kinds, and 0 for others."""
    return lambda X: X["kind"].isin(kinds) & (X["sex"] == 1)


X = make_rows([*"aaaabb", *"c" * 34])


def change(after, before, X=X, **options):
    first, second = (
        assess_risk(use_sex_of(*kinds), X, SEX, **options) for kinds in (after, before)
    )
    return first.change_from(second)


def test_the_interval_is_that_of_bonett_and_price():
    """Of 40 rows, 4 change in the first model only and 2 in the second only."""
    mean, square = (2 - 4) / 42, (2 + 4 + 2) / 42
    half = norm.ppf(0.975) * np.sqrt((square - mean**2) / 42)
    assert change("b", "a")[:2] == pytest.approx((mean - half, mean + half))


def test_it_can_show_less_risk_where_the_intervals_of_both_values_overlap():
    rows = make_rows([*"a" * 14, *"b" * 60, *"c" * 126])
    both, fewer = (assess_risk(use_sex_of(*kinds), rows, SEX) for kinds in ("ab", "b"))
    assert fewer.interval().high > both.interval().low
    assert fewer.change_from(both).high < 0


def test_a_model_does_not_change_from_itself():
    low, high, *_ = change("a", "a")
    assert low == pytest.approx(-high)
    assert low < 0


def test_the_other_way_round_it_has_the_other_sign():
    low, high, *_ = change("a", "b")
    assert change("b", "a")[:2] == pytest.approx((-high, -low))


def test_rows_of_one_person_count_once():
    repeated = X.loc[X.index.repeat(3)]
    found = change("b", "a", repeated, person=repeated.index)
    assert found == change("b", "a")


def test_equal_weights_do_not_matter():
    assert change("b", "a", sample_weight=np.full(40, 3.0)) == change("b", "a")


def test_rows_without_weight_do_not_count():
    weights = (X["kind"] != "c").to_numpy(dtype=float)
    without = X[X["kind"] != "c"]
    assert change("b", "a", sample_weight=weights) == change("b", "a", without)


def test_rows_that_are_not_perturbed_do_not_count():
    with_missing = pd.concat([X, pd.DataFrame({"sex": [np.nan] * 9, "kind": "a"})])
    attributes = learn_attributes(with_missing, SEX, missing="keep")
    first, second = (
        assess_risk(use_sex_of(kind), with_missing, attributes) for kind in ("b", "a")
    )
    assert first.change_from(second) == change("b", "a")


def test_it_contains_the_change_even_if_all_rows_change():
    everybody = make_rows(["a", "a"])
    found = change("", "a", everybody)
    assert found.low == -1 <= found.high


@pytest.mark.parametrize(
    "other",
    [
        lambda: assess_risk(use_sex_of("a"), X.iloc[::-1], SEX),
        lambda: assess_risk(use_sex_of("a"), X.iloc[:20], SEX),
        lambda: assess_risk(use_sex_of("a"), X, SEX, sample_weight=range(40)),
        lambda: assess_risk(use_sex_of("a"), X, SEX, person=[0, 1] * 20),
        lambda: assess_risk(lambda X: X["sex"], X.assign(age=X["sex"]), {"age": 1}),
    ],
    ids=["another order", "other rows", "other weights", "other people", "other attributes"],
)
@pytest.mark.filterwarnings("ignore:.*may encode it, too")
def test_other_rows_are_refused(other):
    with pytest.raises(ValueError, match=r"other.*same rows.*assess_risk"):
        assess_risk(use_sex_of("b"), X, SEX).change_from(other())


@pytest.mark.parametrize(
    ("differing", "other"),
    [
        ("p", lambda model: assess_risk(model, X, SEX, p=0.5)),
        (
            "coupled columns",
            lambda model: assess_risk(
                model, X, learn_attributes(X, SEX, coupled={"kind": {"sex": {0: {"a": "b"}}}})
            ),
        ),
        (
            "values",
            lambda model: assess_risk(
                model, X, learn_attributes(X, SEX, domain={"sex": [0, 1, 2]})
            ),
        ),
    ],
)
def test_another_definition_of_the_risk_is_refused(differing, other):
    model = use_sex_of("a")
    with pytest.raises(ValueError, match=rf"these differ: .*{differing}"):
        assess_risk(model, X, SEX).change_from(other(model))


def test_the_unit_of_weights_does_not_matter():
    model = use_sex_of("a")
    plain, weighted = (assess_risk(model, X, SEX, sample_weight=w) for w in (None, [2.0] * 40))
    assert plain.change_from(weighted).low < 0 < plain.change_from(weighted).high


def test_a_number_in_place_of_an_assessment_is_refused():
    with pytest.raises(TypeError, match=r"other.*assess_risk.*float"):
        assess_risk(use_sex_of("b"), X, SEX).change_from(0.1)


def test_a_range_with_few_rows_on_one_side_is_warned_of():
    people = pd.DataFrame({"age": range(20, 60)})
    both = [
        assess_risk(lambda X, n=n: X["age"] > n, people, {"age": at_least(30)}) for n in (40, 50)
    ]
    with pytest.warns(UserWarning, match=r"change can be too short.*X_train\['age'\]"):
        both[1].change_from(both[0])
