import math
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textbook import couplings as textbook

from dr_core import (
    RiskAssessment,
    assess_risk,
    at_least,
    between,
    compare,
    datasets,
    enumerate_perturbations,
    learn_attributes,
)

SEX = {"sex": "Male"}
BOTH = {"sex": "Male", "race": "White"}
RULES = {"relationship": {"sex": {"Female": {"Husband": "Wife"}, "Male": {"Wife": "Husband"}}}}
FUNCTIONS = {
    "relationship": {"sex": lambda sex, role: "Wife" if sex == "Female" else role},
    "score": {"sex": lambda sex, score: 3 - score, "race": lambda race, score: score + len(race)},
}
OTHERS = pd.DataFrame(
    {
        "sex": ["Male", "Female", "Female"],
        "race": ["White", "Black", "Other"],
        "relationship": ["Husband", "Wife", "Wife"],
        "score": [7, 8, 9],
    }
)
DOMAINS = {"sex": ["Female", "Male"], "race": ["Black", "Other", "White"]}
CERTAIN = {"sex": ["Male"], "race": ["White"]}


@st.composite
def frames(draw):
    """Rows in which every value and each group occurs, and most women are not husbands."""
    n = draw(st.integers(6, 16))

    def column(*values):
        return [*values, *draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))][:n]

    X = pd.DataFrame(
        {
            "sex": column("Male", "Female"),
            "race": column("White", "Black", "Other"),
            "relationship": column("Husband", "Wife", "Own-child"),
            "score": column(1, 2),
        }
    )
    odd = (X["sex"] == "Female") & (X["relationship"] == "Husband")
    return X.assign(relationship=X["relationship"].mask(odd, "Own-child"))


def score(row):
    return (len(row["sex"]) + len(row["relationship"]) + len(row["race"]) + row["score"]) % 2 == 0


def predict(X):
    lengths = sum(X[name].str.len() for name in ("sex", "relationship", "race"))
    return ((lengths + X["score"]) % 2 == 0).to_numpy()


@pytest.fixture(scope="module")
def income():
    return datasets.load("income")


def married(X):
    return X["relationship"].isin(["Husband", "Wife"]) & (X["education-num"] > 9)


def test_income_names_female_husbands_and_male_wives_first(income):
    found = assess_risk(married, income.data, income.privileged).plausibility().pairs
    first = found.head(2)[["attribute", "becomes", "column", "value", "rows", "seen"]]
    assert first.to_numpy().tolist() == [
        ["sex", "Female", "relationship", "Husband", 12462.0, 1],
        ["sex", "Male", "relationship", "Wife", 1405.0, 1],
    ]
    assert found["rows"].is_monotonic_decreasing


def test_with_rules_no_implausible_row_of_income_is_due_to_that_pair(income):
    risk = assess_risk(
        married, income.data, learn_attributes(income.data, income.privileged, coupled=RULES)
    )
    pairs = risk.plausibility().pairs
    assert "relationship" not in set(pairs["column"])
    plain = assess_risk(married, income.data, income.privileged).plausibility()
    assert plain.share > 0.45
    assert risk.plausibility().share < 0.02


@settings(max_examples=50)
@given(frames(), st.sampled_from([0.4, 1.0]), st.sampled_from([{}, RULES, FUNCTIONS]))
def test_share_risk_and_pairs_are_those_of_the_textbook(X, p, rules):
    options = {"rare": 0.2, "alpha": 0.87654321}  # no p-value of so few rows is equal to it
    attributes = learn_attributes(OTHERS, BOTH, coupled=rules)
    ours = assess_risk(predict, X, attributes, p=p).plausibility(**options)
    rows = X.to_dict("records")
    share, plausible_risk, counts = textbook.plausibility(
        score, rows, DOMAINS, CERTAIN, rules, p, **options
    )
    assert ours.share == pytest.approx(share)
    if plausible_risk is not None and share < 1:
        assert ours.risk == pytest.approx(plausible_risk)
    keys = ours.pairs[["attribute", "becomes", "column", "value"]].itertuples(index=False)
    assert dict(zip(map(tuple, keys), ours.pairs["rows"], strict=True)) == pytest.approx(counts)


