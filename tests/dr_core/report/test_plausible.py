"""The section on implausible rows and coupled columns."""

import numpy as np
import pandas as pd
import pytest

from dr_core import assess_risk, at_least, compare, learn_attributes
from dr_core.report import format_headline, iter_lacking_intervals, iter_next_steps

RULES = {"title": {"sex": {"F": {"Mr": "Ms"}, "M": {"Ms": "Mr"}}}}
TABLE, PAIRS = "Discriminative risk as defined", "Combinations rarely or never seen in the data"


def hires(X):
    return ((X["title"] == "Mr") & (X["sex"] == "M") | (X["age"] > 50)).astype(int)


def is_old(X):
    return (X["age"] > 50).astype(int)


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    sex = rng.choice(["M", "F"], 400)
    title = np.where(rng.random(400) < 0.2, "Dr", np.where(sex == "M", "Mr", "Ms"))
    return pd.DataFrame({"sex": sex, "title": title, "age": rng.integers(20, 70, 400)})


@pytest.fixture(scope="module")
def audit(people):
    y = (people["age"] > 40).astype(int)

    def make(models=None, coupled=None, **options):
        models = {"rule": hires} if models is None else models
        attributes = learn_attributes(people, {"sex": "M"}, coupled=coupled)
        return compare(models, people, y, attributes, n_boot=20, random_state=0, **options)

    return make


@pytest.fixture(scope="module")
def coupled(audit):
    return audit(coupled=RULES)


def test_the_headline_has_both_figures_when_plausibility_changes_the_picture(audit, read):
    comparison = audit(reference=True)
    defined, plausible = (
        comparison.table().loc[("rule", "sex"), name]
        for name in ("discriminative_risk", "discriminative_risk_plausible")
    )
    assert plausible < 0.9 * defined
    text = read(comparison.to_html()).text
    assert f"{100 * defined:.1f} % as defined" in text
    assert f"{100 * plausible:.1f} % without implausible rows" in text
    headline = format_headline(comparison, "rule")
    share = 1 - comparison.plausibility["rule"].share
    others = f"Among the other rows ({100 * share:.1f} % of the perturbed rows)"
    assert f"{others}, DR is {100 * plausible:.1f} %" in headline
    assert "such as sex = M with title = Ms" in headline


def test_implausible_rows_have_a_next_step_where_no_column_is_coupled(audit, coupled, read):
    text, followed = (read(one.to_html()).text for one in (audit(reference=True), coupled))
    for shown in (
        "If title depends on sex, declare title as coupled",
        "--coupled",
        "learn_attributes(",
    ):
        assert shown in text
        assert shown not in followed
    assert "risk with coupled columns covers everyone" not in text
    assert "risk with coupled columns covers everyone" in followed


@pytest.mark.filterwarnings("ignore:.*may encode it, too")
def test_the_column_whose_implausible_pairs_have_most_rows_is_recommended():
    rng = np.random.default_rng(0)
    sex = np.repeat(["M", "F"], 600)
    title = np.where(sex == "M", "Mr", "Ms")
    club = np.char.add(sex, rng.choice(["a", "b", "c"], 1200))
    club = np.where(rng.random(1200) < 0.3, club, "none")
    X = pd.DataFrame({"sex": sex, "club": club, "title": title})
    found = assess_risk(lambda X: X["sex"] == "M", X, {"sex": "M"}).plausibility()
    assert found.pairs["column"].value_counts().to_dict() == {"club": 6, "title": 2}
    (step,) = iter_next_steps(found)
    assert "declare title as coupled" in step


@pytest.mark.filterwarnings("ignore:.*may encode it, too")
def test_a_column_of_each_attribute_is_recommended_until_it_is_coupled():
    rng = np.random.default_rng(0)
    sex, age = rng.choice(["M", "F"], 600), rng.choice(["young", "old"], 600)
    club = np.where((sex == "M") & (rng.random(600) < 0.9), "chess", "none")
    X = pd.DataFrame({"sex": sex, "age": age, "club": club})
    X["school"] = np.where(age == "young", "yes", "no")
    both = {"sex": "M", "age": "old"}
    rules = {"school": {"age": {"old": {"yes": "no"}, "young": {"no": "yes"}}}}
    steps = [
        next(iter_next_steps(assess_risk(lambda X: X["sex"] == "M", X, one).plausibility()))
        for one in (both, learn_attributes(X, both, coupled=rules))
    ]
    assert "If school depends on age, or club on sex, declare these columns as coupled" in steps[0]
    assert "If club depends on sex, declare club as coupled" in steps[1]


