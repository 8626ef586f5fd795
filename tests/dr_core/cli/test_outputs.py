"""No file is lost: outputs never replace inputs, and results are printed before they are saved."""

import os

import pytest

from dr_core.cli import _main
from dr_core.cli._main import main


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


AUDIT = ("--label", "Class", "--privileged", "Race=W")


@pytest.mark.parametrize("option", ["--html", "--json"])
def test_an_output_over_the_data_is_refused(capsys, ricci, option):
    before = ricci.read_bytes()
    code, out, err = run(capsys, ricci, *AUDIT, option, ricci)
    assert (code, out) == (2, "")
    assert f"{option} would overwrite the data" in err
    assert "choose another file" in err
    assert ricci.read_bytes() == before


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_an_output_that_links_to_the_data_is_refused(capsys, ricci, tmp_path, link):
    link(ricci, tmp_path / "link.html")
    code, _, err = run(capsys, ricci, *AUDIT, "--html", tmp_path / "link.html")
    assert code == 2
    assert "would overwrite the data" in err


@pytest.mark.parametrize("option", ["--model", "--coupled"])
def test_an_output_over_another_input_is_refused(capsys, ricci, tmp_path, option):
    precious = tmp_path / "precious.skops"
    precious.write_text("{}")
    code, _, err = run(capsys, ricci, *AUDIT, option, precious, "--html", precious)
    assert code == 2
    assert f"--html would overwrite {option}" in err
    assert precious.read_text() == "{}"


def test_two_outputs_in_one_file_are_refused(capsys, tmp_path):
    same = tmp_path / "sub" / ".." / "out"
    (tmp_path / "sub").mkdir()
    code, _, err = run(capsys, "ricci", "--html", tmp_path / "out", "--json", same)
    assert code == 2
    assert "--json and --html are the same file" in err
    assert not (tmp_path / "out").exists()


def test_the_command_says_which_files_it_wrote(capsys, tmp_path):
    html, json = tmp_path / "a.html", tmp_path / "a.json"
    code, out, _ = run(capsys, "ricci", "--html", html, "--json", json)
    assert code == 0
    assert out.splitlines()[-2:] == [f"Wrote {json}", f"Wrote {html}"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize("name", ["ricci", "lawschool"])
def test_a_full_disk_is_named_after_the_results_are_printed(capsys, name):
    code, out, err = run(capsys, name, "--json", "/dev/full")
    assert code == 2
    assert "race" in out.lower()
    assert "Wrote" not in out
    assert err.splitlines()[-1] == "dr-audit: [Errno 28] No space left on device: '/dev/full'"


def test_out_of_memory_is_one_line(capsys, monkeypatch):
    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr(_main, "compare", fail)
    code, out, err = run(capsys, "ricci")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "out of memory" in err
    assert "--chunk-rows" in err