@settings(max_examples=50)
@given(frames(), st.sampled_from([0.4, 1.0]))
def test_risk_is_made_of_that_of_plausible_and_of_implausible_rows(X, p):
    risk = assess_risk(predict, X, BOTH, p=p)
    table = risk.plausibility(alpha=0.99).table().fillna(0)
    parts = (1 - table["implausible"]) * table["risk_plausible"]
    parts += table["implausible"] * table["risk_implausible"]
    np.testing.assert_allclose(parts, risk.table()["risk"], atol=1e-12)


def test_a_pair_never_seen_makes_a_row_implausible_and_a_rare_one_too():
    X = pd.DataFrame(
        {"sex": ["M"] * 500 + ["F"] * 500, "title": ["Mr"] * 500 + ["Ms"] * 499 + ["Mr"]}
    )
    risk = assess_risk(lambda X: X["sex"] == "M", X, {"sex": "M"})
    assert risk.plausibility().share == pytest.approx(0.999)
    assert risk.plausibility(rare=0).share == pytest.approx(0.499)


def test_names_of_people_are_no_finding():
    X = pd.DataFrame({"sex": ["M", "F"] * 50, "name": [f"person {i}" for i in range(100)]})
    risk = assess_risk(lambda X: X["sex"] == "M", X, {"sex": "M"})
    assert risk.plausibility().share == 0
    assert risk.plausibility(alpha=0.9).share == 0


def judge_titles(**columns):
    """Plausibility of rows in which 14 of 500 men, and no woman, have a title."""
    rows = {"sex": ["M", "F"] * 500, "title": ["Sir", "-"] * 14 + ["-"] * 972}
    X = pd.DataFrame(rows | columns)
    return assess_risk(lambda X: X["sex"] == "M", X, {"sex": "M"}).plausibility()


def test_a_column_that_identifies_rows_does_not_make_other_pairs_harder_to_find():
    without = judge_titles()
    codes = [f"P{i}" for i in range(1000)]
    for column in (codes, [*codes[:960], *codes[:40]]):
        found = judge_titles(code=column)
        assert found.to_dict() == without.to_dict()
        pd.testing.assert_frame_equal(found.pairs, without.pairs)
    assert without.pairs["value"].tolist() == ["Sir"]


def test_where_an_identifier_is_missing_counts():
    codes = ["no number" if i % 2 and i < 80 else f"P{i}" for i in range(1000)]
    found = judge_titles(number=codes)
    assert found.pairs[["becomes", "column", "value"]].values.tolist() == [
        ["M", "number", "no number"]
    ]


def test_with_an_identifier_alone_there_is_no_other_column():
    X = pd.DataFrame({"sex": ["M", "F"] * 50, "name": [f"person {i}" for i in range(100)]})
    found = assess_risk(lambda X: X["sex"] == "M", X, {"sex": "M"}).plausibility()
    assert "There is no other column to judge them by" in str(found)


def test_a_smaller_level_of_significance_finds_less():
    X = pd.DataFrame({"sex": ["M", "F"] * 6, "title": ["Mr", "Ms"] * 6})
    risk = assess_risk(lambda X: X["sex"] == "M", X, {"sex": "M"})
    # Four pairs; each of the two that are never seen has a p-value of 1 / 924.
    assert risk.plausibility(alpha=3.99 / 924).share == 0
    assert risk.plausibility(alpha=4.01 / 924).share == 1
    assert risk.plausibility(alpha=0).share == 0


def make_independent(rng, n, n_columns, minority):
    """Normal columns, and a group of a given share that has nothing to do with them."""
    X = pd.DataFrame(rng.normal(size=(n, n_columns))).add_prefix("x")
    return X.assign(group=rng.permutation(np.arange(n) < minority * n).astype(int))


@pytest.mark.parametrize(("n", "n_columns", "minority"), [(200, 12, 0.1), (500, 20, 0.05)])
def test_independent_columns_have_no_implausible_pair(n, n_columns, minority):
    rng = np.random.default_rng(0)
    for _ in range(10):
        X = make_independent(rng, n, n_columns, minority)
        found = assess_risk(lambda X: X["x0"] > 0, X, {"group": 0}).plausibility()
        assert found.share == 0
        assert found.pairs.empty
        assert str(found).startswith("No implausible combination was found")


