import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from textbook import couplings as textbook

from dr_core import (
    OneHot,
    Predictions,
    assess_risk,
    collect_votes,
    compare,
    datasets,
    enumerate_perturbations,
    learn_attributes,
    perturb,
)

SEX = {"sex": "Male"}
BOTH = {"sex": "Male", "race": "White"}
RULES = {"relationship": {"sex": {"Female": {"Husband": "Wife"}, "Male": {"Wife": "Husband"}}}}
SEXES, RACES = ["Female", "Male"], ["Black", "Other", "White"]
RELATIONS = ["Husband", "Wife", "Own-child"]
DOMAINS = {"sex": SEXES, "race": RACES}

CHAIN = RULES | {
    "title": {
        "relationship": {"Wife": {"Mr": "Mrs"}, "Husband": {"Mrs": "Mr"}},
        "race": {"White": {"Mrs": "Dr"}},
    }
}


@st.composite
def frames(draw, max_rows=14):
    """Rows in which every value occurs, and each group."""
    n = draw(st.integers(6, max_rows))

    def column(*values):
        return [*values, *draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))][:n]

    return pd.DataFrame(
        {
            "sex": column("Male", "Female"),
            "race": column("White", "Black", "Other"),
            "relationship": column(*RELATIONS),
            "title": column("Mr", "Mrs", "Dr"),
        }
    )


def couple():
    return pd.DataFrame(
        {
            "sex": ["Male", "Male", "Female", "Female"],
            "relationship": ["Husband", "Own-child", "Wife", "Own-child"],
            "age": [40, 20, 39, 19],
        }
    )


def rules_of_sex(rules):
    """The rules, without those that need race to be perturbed."""
    return {
        column: {driver: cases for driver, cases in drivers.items() if driver != "race"}
        for column, drivers in rules.items()
    }


def score(row):
    """A decision that depends on everything, so that a wrong row shows."""
    return sum(map(ord, row["sex"] + row["race"] + row["relationship"] + row["title"])) % 3 == 0


def predict(X):
    position, words = pd.factorize(X["sex"] + X["race"] + X["relationship"] + X["title"])
    return np.array([sum(map(ord, word)) % 3 == 0 for word in words])[position]


def test_a_coupled_column_follows_and_values_without_a_rule_stay():
    perturbed = perturb(couple(), learn_attributes(couple(), SEX, coupled=RULES))
    assert perturbed["sex"].tolist() == ["Female", "Female", "Male", "Male"]
    assert perturbed["relationship"].tolist() == ["Wife", "Own-child", "Husband", "Own-child"]
    assert perturbed["age"].tolist() == couple()["age"].tolist()


def test_a_coupled_column_stays_where_the_attribute_did_not_change():
    X = pd.concat([couple()] * 50, ignore_index=True)
    perturbed = perturb(X, learn_attributes(X, SEX, coupled=RULES), p=0.5, random_state=0)
    same = perturbed["sex"] == X["sex"]
    assert 0 < same.sum() < len(X)
    pd.testing.assert_frame_equal(perturbed[same], X[same])
    assert not perturbed.loc[~same, "relationship"].isin(["Husband"]).all()


def test_x_is_never_modified():
    X = couple()
    perturb(X, learn_attributes(X, SEX, coupled=RULES))
    pd.testing.assert_frame_equal(X, couple())


@settings(max_examples=30)
@given(frames(), st.integers(0, 99), st.floats(0.1, 1))
def test_without_rules_nothing_changes_to_the_last_digit(X, seed, p):
    how = {"p": p, "random_state": seed}
    pd.testing.assert_frame_equal(
        perturb(X, BOTH, **how), perturb(X, learn_attributes(X, BOTH, coupled={}), **how)
    )
    plain = assess_risk(predict, X, BOTH, p=p)
    empty = assess_risk(predict, X, learn_attributes(X, BOTH, coupled={}), p=p)
    assert plain.value == empty.value
    np.testing.assert_array_equal(plain.risks, empty.risks)


