"""Discriminative risk of estimators of aif360.sklearn, against loops over rows."""

import numpy as np
import pandas as pd
import pytest
from aif360.sklearn.metrics import statistical_parity_difference
from aif360.sklearn.postprocessing import (
    CalibratedEqualizedOdds,
    PostProcessingMeta,
    RejectOptionClassifier,
    RejectOptionClassifierCV,
)
from aif360.sklearn.preprocessing import Reweighing, ReweighingMeta
from dr_adapters import to_aif360_sklearn
from sklearn.base import BaseEstimator, clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from aif360_dr.sklearn import discriminative_risk, discriminative_risk_scorer
from dr_core import assess_risk, at_least, datasets
from dr_core.plugins import find_distribution

SEX = {"prot_attr": "sex", "priv_group": "Male"}
BASE = make_pipeline(StandardScaler(), LogisticRegression())


@pytest.fixture(autouse=True)
def tags_of_older_scikit_learn(monkeypatch):
    """AIF360 0.6.1 asks postprocessors for tags by a method that scikit-learn 1.7 removed."""
    if not hasattr(BaseEstimator, "_get_tags"):
        for one in (CalibratedEqualizedOdds, RejectOptionClassifier, RejectOptionClassifierCV):
            monkeypatch.setattr(one, "_get_tags", one._more_tags, raising=False)


@pytest.fixture(scope="module")
def income():
    """Features in numbers; sex in words in the index and as 0/1 in a column."""
    bunch = datasets.load("income")
    rows = np.random.default_rng(0).choice(len(bunch.data), 2400, replace=False)
    data, y = bunch.data.iloc[rows], np.asarray(bunch.target)[rows]
    X = data[["age", "education-num", "hours-per-week"]].assign(
        sex=(data["sex"] == "Male").astype(int)
    )
    index = pd.Index(data["sex"].to_numpy(), name="sex")
    return X.set_axis(index), pd.Series(y, index=index)


@pytest.fixture(scope="module")
def parts(income):
    X, y = income
    return X[:2000], y[:2000], X[2000:2150], y[2000:2150]


def other(sex):
    return "Female" if sex == "Male" else "Male"


def loop(model, X):
    """Share of rows whose prediction changes with the sex of column and index, row by row."""
    changed = 0
    for i in range(len(X)):
        row = X.iloc[[i]]
        twin = row.assign(sex=1 - row["sex"]).set_axis(row.index.map(other).rename("sex"))
        changed += int(model.predict(row)[0] != model.predict(twin)[0])
    return changed / len(X)


MODELS = {
    "a plain estimator": BASE,
    "Reweighing": ReweighingMeta(
        DecisionTreeClassifier(max_depth=6, random_state=0), Reweighing("sex")
    ),
    "RejectOption": PostProcessingMeta(
        BASE, RejectOptionClassifier("sex", threshold=0.3, margin=0.1), random_state=0
    ),
    "RejectOption of several margins": PostProcessingMeta(
        BASE,
        RejectOptionClassifierCV("sex", scoring="statistical_parity", step=0.2),
        random_state=0,
    ),
}


def fit(model, X, y):
    is_postprocessed = isinstance(model, PostProcessingMeta)
    takes_group = is_postprocessed and "RejectOption" in type(model.postprocessor).__name__
    options = {"priv_group": "Male"} if takes_group else {}
    model = clone(model)
    if is_postprocessed and isinstance(model.postprocessor, RejectOptionClassifierCV):
        difference = make_scorer(statistical_parity_difference, prot_attr="sex", priv_group="Male")
        model.postprocessor.scoring = {"bal_acc": "balanced_accuracy", "parity": difference}
        model.postprocessor.refit = "bal_acc"
        model.postprocessor.scorer_name_ = "fairness_metric"
    return model.fit(X, y, **options)


