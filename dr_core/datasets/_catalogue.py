"""Label, privileged values, description and source of each shipped data set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["CATALOGUE", "Entry"]


@dataclass(frozen=True)
class Entry:
    """One shipped data set.

    Attributes
    ----------
    label : target column
    positive : value of the label that target 1 stands for (None for a regression target)
    target_names : names of targets 0 and 1 (for regression, of the target)
    privileged : privileged value of each sensitive column
    description : content, preprocessing and credit
    favorable : target that is favourable for the person: 1, 0, or None for a regression target
    """

    label: str
    positive: Any
    target_names: tuple[str, ...]
    privileged: dict[str, str]
    description: str
    favorable: int | None = 1


_COMPAS = (
    "Rows without a valid COMPAS case are dropped (screening more than 30 days from arrest, no "
    "recidivism flag, ordinary traffic offence, no score, a missing value). The positive label is "
    "re-offending, as in the paper; the favourable one is its absence. Credit: J. Larson, S. "
    "Mattu, L. Kirchner and J. Angwin, ProPublica, 2016."
)

CATALOGUE = {
    "ricci": Entry(
        label="Class",
        positive=1,
        target_names=("not promoted", "promoted"),
        privileged={"Race": "W"},
        description=(
            "Promotion examinations of 118 New Haven firefighters. The label is derived: promoted "
            "when the combined score is at least 70, and that score stays among the features. "
            "Credit: Ricci v. DeStefano, 557 U.S. 557 (2009); R package Stat2Data."
        ),
    ),
    "credit": Entry(
        label="credit",
        positive=1,
        target_names=("bad credit risk", "good credit risk"),
        privileged={"sex": "male", "age": "adult"},
        description=(
            "1,000 German loan applicants. sex is derived from the personal status, age is adult "
            "from 25 years on, else youth; both replace the original columns. Codes such as A11 "
            "are those of the source. Credit: H. Hofmann, Statlog (German Credit Data), UCI "
            "Machine Learning Repository, CC BY 4.0."
        ),
    ),
    "income": Entry(
        label="income-per-year",
        positive=">50K",
        target_names=("<=50K", ">50K"),
        privileged={"race": "White", "sex": "Male"},
        description=(
            "30,162 adults of the 1994 US census: does a person earn more than 50,000 dollars a "
            "year? Training part of Adult, rows with an unknown value and the column fnlwgt "
            "dropped. Credit: B. Becker and R. Kohavi, Adult, UCI Machine Learning Repository, "
            "CC BY 4.0."
        ),
    ),
    "ppr": Entry(
        label="two_year_recid",
        positive=1,
        target_names=("no recidivism", "recidivism"),
        privileged={"sex": "Male", "race": "Caucasian"},
        description=f"6,167 defendants in Broward County: re-offended within two years? {_COMPAS}",
        favorable=0,
    ),
    "ppvr": Entry(
        label="two_year_recid",
        positive=1,
        target_names=("no violent recidivism", "violent recidivism"),
        privileged={"sex": "Male", "race": "Caucasian"},
        description=(
            "4,010 defendants in Broward County: re-offended violently within two years? "
            f"{_COMPAS}"
        ),
        favorable=0,
    ),
    "lawschool": Entry(
        label="ZFYA",
        positive=None,
        target_names=("ZFYA",),
        privileged={"race": "White", "sex": "male"},
        description=(
            "21,790 US law students; the target is the standardised first-year average. One row "
            "of an unlisted region is dropped. Credit: L. Wightman, LSAC National Longitudinal "
            "Bar Passage Study, 1998, as used by Kusner et al., Counterfactual Fairness, 2017."
        ),
        favorable=None,
    ),
}
