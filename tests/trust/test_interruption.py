"""Ctrl-C ends the work at once, and leaves no half-written file, no temporary one, no process."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from dr_core._utils import write_atomically
from dr_core.cli import main

PATIENCE = 120
"""Seconds to wait for what takes one on an idle machine."""

SLOW_AUDIT = """
import sys, time
from dr_core.cli import main

class Slow:
    classes_ = [0, 1]

    def predict(self, X):
        print("predicting", flush=True)
        time.sleep(600)

sys.modules["dr_core.cli._main"].load_model = lambda *_, **__: Slow()
sys.exit(main(["ricci", "--model", "m.skops", "--json", "out.json", "--html", "out.html"]))
"""

LONG_POAF = """
import numpy as np
from dr_core import Votes, poaf

rng = np.random.default_rng(0)
votes = Votes(*rng.integers(0, 2, (2, 60, 500)), rng.integers(0, 2, 500))
print("searching", flush=True)
poaf(votes, 20, n_iter=10**9, random_state=0)
"""

GROUPS_IN_PROCESSES = """
import joblib
import numpy as np
from dr_core import Votes, epaf

if __name__ == "__main__":
    rng = np.random.default_rng(0)
    votes = Votes(*rng.integers(0, 2, (2, 300, 2000)), rng.integers(0, 2, 2000))
    with joblib.parallel_config(backend="loky"):
        epaf(votes, 2, n_groups=2, n_jobs=2, random_state=0)  # starts the processes
        print("pruning", flush=True)
        while True:
            epaf(votes, 20, n_groups=30, n_jobs=2, random_state=0)
"""

WRITING = """
from dr_core._utils import write_atomically
while True:
    try:
        print("writing", flush=True)
        while True:
            write_atomically("out.txt", "x" * 2_000_000)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        input()
"""


def group_of(leader):
    """Processes of a group that are still there and no zombies."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, group = status.read_text().rsplit(")", 1)[1].split()[:3]
        except OSError:
            continue
        if int(group) == leader and state != "Z":
            found.append(int(status.parent.name))
    return found


@contextmanager
def started(script, folder):
    """Start a script in a group of its own."""
    environment = {**os.environ, "TMPDIR": str(folder / "tmp"), "OMP_NUM_THREADS": "1"}
    (folder / "tmp").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def interrupted(script, folder, *, whole_group=False):
    """Start a script, press Ctrl-C when it says so, and wait."""
    with started(script, folder) as process:
        assert process.stdout.readline()
        time.sleep(0.5)
        (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
        return process, err


def wait_until_alone(leader):
    deadline = time.monotonic() + PATIENCE
    while group_of(leader) and time.monotonic() < deadline:
        time.sleep(0.1)
    return group_of(leader)


pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


def test_an_audit_says_so_in_one_line_and_writes_nothing(tmp_path):
    process, err = interrupted(SLOW_AUDIT, tmp_path)
    assert (process.returncode, err) == (130, "dr-audit: interrupted.\n")
    assert sorted(os.listdir(tmp_path)) == ["tmp"]
    assert os.listdir(tmp_path / "tmp") == []


def test_a_search_ends_with_the_interrupt(tmp_path):
    process, err = interrupted(LONG_POAF, tmp_path)
    assert err.rstrip().endswith("KeyboardInterrupt")
    assert process.returncode != 0
    assert os.listdir(tmp_path / "tmp") == []


def test_processes_that_prune_groups_end_with_it(tmp_path):
    process, _ = interrupted(GROUPS_IN_PROCESSES, tmp_path, whole_group=True)
    assert process.returncode != 0
    assert wait_until_alone(process.pid) == []
    assert os.listdir(tmp_path / "tmp") == []


def test_a_file_is_whole_whenever_the_interrupt_comes(tmp_path):
    with started(WRITING, tmp_path) as process:
        for delay in (0.1, 0.25, 0.4):
            assert process.stdout.readline() == "writing\n"
            time.sleep(delay)
            os.kill(process.pid, signal.SIGINT)
            assert process.stdout.readline() == "interrupted\n"
            assert sorted(os.listdir(tmp_path)) in (["tmp"], ["out.txt", "tmp"])
            for path in tmp_path.glob("out.txt"):
                assert path.stat().st_size == 2_000_000
            process.stdin.write("go on\n")
            process.stdin.flush()


@pytest.mark.parametrize("step", ["open", "fsync", "replace"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError, MemoryError])
def test_an_old_file_stays_when_the_new_one_cannot_be_written(tmp_path, monkeypatch, step, error):
    def fails(*_, **__):
        raise error

    path = tmp_path / "a.txt"
    write_atomically(path, "old")
    monkeypatch.setattr(os, step, fails)
    with pytest.raises(error):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_an_interrupt_in_this_process_is_the_exit_code_of_shells(monkeypatch, capsys):
    def stops(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["dr_core.cli._main"], "_prepare", stops)
    assert main(["ricci"]) == 130
    assert capsys.readouterr().err == "dr-audit: interrupted.\n"