@settings(max_examples=40)
@given(frames())
def test_rules_that_are_each_others_inverse_give_x_back_when_applied_twice(X):
    swap = {"Husband": "Wife", "Wife": "Husband"}
    rules = {"relationship": {"sex": dict.fromkeys(SEXES, swap)}}
    once = perturb(X, learn_attributes(X, SEX, coupled=rules))
    pd.testing.assert_frame_equal(perturb(once, learn_attributes(once, SEX, coupled=rules)), X)


@settings(max_examples=40)
@given(frames())
def test_rules_for_husbands_and_wives_give_back_every_plausible_row(X):
    X = X.assign(relationship=X["relationship"].where(X["relationship"] == "Own-child", "Wife"))
    male = (X["sex"] == "Male") & (X["relationship"] == "Wife")
    X["relationship"] = X["relationship"].mask(male, "Husband")
    domain = {"relationship": RELATIONS}
    once = perturb(X, learn_attributes(X, SEX, coupled=RULES, domain=domain))
    pd.testing.assert_frame_equal(
        perturb(once, learn_attributes(once, SEX, coupled=RULES, domain=domain)), X
    )


@settings(max_examples=40)
@given(frames(), st.sampled_from([RULES, CHAIN]))
def test_a_perturbed_frame_is_that_of_the_textbook(X, rules):
    expected = textbook.perturb_frame(X, DOMAINS, {"sex": ["Male"]}, rules_of_sex(rules))
    ours = perturb(X, learn_attributes(X, SEX, coupled=rules_of_sex(rules)))
    assert ours.to_numpy().tolist() == expected.to_numpy().tolist()


@settings(max_examples=40)
@given(frames(), st.sampled_from([0.3, 1.0]), st.sampled_from([RULES, CHAIN]))
def test_exact_risk_is_that_of_the_textbook(X, p, rules):
    risk = assess_risk(predict, X, learn_attributes(X, BOTH, coupled=rules), p=p)
    rows = X.to_dict("records")
    expected = textbook.exact_risk(
        score, rows, DOMAINS, {"sex": ["Male"], "race": ["White"]}, rules, p
    )
    assert risk.value == pytest.approx(expected, abs=1e-12)


@settings(max_examples=40)
@given(frames(), st.sampled_from([0.3, 1.0]))
def test_enumerated_rows_are_those_of_the_textbook(X, p):
    every = enumerate_perturbations(X, learn_attributes(X, BOTH, coupled=CHAIN), p=p)
    ours = {}
    for row, of, chance in zip(
        every.data.to_dict("records"), every.rows, every.probability, strict=True
    ):
        key = of, tuple(row.values())
        ours[key] = ours.get(key, 0) + chance
    theirs = {}
    privileged = {"sex": ["Male"], "race": ["White"]}
    for i, row in enumerate(X.to_dict("records")):
        for perturbed, chance in textbook.perturbations(row, DOMAINS, privileged, CHAIN, p):
            if perturbed != row:
                key = i, tuple(perturbed.values())
                theirs[key] = theirs.get(key, 0) + chance
    assert ours == pytest.approx(theirs)


@settings(max_examples=20)
@given(frames(max_rows=6))
def test_exact_risk_is_the_mean_of_sampled_risk(X):
    exact = assess_risk(predict, X, learn_attributes(X, BOTH, coupled=RULES))
    sampled = assess_risk(
        predict,
        X,
        learn_attributes(X, BOTH, coupled=RULES),
        method="sample",
        n_samples=4000,
        random_state=0,
    )
    np.testing.assert_allclose(sampled.individual, exact.individual, atol=0.06)


