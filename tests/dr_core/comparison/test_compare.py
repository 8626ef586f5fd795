import json

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from dr_core import Predictions, assess_risk, compare, datasets, learn_attributes, perturb
from dr_core.metrics import CONTRASTS, ESTABLISHED, MEASURES, SIGNED_MEASURES

NAMES = ["ricci", "credit", "income", "ppr", "ppvr"]
PRIVILEGED = {"sex": "M", "race": "W"}


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "sex": rng.choice(["M", "F"], 500),
            "race": rng.choice(["W", "B", "O"], 500),
            "score": rng.normal(size=500),
        }
    )


@pytest.fixture(scope="module")
def labels(people):
    noise = np.random.default_rng(1).normal(size=len(people))
    return np.where(people["score"] + noise + 0.5 * (people["sex"] == "M") > 0, 1, 0)


def rule(X):
    bonus = 0.4 * (X["sex"] == "M") + 0.3 * (X["race"] == "W")
    return np.where(X["score"] + bonus > 0.2, 1, 0)


@pytest.fixture(scope="module")
def shipped():
    """Each shipped data set with a tree trained on its first half, audited on the second."""
    subjects = {}
    for name in NAMES:
        bunch = datasets.load(name)
        X = datasets.binarize(bunch).iloc[:, : -1 if len(bunch.privileged) > 1 else None]
        half = len(X) // 2
        tree = DecisionTreeClassifier(max_depth=8, random_state=0)
        tree.fit(X[:half], bunch.target[:half])
        privileged = dict.fromkeys(bunch.privileged, 1)
        subjects[name] = tree, X[half:], bunch.target[half:], privileged
    return subjects


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.filterwarnings("ignore:undefined")
def test_core_fairlearn_and_aif360_agree(shipped, name, weighted):
    tree, X, y, privileged = shipped[name]
    weights = np.random.default_rng(0).random(len(y)) + 0.5 if weighted else None
    core, fairlearn, aif360 = (
        compare({"tree": tree}, X, y, privileged, provider=provider, sample_weight=weights).table()
        for provider in ("core", "fairlearn", "aif360")
    )
    pd.testing.assert_frame_equal(core, fairlearn, rtol=0, atol=1e-12)
    pd.testing.assert_frame_equal(core, aif360, rtol=0, atol=1e-12)
    assert core.notna().to_numpy().mean() > 0.9


def test_risk_is_that_of_assess_risk(people, labels):
    table = compare({"rule": rule}, people, labels, PRIVILEGED).table()
    risk = assess_risk(rule, people, PRIVILEGED)
    found = table["discriminative_risk"].droplevel("model")
    assert found.to_dict() == pytest.approx(risk.table()["risk"].to_dict(), abs=1e-12)
    differences = table["discriminative_risk_difference"].droplevel("model")
    assert differences.to_dict() == pytest.approx(risk.by_group["difference"].to_dict(), abs=1e-12)


@pytest.mark.parametrize("chunk_size", [1, 7, 99])
def test_chunks_do_not_change_the_values(people, labels, chunk_size):
    people, labels = people[:100], labels[:100]
    whole = compare({"rule": rule}, people, labels, PRIVILEGED)
    parts = compare({"rule": rule}, people, labels, PRIVILEGED, chunk_size=chunk_size)
    pd.testing.assert_frame_equal(whole.values, parts.values, rtol=0, atol=0)


def test_the_table_has_models_and_attributes_in_rows_and_measures_in_columns(people, labels):
    models = {"rule": rule, "always": lambda X: np.ones(len(X), dtype=int)}
    table = compare(models, people, labels, PRIVILEGED).table()
    assert table.index.tolist() == [
        (model, attribute) for model in models for attribute in ("sex", "race", "all")
    ]
    assert table.columns.tolist() == list(MEASURES)
    assert table.loc[("always", "all"), "discriminative_risk"] == 0


def test_the_long_table_has_intervals_around_the_values(people, labels):
    comparison = compare({"rule": rule}, people, labels, PRIVILEGED, n_boot=500, random_state=0)
    long = comparison.table(wide=False)
    ends = ["low", "high", "signed_low", "signed_high"]
    assert long.columns.tolist() == ["value", "signed", *ends]
    assert long["value"].between(long["low"], long["high"]).all()
    gaps = long.dropna()
    assert gaps["signed"].between(gaps["signed_low"], gaps["signed_high"]).all()
    narrow = compare(
        {"rule": rule}, people, labels, PRIVILEGED, n_boot=500, random_state=0, confidence=0.5
    ).table(wide=False)
    assert (narrow["high"] - narrow["low"] <= long["high"] - long["low"]).all()


