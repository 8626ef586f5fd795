"""to_fairlearn restores the data passed to to_aif360."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest
from aif360.algorithms.preprocessing import Reweighing
from dr_adapters import groups, to_aif360, to_fairlearn
from effort import effort
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal, assert_index_equal, assert_series_equal

WORDS = ["", "a", "b", "Zoë", "nan", "None"]
LEVELS = ["low", "middle", "high", "unused"]
DATES = st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2200, 1, 1))


def column(values, dtype):
    """Columns of one dtype, as functions of the number of rows."""
    return lambda n: st.lists(values, min_size=n, max_size=n).map(
        lambda drawn: pd.Series(drawn, dtype=dtype)
    )


COLUMNS = [
    column(st.integers(-(2**63), 2**63 - 1), "int64"),
    column(st.integers(0, 2**64 - 1), "uint64"),
    column(st.integers(-128, 127), "int8"),
    column(st.floats(width=64), "float64"),
    column(st.floats(width=32), "float32"),
    column(st.sampled_from([0.0, 1.0, np.nan]), "float64"),
    column(st.booleans(), "bool"),
    column(st.booleans() | st.none(), "boolean"),
    column(st.integers(-5, 5) | st.none(), "Int64"),
    column(st.integers(-(2**63), 2**63 - 1) | st.none(), "Int64"),
    column(st.sampled_from([0.5, 2.5]) | st.none(), "Float64"),
    column(st.sampled_from(WORDS), "object"),
    column(st.sampled_from(WORDS) | st.none() | st.just(np.nan), "object"),
    column(st.sampled_from([1, 1.0, True, "1", None, (1, 2), b"1"]), "object"),
    column(st.sampled_from(WORDS) | st.none(), "string"),
    column(st.sampled_from(LEVELS[:3]) | st.none(), pd.CategoricalDtype(LEVELS, ordered=True)),
    column(st.sampled_from([3, 1]), pd.CategoricalDtype([3, 2, 1])),
    column(DATES, "datetime64[ns]"),
    column(DATES | st.none(), "datetime64[ns]"),
    column(DATES.map(lambda d: d.replace(microsecond=0)), "datetime64[ns]"),
    column(DATES.map(lambda d: pd.Timestamp(d, tz="UTC")), "datetime64[ns, Europe/Berlin]"),
    column(st.timedeltas(dt.timedelta(-900), dt.timedelta(900)) | st.none(), "timedelta64[ns]"),
    column(st.sampled_from([pd.Period("2020-01", "M"), pd.NaT]), "period[M]"),
    column(st.complex_numbers(allow_nan=False), "complex128"),
]
VERSION = int(pd.__version__.split(".")[0])
if VERSION >= 2:
    COLUMNS += [
        column(DATES | st.none(), "datetime64[us]"),
        column(DATES.map(lambda d: d.replace(microsecond=0)), "datetime64[s]"),
    ]
if VERSION >= 3:
    COLUMNS += [
        column(st.integers(-5, 5) | st.none(), "int64[pyarrow]"),
        column(st.sampled_from(WORDS) | st.none(), "string[pyarrow]"),
    ]

SENSITIVE = [
    ("object", ["Male", "Female"], "Male"),
    ("object", ["White", "Black", "Asian"], ["White", "Asian"]),
    (pd.CategoricalDtype(["x", "f", "m"]), ["f", "m"], "m"),
    ("int64", [0, 1], 1),
    ("int64", [3, 5, 7], [5, 7]),
    ("bool", [True, False], False),
    ("string", ["f", "m"], "f"),
    ("float64", [0.5, 1.5], 1.5),
]

INDICES = [
    lambda n: pd.RangeIndex(n),
    lambda n: pd.RangeIndex(5, 5 + 2 * n, 2, name="every other"),
    lambda n: pd.Index([f"p{i}" for i in range(n)], name="person"),
    lambda n: pd.Index([0] * n),
    lambda n: pd.MultiIndex.from_arrays([[1] * n, list("ab" * n)[:n]], names=["k", None]),
    lambda n: pd.date_range("2020-01-01", periods=n, freq="D"),
]

LABELS = [
    ("int64", 0, 1),
    ("int64", 2, 1),
    ("float64", -1.0, 1.0),
    ("object", "no", "yes"),
    ("bool", False, True),
    ("string", "denied", "granted"),
    (pd.CategoricalDtype(["good", "bad"]), "bad", "good"),
]


def with_each(draw, values, n):
    """n values in which each occurs."""
    return draw(
        st.permutations(
            [
                *values,
                *draw(
                    st.lists(
                        st.sampled_from(values), min_size=n - len(values), max_size=n - len(values)
                    )
                ),
            ]
        )
    )


@st.composite
def problems(draw):
    """Arguments of to_aif360."""
    n = draw(st.integers(3, 8))
    index = draw(st.sampled_from(INDICES))(n)
    X = pd.DataFrame(
        {
            name: draw(draw(st.sampled_from(COLUMNS))(n)).set_axis(index)
            for name in draw(st.lists(st.sampled_from(["u", "v", "w", 0, ("t", 1)]), unique=True))
        },
        index=index,
    )
    chosen = draw(st.lists(st.sampled_from(SENSITIVE), min_size=1, max_size=2))
    A = pd.DataFrame(
        {
            name: pd.Series(with_each(draw, values, n), dtype=dtype, index=index)
            for name, (dtype, values, _) in zip("ab", chosen, strict=False)
        }
    )
    privileged = {name: value for name, (_, _, value) in zip("ab", chosen, strict=False)}
    dtype, bad, good = draw(st.sampled_from(LABELS))
    y = pd.Series(with_each(draw, [bad, good], n), dtype=dtype, index=index, name="y")
    arguments = {"privileged": privileged, "favorable_label": good}
    if draw(st.booleans()):
        X = pd.concat([X, A], axis=1)
    else:
        arguments["sensitive_features"] = (
            draw(st.sampled_from([A, A["a"]])) if len(chosen) == 1 else A
        )
    if draw(st.booleans()):
        weights = draw(st.lists(st.floats(0.5, 9), min_size=n, max_size=n))
        arguments["sample_weight"] = pd.Series(weights, index=index, name="w")
    if draw(st.booleans()):
        arguments["y_pred"] = pd.Series(with_each(draw, [bad, good], n), dtype=dtype, index=index)
        arguments["scores"] = np.array(draw(st.lists(st.floats(0, 1), min_size=n, max_size=n)))
    return X, y, arguments


def assert_same(found, expected, **options):
    if expected is None:
        assert found is None
    elif isinstance(expected, pd.DataFrame):
        assert_frame_equal(found, expected, **options)
    elif isinstance(expected, pd.Series):
        assert_series_equal(found, expected, **options)
    else:
        np.testing.assert_array_equal(found, expected, strict=True)


def assert_all_same(back, X, y, arguments, rows=slice(None), **options):
    own = X[[name for name in arguments["privileged"] if name in X]]

    def at(value):
        return value.iloc[rows] if hasattr(value, "iloc") else value[rows]

    assert_same(back.X, at(X), **options)
    assert_same(back.y, at(y), **options)
    assert_same(back.sensitive_features, at(arguments.get("sensitive_features", own)), **options)
    for name in ("sample_weight", "y_pred", "scores"):
        given_value = arguments.get(name)
        assert_same(
            getattr(back, name), None if given_value is None else at(given_value), **options
        )


MANY = settings(
    effort(some=100, many=600),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@MANY
@given(problems())
def test_everything_comes_back_as_it_was(problem):
    X, y, arguments = problem
    before = X.copy(deep=True)
    back = to_fairlearn(to_aif360(X, y, **arguments))
    assert_all_same(back, X, y, arguments)
    assert back.privileged == arguments["privileged"]
    assert_frame_equal(X, before)


@MANY
@given(problems())
def test_everything_comes_back_after_split_and_concatenation(problem):
    X, y, arguments = problem
    backs = [to_fairlearn(part) for part in to_aif360(X, y, **arguments).split(2)]
    half = len(backs[0].X)
    for back, rows in zip(backs, (slice(half), slice(half, None)), strict=True):
        assert_all_same(back, X, y, arguments, rows, check_freq=False)
    # Before version 3, concatenation itself turned None into NaN in parts without any value.
    expected = X if VERSION >= 3 else pd.concat([X.iloc[:half], X.iloc[half:]])
    assert_frame_equal(pd.concat([back.X for back in backs]), expected, check_freq=False)


@MANY
@given(problems())
def test_the_dataset_is_ready_for_models(problem):
    X, y, arguments = problem
    dataset = to_aif360(X, y, **arguments)
    dataset.validate_dataset()
    for numbers in (
        dataset.features,
        dataset.protected_attributes,
        dataset.labels,
        dataset.scores,
    ):
        assert numbers.dtype == np.float64
        assert not np.isnan(numbers).any()
    assert dataset.features.shape == (len(X), len(dataset.feature_names))
    assert dataset.labels.shape == dataset.scores.shape == (len(X), 1)


@pytest.fixture
def people():
    index = pd.MultiIndex.from_arrays([[1, 1, 2, 2, 2, 2], [0, 0, 0, 1, 1, 1]], names=["a", "b"])
    X = pd.DataFrame(
        {
            "sex": pd.Categorical(["f", "m", "f", "m", "f", "m"], ["m", "x", "f"]),
            "income": [1.5, np.nan, 2.5, np.nan, 0.0, 9.0],
            "born": pd.to_datetime(["1990-01-01"] * 5 + ["2000-02-29"]),
            "city": ["Rome", None, "Oslo", "Rome", "Bern", "Rome"],
        },
        index=index,
    )
    y = pd.Series(["no", "yes", "yes", "no", "no", "yes"], index=index, name="granted")
    return X, y, to_aif360(X, y, privileged={"sex": "m"}, favorable_label="yes")


def test_a_subset_comes_back_with_its_rows(people):
    X, y, dataset = people
    back = to_fairlearn(dataset.subset([4, 0]))
    assert_frame_equal(back.X, X.iloc[[4, 0]])
    assert_series_equal(back.y, y.iloc[[4, 0]])


@pytest.mark.parametrize("deepcopy", [True, False])
def test_a_copy_comes_back(people, deepcopy):
    X, _, dataset = people
    assert_frame_equal(to_fairlearn(dataset.copy(deepcopy=deepcopy)).X, X)


def test_a_shuffled_split_comes_back_in_its_order(people):
    X, _, dataset = people
    part, _ = dataset.split([0.5], shuffle=True, seed=0)
    rows = list(map(int, part.instance_names))
    assert rows != sorted(rows)
    assert_frame_equal(to_fairlearn(part).X, X.iloc[rows])


def test_weights_of_reweighing_come_back(people):
    X, _, dataset = people
    unprivileged, privileged = groups(dataset)
    reweighed = Reweighing(unprivileged, privileged).fit_transform(dataset)
    back = to_fairlearn(reweighed)
    assert_frame_equal(back.X, X)
    assert_index_equal(back.sample_weight.index, X.index)
    np.testing.assert_array_equal(back.sample_weight, reweighed.instance_weights)


def test_labels_that_a_postprocessor_changed_come_back_in_words(people):
    _, _, dataset = people
    relabelled = dataset.copy()
    relabelled.labels = np.ones((6, 1))
    assert to_fairlearn(relabelled).y.tolist() == ["yes"] * 6


def test_features_that_are_no_codes_any_more_come_back_as_numbers(people):
    _, _, dataset = people
    changed = dataset.copy()
    changed.features = np.full((6, 4), 0.25)
    X = to_fairlearn(changed).X
    assert (X.drop(columns="income") == 0.25).all(axis=None)
    assert X["income"].tolist()[:3:2] == [0.25, 0.25]


def test_other_feature_names_come_back_beside_known_ones(people):
    X, _, dataset = people
    fewer = dataset.copy()
    fewer.features, fewer.feature_names = dataset.features[:, [3, 0]], ["city", "new"]
    back = to_fairlearn(fewer).X
    assert list(back.columns) == ["city", "new"]
    assert_series_equal(back["city"], X["city"])


def test_arrays_come_back_as_arrays():
    X = np.array([[0, 5], [1, 6], [0, 7]], dtype=np.int32)
    back = to_fairlearn(
        to_aif360(X, np.array(["n", "y", "n"]), privileged={0: 1}, favorable_label="y")
    )
    np.testing.assert_array_equal(back.X, X, strict=True)
    np.testing.assert_array_equal(back.y, np.array(["n", "y", "n"]), strict=True)


def test_a_dataset_made_elsewhere_comes_back_in_frames(people):
    _, _, dataset = people
    del dataset.metadata["dr_adapters"]
    back = to_fairlearn(dataset)
    assert list(back.X.columns) == dataset.feature_names
    # AIF360's own names of protected values are read.
    assert dataset.metadata["protected_attribute_maps"][0] == {0.0: "f", 1.0: "m"}
    assert back.privileged == {"sex": ["m"]}
    assert back.X["sex"].map({"f": 0.0, "m": 1.0}).tolist() == dataset.features[:, 0].tolist()
    del dataset.metadata["protected_attribute_maps"]
    back = to_fairlearn(dataset)
    np.testing.assert_array_equal(back.X, dataset.features)
    assert back.privileged == {"sex": [1.0]}