@pytest.mark.parametrize("condition", [at_least(28), at_least(60), between(35, 64)])
def test_columns_independent_of_a_range_have_no_implausible_pair(condition):
    rng = np.random.default_rng(0)
    for n in (300, 2000, 6000):
        X = pd.DataFrame(rng.normal(size=(n, 8))).add_prefix("x")
        X["age"] = np.clip(rng.gamma(6, 5, n) + 18, 18, 80).astype(int)
        found = assess_risk(lambda X: X["x0"] > 0, X, {"age": condition}).plausibility()
        assert found.pairs.empty


class TestRange:
    """The tenure of employees is at most their age minus 17."""

    @staticmethod
    def make_employees(n):
        rng = np.random.default_rng(0)
        age = np.clip(rng.gamma(6, 5, n) + 18, 18, 80).astype(int)
        return pd.DataFrame({"age": age, "tenure": (rng.random(n) * (age - 17)).astype(int)})

    def judge(self, X, limit, **options):
        """Return the plausibility, and the share of perturbed rows that are impossible."""
        every = enumerate_perturbations(X, {"age": at_least(limit)})
        impossible = (every.data["tenure"] > every.data["age"] - 17).to_numpy()
        truth = (impossible * every.probability).sum() / len(X)
        risk = assess_risk(lambda X: X["tenure"] > 5, X, {"age": at_least(limit)})
        return risk.plausibility(**options), truth

    @pytest.mark.parametrize("limit", [28, 40])
    def test_most_impossible_rows_are_found_however_few_rows_are_on_one_side(self, limit):
        found, truth = self.judge(self.make_employees(8000), limit)
        assert 0.85 * truth <= found.share <= truth
        assert found.has_power

    def test_a_side_with_too_few_rows_lowers_the_power(self):
        # 25 of 2,000 employees are below 28. Beside ten bins of the tenure, 2.5 of them are
        # expected, too few to be significant; beside two bins, 12.5.
        few, _ = self.judge(self.make_employees(2000), 28)
        assert (few.share, few.has_power) == (0, False)
        assert "the 2,000 reference rows are too few for age" in str(few)
        coarse, truth = self.judge(self.make_employees(2000), 28, bins=2)
        assert 0.75 * truth <= coarse.share <= truth
        assert coarse.has_power

    def test_bins_of_numbers_are_named_as_a_limit_of_the_check(self):
        found, _ = self.judge(self.make_employees(8000), 28)
        for text in (str(found), found.describe_power()):
            assert "impossible values within a bin are not found" in text

    def test_bins_are_not_named_where_there_are_none(self):
        X = self.make_employees(500) // 20
        found, _ = self.judge(X, 2)
        assert not re.search(r"\bbins?\b", f"{found} {found.describe_power()}")


def test_ricci_has_no_implausible_pair():
    ricci = datasets.load("ricci")
    found = assess_risk(lambda X: X["Written"] > 80, ricci.data, ricci.privileged).plausibility()
    assert found.share == 0


@pytest.mark.filterwarnings("ignore:.*may encode it, too")
def test_numbers_are_written_as_a_person_would():
    rng = np.random.default_rng(0)
    sex = np.repeat([0.0, 1.0], 200)
    X = pd.DataFrame({"sex": sex, "ph": np.where(sex, 5.3, 7.1).astype(np.float32)})
    X["salary"] = (sex + 1) * 1_000_000 + rng.permutation(400)
    X["height"] = np.where(sex, 1.7, 1.5).astype(np.float32) + np.float32(0.125) * np.arange(400)
    found = assess_risk(lambda X: X["ph"] > 6, X, {"sex": 1.0}).plausibility()
    assert {5.3, 7.1} < set(found.pairs["value"])
    text = " ".join(map(str, found.pairs["value"]))
    assert not re.search(r"\d\.\d{7}|e\+", text)
    assert re.search(r"\b\d{7}\b", text)
    assert "sex = 0 with " in str(found)
    assert "e+0" not in found._repr_html_()