def test_chunks_change_nothing():
    income = datasets.load("income")
    X = income.data.head(3000)
    rich = lambda X: (X["relationship"] == "Wife") & (X["education-num"] > 9)  # noqa: E731
    attributes = learn_attributes(X, income.privileged, coupled=RULES)
    how = {"method": "sample", "n_samples": 3, "random_state": 1}
    whole = assess_risk(rich, X, attributes, **how)
    parts = assess_risk(rich, X, attributes, chunk_size=77, **how)
    np.testing.assert_array_equal(whole.risks, parts.risks)
    assert whole.plausibility().share == pytest.approx(parts.plausibility().share, abs=1e-12)


def test_attributes_learned_with_rules_serve_a_part_that_lacks_values():
    attributes = learn_attributes(couple(), SEX, coupled=RULES)
    part = couple().iloc[:1]
    assert perturb(part, attributes)["relationship"].tolist() == ["Wife"]


def test_a_value_that_no_rule_names_and_x_does_not_have_stays():
    attributes = learn_attributes(couple(), SEX, coupled=RULES)
    part = couple().iloc[:2].assign(relationship=["Cousin", "Husband"])
    assert perturb(part, attributes)["relationship"].tolist() == ["Cousin", "Wife"]


def test_missing_values_of_a_coupled_column_stay():
    X = couple().assign(relationship=["Husband", None, "Wife", None])
    perturbed = perturb(X, learn_attributes(X, SEX, coupled=RULES))
    assert perturbed["relationship"].isna().tolist() == [False, True, False, True]
    assert perturbed["relationship"].dropna().tolist() == ["Wife", "Husband"]


def test_a_row_whose_sensitive_value_is_missing_keeps_its_coupled_column():
    X = couple().assign(sex=[None, "Male", "Female", "Female"])
    perturbed = perturb(X, learn_attributes(X, SEX, coupled=RULES, missing="keep"))
    assert perturbed["relationship"].tolist() == ["Husband", "Own-child", "Husband", "Own-child"]


def test_a_column_that_two_attributes_drive_follows_them_in_the_order_of_its_rules():
    X = pd.DataFrame({"sex": SEXES, "race": ["White", "Black"], "title": ["a", "b"]})
    rules = {"title": {"sex": {"Male": {"a": "b"}}, "race": {"Black": {"b": "a"}}}}
    assert perturb(X, learn_attributes(X, BOTH, coupled=rules))["title"].tolist() == ["a", "b"]
    swapped = {"title": dict(reversed(rules["title"].items()))}
    assert perturb(X, learn_attributes(X, BOTH, coupled=swapped))["title"].tolist() == ["b", "b"]


def test_a_coupled_column_drives_another_only_when_it_changed():
    X = couple().assign(title=["Mr", "Mr", "Mrs", "Mrs"])
    rules = {
        "title": {"relationship": {"Wife": {"Mr": "Mrs"}, "Husband": {"Mrs": "Mr"}}},
    } | RULES
    assert perturb(X, learn_attributes(X, SEX, coupled=rules))["title"].tolist() == [
        "Mrs",
        "Mr",
        "Mr",
        "Mrs",
    ]


@pytest.mark.parametrize("dtype", ["object", "category", "string"])
def test_the_type_of_a_coupled_column_is_kept(dtype):
    X = couple().astype({"relationship": dtype})
    perturbed = perturb(X, learn_attributes(X, SEX, coupled=RULES))
    assert perturbed["relationship"].dtype == X["relationship"].dtype
    assert perturbed["relationship"].tolist() == ["Wife", "Own-child", "Husband", "Own-child"]


def test_polars_and_numpy_give_the_same_as_pandas():
    X = couple()
    expected = perturb(X, learn_attributes(X, SEX, coupled=RULES))
    ours = perturb(pl.from_pandas(X), learn_attributes(pl.from_pandas(X), SEX, coupled=RULES))
    pd.testing.assert_frame_equal(ours.to_pandas(), expected, check_dtype=False)
    array = perturb(
        X.to_numpy(object),
        learn_attributes(
            X.to_numpy(object), {0: "Male"}, coupled={1: {0: RULES["relationship"]["sex"]}}
        ),
    )
    np.testing.assert_array_equal(array, expected.to_numpy(object))


