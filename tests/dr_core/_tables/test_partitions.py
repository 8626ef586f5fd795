"""Rows in parts give the answer of rows in memory, to the last digit."""

import re
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

from dr_core import (
    OneHot,
    Predictions,
    assess_risk,
    compare,
    iter_chunks,
    learn_attributes,
    perturb,
)
from dr_core._tables import Y, as_partitions
from dr_core._tables._partitions import Partitions
from dr_core._tables._parts import Parts, PartTask, _find_columns, group_parts

PRIVILEGED = {"sex": "M", "race": "W"}
SAMPLED = {"method": "sample", "n_samples": 2, "p": 0.6}


def test_the_columns_of_some_rows_start_where_these_rows_do():
    frame = pd.DataFrame({"a": range(5)})
    [part] = as_partitions(frame, {"y": [0, 1, 2, 3, 4]}).map(lambda part: part)
    some = part.row_columns.take(slice(2, 4))
    assert (some.start, some.y.tolist(), some.weights, some.person) == (2, [2, 3], None, None)


def population(n=400, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "sex": rng.choice(["M", "F"], n),
            "race": rng.choice(["W", "B", "O"], n),
            "score": rng.normal(size=n),
            "weight": rng.random(n) * 10.0 ** rng.integers(-9, 9, n),
            "y": rng.integers(0, 3, n),
        }
    )


def rule(X):
    """Three classes, of which the bonus for privileged people changes some."""
    bonus = 0.4 * (X["sex"] == "M") + 0.3 * (X["race"] == "W")
    return np.digitize(X["score"] + bonus, [-0.3, 0.6])


def quantity(X):
    return X["score"] + 0.4 * (X["sex"] == "M") + 0.3 * (X["race"] == "W")


def cut(frame, places):
    """Consecutive parts of a frame, some of them empty."""
    places = [0, *sorted(places), len(frame)]
    return [frame.iloc[a:b] for a, b in pairwise(places)]


def outcome(risk):
    """All results of an assessment except those of single rows."""
    return (
        risk.value,
        risk.worst_case,
        risk.n_effective,
        risk.interval(),
        risk.directions.to_dict("records"),
        risk.table().to_dict("records"),
    )


@pytest.fixture(scope="module")
def people():
    return population()


places = st.lists(st.integers(0, 400), max_size=8)


@settings(max_examples=25)
@given(places, st.sampled_from([rule, quantity]), st.sampled_from([{}, {"p": 0.3}, SAMPLED]))
def test_risk_does_not_depend_on_the_partitioning(places, model, options):
    people = population()
    options = {"y": "y", "sample_weight": "weight", "random_state": 0} | options
    options |= {"tolerance": 0} if model is quantity else {}
    parts = assess_risk(model, cut(people, places), PRIVILEGED, **options)
    assert repr(outcome(parts)) == repr(outcome(assess_risk(model, people, PRIVILEGED, **options)))


@settings(max_examples=15)
@given(places, st.booleans(), st.sampled_from([{}, SAMPLED]))
def test_a_comparison_does_not_depend_on_the_partitioning(places, weighted, options):
    people = population()
    options = {"n_boot": 20, "random_state": 1, "favorable": 2, "individuals": 7} | options
    options |= {"sample_weight": "weight"} if weighted else {}
    models = {"rule": rule, "by score": lambda X: np.where(X["score"] > 0, 2, 0)}
    whole = compare(models, people, "y", PRIVILEGED, **options)
    parts = compare(models, cut(people, places), "y", PRIVILEGED, **options)
    pd.testing.assert_frame_equal(parts.values, whole.values, check_exact=True)
    pd.testing.assert_frame_equal(parts.by_group, whole.by_group, check_exact=True)
    pd.testing.assert_frame_equal(parts.directions, whole.directions, check_exact=True)
    for name in models:
        mine, its = parts.individuals[name], whole.individuals[name]
        assert mine.rows.tolist() == its.rows.tolist()
        assert (mine.predictions, mine.n_concerned) == (its.predictions, its.n_concerned)
        pd.testing.assert_frame_equal(mine.features, its.features)


def test_a_part_in_which_nobody_was_perturbed_counts():
    people = population()
    options = {"method": "sample", "p": 0.6, "n_samples": 2, "random_state": 1, "favorable": 2}
    whole = compare({"rule": rule}, people, "y", PRIVILEGED, **options)
    parts = compare({"rule": rule}, cut(people, [146, 147]), "y", PRIVILEGED, **options)
    pd.testing.assert_frame_equal(parts.values, whole.values, check_exact=True)