def test_numbers_are_binned():
    X = pd.DataFrame({"sex": ["M", "F"] * 100, "age": np.repeat(np.arange(100), 2)})
    X["height"] = np.where(X["sex"] == "M", 180, 160) + X["age"] / 100
    found = assess_risk(lambda X: X["age"] > 50, X, {"sex": "M"}).plausibility()
    assert found.share == 1
    assert set(found.pairs["column"]) == {"height"}
    assert found.pairs["rows"].sum() == 200
    assert found.pairs["value"].iloc[0].startswith(("below", "160", "180"))


@pytest.mark.parametrize("first", [2**60, 2**80])
def test_integers_that_floats_cannot_represent_are_read(first):
    ids = [first + i for i in range(400)]
    X = pd.DataFrame({"sex": ["M"] * 200 + ["F"] * 200, "id": ids})
    found = assess_risk(lambda X: X["sex"] == "M", X, {"sex": "M"}).plausibility()
    assert found.share == (1 if first == 2**60 else 0)  # beyond 64 bits each is a value of its own


@pytest.mark.filterwarnings("ignore:undefined")
@pytest.mark.parametrize("chunk_size", [1, 7, 50])
def test_chunks_and_parts_do_not_change_the_last_digit(chunk_size):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"sex": rng.choice(["Female", "Male"], 300), "z": rng.integers(0, 9, 300)})
    X["race"] = np.where(X["z"] > 6, "Other", rng.choice(["Black", "White"], 300))
    how = {"sample_weight": rng.random(300), "reference": X}

    def flipped(rows, **options):
        found = compare({"f": lambda X: X["sex"] + X["race"]}, rows, y, BOTH, **how, **options)
        return found.values["value"].to_numpy(), found.plausibility["f"].pairs

    y = (X["sex"] + X["race"]).to_numpy()
    value, pairs = flipped(X, favorable="MaleWhite")
    for rows, options in ((X, {"chunk_size": chunk_size}), ([X[:chunk_size], X[chunk_size:]], {})):
        again, same_pairs = flipped(rows, favorable="MaleWhite", **options)
        np.testing.assert_array_equal(again, value)
        pd.testing.assert_frame_equal(same_pairs, pairs, check_exact=True)


def test_where_everything_changes_the_risk_is_one_to_the_last_digit():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"race": [*"abcdefg"] * 40, "z": [*"uvwx"] * 70})
    risk = assess_risk(lambda X: X["race"], X, {"race": "a"}, sample_weight=rng.random(280))
    table = risk.plausibility(X.assign(z=np.where(X["race"] < "c", "u", X["z"]))).table()
    assert 0 < table["implausible"].iloc[-1] < 1
    assert (table[["risk_plausible", "risk_implausible"]] == 1).all(axis=None)


def test_missing_values_are_a_value_of_their_own():
    X = pd.DataFrame({"sex": ["M"] * 6 + ["F"] * 6, "service": ["done"] * 6 + [None] * 6})
    pairs = assess_risk(lambda X: X["sex"] == "M", X, {"sex": "M"}).plausibility().pairs
    assert set(pairs["value"]) == {"done", "(missing)"}


def test_rows_without_a_value_to_perturb_do_not_count():
    X = pd.DataFrame({"sex": ["M", "M", "F", "F"], "title": ["Mr", "Dr", "Ms", "Dr"]})
    known = pd.concat([X] * 10, ignore_index=True)
    rows = pd.concat([known, X.assign(sex=None)], ignore_index=True)
    promotes = lambda X: (X["sex"] == "M") & (X["title"] == "Dr")  # noqa: E731
    attributes = learn_attributes(rows, {"sex": "M"}, missing="keep")
    found = assess_risk(promotes, rows, attributes).plausibility(reference=known)
    expected = assess_risk(promotes, known, {"sex": "M"}).plausibility()
    pd.testing.assert_frame_equal(found.table(), expected.table())
    assert found.pairs["share"].tolist() == [0.25, 0.25]


def test_a_row_that_lacks_one_of_two_values_counts_where_the_other_is_perturbed():
    X = pd.DataFrame({"sex": ["M", "F", None, None], "race": ["White", "Black", "White", None]})
    attributes = learn_attributes(X, {"sex": "M", "race": "White"}, missing="keep")
    totals = assess_risk(lambda X: X["race"] == "White", X, attributes).plausibility().totals
    assert [total / totals.total[0] for total in totals.total] == [1, 1.5, 1.5]


