"""Plots are tested by the data of their artists."""

import fairlearn
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from fairlearn.metrics import MetricFrame

from dr_core import (
    Votes,
    assess_risk,
    assess_shift,
    clopper_pearson,
    compare,
    compute_bounds,
    epaf,
    poaf,
)
from fairlearn_dr import (
    discriminative_risk,
    dr_metric_frame,
    plot_bounds,
    plot_comparison,
    plot_pareto_front,
    plot_risk_by_group,
    plot_shift_by_group,
)

OLD = tuple(map(int, fairlearn.__version__.split(".")[:2])) < (0, 10)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    return pd.DataFrame({"sex": rng.choice(["F", "M"], 200), "score": rng.normal(size=200)})


def rule(X):
    return (X["score"] + 0.5 * (X["sex"] == "M") > 0).to_numpy().astype(int)


@pytest.fixture(scope="module")
def votes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 100)
    noise = rng.random((2, 9, 100)) < [[[0.25]], [[0.1]]]
    plain = y ^ noise[0]
    return Votes(plain, plain ^ noise[1], y)


def heights(ax):
    return [patch.get_height() for patch in ax.patches]


def points(ax, label):
    artist = next(c for c in ax.collections if c.get_label() == label)
    return artist.get_offsets().data.tolist()


class TestPlotRiskByGroup:
    def frame(self, people, **options):
        y = (people["score"] > 0).astype(int)
        return dr_metric_frame(rule, people, y, privileged={"sex": "M"}, **options)

    def test_draws_one_bar_for_each_group_and_metric(self, people):
        frame = self.frame(people)
        ax = plot_risk_by_group(frame)
        assert heights(ax) == pytest.approx(frame.by_group.to_numpy(float).T.ravel().tolist())
        assert [text.get_text() for text in ax.get_xticklabels()] == ["F", "M"]
        assert ax.get_xlabel() == "sex"
        legend = [text.get_text() for text in ax.get_legend().get_texts()]
        assert legend == ["discriminative risk", "selection rate", "accuracy"]

    @pytest.mark.skipif(OLD, reason="MetricFrame has no bootstrap in this fairlearn")
    def test_draws_clopper_and_pearson_intervals_of_the_risk(self, people):
        frame = self.frame(people, n_boot=30, ci_quantiles=[0.1, 0.9], random_state=0)
        ax = plot_risk_by_group(frame, metrics=["discriminative_risk"])
        counts = people["sex"].value_counts().sort_index()
        expected = [
            clopper_pearson(risk, n, 0.8)[:2]
            for risk, n in zip(frame.by_group["discriminative_risk"], counts, strict=True)
        ]
        drawn = [segment[:, 1].tolist() for segment in ax.collections[0].get_segments()]
        assert np.allclose(drawn, expected)

    @pytest.mark.skipif(OLD, reason="MetricFrame has no bootstrap in this fairlearn")
    def test_a_group_without_any_change_has_an_error_bar(self, people):
        y = (people["score"] > 0).astype(int)
        options = {"n_boot": 30, "ci_quantiles": [0.025, 0.975], "random_state": 0}
        blind = lambda X: (X["score"] > 0).astype(int)  # noqa: E731
        frame = dr_metric_frame(blind, people, y, privileged={"sex": "M"}, **options)
        ax = plot_risk_by_group(frame, metrics=["discriminative_risk"])
        assert all(np.ptp(bar[:, 1]) > 0 for bar in ax.collections[0].get_segments())

    @pytest.mark.skipif(OLD, reason="MetricFrame has no bootstrap in this fairlearn")
    def test_draws_the_intervals_of_other_metrics_from_the_frame(self, people):
        frame = self.frame(people, n_boot=30, ci_quantiles=[0.1, 0.9], random_state=0)
        ax = plot_risk_by_group(frame, metrics=["selection_rate"])
        ends = (frame.by_group_ci[i]["selection_rate"].tolist() for i in (0, -1))
        drawn = [segment[:, 1].tolist() for segment in ax.collections[0].get_segments()]
        assert np.allclose(drawn, list(zip(*ends, strict=True)))

    @pytest.mark.skipif(OLD, reason="MetricFrame has no bootstrap in this fairlearn")
    def test_draws_no_error_bars_of_a_risk_whose_rows_are_not_counted(self, people):
        risk = assess_risk(rule, people, {"sex": "M"})
        frame = MetricFrame(
            metrics={"discriminative_risk": discriminative_risk},
            y_true=risk.predictions,
            y_pred=risk.predictions,
            sensitive_features=people["sex"],
            sample_params={"discriminative_risk": {"individual_risk": risk.individual}},
            n_boot=30,
            ci_quantiles=[0.1, 0.9],
        )
        assert not plot_risk_by_group(frame).collections

    def test_draws_on_the_axes_given(self, people):
        _, ax = plt.subplots()
        assert plot_risk_by_group(self.frame(people), ax=ax) is ax


