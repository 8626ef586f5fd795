import json
import re
import sys

import pytest

from dr_core import datasets
from dr_core.cli._main import main


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_report_is_written_beside_the_table(capsys, tmp_path):
    html, values = tmp_path / "credit.html", tmp_path / "credit.json"
    code, out, err = run(capsys, "credit", "--html", html, "--json", values)
    assert (code, err) == (0, "")
    assert "discriminative risk" in out
    page = html.read_text(encoding="utf-8")
    assert "Audit of credit" in page
    assert "credit, 300 of 1,000 rows" in page
    assert "random forest trained on the other rows" in page
    assert "Bounds on the discriminative risk of the vote" in page
    for value in json.loads(values.read_text())["values"]:
        assert value["value"] is None or f'data-value="{value["value"]!r}"' in page


def test_people_are_shown_only_when_asked_for(capsys, tmp_path):
    html = tmp_path / "ricci.html"
    for individuals, shown in (((), False), (("--individuals", 3), True)):
        code, _, _ = run(capsys, "ricci", "--html", html, *individuals)
        assert code == 0
        assert ("Personal data." in html.read_text(encoding="utf-8")) == shown


def test_people_are_found_in_the_input(capsys, tmp_path):
    html = tmp_path / "credit.html"
    assert run(capsys, "credit", "--html", html, "--individuals", 3)[0] == 0
    page = html.read_text(encoding="utf-8")
    table = page[page.index("people whose decision may change") :]
    titles = re.findall(r'scope="col"><button type="button">(.*?)</button>', table)
    rows = re.findall("<tr>(.*?)</tr>", table.partition("<tbody>")[2], re.DOTALL)[:3]
    data = datasets.load("credit").data
    for row in rows:
        cells = dict(zip(titles, re.findall(r'data-title=".*?">(.*?)<', row), strict=False))
        person = data.loc[int(cells["Row"])]
        assert [cells[name] for name in ("sex", "age", "month")] == [
            str(person[name]) for name in ("sex", "age", "month")
        ]


BAD = {
    "people without a report": (("ricci", "--individuals", "3"), "add --html FILE"),
    "people of a quantity": (
        ("lawschool", "--html", "{folder}/a.html", "--individuals", "3"),
        "--individuals needs a label with classes",
    ),
    "an absent folder": (("ricci", "--html", "no/such/a.html"), "No such file or directory"),
    "a folder": (("ricci", "--html", "{folder}"), "Is a directory"),
    "a negative number of people": (
        ("ricci", "--html", "{folder}/a.html", "--individuals", "-1"),
        "individuals must be an integer of at least 0",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_one_clear_line_and_writes_nothing(capsys, tmp_path, case):
    arguments, message = BAD[case]
    code, out, err = run(capsys, *(argument.format(folder=tmp_path) for argument in arguments))
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert message in err
    assert list(tmp_path.iterdir()) == []


def test_without_jinja2_the_error_comes_before_the_work(capsys, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    module = sys.modules["dr_core.cli._main"]
    monkeypatch.setattr(module, "_prepare", lambda _: pytest.fail("worked in vain"))
    code, _, err = run(capsys, "ricci", "--html", tmp_path / "a.html")
    assert code == 2
    assert "pip install 'discriminative-risk[report]'" in err