def test_another_sensitive_attribute_counts_as_a_column():
    X = pd.DataFrame({"sex": ["Male"] * 6 + ["Female"] * 6, "race": ["White"] * 6 + ["Black"] * 6})
    found = assess_risk(lambda X: X["sex"] == "Male", X, BOTH).plausibility()
    assert found.table().loc["sex", "implausible"] == 1
    assert found.table().loc["all", "implausible"] == 0


def test_reference_data_can_be_given(income):
    X = income.data[income.data["relationship"] != "Wife"].head(200)
    risk = assess_risk(married, X, SEX)
    assert "Wife" not in set(risk.plausibility().pairs["value"])
    found = risk.plausibility(income.data)
    assert found.pairs["expected"].iloc[0] == pytest.approx(12463 * 9782 / 30162)


def test_reference_data_without_a_column_is_refused(income):
    risk = assess_risk(married, income.data.head(100), SEX)
    with pytest.raises(ValueError, match=r"reference.*'age'"):
        risk.plausibility(income.data.drop(columns="age"))


def test_columns_of_the_reference_data_that_x_has_not_do_not_count(income):
    X = income.data.head(2000)
    risk = assess_risk(lambda X: X["age"] > 40, X.drop(columns="relationship"), SEX)
    assert "relationship" not in set(risk.plausibility(income.data).pairs["column"])


@pytest.mark.parametrize(
    "option", [{"rare": 1}, {"rare": -0.1}, {"bins": 1}, {"bins": 2.5}, {"alpha": np.nan}]
)
def test_options_out_of_range_are_refused(option):
    X = pd.DataFrame({"sex": ["M", "F"], "age": [1, 2]})
    with pytest.raises(ValueError, match=next(iter(option))):
        assess_risk(lambda X: X["age"] > 1, X, {"sex": "M"}).plausibility(**option)


def test_sampled_rows_are_judged_as_they_were_drawn(income):
    X = income.data.head(2000)
    for random_state in (0, np.random.default_rng(1), np.random.RandomState(2), None):
        risk = assess_risk(
            married, X, income.privileged, method="sample", random_state=random_state
        )
        table = risk.plausibility().table()
        parts = (1 - table["implausible"]) * table["risk_plausible"]
        parts += table["implausible"] * table["risk_implausible"]
        np.testing.assert_allclose(parts, risk.table()["risk"], atol=1e-12)
        assert risk.plausibility().share == risk.plausibility().share


def test_weights_count(income):
    X = income.data.head(2000)
    husbands = X["relationship"] == "Husband"
    with pytest.warns(UserWarning, match="no marginalised row for 'sex' with a weight above 0"):
        risk = assess_risk(married, X, SEX, sample_weight=husbands.astype(float))
    assert risk.plausibility().share == 1


def test_polars_gives_the_same_as_pandas(income):
    X = income.data.head(3000)
    rule = lambda X: np.asarray(X["age"]) > 40  # noqa: E731
    expected = assess_risk(
        rule, X, learn_attributes(X, income.privileged, coupled=RULES)
    ).plausibility()
    ours = assess_risk(
        rule,
        pl.from_pandas(X),
        learn_attributes(pl.from_pandas(X), income.privileged, coupled=RULES),
    ).plausibility()
    pd.testing.assert_frame_equal(ours.table(), expected.table())
    assert ours.pairs["rows"].tolist() == expected.pairs["rows"].tolist()


def test_a_comparison_has_the_plausibility_of_each_model(income):
    X, y = income.data.head(2000), income.target.head(2000)
    models = {"married": lambda X: married(X).astype(int), "old": lambda X: (X["age"] > 50) * 1}
    both = compare(
        models, X, y, learn_attributes(X, income.privileged, coupled=RULES), reference=income.data
    )
    for name, model in models.items():
        alone = assess_risk(model, X, income.privileged).plausibility(income.data)
        values = both.table().loc[name, "all"]
        assert values["implausible_share"] == pytest.approx(alone.share)
        assert values["discriminative_risk_plausible"] == pytest.approx(alone.risk)
        followed = assess_risk(model, X, learn_attributes(X, income.privileged, coupled=RULES))
        share = followed.plausibility(income.data).share
        assert values["implausible_share_coupled"] == pytest.approx(share)
        pd.testing.assert_frame_equal(both.plausibility[name].pairs, alone.pairs)


