"""Ranges of a quantity as groups."""

import pickle
from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest
from textbook import risk as textbook

from dr_core import (
    OneHot,
    assess_risk,
    at_least,
    at_most,
    between,
    enumerate_perturbations,
    learn_attributes,
    perturb,
)
from dr_core.perturbation import PerturbationPlan

ADULT = {"age": at_least(25)}
X = pd.DataFrame({"age": [20, 30, 40, 40], "pay": [1, 2, 3, 4]})


def make_people(n=40, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 40, n),
            "income": rng.choice([10.5, 20.0, 35.25, 50.0, 80.0], n),
            "sex": rng.choice(["F", "M"], n),
            "score": rng.normal(size=n),
        }
    )


def decide(X):
    points = 0.1 * X["age"] + 0.02 * X["income"] + 0.5 * (X["sex"] == "M") + X["score"]
    return (points > 4).astype(int)


def decide_one(row):
    return int(decide(pd.DataFrame([row])).iloc[0])


PRIVILEGED = {
    "one range": {"age": at_least(25)},
    "two ranges": {"age": between(22, 30), "income": at_most(35.25)},
    "beside values": {"age": at_most(30), "sex": "M"},
    "function": {"age": lambda age: age % 2 == 0},
}


def as_textbook(people, privileged):
    """The column of each range and its function; the domain and the values of the others."""
    is_range = {name: callable(value) for name, value in privileged.items()}
    domains = {n: list(people[n]) if is_range[n] else sorted(set(people[n])) for n in privileged}
    return domains, {n: v if is_range[n] else [v] for n, v in privileged.items()}


@pytest.mark.parametrize("p", [1.0, 0.37])
@pytest.mark.parametrize("case", PRIVILEGED)
def test_exact_risk_of_ranges_is_that_of_the_textbook(case, p):
    people, privileged = make_people(20), PRIVILEGED[case]
    domains, chosen = as_textbook(people, privileged)
    predictions = {}

    def predict(row):
        key = tuple(row.values())
        if key not in predictions:
            predictions[key] = decide_one(row)
        return predictions[key]

    expected = [
        textbook.individual_risk(predict, row, domains, chosen, p)
        for row in people.to_dict("records")
    ]
    weights = np.random.default_rng(1).random(len(people))
    risk = assess_risk(decide, people, privileged, p=p, sample_weight=weights)
    assert risk.individual == pytest.approx(expected, abs=1e-12)
    assert risk.value == pytest.approx(np.average(expected, weights=weights), abs=1e-12)


def test_a_range_works_beside_one_hot_columns():
    people = make_people(20)
    encoded = pd.get_dummies(people, columns=["sex"], dtype=int)
    sex = OneHot(["sex_F", "sex_M"], privileged="sex_M")

    def decide_encoded(X):
        return decide(X.assign(sex=np.where(X["sex_M"] == 1, "M", "F")))

    found = assess_risk(decide_encoded, encoded, {"age": at_most(30), "sex": sex})
    expected = assess_risk(decide, people, {"age": at_most(30), "sex": "M"})
    assert found.individual.tolist() == expected.individual.tolist()


def test_values_are_drawn_as_often_as_they_occur():
    every = enumerate_perturbations(X, ADULT)
    assert every.data["age"].tolist() == [30, 40, 20, 20, 20]
    assert every.probability == pytest.approx([1 / 3, 2 / 3, 1, 1, 1])


def test_draws_follow_the_frequencies():
    people = pd.DataFrame({"age": [20] * 30_000 + [30, 40, 40, 40]})
    counts = perturb(people, ADULT, random_state=0)["age"][:30_000].value_counts()
    assert set(counts.index) == {30, 40}
    assert counts[40] == pytest.approx(22_500, abs=300)


def test_sampled_risk_of_a_range_approaches_exact_risk():
    people = make_people(60)
    privileged = {"age": between(22, 30), "income": at_least(20)}
    exact = assess_risk(decide, people, privileged, p=0.7)
    options = {"method": "sample", "n_samples": 4000, "random_state": 0}
    sampled = assess_risk(decide, people, privileged, p=0.7, **options)
    assert sampled.risks == pytest.approx(exact.risks, abs=0.04)