class TestPlotParetoFront:
    def test_shows_front_choice_members_and_full_ensemble(self, votes):
        result = poaf(votes, 5, random_state=0)
        ax = plot_pareto_front(result, votes)
        front = result.front[["error", "risk"]].to_numpy().tolist()
        assert points(ax, "Pareto front") == front
        assert points(ax, "chosen") == [[result.error, result.risk]]
        assert points(ax, "full ensemble") == [[votes.error, votes.risk]]
        assert len(points(ax, "members")) == 9
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("error", "discriminative risk")

    def test_shows_a_choice_that_is_not_on_the_front(self, votes):
        result = epaf(votes, 5)
        ax = plot_pareto_front(result)
        assert points(ax, "chosen") == [[result.error, result.risk]]


class TestPlotBounds:
    def test_shows_each_bound_against_the_risk_and_the_identity(self, votes):
        tables = [compute_bounds(votes), compute_bounds(votes.subset([0, 1, 2]))]
        ax = plot_bounds(tables, names=["margin", "first order"])
        for name in ("margin", "first order"):
            expected = [
                [row["actual"], min(row["value"], 1)]
                for table in tables
                for _, row in table[table["name"] == name].iterrows()
            ]
            assert points(ax, name) == expected
        assert ax.get_lines()[0].get_label() == "bound = risk"

    def test_shows_all_bounds_that_apply_when_none_are_named(self, votes):
        table = compute_bounds(votes)
        ax = plot_bounds(table)
        assert len(ax.collections) == table["applies"].sum()
        looks = {
            (tuple(c.get_facecolor()[0]), c.get_paths()[0].vertices.tobytes())
            for c in ax.collections
        }
        assert len(looks) == len(ax.collections)


class TestPlotComparison:
    def comparison(self, people, **options):
        y = (people["score"] > 0).astype(int)
        models = {"rule": rule, "score": lambda X: (X["score"] > 0.1).to_numpy().astype(int)}
        return compare(models, people, y, {"sex": "M"}, **options)

    def test_shows_error_against_each_measure(self, people):
        comparison = self.comparison(people)
        axes = plot_comparison(comparison, measures=["discriminative_risk", "demographic_parity"])
        table = comparison.table()
        for ax, measure in zip(axes, ["discriminative_risk", "demographic_parity"], strict=True):
            drawn = [(*line.get_xdata(), *line.get_ydata()) for line in ax.get_lines()]
            expected = list(zip(table[measure], 1 - table["accuracy"], strict=True))
            np.testing.assert_allclose(drawn, expected)
        assert axes[0].get_ylabel() == "error"

    def test_a_single_measure_may_be_named_alone(self, people):
        (ax,) = plot_comparison(self.comparison(people), measures="demographic_parity")
        assert ax.get_xlabel() == "demographic parity"

    def test_shows_intervals_where_there_are_some(self, people):
        comparison = self.comparison(people, n_boot=50, random_state=0)
        (ax,) = plot_comparison(comparison, measures=["demographic_parity"])
        row = comparison.table(wide=False).loc[("rule", "sex", "demographic_parity")]
        horizontal = ax.containers[0].lines[2][0].get_segments()[0]
        assert horizontal[:, 0].tolist() == pytest.approx([row["low"], row["high"]])
        error = comparison.table(wide=False).loc[("rule", "sex", "accuracy")]
        vertical = ax.containers[0].lines[2][1].get_segments()[0]
        assert vertical[:, 1].tolist() == pytest.approx([1 - error["high"], 1 - error["low"]])


def test_colours_differ_in_brightness_too():
    from matplotlib.colors import to_rgb

    from dr_core.plugins import drawing

    assert len(set(drawing.COLOURS)) == len(drawing.COLOURS)
    brightness = [np.dot(to_rgb(colour), [0.3, 0.6, 0.1]) for colour in drawing.COLOURS[:3]]
    assert min(np.abs(np.subtract.outer(brightness, brightness))[np.triu_indices(3, 1)]) > 0.05


def test_the_shift_of_each_group_is_drawn_with_its_sign():
    X = pd.DataFrame({"sex": ["M", "F"] * 20, "age": range(40)})
    shift = assess_shift(lambda X: 2.0 * (X["sex"] == "M") + X["age"], X, {"sex": "M"})
    ax = plot_shift_by_group(shift)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["M", "F"]
    medians = [line.get_xdata()[0] for line in ax.lines if line.get_lw() == 2]
    assert medians == pytest.approx([-2.0, 2.0])
    assert ax.get_xlabel() == "shift of the prediction"
