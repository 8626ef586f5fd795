"""An evaluator for MLflow: `mlflow.models.evaluate(..., evaluators="discriminative_risk")`."""

from __future__ import annotations

import inspect
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from types import FrameType
from typing import TYPE_CHECKING, Any

from dr_integrations._defaults import AUDIT_DEFAULTS

if TYPE_CHECKING:
    from dr_core import Comparison

__all__ = ["RiskEvaluator"]

NAME = "discriminative_risk"
OWN_OPTIONS = ("metric_prefix", "col_mapping")
"""Options of every evaluator of MLflow; MLflow itself applies `col_mapping` to the targets."""


class RiskEvaluator:
    """The evaluator "discriminative_risk" of MLflow, for classifiers with labels.

    MLflow finds it by its entry point. It logs DR and the established measures as metrics, the
    report as `discriminative_risk.html` and all numbers as `discriminative_risk.json`.

    Its `evaluator_config` takes `privileged`, as `dr_core.compare` does, every other option of
    `compare`, such as `favorable`, `measures` and `provider`, and MLflow's `metric_prefix`. By
    default `n_boot` is 1000 and `random_state` is 0, so that the metrics have intervals.

    Metrics are named after the measures of `compare`: "discriminative_risk" and the ends of its
    interval, "discriminative_risk_low" and "discriminative_risk_high", for all attributes
    perturbed together; "sex/discriminative_risk" for one of several attributes alone. Undefined
    and infinite values are not logged.

    Examples
    --------
    >>> RiskEvaluator.can_evaluate(model_type="classifier", evaluator_config={})
    False
    >>> config = {"privileged": {"sex": "Male"}}
    >>> RiskEvaluator.can_evaluate(model_type="classifier", evaluator_config=config)
    True
    """

    @classmethod
    def can_evaluate(
        cls, *, model_type: str | None, evaluator_config: Mapping[str, Any] | None, **kwargs: Any
    ) -> bool:
        """Return whether `privileged` is configured, or this evaluator was asked for by name.

        Without `evaluators=`, MLflow asks all evaluators that are installed, and those that cannot
        evaluate are left out. An evaluator that is named is asked too, and must not be left out
        without an error, which `evaluate` raises.
        """
        return "privileged" in (evaluator_config or {}) or _is_named(inspect.currentframe())

    def evaluate(
        self,
        *,
        model_type: str | None,
        dataset: Any,
        run_id: str,
        evaluator_config: Mapping[str, Any] | None,
        model: Any = None,
        predictions: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """Audit the model on the dataset, and log metrics and artifacts to the run.

        Parameters
        ----------
        model_type : str
            "classifier".
        dataset : EvaluationDataset of MLflow, with targets
        run_id : str
        evaluator_config : mapping
        model : PyFuncModel
        predictions : str, optional
            The column of predictions, where the model returns several columns.
        **kwargs
            Not used: `extra_metrics` and `custom_artifacts` are for MLflow's own evaluators.

        Returns
        -------
        mlflow.models.EvaluationResult
        """
        options = _check_config(evaluator_config or {})
        _check_task(model_type, dataset, model)
        prefix = options.pop("metric_prefix", None) or ""
        comparison = _audit(model, predictions, dataset, options)
        return _log(comparison, run_id, prefix)


def _is_named(frame: FrameType | None) -> bool:
    """Return whether MLflow asks before it evaluates, not while it looks for evaluators.

    The arguments do not say which. MLflow 3 looks for evaluators in
    `resolve_evaluators_and_configs`, and asks those that were named or found in `_evaluate`.
    Older versions do both in `_evaluate`; there nothing is known.
    """
    caller = frame.f_back if frame else None
    if caller is None:
        return False
    looks_first = "resolve_evaluators_and_configs" in caller.f_globals
    return looks_first and caller.f_code.co_name == "_evaluate"


def _check_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options for `compare` and `metric_prefix`."""
    from dr_core import compare
    from dr_core.plugins import quote

    if "privileged" not in config:
        raise ValueError(
            f"evaluator_config of {NAME!r} has no 'privileged': pass the privileged value of each "
            "sensitive column, such as evaluator_config={'privileged': {'sex': 'Male'}}."
        )
    known = [*list(inspect.signature(compare).parameters)[3:], *OWN_OPTIONS]
    unknown = [key for key in config if key not in known]
    if unknown:
        raise ValueError(
            f"evaluator_config of {NAME!r} has {quote(unknown)}; it takes "
            f"{quote(known, max_values=99)}. Options of other evaluators belong under their own "
            f"names: evaluators=['default', {NAME!r}], evaluator_config={{{NAME!r}: {{...}}}}."
        )
    return AUDIT_DEFAULTS | {key: value for key, value in config.items() if key != "col_mapping"}


def _check_task(model_type: str | None, dataset: Any, model: Any) -> None:
    if model_type != "classifier":
        raise ValueError(
            f"model_type must be 'classifier' for {NAME!r}; got {model_type!r}. For regressors, "
            "use dr_core.assess_shift."
        )
    if model is None:
        raise ValueError(
            f"{NAME!r} needs the model, to predict perturbed rows; got predictions only. Pass "
            "model=, a model URI, a PyFuncModel or a function."
        )
    if dataset.labels_data is None:
        raise ValueError(f"{NAME!r} needs labels; pass targets=, the column of the labels.")


def _audit(
    model: Any, predictions: str | None, dataset: Any, options: dict[str, Any]
) -> Comparison:
    from dr_core import compare

    predict = _make_predict(model, predictions)
    return compare({"model": predict}, dataset.features_data, dataset.labels_data, **options)


def _make_predict(model: Any, column: str | None) -> Callable[[Any], Any]:
    """Return a function from rows to one array of predictions."""

    def predict(X: Any) -> Any:
        found = model.predict(X)
        if not hasattr(found, "columns"):
            return found
        name = column if column is not None or len(found.columns) > 1 else found.columns[0]
        if name not in found.columns:
            raise ValueError(
                f"the model returns the columns {list(found.columns)}, and predictions is "
                f"{column!r}; pass predictions=, the name of the column with the labels."
            )
        return found[name].to_numpy()

    return predict


def _log(comparison: Comparison, run_id: str, prefix: str) -> Any:
    """Log metrics and artifacts to a run, and return them."""
    import mlflow
    from mlflow.models import EvaluationResult
    from mlflow.models.evaluation.artifacts import JsonEvaluationArtifact, TextEvaluationArtifact

    metrics = {f"{prefix}{key}": value for key, value in _iter_metrics(comparison)}
    mlflow.log_metrics(metrics, step=0, run_id=run_id)
    page, numbers = comparison.to_html(facts={"MLflow run": run_id}), comparison.to_json()
    artifacts = {}
    for kind, ending, text, content in (
        (TextEvaluationArtifact, "html", page, page),
        (JsonEvaluationArtifact, "json", numbers, json.loads(numbers)),
    ):
        file = f"{prefix}{NAME}.{ending}"
        mlflow.MlflowClient().log_text(run_id, text, file)
        uri = mlflow.get_artifact_uri(file)
        artifacts[f"{prefix}{NAME}_{ending}"] = kind(uri=uri, content=content)
    return EvaluationResult(metrics, artifacts, run_id)


def _iter_metrics(comparison: Comparison) -> Iterator[tuple[str, float]]:
    """Yield measures and the ends of their intervals, those of single attributes by name.

    Performance does not depend on the attribute, and is yielded once.
    """
    from dr_core.metrics import PERFORMANCE_MEASURES

    values = comparison.values
    last = values["attribute"].iloc[-1]
    for row in values.to_dict("records"):
        if row["attribute"] != last and row["measure"] in PERFORMANCE_MEASURES:
            continue
        start = "" if row["attribute"] == last else f"{_clean(row['attribute'])}/"
        ends = {"": row["value"], "_low": row.get("low"), "_high": row.get("high")}
        for end, value in ends.items():
            if value is not None and math.isfinite(value):
                yield f"{start}{row['measure']}{end}", float(value)


def _clean(name: Any) -> str:
    """Return a name with only the characters that MLflow allows in the name of a metric.

    >>> _clean("sex (m/f)"), _clean("age >= 25")
    ('sex _m_f_', 'age __ 25')
    """
    return re.sub(r"[^\w.\- ]", "_", str(name))
