import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

from dr_core import Comparison, OneHot, Predictions, at_least, compare, learn_attributes

PRIVILEGED = {"sex": 1, "race": 1}

HOSTILE = [
    "</script><script>window.hacked = 1</script>",
    "\"><img src=x onerror='window.hacked = 1'>",
    "`${window.hacked = 1}` \\ &amp; <b>bold</b>",
    "{{ 7 * 7 }} {% raw %} {# #}",
    "😀 \u202ebackwards ünïcode",
    "x" * 200,
]


def rule(X):
    return (X["score"] + 20 * (X["sex"] == 1) > 60).astype(int)


@pytest.fixture
def page(comparison):
    return comparison.to_html()


def test_the_page_needs_nothing_else(page, read):
    assert "http://" not in page
    assert "https://" not in page
    assert not {"link", "img", "iframe", "object"} & {tag for tag, _ in read(page).elements}
    assert "src=" not in page


def test_nothing_but_the_pages_own_script_and_style_may_run(page, read):
    policy = next(a["content"] for _, a in read(page).elements if "http-equiv" in a)
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert not any(name.startswith(("on", "style")) for _, a in read(page).elements for name in a)


def test_every_table_has_a_caption_and_headers_with_a_scope(page, read):
    elements = read(page).elements
    tags = [tag for tag, _ in elements]
    assert tags.count("caption") == tags.count("table") > 5
    assert all(a.get("scope") in ("col", "row", "rowgroup") for tag, a in elements if tag == "th")


def test_every_drawing_is_described_or_hidden_from_screen_readers(page, read):
    drawings = [a for tag, a in read(page).elements if tag == "svg"]
    assert all(a.get("aria-hidden") == "true" or a.get("role") == "img" for a in drawings)
    ids = {a["id"] for _, a in read(page).elements if "id" in a}
    named = [a["aria-labelledby"] for _, a in read(page).elements if "aria-labelledby" in a]
    assert {name for names in named for name in names.split()} <= ids


def test_settings_and_versions_are_shown(page, read):
    text = read(page).text
    for fact in ("300", "sex = 1; race = 1", "forest: RandomForestClassifier; rule: function"):
        assert fact in text
    for package in ("Python", "numpy", "pandas", "scikit-learn", "discriminative-risk"):
        assert f"{package} " in text
    assert f"seed {0} " in text
    assert "UTC" in text


def test_it_says_that_no_risk_is_not_enough(page, read):
    assert "A discriminative risk of 0 does not show that a model is fair" in read(page).text


def test_facts_of_the_caller_come_first_and_win(comparison, read):
    text = read(comparison.to_html(facts={"data": "loans", "rows": "many"}, title="Loans")).text
    assert text.startswith("Loans Fairness audit Loans")
    assert "data loans rows many models" in text


def test_individuals_are_left_out_by_default(people, labels, read):
    named = people.assign(name=[f"citizen {i}" for i in range(len(people))])
    options = {"measures": ["discriminative_risk"]}
    page = compare({"rule": rule}, named, labels, PRIVILEGED, **options).to_html()
    assert "citizen" not in page
    some = compare({"rule": rule}, named, labels, PRIVILEGED, individuals=3, **options)
    page = read(some.to_html())
    column = page.column("rule: 3 of", "name")
    assert [cell["text"] for cell in column] == [
        f"citizen {i}" for i in some.individuals["rule"].rows
    ]
    assert "Personal data." in page.text
    assert "citizen" not in some.to_json()


def test_sensitive_columns_of_individuals_come_first(people, labels):
    X = people[["score", "race", "age", "sex"]]
    some = compare({"rule": rule}, X, labels, PRIVILEGED, individuals=2).individuals["rule"]
    assert some.features.columns.tolist() == ["sex", "race", "score", "age"]
    assert (some.risks > 0).all()


def test_a_comparison_of_predictions_alone_is_reported(people, labels, read):
    given = Predictions(rule(people), rule(people.assign(sex=1 - people["sex"])))
    page = read(compare({"given": given}, people, labels, {"sex": 1}).to_html())
    assert (
        "of people would get a different decision if only their sex were different." in page.text
    )


def test_an_unknown_risk_is_not_shown(people, labels, read):
    with pytest.warns(UserWarning, match="undefined"):
        comparison = compare({"given": Predictions(rule(people))}, people, labels, PRIVILEGED)
    page = read(comparison.to_html())
    assert "decisions that depend on sex and race is unknown" in page.text
    column = page.column("Discriminative risk of each attribute", "Discriminative risk (DR)")
    assert {cell["text"] for cell in column} == {"undefined"}
    assert not any("by group" in caption for caption in page.tables)