@pytest.mark.parametrize("provider", ["core", "fairlearn", "aif360"])
def test_the_sign_of_a_gap_is_marginalised_minus_privileged(people, labels, provider):
    models = {"rule": rule, "reverse": lambda X: 1 - rule(X)}
    long = compare(models, people, labels, PRIVILEGED, provider=provider).table(wide=False)
    gaps = long.loc[long["signed"].notna()]
    assert gaps.index.unique("measure").tolist() == SIGNED_MEASURES
    assert (gaps["signed"].abs() == gaps["value"]).all()
    signed = long["signed"].unstack("measure")["demographic_parity"]
    assert (signed["rule"] < 0).all()
    assert (signed["reverse"] > 0).all()


def test_the_signed_difference_of_risks_is_that_of_the_groups(people, labels):
    comparison = compare({"rule": rule}, people, labels, {"race": "W"})
    by_group = comparison.by_group
    privileged = by_group["privileged"].astype(bool)
    means = [np.average(g["risk"], weights=g["rows"]) for _, g in by_group.groupby(privileged)]
    row = comparison.table(wide=False).loc[("rule", "race", "discriminative_risk_difference")]
    assert row["signed"] == pytest.approx(means[0] - means[1])


def test_the_intervals_of_a_blind_model_on_random_labels_contain_zero():
    rng = np.random.default_rng(0)
    people = pd.DataFrame({"sex": rng.choice(["M", "F"], 200), "score": rng.normal(size=200)})
    blind = {"blind": lambda X: np.where(X["score"] > 0, 1, 0)}
    comparison = compare(
        blind, people, rng.integers(0, 2, 200), {"sex": "M"}, n_boot=1000, random_state=0
    )
    gaps = comparison.table(wide=False).droplevel(["model", "attribute"]).loc[list(CONTRASTS)]
    assert (gaps["low"] == 0).all()
    assert (gaps["high"] > 0).all()


def test_intervals_and_signs_do_not_depend_on_chunks(people, labels):
    options = {"n_boot": 50, "random_state": 0, "sample_weight": np.linspace(0.1, 2, 500)}
    whole, chunks = (
        compare({"rule": rule}, people, labels, PRIVILEGED, chunk_size=size, **options).values
        for size in (None, 37)
    )
    pd.testing.assert_frame_equal(whole, chunks, check_exact=True)


def test_the_interval_of_a_risk_of_zero_does_not_vanish(people, labels):
    fair = {"fair": lambda X: np.where(X["score"] > 0, 1, 0)}
    comparison = compare(fair, people[:50], labels[:50], PRIVILEGED, n_boot=100, random_state=0)
    row = comparison.table(wide=False).loc[("fair", "all", "discriminative_risk")]
    assert row["value"] == row["low"] == 0
    assert row["high"] == pytest.approx(1 - 0.025 ** (1 / 50))


def test_the_same_seed_gives_the_same_intervals(people, labels):
    first, second = (
        compare({"rule": rule}, people, labels, PRIVILEGED, n_boot=50, random_state=5).values
        for _ in range(2)
    )
    pd.testing.assert_frame_equal(first, second)


def test_predictions_alone_are_enough(people, labels):
    perturbed = perturb(people, PRIVILEGED, random_state=0)
    given = Predictions(
        rule(people),
        {
            "all": rule(perturbed),
            "sex": rule(people.assign(sex=perturbed["sex"])),
            "race": rule(people.assign(race=perturbed["race"])),
        },
    )
    table = compare({"given": given}, people, labels, PRIVILEGED).table()
    sampled = compare(
        {"given": rule}, people, labels, PRIVILEGED, method="sample", random_state=0
    ).table()
    pd.testing.assert_frame_equal(table, sampled, rtol=0, atol=1e-12)


def test_one_array_of_perturbed_predictions_serves_a_single_attribute(people, labels):
    given = Predictions(rule(people), rule(perturb(people, {"sex": "M"})))
    table = compare({"given": given}, people, labels, {"sex": "M"}).table()
    assert table["discriminative_risk"].item() == assess_risk(rule, people, {"sex": "M"}).value


def test_risk_that_cannot_be_known_is_nan_with_one_warning(people, labels):
    given = Predictions(rule(people), rule(perturb(people, PRIVILEGED, random_state=0)))
    with pytest.warns(UserWarning, match="discriminative_risk.*given / sex, given / race") as seen:
        table = compare({"given": given}, people, labels, PRIVILEGED).table()
    assert len(seen) == 1
    assert table["discriminative_risk"].isna().tolist() == [True, True, False]
    assert table[ESTABLISHED].notna().all(axis=None)


def test_an_empty_group_is_nan_with_one_warning(people, labels):
    men = people["sex"] == "M"
    with pytest.warns(UserWarning, match="no marginalised row for 'sex'") as seen:
        table = compare(
            {"rule": rule},
            people[men],
            labels[men],
            learn_attributes(people[men], {"sex": "M"}, domain={"sex": ["M", "F"]}),
        ).table()
    assert len(seen) == 1
    assert table["demographic_parity"].isna().all()
    assert table["discriminative_risk"].notna().all()
    assert seen[0].filename == __file__