@pytest.mark.parametrize("separator", ["=", "_"])
@pytest.mark.parametrize("dtype", [int, float, bool])
def test_one_hot_columns_take_the_rules_of_the_raw_column(separator, dtype):
    X = couple()
    encoded = pd.get_dummies(X, columns=["relationship"], prefix_sep=separator, dtype=dtype)
    expected = pd.get_dummies(
        perturb(X, learn_attributes(X, SEX, coupled=RULES)),
        columns=["relationship"],
        prefix_sep=separator,
        dtype=dtype,
    )
    pd.testing.assert_frame_equal(
        perturb(encoded, learn_attributes(encoded, SEX, coupled=RULES)), expected
    )


def test_one_hot_columns_with_a_missing_value_stay():
    X = pd.DataFrame(
        {"sex": ["Male", "Male", "Female"], "r_Husband": [1.0, 0, 0], "r_Wife": [0.0, np.nan, 0]}
    )
    perturbed = perturb(X, learn_attributes(X, SEX, coupled={"r": RULES["relationship"]}))
    np.testing.assert_array_equal(perturbed["r_Husband"], [0, 0, 0])
    np.testing.assert_array_equal(perturbed["r_Wife"], [1, np.nan, 0])


def test_one_hot_columns_may_be_named_themselves():
    X = pd.DataFrame({"sex": SEXES, "is_wife": [1, 0], "is_husband": [0, 1]})
    moves = {"Female": {"is_husband": "is_wife"}, "Male": {"is_wife": "is_husband"}}
    perturbed = perturb(X, learn_attributes(X, SEX, coupled={"relationship": {"sex": moves}}))
    assert perturbed[["is_wife", "is_husband"]].to_numpy().tolist() == [[0, 1], [1, 0]]


def test_a_one_hot_sensitive_attribute_drives_by_the_names_of_its_columns():
    X = pd.get_dummies(couple(), columns=["sex"], dtype=int)
    privileged = {"sex": OneHot(["sex_Female", "sex_Male"], privileged="sex_Male")}
    rules = {"relationship": {"sex": {"sex_Female": {"Husband": "Wife"}}}}
    perturbed = perturb(X, learn_attributes(X, privileged, coupled=rules))
    assert perturbed["relationship"].tolist() == ["Wife", "Own-child", "Wife", "Own-child"]


def test_members_vote_on_rows_whose_columns_follow():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"sex": rng.integers(0, 2, 200), "title": rng.integers(0, 3, 200)})
    y = X["title"] == 1
    forest = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    rules = {"title": {"sex": {0: {1: 2}, 1: {2: 1}}}}
    votes = collect_votes(
        forest, X, y, learn_attributes(X, {"sex": 1}, coupled=rules), method="exact"
    )
    followed = perturb(X, learn_attributes(X, {"sex": 1}, coupled=rules))
    expected = [tree.predict(followed.to_numpy()) for tree in forest.estimators_]
    np.testing.assert_array_equal(votes.perturbed, np.array(expected))
    assert votes.risk > collect_votes(forest, X, y, {"sex": 1}, method="exact").risk


def test_a_comparison_has_both_risks_side_by_side():
    income = datasets.load("income")
    X, y = income.data.head(2000), income.target.head(2000)
    rule = lambda X: X["relationship"].isin(["Husband", "Own-child"]).astype(int)  # noqa: E731
    both = compare({"rule": rule}, X, y, learn_attributes(X, income.privileged, coupled=RULES))
    values = both.table().loc["rule"]
    assert list(values.columns[:2]) == ["discriminative_risk", "discriminative_risk_coupled"]
    plain = assess_risk(rule, X, income.privileged)
    coupled = assess_risk(rule, X, learn_attributes(X, income.privileged, coupled=RULES))
    for name, place in (("race", 0), ("sex", 1), ("all", 2)):
        assert values.loc[name, "discriminative_risk"] == pytest.approx(plain.risks[place].mean())
        followed = values.loc[name, "discriminative_risk_coupled"]
        assert followed == pytest.approx(coupled.risks[place].mean())
    assert both.settings["coupled"] == RULES


