"""What must not matter does not: rows, columns, types, labels, chunks, jobs and seeds."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from dr_adapters import groups, to_aif360
from effort import effort
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier

from aif360_dr import DiscriminativeRiskMetric
from dr_core import (
    Votes,
    assess_risk,
    collect_votes,
    compare,
    compute_bounds,
    enumerate_perturbations,
    epaf,
    learn_attributes,
    perturb,
    poaf,
)
from fairlearn_dr import discriminative_risk, dr_metric_frame, perturbed_predictions

MEASURES = ["discriminative_risk", "demographic_parity", "equal_opportunity", "accuracy", "recall"]
CLOSE = {"rtol": 1e-12, "atol": 1e-14}
BOTH, METHODS = {"sex": 1, "race": 2}, ["exact", "sample"]
SOME = effort(some=10, many=60)
FEW = effort(some=5, many=20)


def decide(sex, race, age):
    """A rule that depends on everything."""
    return (age + 3 * (sex == 1) + 2 * (race == 2) > 5).astype(int)


def rule(X):
    return decide(X["sex"], X["race"], X["age"])


@st.composite
def people(draw, most=30, weighted=True):
    """Rows that show all values of both attributes, labels and whole weights."""
    n = draw(st.integers(6, most))
    column = lambda low, high: st.lists(st.integers(low, high), min_size=n, max_size=n)  # noqa: E731
    X = pd.DataFrame(
        {"sex": draw(column(0, 1)), "race": draw(column(0, 2)), "age": draw(column(0, 9))}
    )
    X.loc[:5, "sex"], X.loc[:5, "race"] = [0, 1, 0, 1, 0, 1], [0, 1, 2, 0, 1, 2]
    y = np.array(draw(column(0, 1)))
    y[:2] = [0, 1]
    weights = np.array(draw(column(1, 3) if weighted else st.just([1] * n)))
    return X, y, weights.astype(float)


PRIVILEGED = {"sex": 1, "race": [0, 1]}


def answers(X, y, weights, *, model=rule, privileged=PRIVILEGED, **options):
    """Everything that `assess_risk` and `compare` say."""
    risk = assess_risk(model, X, privileged, y=y, sample_weight=weights, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *_, **__: None)
        table = compare(
            {"m": model}, X, y, privileged, sample_weight=weights, measures=MEASURES, **options
        ).table()
    return risk.table().to_numpy(float), table.to_numpy(float), risk.individual


def same(found, expected):
    for one, other in zip(found[:2], expected[:2], strict=True):
        np.testing.assert_allclose(one, other, **CLOSE)


class TestData:
    @SOME
    @given(people(), st.randoms(use_true_random=False))
    def test_the_order_of_the_rows_does_not_matter(self, data, random):
        X, y, weights = data
        order = np.array(random.sample(range(len(X)), len(X)))
        found = answers(X.iloc[order], y[order], weights[order])
        same(found, answers(*data))
        np.testing.assert_array_equal(found[2], answers(*data)[2][order])

    @SOME
    @given(people(), st.permutations(["sex", "race", "age"]))
    def test_the_order_of_the_columns_does_not_matter(self, data, columns):
        X, y, weights = data
        same(answers(X[columns], y, weights), answers(*data))

    @SOME
    @given(people())
    def test_the_order_of_the_attributes_does_not_matter_for_all_of_them(self, data):
        X, y, weights = data
        turned = dict(reversed(PRIVILEGED.items()))
        found, expected = answers(X, y, weights, privileged=turned), answers(*data)
        np.testing.assert_allclose(found[0][-1], expected[0][-1], **CLOSE)

    @SOME
    @given(people(), st.sampled_from(["words", "repeated", "dates"]))
    def test_the_index_does_not_matter(self, data, kind):
        X, y, weights = data
        index = {
            "words": [f"row {i}" for i in range(len(X))],
            "repeated": [0] * len(X),
            "dates": pd.date_range("2020", periods=len(X)),
        }[kind]
        y = pd.Series(y, index=[f"label {i}" for i in range(len(X))])
        same(answers(X.set_axis(index), y, weights), answers(*data))

    @SOME
    @given(people(), st.sampled_from(["int8", "float32", "Int64", "category", "object"]))
    def test_the_type_of_a_sensitive_column_does_not_matter(self, data, dtype):
        X, y, weights = data
        model = lambda X: decide(  # noqa: E731
            X["sex"].astype(int), X["race"].astype(int), X["age"]
        )
        typed = X.astype({"sex": dtype, "race": dtype})
        same(answers(typed, y, weights, model=model), answers(*data))

    @SOME
    @given(people(), st.sampled_from([str, "category", object]))
    def test_words_for_numbers_do_not_matter(self, data, dtype):
        X, y, weights = data
        words = X.assign(
            sex=X["sex"].map({0: "f", 1: "m"}).astype(dtype),
            race=X["race"].map({0: "w", 1: "b", 2: "o"}).astype(dtype),
        )

        def model(X):
            race = X["race"].astype(object).map({"w": 0, "b": 1, "o": 2})
            return decide((X["sex"] == "m").astype(int), race, X["age"])

        found = answers(
            words, y, weights, model=model, privileged={"sex": "m", "race": ["w", "b"]}
        )
        same(found, answers(*data))

    @SOME
    @given(people(), st.sampled_from(["NumPy", "polars"]))
    def test_the_kind_of_table_does_not_matter(self, data, kind):
        X, y, weights = data
        if kind == "polars":
            table, privileged = pl.DataFrame(X.to_dict("list")), PRIVILEGED
            model = lambda X: decide(*(X[c].to_numpy() for c in ("sex", "race", "age")))  # noqa: E731
        else:
            table, privileged = X.to_numpy(), {0: 1, 1: [0, 1]}
            model = lambda X: decide(X[:, 0], X[:, 1], X[:, 2])  # noqa: E731
        found = answers(table, y, weights, model=model, privileged=privileged)
        same(found, answers(*data))

    @SOME
    @given(people(), st.sampled_from([(-1, 1), ("no", "yes"), (False, True), (2.0, 7.0)]))
    def test_what_labels_are_called_does_not_matter(self, data, names):
        X, y, weights = data
        called = np.array(names)
        found = compare(
            {"m": lambda X: called[rule(X)]},
            X,
            called[y],
            PRIVILEGED,
            sample_weight=weights,
            measures=MEASURES[:1] + MEASURES[3:],
            favorable=names[1],
        ).table()
        expected = compare(
            {"m": rule},
            X,
            y,
            PRIVILEGED,
            sample_weight=weights,
            measures=MEASURES[:1] + MEASURES[3:],
        ).table()
        pd.testing.assert_frame_equal(found, expected, check_like=True, **CLOSE)

    @SOME
    @given(people())
    def test_a_weight_of_two_is_a_row_that_is_there_twice(self, data):
        X, y, weights = data
        rows = np.repeat(np.arange(len(X)), weights.astype(int))
        repeated = answers(X.iloc[rows], y[rows], np.ones(len(rows)))
        found = answers(*data)
        np.testing.assert_allclose(found[1], repeated[1], **CLOSE)
        # The interval knows that there are fewer people; nothing else does.
        shown = [0, 3, 4, 5, 6, 7, 8]
        np.testing.assert_allclose(found[0][:, shown], repeated[0][:, shown], **CLOSE)

    @SOME
    @given(people())
    def test_a_row_of_weight_zero_is_a_row_that_is_not_there(self, data):
        X, y, weights = data
        more = pd.concat([X, X.iloc[:3].assign(age=99)])
        found = answers(more, np.append(y, [1, 1, 1]), np.append(weights, [0.0, 0, 0]))
        same(found, answers(*data))

    @SOME
    @given(people(), st.floats(1e-9, 1e9))
    def test_the_unit_of_the_weights_does_not_matter(self, data, unit):
        X, y, weights = data
        same(answers(X, y, weights * unit), answers(*data))


class TestComputation:
    @SOME
    @given(people(), st.integers(1, 40), st.sampled_from(["exact", "sample"]))
    def test_chunks_do_not_matter(self, data, size, method):
        options = {"method": method, "random_state": 3, "p": 0.7, "n_samples": 2}
        if method == "exact":
            del options["n_samples"]
        found = answers(*data, **options, chunk_size=size)
        whole = answers(*data, **options)
        same(found, whole)
        np.testing.assert_array_equal(found[2], whole[2])

    @SOME
    @given(people(), st.integers(0, 2**63))
    def test_a_seed_gives_the_same_draws(self, data, seed):
        X, y, weights = data
        options = {"method": "sample", "random_state": seed, "p": 0.5}
        same(answers(X, y, weights, **options), answers(X, y, weights, **options))
        pd.testing.assert_frame_equal(
            perturb(X, PRIVILEGED, random_state=seed), perturb(X, PRIVILEGED, random_state=seed)
        )

    @SOME
    @given(people(), st.integers(0, 2**32), st.integers(0, 2**32))
    def test_exact_risk_has_no_seed(self, data, one, other):
        same(answers(*data, random_state=one), answers(*data, random_state=other))

    @SOME
    @given(people())
    def test_the_global_seed_is_left_alone(self, data):
        before = np.random.get_state()[1].copy()  # noqa: NPY002
        answers(*data, method="sample")
        np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002

    @FEW
    @given(people(), st.integers(0, 9))
    def test_jobs_do_not_matter(self, data, seed):
        X, y, weights = data
        forest = RandomForestClassifier(n_estimators=7, max_depth=3, random_state=seed).fit(X, y)
        options = {"method": "sample", "random_state": seed, "sample_weight": weights}
        one, two = (
            collect_votes(forest, X, y, PRIVILEGED, n_jobs=n_jobs, **options) for n_jobs in (1, 2)
        )
        np.testing.assert_array_equal(one.votes, two.votes)
        np.testing.assert_array_equal(one.perturbed, two.perturbed)
        np.testing.assert_array_equal(one.row_units, two.row_units)


@st.composite
def ballots(draw):
    m, n = draw(st.integers(2, 6)), draw(st.integers(2, 12))
    matrix = st.lists(st.integers(0, 2), min_size=m * n, max_size=m * n)
    votes, perturbed = (np.reshape(draw(matrix), (m, n)) for _ in range(2))
    y = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    weights = draw(st.lists(st.integers(1, 4), min_size=m, max_size=m))
    rows = draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    return votes, perturbed, y, np.array(weights), np.array(rows)


def tallied(votes, perturbed, y, weights, rows):
    return Votes(votes, perturbed, y, weights, rows)


class TestOneEngine:
    """What is computed in two functions is the same number, bit for bit."""

    @SOME
    @given(data=people(), p=st.sampled_from([1.0, 0.6, 0.3]), method=st.sampled_from(METHODS))
    def test_compare_and_assess_risk_have_the_same_risk(self, data, p, method):
        X, y, weights = data
        how = {"p": p, "method": method, "random_state": 0, "sample_weight": weights}
        one = assess_risk(rule, X, BOTH, **how)
        measures = ["discriminative_risk", "discriminative_risk_difference"]
        table = compare({"m": rule}, X, y, BOTH, measures=measures, **how).table().loc["m"]
        assert table["discriminative_risk"].tolist() == one.table()["risk"].tolist()
        differences = table["discriminative_risk_difference"].tolist()
        assert differences == one.by_group["difference"].tolist()

    @SOME
    @given(data=people(), p=st.sampled_from([1.0, 0.6]))
    def test_compare_and_assess_risk_agree_on_coupled_columns(self, data, p):
        X, y, weights = data
        X = X.assign(title=X["sex"])
        rules = {"title": {"sex": {0: {1: 0}, 1: {0: 1}}}}
        attributes = learn_attributes(X, BOTH, coupled=rules)
        model = lambda X: decide(X["title"], X["race"], X["age"])  # noqa: E731
        how = {"p": p, "sample_weight": weights}
        options = {"measures": MEASURES[:1], "reference": False} | how
        both = compare({"m": model}, X, y, attributes, **options).table().loc["m"]
        coupled = assess_risk(model, X, attributes, **how).table()["risk"]
        assert both["discriminative_risk_coupled"].tolist() == coupled.tolist()
        plain = assess_risk(model, X, BOTH, **how).table()["risk"]
        assert both["discriminative_risk"].tolist() == plain.tolist()

    @SOME
    @given(data=people(), seed=st.integers(0, 99))
    def test_all_models_of_a_comparison_get_the_same_draws(self, data, seed):
        X, y, weights = data
        how = {"method": "sample", "random_state": seed, "sample_weight": weights}
        table = compare({"a": rule, "b": rule}, X, y, BOTH, measures=MEASURES[:1], **how).table()
        assert table.loc["a"].equals(table.loc["b"])

    def test_each_variant_is_predicted_once_and_few_rows_twice_for_each_model(self):
        X = pd.DataFrame({"sex": [0, 1, 0, 1], "race": [0, 1, 2, 0], "age": [1, 2, 3, 4]})
        asked = []
        counting = lambda X: (asked.append(len(X)), rule(X))[1]  # noqa: E731
        compare({"a": counting, "b": counting}, X, [0, 1, 1, 0], BOTH, measures=MEASURES[:1])
        n_variants = len(enumerate_perturbations(X, BOTH).rows)
        alone = sum(len(enumerate_perturbations(X, {k: v}).rows) for k, v in BOTH.items())
        assert asked == [4, n_variants + alone + 4] * 2

    def test_models_of_a_comparison_do_not_change_each_others_audit(self):
        rng = np.random.default_rng(1)
        X = pd.DataFrame({"s": rng.integers(0, 3, 80), "a": rng.integers(0, 9, 80)})
        y = (X["a"] + X["s"] > 5).to_numpy().astype(int)
        models = {k: RandomForestClassifier(6, random_state=0).fit(X, y) for k in "ab"}
        how = {"ensembles": True, "method": "sample", "random_state": 5, "measures": MEASURES[:1]}
        a, b = (one.to_dict() for one in compare(models, X, y, {"s": 0}, **how).ensembles.values())
        assert a == b

    def test_individuals_of_equal_risk_stand_by_position(self):
        X = pd.DataFrame({"race": ["W"] * 8 + ["B", "O", "X"], "age": range(11)})
        model = lambda X: (X["race"] != "W").astype(int) * 0 + (X["race"] == "B") * 1  # noqa: E731
        parts = [X[:3], X[3:]]
        for rows in (X, parts):
            attributes = learn_attributes(X, {"race": "W"})
            how = {"p": 0.7, "individuals": 8, "measures": MEASURES[:1], "labels": [0, 1]}
            found = compare({"m": model}, rows, [0, 1] * 5 + [0], attributes, **how)
            assert found.individuals["m"].rows.tolist()[1:] == list(range(7))

    def test_an_old_random_state_is_advanced_as_often_as_it_is_used(self):
        X = pd.DataFrame({"sex": [0, 1, 0, 1], "race": [0, 1, 2, 0], "age": [1, 2, 3, 4]})
        used, expected = np.random.RandomState(0), np.random.RandomState(0)
        assess_risk(rule, X, {"race": 2}, method="sample", random_state=used)
        expected.randint(2**31, size=4)
        assert used.randint(10**6) == expected.randint(10**6)


class TestVotes:
    @SOME
    @given(ballots(), st.randoms(use_true_random=False))
    def test_the_order_of_the_instances_does_not_matter(self, ballot, random):
        votes, perturbed, y, weights, rows = ballot
        order = np.array(random.sample(range(len(y)), len(y)))
        found = tallied(votes[:, order], perturbed[:, order], y[order], weights, rows[order])
        expected = tallied(*ballot)
        assert (found.error, found.risk) == (expected.error, expected.risk)
        pd.testing.assert_frame_equal(
            compute_bounds(found), compute_bounds(expected), check_exact=True
        )
        assert poaf(found, 2, random_state=0).members.tolist() == (
            poaf(expected, 2, random_state=0).members.tolist()
        )

    @SOME
    @given(ballots(), st.randoms(use_true_random=False))
    def test_the_order_of_the_members_does_not_matter_to_the_vote(self, ballot, random):
        votes, perturbed, y, weights, rows = ballot
        order = np.array(random.sample(range(len(votes)), len(votes)))
        found = tallied(votes[order], perturbed[order], y, weights[order], rows)
        expected = tallied(*ballot)
        np.testing.assert_array_equal(found.vote, expected.vote)
        np.testing.assert_array_equal(found.margin, expected.margin)
        np.testing.assert_array_equal(found.inconsistency, expected.inconsistency)

    @SOME
    @given(ballots())
    def test_a_row_that_weighs_two_is_two_rows(self, ballot):
        votes, perturbed, y, weights, rows = ballot
        twice = np.repeat(np.arange(len(y)), rows)
        found = Votes(votes[:, twice], perturbed[:, twice], y[twice], weights)
        assert (found.error, found.risk) == (tallied(*ballot).error, tallied(*ballot).risk)

    @SOME
    @given(ballots(), st.sampled_from([["a", "b", "c"], [-5, 0, 7], [0.5, 1.5, 2.5]]))
    def test_what_labels_are_called_does_not_matter(self, ballot, names):
        votes, perturbed, y, weights, rows = ballot
        named = np.array(names)
        found = tallied(named[votes], named[perturbed], named[y], weights, rows)
        expected = tallied(*ballot)
        assert (found.error, found.risk) == (expected.error, expected.risk)
        assert epaf(found, 2).members.tolist() == epaf(expected, 2).members.tolist()

    @SOME
    @given(ballots(), st.sampled_from([0.25, 3.0, 1e-6, 1e9]))
    def test_the_unit_of_the_weights_does_not_matter(self, ballot, unit):
        votes, perturbed, y, weights, rows = ballot
        found = tallied(votes, perturbed, y, weights * unit, rows / 4)
        expected = tallied(*ballot)
        np.testing.assert_array_equal(found.vote, expected.vote)
        assert found.risk == expected.risk


class TestAcrossPackages:
    @pytest.mark.filterwarnings("ignore:the model (is right|predicts)")
    @FEW
    @given(people(most=12))
    def test_core_fairlearn_and_aif360_agree_on_exact_risk(self, data):
        X, y, weights = data
        risk = assess_risk(rule, X, PRIVILEGED, sample_weight=weights)
        frame = dr_metric_frame(
            rule, X, y, privileged=PRIVILEGED, sample_weight=weights, pos_label=1
        )
        dataset = to_aif360(X, y, privileged=PRIVILEGED, sample_weight=weights)
        metric = DiscriminativeRiskMetric.from_estimator(
            lambda Z: decide(Z[:, 0], Z[:, 1], Z[:, 2]), dataset, *groups(dataset)
        )
        found = float(frame.overall["discriminative_risk"]), float(metric.discriminative_risk())
        assert found == pytest.approx((risk.value, risk.value), rel=1e-12)

    @SOME
    @given(people(), st.integers(0, 99))
    def test_core_and_fairlearn_agree_on_one_draw(self, data, seed):
        X, y, weights = data
        options = {"p": 0.5, "random_state": seed}
        risk = assess_risk(rule, X, PRIVILEGED, method="sample", sample_weight=weights, **options)
        drawn = perturbed_predictions(rule, X, privileged=PRIVILEGED, **options)
        found = discriminative_risk(y, rule(X), y_pred_perturbed=drawn, sample_weight=weights)
        assert found == pytest.approx(risk.value, rel=1e-12)