@pytest.mark.parametrize("provider", ["fairlearn", "aif360"])
def test_other_providers_see_the_same_in_parts(people, provider):
    options = {"provider": provider, "favorable": 2, "sample_weight": "weight"}
    whole = compare({"rule": rule}, people, "y", {"sex": "M"}, **options)
    parts = compare({"rule": rule}, cut(people, [100, 250]), "y", {"sex": "M"}, **options)
    pd.testing.assert_frame_equal(parts.values, whole.values, check_exact=True)


@pytest.mark.parametrize("random_state", [3, np.random.RandomState, np.random.default_rng])
def test_random_states_of_any_kind_draw_the_same_in_parts(people, random_state):
    def seeded():
        return random_state if isinstance(random_state, int) else random_state(7)

    models = {"rule": rule, "again": rule}
    options = SAMPLED | {"n_boot": 10, "favorable": 2}
    whole = compare(models, people, "y", PRIVILEGED, random_state=seeded(), **options)
    parts = compare(models, cut(people, [9]), "y", PRIVILEGED, random_state=seeded(), **options)
    pd.testing.assert_frame_equal(parts.values, whole.values, check_exact=True)


def test_generators_that_cannot_jump_draw_the_same_in_parts(people):
    settings = SAMPLED | {"y": "y"}
    whole, parts = (
        assess_risk(rule, X, PRIVILEGED, random_state=_mersenne_twister(), **settings)
        for X in (people, cut(people, [123]))
    )
    assert outcome(parts) == outcome(whole)


def _mersenne_twister():
    return np.random.Generator(np.random.MT19937(0))


def test_a_generator_goes_on_behind_the_numbers_that_were_drawn(people):
    generators = [np.random.default_rng(0), np.random.default_rng(0)]
    for X, generator in zip((people, cut(people, [50])), generators, strict=True):
        assess_risk(rule, X, PRIVILEGED, random_state=generator, **SAMPLED)
    assert generators[0].random() == generators[1].random() != np.random.default_rng(0).random()


def test_parts_may_come_from_a_function(people):
    parts = cut(people, [100])
    risk = assess_risk(rule, lambda: iter(parts), PRIVILEGED)
    assert risk.value == assess_risk(rule, people, PRIVILEGED).value


def test_parts_may_be_polars_frames(people):
    parts = [pl.from_pandas(part) for part in cut(people, [100])]
    model = lambda X: rule(X.to_pandas())  # noqa: E731
    risk = assess_risk(model, parts, PRIVILEGED, y="y")
    assert outcome(risk) == outcome(assess_risk(rule, people, PRIVILEGED, y="y"))


def test_parts_may_be_arrays_and_attributes_one_hot():
    rng = np.random.default_rng(0)
    sex = rng.integers(0, 2, 60)
    X = np.column_stack([1 - sex, sex, rng.normal(size=60)])
    privileged = {"sex": OneHot([0, 1], privileged=1)}
    model = lambda X: X[:, 2] + X[:, 1] > 0.5  # noqa: E731
    parts = assess_risk(model, [X[:10], X[10:]], privileged)
    assert outcome(parts) == outcome(assess_risk(model, X, privileged))


@pytest.mark.parametrize("kind", ["all rows", "each part"])
def test_labels_and_weights_may_be_arrays(people, kind):
    X, y, weight = people[["sex", "race", "score"]], people["y"], people["weight"]
    split = (lambda column: cut(column, [150])) if kind == "each part" else list
    parts = assess_risk(rule, cut(X, [150]), PRIVILEGED, y=split(y), sample_weight=split(weight))
    whole = assess_risk(rule, X, PRIVILEGED, y=y, sample_weight=weight)
    assert outcome(parts) == outcome(whole)


def test_given_predictions_are_cut_like_the_rows(people):
    perturbed = {"all": rule(perturb(people, PRIVILEGED, random_state=0))}
    models = {"given": Predictions(rule(people), perturbed)}
    options = {"favorable": 2, "measures": ["discriminative_risk", "accuracy"]}
    with pytest.warns(UserWarning, match="undefined"):
        whole = compare(models, people, "y", PRIVILEGED, **options)
    with pytest.warns(UserWarning, match="undefined"):
        parts = compare(models, cut(people, [33, 200]), "y", PRIVILEGED, **options)
    pd.testing.assert_frame_equal(parts.values, whole.values, check_exact=True)
    pd.testing.assert_frame_equal(parts.by_group, whole.by_group, check_exact=True)


def test_a_named_column_is_not_shown_to_the_model(people):
    columns = []
    assess_risk(
        lambda X: columns.append(list(X)) or rule(X),
        people,
        PRIVILEGED,
        y="y",
        sample_weight="weight",
    )
    assert columns[0] == ["sex", "race", "score"]