def make_young_singles():
    """People with two sensitive attributes that exclude each other: young people are single."""
    rng = np.random.default_rng(0)
    age = rng.choice(["young", "old"], 400)
    status = np.where((age == "young") | (rng.random(400) < 0.5), "single", "married")
    return pd.DataFrame({"age": age, "status": status, "points": rng.integers(0, 9, 400)})


@pytest.mark.filterwarnings("ignore:.*may encode it, too")
def test_a_sensitive_attribute_is_not_recommended_as_a_coupled_column():
    X, both = make_young_singles(), {"age": "old", "status": "single"}
    found = assess_risk(lambda X: X["points"] > 4, X, both).plausibility()
    assert set(found.pairs["column"]) == {"age", "status"}
    assert list(iter_next_steps(found)) == []
    X["school"] = np.where(X["age"] == "young", "yes", "no")
    found = assess_risk(lambda X: X["points"] > 4, X, both).plausibility()
    (step,) = iter_next_steps(found)
    # Nobody of school age is married, and nobody who is married goes to school.
    assert "If school depends on age or status, declare school as coupled" in step


def advise(privileged, coupled=None, **columns):
    """Return the advice for these columns."""
    X = pd.DataFrame(columns)
    attributes = learn_attributes(X, privileged, coupled=coupled)
    found = assess_risk(lambda X: np.ones(len(X)), X, attributes).plausibility()
    return next(iter_next_steps(found), "").split(":")[0]


BOTH = {"sex": "M", "age": "old"}
BY_SEX = {"M": {"Ms": "Mr", "Miss": "Master"}, "F": {"Mr": "Ms", "Master": "Miss"}}
BY_AGE = {"old": {"Miss": "Ms", "Master": "Mr"}, "young": {"Ms": "Miss", "Mr": "Master"}}


class TestOneColumnOfTwoAttributes:
    """A title depends on sex and on age. In a club, nearly all are young."""

    @staticmethod
    def make_columns():
        sex, age = np.repeat([*"MMFF"], 500), np.tile(np.repeat(["old", "young"], 500), 2)
        titles = {"M": {"old": "Mr", "young": "Master"}, "F": {"old": "Ms", "young": "Miss"}}
        title = [titles[one][other] for one, other in zip(sex, age, strict=True)]
        club = np.where((age == "young") & (np.arange(2000) % 10 == 0), "chess", "none")
        return {"sex": sex, "age": age, "title": title, "club": club}

    def test_it_is_named_for_both(self):
        step = advise(BOTH, **self.make_columns())
        assert step == "If title depends on sex or age, declare title as coupled"

    def test_it_is_named_for_the_attribute_that_it_does_not_follow_yet(self):
        step = advise(BOTH, {"title": {"sex": BY_SEX}}, **self.make_columns())
        assert step == "If title depends on age, declare title as coupled"
        step = advise(BOTH, {"title": {"age": BY_AGE}}, **self.make_columns())
        assert step.startswith("If title depends on sex, or club on age, declare these columns")

    def test_once_it_follows_both_the_next_column_is_named(self):
        rules = {"title": {"sex": BY_SEX, "age": BY_AGE}}
        step = advise(BOTH, rules, **self.make_columns())
        assert step == "If club depends on age, declare club as coupled"

    def test_a_column_that_follows_another_coupled_one_follows_its_attribute_too(self):
        sex = np.repeat([*"MF"], 500)
        title, salutation = np.where(sex == "M", "Mr", "Ms"), np.where(sex == "M", "Sir", "Madam")
        rules = {
            "title": {"sex": {"F": {"Mr": "Ms"}}},
            "salutation": {"title": {"Ms": {"Sir": "Madam"}}},
        }
        columns = {"sex": sex, "title": title, "salutation": salutation}
        assert advise({"sex": "M"}, rules, **columns) == ""


