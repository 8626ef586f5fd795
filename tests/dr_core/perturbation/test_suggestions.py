import numpy as np
import pandas as pd
import pytest

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


@pytest.mark.filterwarnings("ignore:.*may encode it, too")
def test_values_that_are_exclusive_but_unlike_are_not_paired():
    X = titles()
    X["hand"] = np.where(X["sex"] == "M", "left", "right")
    X["kind"] = X["sex"]
    found = suggest_couplings(X.drop(columns="hand"), {"sex": "M"})
    assert set(found.table["column"]) == {"kind", "title"}
    assert found.coupled.keys() <= {"kind"}


def make_staff(part_time=0.5, n=2000):
    """Men of whom a share works part-time, and women of whom the other share does."""
    rng = np.random.default_rng(0)
    is_man = rng.random(n) < 0.5
    shares = np.where(is_man, part_time, 1 - part_time)
    return pd.DataFrame({"sex": np.where(is_man, "M", "F"), "part_time": rng.random(n) < shares})


def add_by_sex(X, name, man, woman, *others, share=1.0):
    """Add a column whose value depends on sex for a share of the rows, and is random else."""
    rng = np.random.default_rng(1)
    own = np.where(X["sex"] == "M", man, woman)
    rest = rng.choice(others or [man], len(X))
    return X.assign(**{name: np.where(rng.random(len(X)) < share, own, rest)})


def find_pair(X, value):
    """The row of the table about a value, and the rules of its column."""
    found = suggest_couplings(X, {"sex": "M"})
    row = found.table.set_index("value").loc[value]
    return row, found.coupled.get(row["column"], {})


TITLES = {"sex": {"F": {"Mr": "Ms"}, "M": {"Ms": "Mr"}}}


@pytest.mark.filterwarnings("ignore:.*may encode it, too")
def test_values_of_nearly_all_rows_are_paired_however_unlike_the_other_columns_are():
    for share in (1.0, 0.96):
        X = add_by_sex(make_staff(0.1), "title", "Mr", "Ms", "Dr", share=share)
        row, rules = find_pair(X, "Mr")
        assert row["likeness"] < 0.5
        assert "nearly all rows" in row["reason"]
        assert rules == TITLES


def test_values_of_few_rows_are_paired_only_if_the_other_columns_are_alike():
    alike, unlike = (
        find_pair(add_by_sex(make_staff(share), "title", "Mr", "Ms", "Dr", share=0.5), "Mr")
        for share in (0.5, 0.1)
    )
    assert alike[1] == TITLES
    assert unlike[1] == {}


def test_without_a_rule_the_likeness_of_the_best_candidate_is_shown():
    row, _ = find_pair(add_by_sex(make_staff(0.1), "title", "Mr", "Ms", "Dr", share=0.5), "Mr")
    assert row["counterpart"] is None
    assert 0.1 < row["likeness"] < 0.3
    assert row["reason"].startswith("'Ms' is most alike, but not enough (0.")
    assert row["reason"].endswith("< 0.85)")


def test_the_reason_names_the_value_that_the_best_candidate_goes_with():
    X = titles()
    some = (X["title"] == "Mr") & (X.index % 2 == 0)
    X["title"] = X["title"].mask(some, "Mister")
    men = suggest_couplings(X, {"sex": "M"}).table.set_index("value").loc[["Mr", "Mister"]]
    [left] = men.index[men["counterpart"].isna()]
    [paired] = men.index[men["counterpart"] == "Ms"]
    assert men.loc[left, "reason"] == f"'Ms' goes with '{paired}'"


def test_the_reason_says_to_whom_a_value_without_a_counterpart_is_more_alike():
    # Shares of part-time work: Dame is nearest to Mr, and Mr to Ms.
    shares = {("M", "Mr"): 0.55, ("M", "Sir"): 0.79, ("F", "Dame"): 0.65, ("F", "Ms"): 0.5}
    rows = [
        (sex, title, i < 400 * share) for (sex, title), share in shares.items() for i in range(400)
    ]
    X = pd.DataFrame(rows, columns=["sex", "title", "part_time"])
    sir, _ = find_pair(X, "Sir")
    assert sir["counterpart"] is None
    assert sir["reason"] == "'Dame' is most alike, but 'Dame' is more alike to 'Mr'"


