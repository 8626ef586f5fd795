import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textbook import metrics as textbook
from textbook import people as textbook_people

from dr_core.metrics._measures import DR, FAIRNESS_MEASURES, MEASURES, measure
from dr_core.metrics._tally import Tally, tally_predictions, tally_profiles


def random_rows(n, seed, n_classes=2):
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 2, n)
    return groups, *rng.integers(0, n_classes, (3, n)), rng.random(n) + 0.1


def same(a: Tally, b: Tally):
    """Whether two tallies hold the same rows, in whatever order their profiles stand."""
    order = [np.lexsort(t.profiles.T) for t in (a, b)]
    return (
        a.classes == b.classes
        and np.allclose(a.profiles[order[0]], b.profiles[order[1]])
        and all(
            np.allclose(getattr(a, part)[..., order[0]], getattr(b, part)[..., order[1]])
            for part in ("counts", "weights", "squares")
        )
    )


seeds = st.integers(0, 10_000)


@given(st.integers(2, 60), seeds, st.integers(2, 4), st.data())
def test_tallies_of_two_halves_add_up_to_the_tally_of_the_whole(n, seed, n_classes, data):
    *arrays, weights = random_rows(n, seed, n_classes)
    classes = list(range(n_classes))
    cut = data.draw(st.integers(0, n))
    whole = tally_predictions(*arrays, classes, weights)
    parts = [
        tally_predictions(*(a[rows] for a in arrays), classes, weights[rows])
        for rows in (slice(cut), slice(cut, None))
    ]
    assert same(parts[0] + parts[1], whole)
    np.testing.assert_allclose((parts[0] + parts[1]).table, whole.table)


@given(
    st.lists(st.sampled_from([(4, 0, 0), (2, 2, 0), (2, 0, 2), (0, 2, 2), (1, 2, 1), (1, 1, 2)]))
)
def test_every_profile_is_kept_apart(quarters):
    profiles = np.array([(2, 1, 1), *quarters]) / 4
    zeros = np.zeros(len(profiles), int)
    tally = tally_profiles(zeros, zeros, zeros, profiles, [0, 1, 2])
    expected, counts = np.unique(profiles, axis=0, return_counts=True)
    np.testing.assert_array_equal(tally.profiles, expected)
    np.testing.assert_array_equal(tally.counts[0, 0, 0], counts)


