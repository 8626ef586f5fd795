"""AIF360 datasets that to_aif360 returns, and the errors it raises."""

import re
import sys

import numpy as np
import pandas as pd
import pytest
from aif360.datasets import BinaryLabelDataset
from dr_adapters import (
    as_estimator,
    as_transformer,
    groups,
    to_aif360,
    to_aif360_sklearn,
    to_fairlearn,
)
from pandas.testing import assert_frame_equal
from scipy.sparse import csr_matrix
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from aif360_dr import DiscriminativeRiskMetric
from dr_core import OneHot, assess_risk, at_least

PRIVILEGED = {"sex": "Male", "race": ["White", "Asian"]}


@pytest.fixture
def dataset(loans):
    return to_aif360(*loans, privileged=PRIVILEGED, favorable_label="granted")


class TestCodes:
    def test_it_is_a_binary_label_dataset(self, dataset):
        assert type(dataset) is BinaryLabelDataset
        dataset.validate_dataset()

    def test_two_words_become_one_for_privileged_and_zero(self, loans, dataset):
        np.testing.assert_array_equal(dataset.features[:, 0], loans[0]["sex"] == "Male")

    def test_more_words_become_numbers_in_their_order(self, loans, dataset):
        np.testing.assert_array_equal(dataset.features[:, 1], loans[0]["race"].cat.codes)
        assert dataset.privileged_protected_attributes[1].tolist() == [0.0, 2.0]
        assert dataset.unprivileged_protected_attributes[1].tolist() == [1.0]

    def test_features_agree_with_protected_attributes(self, dataset):
        np.testing.assert_array_equal(dataset.features[:, :2], dataset.protected_attributes)

    def test_a_numeric_attribute_keeps_its_values(self):
        X = pd.DataFrame({"age": [20, 40, 60]})
        dataset = to_aif360(X, [0, 1, 1], privileged={"age": [40, 60]})
        assert dataset.protected_attributes.ravel().tolist() == [20.0, 40.0, 60.0]
        assert dataset.privileged_protected_attributes[0].tolist() == [40.0, 60.0]

    def test_numeric_labels_keep_their_values(self):
        X = pd.DataFrame({"sex": [0, 1, 1]})
        dataset = to_aif360(X, [1, 2, 1], privileged={"sex": 1}, favorable_label=1)
        assert dataset.labels.ravel().tolist() == [1.0, 2.0, 1.0]
        assert (dataset.favorable_label, dataset.unfavorable_label) == (1.0, 2.0)

    def test_labels_in_words_become_one_for_favorable_and_zero(self, loans, dataset):
        np.testing.assert_array_equal(dataset.labels.ravel(), loans[1] == "granted")

    def test_a_missing_number_is_next_to_the_median(self, loans, dataset):
        gaps = loans[0]["income"].isna()
        np.testing.assert_allclose(dataset.features[gaps, 2], loans[0]["income"].median())

    def test_a_sensitive_feature_outside_x_becomes_a_feature_too(self, loans):
        X, y = loans
        dataset = to_aif360(
            X[["income"]],
            y,
            sensitive_features=X["sex"],
            privileged={"sex": "Male"},
            favorable_label="granted",
        )
        assert dataset.feature_names == ["income", "sex"]
        assert list(to_fairlearn(dataset).X.columns) == ["income"]

    def test_a_sensitive_feature_may_be_coded_in_x_already(self, loans):
        X, y = loans
        coded = X.assign(sex=np.where(X["sex"] == "Male", 7, 3))
        dataset = to_aif360(
            coded,
            y,
            sensitive_features=X["sex"],
            privileged={"sex": "Male"},
            favorable_label="granted",
        )
        assert set(dataset.features[:, 0]) == {3.0, 7.0}
        assert set(dataset.protected_attributes[:, 0]) == {0.0, 1.0}
        pd.testing.assert_frame_equal(to_fairlearn(dataset).X, coded)

    @pytest.mark.parametrize("kind", [list, dict, pd.Series.to_numpy])
    def test_sensitive_features_come_in_many_forms(self, loans, kind):
        X, y = loans
        sex = {"sex": X["sex"]} if kind is dict else kind(X["sex"])
        dataset = to_aif360(
            X[["owner"]],
            y,
            sensitive_features=sex,
            privileged={"sex": "Male"},
            favorable_label="granted",
        )
        assert to_fairlearn(dataset).sensitive_features["sex"].tolist() == X["sex"].tolist()

    def test_predictions_make_it_a_classified_dataset(self, loans, dataset):
        from aif360.metrics import ClassificationMetric

        X, y = loans
        classified = to_aif360(
            X, y, privileged=PRIVILEGED, favorable_label="granted", y_pred=y, scores=np.ones(120)
        )
        assert ClassificationMetric(dataset, classified).accuracy() == 1
        assert (classified.scores == 1).all()

    def test_the_label_gets_a_name_of_its_own(self):
        X = pd.DataFrame({"sex": [0, 1], "label": [1, 0]})
        dataset = to_aif360(X, [0, 1], privileged={"sex": 1})
        assert dataset.label_names == ["label_"]

    def test_text_of_the_dataset_can_be_printed(self, dataset):
        assert "instance weights" in str(dataset)

    def test_a_single_label_is_enough(self):
        X = pd.DataFrame({"sex": [0, 1]})
        dataset = to_aif360(X, ["yes", "yes"], privileged={"sex": 1}, favorable_label="yes")
        assert to_fairlearn(dataset).y.tolist() == ["yes", "yes"]

    def test_metadata_do_not_hold_the_frame(self, dataset):
        assert "df" not in dataset.metadata["params"]


