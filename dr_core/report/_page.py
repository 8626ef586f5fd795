"""The page of the report, rendered with Jinja2."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from dr_core.report._quantity import QuantityAudit, QuantitySections
from dr_core.report._sections import Sections
from dr_core.report._words import join_units

if TYPE_CHECKING:
    from dr_core.comparison import Comparison

__all__ = ["make_environment", "render", "render_quantity"]


def render(comparison: Comparison, title: str, facts: Mapping[str, str]) -> str:
    """Return the report of a comparison as HTML.

    Parameters
    ----------
    comparison : Comparison
    title : str
    facts : mapping
        Facts about the audit, shown before those of the comparison itself.
    """
    return _render(Sections(comparison), title, facts)


def render_quantity(audit: QuantityAudit, title: str, facts: Mapping[str, str]) -> str:
    """Return the report of a regressor as HTML; see `render`."""
    return _render(QuantitySections(audit), title, facts)


def _render(sections: Sections | QuantitySections, title: str, facts: Mapping[str, str]) -> str:
    style, script = _read_asset("style.css"), _read_asset("script.js")
    page = (
        make_environment()
        .get_template("page.html")
        .render(
            sections=sections,
            title=title,
            facts=facts,
            style=style,
            script=script,
            policy=_make_policy(style, script),
        )
    )
    # UTF-8 cannot encode a lone surrogate in a name: write it as "?".
    return page.strip().encode("utf-8", "replace").decode("utf-8") + "\n"


def make_environment() -> Any:
    """Return a Jinja2 environment that escapes all text and raises on undefined names."""
    try:
        import jinja2
    except ImportError as error:
        raise ImportError(
            "the report needs Jinja2; run pip install 'discriminative-risk[report]'"
        ) from error
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_read_asset),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["nobreak"] = join_units
    return environment


@cache
def _read_asset(name: str) -> str:
    return files("dr_core.report").joinpath(name).read_text(encoding="utf-8")


def _make_policy(style: str, script: str) -> str:
    """Return a content security policy that allows only this style and this script."""
    style_digest, script_digest = _compute_digest(style), _compute_digest(script)
    return (
        f"default-src 'none'; style-src {style_digest}; script-src {script_digest}; "
        "base-uri 'none'; form-action 'none'"
    )


def _compute_digest(content: str) -> str:
    return f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'"