class TestAgainstLoops:
    @pytest.mark.parametrize("name", MODELS)
    def test_risk_is_that_of_a_loop_over_rows(self, parts, name):
        X_train, y_train, X, y = parts
        model = fit(MODELS[name], X_train, y_train)
        assert discriminative_risk(model, X, y, **SEX) == pytest.approx(loop(model, X))

    def test_the_column_alone_would_give_another_number(self, parts):
        X_train, y_train, X, _ = parts
        model = fit(MODELS["RejectOption"], X_train, y_train)
        alone = (model.predict(X) != model.predict(X.assign(sex=1 - X["sex"]))).mean()
        assert abs(discriminative_risk(model, X, **SEX) - alone) > 0.05

    @pytest.mark.parametrize("mix_rates", [[0.3, 0.6], [0.0, 2.5]])
    @pytest.mark.parametrize("pos_label", [0, 1])
    def test_risk_of_a_model_that_draws_is_its_total_variation(self, parts, pos_label, mix_rates):
        X_train, y_train, X, _ = parts
        model = PostProcessingMeta(BASE, CalibratedEqualizedOdds("sex"), random_state=0)
        model.fit(X_train, y_train, pos_label=pos_label)
        post = model.postprocessor_
        post.mix_rates_ = mix_rates
        rates = dict(zip(post.groups_, post.mix_rates_, strict=True))
        base = dict(zip(post.groups_, post.base_rates_, strict=True))
        changes = []
        for i in range(len(X)):
            row = X.iloc[[i]]
            twin = row.assign(sex=1 - row["sex"]).set_axis(row.index.map(other).rename("sex"))
            probabilities = []
            for one in (row, twin):
                sex, score = one.index[0], model.estimator_.predict_proba(one)[0, pos_label]
                rate = min(rates[sex], 1)  # a draw from [0, 1) is always below 2.5
                probabilities.append(rate * (base[sex] > 0.5) + (1 - rate) * (score > 0.5))
            changes.append(abs(probabilities[0] - probabilities[1]))
        assert discriminative_risk(model, X, **SEX) == pytest.approx(np.mean(changes))

    def test_draws_of_the_postprocessor_follow_the_distribution(self, parts):
        X_train, y_train, X, _ = parts
        model = PostProcessingMeta(BASE, CalibratedEqualizedOdds("sex"), random_state=0)
        model.fit(X_train, y_train).postprocessor_.mix_rates_ = [0.3, 0.6]
        drawn = np.mean([model.predict(X) for _ in range(400)], axis=0)
        expected = find_distribution(model, ["sex"]).predict_proba(X)[:, 1]
        np.testing.assert_allclose(drawn, expected, atol=0.13)

    def test_two_attributes_change_together(self):
        rng = np.random.default_rng(0)
        race, sex = rng.choice(["a", "b", "c"], 200), rng.choice([0, 1], 200)
        index = pd.MultiIndex.from_arrays([race, sex], names=["race", "sex"])
        X = pd.DataFrame({"sex": sex, "x": rng.normal(size=200)}, index=index)

        def predict(X):
            race, sex = (X.index.get_level_values(level) for level in (0, 1))
            return np.asarray(X["x"] + (race == "a") + (sex == X["sex"]) * X["sex"] > 1)

        expected = []
        for i, (of_race, of_sex) in enumerate(zip(race, sex, strict=True)):
            before = predict(X.iloc[[i]])[0]
            after = []
            for new in ["b", "c"] if of_race == "a" else ["a"]:
                index = pd.MultiIndex.from_tuples([(new, 1 - of_sex)], names=["race", "sex"])
                twin = X.iloc[[i]].assign(sex=1 - of_sex).set_axis(index)
                after.append(predict(twin)[0] != before)
            expected.append(np.mean(after))
        found = discriminative_risk(predict, X, prot_attr=["race", "sex"], priv_group=("a", 1))
        assert found == pytest.approx(np.mean(expected))
        assert found == discriminative_risk(predict, X, prot_attr=None, priv_group=("a", 1))