def test_a_comparison_without_risk_is_reported(people, labels, read):
    comparison = compare({"rule": rule}, people, labels, PRIVILEGED, measures=["accuracy"])
    page = read(comparison.to_html())
    assert "Discriminative risk was not measured." in page.text
    assert "Fairness measures" not in page.text
    assert "Signed gaps" not in page.text


def test_without_a_bootstrap_no_interval_is_shown(people, labels, read):
    page = read(compare({"rule": rule}, people, labels, PRIVILEGED).to_html())
    assert "none (n_boot=0)" in page.text
    assert "% interval" not in page.text


def test_values_alone_can_be_reported(comparison, read):
    page = read(Comparison(comparison.values).to_html())
    assert page.tables.keys() == {
        "Signed gaps: marginalised minus privileged",
        "Fairness measures without a sign",
        "Discriminative risk of each attribute alone and of all together",
        "Performance over all rows",
    }


def test_changes_among_unfavourable_classes_have_their_own_column(people, read):
    classes = lambda X: np.where(X["score"] > 60, 2, X["sex"])  # noqa: E731
    y = np.arange(len(people)) % 3
    comparison = compare({"m": classes}, people, y, {"sex": 1}, favorable=2)
    page = read(comparison.to_html())
    (cell,) = page.column("Discriminative risk of each attribute", "Would change")
    assert float(cell["value"]) == comparison.directions["other"].item()
    assert comparison.directions["other"].item() > 0
    assert comparison.directions["loses"].item() == comparison.directions["gains"].item() == 0


@pytest.mark.parametrize("kind", [pl.from_pandas, pd.DataFrame.to_numpy])
def test_other_kinds_of_tables_are_reported(people, labels, kind):
    X = kind(people)
    keys = {"sex": 1} if isinstance(X, pl.DataFrame) else {0: 1}
    model = lambda X: (np.asarray(X)[:, 2] + 20 * np.asarray(X)[:, 0] > 60).astype(int)  # noqa: E731
    page = compare({"m": model}, X, labels, keys, individuals=2).to_html()
    assert "of people would get a different decision" in page


def test_hostile_names_are_text_and_nothing_else(read):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.choice(HOSTILE, 200) for name in HOSTILE})
    model = lambda X: np.where(X[HOSTILE[0]] == HOSTILE[1], HOSTILE[2], HOSTILE[3])  # noqa: E731
    comparison = compare(
        dict.fromkeys(HOSTILE, model),
        X,
        rng.choice(HOSTILE[2:4], 200),
        {HOSTILE[0]: HOSTILE[1], HOSTILE[4]: HOSTILE[5]},
        favorable=HOSTILE[2],
        individuals=3,
        measures=["discriminative_risk", "accuracy"],
    )
    page = read(comparison.to_html(title=HOSTILE[0], facts={HOSTILE[1]: HOSTILE[2]}))
    tags = [tag for tag, _ in page.elements]
    assert (tags.count("script"), tags.count("img"), tags.count("b")) == (1, 0, 0)
    cells = {cell["text"] for rows in page.tables.values() for row in rows for cell in row}
    assert set(HOSTILE) <= cells


def test_a_lone_surrogate_does_not_prevent_the_report(comparison, tmp_path):
    comparison.to_html(tmp_path / "report.html", title="\ud800")
    assert "<h1>?</h1>" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_without_jinja2_the_error_names_the_extra(comparison, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"pip install 'discriminative-risk\[report\]'"):
        comparison.to_html()


def test_the_most_affected_group_is_that_of_the_highest_rate(read):
    # 900 women of whom 90 change, 100 men of whom 60 change, and 5 others, who all change.
    X = pd.DataFrame({"sex": ["F"] * 900 + ["M"] * 100 + ["X"] * 5, "i": [*range(1000)] + [0] * 5})
    changes = {"F": X["i"] < 90, "M": X["i"] < 960, "X": X["i"] == 0}
    risky = np.select([X["sex"] == sex for sex in changes], list(changes.values()))
    y = np.zeros(len(X), int)
    given = Predictions(y, risky.astype(int))
    measures = {"measures": ["discriminative_risk"], "labels": [0, 1]}
    page = compare({"m": given}, X, y, {"sex": "M"}, **measures).to_html()
    sentence = (
        "Most affected group of at least 30 rows: M, 60.0 % of 100 rows (38.7 % of all changes); "
        "0.0 % would lose the favourable decision, 60.0 % would gain it."
    )
    assert sentence in read(page).text


