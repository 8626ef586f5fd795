"""Discriminative risk as a scorer for model selection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dr_core import SensitiveAttributes, assess_risk
from dr_core.plugins import Rules, check_choice, check_privileged, check_probability

__all__ = ["RiskScorer", "risk_scorer"]


@dataclass(frozen=True, eq=False)
class RiskScorer:
    """A scorer as scikit-learn calls it: higher is better, so the risk is negated."""

    privileged: Mapping[Any, Any] | SensitiveAttributes
    method: str = "exact"
    p: float = 1.0
    random_state: Any = None
    domain: Mapping[Any, Any] | None = None
    missing: str = "error"
    coupled: Rules | None = None

    def __call__(self, estimator: Any, X: Any, y: Any = None) -> float:
        """Return minus the discriminative risk of a fitted estimator on X."""
        risk = assess_risk(
            estimator,
            X,
            self.privileged,
            method=self.method,
            p=self.p,
            random_state=self.random_state,
            domain=self.domain,
            missing=self.missing,
            coupled=self.coupled,
            each_attribute=False,
        )
        return -risk.value


def risk_scorer(
    privileged: Mapping[Any, Any] | SensitiveAttributes,
    *,
    method: str = "exact",
    p: float = 1.0,
    random_state: Any = None,
    domain: Mapping[Any, Any] | None = None,
    missing: str = "error",
    coupled: Rules | None = None,
) -> RiskScorer:
    """Make a scorer for `GridSearchCV` and `cross_validate` out of discriminative risk.

    Parameters
    ----------
    privileged : mapping, or attributes learned before
        A fold may lack a value: pass `dr_core.learn_attributes(X, privileged)`, or `domain`, to
        let every fold know all of them.
    method, p, random_state, domain, missing, coupled
        As for `dr_core.assess_risk`.

    Returns
    -------
    callable
        `scorer(estimator, X, y)`, minus the risk: lower risk is better, scorers are maximised.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = pd.DataFrame({"sex": [0, 1] * 20, "age": range(40)})
    >>> scorer = risk_scorer({"sex": 1})
    >>> scores = cross_validate(DecisionTreeClassifier(), X, X["sex"], scoring=scorer, cv=2)
    >>> scores["test_score"]
    array([-1., -1.])
    """
    # Now rather than in a search, which would score every model NaN.
    check_probability(p)
    check_choice("method", method, ("exact", "sample"))
    check_choice("missing", missing, ("error", "keep"))
    check_privileged(privileged)
    return RiskScorer(privileged, method, p, random_state, domain, missing, coupled)
