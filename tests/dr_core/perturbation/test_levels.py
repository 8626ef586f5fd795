"""Sensitive attributes in the index of a frame, as aif360.sklearn has them."""

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal, assert_index_equal

from dr_core import (
    OneHot,
    assess_risk,
    compare,
    enumerate_perturbations,
    learn_attributes,
    perturb,
)

SEX = np.array(["m", "f", "f", "m", "m", "f"])
RACE = np.array(["a", "b", "c", "a", "b", "c"])


def reads_index(X):
    """Hire men and women of race a, as the index says."""
    sex, race = (X.index.get_level_values(name) for name in ("sex", "race"))
    return np.asarray((sex == "m") | (race == "a"))


@pytest.fixture
def X():
    """Sex in a column and in the index, race in the index alone."""
    index = pd.MultiIndex.from_arrays([RACE, SEX, range(6)], names=["race", "sex", None])
    return pd.DataFrame({"sex": SEX, "age": range(6)}, index=index)


def swapped(sex):
    return np.where(np.asarray(sex) == "m", "f", "m")


def test_a_column_and_the_level_of_its_name_change_together(X):
    changed = perturb(X, {"sex": "m"})
    assert changed["sex"].tolist() == swapped(SEX).tolist()
    assert changed.index.get_level_values("sex").tolist() == swapped(SEX).tolist()


def test_other_levels_and_columns_stay(X):
    changed = perturb(X, {"sex": "m"})
    for name in ("race", None):
        position = X.index.names.index(name)
        assert_index_equal(
            changed.index.get_level_values(position), X.index.get_level_values(position)
        )
    assert changed["age"].tolist() == list(range(6))


def test_a_level_alone_is_perturbed(X):
    changed = perturb(X, {"race": "a"}, random_state=0)
    race = changed.index.get_level_values("race")
    assert ((race == "a") == (RACE != "a")).all()
    assert_frame_equal(changed.reset_index(drop=True), X.reset_index(drop=True))


def test_a_plain_index_is_a_level_too():
    X = pd.DataFrame({"age": [1, 2]}, index=pd.Index(["m", "f"], name="sex"))
    changed = perturb(X, {"sex": "m"})
    assert_index_equal(changed.index, pd.Index(["f", "m"], name="sex"))


@pytest.mark.parametrize("dtype", ["object", "category", "string"])
def test_the_type_of_a_level_stays(X, dtype):
    index = X.index.set_levels(X.index.levels[1].astype(dtype), level="sex")
    X = X.set_axis(index)
    changed = perturb(X, {"sex": "m", "race": "a"}, random_state=0)
    assert changed.index.dtypes.tolist() == X.index.dtypes.tolist()


def test_x_is_not_modified(X):
    before = X.copy(deep=True)
    perturb(X, {"sex": "m", "race": "a"}, random_state=0)
    assert_frame_equal(X, before)


def test_codes_in_the_index_follow_words_in_the_column(X):
    index = pd.Index((SEX == "m").astype(int), name="sex")
    changed = perturb(X.set_axis(index), {"sex": "m"})
    assert changed.index.tolist() == (SEX == "f").astype(int).tolist()


def test_a_coarser_level_follows_its_column():
    races = pd.DataFrame({"race": RACE}, index=pd.Index(RACE == "a", name="race"))
    every = enumerate_perturbations(races, {"race": "a"})
    assert ((every.data["race"] == "a") == every.data.index).all()
    assert set(every.data["race"]) == {"a", "b", "c"}


@pytest.mark.parametrize("dropped", [None, "f"])
def test_a_level_follows_one_hot_columns(dropped):
    X = pd.DataFrame({"f": SEX == "f", "m": SEX == "m"}, dtype=int).set_axis(
        pd.Index(SEX, name="sex")
    )
    columns = ["f", "m"] if dropped is None else ["m"]
    changed = perturb(X[columns], {"sex": OneHot(columns, "m", dropped=dropped)})
    assert changed.index.tolist() == swapped(SEX).tolist()
    assert changed["m"].tolist() == (SEX == "f").astype(int).tolist()


def test_risk_is_that_of_loops_over_rows(X):
    changes = []
    for race, sex in zip(RACE, SEX, strict=True):
        others = ["b", "c"] if race == "a" else ["a"]
        before = sex == "m" or race == "a"
        changes.append(np.mean([before != (sex != "m" or other == "a") for other in others]))
    risk = assess_risk(reads_index, X, {"sex": "m", "race": "a"})
    assert risk.individual.tolist() == changes
    assert risk.by_attribute["sex"] == np.mean(RACE != "a")