@pytest.mark.parametrize(
    ("risk_change", "loss", "shown", "hidden"),
    [
        ((-0.1, -0.02), 0.01, "The suggested sub-ensemble has", "Other ways to lower"),
        ((-0.1, 0.03), 0.0, "Other ways to lower the discriminative risk", "Members of the sugg"),
        (
            (-0.1, -0.02),
            0.03,
            "Other ways to lower the discriminative risk",
            "Members of the sugg",
        ),
    ],
)
def test_a_smaller_vote_is_suggested_only_if_held_out_rows_support_it(
    comparison, read, risk_change, loss, shown, hidden
):
    found = comparison.ensembles["forest"]
    scores = found.scores.assign(error=0.25, balanced_accuracy=0.75)
    scores.loc[scores["vote"] == "suggested", "balanced_accuracy"] -= loss
    ensembles = {"forest": replace(found, risk_change=risk_change, scores=scores)}
    page = read(replace(comparison, ensembles=ensembles).to_html())
    assert shown in page.text
    assert hidden not in page.text
    ends = "{:+.1f} to {:+.1f}".format(*(100 * end for end in risk_change)).replace("-", "−")
    assert f"interval of the change of the risk: {ends} percentage points" in page.text
    assert any(c.startswith("Pareto") for c in page.tables) == shown.startswith("The suggested")


def test_the_scores_of_a_vote_are_about_the_favourable_label(people, labels, models, read):
    forest = {"m": models["forest"]}
    found = compare(forest, people, labels, PRIVILEGED, favorable=0, ensembles=True)
    better = replace(found.ensembles["m"], risk_change=(-0.2, -0.1))
    scores = better.scores.assign(error=0.25, balanced_accuracy=0.75)
    page = read(replace(found, ensembles={"m": replace(better, scores=scores)}).to_html())
    header = page.table("The full and the suggested vote")[0]
    notes = {cell["text"]: cell["note"] for cell in header}
    assert notes["Recall"] == "of the favourable label 0"
    assert notes["Selection rate"] == "share predicted as the favourable label 0"


def test_one_table_has_the_rates_of_every_group(comparison, read):
    table = read(comparison.to_html()).table("Rates by group")
    titles = [cell["text"] for cell in table[0]]
    assert titles[:4] == ["Group", "Model", "Rows", "DR"]
    rates = comparison.group_rates.set_index(["attribute", "group", "model", "measure"])
    assert len(table) - 1 == 2 * (2 + 3 + 6)
    names = {"Selection rate": "selection_rate", "Impact ratio": "impact_ratio"}
    names["DR"] = "discriminative_risk"
    for row in table[1:]:
        cells = dict(zip(titles, row, strict=True))
        title = cells["Group"]["group"]
        attribute = "all" if title == "sex and race: intersections" else title
        for title, measure in names.items():
            value = rates.loc[(attribute, cells["Group"]["text"], cells["Model"]["text"], measure)]
            assert float(cells[title]["value"]) == value["value"]
        assert ("below four fifths" in cells["Impact ratio"]["note"]) == (
            float(cells["Impact ratio"]["value"]) < 0.8
        )


def test_the_flow_has_the_shares_before_and_after(people, labels, read):
    comparison = compare({"rule": rule}, people, labels, PRIVILEGED)
    now = rule(people).mean()
    loses, gains = comparison.directions.iloc[-1][["loses", "gains"]]
    text = read(comparison.to_html()).text
    assert f"{100 * now:.1f} % of the decisions are favourable now" in text
    assert f"{100 * (now - loses + gains):.1f} % after the perturbation" in text
    assert f"favourable {100 * now:.1f} %" in text
    assert f"unfavourable {100 * (1 - now + loses - gains):.1f} %" in text


def test_individuals_have_their_decision_before_and_after_and_the_perturbation(people, labels):
    some = compare({"rule": rule}, people, labels, PRIVILEGED, individuals=9).individuals["rule"]
    assert len(some.rows) == 9
    for i, row in enumerate(some.rows):
        person = people.iloc[[row]]
        changed = person.assign(**some.perturbed[i])
        assert all(person[name].item() != value for name, value in some.perturbed[i].items())
        assert rule(person).item() == some.predictions[i] != some.predictions_after[i]
        assert rule(changed).item() == some.predictions_after[i]


def test_individuals_are_shown_with_what_changes(people, labels, read):
    comparison = compare({"rule": rule}, people, labels, {"sex": 1}, individuals=2)
    page = read(comparison.to_html())
    some = comparison.individuals["rule"]
    decisions = [cell["text"] for cell in page.column("rule: 2 of", "Decision")]
    pairs = zip(some.predictions, some.predictions_after, strict=True)
    assert decisions == [f"{now} → {then}" for now, then in pairs]
    ifs = [cell["text"] for cell in page.column("rule: 2 of", "If")]
    assert ifs == [f"sex = {one['sex']}" for one in some.perturbed]


