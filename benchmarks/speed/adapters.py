"""Converting data between fairlearn's and AIF360's forms."""

import numpy as np
import pandas as pd
from aif360.datasets import BinaryLabelDataset
from dr_adapters import to_aif360, to_fairlearn

from benchmarks.speed.measure import print_table, seconds

ROWS = 1_000_000


def main():
    header = ("what", "ratio", "at most")
    title = "1,000,000 rows x 12 columns to AIF360 and back / BinaryLabelDataset(df=...)"
    print_table(title, header, list(round_trips()))


def round_trips():
    """Rows of (what, ratio, limit): both conversions against AIF360's constructor on numbers."""
    X, y = numbers()
    frame = X.assign(label=y)
    theirs = seconds(lambda: construct(frame), repeats=3)
    yield "numbers", seconds(lambda: there_and_back(X, y), repeats=3) / theirs, 3
    mixed = mixed_types(X)
    yield (
        "words, categories, dates and gaps",
        seconds(lambda: there_and_back(mixed, y), repeats=3) / theirs,
        3,
    )


def numbers():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(ROWS, 11)), columns=[f"x{i}" for i in range(11)])
    return X.assign(sex=rng.integers(0, 2, ROWS)), rng.integers(0, 2, ROWS)


def mixed_types(X):
    """The same rows with columns as they come from a file."""
    words = np.array(["never", "seldom", "often", "always"])[(X["x0"].rank() % 4).astype(int)]
    return X.assign(
        x0=words,
        x1=pd.Categorical(words),
        x2=X["x2"].where(X["x2"] > -2),
        x3=(1000 * X["x3"]).astype(int),
        x4=X["x4"] > 0,
        x5=pd.Timestamp("2000-01-01") + pd.to_timedelta((1000 * X["x5"]).astype(int), unit="D"),
        sex=np.where(X["sex"] == 1, "Male", "Female"),
    )


def construct(frame):
    return BinaryLabelDataset(df=frame, label_names=["label"], protected_attribute_names=["sex"])


def there_and_back(X, y):
    privileged = {"sex": 1 if X["sex"].dtype.kind == "i" else "Male"}
    return to_fairlearn(to_aif360(X, y, privileged=privileged))


if __name__ == "__main__":
    main()
