"""0/1 columns that encode one attribute, of which one is given as sensitive."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import hypergeom
from sklearn.model_selection import train_test_split

from dr_core import OneHot, assess_risk, collect_votes, compare, datasets, iter_chunks, perturb
from dr_core.cli import main
from dr_core.perturbation import learn_attributes
from dr_core.perturbation._dummies import _log_chance_of_none

N = 300


@pytest.fixture
def people():
    """Race as three 0/1 columns, and two columns that have nothing to do with it."""
    random = np.random.default_rng(0)
    race = random.choice(["black", "hispan", "white"], N, p=[0.4, 0.1, 0.5])
    columns = {name: (race == name).astype(int) for name in ("black", "hispan", "white")}
    return pd.DataFrame(
        {"age": random.integers(18, 60, N), "married": random.integers(0, 2, N)} | columns
    )


def messages(X, privileged, **options):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        learn_attributes(X, privileged, **options)
    return [str(warning.message) for warning in found]


def old_white(X):
    return ((X["age"] > 40) & (X["white"] == 1)).to_numpy().astype(int)


class TestSensitiveDummy:
    def test_is_named_with_the_columns_it_excludes_and_the_remedy(self, people):
        (message,) = messages(people, {"white": 1})
        assert "OneHot(columns=['black', 'hispan', 'white'], privileged='white')" in message

    def test_risk_with_the_remedy_is_another(self, people):
        with pytest.warns(UserWarning, match="OneHot"):
            alone = assess_risk(old_white, people, {"white": 1}).value
        race = OneHot(["black", "hispan", "white"], privileged="white")
        assert assess_risk(lambda X: X["hispan"], people, {"race": race}).value > 0
        assert alone == pytest.approx((people["age"] > 40).mean())

    def test_of_an_encoding_that_dropped_a_value_is_named(self, people):
        (message,) = messages(people.drop(columns="white"), {"black": 0})
        assert "OneHot(columns=['black', 'hispan'], privileged=..., dropped=...)" in message

    def test_is_named_once_for_two_sensitive_columns_of_one_group(self, people):
        assert len(messages(people, {"white": 1, "black": 0})) == 1

    @pytest.mark.parametrize("dtype", [bool, float, "Int64", "boolean", "uint8"])
    def test_is_found_in_columns_of_any_numeric_type(self, people, dtype):
        hot = people[["black", "hispan", "white"]].astype(dtype)
        assert len(messages(people.assign(**hot), {"white": 1})) == 1

    def test_is_found_in_an_array(self, people):
        (message,) = messages(people.to_numpy(), {4: 1})
        assert "OneHot(columns=[2, 3, 4], privileged=4)" in message

    def test_is_found_in_polars(self, people):
        polars = pytest.importorskip("polars")
        assert len(messages(polars.from_dict(people.to_dict("list")), {"white": 1})) == 1

    def test_is_found_in_the_first_of_several_frames(self, people, tmp_path):
        assert len(messages([people[:200], people[200:]], {"white": 1})) == 1
        people.to_csv(tmp_path / "people.csv", index=False)
        assert len(messages(iter_chunks(tmp_path / "people.csv", 150), {"white": 1})) == 1

    def test_is_found_in_the_first_partition_with_rows_of_a_dask_frame(self, people):
        dd = pytest.importorskip("dask.dataframe")
        parts = dd.from_pandas(people.assign(row=range(N)), npartitions=3)
        (message,) = messages(parts, {"white": 1})
        assert "OneHot(columns=['black', 'hispan', 'white']" in message
        (message,) = messages(parts[parts["row"] >= N // 3], {"white": 1})
        assert "OneHot(columns=['black', 'hispan', 'white']" in message

    def test_missing_values_do_not_hide_it(self, people):
        people["hispan"] = people["hispan"].astype(float).mask(people.index == 3)
        assert len(messages(people, {"white": 1})) == 1

    def test_is_found_when_rows_are_sorted_by_it(self, people):
        many = pd.concat([people] * 100).sort_values("white", ignore_index=True)
        assert len(messages(many, {"white": 1})) == 1

    @pytest.mark.parametrize(
        "call",
        [
            lambda X, y: perturb(X, {"white": 1}),
            lambda X, y: assess_risk(old_white, X, {"white": 1}),
            lambda X, y: compare({"model": old_white}, X, y, {"white": 1}),
            lambda X, y: collect_votes([forest(X, y)], X, y, {"white": 1}),
        ],
    )
    def test_every_verb_says_so_once(self, people, call):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            call(people, old_white(people))
        assert sum("OneHot" in str(warning.message) for warning in found) == 1

    def test_the_command_line_says_so_in_one_note(self, people, tmp_path, capsys):
        file = tmp_path / "people.csv"
        people.assign(hired=old_white(people)).to_csv(file, index=False)
        options = ["--label", "hired", "--favorable", "1", "--privileged", "white=1"]
        assert main([str(file), *options, "--n-boot", "0"]) == 0
        notes = [line for line in capsys.readouterr().err.splitlines() if "OneHot" in line]
        assert len(notes) == 1
        assert notes[0].startswith("dr-audit: note:")


class TestNoAlarm:
    def test_for_the_remedy_itself(self, people):
        race = OneHot(["black", "hispan", "white"], privileged="white")
        assert not messages(people, {"race": race})

    def test_for_a_column_beside_the_dummies_of_another_attribute(self, people):
        assert not messages(people, {"married": 1})

    def test_for_rare_flags_that_never_meet_by_chance(self, people):
        people["rare"] = 0
        people.loc[people.index[people["married"] == 0][:7], "rare"] = 1
        assert not messages(people, {"married": 1})

    def test_for_a_value_of_another_attribute_that_excludes_the_sensitive_one(self):
        """No man is a wife, but wife is a value of the relationship, which has its own columns."""
        random = np.random.default_rng(0)
        male = random.integers(0, 2, N)
        relationship = np.where(random.random(N) < 0.5, "child", np.where(male, "husband", "wife"))
        X = pd.get_dummies(pd.DataFrame({"male": male, "relationship": relationship}))
        assert not messages(X, {"male": 1})

    @pytest.mark.parametrize("half", [0, 1])
    def test_for_wives_in_the_census(self, half):
        """Sex beside the dummies of all other columns; in one half no man is a wife."""
        income = datasets.load("income")
        X = datasets.binarize(income).drop(columns="race-sex")
        X = train_test_split(X, test_size=0.5, random_state=0)[half]
        assert not messages(X, {"race": 1, "sex": 1})

    def test_where_one_row_has_two_values(self, people):
        many = pd.concat([people] * 100, ignore_index=True)
        many.loc[1, ["black", "hispan", "white"]] = 1  # not among the rows looked at first
        assert not messages(many, {"white": 1})

    def test_for_coupled_columns(self, people):
        people["other"] = 1 - people["white"]
        X = people.drop(columns=["black", "hispan"])
        coupled = {"other": {"white": {1: {1: 0}, 0: {0: 1}}}}
        assert messages(X, {"white": 1})
        assert not messages(X, {"white": 1}, coupled=coupled)

    def test_for_independent_columns(self):
        """At most one in a thousand data sets, by the test; none of these 500."""
        for seed in range(500):
            random = np.random.default_rng(seed)
            share = random.uniform(0.01, 0.99, (6, 1))
            flags = (random.random((6, 200)) < share).astype(int)
            flags[0, :2] = 0, 1
            assert not messages(flags.T, {0: 1})

    def test_for_attributes_that_were_learned_before(self, people):
        with pytest.warns(UserWarning, match="OneHot"):
            attributes = learn_attributes(people, {"white": 1})
        assert not messages(people, attributes)


def forest(X, y):
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=2).fit(X, y)


def test_chance_of_no_common_row_is_hypergeometric():
    for a, b in [(3, 4), (1, 1), (6, 4), (7, 4)]:
        found = _log_chance_of_none(np.array([a]), b, 10)
        assert np.exp(found[0]) == pytest.approx(hypergeom.pmf(0, 10, a, b))