def test_a_value_that_a_part_lacks_is_perturbed_into(people):
    ordered = people.sort_values(["sex", "race"])
    parts = assess_risk(rule, cut(ordered, [50, 100, 300]), PRIVILEGED)
    assert outcome(parts) == outcome(assess_risk(rule, people, PRIVILEGED))


def test_a_part_that_weighs_nothing_counts_for_nothing(people):
    weights = np.where(np.arange(400) < 100, 0.0, 1.0)
    parts = assess_risk(rule, cut(people, [100]), PRIVILEGED, sample_weight=weights)
    assert parts.value == assess_risk(rule, people[100:], PRIVILEGED).value


def test_rows_that_all_weigh_nothing_are_refused(people):
    with pytest.raises(ValueError, match="at least one non-zero"):
        assess_risk(rule, cut(people, [100]), PRIVILEGED, sample_weight=np.zeros(400))


def test_classes_that_only_another_part_has_are_known(people):
    people = people.sort_values("y")
    first, *others = cut(people, [50, 300])
    model = DecisionTreeClassifier(max_depth=3).fit(people[["score"]], people["y"])
    predict = lambda X: model.predict(X[["score"]])  # noqa: E731
    parts = assess_risk(predict, [first, *others], PRIVILEGED, y="y")
    assert parts.table().equals(assess_risk(predict, people, PRIVILEGED, y="y").table())


def test_integers_in_one_part_are_quantities_if_another_has_fractions(people):
    model = lambda X: np.where(X["score"] > 0, quantity(X), X["sex"] == "M")  # noqa: E731
    people = people.sort_values("score")
    parts = assess_risk(model, cut(people, [100]), PRIVILEGED, tolerance=0)
    assert parts.directions["to"].tolist() == ["higher", "lower"]
    assert outcome(parts) == outcome(assess_risk(model, people, PRIVILEGED, tolerance=0))


def test_single_rows_stay_where_they_are(people):
    risk = assess_risk(rule, cut(people, [100]), PRIVILEGED)
    with pytest.raises(ValueError, match="single rows are not available for X in partitions"):
        risk.individual  # noqa: B018


def test_votes_of_ensembles_need_rows_in_memory(people):
    with pytest.raises(ValueError, match="ensembles=True needs rows in memory"):
        compare({"m": rule}, cut(people, [9]), "y", PRIVILEGED, favorable=2, ensembles=True)


# Errors name the partition


def spoiled(people, **changes):
    """Three parts, the second of them changed."""
    parts = cut(people, [100, 300])
    parts[1] = parts[1].assign(**changes)
    return parts


def second(message):
    return r"partition 1 \(counted from 0\): " + message


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"score": "high"}, "column 'score' has dtype .*, but float64 elsewhere"),
        ({"y": 0.5}, "column 'y' has dtype float64, but int64 elsewhere"),
        ({"weight": np.nan}, "sample_weight has 200 missing values in 200 rows"),
        ({"weight": -1.0}, "sample_weight must be finite and not negative"),
        (
            {"sex": None},
            "sensitive attribute 'sex' is missing in 200 of 200 rows|column 'sex' has",
        ),
    ],
)
def test_a_part_unlike_the_others_is_named(people, changes, message):
    with pytest.raises(ValueError, match=second(f".*({message})")):
        assess_risk(rule, spoiled(people, **changes), PRIVILEGED, y="y", sample_weight="weight")


def test_attributes_are_learned_from_partitions_as_from_a_table(people):
    table, parts = as_partitions(people, {}), as_partitions(cut(people, [7, 90]), {})
    assert parts.keys() == table.keys() == list(people)
    assert parts.n_rows == table.n_rows == 400
    for data in (table, parts):
        data.read(["sex", "race"])
        assert data.distinct("race") == people["race"].unique().tolist()
        attributes = learn_attributes(data, PRIVILEGED)
        assert [a.values for a in attributes] == [("F", "M"), ("B", "O", "W")]


def test_the_first_pass_reads_only_the_columns_it_needs(people, tmp_path):
    people.to_parquet(tmp_path / "a.parquet", index=False)
    chunks = iter_chunks(tmp_path / "a.parquet", 100)
    data, asked, select = as_partitions(chunks, {Y: "y"}, want_labels=True), [], chunks.select
    assert data.sample.n_rows == 100  # the first chunk is read for the types
    chunks.select = lambda keys: asked.append(keys) or select(keys)
    learn_attributes(data, PRIVILEGED)
    assert (sorted(data.labels), data.n_rows) == ([0, 1, 2], 400)
    assert asked == [["sex", "race", "y"]]