class TestTrapStandardDatasetRaisesOnWords:
    @pytest.mark.parametrize("dtype", ["object", "string", "category"])
    def test_words_of_any_dtype_are_taken(self, loans, dtype):
        X, y = loans
        dataset = to_aif360(
            X.assign(sex=X["sex"].astype(dtype)),
            y.astype(dtype),
            privileged={"sex": "Male"},
            favorable_label="granted",
        )
        assert set(dataset.protected_attributes.ravel()) == {0.0, 1.0}

    def test_bools_are_taken(self, loans):
        X, y = loans
        dataset = to_aif360(X, y == "granted", privileged={"owner": True}, favorable_label=True)
        assert set(dataset.protected_attributes.ravel()) == {0.0, 1.0}

    def test_nullable_integers_are_taken(self, loans):
        X, y = loans
        labels = (y == "granted").astype("Int64")
        dataset = to_aif360(X, labels, privileged={"sex": "Male"})
        assert to_fairlearn(dataset).y.dtype == "Int64"


class TestTrapMultiValuedAttributesCollapse:
    def test_three_values_stay_three(self, dataset):
        assert set(dataset.protected_attributes[:, 1]) == {0.0, 1.0, 2.0}


class TestPolars:
    @pytest.fixture
    def people(self):
        pl = pytest.importorskip("polars")
        return pl.DataFrame(
            {
                "sex": ["m", "f", "m"],
                "race": pl.Series(["a", "b", None], dtype=pl.Categorical),
                "age": [30, None, 50],
                "income": [1.5, None, 2.5],
                "owner": [True, False, None],
                "born": pl.Series([0, 1, 2]).cast(pl.Date),
            }
        )

    def test_it_is_converted_as_the_same_frame_of_pandas(self, people):
        frame = pd.DataFrame(
            {
                "sex": pd.Series(["m", "f", "m"], dtype=object),
                "race": pd.Categorical(["a", "b", None]),
                "age": pd.array([30, None, 50], dtype="Int64"),
                "income": [1.5, np.nan, 2.5],
                "owner": pd.array([True, False, None], dtype="boolean"),
                "born": pd.to_datetime(["1970-01-01", "1970-01-02", "1970-01-03"]),
            }
        )
        found = to_aif360(people, people["sex"] == "m", privileged={"sex": "m"})
        expected = to_aif360(frame, frame["sex"] == "m", privileged={"sex": "m"})
        np.testing.assert_array_equal(found.features[:, :5], expected.features[:, :5])
        back = to_fairlearn(found)
        assert_frame_equal(back.X, frame, check_dtype=False)
        assert back.y.tolist() == [True, False, True]

    def test_sensitive_features_may_be_a_frame_of_their_own(self, people):
        dataset = to_aif360(
            people.select("age", "income"),
            [0, 1, 1],
            sensitive_features=people.select("sex"),
            privileged={"sex": "m"},
        )
        assert dataset.protected_attributes.ravel().tolist() == [1.0, 0.0, 1.0]

    def test_an_indexed_frame_is_made_of_it(self, people):
        data = to_aif360_sklearn(people, [0, 1, 1], privileged={"sex": "m"})
        assert data.X.index.tolist() == ["m", "f", "m"]


