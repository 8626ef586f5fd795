import json
import re
import sys

import pandas as pd
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
        shown = value["value"] if value["signed"] is None else value["signed"]
        assert shown is None or f'data-value="{shown!r}"' in page


def test_people_are_shown_only_when_asked_for(capsys, tmp_path):
    html = tmp_path / "ricci.html"
    for individuals, shown in (((), False), (("--individuals", 3), True)):
        code, _, _ = run(capsys, "ricci", "--html", html, *individuals)
        assert code == 0
        assert ("Personal data." in html.read_text(encoding="utf-8")) == shown


def read_people(html):
    """Rows of the table of individuals, as a mapping from the titles to the texts."""
    page = html.read_text(encoding="utf-8")
    table = page[page.index('<section id="individuals"') :].partition("</table>")[0]
    titles = re.findall('<button type="button">(.*?)</button>', table)
    rows = re.findall("<tr>(.*?)</tr>", table.partition("<tbody>")[2], re.DOTALL)
    cells = (re.findall(r'data-title=".*?">(.*?)<', row) for row in rows)
    return [dict(zip(titles, one, strict=True)) for one in cells]


def test_people_are_found_in_the_input(capsys, tmp_path):
    html = tmp_path / "credit.html"
    assert run(capsys, "credit", "--html", html, "--individuals", 3)[0] == 0
    data = datasets.load("credit").data
    people = read_people(html)
    assert len(people) == 3
    for cells in people:
        person = data.loc[int(cells["Row"]) - 1]
        for name in ("sex", "age", "month"):
            assert cells[name] == str(person[name])
        now, then = cells["Decision"].split(" → ")
        assert {now, then} == {"0", "1"}
        assert all(f"{name} = {person[name]}" not in cells["If"] for name in ("sex", "age"))


def test_people_are_named_by_their_identifier_which_no_model_is_trained_on(
    capsys, tmp_path, ricci
):
    frame = pd.read_csv(ricci)
    frame.insert(0, "Candidate", [f"C{7 * i}" for i in range(len(frame))])
    frame.to_csv(tmp_path / "a.csv", index=False)
    html = tmp_path / "a.html"
    audit = ("--label", "Class", "--privileged", "Race=W", "--html", html, "--individuals", 3)
    code, _, err = run(capsys, tmp_path / "a.csv", *audit)
    assert "--id Candidate" in err
    code, _, err = run(capsys, tmp_path / "a.csv", *audit, "--id", "Candidate")
    assert (code, "Candidate" in err) == (0, False)
    for cells in read_people(html):
        assert cells["Candidate"] == f"C{7 * (int(cells['Row']) - 1)}"


def test_people_of_a_quantity_are_those_whose_prediction_moves_furthest(capsys, tmp_path):
    html = tmp_path / "law.html"
    assert run(capsys, "lawschool", "--html", html, "--individuals", 3)[0] == 0
    people = read_people(html)
    sizes = [float(cells["Mean shift"]) for cells in people]
    assert len(sizes) == 3
    assert sizes == sorted(sizes, reverse=True)
    for cells, size in zip(people, sizes, strict=True):
        now, then = map(float, cells["Prediction"].split(" → "))
        assert abs(then - now) >= size - 2e-3 > 0


BAD = {
    "people without a report": (("ricci", "--individuals", "3"), "add --html FILE"),
    "an identifier of a data set": (
        ("ricci", "--id", "Race"),
        "--person and --id are for files",
    ),
    "a negative number of people of a quantity": (
        ("lawschool", "--html", "{folder}/a.html", "--individuals", "-1"),
        "--individuals must be an integer of at least 0",
    ),
    "an absent folder": (("ricci", "--html", "no/such/a.html"), "No such file or directory"),
    "a folder": (("ricci", "--html", "{folder}"), "Is a directory"),
    "a negative number of people": (
        ("ricci", "--html", "{folder}/a.html", "--individuals", "-1"),
        "--individuals must be an integer of at least 0",
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