def test_a_part_without_a_column_is_named(people):
    parts = spoiled(people)
    for column in ("sex", "score"):
        parts[1] = parts[1].drop(columns=column)
        with pytest.raises(ValueError, match=second(f"column '{column}' is missing")):
            assess_risk(rule, parts, PRIVILEGED)
        parts = spoiled(people)


def test_a_part_with_a_column_more_is_named(people):
    parts = spoiled(people, extra=1)
    with pytest.raises(ValueError, match=second("column 'extra' is not in other partitions")):
        assess_risk(rule, parts, PRIVILEGED)


def test_a_part_with_other_categories_is_named_with_its_categories(people):
    kinds = [pd.CategoricalDtype(["F", "M"]), pd.CategoricalDtype(["F", "M", "X"])]
    parts = [people.astype({"sex": kind}) for kind in kinds]
    with pytest.raises(
        ValueError, match=second("column 'sex'.*category of 'F', 'M', 'X', but.*'F', 'M'")
    ):
        assess_risk(rule, parts, PRIVILEGED)


@pytest.mark.parametrize("as_kind", [lambda X: X, pl.from_pandas], ids=["pandas", "polars"])
@pytest.mark.parametrize("options", [{}, {"method": "sample", "random_state": 3}])
def test_many_small_parts_are_processed_together(people, options, as_kind):
    calls = []
    model = lambda X: calls.append(len(X)) or rule(X)  # noqa: E731
    parts = [as_kind(part) for part in cut(people, range(2, 400, 2))]
    columns = {"y": people["y"].to_numpy(), "sample_weight": "weight"}
    found = assess_risk(model, parts, PRIVILEGED, **columns, **options)
    assert len(calls) < 200 < sum(calls)
    assert outcome(found) == outcome(assess_risk(rule, people, PRIVILEGED, **columns, **options))


@pytest.mark.parametrize(
    ("lengths", "n_columns", "first"),
    [
        ([2] * 128, 1, range(4)),  # at least 32 groups
        ([5000] * 128, 1, range(2)),  # at most 10,000 rows
        ([5001] * 128, 1, range(1)),
        ([1024] * 128, 512, range(2)),  # at most 2**20 cells
        ([1024] * 128, 513, range(1)),
        ([8, 9] * 64, 61_681, range(1)),  # 17 rows have 2**20 + 1 cells
    ],
)
def test_small_parts_are_grouped_within_limits(lengths, n_columns, first):
    assert group_parts(lengths, n_columns)[0] == first


def test_the_sample_is_from_the_first_part_with_rows():
    parts = [pd.DataFrame({"a": range(n)}) for n in (0, 10_001, 5)]
    assert as_partitions(parts, {}).sample.n_rows == 10_000
    assert as_partitions(parts[2:], {}).sample.n_rows == 5


@pytest.mark.parametrize("starts", [[0, 2], [0, 1, 2]])
def test_a_part_behind_the_last_has_no_rows_of_arrays(starts):
    rows, columns = _find_columns({}, {"y": np.arange(2)}, starts, 5)
    assert (rows, columns["y"].tolist()) == (slice(2, 2), [])


def test_a_model_that_fails_on_a_part_is_asked_once():
    asked = []
    task = PartTask(lambda part: asked.append(part) or 1 / 0, {"a": np.dtype("int64")}, {})
    with pytest.raises(ZeroDivisionError):
        task(0, [(pd.DataFrame({"a": [1]}), None, {})])
    assert len(asked) == 1


def test_a_small_part_in_which_the_model_fails_is_named(people):
    broken = people["score"][301]
    model = lambda X: 1 / 0 if (X["score"] == broken).any() else rule(X)  # noqa: E731
    with pytest.raises(ZeroDivisionError) as error:
        assess_risk(model, cut(people, range(2, 400, 2)), PRIVILEGED)
    assert "partition 150 " in error.value.__notes__[0]


def test_labels_of_small_parts_stay_numbers_or_text(people):
    parts = cut(people.drop(columns="y"), range(2, 400, 2))
    y = [np.array([1, 0] if i % 2 else ["1", "0"]) for i in range(200)]
    labels = as_partitions(parts, {Y: y}, want_labels=True).map(lambda part: part.y.tolist())
    assert [label for part in labels for label in part] == ["1", "0", 1, 0] * 100


def test_a_part_with_columns_in_another_order_is_named(people):
    parts = spoiled(people)
    parts[1] = parts[1][list(people)[::-1]]
    with pytest.raises(ValueError, match=second("columns are in another order")):
        assess_risk(rule, parts, PRIVILEGED)