def test_plausibility_is_computed_only_on_request(income):
    X, y = income.data.head(300), income.target.head(300)
    rule = {"rule": lambda X: (X["age"] > 40) * 1}
    plain = compare(rule, X, y, SEX)
    assert not plain.plausibility
    asked = compare(rule, X, y, SEX, reference=True)
    assert "implausible_share" in asked.table()
    assert "discriminative_risk_coupled" not in asked.table()


def test_plausibility_without_rows_raises_an_error():
    X = pd.DataFrame({"sex": ["M", "F"], "age": [1, 2]})
    risk = assess_risk(lambda X: X["age"] > 1, X, {"sex": "M"})
    bare = RiskAssessment(risk.plan, risk.totals)
    with pytest.raises(ValueError, match="one table in memory"):
        bare.plausibility()


def test_the_repr_names_share_pairs_and_risk(income):
    found = assess_risk(married, income.data, SEX).plausibility()
    assert repr(found).startswith("<Plausibility: 46.0 % of perturbed rows are implausible")
    assert "combinations rarely or never seen in the data" in repr(found)
    assert "sex = Female with relationship = Husband (12,462 rows)" in repr(found)
    assert "<td>Husband</td>" in found._repr_html_()


def make_young_singles(n=400):
    """People with two sensitive attributes that exclude each other: young people are single."""
    rng = np.random.default_rng(0)
    age = rng.choice(["young", "old"], n)
    status = np.where((age == "young") | (rng.random(n) < 0.5), "single", "married")
    return pd.DataFrame({"age": age, "status": status, "points": rng.integers(0, 9, n)})


def test_a_pair_of_two_sensitive_attributes_is_named_once():
    X = make_young_singles()
    both = {"age": "old", "status": "single"}
    found = assess_risk(lambda X: X["points"] > 4, X, both).plausibility()
    # Young single people become old married ones, which occurs; old single people become young
    # married ones, which does not. Both attributes change in the same rows.
    n_rows = int(((X["age"] == "old") & (X["status"] == "single")).sum())
    assert found.pairs["rows"].tolist() == [n_rows, n_rows]
    assert found.describe_pairs() == f"age = young with status = married ({n_rows} rows)"


def judge_clubs(sizes=(400, 40), **options):
    """Return the plausibility of men and women in clubs of their own, of these sizes."""
    clubs = [f"{sex}{i}" for sex in "MF" for i, n in enumerate(sizes) for _ in range(n)]
    X = pd.DataFrame({"sex": [club[0] for club in clubs], "club": clubs})
    return assess_risk(lambda X: X["sex"] == "M", X, {"sex": "M"}, **options).plausibility()


def test_only_frequent_pairs_are_named():
    named = judge_clubs().describe_pairs(4).split("; ")
    assert [pair.split(" with ")[1] for pair in named] == [
        "club = M0 (400 rows)",
        "club = F0 (400 rows)",
        "club = M1 (40 rows)",
        "club = F1 (40 rows)",
    ]
    assert "M1" not in judge_clubs([400, 39]).describe_pairs(4)


def test_a_pair_of_less_than_one_row_is_named_only_if_there_is_no_other():
    found = judge_clubs(p=0.002)
    assert found.pairs["rows"].tolist() == pytest.approx([0.8, 0.8, 0.08, 0.08])
    assert found.describe_pairs() == "sex = F with club = M0 (<1 row on average)"
    found = judge_clubs(p=0.0026)
    assert found.describe_pairs() == (
        "sex = F with club = M0 (1 row on average); sex = M with club = F0 (1 row on average)"
    )


def test_the_power_names_the_attributes_with_too_few_rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"sex": ["M", "F"] * 150, "race": ["A", *["B"] * 29] * 10})
    X["city"] = rng.choice(list("abcd"), 300)
    found = assess_risk(lambda X: X["city"] == "a", X, {"sex": "M", "race": "B"}).plausibility()
    text = found.describe_power()
    assert "300 reference rows are too few for race: only" in text
    assert f"(sex: {100 * found.power_by_attribute['sex']:.1f} %)" in text
    assert "depends on the number of reference rows" in text


