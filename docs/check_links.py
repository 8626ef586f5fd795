"""Check every link of the built site that stays within it: `python docs/check_links.py SITE`."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

FROM_ELSEWHERE = ("http:", "https:", "mailto:", "data:", "javascript:")


class Page(HTMLParser):
    """What a page links to, and the places in it that others can link to."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.anchors |= {attributes[key] for key in ("id", "name") if attributes.get(key)}
        self.links += [attributes[key] for key in ("href", "src") if attributes.get(key)]


def broken_links(site):
    """Links of all pages that lead nowhere, as (page, link)."""
    site = Path(site).resolve()
    files = [path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]
    pages = {path: Page(path) for path in files}
    return [
        (path.relative_to(site).as_posix(), link)
        for path, page in pages.items()
        for link in page.links
        if not link.startswith(FROM_ELSEWHERE) and not _leads_somewhere(path, link, pages)
    ]


def _leads_somewhere(path, link, pages):
    address, anchor = urldefrag(unquote(link))
    address = address.partition("?")[0]
    target = (path.parent / address).resolve() if address else path
    # Listings of source name an object by one of its addresses, not always that of its page.
    if target in pages and "_modules" not in path.parts:
        return anchor in pages[target].anchors
    return target.is_file()


if __name__ == "__main__":
    broken = broken_links(sys.argv[1])
    sys.exit("\n".join(f"{page}: {link}" for page, link in broken) or 0)
