"""The model that is audited: a default one that is trained here, or one from a file."""

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

from dr_core._utils import listed, most_unpacked

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
"""Where scikit-learn keeps classes that fitted models are made of and skops does not list."""

MOST_CATEGORIES = 100
"""Rarer values of a column, past this number, share one 0/1 column."""


def default_model(X: pd.DataFrame, *, regression: bool, random_state: int) -> Pipeline:
    """Return a random forest on raw columns: numbers as they are, everything else one-hot."""
    encoder = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=MOST_CATEGORIES, sparse_output=False
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
    """Load a model from a skops file, or from a pickle that the user trusts."""
    if not path.is_file():
        raise ValueError(f"there is no model file {str(path)!r}.")
    if path.suffix == ".skops":
        return _load_skops(path)
    if path.suffix not in (".joblib", ".pkl", ".pickle"):
        raise ValueError(f"model file {path.name!r} must end in .skops, .joblib, .pkl or .pickle.")
    if not trust_pickle:
        raise ValueError(
            f"{path.name} is a pickle, and loading a pickle runs whatever code it holds. Pass "
            "--trust-pickle if you trust where it comes from, or save the model with skops."
        )
    return _readable(joblib.load, path)


def _readable(read: Callable[..., Any], path: Path, **options: Any) -> Any:
    """Read a model file; whatever goes wrong in it, say which file it was."""
    try:
        return read(path, **options)
    except Exception as error:
        raise ValueError(f"{path.name!r} cannot be read as a model: {error!r}.") from error


def _load_skops(path: Path) -> Any:
    import skops.io

    _readable(_refuse_bomb, path)
    unknown = _readable(lambda file: skops.io.get_untrusted_types(file=file), path)
    untrusted = [name for name in unknown if not _is_part_of_a_model(name)]
    if untrusted:
        raise ValueError(
            f"{path.name} holds types that are not known to be safe: {listed(untrusted)}. "
            "Load it in Python with skops.io.load(trusted=[...]) and call dr_core.compare."
        )
    return _readable(skops.io.load, path, trusted=unknown)


def _refuse_bomb(path: Path) -> None:
    with ZipFile(path) as archive:
        unpacked = sum(part.file_size for part in archive.infolist())
    if unpacked > most_unpacked(path):
        raise ValueError(f"it unpacks to {unpacked:,} bytes, more than {most_unpacked(path):,}")


def _is_part_of_a_model(name: str) -> bool:
    """Whether this is the own name of a class that fitted models of scikit-learn are made of.

    A name that merely leads to a class from elsewhere, through an import in scikit-learn, is not.
    """
    if not name.startswith(MODEL_PARTS):
        return False
    found = locate(name)
    return isinstance(found, type) and f"{found.__module__}.{found.__qualname__}" == name