@pytest.mark.parametrize("method", ["exact", "sample"])
def test_results_are_identical_for_any_chunks_and_partitions(method):
    people = make_people(50)
    privileged = {"age": at_least(25), "income": at_most(20), "sex": "M"}
    options = {"method": method, "random_state": 3}
    options |= {"n_samples": 2} if method == "sample" else {}
    whole = assess_risk(decide, people, privileged, **options)
    for size in (1, 7):
        cut = assess_risk(decide, people, privileged, chunk_size=size, **options)
        assert cut.individual.tolist() == whole.individual.tolist()
    parts = [people[:3], people[3:29], people[29:]]
    in_parts = assess_risk(decide, parts, privileged, **options)
    pd.testing.assert_frame_equal(in_parts.table(), whole.table(), check_exact=True)


def test_results_on_dask_are_those_in_memory():
    dask_frame = pytest.importorskip("dask.dataframe")
    people = make_people(50).drop(columns="sex")
    ages = lambda X: X["age"] > 27 + X["score"]  # noqa: E731
    whole = assess_risk(ages, people, ADULT)
    on_dask = assess_risk(ages, dask_frame.from_pandas(people, npartitions=4), ADULT)
    pd.testing.assert_frame_equal(on_dask.table(), whole.table(), check_exact=True)


def test_a_function_travels_to_other_processes_as_joblib_and_dask_send_it():
    cloudpickle = pytest.importorskip("cloudpickle", reason="comes with Dask")
    threshold = 25
    attributes = learn_attributes(X, {"age": lambda age: age >= threshold})
    sent = cloudpickle.loads(cloudpickle.dumps(attributes))
    assert perturb(X, sent, random_state=0).equals(perturb(X, ADULT, random_state=0))


@pytest.mark.parametrize(
    "same",
    [
        pd.Interval(25, np.inf, closed="left"),
        lambda age: age >= 25,
        between(25, 100),
    ],
    ids=["interval", "function", "between"],
)
def test_intervals_and_functions_mean_the_same_as_a_range(same):
    expected, found = (enumerate_perturbations(X, {"age": one}) for one in (ADULT["age"], same))
    pd.testing.assert_frame_equal(found.data, expected.data)
    assert found.probability.tolist() == expected.probability.tolist()


def test_an_interval_that_is_a_value_of_the_column_is_a_value():
    people = pd.DataFrame({"age": pd.cut([20, 30, 70, 75], [0, 25, 65, 120])})
    chosen = pd.Interval(25, 65)
    [attribute] = learn_attributes(people, {"age": chosen})
    assert attribute.privileged == [chosen]
    assert attribute.condition is None


def test_a_value_not_seen_before_stays_unless_it_is_perturbed():
    attributes = learn_attributes(X.assign(sex=["F", "M"] * 2), {"age": at_least(25), "sex": "M"})
    new = pd.DataFrame({"age": [97, 3], "pay": [1, 1], "sex": ["F", "M"]})
    every = enumerate_perturbations(new, attributes, p=0.5)
    assert set(every.data["age"][every.rows == 0]) == {97, 20}
    assert set(every.data["age"][every.rows == 1]) == {3, 30, 40}


@pytest.mark.parametrize("dtype", ["int8", "Int64", "float32", "float64", "category", "object"])
def test_the_column_keeps_its_dtype(dtype):
    people = X.assign(age=X["age"].astype(dtype))
    perturbed = perturb(people, ADULT, random_state=0)
    assert perturbed["age"].dtype == people["age"].dtype
    assert perturbed["age"].tolist()[1:] == [20, 20, 20]


def test_arrays_and_polars_frames_take_ranges():
    expected = perturb(X, ADULT, random_state=0)
    assert perturb(X.to_numpy(), {0: at_least(25)}, random_state=0).tolist() == (
        expected.to_numpy().tolist()
    )
    assert perturb(pl.from_pandas(X), ADULT, random_state=0).to_pandas().equals(expected)


def test_missing_ages_are_kept():
    people = pd.DataFrame({"age": [20, 30, None]})
    attributes = learn_attributes(people, ADULT, missing="keep")
    assert perturb(people, attributes)["age"].tolist()[:2] == [30, 20]
    assert perturb(people, attributes)["age"].isna().tolist() == [False, False, True]


