"""How often an audit in chunks reads the file."""

import json
import sys
from hashlib import sha256
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from dr_core._tables import iter_chunks
from dr_core.cli._main import main


@pytest.fixture
def audit(tmp_path):
    rng = np.random.default_rng(0)
    n = 1000
    frame = pd.DataFrame({"sex": rng.choice(["M", "F"], n), "pay": rng.normal(size=n)})
    frame["good"] = ((frame["pay"] > 0) ^ (rng.random(n) < 0.1)).astype(int)
    encode = make_column_transformer((OneHotEncoder(), ["sex"]), remainder="passthrough")
    model = make_pipeline(encode, DecisionTreeClassifier(max_depth=3, random_state=0))
    joblib.dump(model.fit(frame[["sex", "pay"]], frame["good"]), tmp_path / "m.joblib")
    frame.to_csv(tmp_path / "a.csv", index=False)
    how = ["--label", "good", "--privileged", "sex=M", "--model", tmp_path / "m.joblib"]
    how += ["--trust-pickle", "--chunk-rows", 100, "--n-boot", 0]
    return [str(one) for one in (tmp_path / "a.csv", *how)]


def test_an_audit_in_chunks_reads_the_file_twice(audit, monkeypatch, capsys):
    kind, ends = type(iter_chunks(audit[0])), []
    read = kind._read

    def count(self, *arguments):
        yield from read(self, *arguments)
        ends.append(1)  # the end of the file was reached

    monkeypatch.setattr(kind, "_read", count)
    refuse = lambda path: pytest.fail("read once more") if path.suffix == ".csv" else ""  # noqa: E731
    monkeypatch.setattr(sys.modules["dr_core.cli._provenance"], "_compute_hash", refuse)
    path = Path(audit[0]).with_name("a.json")
    assert main([*audit, "--json", str(path)]) == 0, capsys.readouterr().err
    assert len(ends) == 2
    # The hash of the data comes from one of these passes.
    found = json.loads(path.read_text())["provenance"]["inputs"]["data"]["sha256"]
    assert found == sha256(Path(audit[0]).read_bytes()).hexdigest()
