"""The HTML report of a comparison: one self-contained file.

`_words` formats text, `_drawings` has tables with dots and intervals, `_plots` larger pictures. A
file for each section fills them from the `_values` of a `Comparison`: `_headline`, `_groups`,
`_measures`, `_directions`, `_plausible`, `_individuals`, `_untested`, `_evidence`, `_facts` and
`_votes`. `_sections` puts them together, `_quantity` does so for a `QuantityAudit`. `_page`
renders the page with Jinja2.
"""

from dr_core.report._facts import collect_facts
from dr_core.report._groups import iter_impact_sentences
from dr_core.report._headline import format_headline
from dr_core.report._page import make_environment, render, render_quantity
from dr_core.report._plausible import iter_lacking_intervals, iter_next_steps
from dr_core.report._quantity import QuantityAudit, format_amount, format_shift
from dr_core.report._untested import describe_left_out
from dr_core.report._values import MIN_GROUP_ROWS
from dr_core.report._words import format_measure, format_measure_ends

__all__ = [
    "MIN_GROUP_ROWS",
    "QuantityAudit",
    "collect_facts",
    "describe_left_out",
    "format_amount",
    "format_headline",
    "format_measure",
    "format_measure_ends",
    "format_shift",
    "iter_impact_sentences",
    "iter_lacking_intervals",
    "iter_next_steps",
    "make_environment",
    "render",
    "render_quantity",
]
