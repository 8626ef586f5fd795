import numpy as np
import pandas as pd
import pytest

from dr_core import Predictions, assess_risk, compare, learn_attributes, perturb

PRIVILEGED = {"sex": "M", "race": "W"}
DR = ["discriminative_risk"]


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    sex, race = rng.choice(["M", "F"], 400), rng.choice(["W", "B", "O"], 400)
    return pd.DataFrame({"sex": sex, "race": race, "score": rng.normal(size=400)})


@pytest.fixture(scope="module")
def labels(people):
    return (people["score"] > 0).astype(int)


def rule(X):
    bonus = 0.4 * (X["sex"] == "M") + 0.3 * (X["race"] == "W")
    return np.where(X["score"] + bonus > 0.2, 1, 0)


def table(X, y, privileged=PRIVILEGED, model=rule, **options):
    return compare({"m": model}, X, y, privileged, measures=DR, **options)


def test_groups_and_directions_by_hand():
    X = pd.DataFrame({"sex": list("MMFFF"), "score": [0.0, 0.3, 0.0, 0.3, 9.0]})
    model = lambda X: (X["score"] + 0.2 * (X["sex"] == "M") > 0.4).astype(int)  # noqa: E731
    comparison = table(X, [0, 1, 0, 1, 1], {"sex": "M"}, model)
    women, men = comparison.by_group.to_dict("records")
    assert women == {
        "model": "m",
        "attribute": "sex",
        "group": "F",
        "privileged": False,
        "rows": 3,
        "share": 0.6,
        "risk": 1 / 3,
        "loses": 0.0,
        "gains": 1 / 3,
        "share_of_changes": 0.5,
    }
    shares = [men[name] for name in ("risk", "loses", "gains", "share_of_changes")]
    assert shares == [0.5, 0.5, 0.0, 0.5]
    assert comparison.directions.to_dict("records") == [
        {"model": "m", "attribute": "sex", "loses": 0.2, "gains": 0.2, "other": 0.0}
    ]


def test_groups_of_all_together_are_combinations(people, labels):
    groups = table(people, labels).by_group
    together = groups[groups["attribute"] == "all"]
    assert sorted(together["group"]) == ["F, B", "F, O", "F, W", "M, B", "M, O", "M, W"]
    assert together.loc[together["privileged"], "group"].tolist() == ["M, W"]


@pytest.mark.parametrize("weighted", [False, True])
def test_groups_add_up_to_the_risk(people, labels, weighted):
    weights = np.random.default_rng(1).random(400) if weighted else None
    comparison = table(people, labels, sample_weight=weights)
    groups = comparison.by_group
    sums = (groups["share"] * groups["risk"]).groupby(groups["attribute"]).sum()
    risk = assess_risk(rule, people, PRIVILEGED, sample_weight=weights)
    assert sums.to_dict() == pytest.approx(risk.table()["risk"].to_dict(), abs=1e-12)
    directions = comparison.directions.set_index("attribute")[["loses", "gains"]].sum(axis=1)
    assert directions.to_dict() == pytest.approx(risk.table()["risk"].to_dict(), abs=1e-12)
    assert groups.groupby("attribute")["share_of_changes"].sum().tolist() == pytest.approx(
        [1, 1, 1]
    )


def test_risk_of_single_values_is_that_of_assess_risk(people, labels):
    groups = table(people, labels).by_group.set_index(["attribute", "group"])
    individual = assess_risk(rule, people, {"race": "W"}).individual
    for race in "WBO":
        expected = individual[people["race"] == race].mean()
        assert groups.loc[("race", race), "risk"] == pytest.approx(expected, abs=1e-12)


def test_chunks_do_not_change_the_groups(people, labels):
    whole, parts = table(people, labels), table(people, labels, chunk_size=7)
    pd.testing.assert_frame_equal(whole.by_group, parts.by_group)


def test_predictions_that_are_given_are_broken_down_too(people, labels):
    perturbed = perturb(people, PRIVILEGED, random_state=0)
    given = Predictions(rule(people), rule(perturbed))
    with pytest.warns(UserWarning, match="undefined"):
        comparison = table(people, labels, model=given)
    assert comparison.directions["attribute"].tolist() == ["all"]
    changed = rule(people) != rule(perturbed)
    one = comparison.by_group.set_index("group").loc["M, W"]
    assert one["risk"] == changed[(people["sex"] == "M") & (people["race"] == "W")].mean()


def test_rows_with_a_missing_value_are_a_group_of_their_own(people, labels):
    X = people.astype(object)
    X.loc[:49, "sex"] = None
    comparison = table(X, labels, learn_attributes(X, {"sex": "M"}, missing="keep"))
    missing = comparison.by_group.set_index("group").loc["(missing)"]
    assert (missing["rows"], missing["share_of_changes"], missing["privileged"]) == (50, 0, None)
    assert missing[["risk", "loses", "gains"]].isna().all()


def test_individuals_are_those_most_at_risk(people, labels):
    some = table(people, labels, individuals=20).individuals["m"]
    risk = assess_risk(rule, people, PRIVILEGED)
    assert some.rows.tolist() == risk.concerned[:20].tolist()
    assert some.risks.tolist() == pytest.approx(risk.individual[some.rows].tolist())
    assert some.n_concerned == len(risk.concerned)


def test_a_comparison_keeps_no_features_unless_asked(people, labels):
    assert table(people, labels).individuals == {}
    with pytest.raises(ValueError, match=r"individuals.*0.*-1"):
        table(people, labels, individuals=-1)


def test_changes_among_unfavourable_classes_are_other_ones():
    X = pd.DataFrame({"sex": list("MMMFFF"), "score": [0, 1, 2, 0, 1, 2]})
    model = lambda X: (X["score"] + (X["sex"] == "F")).clip(upper=2)  # noqa: E731
    comparison = table(X, [0, 1, 2, 0, 1, 2], {"sex": "M"}, model, favorable=2)
    # As women, men go 0 → 1, 1 → 2 and 2 → 2; as men, women go 1 → 0, 2 → 1 and 2 → 2.
    row = comparison.directions.iloc[0]
    assert [row["loses"], row["gains"], row["other"]] == [1 / 6, 1 / 6, 2 / 6]


def test_no_group_has_a_share_of_changes_where_nothing_changes(people, labels):
    comparison = table(people, labels, {"sex": "M"}, lambda X: (X["score"] > 0).astype(int))
    assert comparison.by_group["risk"].tolist() == [0, 0]
    assert comparison.by_group["share_of_changes"].tolist() == [0, 0]


def test_groups_of_single_precision_numbers_are_named_as_a_person_would_write_them():
    X = pd.DataFrame({"dose": np.array([5.3, 7.1] * 10, dtype=np.float32), "age": range(20)})
    y = (X["age"] > 9).astype(int)
    rule = {"rule": lambda X: (X["age"] > 5).astype(int)}
    groups = compare(rule, X, y, {"dose": float(np.float32(5.3))}).by_group["group"]
    assert set(groups) == {"5.3", "7.1"}
