"""A section on discriminative risk in a model card."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dr_core import Comparison

__all__ = ["add_to_card"]

SECTION = "Discriminative risk"


def add_to_card(card: Any, comparison: Comparison, *, section: str = SECTION) -> Any:
    """Add the result of an audit to a model card; a section of the same name is replaced.

    Parameters
    ----------
    card : skops.card.Card, or str
        A card of skops, to which the section is added; or the text of a card in Markdown, which
        is not modified.
    comparison : Comparison
        Result of `dr_core.compare`. Individuals are not part of the section.
    section : str
        Title of the section. In a card of skops, "Evaluation/Discriminative risk" is a section
        inside another.

    Returns
    -------
    Card or str
        The same card, or the new text.

    Examples
    --------
    >>> from dr_core import compare, datasets
    >>> ricci = datasets.load("ricci")
    >>> rule = lambda X: (X["Combine"] > 70 + 5 * (X["Race"] != "W")).astype(int)
    >>> audit = compare({"rule": rule}, ricci.data, ricci.target, ricci.privileged)
    >>> print(add_to_card("# A rule", audit))
    # A rule
    <BLANKLINE>
    ## Discriminative risk
    <BLANKLINE>
    19.5 % of decisions would be different if only people's Race were different (average over all \
perturbations of a row).
    ...
    """
    from dr_core.plugins import drawing

    drawing.check_has("comparison", comparison, "group_rates", "the result of dr_core.compare")
    if isinstance(card, str):
        return _replace_section(card, section, comparison.to_markdown())
    drawing.check_has("card", card, "add", "a skops.card.Card, or Markdown as a str")
    return card.add(**{section: comparison.to_markdown()})


def _replace_section(text: str, section: str, content: str) -> str:
    r"""Return Markdown with a section of level 2, at its old place or at the end.

    >>> print(_replace_section("## Risk\n\nold\n\n## Use\n\nfine", "Risk", "new"))
    ## Risk
    <BLANKLINE>
    new
    <BLANKLINE>
    ## Use
    <BLANKLINE>
    fine
    <BLANKLINE>
    """
    heading = f"## {section}"
    # From the heading to the next one of level 1 or 2, or to the end of the text.
    found = re.search(rf"^{re.escape(heading)} *$.*?(?=^##? |\Z)", text, re.DOTALL | re.MULTILINE)
    start, end = found.span() if found else (len(text), len(text))
    blocks = text[:start].strip(), f"{heading}\n\n{content.strip()}", text[end:].strip()
    return "\n\n".join(filter(None, blocks)) + "\n"