class TestMissing:
    def test_missing_numbers_can_be_kept(self, loans):
        X, y = loans
        dataset = to_aif360(
            X, y, privileged={"sex": "Male"}, favorable_label="granted", missing="keep"
        )
        np.testing.assert_array_equal(dataset.features[:, 2], X["income"])
        assert_frame_equal(to_fairlearn(dataset).X, X)
        assert_frame_equal(to_fairlearn(dataset.subset([3, 1])).X, X.iloc[[3, 1]])

    def test_models_that_take_nan_get_it(self, loans):
        X, y = loans
        dataset = to_aif360(
            X, y, privileged={"sex": "Male"}, favorable_label="granted", missing="keep"
        )
        model = as_transformer(HistGradientBoostingClassifier(max_iter=5)).fit(dataset)
        estimator = as_estimator(model, dataset)
        assert len(estimator.predict(X)) == 120
        metric = DiscriminativeRiskMetric.from_estimator(model, dataset, *groups(dataset))
        expected = assess_risk(estimator, X, {"sex": "Male"}).value
        assert metric.discriminative_risk() == pytest.approx(expected)


class TestOneHot:
    @pytest.fixture
    def encoded(self, loans):
        X, y = loans
        X = X.assign(city=pd.array(["Rome", "Oslo", None] * 40, dtype="string"))
        return X, to_aif360(
            X, y, privileged={"sex": "Male"}, favorable_label="granted", one_hot=True
        )

    def test_words_become_one_feature_for_each_value(self, encoded):
        X, dataset = encoded
        assert dataset.feature_names == [
            *("sex", "race=Asian", "race=Black", "race=White", "income", "owner"),
            *("city=Oslo", "city=Rome"),
        ]
        np.testing.assert_array_equal(dataset.features[:, 2], X["race"] == "Black")

    def test_everything_comes_back(self, encoded):
        X, dataset = encoded
        assert_frame_equal(to_fairlearn(dataset).X, X)
        assert_frame_equal(to_fairlearn(dataset.subset([5, 2])).X, X.iloc[[5, 2]])

    def test_scaled_features_come_back_as_numbers_under_their_names(self, encoded):
        _, dataset = encoded
        dataset.features = StandardScaler().fit_transform(dataset.features)
        back = to_fairlearn(dataset).X
        assert list(back) == dataset.feature_names
        assert not (back["race=Asian"] % 1 == 0).any()

    def test_a_column_in_words_that_lacks_a_feature_stays_in_numbers(self, encoded):
        _, dataset = encoded
        dataset.features, dataset.feature_names = (
            dataset.features[:, [0, 1, 2]],
            dataset.feature_names[:3],
        )
        assert list(to_fairlearn(dataset).X) == ["sex", "race=Asian", "race=Black"]

    def test_models_of_the_original_columns_get_them(self, encoded):
        X, dataset = encoded
        estimator = as_estimator(as_transformer(DecisionTreeClassifier()).fit(dataset), dataset)
        assert len(estimator.predict(X)) == 120

    def test_features_of_one_name_are_refused(self, loans):
        X, y = loans
        X = X.assign(**{"race=Black": 1.0})
        with pytest.raises(ValueError, match=r"'race=Black'.*rename"):
            to_aif360(X, y, privileged={"sex": "Male"}, favorable_label="granted", one_hot=True)


