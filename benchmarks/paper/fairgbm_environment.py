"""FairGBM, trained in a virtual environment of its own.

FairGBM (Cruz et al. 2023) is a LightGBM of 2021 that minds gaps in error rates between groups; it
needs a scikit-learn older than 1.6. `environment` makes that environment once, in the user's cache
folder; `FairGBM.fit` trains there, in a subprocess. What comes back is the text of LightGBM's
trees, with which LightGBM predicts here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from lightgbm import Booster
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

Array = np.ndarray

REQUIREMENTS = ["fairgbm==0.9.14", "scikit-learn<1.6"]

TRAINER = """
import json, sys
import numpy as np
from fairgbm import FairGBMClassifier
data, settings = np.load(sys.argv[1]), json.loads(sys.argv[2])
model = FairGBMClassifier(n_jobs=1, **settings)
model.fit(data["X"], data["y"], constraint_group=data["group"])
with open(sys.argv[3], "w") as file:
    file.write(model.booster_.model_to_string())
"""
"""What runs there; its arguments are the file of data, the settings, and the file of trees."""


class Unavailable(RuntimeError):
    """FairGBM's environment cannot be made on this machine."""


def cache_folder() -> Path:
    """Where environments are kept between runs."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "discriminative-risk" / "environments"


@cache
def environment(folder: Path | None = None) -> Path:
    """The Python that can import fairgbm; its environment is made where it is not there yet."""
    folder = folder or cache_folder() / "fairgbm"
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    if not (folder / "complete").exists():
        try:
            venv.create(folder, clear=True, with_pip=True)
            _run([python, "-m", "pip", "install", "--quiet", *REQUIREMENTS])
            _run([python, "-c", "import fairgbm"])
        except (OSError, RuntimeError) as error:
            raise Unavailable(
                f"{' and '.join(REQUIREMENTS)} cannot be installed: {error}"
            ) from error
        (folder / "complete").touch()
    return python


@cache
def why_unavailable() -> str | None:
    """Why FairGBM cannot be run here, or None when it can."""
    try:
        environment()
    except Unavailable as error:
        return str(error)
    return None


def _run(command: list[Any]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        last_words = done.stderr.strip().splitlines()[-1:] or ["it said nothing"]
        raise RuntimeError(f"a process ended with {done.returncode}: {last_words[0]}")


class FairGBM(ClassifierMixin, BaseEstimator):
    """Gradient boosting under constraints on groups' error rates, with FairGBM's own defaults.

    Parameters
    ----------
    constraint_type : "FPR", "FNR" or "FPR,FNR", default="FPR,FNR"
        Which error rates shall be alike in all groups.
    multiplier_learning_rate : float, default=0.1
        How fast the multipliers of the constraints grow.
    n_estimators : int, default=100
    random_state : int, default=0

    Attributes
    ----------
    trees_ : str
        The model in LightGBM's own text format.
    classes_ : array of the two labels
    """

    def __init__(
        self,
        constraint_type: str = "FPR,FNR",
        multiplier_learning_rate: float = 0.1,
        n_estimators: int = 100,
        random_state: int = 0,
    ) -> None:
        self.constraint_type = constraint_type
        self.multiplier_learning_rate = multiplier_learning_rate
        self.n_estimators = n_estimators
        self.random_state = random_state

    def fit(self, X: Any, y: Any, group: Any) -> FairGBM:
        """Train; `group`, an array (n,), tells each row's group."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        with TemporaryDirectory() as folder:
            data, trees = Path(folder, "data.npz"), Path(folder, "trees.txt")
            np.savez(data, X=np.asarray(X, float), y=codes, group=np.asarray(group).astype(int))
            _run([environment(), "-c", TRAINER, data, json.dumps(self.get_params()), trees])
            self.trees_ = plain_trees(trees.read_text())
        return self

    def decision_function(self, X: Any) -> Array:
        """Log-odds of the second class."""
        check_is_fitted(self)
        return np.asarray(Booster(model_str=self.trees_).predict(np.asarray(X, float)))

    def predict(self, X: Any) -> Array:
        """The likelier class."""
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


def plain_trees(text: str) -> str:
    """Leave out what only FairGBM understands: its objective and its parameters."""
    trees, _, _ = text.partition("\nparameters:")
    return "\n".join(line for line in trees.split("\n") if not line.startswith("objective="))
