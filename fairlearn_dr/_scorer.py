"""Discriminative risk as a scikit-learn scorer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sklearn.utils.metadata_routing import MetadataRequest

from dr_core import SensitiveAttributes, assess_risk, learn_attributes
from dr_core.plugins import (
    Rules,
    check_choice,
    check_nonnegative,
    check_privileged,
    check_probability,
)

__all__ = ["RiskScorer", "risk_scorer"]


@dataclass(eq=False)
class RiskScorer:
    """A scikit-learn scorer: the negative discriminative risk, so that higher is better."""

    privileged: Mapping[Any, Any] | SensitiveAttributes
    method: str = "exact"
    p: float = 1.0
    random_state: Any = None
    domain: Mapping[Any, Any] | None = None
    missing: str = "error"
    coupled: Rules | None = None
    tolerance: float | None = None
    weight_request: bool | str | None = None

    def __call__(self, estimator: Any, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the negative discriminative risk of a fitted estimator on X."""
        attributes = learn_attributes(
            X,
            self.privileged,
            domain=self.domain,
            missing=self.missing,
            coupled=self.coupled,
        )
        risk = assess_risk(
            estimator,
            X,
            attributes,
            method=self.method,
            p=self.p,
            random_state=self.random_state,
            each_attribute=False,
            sample_weight=sample_weight,
            tolerance=self.tolerance,
        )
        return -risk.value

    def set_score_request(self, *, sample_weight: bool | str | None = True) -> RiskScorer:
        """Request the weights of the rows from a meta-estimator, such as `GridSearchCV`.

        Needs scikit-learn's metadata routing, `set_config(enable_metadata_routing=True)`.

        Parameters
        ----------
        sample_weight : bool, str or None
            Whether to request weights, or the name under which they are passed.

        Returns
        -------
        RiskScorer
        """
        self.weight_request = sample_weight
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Return the metadata that the scorer requests."""
        routing = MetadataRequest(owner=self)
        routing.score.add_request(param="sample_weight", alias=self.weight_request)
        return routing


def risk_scorer(
    privileged: Mapping[Any, Any] | SensitiveAttributes,
    *,
    method: str = "exact",
    p: float = 1.0,
    random_state: Any = None,
    domain: Mapping[Any, Any] | None = None,
    missing: str = "error",
    coupled: Rules | None = None,
    tolerance: float | None = None,
) -> RiskScorer:
    """Make a scorer of discriminative risk for `GridSearchCV` and `cross_validate`.

    Parameters
    ----------
    privileged : mapping, or SensitiveAttributes
        The privileged value of each sensitive column of X, such as {"sex": "Male"}. The values of
        an attribute are learned from each fold. If a fold may lack a value, pass
        `dr_core.learn_attributes(X, privileged)`, or `domain`.
    method, p, random_state
        As for `dr_core.assess_risk`.
    domain, missing, coupled
        As for `dr_core.learn_attributes`. With `missing="keep"`, rows without any sensitive value
        do not count: the risk is that of the rows that were perturbed. With `coupled`, the risk is
        that with coupled columns, `discriminative_risk_coupled` of `dr_core.compare`.
    tolerance : float, optional
        For regressors: a prediction counts as changed if it moves by more than this.

    Returns
    -------
    RiskScorer
        `scorer(estimator, X, y, sample_weight=None)` returns the negative risk, because searches
        maximise scores. `scorer.set_score_request(sample_weight=True)` requests the weights that
        are passed to a search, with scikit-learn's metadata routing enabled.

    Notes
    -----
    Pass `error_score="raise"` to searches. Otherwise they replace an error of the scorer, such as
    for a misspelt privileged value, with a score of NaN, and may select the first candidate.

    With several attributes in `privileged`, the risk is that of all perturbed together. One of
    them alone can have more; see `dr_core.assess_risk(...).by_attribute`.

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
    # Checked here because a search replaces an error of its scorer by a score of NaN.
    check_probability(p)
    check_choice("method", method, ("exact", "sample"))
    check_choice("missing", missing, ("error", "keep"))
    check_privileged(privileged)
    check_nonnegative("tolerance", tolerance or 0.0)
    return RiskScorer(privileged, method, p, random_state, domain, missing, coupled, tolerance)
