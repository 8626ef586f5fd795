"""Readers of standard output and error that close them early, as `head -1` does."""

import subprocess
import sys

import pytest

COMMAND = [sys.executable, "-c", "from dr_core.cli import main; raise SystemExit(main())"]
PASSED, FAILED = ["ricci", "--max-risk", "0.9"], ["credit", "--max-risk", "0.01"]


def run_unread(*arguments, with_errors=False):
    """Run the command with a closed reader; return its exit code and standard error."""
    stderr = subprocess.STDOUT if with_errors else subprocess.PIPE
    command = [*COMMAND, *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True) as process:
        process.stdout.close()
        errors = "" if with_errors else process.stderr.read()
    return process.returncode, errors


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (PASSED, 0),
        (FAILED, 1),
        ([*PASSED, "--json", "-"], 0),
        (["--list"], 0),
    ],
)
def test_the_exit_code_does_not_depend_on_the_reader(arguments, code):
    assert run_unread(*arguments)[0] == code


@pytest.mark.parametrize(("arguments", "code"), [(FAILED, 1), (["nowhere.csv"], 2)])
def test_standard_error_may_have_no_reader_either(arguments, code):
    assert run_unread(*arguments, with_errors=True)[0] == code


def test_files_are_written_that_follow_the_text(tmp_path):
    outputs = {"--html": tmp_path / "a.html", "--json": tmp_path / "a.json"}
    run_unread(*PASSED, *(part for output in outputs.items() for part in output))
    assert all(path.stat().st_size for path in outputs.values())


def test_nothing_is_said_about_the_reader():
    assert "ipe" not in run_unread(*PASSED)[1]


def test_standard_output_may_be_closed_from_the_start():
    command = f"import sys; sys.stdout = None; {COMMAND[2]}"
    assert subprocess.run([sys.executable, "-c", command, *PASSED], check=False).returncode == 0
