"""The audited model: a default model, or one from a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from pydoc import locate
from typing import Any
from zipfile import ZipFile

import joblib
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder

from dr_core._utils import get_max_unpacked, quote

__all__ = ["default_model", "load_model"]

MODEL_PARTS = (
    "sklearn._loss.",
    "sklearn.compose._column_transformer._RemainderColsList",
    "sklearn.compose._column_transformer.make_column_selector",
    "sklearn.ensemble._hist_gradient_boosting.",
    "sklearn.neighbors._ball_tree.",
    "sklearn.neighbors._kd_tree.",
    "sklearn.tree._tree.",
)
"""Modules and classes of scikit-learn that fitted models contain and skops does not trust."""

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

    _read_model(_check_unpacked_size, path)
    unknown = _read_model(lambda file: skops.io.get_untrusted_types(file=file), path)
    untrusted = [name for name in unknown if not _is_model_part(name)]
    if untrusted:
        raise ValueError(
            f"{path.name} contains types that are not known to be safe: {quote(untrusted)}. "
            "Load it in Python with skops.io.load(trusted=[...]) and call dr_core.compare."
        )
    return _read_model(skops.io.load, path, trusted=unknown)


def _check_unpacked_size(path: Path) -> None:
    with ZipFile(path) as archive:
        unpacked = sum(part.file_size for part in archive.infolist())
    if unpacked > get_max_unpacked(path):
        raise ValueError(f"it unpacks to {unpacked:,} bytes, more than {get_max_unpacked(path):,}")


def _is_model_part(name: str) -> bool:
    """Return whether a class in `MODEL_PARTS` has this name.

    An imported class has another name: `sklearn.tree._tree.X` of class `gzip.X` is no model part.
    """
    if not name.startswith(MODEL_PARTS):
        return False
    found = locate(name)
    return isinstance(found, type) and f"{found.__module__}.{found.__qualname__}" == name
