"""Metrics give in many threads what they give in one, and leave no trace in the process."""

import os
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from packaging.version import Version
from sklearn.ensemble import RandomForestClassifier

from aif360_dr import DiscriminativeRiskMetric, perturb_dataset
from aif360_dr.examples import hiring
from dr_core import assess_risk, collect_votes, compare, compute_bounds, epaf, perturb, poaf
from dr_core._utils import write_atomically
from fairlearn_dr import dr_metric_frame

ROWS = 120
RNG = np.random.default_rng(0)
X = pd.DataFrame({"sex": RNG.integers(0, 2, ROWS), "race": RNG.integers(0, 4, ROWS),
                  "age": RNG.integers(18, 70, ROWS)})  # fmt: skip
Y = ((X["age"] + 9 * X["sex"]) > 45).astype(int)
BOTH = {"sex": 1, "race": 0}
FOREST = RandomForestClassifier(n_estimators=7, random_state=0).fit(X, Y)
VOTES = collect_votes(FOREST, X, Y, BOTH, method="exact")
DATASET, CLASSIFIED = hiring(), hiring()
RULE = lambda X: (X["age"] > 40 + 9 * X["sex"]).astype(int)  # noqa: E731
MEN, WOMEN = [{"sex": 1}], [{"sex": 0}]

WORK = {
    "assess_risk": lambda: assess_risk(FOREST, X, BOTH, chunk_size=50).table().to_dict(),
    "compare": lambda: compare({"f": FOREST}, X, Y, BOTH, n_boot=20, random_state=0).values,
    "compare with fairlearn": lambda: (
        compare({"f": FOREST}, X, Y, BOTH, provider="fairlearn").values
    ),
    "compare with AIF360": lambda: compare({"f": FOREST}, X, Y, BOTH, provider="aif360").values,
    "perturb": lambda: perturb(X, BOTH, random_state=1),
    "bounds": lambda: compute_bounds(VOTES),
    "poaf": lambda: poaf(VOTES, 5, random_state=0).members.tolist(),
    "epaf": lambda: epaf(VOTES, 5, n_groups=3, random_state=0).members.tolist(),
    "metric frame": lambda: dr_metric_frame(FOREST, X, Y, privileged=BOTH).by_group.to_dict(),
    "AIF360 metric": lambda: DiscriminativeRiskMetric.from_estimator(
        lambda features: features[:, 0], DATASET, WOMEN, MEN
    ).discriminative_risk(),
    "AIF360 comparison": lambda: DiscriminativeRiskMetric(
        DATASET, CLASSIFIED, WOMEN, MEN
    ).accuracy(),
    "AIF360 perturbation": lambda: perturb_dataset(DATASET, MEN, seed=0).features.tolist(),
}


def in_threads(work, times=8):
    with ThreadPoolExecutor(4) as pool:
        return [future.result() for future in [pool.submit(work) for _ in range(times)]]


@pytest.mark.parametrize("name", WORK)
def test_many_threads_give_what_one_gives(name):
    alone = WORK[name]()
    for found in in_threads(WORK[name]):
        if isinstance(found, pd.DataFrame):
            pd.testing.assert_frame_equal(found, alone)
        else:
            assert found == alone


def test_threads_leave_datasets_as_they_were():
    in_threads(WORK["AIF360 comparison"])
    assert DATASET.ignore_fields == CLASSIFIED.ignore_fields == {"metadata", "ignore_fields"}


@pytest.mark.skipif(
    Version(pd.__version__) < Version("2"), reason="pandas before 2 sets filters in every thread"
)
@pytest.mark.parametrize("provider", ["core", "fairlearn", "aif360"])
def test_threads_leave_the_filters_of_warnings_as_they_were(provider):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        before = list(warnings.filters)
        in_threads(lambda: compare({"f": RULE}, X, Y, BOTH, provider=provider))
        assert warnings.filters == before


def test_files_written_at_once_are_each_whole(tmp_path):
    path = tmp_path / "a.txt"
    texts = [letter * 100_000 for letter in "abcdefgh"]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda text: write_atomically(path, text), texts * 4))
    assert path.read_text() in texts
    assert os.listdir(tmp_path) == ["a.txt"]


def test_writing_does_not_touch_the_umask(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("the umask is the whole process's"))
    write_atomically(tmp_path / "a.txt", "a")


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_a_file_keeps_the_permissions_of_the_one_it_replaces(tmp_path, mode):
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(mode)
    write_atomically(path, "new")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", mode)
