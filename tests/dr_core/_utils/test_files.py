import os
import stat

import pytest

from dr_core._utils._files import check_writable, write_atomically


def test_a_file_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    path.chmod(0o640)
    write_atomically(path, "new ✓")
    assert path.read_text(encoding="utf-8") == "new ✓"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["report.html"]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("old")
    monkeypatch.setattr(os, "replace", lambda *_: pytest.fail("no space left"))
    with pytest.raises(pytest.fail.Exception):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["report.html"]


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path):
    (tmp_path / "usual").touch()
    write_atomically(tmp_path / "ours", "")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_what_is_no_regular_file_is_written_to_directly():
    write_atomically(os.devnull, "gone")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "file").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_atomically(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"


def test_a_folder_that_is_not_there_and_one_that_is_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="no/such"):
        check_writable(tmp_path / "no" / "such")
    with pytest.raises(IsADirectoryError):
        check_writable(tmp_path)
