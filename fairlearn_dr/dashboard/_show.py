"""From models to a dashboard in one call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dr_core import SensitiveAttributes, assess_risk, learn_attributes
from dr_core.plugins import Array, Table, as_table, check_column, check_models
from fairlearn_dr.dashboard._risk_dashboard import risk_fairness_dashboard

__all__ = ["show_dashboard"]


def show_dashboard(
    models: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    sensitive_features: Any = None,
    privileged: Mapping[Any, Any] | SensitiveAttributes,
    pos_label: Any = 1,
    domain: Mapping[Any, Any] | None = None,
    missing: str = "error",
    locale: str | None = None,
    port: int | None = None,
    **options: Any,
) -> Any:
    """Serve the fairness dashboard of raiwidgets, with discriminative risk among its metrics.

    In a notebook it is shown at once; elsewhere, open its `url`. It is served on the loopback
    address only, until it is closed or Python ends.

    Parameters
    ----------
    models : mapping
        From a name to a fitted classifier of two classes, or a callable.
    X, y : table of shape (n, d) and labels of shape (n,)
    sensitive_features : mapping, Series, frame or array, optional
        Features to split the rows by; the sensitive attributes when left out.
    privileged : mapping
        The privileged value of each sensitive column of X, such as {"sex": "Male"}.
    pos_label : label
        The favourable class.
    domain, missing
        As for `dr_core.learn_attributes`.
    locale : str, optional
        Language of the page, such as "de".
    port : int, optional
        A free one when left out.
    **options
        For `dr_core.assess_risk`, such as `p` and `chunk_size`. Risk is exact unless
        `method="sample"` is among them.

    Returns
    -------
    RiskFairnessDashboard
        With `url` and `close()`; also a context manager.

    Examples
    --------
    >>> from dr_core import datasets
    >>> ricci = datasets.load("ricci")
    >>> harsh = lambda X: (X["Combine"] > 70 + 5 * (X["Race"] != "W")).astype(int)
    >>> with show_dashboard(  # doctest: +SKIP
    ...     {"harsh": harsh}, ricci.data, ricci.target, privileged=ricci.privileged
    ... ) as dashboard:
    ...     input("Enter to stop")
    Fairness started at http://localhost:36527
    """
    models = check_models(models)
    dashboard = risk_fairness_dashboard()
    table = as_table(X)
    check_column("y", y, table.n_rows)
    attributes = learn_attributes(table, privileged, domain=domain, missing=missing)
    risks = {
        name: assess_risk(model, table.native, attributes, each_attribute=False, **options)
        for name, model in models.items()
    }
    given = sensitive_features is not None
    return dashboard(
        sensitive_features=sensitive_features if given else _values(attributes, table),
        y_true=y,
        y_pred={name: risk.predictions for name, risk in risks.items()},
        individual_risk={name: risk.individual for name, risk in risks.items()},
        pos_label=pos_label,
        locale=locale,
        port=port,
    )


def _values(attributes: SensitiveAttributes, table: Table) -> dict[str, Array]:
    """Values of the sensitive attributes, also of those that are one-hot encoded."""
    codes = attributes.encode(table)
    return {
        str(attribute.name): np.array([*attribute.values, "missing"], dtype=object)[of_attribute]
        for attribute, of_attribute in zip(attributes, codes, strict=True)
    }
