import json

import pytest

from benchmarks.paper import store
from benchmarks.paper.store import Settings, run

PIECES = [{"dataset": "ppr", "fold": fold} for fold in range(3)]


def count(dataset, fold):
    """Leave a mark, so that a test sees how often it was called."""
    return [{"value": 10 * fold}, {"value": 10 * fold + 1}]


def refuse(dataset, fold):
    raise AssertionError(f"fold {fold} was worked on again")


def stumble(dataset, fold):
    if fold == 2:
        raise KeyboardInterrupt
    return [{"value": fold}]


@pytest.fixture
def settings(tmp_path):
    return Settings(tmp_path, n_jobs=1)


def test_rows_come_with_their_piece_in_the_order_of_pieces(settings):
    table = run("trial", count, PIECES, settings)
    assert table.to_dict("list") == {
        "dataset": ["ppr"] * 6,
        "fold": [0, 0, 1, 1, 2, 2],
        "value": [0, 1, 10, 11, 20, 21],
    }


def test_finished_pieces_are_not_worked_on_again(settings, monkeypatch):
    before = run("trial", count, PIECES, settings)
    monkeypatch.setattr(refuse, "__name__", "count")
    assert run("trial", refuse, PIECES, settings).equals(before)


def test_a_killed_run_goes_on_where_it_stopped(settings, monkeypatch):
    with pytest.raises(KeyboardInterrupt):
        run("trial", stumble, PIECES, settings)
    monkeypatch.setattr(count, "__name__", "stumble")
    table = run("trial", count, PIECES, settings)
    assert table["value"].tolist() == [0, 1, 20, 21]


def test_restart_forgets_finished_pieces(settings, tmp_path, monkeypatch):
    run("trial", count, PIECES, settings)
    monkeypatch.setattr(refuse, "__name__", "count")
    with pytest.raises(AssertionError, match="worked on again"):
        run("trial", refuse, PIECES, Settings(tmp_path, n_jobs=1, restart=True))


def test_two_processes_give_the_rows_of_one(settings, tmp_path):
    one = run("trial", count, PIECES, settings)
    two = run("trial", count, PIECES, Settings(tmp_path / "two", n_jobs=2))
    assert two.equals(one)


def test_the_stamp_tells_date_versions_machine_and_no_path(settings, tmp_path):
    run("trial", count, PIECES, settings)
    text = (tmp_path / "trial" / "about.json").read_text()
    about = json.loads(text)
    assert about["work"]["count"]["pieces"] == 3
    assert {"date", "versions", "machine"} <= set(about)
    assert str(tmp_path) not in text


def test_the_stamp_tells_the_commit_of_each_work(settings, tmp_path, monkeypatch):
    monkeypatch.setattr(store, "_commit", lambda: "abc")
    run("trial", count, PIECES, settings)
    about = json.loads((tmp_path / "trial" / "about.json").read_text())
    assert about["work"]["count"]["commit"] == "abc"