class TestAttributesThatADatasetCannotHold:
    def test_a_code_for_missing_is_to_be_dropped(self):
        X = pd.DataFrame({"sex": ["m", "f", "?"]})
        with pytest.warns(UserWarning, match=r"drop these rows\. Functions of dr_core"):
            to_aif360(X, [0, 1, 1], privileged={"sex": "m"})

    def test_a_missing_value_is_not_kept_by_the_argument_missing(self):
        X = pd.DataFrame({"sex": ["m", "f", None]})
        with pytest.raises(ValueError, match=r"Fill or drop them.*missing of to_aif360 is about"):
            to_aif360(X, [0, 1, 1], privileged={"sex": "m"}, missing="keep")

    @pytest.mark.parametrize("dropped", [None, "race_c"])
    def test_the_advice_for_one_hot_columns_gives_their_risk(self, dropped):
        rng = np.random.default_rng(0)
        columns = ["race_a", "race_b", *([] if dropped else ["race_c"])]
        race, age = rng.choice(["race_a", "race_b", "race_c"], 200), rng.normal(40, 9, 200)
        X = pd.DataFrame({"age": age} | {name: (race == name).astype(int) for name in columns})
        y = (age + 5 * (race == "race_a") > 42).astype(int)
        tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
        one_hot = OneHot(columns, privileged="race_a", dropped=dropped)
        with pytest.raises(ValueError, match="OneHot") as error:
            to_aif360(X, y, privileged={"race": one_hot})
        assign, privileged, carried_by = re.findall(
            r"as (X\.assign.*), and.*privileged=(\{.*?\})\..*carried_by=(\{.*?\})",
            str(error.value),
        )[0]
        dataset = to_aif360(eval(assign), y, privileged=eval(privileged))
        metric = DiscriminativeRiskMetric.from_estimator(
            tree, dataset, *groups(dataset), carried_by=eval(carried_by)
        )
        assert metric.discriminative_risk() == assess_risk(tree, X, {"race": one_hot}).value > 0


class TestRefusals:
    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"privileged": {"sex": "male"}}, "'male'.*'sex'"),
            ({"privileged": {"gender": "Male"}}, r"'gender'.*\bX\b"),
            ({"favorable_label": "yes"}, "'denied', 'granted'.*favorable_label"),
            ({"sample_weight": [1.0]}, r"\bsample_weight\b.*\b1\b.*\b120\b"),
            ({"y_pred": ["granted"]}, r"\by_pred\b.*\b1\b.*\b120\b"),
            ({"scores": [0.5]}, r"\bscores\b.*\b1\b.*\b120\b"),
            ({"sensitive_features": ["Male"]}, r"\bsensitive_features\b.*\b1\b"),
            ({"privileged": {"income": 3.0}}, r"'income'.*Pass a range.*\bwords\.$"),
        ],
    )
    def test_wrong_arguments_are_named(self, loans, changes, message):
        arguments = {"privileged": {"sex": "Male"}, "favorable_label": "granted"} | changes
        with pytest.raises(ValueError, match=message):
            to_aif360(*loans, **arguments)

    def test_missing_sensitive_values_are_counted(self, loans):
        X, y = loans
        gaps = X.assign(sex=X["sex"].where(np.arange(120) > 2))
        with pytest.raises(ValueError, match=r"'sex'.*\b3\b.*\b120\b"):
            to_aif360(gaps, y, privileged={"sex": "Male"}, favorable_label="granted")

    def test_missing_labels_are_counted(self, loans):
        X, y = loans
        with pytest.raises(ValueError, match=r"\by\b.*\b3\b.*\bmissing\b"):
            to_aif360(X, y.where(np.arange(120) > 2), privileged={"sex": "Male"})

    def test_sensitive_features_without_privileged_value_are_named(self, loans):
        X, y = loans
        with pytest.raises(ValueError, match=r"sensitive_features.*'race'.*privileged"):
            to_aif360(X, y, sensitive_features=X[["sex", "race"]], privileged={"sex": "Male"})

    def test_columns_that_are_the_same_in_text_are_named(self):
        X = pd.DataFrame({1: [0, 1], "1": [1, 0]})
        with pytest.raises(ValueError, match=r"\bX\b.*'1', '1'"):
            to_aif360(X, [0, 1], privileged={1: 1})

    def test_values_that_cannot_be_coded_are_named(self):
        X = pd.DataFrame({"sex": [0, 1], "tags": [["a"], []]})
        with pytest.raises(TypeError, match="'tags'"):
            to_aif360(X, [0, 1], privileged={"sex": 1})

    @pytest.mark.parametrize("X", [[[1, 2]], {"sex": [0, 1]}, np.zeros(3)])
    def test_what_is_no_table_is_named(self, X):
        with pytest.raises((TypeError, ValueError), match=r"\bX\b.*(DataFrame|dimension)"):
            to_aif360(X, [0, 1], privileged={"sex": 1})

    def test_a_name_where_sensitive_values_are_meant(self, loans):
        with pytest.raises(TypeError, match=r"sensitive_features.*'sex'.*X\['sex'\]"):
            to_aif360(*loans, sensitive_features="sex", privileged={"sex": "Male"})

    def test_scores_in_place_of_predictions(self):
        X = pd.DataFrame({"sex": [0, 1]})
        with pytest.raises(ValueError, match=r"y_pred.*0\.3.*scores="):
            to_aif360(X, [0, 1], privileged={"sex": 1}, y_pred=[0.3, 0.9])

    @pytest.mark.parametrize("convert", [to_aif360, to_aif360_sklearn])
    def test_sparse_matrices(self, convert):
        X = csr_matrix(np.eye(2))
        with pytest.raises(TypeError, match=r"\bX\b.*sparse.*toarray"):
            convert(X, [0, 1], privileged={0: 1})

    def test_sparse_columns_are_named(self):
        X = pd.DataFrame({"sex": [0, 1], "x": pd.arrays.SparseArray([0.0, 1.0])})
        with pytest.raises(TypeError, match=r"'x'.*sparse.*to_dense"):
            to_aif360(X, [0, 1], privileged={"sex": 1})

    def test_arrays_of_sensitive_features_need_a_name_for_each_column(self, loans):
        with pytest.raises(ValueError, match=r"\bsensitive_features\b.*\b2\b"):
            to_aif360(*loans, sensitive_features=np.zeros((120, 2)), privileged={"sex": 0})

    @pytest.mark.parametrize("name", ["1000", "ann", "-1"])
    def test_foreign_instance_names_are_refused(self, dataset, name):
        renamed = dataset.copy()
        renamed.instance_names = [name] * 120
        with pytest.raises(ValueError, match=r"instance_names.*to_aif360"):
            to_fairlearn(renamed)


