"""Models that workers of a cluster can import: one that is fine, and some that kill the worker."""

import os
import signal

import numpy as np
from sklearn.tree import DecisionTreeClassifier


def rule(X):
    """Hire by a score to which privileged people get a bonus."""
    bonus = 0.4 * (X["sex"] == "M").to_numpy(bool) + 0.3 * (X["race"] == "W").to_numpy(bool)
    return np.where(X["score"].to_numpy() + bonus > 0.2, 1, 0)


def die_once(flag):
    """Kill this process at once, the first time that any process asks for it."""
    try:
        os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


class DeadlyRule:
    """The rule, in a worker that dies when it meets a certain score."""

    def __init__(self, flag, score):
        self.flag, self.score = str(flag), score

    def predict(self, X):
        if (X["score"] == self.score).any():
            die_once(self.flag)
        return rule(X)


class DeadlyTree(DecisionTreeClassifier):
    """A tree, in a worker that dies when it votes."""

    def predict(self, X, check_input=True):
        if hasattr(self, "flag_"):
            die_once(self.flag_)
        return super().predict(X, check_input=check_input)


class CountedRule:
    """The rule, which writes down each process that loads it and each row that it starts at.

    `broken` is a score on which it raises an error that is no ValueError.
    """

    def __init__(self, folder, broken=None):
        self.folder, self.broken = str(folder), broken

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._note("loads", os.getpid())

    def predict(self, X):
        self._note("calls", f"{X['score'].iloc[0]!r} {len(X)}")
        if (X["score"] == self.broken).any():
            raise LookupError("out of order")
        return rule(X)

    def _note(self, name, line):
        with open(os.path.join(self.folder, name), "a") as file:
            file.write(f"{line}\n")


def read_notes(folder, name):
    """Return the lines that the rule wrote, and the distinct ones."""
    with open(os.path.join(str(folder), name)) as file:
        lines = file.read().splitlines()
    return lines, set(lines)
