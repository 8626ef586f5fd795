"""x → x̃: `perturb` draws one version of each row, `enumerate_perturbations` lists all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from dr_core._tables import as_table
from dr_core._utils import Array, as_generator, check_probability
from dr_core.perturbation._attributes import SensitiveAttributes, learn_attributes
from dr_core.perturbation._plan import CodedRows, enumerate_variants
from dr_core.perturbation._sampling import draw_codes

__all__ = ["Perturbations", "enumerate_perturbations", "perturb"]


def perturb(
    X: Any,
    privileged: Mapping[Any, Any] | SensitiveAttributes,
    *,
    p: float = 1.0,
    random_state: Any = None,
) -> Any:
    """Perturb the sensitive attributes of each row once, at random.

    Parameters
    ----------
    X : DataFrame (pandas, polars) or array of shape (n, d)
        Never modified.
    privileged : mapping, or SensitiveAttributes
        The privileged value of each sensitive column, such as {"sex": "Male"}, or its range, such
        as {"age": at_least(25)}; or the result of `learn_attributes`, which also takes the domain
        of values, missing values and coupled columns.
    p : float in (0, 1]
        Probability with which each attribute of each row is perturbed.
    random_state : int, Generator or None
        Seed of the draws. An attribute with two values and p = 1 needs none.

    Returns
    -------
    X_perturbed : same type, columns, dtypes and index as X

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"sex": ["Male", "Female"], "age": [30, 40]})
    >>> perturb(X, {"sex": "Male"})
          sex  age
    0  Female   30
    1    Male   40

    Columns that belong to an attribute can follow it:

    >>> from dr_core import learn_attributes
    >>> X = pd.DataFrame({"sex": ["Male", "Female"], "relationship": ["Husband", "Wife"]})
    >>> rules = {"sex": {"Female": {"Husband": "Wife"}, "Male": {"Wife": "Husband"}}}
    >>> perturb(X, learn_attributes(X, {"sex": "Male"}, coupled={"relationship": rules}))
          sex relationship
    0  Female         Wife
    1    Male      Husband
    """
    check_probability(p)
    table = as_table(X)
    attributes = learn_attributes(table, privileged)
    rows = CodedRows.of(table, attributes)
    sensitive = rows.codes[: len(attributes)]
    drawn = draw_codes(sensitive, attributes, p, as_generator(random_state))
    return rows.follow(drawn)


class Perturbations(NamedTuple):
    """Every row that the rows of X can be perturbed into.

    Attributes
    ----------
    data : same type as X, k rows
    rows : array of shape (k,)
        Row of X that each one comes from.
    probability : array of shape (k,)
        Its probability. The probabilities of one row of X sum to less than 1 if the row may stay
        as it is.
    """

    data: Any
    rows: Array
    probability: Array


def enumerate_perturbations(
    X: Any, privileged: Mapping[Any, Any] | SensitiveAttributes, *, p: float = 1.0
) -> Perturbations:
    """List every possible perturbation of each row with its probability.

    Parameters
    ----------
    X, privileged, p
        As for `perturb`.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"race": ["White", "Black", "Other"]})
    >>> every = enumerate_perturbations(X, {"race": "White"})
    >>> every.data.assign(of=every.rows, probability=every.probability)
        race  of  probability
    0  Black   0          0.5
    0  Other   0          0.5
    1  White   1          1.0
    2  White   2          1.0
    """
    check_probability(p)
    table = as_table(X)
    attributes = learn_attributes(table, privileged)
    rows, everything = CodedRows.of(table, attributes), tuple(range(len(attributes)))
    sensitive = rows.codes[: len(attributes)]
    variants = enumerate_variants(sensitive, attributes, p, [everything])
    data = rows.take(variants.rows).follow(variants.codes)
    return Perturbations(data, variants.rows, variants.probability[:, 0])
