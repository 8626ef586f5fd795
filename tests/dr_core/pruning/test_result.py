import numpy as np
import pandas as pd
import pytest

from dr_core.pruning import PruningResult
from dr_core.pruning.result import select

FRONT = pd.DataFrame(
    {
        "members": [(0, 2), (1,)],
        "error": [0.1, 0.2],
        "risk": [0.2, 0.1],
        "objective": [0.15, 0.16],
    }
)
RESULT = PruningResult(np.array([0, 2]), 0.1, 0.2, 0.15, FRONT, n_judged=5)


def test_repr_says_what_was_kept_and_how_good_it_is():
    assert repr(RESULT) == (
        "PruningResult(2 members [0 2], error 0.1000, risk 0.2000, objective 0.1500; front of 2)"
    )


def test_html_marks_what_was_chosen():
    html = RESULT._repr_html_()
    assert html.count("✓") == 1
    assert html.index("(0, 2)") < html.index("✓") < html.index("(1,)")


def test_cannot_be_changed():
    with pytest.raises(AttributeError):
        RESULT.error = 0


def test_the_largest_sub_ensemble_with_the_lowest_objective_may_be_selected():
    front = pd.DataFrame(
        {
            "members": [(0, 1, 2), (1, 2, 3), (0,)],
            "error": [0.1, 0.2, 0.3],
            "risk": [0.3, 0.2, 0.1],
            "objective": [0.3, 0.25, 0.2],
        }
    )
    assert select(front, "largest") == 1