def test_without_aif360_the_error_names_the_extra(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "aif360"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "aif360", None)
    with pytest.raises(ImportError, match=r"pip install 'discriminative-risk\[aif360\]'$"):
        to_aif360(pd.DataFrame({"s": [0, 1]}), [0, 1], privileged={"s": 1})


@pytest.mark.parametrize(
    ("dtype", "factor"),
    [("bool", 1), ("int8", 150), ("uint8", 150), ("float16", 1e6), ("f4", 0.1)],
)
def test_weights_that_their_type_cannot_hold_come_back_as_floats(dtype, factor):
    X = pd.DataFrame({"sex": ["m", "f"], "age": [1, 2]})
    weights = np.ones(2, dtype=dtype)
    dataset = to_aif360(X, [0, 1], privileged={"sex": "m"}, sample_weight=weights)
    dataset.instance_weights = np.array([2.0, 3.0]) * factor
    assert to_fairlearn(dataset).sample_weight.tolist() == [2.0 * factor, 3.0 * factor]


LABELS = {
    "objects": (pd.Series([0, 1], dtype=object), 1),
    "categories of numbers": (pd.Series(pd.Categorical([0, 1])), 1),
    "booleans as objects": (pd.Series([False, True], dtype=object), True),
    "days": (pd.Series(pd.to_datetime(["2020-01-01", "2021-01-01"])), pd.Timestamp("2021-01-01")),
    "bytes": (pd.Series([b"a", b"b"]), b"b"),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_any_type_come_back(kind):
    y, favorable = LABELS[kind]
    X = pd.DataFrame({"sex": ["m", "f"]})
    options = {"privileged": {"sex": "m"}, "favorable_label": favorable}
    dataset = to_aif360(X, y, **options)
    assert dataset.labels.ravel().tolist() == [0.0, 1.0]
    pd.testing.assert_series_equal(to_fairlearn(dataset).y, y)
    predicted = to_aif360(X, y, y_pred=y.tolist(), **options)
    assert predicted.labels.ravel().tolist() == [0.0, 1.0]


def test_a_range_gives_the_privileged_values_of_the_dataset():
    X = pd.DataFrame({"age": [20, 30, 40, 40], "pay": [1.0, 2.0, 3.0, 4.0]})
    dataset = to_aif360(X, [0, 1, 0, 1], privileged={"age": at_least(25)})
    assert dataset.privileged_protected_attributes[0].tolist() == [30.0, 40.0]
    assert dataset.unprivileged_protected_attributes[0].tolist() == [20.0]
    assert dataset.metadata["quantities"] == ["age"]
    assert to_fairlearn(dataset).X.equals(X)
