"""The notebooks are the "Get started" pages, and run."""

import importlib.util
import os
import re
import sys
from pathlib import Path

import pytest
from run_page import blocks, kept

ROOT = Path(__file__).parents[2]
SCRIPT = importlib.util.spec_from_file_location("notebooks", ROOT / "docs" / "make_notebooks.py")
notebooks = importlib.util.module_from_spec(SCRIPT)
SCRIPT.loader.exec_module(notebooks)

each_page = pytest.mark.parametrize("page", notebooks.PAGES, ids=lambda page: page.stem)


@each_page
def test_the_notebook_is_that_of_the_page(page):
    found = notebooks.get_path(page).read_text(encoding="utf-8")
    assert found == notebooks.format_notebook(page), "run python docs/make_notebooks.py"


@each_page
def test_the_notebook_has_all_blocks_of_code(page):
    written = [code for _, code, _ in blocks(page)]
    in_cells = [
        "".join(cell["source"])
        for cell in notebooks.make_notebook(page)["cells"]
        if cell["cell_type"] == "code"
    ]
    for code, cell in zip(written, in_cells, strict=True):
        assert code.strip() in cell or cell.startswith(notebooks.WHERE[:20])


@each_page
def test_links_of_the_notebook_lead_to_files(page):
    cells = notebooks.make_notebook(page)["cells"]
    text = "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    links = [link for link in re.findall(r"\]\(([^)#]+)", text) if "://" not in link]
    folder = notebooks.get_path(page).parent
    assert "{doc}" not in text
    assert [link for link in links if not (folder / link).exists()] == []


def test_text_that_is_no_output_stays_text():
    (cell,) = notebooks.make_cells("Like this:\n\n```text\n@marked\n```\n")
    assert "".join(cell["source"]) == "Like this:\n\n```text\n@marked\n```"


def test_an_output_belongs_to_the_code_before_it():
    code, text = notebooks.make_cells("```python\nprint(1)\n```\n\n```text\n1\n```\n\nEnd.\n")
    assert code["outputs"][0]["text"] == ["1\n"]
    assert text["source"] == ["End."]


@each_page
def test_the_notebook_runs_and_prints_what_it_shows(page, tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat", reason="needs the extra `notebooks`")
    nbclient = pytest.importorskip("nbclient", reason="needs the extra `notebooks`")
    pytest.importorskip("ipykernel", reason="needs the extra `notebooks`")
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    monkeypatch.setenv("PATH", programs)
    notebook = nbformat.read(notebooks.get_path(page), as_version=4)
    nbformat.validate(notebook)
    shown = [get_printed(cell) for cell in notebook.cells]
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=600, resources=resources).execute()
    for promised, cell in zip(shown, notebook.cells, strict=True):
        # Commands print in colour in a notebook; the tests of the pages compare them.
        if promised is not None and not cell.source.startswith("%%bash"):
            assert kept(promised, get_printed(cell)), cell.source


def get_printed(cell):
    outputs = [one for one in cell.get("outputs", []) if one.get("name") == "stdout"]
    return "".join(one["text"] for one in outputs) if outputs else None