def test_a_pair_without_columns_to_compare_does_not_hide_the_other_pairs():
    # Sirs are husbands and Dames are wives, which is one value, so these two are not compared.
    kinds = {"Mr": "none", "Sir": "husband", "Ms": "none", "Dame": "wife"}
    X = titles().drop(columns=["hand", "kind"])
    married = X["title"].isin(["Mr", "Ms"]) & (np.arange(len(X)) % 2 == 0)
    X["spouse"] = X["title"].map(kinds).mask(married, X["sex"].map({"M": "husband", "F": "wife"}))
    sir, _ = find_pair(X, "Sir")
    assert sir["reason"].startswith("'Ms' is most alike, but not enough (0.")
    assert 0 < sir["likeness"] < 0.85


def test_without_other_columns_the_reason_says_so():
    X = add_by_sex(make_staff(), "title", "Mr", "Ms", "Dr", share=0.5)
    row, rules = find_pair(X[["sex", "title"]], "Mr")
    assert "no other column" in row["reason"]
    assert np.isnan(row["likeness"])
    assert rules == {}


def test_a_value_that_nobody_of_the_other_group_can_have_instead_has_a_reason():
    X = add_by_sex(make_staff(), "exempt", "yes", "no", "no", share=0.5)
    row, _ = find_pair(X, "yes")
    assert "no exclusive value" in row["reason"]


def test_reasons_are_printed_in_full():
    X = add_by_sex(make_staff(0.1), "title", "Mr" * 30, "Ms" * 30, "Dr", share=0.5)
    found = suggest_couplings(X, {"sex": "M"})
    for shown in (repr(found), found._repr_html_()):
        assert "Ms" * 30 in shown
        assert "..." not in shown


def test_columns_that_are_exclusive_themselves_do_not_make_values_unlike():
    X = make_staff()
    for name, man, woman in (("title", "Mr", "Ms"), ("spouse", "wife", "husband")):
        X = add_by_sex(X, name, man, woman, "none", share=0.5)
    # The columns agree in which rows have neither value, and in nothing else.
    for value in ("Mr", "wife"):
        row, _ = find_pair(X, value)
        assert row["likeness"] > 0.95
        assert row["counterpart"] is not None


def test_exclusive_columns_still_tell_values_apart_by_their_other_values():
    X = add_by_sex(make_staff(), "spouse", "wife", "husband", "none", share=0.5)
    X["title"] = np.where(X["spouse"] == "none", X["sex"], "married " + X["sex"])
    found = suggest_couplings(X, {"sex": "M"})
    assert found.coupled["title"]["sex"]["F"] == {"M": "F", "married M": "married F"}


def make_patients(noise):
    """Two columns that separate men and women outside the emergency room, and another one."""
    columns = {
        "sex": ["m", "f", "m", "f"],
        "ward": ["urology", "maternity", "er", "er"],
        "diagnosis": ["stone", "birth", "other", "other"],
    }
    return pd.DataFrame(columns).loc[np.arange(800) % 4].assign(noise=noise)


def test_the_reason_names_columns_whose_exclusive_values_count_as_one():
    X = titles()
    X["spouse"] = X["sex"].map({"M": "wife", "F": "husband"}).mask(X["hand"] == "left", "none")
    row, _ = find_pair(X, "Mr")
    assert row["counterpart"] == "Ms"
    assert row["reason"].endswith("; exclusive values of 'spouse' count as one")


def test_the_reason_does_not_name_a_column_that_was_not_compared():
    # All rows of these wards have diagnoses of one group, and the reverse.
    table = suggest_couplings(make_patients(np.arange(800) // 4 % 2), {"sex": "m"}).table
    reasons = table.set_index("value")["reason"]
    assert reasons["urology"] == reasons["stone"] == "alike in the other columns"


def test_a_column_in_which_all_rows_are_exclusive_does_not_raise_the_likeness():
    # All men of a ward and half of its women have noise 0.
    wards = make_patients(np.where(np.arange(800) % 4 == 1, np.arange(800) // 4 % 2, 0))
    found = suggest_couplings(wards, {"sex": "m"}).table.set_index("value")
    assert found.at["urology", "likeness"] == 0.5  # 0.75 with the diagnosis


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
