"""Write the "Get started" pages as notebooks: `python docs/make_notebooks.py`.

Text becomes Markdown cells, code becomes code cells, and the output that a page shows is that of
its cell. `tests/docs/test_notebooks.py` compares the notebooks with the pages and runs them.
"""

import json
import re
from pathlib import Path

HERE = Path(__file__).parent
PAGES = [HERE / "get_started" / f"{name}.md" for name in ("fairlearn", "aif360", "auditors")]
BLOCK = re.compile(r"^```(python|bash|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
INSTALLATION = re.compile(r'pip install "\.\[(.+)\]"')
WHERE = """\
# The checkout is two folders above this notebook. Elsewhere, such as on Colab, upload the checkout
# first and write its path in place of ../..
%pip install --quiet "../..[{}]"
"""
SKIPPED = "skip-execution"
"""Cells with this tag are not run by nbclient: the tests have installed the library already."""


def make_notebook(page):
    """Return the notebook of a page, as what its JSON file holds."""
    cells = list(make_cells(page.read_text(encoding="utf-8")))
    for i, cell in enumerate(cells):
        cell["id"] = f"{page.stem}-{i}"
    return {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def make_cells(text):
    """Yield the cells of a page; a shown output belongs to the code before it."""
    code, end = None, 0
    for block in BLOCK.finditer(text):
        between = text[end : block.start()].strip()
        language, content = block.groups()
        if language == "text" and (code is None or between):
            continue  # no output, but a part of the text
        end = block.end()
        if language == "text":
            code["outputs"] = [{"name": "stdout", "output_type": "stream", "text": split(content)}]
            continue
        yield from filter(None, [code, between and make_text_cell(between)])
        code = make_code_cell(language, content)
    yield from filter(None, [code, text[end:].strip() and make_text_cell(text[end:].strip())])


def make_text_cell(text):
    return {"cell_type": "markdown", "metadata": {}, "source": split(resolve_links(text))}


def make_code_cell(language, code):
    """Return a cell of Python; a command becomes a cell of bash, or the installation."""
    installation = INSTALLATION.match(code)
    if installation:
        code = WHERE.format(installation[1])
    elif language == "bash":
        code = f"%%bash\n{code}"
    metadata = {"tags": [SKIPPED]} if installation else {}
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": metadata,
        "outputs": [],
        "source": split(code.rstrip("\n")),
    }


def split(text):
    """Return lines with their ends, as notebooks keep them.

    >>> split("a\\nb")
    ['a\\n', 'b']
    """
    return text.splitlines(keepends=True)


def resolve_links(text):
    """Return Markdown whose references to pages are links to their sources.

    >>> resolve_links("{doc}`../pruning` and {doc}`../examples/plot_age`")
    '[pruning](../pruning.md) and [plot_age](../gallery/plot_age.py)'
    """
    text = re.sub(r"\{doc\}`\.\./examples/(\w+)`", r"[\1](../gallery/\1.py)", text)
    return re.sub(r"\{doc\}`\.\./(\w+)`", r"[\1](../\1.md)", text)


def format_notebook(page):
    return json.dumps(make_notebook(page), indent=1, ensure_ascii=False) + "\n"


def get_path(page):
    return HERE / "notebooks" / f"{page.stem}.ipynb"


if __name__ == "__main__":
    for page in PAGES:
        get_path(page).parent.mkdir(exist_ok=True)
        get_path(page).write_text(format_notebook(page), encoding="utf-8")
