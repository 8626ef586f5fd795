"""The class `RiskFairnessDashboard`, which is made on first use."""

from __future__ import annotations

import warnings
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from fairlearn_dr.dashboard import _page as page
from fairlearn_dr.dashboard import _serving as serving
from fairlearn_dr.dashboard._content import make_page_content
from fairlearn_dr.dashboard._inputs import check_inputs
from fairlearn_dr.dashboard._library import import_fairness_dashboard

__all__ = ["make_dashboard_class"]

_Base: Any = object
"""Stands for `raiwidgets.FairnessDashboard`, which follows the mixin in the class that is made."""


class RiskDashboardMixin(_Base):
    """The fairness dashboard of raiwidgets, with discriminative risk as a metric.

    The dashboard is served on the loopback address until `close` is called. It is also a context
    manager, which calls `close` at the end.

    Parameters
    ----------
    sensitive_features : mapping, Series, DataFrame, array or list
        Features that define the groups.
    y_true : array-like of shape (n,)
        True labels of two classes.
    y_pred : mapping, Series, DataFrame, array or list
        Predictions of each model, by name of the model.
    individual_risk : mapping, Series, DataFrame, array or list
        Probability that each prediction changes, `dr_core.assess_risk(...).individual`, in the
        form of `y_pred`.
    pos_label : label, default=1
        The favourable class.
    locale : str, optional
        Language of the page, such as "de".
    port : int, optional
        By default, a free port.

    Attributes
    ----------
    url : str
        Local address of the dashboard.

    Examples
    --------
    >>> from fairlearn_dr.dashboard import RiskFairnessDashboard  # doctest: +SKIP
    >>> dashboard = RiskFairnessDashboard(  # doctest: +SKIP
    ...     sensitive_features={"sex": ["f", "m"]}, y_true=[0, 1],
    ...     y_pred={"tree": [1, 1]}, individual_risk={"tree": [0.0, 1.0]})
    Fairness started at http://localhost:36527
    >>> dashboard.close()  # doctest: +SKIP
    """

    def __init__(
        self,
        *,
        sensitive_features: Any,
        y_true: Any,
        y_pred: Any,
        individual_risk: Any,
        pos_label: Any = 1,
        locale: str | None = None,
        port: int | None = None,
    ) -> None:
        inputs = check_inputs(sensitive_features, y_true, y_pred, individual_risk, pos_label)
        self._content = make_page_content(inputs)
        super().__init__(
            sensitive_features={f.name: f.groups.tolist() for f in inputs.features},
            y_true=inputs.y.tolist(),
            y_pred={model.name: model.predictions.tolist() for model in inputs.models},
            locale=locale,
            port=serving.find_free_port() if port is None else port,
            fairness_metric_mapping={},
        )
        serving.wait_until_served(self._service)

    @property
    def url(self) -> str:
        """Local address of the dashboard."""
        return str(self.config["baseUrl"])

    def close(self) -> None:
        """Stop the server."""
        serving.stop_server(self._service)

    def __enter__(self) -> RiskDashboardMixin:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<RiskFairnessDashboard at {self.url}>"

    def add_route(self) -> None:
        """Add discriminative risk to the data before the page is served."""
        self.model_data.update(self._content)
        serving.refuse_other_sites(self._service.app)
        super().add_route()

    def load_index(self) -> str:
        """Return the page, which is built once."""
        return self._index

    @cached_property
    def _index(self) -> str:
        return str(super().load_index())

    def load_widget_file(self, path: str) -> str:
        """Return a file of the page with discriminative risk and the data inserted."""
        script = Path(self.get_widget_path(path)).read_text(encoding="utf-8")
        if page.has_data_placeholder(script):
            script = _extend_script(script)
        return page.fill_placeholders(
            script, app_id=f"rai_widget_{self.id}", config=self.config, data=self.model_data
        )


def _extend_script(script: str) -> str:
    extended = page.add_risk(script)
    if extended is not None:
        return extended
    warnings.warn(
        "this version of raiwidgets has unknown tables of metrics: discriminative risk is "
        "available as a performance metric only, not as a fairness metric. Install "
        "raiwidgets==0.36.0 to have both.",
        stacklevel=2,
    )
    return script


@cache
def make_dashboard_class() -> Any:
    """Return the class `RiskFairnessDashboard`, a subclass of `raiwidgets.FairnessDashboard`."""
    body = {"__doc__": RiskDashboardMixin.__doc__, "__module__": "fairlearn_dr.dashboard"}
    return type("RiskFairnessDashboard", (RiskDashboardMixin, import_fairness_dashboard()), body)
