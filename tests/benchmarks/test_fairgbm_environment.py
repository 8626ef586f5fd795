import sys

import numpy as np
import pytest
from lightgbm import LGBMClassifier

from benchmarks.paper import fairgbm_environment
from benchmarks.paper.fairgbm_environment import FairGBM, Unavailable, environment, plain_trees


@pytest.fixture
def rows():
    random = np.random.default_rng(0)
    X, group = random.normal(size=(400, 3)), random.integers(0, 2, 400)
    return X, (X[:, 0] + group + random.normal(0, 0.5, 400) > 0.5).astype(int), group


def test_trees_without_their_objective_give_log_odds(rows):
    X, y, _ = rows
    model = LGBMClassifier(n_estimators=5, verbose=-1).fit(X, y)
    ours = FairGBM()
    ours.trees_ = plain_trees(model.booster_.model_to_string())
    assert ours.decision_function(X) == pytest.approx(model.predict(X, raw_score=True))


def test_an_environment_that_cannot_be_made_says_why(tmp_path, monkeypatch):
    monkeypatch.setattr(fairgbm_environment, "REQUIREMENTS", ["no-such-package-anywhere"])
    create = fairgbm_environment.venv.create
    without_pip = {
        "clear": True,
        "with_pip": False,
    }  # installing pip takes seconds, and pip may fail
    monkeypatch.setattr(
        fairgbm_environment.venv, "create", lambda folder, **_: create(folder, **without_pip)
    )
    with pytest.raises(Unavailable, match=r"no-such-package-anywhere.* cannot be installed"):
        environment(tmp_path / "environment")


def test_a_process_that_fails_tells_its_last_words():
    with pytest.raises(RuntimeError, match=r"ended with 1: .*no_such_name"):
        fairgbm_environment._run([sys.executable, "-c", "no_such_name"])