class TestCarriers:
    @pytest.fixture
    def X(self):
        rng = np.random.default_rng(1)
        sex = pd.Index(rng.choice(["f", "m"], 60), name="sex")
        return pd.DataFrame({"x": rng.normal(size=60)}, index=sex)

    @pytest.mark.parametrize(
        "columns",
        [
            lambda sex: {"sex": sex},
            lambda sex: {"sex": np.where(sex == "m", 1.7, -0.3)},
            lambda sex: {"sex_m": sex == "m", "sex_f": sex == "f"},
            lambda sex: {"sex=m": (sex == "m").astype(float)},
            lambda sex: {"onehotencoder__sex_m": (sex == "m").astype(int)},
            lambda sex: {"sex": sex, "sex_m": sex == "m"},
        ],
    )
    def test_columns_named_after_the_attribute_follow_it(self, X, columns):
        X = X.assign(**columns(X.index))
        name = next(iter(columns(X.index)))
        first = X[name].iloc[0]
        assert discriminative_risk(lambda X: X[name] == first, X, prot_attr="sex", priv_group="m")

    def test_every_carrier_agrees_with_the_index_in_each_perturbed_row(self, X):
        X = X.assign(sex_m=X.index == "m", sex_f=X.index == "f")
        seen = []

        def predict(X):
            seen.append((X["sex_m"] == (X.index == "m")) & (X["sex_f"] == (X.index == "f")))
            return X.index == "m"

        assert discriminative_risk(predict, X, prot_attr="sex", priv_group="m") == 1
        assert np.concatenate(seen).all()

    def test_a_column_of_another_name_must_be_named(self, X):
        X = X.assign(gender=(X.index == "m").astype(int))
        with pytest.raises(ValueError, match=r"'gender'.*'sex'.*carried_by"):
            discriminative_risk(lambda X: X["gender"], X, prot_attr="sex", priv_group="m")
        for given, expected in ((["gender"], 1), ([], 0)):
            found = discriminative_risk(
                lambda X: X["gender"],
                X,
                prot_attr="sex",
                priv_group="m",
                carried_by={"sex": given},
            )
            assert found == expected

    def test_a_binary_level_follows_a_column_of_more_values(self):
        race = np.array(["White", "Black", "Asian", "White"] * 20)
        X = pd.DataFrame({"race": race}, index=pd.Index((race == "White") * 1, name="race"))
        found = discriminative_risk(
            lambda X: X["race"] == "Black", X, prot_attr="race", priv_group=1
        )
        assert found == pytest.approx(0.5 / 2 + 0.25)

    def test_a_domain_must_be_known_in_every_carrier(self, X):
        X = X.assign(sex_m=X.index == "m")
        with pytest.raises(ValueError, match=r"'x'.*'sex_m'"):
            discriminative_risk(
                lambda X: X["sex_m"],
                X,
                prot_attr="sex",
                priv_group="m",
                domain={"sex": ["f", "m", "x"]},
            )


class TestTutorial:
    """Words in columns, or one-hot features with words or codes in the index: one risk."""

    @pytest.fixture
    def risks(self):
        bunch = datasets.load("income")
        people = bunch.data[["sex", "race", "age"]][:900].astype(
            {"sex": "category", "race": "category"}
        )
        y, words = np.asarray(bunch.target)[:900], ["sex", "race"]
        index = pd.MultiIndex.from_frame(people[words])
        encoder = make_column_transformer(
            (OneHotEncoder(sparse_output=False), words),
            remainder="passthrough",
            verbose_feature_names_out=False,
        ).set_output(transform="pandas")
        model = make_pipeline(encoder, DecisionTreeClassifier(max_depth=5, random_state=0))
        model.fit(people, y)
        features = model[0].transform(people).set_axis(index)
        codes = pd.MultiIndex.from_arrays(index.codes, names=words)
        groups = {"prot_attr": words, "priv_group": ("Male", "White")}
        privileged = tuple(index.levels[i].get_loc(v) for i, v in enumerate(("Male", "White")))
        return {
            "truth": assess_risk(model, people, {"sex": "Male", "race": "White"}).value,
            "words": discriminative_risk(model, people.set_axis(index), **groups),
            "one-hot": discriminative_risk(model[1], features, **groups),
            "codes": discriminative_risk(
                model[1], features.set_axis(codes), prot_attr=words, priv_group=privileged
            ),
        }

    @pytest.mark.parametrize("form", ["words", "one-hot", "codes"])
    def test_risk_does_not_depend_on_the_form(self, risks, form):
        assert risks[form] == pytest.approx(risks["truth"])
        assert risks["truth"] > 0