def test_the_domain_gives_the_frequencies():
    ages = [20, 50, 50, 60]
    every = enumerate_perturbations(
        pd.DataFrame({"age": [20]}), learn_attributes(X, ADULT, domain={"age": ages})
    )
    assert every.data["age"].tolist() == [50, 60]
    assert every.probability == pytest.approx([2 / 3, 1 / 3])


# --- too many values -----------------------------------------------------------------------------


def make_incomes(n):
    return pd.DataFrame({"income": np.arange(n) / 7})


def test_quantiles_stand_for_more_values_than_can_be_enumerated():
    incomes = make_incomes(10_500)
    poor = lambda X: X["income"] < 1000  # noqa: E731
    risk = assess_risk(poor, incomes, {"income": at_least(10)})
    inside, outside = len(incomes) - 70, 70
    rich = (incomes["income"] >= 1000).sum()
    assert risk.value == pytest.approx((outside * rich / inside + rich) / len(incomes), abs=0.001)
    assert "10,500 values of 'income' are represented by 170 of them" in repr(risk)


def test_the_number_of_quantiles_can_be_chosen():
    attributes = learn_attributes(make_incomes(10_500), {"income": at_least(10)}, max_values=7)
    plan = PerturbationPlan(attributes)
    assert plan.max_variants == 7
    assert PerturbationPlan(attributes, "sample").attributes is attributes


def test_a_plan_keeps_what_was_learned_beside_the_quantiles():
    learned = learn_attributes(make_incomes(10_500), {"income": at_least(10)})
    plan = PerturbationPlan(learned)
    assert plan.learned is learned
    assert plan.reserve_draws(10_500).max_variants == plan.max_variants <= 10_000


def test_as_many_quantiles_are_used_as_a_row_may_have_perturbations():
    incomes = make_incomes(10_500)
    attributes = learn_attributes(incomes, {"income": at_least(10)}, max_values=10_000)
    assert PerturbationPlan(attributes).max_variants == 10_000


def test_the_number_of_quantiles_can_be_chosen_for_attributes_learned_before():
    attributes = learn_attributes(make_incomes(10_500), {"income": at_least(10)})
    fewer = learn_attributes(make_incomes(5), attributes, max_values=7)
    assert PerturbationPlan(fewer).max_variants == 7


def test_two_long_ranges_have_fewer_quantiles_each():
    incomes = make_incomes(400)
    incomes["wealth"] = incomes["income"] ** 2
    plan = PerturbationPlan(
        learn_attributes(incomes, {"income": at_least(10), "wealth": at_least(900)})
    )
    assert plan.max_variants <= 10_000
    assert sum("represented by" in note for note in plan.notes) == 2


def test_sampled_risk_draws_from_all_values():
    attributes = learn_attributes(make_incomes(10_500), {"income": at_least(10)})
    assert PerturbationPlan(attributes, "sample").notes == []


# --- names and copies ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "outside", "inside"),
    [
        (at_least(25), "age < 25", "age >= 25"),
        (at_most(35.0), "age > 35", "age <= 35"),
        (between(25, 64.5), "age < 25 or > 64.5", "25 <= age <= 64.5"),
        (pd.Interval(25, 35), "age <= 25 or > 35", "25 < age <= 35"),
        (between(25, np.inf, inclusive="neither"), "age <= 25", "age > 25"),
        (lambda age: age > 25, "age not privileged", "age privileged"),
    ],
)
def test_groups_have_readable_names(given, outside, inside):
    [attribute] = learn_attributes(X, {"age": given})
    assert attribute.grouped.values == (outside, inside)
    assert attribute.description == inside


def test_a_named_function_names_the_groups():
    def is_adult(age):
        return age > 25

    [attribute] = learn_attributes(X, {"age": is_adult})
    assert attribute.grouped.values == ("not is_adult(age)", "is_adult(age)")


@pytest.mark.parametrize(
    "range_",
    [at_least(25), at_most(64), between(25, 64), between(25, 64.5, inclusive="left")],
)
def test_ranges_are_values_that_can_be_copied_compared_and_read(range_):
    assert pickle.loads(pickle.dumps(range_)) == range_
    assert eval(repr(range_)) == range_
    assert len({range_, pickle.loads(pickle.dumps(range_))}) == 1


def test_learned_ranges_can_be_pickled():
    attributes = pickle.loads(pickle.dumps(learn_attributes(X, ADULT)))
    assert perturb(X, attributes, random_state=0).equals(perturb(X, ADULT, random_state=0))


