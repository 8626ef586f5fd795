"""Discriminative risk in the idiom of `aif360.sklearn`: protected attributes in the index.

Estimators of `aif360.sklearn` read protected attributes from the index of X, and often also get
them as features. `discriminative_risk` perturbs the index levels together with the features that
carry them. `discriminative_risk_scorer` is for `GridSearchCV` and `cross_validate`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aif360_dr._index_carriers import find_index_carriers
from dr_core import RiskAssessment, assess_risk
from dr_core.plugins import Rules, check_choice, check_probability

__all__ = ["discriminative_risk", "discriminative_risk_scorer"]


@dataclass(frozen=True, eq=False)
class IndexedRiskScorer:
    """A scorer: the negative discriminative risk, so that higher is better."""

    prot_attr: Any
    priv_group: Any
    carried_by: Mapping[Any, Sequence[Any]] | None = None
    method: str = "exact"
    p: float = 1.0
    random_state: Any = None
    domain: Mapping[Any, Any] | None = None
    missing: str = "error"
    coupled: Rules | None = None

    def __post_init__(self) -> None:
        # Checked here because a search replaces an error of its scorer by a score of NaN.
        check_probability(self.p)
        check_choice("method", self.method, ("exact", "sample"))
        check_choice("missing", self.missing, ("error", "keep"))

    def __call__(self, estimator: Any, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the negative discriminative risk of a fitted estimator on X."""
        return -self.assess(estimator, X, y, sample_weight).value

    def assess(self, estimator: Any, X: Any, y: Any, sample_weight: Any) -> RiskAssessment:
        """Measure the risk of a fitted estimator on X, all attributes perturbed together."""
        carriers = find_index_carriers(X, self.prot_attr, self.priv_group, self.carried_by)
        return assess_risk(
            estimator,
            X,
            carriers.learn(X, domain=self.domain, missing=self.missing, coupled=self.coupled),
            y=y,
            method=self.method,
            p=self.p,
            random_state=self.random_state,
            sample_weight=sample_weight,
            each_attribute=False,
        )


def discriminative_risk(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    prot_attr: Any,
    priv_group: Any,
    carried_by: Mapping[Any, Sequence[Any]] | None = None,
    sample_weight: Any = None,
    method: str = "exact",
    p: float = 1.0,
    random_state: Any = None,
    domain: Mapping[Any, Any] | None = None,
    missing: str = "error",
    coupled: Rules | None = None,
) -> float:
    """Return the share of predictions that change when protected attributes are perturbed.

    0 means that no prediction depends on them. Unlike the metrics of `aif360.sklearn`, it needs
    the estimator, because perturbed rows must be predicted.

    Args:
        estimator: Fitted estimator, such as `PostProcessingMeta` or `ReweighingMeta`.
        X (pandas.DataFrame): Features, with the protected attributes in the index. Not modified.
        y (array-like, optional): True labels. They do not enter the risk; predictions of other
            labels raise an error.
        prot_attr (label or list of labels): Index level(s) to perturb. None means all levels.
        priv_group: Privileged value in the index, a list of privileged values, or a range such as
            `at_least(25)`. For several protected attributes, a tuple with one entry for each.
        carried_by (dict, optional): Names of the columns that carry an attribute, by the name of
            the attribute. By default these are the column of the same name, and columns such as
            `sex_Male` or `sex=Male` whose value depends on the attribute alone.
        sample_weight (array-like, optional): Weights of the rows.
        method, p, random_state: See `dr_core.assess_risk`.
        domain, missing, coupled: See `dr_core.learn_attributes`. With `missing="keep"`, the risk
            is that of the rows that were perturbed.

    Examples:
        >>> import pandas as pd
        >>> sex = pd.Index(["Male", "Male", "Female", "Female"], name="sex")
        >>> X = pd.DataFrame({"sex_Male": [1, 1, 0, 0], "age": [25, 35, 35, 45]}, index=sex)
        >>> hires = lambda X: X["age"] > 40 - 10 * X["sex_Male"]
        >>> discriminative_risk(hires, X, prot_attr="sex", priv_group="Male")
        0.5
    """
    how = IndexedRiskScorer(
        prot_attr, priv_group, carried_by, method, p, random_state, domain, missing, coupled
    )
    return how.assess(estimator, X, y, sample_weight).value


def discriminative_risk_scorer(
    *,
    prot_attr: Any,
    priv_group: Any,
    carried_by: Mapping[Any, Sequence[Any]] | None = None,
    method: str = "exact",
    p: float = 1.0,
    random_state: Any = None,
    domain: Mapping[Any, Any] | None = None,
    missing: str = "error",
    coupled: Rules | None = None,
) -> IndexedRiskScorer:
    """Make a scorer of discriminative risk for `GridSearchCV` and `cross_validate`.

    Use it like `make_scorer(statistical_parity_difference, prot_attr=...)`.

    Args:
        prot_attr, priv_group, carried_by: See `discriminative_risk`.
        method, p, random_state: See `dr_core.assess_risk`.
        domain, missing, coupled: See `dr_core.learn_attributes`. The values of an attribute are
            learned from each fold; pass `domain` if a fold may lack one.

    Returns:
        `scorer(estimator, X, y)`, the negative risk, because searches maximise scores. Pass
        `error_score="raise"` to searches, which otherwise replace errors by scores of NaN.

    Examples:
        >>> import pandas as pd
        >>> from sklearn.model_selection import cross_val_score
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> sex = pd.Index([0, 1] * 20, name="sex")
        >>> X = pd.DataFrame({"sex": sex, "age": range(40)}, index=sex)
        >>> scorer = discriminative_risk_scorer(prot_attr="sex", priv_group=1)
        >>> cross_val_score(DecisionTreeClassifier(), X, X["sex"], scoring=scorer, cv=2)
        array([-1., -1.])
    """
    return IndexedRiskScorer(
        prot_attr, priv_group, carried_by, method, p, random_state, domain, missing, coupled
    )
