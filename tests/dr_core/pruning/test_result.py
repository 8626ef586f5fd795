import numpy as np
import pandas as pd
import pytest

from dr_core.pruning._result import PruningResult, select_from_front

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


def test_html_marks_nothing_else():
    other = PruningResult(np.array([1]), 0.2, 0.1, 0.16, FRONT, n_judged=5)._repr_html_()
    assert other.count("✓") == 1
    assert other.index("(1,)") < other.index("✓")


@pytest.mark.parametrize("position", [0, 1])
def test_any_row_of_the_front_may_be_selected(position):
    assert select_from_front(FRONT, lambda front: position) == position


@pytest.mark.parametrize("position", [-1, 2, 0.5, True])
def test_nothing_else_may_be_selected(position):
    with pytest.raises(ValueError, match="position of a row, from 0 to 1; got"):
        select_from_front(FRONT, lambda front: position)


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
    assert select_from_front(front, "largest") == 1
