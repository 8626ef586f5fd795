import subprocess
import sys

AUDIT = """
import sys
import pandas as pd
from dr_core import assess_risk, collect_votes, compare, epaf
from sklearn.ensemble import RandomForestClassifier

X = pd.DataFrame({"sex": [0, 1] * 20, "score": range(40)})
y = [0, 0, 1, 1] * 10
forest = RandomForestClassifier(4, random_state=0).fit(X, y)
assess_risk(forest, [X[:9], X[9:]], {"sex": 1}, y=y)
compare({"forest": forest}, [X[:9], X[9:]], y, {"sex": 1})
epaf(collect_votes(forest, X, y, {"sex": 1}, n_jobs=2), 2, n_groups=2)
print(*(name for name in ("dask", "distributed", "pyarrow.parquet") if name in sys.modules))
"""


def test_nothing_of_dask_is_imported_unless_it_is_used():
    run = [sys.executable, "-c", AUDIT]
    found = subprocess.run(run, check=True, capture_output=True, text=True).stdout
    assert found.strip() == ""
