"""The display of a Pareto front is tested by the data of its artists."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from dr_core import ParetoFrontDisplay, Votes, epaf, poaf


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def votes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 100)
    plain = y ^ (rng.random((9, 100)) < 0.25)
    return Votes(plain, plain ^ (rng.random((9, 100)) < 0.1), y)


def points(display, label):
    artist = next(c for c in display.ax_.collections if c.get_label() == label)
    return artist.get_offsets().data.tolist()


def test_shows_front_choice_members_and_full_ensemble(votes):
    result = poaf(votes, 5, random_state=0)
    display = ParetoFrontDisplay.from_result(result, votes=votes)
    assert points(display, "Pareto front") == result.front[["error", "risk"]].to_numpy().tolist()
    assert points(display, "chosen") == [[result.error, result.risk]]
    assert points(display, "full ensemble") == [[votes.error, votes.risk]]
    assert len(points(display, "members")) == 9


def test_without_votes_it_shows_front_and_choice_only(votes):
    display = ParetoFrontDisplay.from_result(epaf(votes, 5))
    labels = {artist.get_label() for artist in display.ax_.collections}
    assert labels == {"Pareto front", "chosen"}


def test_a_fitted_pruner_has_its_front_drawn(votes):
    class Pruner:
        result_ = poaf(votes, 5, random_state=0)

    display = ParetoFrontDisplay.from_estimator(Pruner())
    assert display.frame() is Pruner.result_.front


def test_a_pruner_of_another_library_that_is_not_fitted_is_refused():
    class Pruner:
        def predict(self, dataset):
            return dataset

    with pytest.raises(TypeError, match="Pruner; pass a fitted pruner"):
        ParetoFrontDisplay.from_estimator(Pruner())


def test_plot_returns_the_display_and_draws_on_the_axes_given(votes):
    display = ParetoFrontDisplay(epaf(votes, 5))
    figure, ax = plt.subplots()
    assert display.plot(ax) is display
    assert display.ax_ is ax
    assert display.figure_ is figure
