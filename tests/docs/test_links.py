"""The checker of the built site's links finds what leads nowhere, and nothing else."""

import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def broken_links(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    monkeypatch.delitem(sys.modules, "check_links", raising=False)
    from check_links import broken_links

    return broken_links


@pytest.fixture
def site(tmp_path):
    (tmp_path / "guide").mkdir()
    (tmp_path / "guide" / "page.html").write_text('<h2 id="here">A title</h2>')
    (tmp_path / "picture.svg").touch()
    return tmp_path


@pytest.mark.parametrize(
    "link",
    [
        "guide/page.html",
        "guide/page.html#here",
        "picture.svg",
        "picture.svg?v=1",
        "#top",
        "https://example.org/nowhere",
    ],
)
def test_a_link_that_leads_somewhere_is_not_reported(link, site, broken_links):
    (site / "index.html").write_text(f'<p id="top"><a href="{link}">there</a>')
    assert broken_links(site) == []


@pytest.mark.parametrize("link", ["guide/gone.html", "guide/page.html#gone", "gone.svg", "#gone"])
def test_a_link_that_leads_nowhere_is_reported(link, site, broken_links):
    (site / "index.html").write_text(f'<a href="{link}">there</a><img src="picture.svg">')
    assert broken_links(site) == [("index.html", link)]
