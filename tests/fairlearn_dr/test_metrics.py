from functools import partial

import fairlearn
import numpy as np
import pandas as pd
import polars as pl
import pytest
from fairlearn.metrics import MetricFrame, make_derived_metric, selection_rate
from sklearn.metrics import accuracy_score, recall_score
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.tree import DecisionTreeClassifier

from dr_core import OneHot, assess_risk, compare, datasets, learn_attributes, perturb
from fairlearn_dr import (
    discriminative_risk,
    discriminative_risk_difference,
    discriminative_risk_group_max,
    discriminative_risk_group_min,
    discriminative_risk_ratio,
    dr_metric_frame,
    favorable_to_unfavorable_rate,
    perturbed_predictions,
    risk_scorer,
    score_shift,
    unfavorable_to_favorable_rate,
)
from fairlearn_dr._frames import effective_count

OLD = tuple(map(int, fairlearn.__version__.split(".")[:2])) < (0, 10)
needs_bootstrap = pytest.mark.skipif(OLD, reason="MetricFrame has no bootstrap in this fairlearn")

Y_TRUE = [0, 1, 1, 0, 1, 0, 1, 1]
Y_PRED = [0, 1, 1, 0, 0, 1, 1, 0]
PERTURBED = [1, 1, 0, 0, 0, 1, 0, 0]
GROUPS = ["a", "a", "a", "a", "b", "b", "b", "b"]
BY_GROUP = {"a": 0.5, "b": 0.25}

DERIVED = {
    discriminative_risk_difference: 0.25,
    discriminative_risk_ratio: 0.5,
    discriminative_risk_group_max: 0.5,
    discriminative_risk_group_min: 0.25,
}


PEOPLE = pd.DataFrame({"sex": ["M", "F"] * 10})
JAILED = [0, 1] * 9 + [1, 0]


def jail(X):
    """Jail all men; 0 is the favourable decision."""
    return (X["sex"] == "M").astype(int)


def make_jail_frame(**kwargs):
    return dr_metric_frame(jail, PEOPLE, JAILED, privileged={"sex": "M"}, pos_label=0, **kwargs)


@pytest.fixture(scope="module")
def income():
    """A tree on the numeric and sensitive columns of income, with every fifth row."""
    bunch = datasets.load("income")
    X = bunch.data[::5].reset_index(drop=True)
    X = X.select_dtypes("number").assign(
        sex=(X["sex"] == "Male").astype(int), race=(X["race"] == "White").astype(int)
    )
    y = bunch.target[::5].reset_index(drop=True)
    return DecisionTreeClassifier(max_depth=10, random_state=0).fit(X, y), X, y


class TestDiscriminativeRisk:
    def test_is_the_share_of_changed_predictions(self):
        assert discriminative_risk(Y_TRUE, Y_PRED, y_pred_perturbed=PERTURBED) == 3 / 8

    @pytest.mark.parametrize("scores", ["y_pred", "y_pred_perturbed"])
    def test_scores_are_refused_with_the_remedy(self, scores):
        labels, given = np.array([0.0, 1.0, 1.0]), np.array([0.1, 0.9, 0.6])
        y_pred, perturbed = (given, labels) if scores == "y_pred" else (labels, given)
        with pytest.raises(ValueError, match=rf"{scores} has numbers .*scores > 0.5.*tolerance"):
            discriminative_risk(None, y_pred, y_pred_perturbed=perturbed)

    def test_is_the_mean_of_individual_risks(self):
        risks = np.linspace(0, 1, 8)
        assert discriminative_risk(Y_TRUE, Y_PRED, individual_risk=risks) == pytest.approx(0.5)

    def test_is_weighted(self):
        weights = [1, 0, 1, 0, 0, 0, 2, 0]
        risk = discriminative_risk(
            Y_TRUE, Y_PRED, y_pred_perturbed=PERTURBED, sample_weight=weights
        )
        assert risk == 1

    def test_compares_labels_of_any_type(self):
        words = np.array(["no", "yes"])
        risk = discriminative_risk(
            words[Y_TRUE], words[Y_PRED], y_pred_perturbed=list(words[PERTURBED])
        )
        assert risk == 3 / 8

    @pytest.mark.parametrize("kind", [list, np.array, pd.Series, pl.Series])
    def test_takes_whatever_fairlearn_takes(self, kind):
        risk = discriminative_risk(kind(Y_TRUE), kind(Y_PRED), y_pred_perturbed=kind(PERTURBED))
        assert risk == 3 / 8

    @pytest.mark.parametrize(
        "given", [{}, {"y_pred_perturbed": Y_PRED, "individual_risk": Y_PRED}]
    )
    def test_needs_one_of_two_sample_parameters(self, given):
        with pytest.raises(ValueError, match="either individual_risk or y_pred_perturbed"):
            discriminative_risk(Y_TRUE, Y_PRED, **given)

    def test_names_shapes_that_differ(self):
        with pytest.raises(ValueError, match="y_pred_perturbed has length 1"):
            discriminative_risk(Y_TRUE, Y_PRED, y_pred_perturbed=[1])

    def test_refuses_risks_that_are_no_probabilities(self):
        with pytest.raises(ValueError, match=r"individual_risk must be in \[0, 1\]"):
            discriminative_risk([1], [1], individual_risk=[2])


