import numpy as np
import pandas as pd

from dr_core import OneHot, datasets, learn_attributes, perturb, suggest_couplings


def titles(n=40):
    """Titles of two kinds of people, who differ in nothing else."""
    rng = np.random.default_rng(0)
    base = pd.DataFrame({"hand": np.tile(["left", "right"], n), "kind": np.repeat(["a", "b"], n)})
    men = base.assign(sex="M", title=base["kind"].map({"a": "Mr", "b": "Sir"}))
    women = base.assign(sex="F", title=base["kind"].map({"a": "Ms", "b": "Dame"}))
    X = pd.concat([men, women], ignore_index=True)
    return X.iloc[rng.permutation(len(X))].reset_index(drop=True)


def test_values_of_one_group_are_paired_with_those_most_like_them():
    found = suggest_couplings(titles(), {"sex": "M"})
    assert found.coupled == {
        "title": {"sex": {"F": {"Mr": "Ms", "Sir": "Dame"}, "M": {"Ms": "Mr", "Dame": "Sir"}}}
    }
    assert set(found.table["column"]) == {"title"}
    assert (found.table["likeness"] == 1).all()


def test_names_of_people_do_not_change_what_is_suggested():
    X = titles(12)
    without, found = (
        suggest_couplings(one, {"sex": "M"})
        for one in (X, X.assign(name=[f"person {i}" for i in range(len(X))]))
    )
    assert without.coupled
    assert found.coupled == without.coupled
    pd.testing.assert_frame_equal(found.table, without.table)


def test_what_is_suggested_can_be_passed_on_as_it_is():
    X = titles()
    found = suggest_couplings(X, {"sex": "M"})
    attributes = learn_attributes(X, {"sex": "M"}, coupled=found.coupled)
    twice = perturb(perturb(X, attributes), attributes)
    pd.testing.assert_frame_equal(twice, X)


def test_a_value_without_a_counterpart_is_listed_without_a_rule():
    X = titles().replace({"title": {"Dame": "Dr"}})
    X = pd.concat([X, X[X["sex"] == "M"].assign(title="Dr")], ignore_index=True)
    X["title"] = X["title"].replace({"Ms": "Dr"})
    found = suggest_couplings(X, {"sex": "M"})
    assert set(found.table["value"]) == {"Mr", "Sir"}
    assert found.table["counterpart"].isna().all()
    assert found.coupled == {}


def test_values_that_are_exclusive_but_unlike_are_not_paired():
    X = titles()
    X["hand"] = np.where(X["sex"] == "M", "left", "right")
    X["kind"] = X["sex"]
    found = suggest_couplings(X.drop(columns="hand"), {"sex": "M"})
    assert set(found.table["column"]) == {"kind", "title"}
    assert found.coupled.keys() <= {"kind"}


def test_values_too_rare_to_judge_are_left_out():
    X = titles()
    X.loc[X.index[X["sex"] == "F"][0], "hand"] = "none"
    assert "hand" not in set(suggest_couplings(X, {"sex": "M"}).table["column"])


def test_every_value_of_the_other_group_gets_the_rule():
    X = titles().replace({"sex": {"F": "woman"}})
    other = X[X["sex"] == "woman"].assign(sex="other")
    rules = suggest_couplings(pd.concat([X, other]), {"sex": "M"}).coupled["title"]["sex"]
    assert rules["woman"] == rules["other"] == {"Mr": "Ms", "Sir": "Dame"}


def test_a_value_of_the_other_group_that_never_has_the_counterpart_gets_no_rule():
    X = titles().replace({"sex": {"F": "woman"}})
    other = X[X["sex"] == "woman"].assign(sex="other", title="Mx")
    found = suggest_couplings(pd.concat([X, other]), {"sex": "M"})
    assert found.coupled["title"]["sex"]["woman"]["Mr"] == "Ms"
    assert "other" not in found.coupled["title"]["sex"]
    assert found.coupled["title"]["sex"]["M"]["Ms"] == "Mr"


def test_without_any_such_value_the_result_says_so():
    X = pd.DataFrame({"sex": ["M", "F"] * 50, "city": ["a", "a", "b", "b"] * 25})
    assert repr(suggest_couplings(X, {"sex": "M"})).startswith("<Suggestions: no value was found")


def test_every_pair_is_printed(monkeypatch):
    found = suggest_couplings(titles(), {"sex": "M"})
    with pd.option_context("display.width", 40):
        assert "..." not in repr(found)


def test_one_hot_attributes_are_looked_at_too():
    X = pd.get_dummies(titles(), columns=["sex"], dtype=int)
    privileged = {"sex": OneHot(["sex_F", "sex_M"], privileged="sex_M")}
    assert suggest_couplings(X, privileged).coupled["title"]["sex"]["sex_F"]["Mr"] == "Ms"


def test_income_suggests_husbands_and_wives_and_no_country():
    income = datasets.load("income")
    found = suggest_couplings(income.data, income.privileged)
    assert list(found.coupled) == ["relationship"]
    assert "native-country" in set(found.table["column"])


def make_wards(n=2000):
    """Patients of a hospital: one ward takes men only, another women only."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"sex": rng.choice(["F", "M"], n), "age": rng.normal(50, 15, n).round()})
    own = np.where(X["sex"] == "M", "urology", "maternity")
    X["ward"] = np.where(rng.random(n) < 0.4, own, rng.choice(["surgery", "cardiology"], n))
    return X.assign(private=rng.choice(["no", "yes"], n), nights=rng.poisson(4, n))


def test_wards_of_different_meaning_are_alike_so_a_person_must_confirm_the_pair():
    found = suggest_couplings(make_wards(), {"sex": "M"})
    pair = found.table.set_index("value").loc["urology"]
    assert pair["counterpart"] == "maternity"
    assert pair["likeness"] > 0.9
    request = "roposed by likeness of counts only; confirm each pair before you use it"
    assert request in repr(found)
    assert request in found._repr_html_()
    assert "confirm each pair" in " ".join(suggest_couplings.__doc__.split()).lower()
    assert "coupled = {'ward'" in repr(found)


def test_independent_columns_give_no_suggestion():
    rng = np.random.default_rng(0)
    for _ in range(10):
        X = pd.DataFrame({f"x{i}": rng.integers(0, 10, 300).astype(str) for i in range(20)})
        X["sex"] = rng.permutation(["F"] * 30 + ["M"] * 270)
        assert suggest_couplings(X, {"sex": "M"}).table.empty