@pytest.mark.parametrize("size", [1, 4])
def test_chunks_and_frames_give_the_same_risk(X, size):
    whole = assess_risk(reads_index, X, {"sex": "m", "race": "a"})
    chunked = assess_risk(reads_index, X, {"sex": "m", "race": "a"}, chunk_size=size)
    frames = [X.iloc[i : i + size] for i in range(0, len(X), size)]
    parts = assess_risk(reads_index, frames, {"sex": "m", "race": "a"})
    assert chunked.value == parts.value == whole.value > 0


def test_a_level_of_other_codes_is_learned_from_all_frames(X):
    X = X.set_axis(pd.Index((SEX == "m").astype(int), name="sex"))
    frames = [X.iloc[i : i + 1] for i in range(len(X))]
    assert assess_risk(lambda X: X.index == 1, frames, {"sex": "m"}).value == 1


def test_the_index_of_a_dask_frame_is_perturbed(X):
    dd = pytest.importorskip("dask.dataframe")
    X = X.set_axis(pd.Index(np.sort(SEX), name="sex"))[["age"]]
    risk = assess_risk(lambda X: X.index == "m", dd.from_pandas(X, npartitions=2), {"sex": "m"})
    assert risk.value == 1


def test_a_level_alone_can_be_missing(X):
    index = pd.Index(["m", None, "f", "m", None, "f"], name="sex")
    X = X[["age"]].set_axis(index)
    with pytest.raises(ValueError, match=r"'sex'.*missing.*\b2\b"):
        perturb(X, {"sex": "m"})
    kept = perturb(X, learn_attributes(X, {"sex": "m"}, missing="keep"))
    assert kept.index.isna().tolist() == index.isna().tolist()


def test_a_domain_may_have_values_that_no_row_has(X):
    attributes = learn_attributes(X, {"sex": "m"}, domain={"sex": ["f", "m", "x"]})
    every = enumerate_perturbations(X, attributes).data
    assert every["sex"].tolist() == every.index.get_level_values("sex").tolist()
    assert "x" in set(every["sex"])


@pytest.mark.filterwarnings("ignore:.*may encode it, too")
def test_plausibility_is_that_of_a_column():
    people = np.arange(200)
    job = np.where(people % 2, "nun", "monk")
    sex = pd.Index(np.where(people % 2, "f", "m"), name="sex")
    X = pd.DataFrame({"job": job}, index=sex)
    columns = X.reset_index()
    by_index = assess_risk(lambda X: X["job"] == "nun", X, {"sex": "m"}).plausibility()
    by_column = assess_risk(lambda X: X["job"] == "nun", columns, {"sex": "m"}).plausibility()
    assert by_index.share == by_column.share == 1


def test_the_individuals_of_a_comparison_show_the_level(X):
    found = compare({"m": reads_index}, X, X["age"] % 2 == 0, {"race": "a"}, individuals=2)
    [individuals] = found.individuals.values()
    assert list(individuals.features) == ["race", "sex", "age"]


class TestRefusals:
    def test_a_level_that_contradicts_its_column(self, X):
        X = X.set_axis(pd.Index(["m", "m", "f", "m", "m", "f"], name="sex"))
        with pytest.raises(ValueError, match=r"'f'.*'sex'.*'m', 'f'.*index"):
            perturb(X, {"sex": "m"})

    def test_rows_that_contradict_what_was_learned(self, X):
        attributes = learn_attributes(X, {"sex": "m"})
        other = X.assign(sex=swapped(SEX))
        with pytest.raises(ValueError, match=r"index level 'sex'.*\b6 of 6\b"):
            perturb(other, attributes)

    def test_a_level_that_was_not_there_when_attributes_were_learned(self, X):
        attributes = learn_attributes(X.reset_index(drop=True), {"sex": "m"})
        with pytest.raises(ValueError, match=r"index level 'sex'.*learned"):
            perturb(X, attributes)

    def test_a_level_that_is_not_there_any_more(self, X):
        attributes = learn_attributes(X, {"sex": "m"})
        with pytest.raises(ValueError, match=r"no index level 'sex'.*learned"):
            perturb(X.reset_index(drop=True), attributes)

    def test_values_whose_level_nobody_has(self, X):
        X = X.set_axis(pd.Index(SEX == "m", name="sex"))
        with pytest.raises(ValueError, match=r"'x'.*index level 'sex'"):
            learn_attributes(X, {"sex": "m"}, domain={"sex": ["f", "m", "x"]})

    def test_a_name_that_is_neither_column_nor_level(self, X):
        with pytest.raises(ValueError, match=r"'religion'.*'age'.*index levels 'race', 'sex'"):
            perturb(X, {"religion": "a"})

    def test_two_levels_of_one_name(self, X):
        index = pd.MultiIndex.from_arrays([SEX, SEX], names=["sex", "sex"])
        with pytest.raises(ValueError, match=r"no single index level"):
            perturb(X[["age"]].set_axis(index), {"sex": "m"})