def test_the_headline_has_the_risk_with_coupled_columns(coupled):
    risk = coupled.table().loc[("rule", "sex"), "discriminative_risk_coupled"]
    assert f"{100 * risk:.1f} % with the rules for title" in format_headline(coupled, "rule")


def test_the_headline_has_one_figure_when_plausibility_changes_nothing(audit, read):
    comparison = audit(models={"age": is_old}, reference=True)
    assert "0.0 % as defined" not in read(comparison.to_html()).text


def test_many_implausible_rows_are_named_though_dr_is_the_same_without_them(audit, read):
    comparison = audit(models={"age": is_old}, reference=True)
    share = f"{100 * comparison.plausibility['age'].share:.1f} % of the perturbed rows"
    headline = format_headline(comparison, "age")
    assert f"{share} have combinations rarely or never seen" in headline
    assert "of the perturbed rows), DR is 0.0 %" in headline
    assert "If title depends on sex, declare title" in read(comparison.to_html()).text


def test_few_implausible_rows_that_leave_dr_as_it_is_have_a_line_below_the_headline(people, read):
    X = pd.concat([people] * 5, ignore_index=True)
    plays = (X["sex"] == "M") & (X.index % 20 == 0)
    X = X.assign(title=np.where(plays, "chess master", "-"))
    comparison = compare({"age": is_old}, X, X["age"] > 40, {"sex": "M"}, reference=True)
    share = comparison.plausibility["age"].share
    assert 0 < share < 0.05
    assert "rarely or never seen" not in format_headline(comparison, "age")
    text = read(comparison.to_html()).text
    assert f"{100 * share:.1f} % of the perturbed rows have combinations rarely" in text


def test_all_models_have_the_same_figures_and_the_same_advice(audit, read):
    by_sex = lambda X: ((X["sex"] == "F") | (X["age"] > 50)).astype(int)  # noqa: E731
    models = {"rule": hires, "age": is_old, "sex": by_sex}
    comparison = audit(models=models, reference=True)
    table = comparison.table()
    difference = table["discriminative_risk_plausible"] - table["discriminative_risk"]
    much = difference.abs() > 0.1 * table["discriminative_risk"]
    assert much.tolist() == [True, False, False]
    text = read(comparison.to_html()).text
    assert text.count("as defined") - text.count("DR as defined") >= 3
    assert text.count("% without implausible rows") == 3
    assert text.count("If title depends on sex, declare title as coupled") >= 3
    for model in models:
        assert "rarely or never seen" in format_headline(comparison, model)


def test_both_risks_and_the_shares_of_implausible_rows_stand_side_by_side(coupled, read):
    header, row = read(coupled.to_html()).table(TABLE)
    values = coupled.table().loc[("rule", "sex")]
    shown = dict(zip([cell["text"] for cell in header], row, strict=True))
    for title, measure in {
        "DR as defined": "discriminative_risk",
        "DR with coupled columns": "discriminative_risk_coupled",
        "DR, plausible rows only": "discriminative_risk_plausible",
        "Implausible rows": "implausible_share",
        "Implausible rows left": "implausible_share_coupled",
    }.items():
        assert float(shown[title]["value"]) == values[measure]
    assert values["discriminative_risk"] != values["discriminative_risk_coupled"]
    assert shown["Implausible rows left"]["value"] == "0.0"


def test_the_headline_stays_that_of_the_definition(audit, coupled, read):
    plain, page = read(audit().to_html()), read(coupled.to_html())
    sentence = "of people would get a different decision if only their sex were different"
    figure = f"{100 * coupled.table()['discriminative_risk'].item():.1f} %"
    assert f"{figure} {figure} {sentence}" in plain.text
    assert f"{figure} {sentence}" in page.text
    assert "with the rules for title" in page.text