@given(st.integers(2, 60), seeds)
def test_tallies_of_profiles_add_up_too(n, seed):
    groups, y, f, _, weights = random_rows(n, seed, 3)
    profiles = np.random.default_rng(seed).dirichlet([1, 1, 1], 5)[
        np.random.default_rng(seed).integers(0, 5, n)
    ]
    whole = tally_profiles(groups, y, f, profiles, [0, 1, 2], weights)
    halves = [
        tally_profiles(groups[r], y[r], f[r], profiles[r], [0, 1, 2], weights[r])
        for r in (slice(n // 2), slice(n // 2, None))
    ]
    np.testing.assert_allclose((halves[0] + halves[1]).table, whole.table)


def test_tallies_with_other_classes_are_aligned():
    a = tally_predictions([1, 0], [0, 1], [0, 1], [0, 0], ["a", "c"])
    b = tally_predictions([1, 0], [0, 1], [0, 1], [0, 0], ["b", "c"])
    both = a + b
    assert both.classes == ["a", "b", "c"]
    assert both.table.sum() == 4
    assert both.table[1, 0, 0, 0] == both.table[1, 1, 1, 1] == 1
    assert both.table[0, 2, 2, 0] == both.table[0, 2, 2, 1] == 1


def test_tallies_of_randomised_models_with_other_classes_are_aligned():
    # Joint distributions of f(x) and f(x̃) over the pairs aa, ac, ca, cc, and bb, bc, cb, cc.
    a = tally_profiles([1], [0], None, np.array([[0.1, 0.2, 0.3, 0.4]]), ["a", "c"])
    b = tally_profiles([0], [1], None, np.array([[0.4, 0.3, 0.2, 0.1]]), ["b", "c"])
    both = a + b
    assert both.classes == ["a", "b", "c"]
    np.testing.assert_allclose(both.table[1, 0], [[0.1, 0, 0.2], [0, 0, 0], [0.3, 0, 0.4]])
    np.testing.assert_allclose(both.table[0, 2], [[0, 0, 0], [0, 0.4, 0.3], [0, 0.2, 0.1]])
    assert both.table.sum() == pytest.approx(2)


def test_a_sure_profile_is_the_same_as_a_prediction():
    groups, y, f, perturbed, weights = random_rows(50, 0, 3)
    sure = tally_profiles(groups, y, f, np.eye(3)[perturbed], [0, 1, 2], weights)
    plain = tally_predictions(groups, y, f, perturbed, [0, 1, 2], weights)
    np.testing.assert_allclose(sure.table, plain.table)


@settings(deadline=None)
@given(st.integers(20, 80), seeds)
def test_measures_are_those_of_the_textbook(n, seed):
    groups, y, f, perturbed, weights = random_rows(n, seed)
    groups[:4], y[:4], f[:4] = [0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 1]
    rows = [
        {"privileged": g == 1, "y": a, "f": b, "perturbed": c, "weight": w}
        for g, a, b, c, w in zip(groups, y, f, perturbed, weights, strict=True)
    ]
    tally = tally_predictions(groups, y, f, perturbed, [0, 1], weights)
    found = measure(tally.table, 1, list(MEASURES))
    expected = textbook.measures(rows)
    assert {name: float(value) for name, value in found.items()} == pytest.approx(expected)


def test_multi_class_measures_set_the_favourable_class_against_the_rest():
    groups, y, f, perturbed, weights = random_rows(200, 3, 4)
    many = tally_predictions(groups, y, f, perturbed, [0, 1, 2, 3], weights)
    two = tally_predictions(groups, y == 2, f == 2, perturbed == 2, [0, 1], weights)
    names = [n for n in MEASURES if n != "accuracy" and not n.startswith("discriminative")]
    theirs = measure(two.table, 1, names)
    for name, value in measure(many.table, 2, names).items():
        assert value == pytest.approx(theirs[name])
    assert measure(many.table, 2, ["accuracy"])["accuracy"] == pytest.approx(
        np.average(y == f, weights=weights)
    )
    assert measure(many.table, 2, ["discriminative_risk"])["discriminative_risk"] == (
        pytest.approx(np.average(f != perturbed, weights=weights))
    )


def test_what_is_undefined_is_nan_and_never_zero():
    tally = tally_predictions([1, 1], y=[1, 0], f=[0, 0], perturbed=[0, 0], classes=[0, 1])
    found = measure(tally.table, 1, list(MEASURES))
    undefined = {name for name, value in found.items() if np.isnan(value)}
    assert undefined == {*FAIRNESS_MEASURES, "precision"} - {DR}


QUANTILES = [0.05, 0.25, 0.5, 0.75, 0.95]


def row_bootstrap(arrays, classes, weights, names, n_boot, make):
    rng, n = np.random.default_rng(1), len(arrays[0])
    replicates = []
    for _ in range(n_boot):
        rows = rng.integers(0, n, n)
        tally = make(
            *(a[rows] for a in arrays), classes, None if weights is None else weights[rows]
        )
        replicates.append(measure(tally.table, 1, names))
    return {name: np.array([r[name] for r in replicates]) for name in names}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("exact", [False, True])
def test_the_cell_bootstrap_has_the_distribution_of_a_row_bootstrap(weighted, exact):
    groups, y, f, perturbed, weights = random_rows(400, 0)
    weights = weights if weighted else None
    names = ["discriminative_risk", "demographic_parity", "predictive_parity", "f1"]
    if exact:
        chance = np.random.default_rng(0).integers(0, 5, 400) / 4
        last, make = np.column_stack([chance, 1 - chance]), tally_profiles
    else:
        last, make = perturbed, tally_predictions
    arrays = (groups, y, f, last)
    tally = make(*arrays, [0, 1], weights)
    blocks = [measure(t, 1, names) for t in tally.bootstrap(4000, np.random.default_rng(0))]
    cells = {name: np.concatenate([block[name] for block in blocks]) for name in names}
    rows = row_bootstrap(arrays, [0, 1], weights, names, 2000, make)
    for name in names:
        spread = rows[name].std()
        difference = np.quantile(cells[name], QUANTILES) - np.quantile(rows[name], QUANTILES)
        assert np.abs(difference).max() < 0.1 * spread + 1 / 400, name


def test_bootstrap_blocks_give_as_many_replicates_as_asked(monkeypatch):
    monkeypatch.setattr("dr_core.metrics._tally.MAX_NUMBERS_PER_BLOCK", 500)
    tally = tally_predictions(*random_rows(50, 0)[:4], [0, 1])
    blocks = list(tally.bootstrap(57, np.random.default_rng(0)))
    n_numbers = 3 * 2**3 + 3 * 2**2  # cells of the table, and of the profiles
    assert list(map(len, blocks)) == [500 // n_numbers] * 4 + [57 % (500 // n_numbers)]
    assert all(np.allclose(block.sum(axis=(1, 2, 3, 4)), 50) for block in blocks)


def test_the_risk_of_a_randomised_model_is_what_leaves_the_diagonal():
    joint = np.array([[0.25, 0.75, 0.0, 0.0], [0.0, 0.5, 0.0, 0.5]])  # f(x) by f(x̃), row by row
    tally = tally_profiles([1, 0], [0, 1], None, joint, [0, 1])
    assert tally.risk_sample.mean == (0.75 + 0.5) / 2


def test_no_replicate_has_a_negative_weight():
    rows = [0, 0, 0, 1, 1], [0, 1, 0, 1, 0], [1, 1, 1, 0, 0], [0, 1, 0, 1, 1]
    tally = tally_predictions(*rows, [0, 1], [0.01, 1.0, 2.0, 0.5, 0.5])
    (tables,) = tally.bootstrap(200, np.random.default_rng(0))
    assert tables.min() == 0


def test_only_tallies_add_up():
    with pytest.raises(TypeError):
        tally_predictions([0], [0], [0], [0], [0, 1]) + 1


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_a_bootstrap_of_people_is_that_of_the_textbook_which_copies_their_rows(seed, weighted):
    *arrays, weights = random_rows(120, seed)
    weights = weights if weighted else np.ones(120)
    person = np.random.default_rng(seed).integers(0, 30, 120)
    tally = tally_predictions(*arrays, [0, 1], weights if weighted else None, person)
    (tables,) = tally.bootstrap(5, np.random.default_rng(7))
    found = measure(tables, 1, list(MEASURES))
    rows = [
        {"privileged": group == 1, "y": y, "f": f, "perturbed": g, "weight": w}
        for group, y, f, g, w in zip(*arrays, weights, strict=True)
    ]
    drawn = textbook_people.replicates(person.tolist(), 5, np.random.default_rng(7))
    for i, chosen in enumerate(drawn):
        expected = textbook.measures([rows[j] for j in chosen])
        for name in MEASURES:
            np.testing.assert_allclose(found[name][i], expected[name], atol=1e-12, err_msg=name)


def test_people_drawn_in_blocks_are_those_drawn_at_once(monkeypatch):
    *arrays, weights = random_rows(50, 0)
    tally = tally_predictions(*arrays, [0, 1], weights, np.arange(50) // 3)
    (at_once,) = tally.bootstrap(10, np.random.default_rng(0))
    monkeypatch.setattr("dr_core.metrics._tally.MAX_NUMBERS_PER_BLOCK", 80)
    blocks = list(tally.bootstrap(10, np.random.default_rng(0)))
    assert len(blocks) > 1
    np.testing.assert_allclose(np.concatenate(blocks), at_once)


@given(st.integers(1, 30), seeds)
def test_the_sample_of_a_tally_is_that_of_its_rows(n, seed):
    groups, y, f, perturbed, weights = random_rows(n, seed)
    tally = tally_predictions(groups, y, f, perturbed, [0, 1], weights)
    changed = (f != perturbed).astype(float)
    expected = textbook_people.effective_people(changed, weights, range(n))
    assert tally.risk_sample.mean == pytest.approx(np.average(changed, weights=weights))
    assert tally.risk_sample.n_effective == pytest.approx(expected)
