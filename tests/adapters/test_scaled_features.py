"""Features that were scaled in place come back as numbers, and all others as they were."""

import numpy as np
import pandas as pd
import pytest
from dr_adapters import as_transformer, to_aif360, to_fairlearn
from pandas.testing import assert_frame_equal, assert_series_equal
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from aif360_dr import perturb_dataset

JOBS = ["clerk", "driver", "nurse"]


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    n = 60
    return pd.DataFrame(
        {
            "sex": np.where(np.arange(n) % 2, "f", "m"),
            "job": pd.Categorical(rng.choice(JOBS, n), JOBS),
            "born": pd.to_datetime("1980-01-01") + pd.to_timedelta(rng.integers(0, 9000, n), "D"),
            "income": np.where(rng.random(n) < 0.2, np.nan, rng.normal(50, 9, n)),
            "owner": rng.random(n) < 0.5,
        }
    )


def convert(X, **options):
    return to_aif360(X, np.arange(len(X)) % 3 == 0, privileged={"sex": "m"}, **options)


def scaled(dataset, scaler):
    copy = dataset.copy(deepcopy=True)
    copy.features = scaler.fit_transform(copy.features)
    return copy


@pytest.mark.parametrize("scaler", [MinMaxScaler(), MaxAbsScaler(), StandardScaler()])
@pytest.mark.parametrize("jobs", [JOBS, ["clerk", "nurse"], ["nurse"], ["driver", "nurse"]])
def test_a_job_never_comes_back_as_another(X, scaler, jobs):
    X = X[X["job"].isin(jobs)].reset_index(drop=True)
    back = to_fairlearn(scaled(convert(X), scaler)).X["job"]
    if back.dtype == X["job"].dtype:
        assert_series_equal(back, X["job"])
    else:
        assert back.dtype == float


@pytest.mark.parametrize("scaler", [MinMaxScaler(), StandardScaler()])
def test_a_date_never_comes_back_as_another(X, scaler):
    back = to_fairlearn(scaled(convert(X), scaler)).X["born"]
    assert back.dtype == float


@pytest.mark.parametrize("scaler", [MinMaxScaler(), StandardScaler()])
def test_one_date_of_all_is_no_day_of_1970(X, scaler):
    X = X.assign(born=pd.Timestamp("2000-01-01"))
    assert to_fairlearn(scaled(convert(X), scaler)).X["born"].dtype == float


@pytest.mark.parametrize("scaler", [MinMaxScaler(), StandardScaler()])
def test_a_boolean_never_comes_back_as_its_opposite(X, scaler):
    back = to_fairlearn(scaled(convert(X.assign(owner=True)), scaler)).X["owner"]
    assert back.dtype == float
    assert (back == 0).all()


@pytest.mark.parametrize("scaler", [MinMaxScaler(), MaxAbsScaler(), StandardScaler()])
def test_missing_values_are_missing_after_scaling(X, scaler):
    back = to_fairlearn(scaled(convert(X), scaler)).X["income"]
    assert back.isna().tolist() == X["income"].isna().tolist()


def test_a_number_that_becomes_the_fill_value_is_not_missing(X):
    dataset = convert(X)
    filled = dataset.features[X["income"].isna(), 3][0]
    known = X["income"].notna().argmax()
    dataset.features[known, 3] = filled
    back = to_fairlearn(dataset).X["income"]
    assert back[known] == filled
    assert back.isna().sum() == X["income"].isna().sum()


def test_only_the_scaled_columns_come_back_as_numbers(X):
    dataset = convert(X)
    dataset.features[:, 3] = StandardScaler().fit_transform(dataset.features[:, [3]])[:, 0]
    back = to_fairlearn(dataset).X
    assert_frame_equal(back.drop(columns="income"), X.drop(columns="income"))


def test_scaling_a_part_of_the_rows_is_found(X):
    part = convert(X).subset([1, 4, 7])
    part.features = part.features * 2
    assert to_fairlearn(part).X["born"].dtype == float


def test_sensitive_features_stay_in_words(X):
    back = to_fairlearn(scaled(convert(X), StandardScaler()))
    assert back.sensitive_features["sex"].tolist() == X["sex"].tolist()
    assert back.X["sex"].dtype == float


def test_perturbed_rows_come_back_in_words(X):
    perturbed = to_fairlearn(perturb_dataset(convert(X), seed=0)).X
    assert_frame_equal(perturbed.drop(columns="sex"), X.drop(columns="sex"))
    assert perturbed["sex"].tolist() == np.where(X["sex"] == "m", "f", "m").tolist()


@pytest.mark.parametrize("rows", [slice(None), [0], [1, 3]])
def test_coupled_columns_of_perturbed_rows_come_back_in_words(X, rows):
    driver, nurse = 1.0, 2.0
    rules = {"job": {"sex": {0.0: {driver: nurse}, 1.0: {nurse: driver}}}}
    dataset = perturb_dataset(convert(X), coupled=rules)
    perturbed = to_fairlearn(dataset.subset(np.arange(60)[rows])).X
    jobs, sexes = X["job"].iloc[rows].astype(str), X["sex"].iloc[rows]
    expected = [
        {("driver", "m"): "nurse", ("nurse", "f"): "driver"}.get((job, sex), job)
        for job, sex in zip(jobs, sexes, strict=True)
    ]
    assert perturbed["job"].tolist() == expected


def test_perturbed_rows_of_scaled_features_stay_numbers(X):
    perturbed = to_fairlearn(perturb_dataset(scaled(convert(X), StandardScaler()), seed=0)).X
    assert perturbed["job"].dtype == perturbed["born"].dtype == float


def test_codes_that_an_algorithm_sets_come_back_in_words(X):
    dataset = convert(X)
    dataset.features[:10, 1] = 2
    assert to_fairlearn(dataset).X["job"].tolist() == ["nurse"] * 10 + X["job"].tolist()[10:]


class TestFavorableLabel:
    @pytest.mark.parametrize(
        ("y", "favorable"), [([0, 1, 0], 0), (["bad", "good", "bad"], "good"), ([2, 1, 2], 1)]
    )
    def test_it_comes_back(self, y, favorable):
        X = pd.DataFrame({"sex": ["m", "f", "m"]})
        dataset = to_aif360(X, y, privileged={"sex": "m"}, favorable_label=favorable)
        back = to_fairlearn(dataset)
        assert back.favorable_label == favorable
        again = to_aif360(
            back.X, back.y, privileged=back.privileged, favorable_label=back.favorable_label
        )
        assert again.favorable_label == dataset.favorable_label


class TestScores:
    def test_scores_of_a_model_come_back(self, X):
        class Half:
            classes_ = np.array([0.0, 1.0])

            def fit(self, X, y):
                return self

            def predict(self, X):
                return np.ones(len(X))

            def predict_proba(self, X):
                return np.full((len(X), 2), 0.5)

        predicted = as_transformer(Half()).predict(convert(X))
        assert to_fairlearn(predicted).scores.tolist() == [0.5] * 60

    def test_scores_that_repeat_labels_are_none(self, X):
        assert to_fairlearn(convert(X)).scores is None
