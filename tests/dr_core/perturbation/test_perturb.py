from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textbook import risk as textbook

from dr_core import OneHot, enumerate_perturbations, learn_attributes, perturb
from dr_core._tables import as_table, joint_codes
from dr_core.perturbation import PerturbationPlan, SensitiveAttributes, iter_perturbed
from dr_core.perturbation._plan import _cut_rows
from dr_core.perturbation._sampling import _draw_one

SEX = {"sex": "Male"}
RACE = {"race": "White"}

RACE_W = {"race": "W"}
TITLES = {"title": {"race": {"W": {"b": "a"}, "B": {"a": "b"}, "O": {"a": "b"}}}}


@st.composite
def frames(draw, max_rows=12):
    """A frame with a binary and a multi-valued sensitive column, each value present."""
    n = draw(st.integers(4, max_rows))
    sex = ["Male", "Female", *draw(st.lists(st.sampled_from(["Male", "Female"]), min_size=n))][:n]
    races = ["White", "Black", "Other", "Asian"]
    race = [*races, *draw(st.lists(st.sampled_from(races), min_size=n))][:n]
    age = draw(st.lists(st.integers(18, 80), min_size=n, max_size=n))
    return pd.DataFrame({"age": age, "sex": sex, "race": draw(st.permutations(race))})


def test_a_binary_attribute_is_flipped_and_nothing_else():
    X = pd.DataFrame({"sex": ["Male", "Female", "Female"], "age": [1, 2, 3]}, index=[7, 7, 9])
    expected = X.assign(sex=["Female", "Male", "Male"])
    pd.testing.assert_frame_equal(perturb(X, SEX), expected)


@given(frames())
def test_perturbing_a_binary_attribute_twice_gives_x_back(X):
    pd.testing.assert_frame_equal(perturb(perturb(X, SEX), SEX), X)


@given(frames(), st.integers(0, 1000), st.floats(0.01, 1))
def test_only_sensitive_columns_change_and_x_does_not(X, seed, p):
    before = X.copy(deep=True)
    perturbed = perturb(X, SEX | RACE, p=p, random_state=seed)
    pd.testing.assert_frame_equal(X, before)
    pd.testing.assert_series_equal(perturbed["age"], X["age"])
    assert list(perturbed.columns) == list(X.columns)
    assert (perturbed.dtypes == X.dtypes).all()


@given(frames(), st.integers(0, 1000))
def test_a_perturbed_row_is_always_in_the_other_group(X, seed):
    perturbed = perturb(X, SEX | RACE, random_state=seed)
    assert ((perturbed["race"] == "White") != (X["race"] == "White")).all()
    assert (perturbed["sex"] != X["sex"]).all()


def test_a_privileged_value_becomes_each_marginalised_value_equally_often():
    X = pd.DataFrame({"race": ["White"] * 30_000 + ["Black", "Other", "Asian"]})
    counts = perturb(X, RACE, random_state=0)["race"][:30_000].value_counts()
    assert set(counts.index) == {"Black", "Other", "Asian"}
    assert counts.between(9_700, 10_300).all()


def test_a_marginalised_value_becomes_each_of_several_privileged_values_equally_often():
    X = pd.DataFrame({"race": ["Black"] * 20_000 + ["White", "Asian"]})
    counts = perturb(X, {"race": ["White", "Asian"]}, random_state=0)["race"][:20_000]
    assert counts.value_counts().between(9_700, 10_300).all()


def test_many_values_and_several_privileged_ones_always_change_group():
    X = pd.DataFrame({"a": np.tile(np.arange(45), 200)})
    perturbed = perturb(X, {"a": [0, 1, 2]}, random_state=0)
    assert ((perturbed["a"] < 3) != (X["a"] < 3)).all()
    assert set(perturbed["a"]) == set(range(45))


def test_p_is_the_probability_of_a_change():
    X = pd.DataFrame({"race": ["White", "Black", "Other"] * 10_000})
    changed = perturb(X, RACE, p=0.3, random_state=1)["race"] != X["race"]
    assert changed.mean() == pytest.approx(0.3, abs=0.01)


def test_attributes_are_perturbed_independently():
    X = pd.DataFrame({"a": [0, 1] * 20_000, "b": [0, 1] * 20_000})
    changed = perturb(X, {"a": 1, "b": 1}, p=0.5, random_state=0) != X
    assert changed.all(axis=1).mean() == pytest.approx(0.25, abs=0.01)


