"""The HTML report of a comparison: one self-contained file.

`_words` formats text, `_drawings` tables and plots. `_facts`, `_sections`, `_plausible` and
`_votes` fill them from a `Comparison`, `_quantity` from a `QuantityAudit`. `_page` renders the
page with Jinja2.
"""

from dr_core.report._facts import collect_facts
from dr_core.report._page import make_environment, render, render_quantity
from dr_core.report._quantity import QuantityAudit, format_amount, format_shift
from dr_core.report._sections import MIN_GROUP_ROWS, format_headline
from dr_core.report._words import format_number, format_signed

__all__ = [
    "MIN_GROUP_ROWS",
    "QuantityAudit",
    "collect_facts",
    "format_amount",
    "format_headline",
    "format_number",
    "format_shift",
    "format_signed",
    "make_environment",
    "render",
    "render_quantity",
]
