"""Readers of standard output and error that close them early, as `head -1` does."""

import json
import shlex
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


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
@pytest.mark.parametrize(("arguments", "code"), [(PASSED, 0), (FAILED, 1), (["nowhere.csv"], 2)])
def test_the_exit_code_does_not_depend_on_streams_that_are_closed(arguments, code, closed):
    command = f"{shlex.join([*COMMAND, *arguments])} {closed}"
    assert subprocess.run(command, shell=True, capture_output=True).returncode == code


def test_a_file_is_not_mixed_with_errors_where_standard_error_is_closed(tmp_path):
    command = shlex.join([*COMMAND, *PASSED, "--json", str(tmp_path / "a.json")])
    subprocess.run(f"{command} 2>&-", shell=True, capture_output=True, check=True)
    assert json.loads((tmp_path / "a.json").read_text())["verdict"]["outcome"] == "pass"


def test_standard_input_that_is_closed_is_bad_input():
    audit = ["-", "--label", "y", "--privileged", "a=1"]
    done = subprocess.run(
        f"{shlex.join([*COMMAND, *audit])} <&-", shell=True, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "standard input is closed; pass a file" in done.stderr
