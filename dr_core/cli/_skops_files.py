"""What a skops file may contain."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from pydoc import locate
from typing import Any
from zipfile import ZipFile

from dr_core._utils import get_max_unpacked

__all__ = ["check_unpacked_size", "split_untrusted_types"]

MODEL_PARTS = (
    "sklearn._loss.",
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.compose._column_transformer._RemainderColsList",
    "sklearn.compose._column_transformer.make_column_selector",
    "sklearn.ensemble._hist_gradient_boosting.",
    "sklearn.neighbors._ball_tree.",
    "sklearn.neighbors._kd_tree.",
    "sklearn.neural_network._stochastic_optimizers.",
    "sklearn.tree._tree.",
    "sklearn.utils._bunch.Bunch",
)
"""Modules and classes of scikit-learn that fitted models contain and skops does not trust."""

PLAIN_TYPES = {"builtins.object": "TypeNode", "numpy.dtype": "DTypeNode"}
"""Types outside scikit-learn that fitted models contain, and the loader of skops for each.

`SimpleImputer` keeps the dtype of its column; `make_column_selector(dtype_include=object)` names
the class `object`. These loaders read the dtype of an empty array, and look up the class. Other
loaders call what a file names, with arguments of the file, such as the `__setstate__` of a dtype,
which NumPy does not check. So a file that names another loader is refused.
"""


def split_untrusted_types(path: Path) -> tuple[list[str], list[str]]:
    """Return the types in a file that skops does not trust: those safe here, and all others."""
    import skops.io

    unknown = skops.io.get_untrusted_types(file=path)
    loaders = set(_iter_loaders(path))
    safe = [name for name in unknown if _is_safe(name, loaders)]
    return safe, [name for name in unknown if name not in safe]


def check_unpacked_size(path: Path) -> None:
    """Raise ValueError if a file unpacks to far more than its size."""
    with ZipFile(path) as archive:
        unpacked = sum(part.file_size for part in archive.infolist())
    if unpacked > get_max_unpacked(path):
        raise ValueError(f"it unpacks to {unpacked:,} bytes, more than {get_max_unpacked(path):,}")


def _is_safe(name: str, loaders: set[tuple[str, str]]) -> bool:
    """Return whether a type is a part of a model, or plain and never loaded in another way."""
    if name not in PLAIN_TYPES:
        return _is_model_part(name)
    return {loader for named, loader in loaders if named == name} == {PLAIN_TYPES[name]}


def _is_model_part(name: str) -> bool:
    """Return whether a class in `MODEL_PARTS` has this name.

    An imported class has another name: `sklearn.tree._tree.X` of class `gzip.X` is no model part.
    """
    if not name.startswith(MODEL_PARTS):
        return False
    found = locate(name)
    return isinstance(found, type) and f"{found.__module__}.{found.__qualname__}" == name


def _iter_loaders(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the name of each type in a file with the loader that the file asks for."""
    with ZipFile(path) as archive:
        remaining: list[Any] = [json.loads(archive.read("schema.json"))]
    while remaining:
        node = remaining.pop()
        if isinstance(node, dict):
            if "__loader__" in node:
                yield f"{node['__module__']}.{node['__class__']}", node["__loader__"]
            remaining.extend(node.values())
        elif isinstance(node, list):
            remaining.extend(node)