def test_a_comparison_without_rules_is_what_it_was():
    income = datasets.load("income")
    X, y = income.data.head(500), income.target.head(500)
    rule = lambda X: (X["age"] > 40).astype(int)  # noqa: E731
    plain = compare({"rule": rule}, X, y, income.privileged)
    coupled = compare({"rule": rule}, X, y, learn_attributes(X, income.privileged, coupled=RULES))
    assert "coupled" not in plain.to_json()
    kept = coupled.table()[plain.table().columns]
    pd.testing.assert_frame_equal(kept, plain.table(), check_exact=True)


def test_given_predictions_have_no_risk_with_rules_and_warn():
    given = {"elsewhere": Predictions([1, 0, 1, 0], [0, 0, 1, 0])}
    with pytest.warns(UserWarning, match=r"undefined.*discriminative_risk_coupled"):
        both = compare(
            given, couple(), [1, 0, 1, 0], learn_attributes(couple(), SEX, coupled=RULES)
        )
    values = both.table().loc[("elsewhere", "sex")]
    assert values["discriminative_risk"] == 0.25
    assert np.isnan(values["discriminative_risk_coupled"])


def test_only_rows_whose_columns_follow_are_predicted_again():
    income = datasets.load("income")
    X, y = income.data.head(300), income.target.head(300)
    seen = []

    def rule(X):
        seen.append(len(X))
        return (X["age"] > 40).astype(int)

    compare({"rule": rule}, X, y, learn_attributes(X, SEX, coupled=RULES), reference=False)
    married = X["relationship"].isin(["Husband", "Wife"]).sum()
    assert seen == [300, 300 + married + 50]  # 50 rows are predicted twice


def test_labels_longer_than_any_before_survive_coupling():
    words = {"Husband": "no", "Own-child": "no", "Wife": "certainly"}
    rule = lambda X: X["relationship"].map(words).to_numpy(str)  # noqa: E731
    y = ["no", "no", "certainly", "no"]
    how = {"favorable": "certainly", "measures": ["discriminative_risk"]}
    both = compare(
        {"rule": rule}, couple(), y, learn_attributes(couple(), SEX, coupled=RULES), **how
    )
    assert both.table()["discriminative_risk_coupled"].item() == 0.5


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"relation": RULES["relationship"]}, "'relation'.*0/1 column 'relation=Husband'"),
        ({"relation": {"sex": {}}}, "'relation'.*'sex', 'relationship', 'age'"),
        ({"relationship": {"gender": {}}}, "'gender'.*sensitive attribute.*'sex'"),
        ({"relationship": {"age": {40: {}}}}, "'age'.*sensitive attribute.*'sex'"),
        (
            {"relationship": {"sex": {"female": {"Husband": "Wife"}}}},
            "'female'.*'sex'.*'Female', 'Male'",
        ),
        (
            {"relationship": {"sex": {"Female": {"husband": "Wife"}}}},
            "'husband'.*'relationship'.*'Husband'.*domain=",
        ),
        (
            {"relationship": {"sex": {"Female": {"Husband": "Bride"}}}},
            "'Bride'.*'relationship'.*domain=",
        ),
        ({"relationship": {"relationship": {}}}, "cycle: 'relationship' → 'relationship'"),
        (
            {"age": {"relationship": {}}, "relationship": {"age": {}}},
            "'age' → 'relationship' → 'age'",
        ),
        ({"sex": {"sex": {}}}, "cycle: 'sex' → 'sex'"),
    ],
)
def test_rules_that_make_no_sense_are_refused_with_the_reason(rules, message):
    with pytest.raises(ValueError, match=message):
        perturb(couple(), learn_attributes(couple(), SEX, coupled=rules))


