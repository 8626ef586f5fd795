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