BAD = {
    "risks out of range": (
        {"individual_risk": [np.nan, 2]},
        r"individual_risk must be in \[0, 1\]",
    ),
    "negative weights": (
        {"individual_risk": [1, 0], "sample_weight": [-1, 2]},
        "sample_weight must be finite",
    ),
    "missing weights": (
        {"individual_risk": [1, 0], "sample_weight": [np.nan, 2]},
        "sample_weight has 1 missing",
    ),
    "labels of another type": (
        {"y_pred_perturbed": ["0", "1"]},
        "y_pred_perturbed has dtype .* pass the same labels",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named(case):
    given, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        discriminative_risk([0, 1], [0, 1], **given)


def test_a_group_without_weight_has_an_undefined_risk():
    with pytest.warns(UserWarning, match=r"undefined \(NaN\)"):
        risk = discriminative_risk([0], [0], y_pred_perturbed=[1], sample_weight=[0])
    assert np.isnan(risk)


def test_directional_rates_of_strings_need_pos_label():
    with pytest.raises(ValueError, match=r"pos_label is 1.* pass the favourable label"):
        favorable_to_unfavorable_rate(["a", "b"], ["a", "b"], y_pred_perturbed=["b", "a"])


def test_directional_rates_add_up_to_the_risk():
    down = favorable_to_unfavorable_rate(Y_TRUE, Y_PRED, y_pred_perturbed=PERTURBED)
    up = unfavorable_to_favorable_rate(Y_TRUE, Y_PRED, y_pred_perturbed=PERTURBED)
    assert (down, up) == (2 / 8, 1 / 8)


def test_directional_rates_of_individual_risks_add_up_to_the_risk():
    risks = np.linspace(0, 1, 8)
    rates = [
        rate(Y_TRUE, Y_PRED, individual_risk=risks)
        for rate in (favorable_to_unfavorable_rate, unfavorable_to_favorable_rate)
    ]
    assert sum(rates) == pytest.approx(risks.mean())


@pytest.mark.parametrize("rate", [favorable_to_unfavorable_rate, unfavorable_to_favorable_rate])
def test_directional_rates_warn_of_a_label_that_no_row_has(rate):
    with pytest.warns(UserWarning, match="pos_label is 2, but .* 0, 1.*Check pos_label"):
        assert rate(Y_TRUE, Y_PRED, y_pred_perturbed=PERTURBED, pos_label=2) == 0


def test_directional_rates_of_a_group_with_one_class_are_silent():
    assert favorable_to_unfavorable_rate([0, 0], [0, 0], individual_risk=[0.5, 0.0]) == 0


def test_directional_rates_of_a_group_where_only_labels_have_the_class_are_silent():
    assert favorable_to_unfavorable_rate([1, 2], [0, 2], individual_risk=[0.5, 0.0]) == 0


def test_the_favourable_label_can_be_named():
    words = np.array(["no", "yes"])
    settings = {"y_pred_perturbed": words[PERTURBED], "pos_label": "yes"}
    assert favorable_to_unfavorable_rate(words[Y_TRUE], words[Y_PRED], **settings) == 2 / 8


class TestMetricFrame:
    def test_takes_it_as_its_single_metric(self):
        frame = MetricFrame(
            metrics=discriminative_risk,
            y_true=Y_TRUE,
            y_pred=Y_PRED,
            sensitive_features=GROUPS,
            sample_params={"y_pred_perturbed": PERTURBED},
        )
        assert frame.overall == 3 / 8
        assert frame.by_group.to_dict() == BY_GROUP
        assert frame.difference() == 0.25
        assert frame.ratio() == 0.5
        assert frame.group_max() == 0.5
        assert frame.group_min() == 0.25

    def frame(self, **options):
        return MetricFrame(
            metrics={"risk": discriminative_risk, "selection_rate": selection_rate},
            y_true=Y_TRUE,
            y_pred=Y_PRED,
            sensitive_features=GROUPS,
            sample_params={"risk": {"y_pred_perturbed": PERTURBED}},
            **options,
        )

    def test_takes_it_in_a_dictionary_beside_its_own(self):
        frame = self.frame()
        assert frame.by_group["risk"].to_dict() == BY_GROUP
        assert frame.by_group["selection_rate"].to_dict() == {"a": 0.5, "b": 0.5}

    def test_takes_it_with_control_features(self):
        frame = self.frame(control_features=["x", "y"] * 4)
        assert frame.by_group["risk"].to_dict() == {
            ("x", "a"): 1.0,
            ("x", "b"): 0.5,
            ("y", "a"): 0.0,
            ("y", "b"): 0.0,
        }

    def test_takes_it_with_several_sensitive_features(self):
        frame = MetricFrame(
            metrics=discriminative_risk,
            y_true=Y_TRUE,
            y_pred=Y_PRED,
            sensitive_features={"first": GROUPS, "second": ["x", "y"] * 4},
            sample_params={"y_pred_perturbed": PERTURBED},
        )
        assert frame.by_group[("a", "x")] == 1

    @needs_bootstrap
    def test_bootstraps_it(self):
        frame = self.frame(n_boot=50, ci_quantiles=[0.05, 0.95], random_state=0)
        low, high = frame.overall_ci
        assert 0 <= low["risk"] <= frame.overall["risk"] <= high["risk"] <= 1


@pytest.mark.parametrize("metric", DERIVED, ids=lambda metric: metric.__name__)
def test_derived_metrics_follow_the_generated_idiom(metric):
    value = metric(Y_TRUE, Y_PRED, sensitive_features=GROUPS, y_pred_perturbed=PERTURBED)
    assert value == DERIVED[metric]
    assert metric.__name__.startswith("discriminative_risk_")
    weighted = metric(
        Y_TRUE,
        Y_PRED,
        sensitive_features=GROUPS,
        y_pred_perturbed=PERTURBED,
        sample_weight=[1] * 8,
    )
    assert weighted == DERIVED[metric]


def test_ones_own_metric_can_be_derived_from_it():
    spread = make_derived_metric(
        metric=favorable_to_unfavorable_rate,
        transform="difference",
        sample_param_names=["y_pred_perturbed"],
    )
    value = spread(Y_TRUE, Y_PRED, sensitive_features=GROUPS, y_pred_perturbed=PERTURBED)
    assert value == 0


def test_perturbed_predictions_are_those_of_the_perturbed_rows(income):
    tree, X, _ = income
    privileged = {"sex": 1, "race": 1}
    found = perturbed_predictions(tree, X, privileged=privileged, random_state=3)
    expected = tree.predict(perturb(X, privileged, random_state=3))
    assert (found == expected).all()


def test_the_quickstart_with_risk_in_two_lines(income):
    tree, X, y = income
    y_pred = tree.predict(X)
    risk = assess_risk(tree, X, {"sex": 1})  # the first line
    frame = MetricFrame(
        metrics={
            "accuracy": accuracy_score,
            "selection_rate": selection_rate,
            "discriminative_risk": discriminative_risk,
        },
        y_true=y,
        y_pred=y_pred,
        sensitive_features=X["sex"],
        sample_params={"discriminative_risk": {"individual_risk": risk.individual}},  # the second
    )
    assert frame.overall["discriminative_risk"] == pytest.approx(risk.value, abs=1e-12)
    by_group = frame.by_group["discriminative_risk"]
    assert by_group[1] == pytest.approx(risk.by_group.loc["sex", "privileged"], abs=1e-12)
    assert by_group[0] == pytest.approx(risk.by_group.loc["sex", "marginalised"], abs=1e-12)


PRIVILEGED = {"sex": 1, "race": 1}


class TestDrMetricFrame:
    def test_is_a_metric_frame_with_the_exact_risk(self, income):
        tree, X, y = income
        frame = dr_metric_frame(tree, X, y, sensitive_features=X["sex"], privileged=PRIVILEGED)
        assert isinstance(frame, MetricFrame)
        risk = assess_risk(tree, X, PRIVILEGED)
        assert frame.overall["discriminative_risk"] == pytest.approx(risk.value, abs=1e-12)
        assert frame.overall["accuracy"] == pytest.approx(tree.score(X, y))

    def test_groups_by_the_sensitive_columns_when_none_are_given(self, income):
        tree, X, y = income
        frame = dr_metric_frame(tree, X, y, privileged=PRIVILEGED)
        assert list(frame.by_group.index.names) == ["sex", "race"]

    def test_shows_ones_own_metrics_beside_it(self, income):
        tree, X, y = income
        frame = dr_metric_frame(
            tree, X, y, privileged=PRIVILEGED, metrics={"selected": selection_rate}
        )
        assert list(frame.by_group.columns) == ["discriminative_risk", "selected"]

    def test_weighs_every_metric_that_takes_weights(self, income):
        tree, X, y = income
        weights = np.random.default_rng(0).random(len(X))
        frame = dr_metric_frame(
            tree,
            X,
            y,
            privileged=PRIVILEGED,
            sample_weight=weights,
            metrics={"accuracy": accuracy_score, "first": lambda y_true, y_pred: y_true[0]},
        )
        risk = assess_risk(tree, X, PRIVILEGED, sample_weight=weights)
        assert frame.overall["discriminative_risk"] == pytest.approx(risk.value, abs=1e-12)
        right = np.average(tree.predict(X) == y, weights=weights)
        assert frame.overall["accuracy"] == pytest.approx(right)

    def test_feeds_its_own_metrics_and_ones_own_sample_params(self, income):
        tree, X, y = income
        frame = dr_metric_frame(
            tree,
            X,
            y,
            privileged=PRIVILEGED,
            metrics={
                "down": favorable_to_unfavorable_rate,
                "mean": lambda y_true, y_pred, *, value: float(np.mean(value)),
            },
            sample_params={"mean": {"value": np.arange(len(X))}},
        )
        assert 0 < frame.overall["down"] < frame.overall["discriminative_risk"]
        assert frame.overall["mean"] == (len(X) - 1) / 2

    def test_takes_a_single_metric(self, income):
        tree, X, y = income
        frame = dr_metric_frame(tree, X, y, privileged=PRIVILEGED, metrics=accuracy_score)
        assert list(frame.by_group.columns) == ["discriminative_risk", "accuracy_score"]

    def test_takes_labels_in_words(self, income):
        tree, X, y = income
        words = np.array(["no", "yes"])
        frame = dr_metric_frame(
            lambda rows: words[tree.predict(rows)],
            X,
            words[y],
            privileged=PRIVILEGED,
            pos_label="yes",
        )
        assert frame.overall["selection_rate"] == pytest.approx(tree.predict(X).mean())

    def test_its_favourable_label_is_that_of_directional_rates(self):
        rates = {
            "loses": favorable_to_unfavorable_rate,
            "gains": unfavorable_to_favorable_rate,
        }
        frame = make_jail_frame(metrics=rates)
        risks = {"favorable": 0, "measures": ["discriminative_risk"]}
        compared = compare({"jail": jail}, PEOPLE, JAILED, {"sex": "M"}, **risks)
        expected = compared.by_group.reset_index().set_index("group")[["loses", "gains"]]
        assert frame.by_group[["loses", "gains"]].to_dict() == expected.to_dict()

    def test_its_favourable_label_is_that_of_fairlearn_and_scikit_learn(self):
        metrics = {"selected": selection_rate, "recall": recall_score}
        frame = make_jail_frame(metrics=metrics)
        assert frame.by_group["selected"].to_dict() == {"F": 1, "M": 0}
        assert frame.overall["recall"] == recall_score(JAILED, jail(PEOPLE), pos_label=0)

    def test_keeps_a_favourable_label_that_a_metric_has(self):
        frame = make_jail_frame(metrics={"jailed": partial(selection_rate, pos_label=1)})
        assert frame.by_group["jailed"].to_dict() == {"F": 0, "M": 1}

    def test_an_average_over_classes_has_no_favourable_label(self):
        average = partial(recall_score, average="macro")
        frame = make_jail_frame(metrics={"recall": average})
        assert frame.overall["recall"] == average(JAILED, jail(PEOPLE))

    def test_takes_attributes_learned_before_and_one_hot_groups(self, income):
        tree, X, y = income
        learned = learn_attributes(X, PRIVILEGED)
        frame = dr_metric_frame(tree, X, y, privileged=learned)
        risk = assess_risk(tree, X, PRIVILEGED)
        assert frame.overall["discriminative_risk"] == pytest.approx(risk.value, abs=1e-12)
        hot = X.drop(columns="sex").assign(man=X["sex"], woman=1 - X["sex"])
        one_hot = {"sex": OneHot(["man", "woman"], privileged="man")}
        frame = dr_metric_frame(lambda rows: rows["man"].to_numpy(), hot, y, privileged=one_hot)
        assert frame.overall["discriminative_risk"] == 1
        assert list(frame.by_group.index) == ["man", "woman"]

    def test_rows_whose_risk_is_nan_are_left_out(self):
        y, risk, weights = [1, 0, 1, 0], [1.0, np.nan, 0.0, 0.5], [1, 9, 2, 1]
        given = {"individual_risk": risk, "sample_weight": weights}
        assert discriminative_risk(y, y, **given) == 1.5 / 4
        assert favorable_to_unfavorable_rate(y, y, **given) == 1 / 4
        assert unfavorable_to_favorable_rate(y, y, **given) == 0.5 / 4
        assert score_shift(y, y, individual_shift=risk) == 0.5

    @pytest.mark.parametrize("values", [["M", None, "F", "M"], [1, np.nan, 0, 1]])
    def test_rows_without_a_sensitive_value_are_a_group(self, values):
        X = pd.DataFrame({"sex": values, "score": range(4)})
        with pytest.warns(UserWarning, match=r"no perturbed row \(.*missing.*NaN"):
            frame = dr_metric_frame(
                lambda X: (X["score"] > 1).astype(int),
                X,
                [0, 1, 0, 1],
                privileged={"sex": values[0]},
                missing="keep",
            )
        named = [str(values[row]) for row in (0, 2)]
        assert set(frame.by_group.index) == {*named, "(missing)"}

    def test_a_group_of_weight_0_has_no_risk_and_the_warning_names_sample_weight(self):
        with pytest.warns(UserWarning, match="no perturbed row with a sample_weight above 0"):
            risk = discriminative_risk([1], [1], individual_risk=[1.0], sample_weight=[0.0])
        assert np.isnan(risk)

    @pytest.mark.parametrize("weights", [None, [1, 5, 2, 1]])
    @pytest.mark.filterwarnings("ignore:a group has no perturbed row")
    def test_rows_without_a_sensitive_value_do_not_dilute_the_risk(self, weights):
        X = pd.DataFrame({"sex": ["M", None, "F", "M"], "score": [9, 9, 1, 1]})
        hires = lambda X: (X["score"] + (X["sex"] == "M") > 9).astype(int)  # noqa: E731
        y = [1, 0, 0, 1]
        options = {"privileged": {"sex": "M"}, "missing": "keep", "sample_weight": weights}
        frame = dr_metric_frame(hires, X, y, **options)
        w = np.ones(4) if weights is None else np.array(weights)
        assert frame.overall["discriminative_risk"] == pytest.approx(w[0] / w[[0, 2, 3]].sum())
        assert np.isnan(frame.by_group["discriminative_risk"]["(missing)"])
        assert frame.overall["accuracy"] == pytest.approx(w[:3].sum() / w.sum())
        scorer = risk_scorer({"sex": "M"}, missing="keep")
        assert scorer(hires, X, sample_weight=weights) == -frame.overall["discriminative_risk"]

    def test_draws_as_many_samples_as_asked(self, income):
        tree, X, y = income
        settings = {"method": "sample", "n_samples": 7, "p": 0.5, "random_state": 1}
        frame = dr_metric_frame(tree, X, y, privileged=PRIVILEGED, **settings)
        risk = assess_risk(tree, X, PRIVILEGED, **settings)
        assert frame.overall["discriminative_risk"] == pytest.approx(risk.value, abs=1e-12)

    def test_passes_control_features_on(self, income):
        tree, X, y = income
        frame = dr_metric_frame(
            tree,
            X,
            y,
            sensitive_features=X["sex"],
            privileged=PRIVILEGED,
            control_features=X["race"],
        )
        assert list(frame.by_group.index.names) == ["race", "sex"]

    @needs_bootstrap
    def test_passes_the_bootstrap_on(self, income):
        tree, X, y = income
        frame = dr_metric_frame(
            tree,
            X,
            y,
            privileged={"sex": 1},
            n_boot=5,
            ci_quantiles=[0.1, 0.9],
            random_state=0,
        )
        low, high = frame.overall_ci
        assert low["discriminative_risk"] < high["discriminative_risk"]

    def test_takes_polars_frames(self, income):
        tree, X, y = income
        model = lambda rows: tree.predict(rows.to_pandas())  # noqa: E731
        frame = dr_metric_frame(model, pl.from_pandas(X), y, privileged=PRIVILEGED)
        risk = assess_risk(tree, X, PRIVILEGED)
        assert frame.overall["discriminative_risk"] == pytest.approx(risk.value, abs=1e-12)


class TestRiskScorer:
    def test_is_minus_the_risk(self, income):
        tree, X, y = income
        assert risk_scorer({"sex": 1})(tree, X, y) == -assess_risk(tree, X, {"sex": 1}).value

    def test_passes_its_settings_on(self, income):
        tree, X, y = income
        settings = {"method": "sample", "p": 0.5, "random_state": 2}
        domain = {"sex": [0, 1, 2]}
        attributes = learn_attributes(X, {"sex": 1}, domain=domain)
        scorer = risk_scorer({"sex": 1}, domain=domain, **settings)
        assert scorer(tree, X, y) == -assess_risk(tree, X, attributes, **settings).value

    def test_learns_the_values_of_all_partitions(self, income):
        tree, X, _ = income
        parts = [X[X["sex"] == 0], X[X["sex"] == 1]]
        expected = -assess_risk(tree, X, {"sex": 1}).value
        assert risk_scorer({"sex": 1}, missing="keep")(tree, parts) == pytest.approx(expected)

    def test_works_in_cross_validation_beside_other_scores(self, income):
        tree, X, y = income
        scores = cross_validate(
            tree, X, y, cv=3, scoring={"accuracy": "accuracy", "risk": risk_scorer({"sex": 1})}
        )
        assert (scores["test_risk"] < 0).all()

    def test_lets_a_grid_search_pick_the_fairest_model_across_processes(self, income):
        _, X, y = income
        attributes = learn_attributes(X, {"sex": 1})
        search = GridSearchCV(
            DecisionTreeClassifier(random_state=0),
            {"max_depth": [1, 12]},
            scoring=risk_scorer(attributes),
            cv=2,
            n_jobs=2,
        )
        assert search.fit(X, y).best_params_ == {"max_depth": 1}


def test_the_count_of_a_frame_is_that_of_the_perturbed_rows():
    risk = np.array([0.0, 1.0, np.nan, 0.5, np.nan])
    assert effective_count(None, None, individual_risk=risk) == 3
    weights = [1.0, 1.0, 7.0, 2.0, 9.0]
    expected = (1 + 1 + 2) ** 2 / (1 + 1 + 4)
    counted = effective_count(None, None, individual_risk=risk, sample_weight=weights)
    assert counted == pytest.approx(expected)
