"""Comparisons to report on, and a reader of HTML."""

from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

from dr_core import compare

PRIVILEGED = {"sex": 1, "race": 1}


class Reader(HTMLParser):
    """The elements of a page, its tables by caption, and all its text, as on a screen.

    The cells of rows under a title of their own have it as their "group".
    """

    VOID = frozenset({"meta", "rect", "path", "circle", "polyline"})

    def __init__(self, page):
        super().__init__()
        self.elements, self.tables, self.words, self.open = [], {}, [], []
        self.title, self.is_hidden = "", False
        self.feed(page)
        self.close()

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.elements.append((tag, attributes))
        if tag not in self.VOID:
            self.open.append(tag)
        if attributes.get("class") in ("printed", "scale") or tag == "button":
            self.is_hidden = tag != "button"
        if tag == "caption":
            self.caption = ""
        elif tag == "tr":
            self.row, self.is_title = [], attributes.get("class") == "group"
        elif tag in ("td", "th"):
            value = attributes.get("data-value")
            self.row.append({"text": "", "note": "", "value": value, "group": self.title})

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag
        if tag == "caption":
            self.tables[self.caption] = self.rows = []
            self.title = ""
        elif tag == "th":
            self.is_hidden = False
        elif tag == "tr" and self.is_title:
            self.title = self.row[0]["text"]
        elif tag == "tr":
            self.rows.append(self.row)

    def handle_data(self, data):
        if "script" in self.open or "style" in self.open or self.is_hidden:
            return
        self.words.append(data)
        if "caption" in self.open:
            self.caption += data
        elif "th" in self.open or "td" in self.open:
            self.row[-1]["note" if "small" in self.open else "text"] += data.strip("\n")

    def table(self, start):
        """Rows, headers first, of the table whose caption starts so."""
        return next(rows for caption, rows in self.tables.items() if caption.startswith(start))

    def column(self, start, title):
        rows = self.table(start)
        place = [cell["text"] for cell in rows[0]].index(title)
        return [row[place] for row in rows[1:]]


@pytest.fixture
def read():
    return Reader


@pytest.fixture(scope="session")
def people():
    rng = np.random.default_rng(0)
    columns = {"sex": (0, 2), "race": (0, 3), "score": (0, 100), "age": (18, 80)}
    return pd.DataFrame({name: rng.integers(*ends, 300) for name, ends in columns.items()})


@pytest.fixture(scope="session")
def labels(people):
    noise = np.random.default_rng(1).normal(0, 20, len(people))
    return (people["score"] + 25 * (people["sex"] == 1) + noise > 60).astype(int).to_numpy()


@pytest.fixture(scope="session")
def models(people, labels):
    forest = RandomForestClassifier(12, max_depth=6, random_state=0)
    return {
        "forest": forest.fit(people[:150], labels[:150]),
        "rule": lambda X: (X["score"] + 20 * (X["sex"] == 1) > 60).astype(int),
    }


@pytest.fixture(scope="session")
def comparison(people, labels, models):
    return compare(models, people, labels, PRIVILEGED, n_boot=50, random_state=0, ensembles=True)
