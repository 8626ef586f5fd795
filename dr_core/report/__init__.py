"""The HTML report of a comparison: one file that needs nothing else.

`words` is plain language, `drawings` what pictures look like, `tables` the generic table;
`facts`, `sections` and `votes` fill them from a `Comparison`, and `page` renders all with Jinja2.
"""

from dr_core.report._page import environment, render

__all__ = ["environment", "render"]