def test_rows_in_neither_group_count_for_accuracy_but_for_no_group(people, labels):
    X = people.astype(object)
    X.loc[:99, "sex"] = None
    kept = compare(
        {"r": rule}, X, labels, learn_attributes(X, {"sex": "M"}, missing="keep")
    ).table()
    rest = compare({"r": rule}, people[100:], labels[100:], {"sex": "M"}).table()
    assert kept["demographic_parity"].item() == pytest.approx(rest["demographic_parity"].item())
    assert kept["accuracy"].item() == pytest.approx(np.mean(rule(X) == labels))


def test_the_favourable_label_can_be_chosen(people, labels):
    yes = compare({"r": rule}, people, labels, {"sex": "M"}).table()
    no = compare({"r": rule}, people, labels, {"sex": "M"}, favorable=0).table()
    assert no["recall"].item() == yes["specificity"].item()
    assert no["demographic_parity"].item() == pytest.approx(yes["demographic_parity"].item())


def test_labels_without_an_obvious_favourable_class_need_favorable(people, labels):
    words = np.array(["denied", "approved"])
    model = {"r": lambda X: words[rule(X)]}
    with pytest.raises(ValueError, match=r"favorable=.*'approved', 'denied'"):
        compare(model, people, words[labels], {"sex": "M"})
    named = compare(model, people, words[labels], {"sex": "M"}, favorable="approved").table()
    pd.testing.assert_frame_equal(
        named, compare({"r": rule}, people, labels, {"sex": "M"}).table()
    )


@pytest.mark.parametrize("provider", ["fairlearn", "aif360"])
def test_what_is_undefined_stays_so_with_other_providers(people, labels, provider):
    models = {
        "no woman": lambda X: (X["sex"] == "M").astype(int),
        "nobody": lambda X: np.zeros(len(X), dtype=int),
        "no man": lambda X: (X["sex"] != "M").astype(int),
    }
    with pytest.warns(UserWarning, match="undefined"):
        core = compare(models, people, labels, {"sex": "M"}).table()
    with pytest.warns(UserWarning, match="undefined"):
        theirs = compare(models, people, labels, {"sex": "M"}, provider=provider).table()
    pd.testing.assert_frame_equal(core, theirs, rtol=0, atol=1e-12)
    assert core["predictive_parity"].isna().all()


@pytest.mark.parametrize("provider", ["fairlearn", "aif360"])
def test_an_empty_group_is_nan_with_other_providers(people, labels, provider):
    men = people["sex"] == "M"
    attributes = learn_attributes(people, {"sex": "M"})
    with pytest.warns(UserWarning, match="no marginalised row for 'sex'"):
        table = compare(
            {"r": rule}, people[men], labels[men], attributes, provider=provider
        ).table()
    assert table["demographic_parity"].isna().all()


@pytest.mark.parametrize("provider", ["fairlearn", "aif360"])
def test_accuracy_of_several_classes_is_that_of_all_of_them(people, provider):
    y = np.arange(len(people)) % 3
    model = {"m": lambda X: X["race"].map({"W": 0, "B": 1, "O": 2}).to_numpy()}
    settings = {"favorable": 2, "measures": ["accuracy", "recall"]}
    core, theirs = (
        compare(model, people, y, {"sex": "M"}, provider=name, **settings).table()
        for name in ("core", provider)
    )
    pd.testing.assert_frame_equal(core, theirs, rtol=0, atol=1e-12)
    assert core["accuracy"].item() == np.mean(model["m"](people) == y)


def test_some_measures_can_be_chosen(people, labels):
    table = compare({"r": rule}, people, labels, PRIVILEGED, measures=["f1", "accuracy"]).table()
    assert table.columns.tolist() == ["f1", "accuracy"]


def test_a_warning_of_undefined_values_says_that_perturbed_predictions_are_not_given(
    people, labels
):
    given = {"given": Predictions(rule(people))}
    with pytest.warns(UserWarning, match="undefined") as caught:
        compare(given, people, labels, PRIVILEGED, measures=["discriminative_risk"])
    assert str(caught[0].message).endswith(": the predictions for perturbed rows are not given.")


def test_a_warning_of_undefined_values_says_that_a_rate_has_no_rows(people, labels):
    nobody = {"nobody": lambda X: np.zeros(len(X), int)}
    with pytest.warns(UserWarning, match="undefined") as caught:
        compare(nobody, people, labels, PRIVILEGED, measures=["precision"])
    assert str(caught[0].message).endswith(": a rate has no rows in its denominator.")


