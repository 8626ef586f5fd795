"""Data shared by the tests of the adapters."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def loans():
    """X with strings, a category, missing numbers and booleans; string labels; three races."""
    rng = np.random.default_rng(0)
    n = 120
    X = pd.DataFrame(
        {
            "sex": rng.choice(["Male", "Female"], n),
            "race": pd.Categorical(rng.choice(["White", "Black", "Asian"], n)),
            "income": np.where(rng.random(n) < 0.1, np.nan, rng.normal(50, 10, n)),
            "owner": rng.random(n) < 0.5,
        },
        index=[f"person {i}" for i in range(n)],
    )
    score = X["income"].fillna(50) - 50 + 5 * X["owner"] + 5 * (X["sex"] == "Male")
    y = pd.Series(np.where(score > 3, "granted", "denied"), index=X.index, name="loan")
    return X, y
