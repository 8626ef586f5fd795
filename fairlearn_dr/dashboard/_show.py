"""Assess models and show them in a dashboard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dr_core import SensitiveAttributes, assess_risk, learn_attributes
from dr_core.plugins import Rules, as_table, check_column, check_models, check_row_order
from fairlearn_dr._frames import get_attribute_values
from fairlearn_dr.dashboard._risk_dashboard import make_dashboard_class

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
    coupled: Rules | None = None,
    locale: str | None = None,
    port: int | None = None,
    **options: Any,
) -> Any:
    """Serve the fairness dashboard of raiwidgets, with discriminative risk as a metric.

    A notebook displays the dashboard; elsewhere, open its `url`. It is served on the loopback
    address only, until it is closed or Python exits.

    Parameters
    ----------
    models : mapping
        Fitted binary classifiers, or callables, by name.
    X, y : table of shape (n, d) and labels of shape (n,)
    sensitive_features : mapping, Series, DataFrame, array or list, optional
        Features that define the groups. By default, the sensitive attributes in `privileged`.
    privileged : mapping
        The privileged value of each sensitive column of X, such as {"sex": "Male"}, or its range,
        such as {"age": at_least(25)}.
    pos_label : label, default=1
        The favourable class.
    domain, missing, coupled
        As for `dr_core.learn_attributes`.
    locale : str, optional
        Language of the page, such as "de".
    port : int, optional
        By default, a free port.
    **options
        Further parameters of `dr_core.assess_risk`, such as `p`, `method` and `chunk_size`.

    Returns
    -------
    RiskFairnessDashboard
        It has `url` and `close()`, and is a context manager.

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
    check_row_order(X, {"y": y, "sensitive_features": sensitive_features})
    dashboard_class = make_dashboard_class()
    table = as_table(X)
    check_column("y", y, table.n_rows)
    attributes = learn_attributes(
        table, privileged, domain=domain, missing=missing, coupled=coupled
    )
    risks = {
        name: assess_risk(model, table.native, attributes, each_attribute=False, **options)
        for name, model in models.items()
    }
    if sensitive_features is None:
        sensitive_features = get_attribute_values(table, attributes, missing_label="missing")
    return dashboard_class(
        sensitive_features=sensitive_features,
        y_true=y,
        y_pred={name: risk.draw_predictions(0) for name, risk in risks.items()},
        individual_risk={name: risk.individual for name, risk in risks.items()},
        pos_label=pos_label,
        locale=locale,
        port=port,
    )