def test_a_warning_of_undefined_values_says_that_a_model_has_no_score(people, labels):
    measures = ["discriminative_risk", "score_shift"]
    with pytest.warns(UserWarning, match="undefined") as caught:
        compare({"rule": rule}, people, labels, PRIVILEGED, measures=measures)
    assert str(caught[0].message).endswith(": the model has no score.")


def test_json_holds_values_settings_and_no_nan(people, labels, tmp_path):
    given = Predictions(rule(people))
    with pytest.warns(UserWarning, match="undefined"):
        comparison = compare({"given": given}, people, labels, PRIVILEGED, random_state=3)
    path = tmp_path / "audit.json"
    text = comparison.to_json(path)
    content = json.loads(path.read_text(), parse_constant=pytest.fail)
    assert json.loads(text) == content
    assert content["settings"]["rows"] == 500
    assert content["settings"]["privileged"] == {"sex": ["M"], "race": ["W"]}
    assert content["values"][0]["value"] is None
    values = {(v["attribute"], v["measure"]): v["value"] for v in content["values"]}
    table = comparison.table()
    assert values["sex", "accuracy"] == table.loc[("given", "sex"), "accuracy"]


def test_a_comparison_shows_itself_in_notebooks(people, labels):
    comparison = compare({"rule": rule}, people, labels, PRIVILEGED)
    assert "discriminative_risk" in repr(comparison)
    assert "<table" in comparison._repr_html_()


def test_inputs_are_not_modified(people, labels):
    X, y = people.copy(deep=True), labels.copy()
    compare({"rule": rule}, X, y, PRIVILEGED, n_boot=10)
    pd.testing.assert_frame_equal(X, people)
    assert (y == labels).all()


def test_a_single_attribute_is_all_of_them():
    X = pd.DataFrame({"sex": ["M", "F"]})
    how = {"y": [0, 1], "privileged": {"sex": "M"}, "measures": "discriminative_risk"}
    found = compare({"m": Predictions([0, 1], {"all": [1, 1]})}, X, **how)
    assert found.values["value"].tolist() == [0.5]


@pytest.mark.parametrize("seed", range(10))
def test_where_nothing_changes_the_risk_is_zero_to_the_last_digit(seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"sex": np.arange(200) % 2, "k": rng.integers(0, 5, 200)})
    measures = ["discriminative_risk", "discriminative_risk_difference"]
    how = {"favorable": 1, "sample_weight": rng.random(200), "measures": measures}
    found = compare({"m": lambda X: X["k"]}, X, rng.permutation(X["k"]), {"sex": 1}, **how)
    assert found.values["value"].tolist() == [0, 0]


def test_of_labels_minus_one_and_one_the_latter_is_favourable(people, labels):
    signs, model = 2 * labels - 1, lambda X: 2 * rule(X) - 1
    measures = ["demographic_parity", "recall"]
    signed = compare({"r": model}, people, signs, {"sex": "M"}, measures=measures).table()
    plain = compare({"r": rule}, people, labels, {"sex": "M"}, measures=measures).table()
    pd.testing.assert_frame_equal(signed, plain)


def test_plausibility_is_judged_by_the_reference_that_is_given(people, labels):
    # In the reference no woman is black, so that black men cannot become women.
    reference = people[(people["sex"] == "M") | (people["race"] != "B")]
    found = [
        compare({"r": rule}, people, labels, {"sex": "M"}, reference=one).plausibility["r"]
        for one in (True, reference)
    ]
    assert found[0].share == 0
    assert found[1].share > 0
    assert set(found[1].pairs["value"]) == {"B"}


def test_a_model_that_writes_into_its_input_does_not_change_the_risk_of_the_next(people, labels):
    def vandal(X):
        found = rule(X)
        X["sex"] = "F"
        return found

    measures = ["discriminative_risk"]
    alone = compare({"r": rule}, people, labels, {"sex": "M"}, measures=measures).table()
    for models in ({"v": vandal, "r": rule}, {"r": rule, "v": vandal}, {"a": vandal, "r": rule}):
        both = compare(models, people, labels, {"sex": "M"}, measures=measures).table()
        assert both["discriminative_risk"].tolist() == alone["discriminative_risk"].tolist() * 2
    assert alone["discriminative_risk"].item() > 0


def test_a_hundred_classes_are_classes_and_more_are_quantities():
    X = pd.DataFrame({"sex": ["M", "F"] * 101, "code": np.arange(202) // 2})
    model, measures = (lambda X: X["code"]), ["discriminative_risk"]
    rows = X["code"] < 100
    few = compare(
        {"m": model}, X[rows], X["code"][rows], {"sex": "M"}, favorable=0, measures=measures
    )
    assert few.table()["discriminative_risk"].item() == 0
    with pytest.raises(ValueError, match="101 distinct labels"):
        compare({"m": model}, X, X["code"], {"sex": "M"}, favorable=0, measures=measures)