# --- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize("n_values", [21, 50, 53])
def test_one_number_of_many_is_refused_with_the_range_it_may_mean(n_values):
    ages = pd.DataFrame({"age": range(20, 20 + n_values)})
    with pytest.raises(ValueError, match=r"'age' has .* distinct numbers.*at_least\(30\)"):
        learn_attributes(ages, {"age": 30})


def test_a_few_numbers_or_a_given_domain_are_taken_as_values():
    ages = pd.DataFrame({"age": range(20, 40)})
    assert learn_attributes(ages, {"age": 30}).attributes[0].privileged == [30]
    ages = pd.DataFrame({"age": range(20, 60)})
    learned = learn_attributes(ages, {"age": 30}, domain={"age": range(20, 60)})
    assert learned.attributes[0].privileged == [30]


@pytest.mark.parametrize(
    ("ages", "match"),
    [
        (
            ["18", "30", "unknown"],
            "age.*, at_least.25., .* 'unknown', not only.*Correct these",
        ),
        ([18, 30, "?"], "age.*, at_least.25., .* has '[?]', not only numbers. Correct these"),
        (["18", "30"], "age.*, at_least.25., .*'18', '30' of type str. Convert the column"),
    ],
)
def test_the_values_that_are_no_numbers_are_named(ages, match):
    X = pd.DataFrame({"age": pd.Series(ages, dtype=object)})
    with pytest.raises(ValueError, match=match):
        learn_attributes(X, {"age": at_least(25)})


@pytest.mark.parametrize(
    ("given", "match"),
    [
        (at_least(250), "none of the 3 values.*from 20 to 40"),
        (at_least(5), "all of the 3 values"),
        ([at_most(20), at_least(40)], "a collection with the range"),
        (lambda age: "yes", "neither True nor False"),
        (lambda age: age.lower(), "cannot be applied to the value 20"),
    ],
)
def test_ranges_that_do_not_divide_the_column_are_refused(given, match):
    with pytest.raises(ValueError, match=match):
        learn_attributes(X, {"age": given})


@pytest.mark.parametrize(
    "born", [pd.Timestamp("1990-05-01"), date(1990, 5, 1), pd.Timedelta("9D")]
)
@pytest.mark.parametrize("given", [at_least(25), lambda born: True])
def test_dates_are_refused_with_the_way_to_ages(born, given):
    people = pd.DataFrame({"born": [born, born]})
    with pytest.raises(ValueError, match=r"'born' has .*age in years"):
        learn_attributes(people, {"born": given})


def test_many_dates_by_one_value_are_refused_too():
    people = pd.DataFrame({"born": pd.date_range("1990-01-01", periods=30)})
    with pytest.raises(ValueError, match="age in years"):
        learn_attributes(people, {"born": pd.Timestamp("1990-01-01")})


def test_a_range_of_dates_is_refused():
    with pytest.raises(TypeError, match="age in years"):
        at_least(pd.Timestamp("1990-01-01"))


@pytest.mark.parametrize("wrong", ["25", None, np.nan, [25], True])
def test_the_ends_of_a_range_must_be_numbers(wrong):
    with pytest.raises(TypeError, match="low of a range must be a number"):
        at_least(wrong)


def test_a_range_of_text_names_the_value_and_the_remedy():
    people = pd.DataFrame({"age": ["20", "30"]})
    with pytest.raises(ValueError, match=r"'20', '30' of type str. Convert the column to numbers"):
        learn_attributes(people, ADULT)


def test_a_range_must_have_its_lower_end_first():
    with pytest.raises(ValueError, match="low must be less than high"):
        between(64, 25)


def test_values_that_differ_in_case_or_blanks_are_listed():
    people = pd.DataFrame({"sex": ["male", " Male", "female", "male"]})
    with pytest.warns(UserWarning, match="' Male', 'male'") as seen:
        learn_attributes(people, {"sex": "male"})
    assert seen[0].filename == __file__


def test_values_that_often_stand_for_missing_ones_are_listed():
    people = pd.DataFrame({"sex": ["male", "?", "female"]})
    with pytest.warns(UserWarning, match=r"has the value '\?'.*None") as seen:
        learn_attributes(people, {"sex": "male"})
    assert seen[0].filename == __file__
