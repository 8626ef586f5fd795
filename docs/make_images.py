"""Draw the pictures of README and docs from real runs: `python docs/make_images.py`."""

import io
import re
from pathlib import Path

from rich.console import Console

from dr_core.cli import main

IMAGES = Path(__file__).parent / "images"


def terminal(name, arguments):
    """A command and what it prints, as an SVG."""
    console = Console(
        record=True, width=112, file=io.StringIO(), force_terminal=True, highlight=False
    )
    console.print(f"$ dr-audit {' '.join(arguments)}\n", style="dim")
    main(arguments, console=console)
    svg = console.export_svg(title="dr-audit", unique_id="dr-audit")
    # The fonts it names would be fetched from elsewhere; the reader's own will do.
    svg = re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    (IMAGES / f"{name}.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    terminal("dr-audit-income", ["income"])