def test_pairs_are_named_first_to_last_with_their_counts(people, coupled, read):
    page = read(coupled.to_html())
    _, first, second = page.table(PAIRS)
    expected = people["title"].value_counts()[["Mr", "Ms"]].sort_values(ascending=False)
    for row, (title, count) in zip((first, second), expected.items(), strict=True):
        becomes = {"Mr": "sex = F", "Ms": "sex = M"}[title]
        assert [cell["text"] for cell in row[:4]] == [becomes, f"title = {title}", f"{count}", "0"]
    assert f"with title = {expected.index[0]} ({expected.iloc[0]} rows)" in page.text


def test_rules_are_shown_in_words(coupled, read):
    assert "title when sex becomes F: Mr → Ms" in read(coupled.to_html()).text


def test_without_rules_there_is_no_word_of_coupling(audit, read):
    page = read(audit(reference=True).to_html())
    titles = [cell["text"] for cell in page.table(TABLE)[0]]
    assert "Implausible rows" in titles
    assert not [title for title in titles if "coupled" in title or "left" in title]
    assert "Left" not in [cell["text"] for cell in page.table(PAIRS)[0]]


def test_without_plausibility_the_section_is_left_out(audit):
    assert 'id="plausible"' not in audit().to_html()


def test_several_models_get_a_row_each(audit, read):
    models = {"rule": hires, "old": lambda X: (X["age"] > 50).astype(int)}
    page = read(audit(models, coupled=RULES).to_html())
    assert [cell["text"] for cell in page.column(TABLE, "Model")] == ["rule", "old"]


def test_names_cannot_break_the_page(people, read):
    X = people.replace({"title": {"Mr": "<script>alert(1)</script>"}})
    y = (X["age"] > 40).astype(int)
    rule = {"rule": lambda X: (X["age"] > 50).astype(int)}
    page = compare(rule, X, y, {"sex": "M"}, reference=True).to_html()
    assert "<script>alert" not in page
    assert "title = <script>alert(1)</script>" in read(page).text


def test_independent_columns_raise_no_alarm(read):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 12))).add_prefix("x").assign(group=[1] * 20 + [0] * 180)
    rule = {"rule": lambda X: (X["x0"] > 0).astype(int)}
    page = read(compare(rule, X, X["x1"] > 0, {"group": 0}, reference=True).to_html())
    assert "No implausible combination was found." in page.text
    assert "of the perturbed rows are implausible" not in page.text


def test_json_holds_the_pairs_and_the_rules(coupled):
    import json

    content = json.loads(coupled.to_json())
    assert content["settings"]["coupled"] == RULES
    assert content["settings"]["reference_rows"] == 400
    first = content["implausible_pairs"]["rule"][0]
    assert (first["column"], first["seen"]) == ("title", 0)
    assert content["implausible_pairs_coupled"] == {"rule": []}


class TestTheDrOfPlausibleRowsOfARange:
    X = pd.DataFrame({"age": [20, 30, 40, 50] * 50, "sex": ["m"] * 100 + ["f"] * 100})

    def compare(self, privileged, **options):
        rule = {"rule": lambda X: (X["age"] > 30).astype(int)}
        y, how = [0, 1] * 100, {"reference": self.X, "measures": ["discriminative_risk"]}
        return compare(rule, self.X, y, privileged, **how, **options)

    def test_has_a_reason_for_having_no_interval(self, read):
        found = self.compare({"age": at_least(35)}, n_boot=9)
        of_plausible = found.values[found.values["measure"] == "discriminative_risk_plausible"]
        assert of_plausible["low"].isna().all()
        assert "no interval where age is perturbed" in " ".join(iter_lacking_intervals(found))
        assert "no interval where age is perturbed" in read(found.to_html()).text

    @pytest.mark.parametrize(
        ("privileged", "n_boot"), [({"sex": "m"}, 9), ({"age": at_least(35)}, 0)]
    )
    def test_has_none_without_a_range_or_intervals(self, privileged, n_boot):
        found = self.compare(privileged, n_boot=n_boot)
        assert list(iter_lacking_intervals(found)) == []