class TestSearches:
    def test_a_grid_search_finds_the_fairest_postprocessor(self, parts):
        X_train, y_train, X, y = parts
        search = GridSearchCV(
            PostProcessingMeta(BASE, RejectOptionClassifier("sex")),
            {"postprocessor__margin": [0.01, 0.2]},
            scoring={
                "accuracy": "accuracy",
                "risk": discriminative_risk_scorer(**SEX),
                "parity": make_scorer(statistical_parity_difference, **SEX),
            },
            refit="risk",
            cv=3,
            error_score="raise",
        ).fit(X_train, y_train, priv_group="Male")
        assert np.isfinite(search.cv_results_["mean_test_risk"]).all()
        assert search.score(X, y) == -discriminative_risk(search.best_estimator_, X, **SEX)

    def test_the_scorer_is_the_negative_risk(self, parts):
        X_train, y_train, X, y = parts
        model = clone(BASE).fit(X_train, y_train)
        assert discriminative_risk_scorer(**SEX)(model, X, y) == -discriminative_risk(
            model, X, **SEX
        )

    def test_it_runs_in_other_processes(self, income):
        scores = cross_val_score(
            BASE, *income, scoring=discriminative_risk_scorer(**SEX), cv=2, n_jobs=2
        )
        assert (scores <= 0).all()

    def test_weights_count(self, parts):
        X_train, y_train, X, _ = parts
        model = clone(BASE).fit(X_train, y_train)
        weights = np.where(X.index == "Male", 3.0, 1.0)
        changed = assess_risk(model, X, {"sex": 1}).individual
        found = discriminative_risk(model, X, sample_weight=weights, **SEX)
        assert found == pytest.approx(np.average(changed, weights=weights))


AGES = np.array([20, 30, 20, 40, 50, 30, 25, 40, 60, 20])
OLD = {"prot_attr": "age", "priv_group": at_least(30)}


def hire_beyond_35(read_age):
    return lambda X: np.asarray(read_age(X)) > 35


def index_ages(**columns):
    return pd.DataFrame(columns, index=pd.Index(AGES, name="age"))


def expect_over_draws(changes, *others):
    """Mean over rows of the mean over ages of the other side of 30, each as often as it occurs."""
    draws = {age: [b for b in AGES if (b >= 30) != (age >= 30)] for age in AGES}
    return np.mean(
        [
            np.mean([changes(a, b, *z) for b in draws[a]])
            for a, *z in zip(AGES, *others, strict=True)
        ]
    )


RANGED = {
    "in the index alone": (index_ages(pay=0 * AGES), lambda X: X.index),
    "in a column of the same values": (index_ages(age=AGES), lambda X: X["age"]),
    "in a scaled column": (index_ages(age=AGES / 10 - 3), lambda X: 10 * X["age"] + 30),
    "in a column named after it": (index_ages(age_z=AGES / 10), lambda X: 10 * X["age_z"]),
}


class TestRanges:
    """The privileged group of a quantity in the index is a range."""

    @pytest.mark.parametrize("form", RANGED)
    def test_ages_become_ages_of_the_other_side_as_often_as_they_occur(self, form):
        X, read_age = RANGED[form]
        expected = expect_over_draws(lambda a, b: (a > 35) != (b > 35))
        found = discriminative_risk(hire_beyond_35(read_age), X, **OLD)
        assert found == pytest.approx(expected, abs=1e-12)

    @pytest.mark.parametrize(
        "group", [lambda age: age >= 30, pd.Interval(30, 90, closed="both"), (at_least(30),)]
    )
    def test_functions_and_intervals_are_ranges(self, group):
        X, read_age = RANGED["in a scaled column"]
        hires = hire_beyond_35(read_age)
        found = discriminative_risk(hires, X, prot_attr="age", priv_group=group)
        assert found == discriminative_risk(hires, X, **OLD)

    def test_the_scorer_takes_a_range(self):
        X, read_age = RANGED["in the index alone"]
        hires = hire_beyond_35(read_age)
        risk = discriminative_risk(hires, X, **OLD)
        assert discriminative_risk_scorer(**OLD)(hires, X) == -risk

    def test_a_range_stands_beside_a_value(self):
        sex = np.array(["m", "f"] * 5)
        index = pd.MultiIndex.from_arrays([AGES, sex], names=["age", "sex"])
        X = pd.DataFrame({"pay": AGES * 0}, index=index)
        expected = expect_over_draws(
            lambda a, b, s: (a > 35 and s == "m") != (b > 35 and s == "f"), sex
        )
        found = discriminative_risk(
            lambda X: [age > 35 and sex == "m" for age, sex in X.index],
            X,
            prot_attr=["age", "sex"],
            priv_group=(at_least(30), "m"),
        )
        assert found == pytest.approx(expected, abs=1e-12)


def test_frames_of_the_adapter_are_taken(income):
    X, y = income
    data = to_aif360_sklearn(X.reset_index(drop=True), y.to_numpy(), privileged={"sex": 1})
    model = clone(BASE).fit(data.X, data.y)
    found = discriminative_risk(model, data.X, prot_attr="sex", priv_group=1)
    assert found == assess_risk(model, X.reset_index(drop=True), {"sex": 1}).value > 0