def test_columns_that_were_not_perturbed_are_named(comparison, read):
    text = read(comparison.to_html()).text
    assert "Columns that were not perturbed: score and age." in text


def test_one_hot_and_coupled_columns_are_perturbed(people, labels, read):
    title = np.random.default_rng(2).integers(0, 2, len(people))
    X = pd.get_dummies(people.assign(title=title), columns=["sex", "title"], dtype=int)
    rules = {"title": {"sex": {"sex_0": {1: 0}, "sex_1": {0: 1}}}}
    sex = {"sex": OneHot(["sex_0", "sex_1"], privileged="sex_1")}
    one_hot = {"rule": lambda X: X["score"] + 20 * X["title_1"] > 60}
    found = compare(one_hot, X, labels, learn_attributes(X, sex, coupled=rules))
    assert found.settings["unperturbed"] == ["race", "score", "age"]
    assert "not perturbed: race, score and age." in read(found.to_html()).text


def test_without_other_columns_none_are_named_as_not_perturbed(people, labels, read):
    X, measures = people[["sex"]], ["accuracy"]
    found = compare({"rule": lambda X: X["sex"]}, X, labels, {"sex": 1}, measures=measures)
    assert "Columns that were not perturbed" not in read(found.to_html()).text


def test_the_table_of_groups_says_which_attributes_its_risk_perturbs(
    comparison, people, labels, read
):
    sentence = "DR of the intersections is that of perturbing all attributes together"
    assert sentence in read(comparison.to_html()).text
    one = compare({"rule": rule}, people, labels, {"sex": 1})
    assert sentence not in read(one.to_html()).text


def test_what_was_not_tested_agrees_with_the_headline_on_missing_values(people, labels, read):
    X = people.astype({"sex": object, "race": object})
    X.loc[X.index[:1], "sex"] = None
    X.loc[X.index[1:4], "race"] = None
    attributes = learn_attributes(X, {"sex": 1, "race": 1}, missing="keep")
    fixed = lambda X: (X["age"] > 40).astype(int)  # noqa: E731
    text = read(compare({"m": fixed}, X, labels, attributes).to_html()).text
    assert "4 rows with a missing value were perturbed in the other attributes only" in text
    assert "where they are missing: sex in 1 row and race in 3 rows." in text
    assert "Rows without" not in text


@pytest.mark.parametrize(("privileged", "shown"), [(at_least(40), True), (40, False)])
def test_ranges_are_explained_where_one_is_privileged(people, labels, read, privileged, shown):
    X = people.assign(age=20 * (people["age"] // 20))
    comparison = compare({"rule": rule}, X, labels, {"age": privileged}, measures=["f1"])
    assert (
        "drawn as often as the values inside occur" in read(comparison.to_html()).text
    ) == shown


def test_directions_in_the_headline_are_of_the_same_rows_as_the_risk(people, labels, read):
    X = people.assign(sex=people["sex"].astype(float).where(people["age"] > 40))
    attributes = learn_attributes(X, {"sex": 1.0}, missing="keep")
    comparison = compare({"rule": rule}, X, labels, attributes)
    risk = comparison.table()["discriminative_risk"].item()
    known = rule(X[X["age"] > 40]), rule(X[X["age"] > 40].assign(sex=lambda X: 1 - X["sex"]))
    loses, gains = ((known[0] > known[1]).mean(), (known[0] < known[1]).mean())
    text = read(comparison.to_html()).text
    assert f"{100 * risk:.1f} % of people would get a different decision" in text
    assert f"{100 * loses:.1f} % would lose the favourable decision, {100 * gains:.1f} %" in text


def test_local_law_144_is_shown_on_request_and_lists_what_it_leaves_out(comparison, read):
    assert "Local Law 144" not in comparison.to_html()
    asked = replace(comparison, evidence={"local_law_144": True})
    page = read(asked.to_html())
    assert "not legal advice" in page.text
    for name in ("sex", "race", "intersections"):
        table = page.table(f"Impact ratios, {name}, rule")
        assert "100.0 %" in [row[3]["text"] for row in table[1:]]


def test_every_cell_says_its_column_for_narrow_screens(page, read):
    cells = [
        a
        for tag, a in read(page).elements
        if tag in ("td", "th") and a.get("scope") not in ("col", "rowgroup")
    ]
    assert cells
    assert all(a["data-title"] for a in cells)