def test_a_part_with_an_unseen_value_is_named(people):
    attributes = learn_attributes(people, PRIVILEGED)
    with pytest.raises(ValueError, match=second("sensitive attribute 'sex' has 'X'")):
        assess_risk(rule, spoiled(people, sex="X"), attributes)


def test_a_part_with_an_unknown_prediction_is_named(people):
    model = lambda X: rule(X) + 9 * (X["score"] == people["score"][200])  # noqa: E731
    with pytest.raises(ValueError, match=second("the predictions of model 'm' are 10")):
        compare({"m": model}, cut(people, [100, 300]), "y", PRIVILEGED, favorable=2)


def test_a_part_in_which_the_model_fails_is_named(people):
    def model(X):
        raise KeyError("income")

    with pytest.raises(KeyError, match="income") as error:
        assess_risk(model, cut(people, [100]), PRIVILEGED)
    assert error.value.__notes__ == ["This happened in partition 0 (counted from 0)."]


def test_a_model_that_is_not_fitted_is_no_fault_of_a_partition(people):
    with pytest.raises(NotFittedError, match=r"^This LinearRegression"):
        assess_risk(LinearRegression(), cut(people[["score", "sex"]], [9]), {"sex": "M"})


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (lambda people: iter([people]), "can be iterated over only once.*Pass a list"),
        (
            lambda people: (part for part in [people]),
            "can be iterated over only once.*Pass a list",
        ),
        (lambda people: [[1, 2], [3, 4]], "X is a list of rows"),
    ],
)
def test_frames_that_cannot_be_iterated_over_twice_are_refused(people, X, message):
    with pytest.raises(TypeError, match=message):
        assess_risk(rule, X(people), PRIVILEGED)


def test_rows_that_change_between_passes_are_refused(people):
    passes = iter([[people, people], [people, people], [people, people[:9]]])
    with pytest.raises(ValueError, match=second("it has 9 rows, but had 400 in the first pass")):
        assess_risk(rule, lambda: next(passes), PRIVILEGED)


@pytest.mark.parametrize("second_pass", [1, 3])
def test_parts_that_are_fewer_or_more_in_the_second_pass_are_refused(people, second_pass):
    passes = iter([[people] * 2, [people] * 2, [people] * second_pass])
    with pytest.raises(ValueError, match="in the first pass"):
        assess_risk(rule, lambda: next(passes), PRIVILEGED)


@pytest.mark.parametrize("parts", [[], [pd.DataFrame({"sex": []})]])
def test_parts_without_any_row_are_refused(parts):
    with pytest.raises(ValueError, match="X is empty"):
        assess_risk(rule, parts, PRIVILEGED)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.zeros(399), "y has length 399, but X has 400 rows"),
        ([np.zeros(100), np.zeros(200), np.zeros(100)], "y has 3 parts, but X has 2 partitions"),
        ([np.zeros(400)], "y has 1 parts, but X has 2 partitions"),
        ([np.zeros(100), np.zeros(299)], "partition 1 .*y has length 299, but X has 300 rows"),
        ("label", "y is to be read from 'label', but X has 'sex', 'race'"),
    ],
)
def test_labels_that_do_not_fit_are_refused(people, y, message):
    with pytest.raises(ValueError, match=message):
        assess_risk(rule, cut(people, [100]), PRIVILEGED, y=y)


def test_a_column_that_is_not_there_is_named_in_memory_too(people):
    message = re.escape("sample_weight is to be read from 'w', but X has 'sex', 'race', 'score'")
    with pytest.raises(ValueError, match=message):
        assess_risk(rule, people, PRIVILEGED, sample_weight="w")


def test_progress_is_shown_in_chunks(people, capsys):
    assess_risk(rule, cut(people, [100, 200]), PRIVILEGED, progress=True)
    assert "3/3" in capsys.readouterr().err


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_counts_of_parts_add_up_to_those_of_the_whole(make):
    ages = [20, 30, None, 30, 40, 20, 20]
    whole = as_partitions(make({"age": ages}), {}).value_counts("age")
    parts = [make({"age": pd.Series(ages[i:j], dtype=float)}) for i, j in ((0, 3), (3, 7))]
    assert whole == as_partitions(parts, {}).value_counts("age") == {20: 3, 30: 2, 40: 1}


def test_a_kind_of_rows_must_have_all_that_is_abstract():
    every = {"n_rows", "labels", "sample", "keys", "levels", "read", "value_counts", "map"}
    assert Partitions.__abstractmethods__ == every
    assert Parts.__abstractmethods__ == {"sample", "levels", "_dtypes", "_run"}
