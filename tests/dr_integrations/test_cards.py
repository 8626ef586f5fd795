"""Sections of model cards."""

import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier
from skops.card import Card

from dr_core import compare
from dr_integrations import add_to_card

X = pd.DataFrame({"sex": [0, 1] * 20, "age": range(40)})
Y = [0, 1, 1, 1] * 10


@pytest.fixture(scope="module")
def tree():
    return DecisionTreeClassifier(random_state=0).fit(X, Y)


@pytest.fixture(scope="module")
def audit(tree):
    return compare({"tree": tree}, X, Y, {"sex": 1}, measures=["discriminative_risk", "accuracy"])


class TestSkops:
    def test_the_section_has_sentence_and_tables(self, tree, audit):
        card = Card(tree)
        assert add_to_card(card, audit) is card
        assert card.select("Discriminative risk").content == audit.to_markdown()
        assert "# Discriminative risk\n" in card.render()

    def test_the_section_can_be_inside_another(self, tree, audit):
        card = add_to_card(Card(tree), audit, section="Model description/Risk")
        assert "| discriminative risk |" in card.select("Model description/Risk").content

    def test_a_second_audit_replaces_the_first(self, tree, audit):
        card = add_to_card(add_to_card(Card(tree), audit), audit)
        assert card.render().count("Discriminative risk\n") == 1

    def test_the_card_can_be_saved_and_parsed(self, tree, audit, tmp_path):
        add_to_card(Card(tree), audit).save(tmp_path / "README.md")
        text = (tmp_path / "README.md").read_text(encoding="utf-8")
        assert audit.to_markdown().strip() in text


class TestMarkdown:
    def test_the_section_is_added_at_the_end(self, audit):
        text = add_to_card("# Tree\n\nA tree.\n", audit)
        assert text == f"# Tree\n\nA tree.\n\n## Discriminative risk\n\n{audit.to_markdown()}"

    def test_an_empty_card_becomes_the_section(self, audit):
        assert add_to_card("", audit).startswith("## Discriminative risk\n\n")

    def test_a_second_audit_replaces_the_first_in_place(self, audit):
        once = add_to_card("# Tree", audit) + "\n## Contact\n\nUs.\n"
        assert add_to_card(once, audit) == once

    def test_sections_inside_the_replaced_one_go_with_it(self, audit):
        old = "## Discriminative risk\n\n### Old\n\nold\n\n# Other\n"
        text = add_to_card(old, audit)
        assert "### Old" not in text
        assert text.endswith("\n\n# Other\n")