@pytest.mark.filterwarnings("ignore:.*may encode it, too")
def test_with_an_alpha_of_0_the_power_is_described():
    X = pd.DataFrame({"sex": ["M", "F"] * 20, "city": ["a", "b"] * 20})
    found = assess_risk(lambda X: X["city"] == "a", X, {"sex": "M"}).plausibility(alpha=0)
    assert "alpha of 0" in found.describe_power()


class TestPeople:
    """Rows of one person are alike, so that counting them would make chance significant."""

    @staticmethod
    def repeat_people():
        rng = np.random.default_rng(0)
        X = pd.DataFrame(rng.normal(size=(100, 12))).add_prefix("x")
        X["group"] = (rng.random(100) < 0.2).astype(int)
        return X.loc[X.index.repeat(10)].reset_index(names="person")

    def test_rows_of_one_person_raise_no_alarm_if_people_are_known(self):
        repeated = self.repeat_people()
        model = lambda X: X["x0"] > 0  # noqa: E731
        unknown = assess_risk(model, repeated.drop(columns="person"), {"group": 0})
        assert not unknown.plausibility().pairs.empty
        known = assess_risk(model, repeated, {"group": 0}, person="person")
        assert known.plausibility().pairs.empty

    def test_a_comparison_counts_people_too(self):
        repeated = self.repeat_people()
        X, person = repeated.drop(columns="person"), repeated["person"]
        models, y = {"m": lambda X: (X["x0"] > 0).astype(int)}, (X["x1"] > 0).astype(int)
        found = compare(models, X, y, {"group": 0}, person=person, reference=True)
        assert found.settings["reference_rows"] == 100
        assert found.plausibility["m"].pairs.empty


class TestPower:
    """What the reference rows can show at all."""

    @staticmethod
    def judge(n_each):
        """Return the plausibility of rows where no woman has the title Mr, nor a man Ms."""
        rows = {"sex": ["M", "M", "F", "F"], "title": ["Mr", "Dr", "Ms", "Dr"]}
        X = pd.concat([pd.DataFrame(rows)] * n_each, ignore_index=True)
        return assess_risk(lambda X: X["sex"] == "M", X, {"sex": "M"}).plausibility()

    def test_it_grows_with_the_rows_and_says_so(self):
        few, many = self.judge(3), self.judge(100)
        assert (few.share, few.has_power) == (0, False)
        assert "the 12 reference rows are too few" in str(few)
        assert (many.share, many.power) == (0.5, 1)

    def test_a_pair_is_detectable_exactly_if_it_is_flagged_where_never_seen(self):
        # Of 6 pairs judged, a pair never seen needs P(0) <= 0.01 / 6: with 2 n of 4 n rows of a
        # sex and n of a title, P(0) = C(3 n, 2 n) / C(4 n, 2 n), 0.0049 for n = 6, 0.0022 for 7.
        for n in range(3, 12):
            found = self.judge(n)
            p = math.comb(3 * n, 2 * n) / math.comb(4 * n, 2 * n)
            assert (found.share > 0) == (p <= 0.01 / 6)
            assert (found.power == 1) == (found.share > 0)

    def test_enough_expected_rows_always_suffice(self):
        for n in range(3, 30):
            found = self.judge(n)
            if n / 2 >= found.min_expected:
                assert found.share > 0

    def test_pairs_count_by_the_rows_that_get_them(self, income):
        # Textbook: perturb every row, and look up its pair.
        X = income.data[["sex", "relationship"]].head(60)
        found = assess_risk(lambda X: X["sex"] == "Male", X, SEX).plausibility()
        level = 0.01 / (2 * X["relationship"].nunique() - len(found.pairs))
        hits = []
        for sex, relationship in X.itertuples(index=False):
            n_new = int((X["sex"] != sex).sum())
            n_value = int((X["relationship"] == relationship).sum())
            p = math.comb(60 - n_value, n_new) / math.comb(60, n_new)
            hits.append(p <= level)
        assert found.power == pytest.approx(np.mean(hits))
        assert 0 < found.power < 1

    def test_the_result_is_plain_for_json(self):
        found = self.judge(100).to_dict()
        assert found["reference_rows"] == 400
        assert found["power"] == 1
