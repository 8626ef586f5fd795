"""The page itself."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from dr_core.report._sections import Sections

if TYPE_CHECKING:
    from dr_core.comparison import Comparison

__all__ = ["environment", "render"]


def render(comparison: Comparison, title: str, facts: Mapping[str, str]) -> str:
    """Write the report of a comparison.

    Parameters
    ----------
    comparison : Comparison
    title : str
    facts : mapping
        What else to say about the audit; it goes before what the comparison knows itself.
    """
    style, script = _asset("style.css"), _asset("script.js")
    page = (
        environment()
        .get_template("page.html")
        .render(
            sections=Sections(comparison),
            title=title,
            facts=facts,
            style=style,
            script=script,
            policy=_policy(style, script),
        )
    )
    # A lone surrogate in a name has no place in a file.
    return page.strip().encode("utf-8", "replace").decode("utf-8") + "\n"


def environment() -> Any:
    """Make a Jinja2 environment that escapes everything and lets nothing undefined pass."""
    try:
        import jinja2
    except ImportError as error:
        raise ImportError(
            "the report needs Jinja2: pip install 'discriminative-risk[report]'"
        ) from error
    return jinja2.Environment(
        loader=jinja2.FunctionLoader(_asset),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _asset(name: str) -> str:
    return files("dr_core.report").joinpath(name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Allow the page's own style and script, by their digests, and nothing else."""
    return (
        f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(content: str) -> str:
    return f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'"