def test_a_sensitive_attribute_cannot_be_coupled():
    X = couple().assign(race=["White", "Black", "White", "Black"])
    with pytest.raises(ValueError, match=r"coupled.*'race'.*Remove it"):
        perturb(
            X, learn_attributes(X, BOTH, coupled={"race": {"sex": {"Female": {"White": "Black"}}}})
        )


def test_a_column_that_carries_a_sensitive_attribute_is_not_taken_for_a_one_hot_column():
    X = np.array([[0, 1], [1, 0]])
    with pytest.raises(ValueError, match=r"coupled.*\b0\b.*Remove it"):
        perturb(X, learn_attributes(X, {0: 1}, coupled={99: {0: {1: {0: 1}}}}))


@pytest.mark.parametrize(
    "rules",
    [
        ["relationship"],
        {"relationship": "Wife"},
        {"relationship": {"sex": "Female"}},
        {"relationship": {"sex": {"Female": "Wife"}}},
    ],
)
def test_rules_of_another_shape_are_refused_with_an_example(rules):
    with pytest.raises(TypeError, match=r'coupled.*mapping.*\{"relationship"'):
        perturb(couple(), learn_attributes(couple(), SEX, coupled=rules))


def test_a_value_that_x_lacks_can_be_given_as_domain():
    X = couple().iloc[[0, 3]]
    with pytest.raises(ValueError, match=r"coupled.*domain=\{'relationship'"):
        perturb(X, learn_attributes(X, SEX, coupled=RULES))
    perturbed = perturb(
        X, learn_attributes(X, SEX, coupled=RULES, domain={"relationship": RELATIONS})
    )
    assert perturbed["relationship"].tolist() == ["Wife", "Own-child"]


def test_one_hot_columns_that_are_no_zeros_and_ones_are_refused():
    X = pd.DataFrame({"sex": SEXES, "r=Husband": [0.5, 1], "r=Wife": [0, 1]})
    with pytest.raises(ValueError, match=r"'r=Husband'.*0\.5"):
        perturb(X, learn_attributes(X, SEX, coupled={"r": RULES["relationship"]}))


def test_one_hot_columns_with_two_ones_in_a_row_are_refused():
    X = pd.DataFrame({"sex": SEXES, "r=Husband": [1, 1], "r=Wife": [0, 1]})
    with pytest.raises(ValueError, match=r"coupled column 'r'.*1 row .*'r=Husband', 'r=Wife'"):
        perturb(X, learn_attributes(X, SEX, coupled={"r": RULES["relationship"]}))


def test_two_rules_for_the_same_one_hot_columns_are_refused():
    X = pd.get_dummies(couple(), columns=["relationship"], dtype=int)
    moves = {"sex": {"Female": {"relationship_Husband": "relationship_Wife"}}}
    with pytest.raises(ValueError, match=r"coupled.*'relationship_Husband'.*_Wife'.*one name"):
        perturb(X, learn_attributes(X, SEX, coupled={"a": moves, "b": moves}))


def test_rules_learned_before_are_not_given_again():
    attributes = learn_attributes(couple(), SEX, coupled=RULES)
    with pytest.raises(ValueError, match=r"coupled.*learn_attributes"):
        perturb(couple(), learn_attributes(couple(), attributes, coupled=RULES))
    plain = learn_attributes(couple(), SEX)
    pd.testing.assert_frame_equal(
        perturb(couple(), learn_attributes(couple(), plain, coupled=RULES)),
        perturb(couple(), attributes),
    )


def test_the_repr_of_a_risk_names_the_columns_that_follow():
    risk = assess_risk(
        lambda X: X["sex"] == "Male", couple(), learn_attributes(couple(), SEX, coupled=RULES)
    )
    assert "when only sex is perturbed and relationship follows" in repr(risk)
