"""The audited model: a default model, or one from a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder

from dr_core._utils import quote
from dr_core.cli._skops_files import check_unpacked_size, split_untrusted_types

__all__ = ["default_model", "load_model"]

MAX_CATEGORIES = 100
"""One-hot columns of a feature; its rarer values share the last one."""


def default_model(X: pd.DataFrame, *, regression: bool, random_state: int) -> Pipeline:
    """Return a random forest on raw columns: non-numeric columns are one-hot encoded."""
    encoder = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=MAX_CATEGORIES, sparse_output=False
    )
    columns = make_column_transformer(
        (encoder, make_column_selector(dtype_exclude=["number", "bool"])),
        remainder="passthrough",
    )
    shared: dict[str, Any] = {"n_estimators": 100, "n_jobs": -1, "random_state": random_state}
    if regression:
        return make_pipeline(columns, RandomForestRegressor(min_samples_leaf=20, **shared))
    return make_pipeline(columns, RandomForestClassifier(min_samples_leaf=3, **shared))


def load_model(path: Path, *, trust_pickle: bool) -> Any:
    """Load a model from a skops file, or from a pickle if the user trusts it."""
    if not path.is_file():
        raise ValueError(f"--model: the file {str(path)!r} does not exist.")
    if path.suffix == ".skops":
        return _load_skops(path)
    if path.suffix not in (".joblib", ".pkl", ".pickle"):
        raise ValueError(f"model file {path.name!r} must end in .skops, .joblib, .pkl or .pickle.")
    if not trust_pickle:
        raise ValueError(
            f"{path.name} is a pickle, and loading a pickle can run any code. Pass --trust-pickle "
            "if you trust its source, or save the model with skops."
        )
    return _read_model(joblib.load, path)


def _read_model(read: Callable[..., Any], path: Path, **options: Any) -> Any:
    """Read a model file; raise ValueError with the name of the file if that fails."""
    try:
        return read(path, **options)
    except Exception as error:
        raise ValueError(f"{path.name!r} cannot be read as a model: {error!r}.") from error


def _load_skops(path: Path) -> Any:
    import skops.io

    _read_model(check_unpacked_size, path)
    safe, unsafe = _read_model(split_untrusted_types, path)
    if unsafe:
        raise ValueError(
            f"{path.name} contains types that are not known to be safe: {quote(unsafe)}. If you "
            "trust the source of the model, save it with joblib.dump and pass that file with "
            "--trust-pickle; or load it in Python with skops.io.load(trusted=[...]) and call "
            "dr_core.compare."
        )
    return _read_model(skops.io.load, path, trusted=safe)