def test_the_same_seed_gives_the_same_perturbation_and_leaves_the_global_one_alone():
    X = pd.DataFrame({"race": ["White", "Black", "Other"] * 50})
    np.random.seed(0)  # noqa: NPY002
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    first, second = (perturb(X, RACE, random_state=3) for _ in range(2))
    pd.testing.assert_frame_equal(first, second)
    assert not first.equals(perturb(X, RACE, random_state=4))
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002


COLUMNS = {
    "object": pd.Series(["m", "f", "f", "m"], dtype=object),
    "string": pd.Series(["m", "f", "f", "m"], dtype="string"),
    "category": pd.Series(["m", "f", "f", "m"]).astype(
        pd.CategoricalDtype(["z", "m", "f"], ordered=True)
    ),
    "int": pd.Series([1, 0, 0, 1]),
    "int8": pd.Series([1, 0, 0, 1], dtype="int8"),
    "float": pd.Series([1.0, 0.0, 0.0, 1.0]),
    "bool": pd.Series([True, False, False, True]),
    "Int64": pd.Series([1, 0, 0, 1], dtype="Int64"),
    "Float64": pd.Series([1.0, 0.0, 0.0, 1.0], dtype="Float64"),
    "boolean": pd.Series([True, False, False, True], dtype="boolean"),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_every_kind_of_column_keeps_its_dtype(kind):
    column = COLUMNS[kind]
    X = pd.DataFrame({"a": column, "b": range(4)})
    expected = X.assign(a=column.iloc[[1, 0, 0, 1]].reset_index(drop=True))
    pd.testing.assert_frame_equal(perturb(X, {"a": column.iloc[0]}), expected)


@pytest.mark.parametrize("kind", ["object", "string", "category", "float", "Int64", "boolean"])
def test_missing_values_are_kept_on_request(kind):
    column = COLUMNS[kind].copy()
    column.iloc[3] = None
    X = pd.DataFrame({"a": column})
    perturbed = perturb(X, learn_attributes(X, {"a": column.iloc[0]}, missing="keep"))
    assert perturbed["a"].dtype == column.dtype
    assert perturbed["a"].isna().tolist() == [False, False, False, True]
    assert perturbed["a"].iloc[:3].tolist() == column.iloc[[1, 0, 0]].tolist()


@pytest.mark.parametrize(
    "array",
    [
        np.array([[1, 5], [0, 6], [0, 7]]),
        np.array([[1.0, 5.5], [0.0, np.nan], [0.0, 7.0]]),
        np.array([["m", "x"], ["f", "y"], ["f", "z"]]),
        np.array([["m", 1], ["f", 2.5], ["f", None]], dtype=object),
    ],
)
def test_arrays_are_perturbed_by_column_position(array):
    before = array.copy()
    perturbed = perturb(array, {0: array[0, 0]})
    assert perturbed.dtype == array.dtype
    assert perturbed[:, 0].tolist() == [array[1, 0], array[0, 0], array[0, 0]]
    np.testing.assert_array_equal(perturbed[:, 1], array[:, 1])
    np.testing.assert_array_equal(array, before)


@pytest.mark.parametrize(
    "dtype", [pl.String, pl.Categorical, pl.Enum(["f", "m", "x"])], ids=["str", "cat", "enum"]
)
def test_polars_frames_stay_polars_frames(dtype):
    X = pl.DataFrame({"a": pl.Series(["m", "f", None], dtype=dtype), "b": [1, 2, 3]})
    perturbed = perturb(X, learn_attributes(X, {"a": "m"}, missing="keep"))
    assert perturbed.schema == X.schema
    assert perturbed.to_dict(as_series=False) == {"a": ["f", "m", None], "b": [1, 2, 3]}


def test_polars_integers_with_nulls_are_kept_on_request():
    X = pl.DataFrame({"a": [1, 0, None]})
    perturbed = perturb(X, learn_attributes(X, {"a": 1}, missing="keep"))
    assert perturbed.schema == X.schema
    assert perturbed["a"].to_list() == [0, 1, None]


def test_polars_one_hot_columns_may_be_booleans():
    X = pl.DataFrame({"m": [True, False], "f": [False, True]})
    perturbed = perturb(X, {"sex": OneHot(["m", "f"], "m")})
    assert perturbed.to_dict(as_series=False) == {"m": [False, True], "f": [True, False]}


def test_polars_numbers_and_booleans_are_perturbed():
    X = pl.DataFrame({"a": [1, 0], "b": [True, False], "c": [0.5, 1.5]})
    perturbed = perturb(X, {"a": 1, "b": True, "c": 0.5})
    assert perturbed.schema == X.schema
    assert perturbed.rows() == [(0, False, 1.5), (1, True, 0.5)]


@given(frames(), st.integers(0, 100))
def test_pandas_and_polars_draw_the_same(X, seed):
    in_pandas = perturb(X, SEX | RACE, random_state=seed)
    in_polars = perturb(pl.from_pandas(X), SEX | RACE, random_state=seed)
    assert in_polars.to_dict(as_series=False) == in_pandas.to_dict(orient="list")


@pytest.mark.parametrize("dtype", ["int64", "float64", "bool", "uint8"])
def test_one_hot_groups_move_together_and_keep_their_dtype(dtype):
    X = pd.get_dummies(pd.DataFrame({"race": ["White", "Black", "Other"]}), dtype=dtype)
    one_hot = OneHot(list(X.columns), privileged="race_White")
    perturbed = perturb(X, {"race": one_hot}, random_state=0)
    assert (perturbed.dtypes == X.dtypes).all()
    assert (perturbed.sum(axis=1) == 1).all()
    assert perturbed["race_White"].astype(int).tolist() == [0, 1, 1]


def test_a_one_hot_group_without_a_column_for_one_value_names_it():
    X = pd.DataFrame({"race_Black": [0, 1, 0], "race_Other": [0, 0, 1]})
    one_hot = OneHot(list(X.columns), privileged="White", dropped="White")
    perturbed = perturb(X, {"race": one_hot}, random_state=0)
    assert perturbed.sum(axis=1).tolist() == [1, 0, 0]


def test_one_hot_works_on_arrays():
    X = np.array([[1, 0, 9], [0, 1, 8]])
    assert perturb(X, {"sex": OneHot([0, 1], privileged=0)}).tolist() == [[0, 1, 9], [1, 0, 8]]


def test_missing_values_of_one_hot_columns_are_kept_on_request():
    X = pd.DataFrame({"f": [1, 0, np.nan], "m": [0, 1, np.nan]})
    sex = OneHot(["f", "m"], privileged="m")
    perturbed = perturb(X, learn_attributes(X, {"sex": sex}, missing="keep"))
    pd.testing.assert_frame_equal(perturbed, X[["m", "f"]].set_axis(["f", "m"], axis=1))


def test_a_domain_learned_before_serves_a_part_that_lacks_a_value():
    X = pd.DataFrame({"race": ["White", "Black", "Other"] * 20})
    attributes = learn_attributes(X, RACE)
    only_white = X[X["race"] == "White"]
    assert set(perturb(only_white, attributes, random_state=0)["race"]) == {"Black", "Other"}


def test_a_domain_learned_before_can_be_used_with_missing_values():
    X = pd.DataFrame({"race": ["White", "Black", None]})
    attributes = learn_attributes(X[:2], RACE)
    perturbed = perturb(X, learn_attributes(X, attributes, missing="keep"))["race"]
    assert perturbed[:2].tolist() == ["Black", "White"]
    assert perturbed.isna().tolist() == [False, False, True]


def test_repeated_and_missing_values_in_a_domain_do_not_count():
    X = pd.DataFrame({"race": ["White", "Black", "Other"]})
    domain = {"race": ["White", "Black", "Black", "Other", None]}
    every = enumerate_perturbations(X, learn_attributes(X, RACE, domain=domain))
    assert every.probability.tolist() == [0.5, 0.5, 1, 1]


def test_a_domain_can_be_given():
    X = pd.DataFrame({"race": ["White", "Black"] * 50})
    perturbed = perturb(
        X, learn_attributes(X, RACE, domain={"race": ["White", "Black", "Other"]}), random_state=0
    )
    assert set(perturbed["race"]) == {"White", "Black", "Other"}


@settings(deadline=None)
@given(frames(max_rows=8), st.sampled_from([1.0, 0.5, 0.25]))
def test_the_enumeration_is_that_of_the_textbook(X, p):
    every = enumerate_perturbations(X, SEX | RACE, p=p)
    domains = {name: sorted(X[name].unique()) for name in ("sex", "race")}
    privileged = {"sex": ["Male"], "race": ["White"]}
    for i, row in enumerate(X.to_dict(orient="records")):
        expected = {
            tuple(x.values()): chance
            for x, chance in textbook.perturbations(row, domains, privileged, p)
            if x != row
        }
        mine = every.rows == i
        found = dict(
            zip(
                every.data[mine].itertuples(index=False, name=None),
                every.probability[mine],
                strict=True,
            )
        )
        assert found == pytest.approx(expected)


@given(frames())
def test_probabilities_of_a_row_sum_to_one_when_p_is_one(X):
    every = enumerate_perturbations(X, SEX | RACE)
    np.testing.assert_allclose(np.bincount(every.rows, every.probability), 1)


@pytest.mark.parametrize("weights", [None, [5, 1, 1]], ids=["equal", "unequal weights"])
def test_random_draws_follow_the_enumeration(weights):
    X = pd.DataFrame({"sex": ["Male", "Female"], "race": ["White", "Black"]})
    domain = {"race": ["Black", "Other", "White"]}
    sex, race = learn_attributes(X, SEX | RACE, domain=domain)
    drawn_race = race if weights is None else replace(race, weights=np.array(weights))
    attributes = SensitiveAttributes((sex, drawn_race))
    every = enumerate_perturbations(X, attributes, p=0.6)
    many = pd.concat([X] * 40_000, ignore_index=True)
    drawn = perturb(many, attributes, p=0.6, random_state=0)
    for i in range(2):
        seen = drawn[i::2].value_counts(normalize=True)
        mine = every.rows == i
        for row, chance in zip(
            every.data[mine].itertuples(index=False, name=None),
            every.probability[mine],
            strict=True,
        ):
            assert seen[row] == pytest.approx(chance, abs=0.01)


def test_the_first_of_many_attributes_is_not_lost():
    # Seven values and a missing one count eight: after 22 attributes, 64 bits are full, and the
    # first attribute would be multiplied by a multiple of 2**64.
    codes = np.full((23, 3), 6, dtype=np.int8)
    codes[0] = [0, 1, 1]
    codes[22, 2] = 0
    assert len(set(joint_codes(codes))) == 3


@pytest.mark.filterwarnings("ignore:.*may encode it, too")
@pytest.mark.parametrize(("coupled", "rows"), [(None, [37, 23]), (TITLES, [18, 18, 18, 6])])
def test_chunks_of_the_default_size_have_a_bounded_number_of_variants(monkeypatch, coupled, rows):
    monkeypatch.setattr("dr_core.perturbation._plan.CHUNK_VARIANTS", 50)
    X = pd.DataFrame({"race": ["W", "B", "O"] * 20, "title": ["a", "b", "b"] * 20})
    plan = PerturbationPlan(learn_attributes(X, RACE_W, coupled=coupled), also_uncoupled=True)
    chunks = list(iter_perturbed(as_table(X), plan))
    assert [chunk.x.table.n_rows for chunk in chunks] == rows
    assert max(len(chunk.variants) for chunk in chunks) <= 50


@pytest.mark.parametrize("as_kind", [lambda X: X, lambda X: X.to_numpy()])
def test_chunks_of_a_wide_table_have_fewer_rows(monkeypatch, as_kind):
    table = as_table(as_kind(pd.DataFrame(np.zeros((60, 10)))))
    monkeypatch.setattr(type(table), "CHUNK_CELLS", 100)
    plan = PerturbationPlan(learn_attributes(table, {0: 1}, domain={0: [0, 1]}))
    assert [chunk.x.table.n_rows for chunk in iter_perturbed(table, plan)] == [10] * 6


def test_to_stay_is_one_more_outcome_of_each_attribute():
    X = pd.DataFrame({"sex": ["Male", "Female", "Male"], "race": ["White", "Black", "Other"]})
    attributes = learn_attributes(X, SEX | RACE)
    assert PerturbationPlan(attributes).max_variants == 1 + 2 + 1 * 2
    assert PerturbationPlan(attributes, p=0.5).max_variants == 2 + 3 + 2 * 3


def test_a_number_that_is_rounded_up_draws_the_last_value():
    X = pd.DataFrame({"race": ["White", "Asian", "Black"]})
    (race,) = learn_attributes(X, RACE)
    p = 0.11
    largest = np.nextafter(p, 0)
    assert largest * (2 / p) == 2  # not below 2, the number of values
    drawn = _draw_one(np.array([2]), race, p, np.array([largest]))
    assert race.values == ("Asian", "Black", "White")
    assert drawn.tolist() == [1]


def test_a_number_of_p_leaves_the_value_as_it_is():
    X = pd.DataFrame({"sex": ["Male", "Female"]})
    (sex,) = learn_attributes(X, SEX)
    numbers = np.array([np.nextafter(0.5, 0), 0.5])
    assert _draw_one(np.array([0, 0]), sex, 0.5, numbers).tolist() == [1, 0]


def test_each_draw_has_the_same_share_of_the_probability():
    X = pd.DataFrame({"race": ["White", "Black", "Other"]})
    plan = PerturbationPlan(learn_attributes(X, RACE), "sample", n_samples=4, random_state=0)
    (chunk,) = iter_perturbed(as_table(X), plan)
    total = np.bincount(chunk.variants.rows, chunk.variants.probability[:, 0])
    assert total.tolist() == [1, 1, 1]


def test_a_row_with_more_perturbations_than_fit_is_a_chunk_of_its_own():
    assert _cut_rows(np.array([1, 5, 2, 1, 1]), 3) == [
        *(slice(0, 1), slice(1, 2), slice(2, 4), slice(4, 5))
    ]


def many_values(n_values, n_rows=400):
    """Three attributes of which each row has all privileged or all marginalised values."""
    rng = np.random.default_rng(0)
    rows = rng.integers(1, n_values, (n_rows, 3))
    rows[0] = 0
    rows[1:n_values] = np.arange(1, n_values)[:, None]
    return pd.DataFrame(rows, columns=["a", "b", "c"]).astype(str), dict.fromkeys("abc", "0")


def test_a_row_with_many_perturbations_is_enumerated_if_others_have_few():
    X, privileged = many_values(23)
    plan = PerturbationPlan(learn_attributes(X, privileged))
    assert plan.max_variants > 10_000
    (chunk,) = iter_perturbed(as_table(X), plan)
    assert len(chunk.variants) == 22**3 + 3 * 22 + 4 * (len(X) - 1)


def test_too_many_perturbations_on_average_are_refused():
    X, privileged = many_values(40, n_rows=100)
    X.iloc[40:] = "0"
    plan = PerturbationPlan(learn_attributes(X, privileged))
    with pytest.raises(ValueError, match=r"average.*10,000.*sample"):
        list(iter_perturbed(as_table(X), plan))


def test_a_part_of_the_rows_may_have_more_perturbations_than_the_average():
    X, privileged = many_values(40, n_rows=100)
    plan = PerturbationPlan(learn_attributes(X, privileged)).reserve_draws(1000)
    part = as_table(X.iloc[:1].loc[[0] * 20])
    assert sum(len(chunk.variants) for chunk in iter_perturbed(part, plan)) > 20 * 10_000


def test_more_perturbations_of_a_row_than_fit_in_a_chunk_are_refused():
    X, privileged = many_values(80)
    with pytest.raises(ValueError, match=r"up to.*400,000.*sample"):
        PerturbationPlan(learn_attributes(X, privileged))


@pytest.mark.filterwarnings("ignore:.*may encode it, too")
@pytest.mark.parametrize(("coupled", "rows"), [(None, 5), (TITLES, 2)])
def test_chunks_of_the_default_size_have_a_bounded_number_of_draws(monkeypatch, coupled, rows):
    monkeypatch.setattr("dr_core.perturbation._plan.CHUNK_VARIANTS", 50)
    X = pd.DataFrame({"race": ["W", "B", "O"] * 20, "title": ["a", "b", "b"] * 20})
    attributes = learn_attributes(X, RACE_W, coupled=coupled)
    plan = PerturbationPlan(attributes, "sample", n_samples=10, also_uncoupled=True)
    chunks = iter_perturbed(as_table(X), plan)
    assert {chunk.x.table.n_rows for chunk in chunks} == {rows}


def test_options_are_passed_by_name():
    for function in (perturb, enumerate_perturbations):
        with pytest.raises(TypeError, match="positional"):
            function(pd.DataFrame({"race": ["W", "B"]}), RACE_W, 0.5)


def test_the_error_of_too_many_perturbations_names_their_average(monkeypatch):
    monkeypatch.setattr("dr_core.perturbation._plan.MAX_VARIANTS", 1)
    monkeypatch.setattr("dr_core.perturbation._plan.CHUNK_VARIANTS", 4)
    X = pd.DataFrame({"race": ["White", "Black", "Other", "Asian"] + ["White"] * 4})
    with pytest.raises(ValueError, match="on average, a row has 2 perturbations"):
        next(iter_perturbed(as_table(X), PerturbationPlan(learn_attributes(X, RACE))))
