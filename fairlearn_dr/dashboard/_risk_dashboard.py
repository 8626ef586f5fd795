"""`RiskFairnessDashboard`, made when it is first asked for."""

from __future__ import annotations

import warnings
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from fairlearn_dr.dashboard import _page as page
from fairlearn_dr.dashboard import _serving as serving
from fairlearn_dr.dashboard._content import page_content
from fairlearn_dr.dashboard._inputs import read_inputs
from fairlearn_dr.dashboard._library import fairness_dashboard

__all__ = ["risk_fairness_dashboard"]

_Library: Any = object
"""In place of raiwidgets' `FairnessDashboard`, which is next in line in the finished class."""


class WithRisk(_Library):
    """The fairness dashboard of raiwidgets, with discriminative risk among its metrics.

    It is served on the loopback address from when it is made until `close`, and is a context
    manager that closes itself.

    Parameters
    ----------
    sensitive_features : mapping, Series, frame, array or list
        Features to split the rows by.
    y_true : array-like of shape (n,)
        True labels, of two classes.
    y_pred : mapping, Series, frame, array or list
        Predictions of each model, by the model's name.
    individual_risk : like `y_pred`
        Probability that each prediction changes: `dr_core.assess_risk(...).individual`.
    pos_label : label
        The favourable class.
    locale : str, optional
        Language of the page, such as "de".
    port : int, optional
        A free one when left out.

    Attributes
    ----------
    url : str
        Where the dashboard can be seen, on this machine.

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
        inputs = read_inputs(sensitive_features, y_true, y_pred, individual_risk, pos_label)
        self._content = page_content(inputs)
        super().__init__(
            sensitive_features={f.name: f.groups.tolist() for f in inputs.features},
            y_true=inputs.y.tolist(),
            y_pred={model.name: model.predictions.tolist() for model in inputs.models},
            locale=locale,
            port=serving.free_port() if port is None else port,
            fairness_metric_mapping={},
        )
        serving.wait_until_served(self._service)

    @property
    def url(self) -> str:
        """Where the dashboard can be seen, on this machine."""
        return str(self.config["baseUrl"])

    def close(self) -> None:
        """Stop the server."""
        serving.stop(self._service)

    def __enter__(self) -> WithRisk:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<RiskFairnessDashboard at {self.url}>"

    def add_route(self) -> None:
        """Merge discriminative risk into the data before the page is served."""
        self.model_data.update(self._content)
        serving.refuse_other_sites(self._service.app)
        super().add_route()

    def load_index(self) -> str:
        """The page, which is built once."""
        return self._index

    @cached_property
    def _index(self) -> str:
        return str(super().load_index())

    def load_widget_file(self, path: str) -> str:
        """One file of the page, with discriminative risk in its tables and the data in it."""
        script = Path(self.get_widget_path(path)).read_text(encoding="utf-8")
        if page.holds_data(script):
            script = _extended(script)
        return page.fill(
            script, app_id=f"rai_widget_{self.id}", config=self.config, data=self.model_data
        )


def _extended(script: str) -> str:
    extended = page.with_risk(script)
    if extended is not None:
        return extended
    warnings.warn(
        "the tables of metrics of this version of raiwidgets are not known: discriminative risk "
        "is offered as a performance metric, not as a fairness metric.",
        stacklevel=2,
    )
    return script


@cache
def risk_fairness_dashboard() -> Any:
    """Make the class `RiskFairnessDashboard`, of which raiwidgets' dashboard is the base."""
    body = {"__doc__": WithRisk.__doc__, "__module__": "fairlearn_dr.dashboard"}
    return type("RiskFairnessDashboard", (WithRisk, fairness_dashboard()), body)
