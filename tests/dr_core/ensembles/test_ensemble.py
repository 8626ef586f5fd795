import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from textbook.sklearn_versions import OLD_SKLEARN, adaboost

from dr_core import assess_risk, compute_bounds, perturb
from dr_core.ensembles import LABELS, Ensemble, _collect, as_ensemble, collect_votes

PRIVILEGED = {"sex": 1, "race": 0}


def rows(n=240, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "sex": rng.integers(0, 2, n),
            "race": rng.integers(0, 3, n),
            "score": rng.normal(size=n),
        }
    )


def labels(X, kind, n_classes):
    raw = X["score"] + 0.8 * X["sex"] - 0.3 * X["race"]
    codes = pd.qcut(raw, n_classes, labels=False).to_numpy()
    names = {"int": [10, 20, 30], "str": ["c", "a", "b"]}[kind]
    return np.array(names)[codes]


def tree(**options):
    return DecisionTreeClassifier(max_depth=4, random_state=0, **options)


ESTIMATORS = {
    "random forest": lambda: RandomForestClassifier(7, max_depth=5, random_state=0),
    "extra trees": lambda: ExtraTreesClassifier(7, max_depth=5, random_state=0),
    "bagging": lambda: BaggingClassifier(tree(), 7, random_state=0),
    "bagging of some columns": lambda: BaggingClassifier(
        tree(), 7, max_features=0.5, random_state=0
    ),
    "bagging of another classifier": lambda: BaggingClassifier(
        GaussianNB(), 5, max_features=0.8, random_state=0
    ),
    "adaboost": lambda: adaboost(tree(), n_estimators=7, random_state=0),
    "voting": lambda: VotingClassifier(
        [
            ("tree", tree()),
            ("bayes", GaussianNB()),
            ("logistic", LogisticRegression(max_iter=999)),
        ],
        weights=[2, 1, 1.5],
    ),
    "voting with a dropped member": lambda: VotingClassifier(
        [("tree", tree()), ("gone", "drop"), ("bayes", GaussianNB())], weights=[2, 7, 1]
    ),
    "pipeline": lambda: make_pipeline(
        FunctionTransformer(lambda X: X * 2), RandomForestClassifier(5, random_state=0)
    ),
}


def members_by_hand(estimator, X):
    """Each member's labels, with scikit-learn alone."""
    if hasattr(estimator, "steps"):
        return members_by_hand(estimator[-1], estimator[:-1].transform(X))
    Z = np.asarray(X)
    if isinstance(estimator, AdaBoostClassifier):
        return np.stack([member.predict(Z) for member in estimator.estimators_])
    if isinstance(estimator, BaggingClassifier):
        pairs = zip(estimator.estimators_, estimator.estimators_features_, strict=True)
        positions = [member.predict(Z[:, columns]) for member, columns in pairs]
    elif isinstance(estimator, VotingClassifier):
        positions = [member.predict(X) for member in estimator.estimators_]
    else:
        positions = [member.predict(Z) for member in estimator.estimators_]
    return estimator.classes_[np.stack(positions).astype(int)]


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("kind", ["int", "str"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_votes_are_the_members_own_predictions(name, kind, n_classes):
    X = rows()
    y = labels(X, kind, n_classes)
    estimator = ESTIMATORS[name]().fit(X, y)
    votes = collect_votes(estimator, X, y, PRIVILEGED, random_state=0)
    np.testing.assert_array_equal(votes.classes[votes.votes], members_by_hand(estimator, X))
    X_perturbed = perturb(X, PRIVILEGED, random_state=0)
    np.testing.assert_array_equal(
        votes.classes[votes.perturbed], members_by_hand(estimator, X_perturbed)
    )
    np.testing.assert_array_equal(votes.classes[votes.y], y)


@pytest.mark.parametrize("name", ["random forest", "bagging of some columns", "adaboost"])
@pytest.mark.parametrize("options", [{"method": "exact"}, {"p": 0.4, "random_state": 0}])
def test_votes_do_not_depend_on_the_order_in_which_trees_see_the_rows(name, options, monkeypatch):
    X = rows()
    y = labels(X, "str", 3)
    estimator = ESTIMATORS[name]().fit(X, y)
    as_given = collect_votes(estimator, X, y, PRIVILEGED, **options)
    monkeypatch.setattr(_collect, "ORDERED_ROWS", 1)
    by_leaf = collect_votes(estimator, X, y, PRIVILEGED, **options)
    for found in ("votes", "perturbed", "y", "rows", "row_units"):
        assert (getattr(by_leaf, found) == getattr(as_given, found)).all(), found
    np.testing.assert_array_equal(
        by_leaf.classes[by_leaf.votes], members_by_hand(estimator, X)[:, by_leaf.rows]
    )


@pytest.mark.parametrize(
    ("limits", "is_ordered"),
    [((240, 7), True), ((239, 6), True), ((241, 7), False), ((240, 8), False)],
)
def test_rows_are_ordered_by_leaves_from_some_rows_and_members_on(limits, is_ordered, monkeypatch):
    X = rows(240)
    forest = ESTIMATORS["random forest"]().fit(X, labels(X, "int", 2))
    ensemble = as_ensemble(forest)
    tasks = [ensemble.task(j) for j in range(7)]
    for name, limit in zip(("ORDERED_ROWS", "ORDERED_MEMBERS"), limits, strict=True):
        monkeypatch.setattr(_collect, name, limit)
    order = _collect._find_order(tasks, ensemble.encode(X), np.arange(240))
    assert (order is not None) == is_ordered
    assert _collect._find_order(tasks, X, np.arange(240)) is None


def test_a_column_with_missing_values_moves_only_if_others_do():
    before = np.array([[np.nan, 1.0, np.nan], [2.0, 3.0, np.nan]])
    after = np.array([[np.nan, 1.0, 4.0], [2.0, 5.0, np.nan]])
    assert _collect._find_moved_columns(before, after, np.arange(2)).tolist() == [
        False,
        True,
        True,
    ]


def test_an_ensemble_of_one_member_votes():
    X = rows()
    y = labels(X, "int", 2)
    forest = RandomForestClassifier(1, random_state=0).fit(X, y)
    assert collect_votes(forest, X, y, PRIVILEGED).n_members == 1


@pytest.mark.parametrize("name", ["adaboost", "voting", "voting with a dropped member"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_weighted_vote_is_the_ensembles_own_prediction(name, n_classes):
    X = rows()
    y = labels(X, "str", n_classes)
    estimator = ESTIMATORS[name]().fit(X, y)
    votes = collect_votes(estimator, X, y, PRIVILEGED)
    np.testing.assert_array_equal(votes.classes[votes.vote], estimator.predict(X))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_subset_predicts_the_weighted_vote_of_its_members(name):
    X = rows()
    y = labels(X, "str", 3)
    estimator = ESTIMATORS[name]().fit(X, y)
    votes = collect_votes(estimator, X, y, PRIVILEGED)
    kept = [1, 0] if votes.n_members == 2 else [0, 2]
    part = as_ensemble(estimator).subset(kept)
    np.testing.assert_array_equal(part.predict(X), votes.classes[votes.subset(kept).vote])
    totals = votes.subset(kept).totals / votes.subset(kept).units.sum()
    np.testing.assert_allclose(part.vote_shares(X), totals.T)


def test_exact_votes_give_the_exact_risk_of_the_vote():
    X = rows()
    y = labels(X, "str", 3)
    estimator = ESTIMATORS["adaboost"]().fit(X, y)
    for p in (1.0, 0.4):
        votes = collect_votes(estimator, X, y, PRIVILEGED, method="exact", p=p)
        risk = assess_risk(estimator, X, PRIVILEGED, p=p)
        assert votes.risk == pytest.approx(risk.value, abs=1e-12)
        assert votes.error == pytest.approx(np.mean(estimator.predict(X) != y), abs=1e-12)


def test_sampled_votes_give_the_sampled_risk_of_the_vote():
    X = rows()
    y = labels(X, "int", 2)
    estimator = ESTIMATORS["voting"]().fit(X, y)
    weights = np.random.default_rng(0).integers(1, 9, len(X))
    settings = {"p": 0.6, "random_state": 4, "sample_weight": weights}
    votes = collect_votes(estimator, X, y, PRIVILEGED, **settings)
    risk = assess_risk(estimator, X, PRIVILEGED, method="sample", **settings)
    assert votes.n_instances == len(X)
    assert votes.risk == pytest.approx(risk.value, abs=1e-12)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_jobs_do_not_change_the_votes(n_jobs):
    X = rows()
    y = labels(X, "int", 2)
    forest = ESTIMATORS["random forest"]().fit(X, y)
    one, other = (
        collect_votes(forest, X, y, PRIVILEGED, random_state=0, n_jobs=jobs)
        for jobs in (None, n_jobs)
    )
    assert (one.votes == other.votes).all()
    assert (one.perturbed == other.perturbed).all()


def test_a_list_of_classifiers_votes_with_the_weights_given():
    X = rows()
    y = labels(X, "str", 3)
    members = [tree().fit(X, y), GaussianNB().fit(X, y), tree(max_features=2).fit(X[:60], y[:60])]
    votes = collect_votes(members, X, y, PRIVILEGED, weights=[1, 2, 3])
    np.testing.assert_array_equal(
        votes.classes[votes.votes], np.stack([member.predict(X) for member in members])
    )
    assert votes.units.tolist() == [1, 2, 3]


def test_raw_columns_are_encoded_once_for_all_members():
    calls = []

    def count(X):
        calls.append(len(X))
        return X

    X = rows().assign(sex=lambda X: X["sex"].map({0: "F", 1: "M"}))
    y = labels(rows(), "int", 2)
    encode = make_column_transformer((OneHotEncoder(), ["sex"]), remainder="passthrough")
    forest = make_pipeline(FunctionTransformer(count), encode, RandomForestClassifier(9))
    forest.fit(X, y)
    calls.clear()
    collect_votes(forest, X, y, {"sex": "M"})
    assert calls == [1, len(X), len(X)]  # one row to check the columns, then X and X̃


def test_sparse_features_are_voted_on():
    X = rows().assign(sex=lambda X: X["sex"].map({0: "F", 1: "M"}))
    y = labels(rows(), "int", 2)
    encode = make_column_transformer(
        (OneHotEncoder(sparse_output=True), ["sex", "race", "age"]), sparse_threshold=1
    )
    forest = make_pipeline(encode, RandomForestClassifier(9, random_state=0)).fit(X, y)
    votes = collect_votes(forest, X, y, {"sex": "M"})
    expected = np.stack([t.predict(forest[:-1].transform(X)) for t in forest[-1].estimators_])
    assert (votes.votes == expected).all()
    assert votes.member_risks.max() > 0


def test_members_that_see_only_a_sparse_sensitive_column_change_their_votes():
    X = pd.DataFrame({"sex": ["f", "m"] * 10, "group": list("abcde") * 4})
    forest = RandomForestClassifier(3, max_depth=1, max_features=None, random_state=0)
    model = make_pipeline(OneHotEncoder(), forest).fit(X, X["sex"])
    votes = collect_votes(model, X, X["sex"], {"sex": "m"})
    assert (votes.votes != votes.perturbed).all()


class Asked(DecisionTreeClassifier):
    """A tree that counts how often it is asked."""

    def predict(self, X, check_input=True):
        self.asked_ = getattr(self, "asked_", 0) + 1
        return super().predict(X, check_input=check_input)


def test_a_tree_without_a_split_on_a_perturbed_column_is_not_asked_again():
    X = rows()
    y = labels(X, "int", 2)
    bagging = BaggingClassifier(Asked(random_state=0), 12, max_features=2, random_state=0)
    bagging.fit(X, y)
    votes = collect_votes(bagging, X, y, {"sex": 1})
    sex = X.columns.get_loc("sex")
    for member, columns in zip(bagging.estimators_, bagging.estimators_features_, strict=True):
        used = {columns[f] for f in member.tree_.feature if f >= 0}
        assert member.asked_ == (2 if sex in used else 1)
    X_perturbed = perturb(X, {"sex": 1})
    np.testing.assert_array_equal(
        votes.classes[votes.perturbed], members_by_hand(bagging, X_perturbed)
    )


def test_another_librarys_ensemble_joins_by_registration():
    class Committee:
        """Two rules that vote."""

        rules = (lambda X: X["sex"] == 1, lambda X: X["score"] > 0)

    class Rule:
        def __init__(self, rule):
            self.predict = rule

    @as_ensemble.register
    def _(estimator: Committee) -> Ensemble:
        members = [Rule(rule) for rule in Committee.rules]
        return Ensemble(members, np.array([False, True]), member_says=LABELS)

    X = rows()
    votes = collect_votes(Committee(), X, X["score"] > 0, {"sex": 1})
    assert votes.member_risks.tolist() == [1, 0]
    assert votes.member_errors[1] == 0


def test_columns_the_ensemble_does_not_know_are_refused():
    X = rows()
    y = labels(X, "int", 2)
    forest = ESTIMATORS["random forest"]().fit(X, y)
    with pytest.raises(ValueError, match="feature names"):
        collect_votes(forest, X[X.columns[::-1]], y, PRIVILEGED)


def test_infinite_features_are_refused():
    X = rows()
    y = labels(X, "int", 2)
    forest = ESTIMATORS["random forest"]().fit(X, y)
    X.loc[5, "score"] = np.inf
    with pytest.raises(ValueError, match="X has infinite values"):
        collect_votes(forest, X, y, PRIVILEGED)


def test_a_step_that_writes_into_its_input_does_not_change_x():
    def rough(X):
        X["score"] = 0.0
        return X

    X = rows()
    y = labels(X, "int", 2)
    model = make_pipeline(FunctionTransformer(rough), RandomForestClassifier(3)).fit(X.copy(), y)
    before = X.copy(deep=True)
    collect_votes(model, X, y, PRIVILEGED)
    pd.testing.assert_frame_equal(X, before)


def test_perturbations_of_one_row_count_as_one_person_in_pac_bounds():
    X = rows()
    y = labels(X, "int", 2)
    forest = ESTIMATORS["random forest"]().fit(X, y)
    slacks = []
    for method, p in (("sample", 1.0), ("exact", 1.0), ("exact", 0.5)):
        votes = collect_votes(forest, X, y, PRIVILEGED, method=method, p=p, random_state=0)
        bounds = compute_bounds(votes).set_index("name")
        slacks.append(bounds.loc["PAC, one hypothesis", "value"] - votes.risk)
    assert slacks == pytest.approx([np.sqrt(np.log(20) / (2 * len(X)))] * 3)


def test_a_frozen_ensemble_is_taken_apart_too():
    frozen = pytest.importorskip("sklearn.frozen", reason="scikit-learn before 1.6")
    X = rows()
    y = labels(X, "int", 2)
    forest = ESTIMATORS["random forest"]().fit(X, y)
    votes = collect_votes(frozen.FrozenEstimator(forest), X, y, PRIVILEGED)
    assert votes.n_members == 7


NOT_A_VOTE = [
    GradientBoostingClassifier(),
    HistGradientBoostingClassifier(),
    StackingClassifier([("tree", DecisionTreeClassifier())]),
    LogisticRegression(),
]


@pytest.mark.parametrize("estimator", NOT_A_VOTE, ids=lambda e: type(e).__name__)
def test_what_is_not_a_vote_gets_an_error_that_names_what_is_supported(estimator):
    X = rows()
    with pytest.raises(TypeError, match=r"is not a weighted vote.*RandomForestClassifier"):
        collect_votes(estimator, X, labels(X, "int", 2), PRIVILEGED)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_unfitted_ensemble_says_so(name):
    X = rows()
    with pytest.raises(NotFittedError):
        collect_votes(ESTIMATORS[name](), X, labels(X, "int", 2), PRIVILEGED)


def test_an_empty_list_and_unknown_labels_are_named():
    X = rows()
    y = labels(X, "int", 2)
    with pytest.raises(ValueError, match="list of members is empty; pass at least one"):
        collect_votes([], X, y, PRIVILEGED)
    forest = ESTIMATORS["random forest"]().fit(X, y)
    with pytest.raises(ValueError, match="y has 'x', which is not among the known values 10, 20"):
        collect_votes(forest, X, ["x"] * len(X), PRIVILEGED)


@pytest.mark.skipif(not OLD_SKLEARN, reason="newer versions of scikit-learn have no SAMME.R")
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_boosting_that_adds_up_probabilities_is_not_a_vote():
    X = rows()
    y = labels(X, "int", 2)
    with pytest.raises(TypeError, match=r"SAMME.R adds up probabilities.*use algorithm='SAMME'"):
        collect_votes(AdaBoostClassifier().fit(X, y), X, y, PRIVILEGED)


def test_kept_members_vote_as_they_did_among_all():
    # Among all of them .1 and .2 are rounded to a little more than .3; alone they would tie.
    X = rows()
    y = labels(X, "int", 2)
    members = [(str(i), tree(max_features=1).set_params(random_state=i)) for i in range(4)]
    model = VotingClassifier(members, weights=[0.1, 0.2, 0.3, 3**0.5]).fit(X, y)
    votes = collect_votes(model, X, y, PRIVILEGED, method="exact")
    kept = as_ensemble(model).subset([0, 1, 2])
    assert votes.subset([0, 1, 2]).error == (kept.predict(X) != y).mean()
    assert votes.subset([0, 1, 2]).risk == assess_risk(kept, X, PRIVILEGED).value


@pytest.mark.parametrize("name", ["random forest", "bagging of another classifier"])
def test_missing_numbers_are_nan_to_members_too(name):
    X = rows()
    y = labels(X, "int", 2)
    lacking = X.astype({"age": "Int64"})
    if name == "random forest":
        lacking.loc[::7, "age"] = pd.NA
    model = ESTIMATORS[name]().fit(lacking, y)
    plain = lacking.astype({"age": float})
    expected = collect_votes(
        ESTIMATORS[name]().fit(plain, y), plain, y, PRIVILEGED, random_state=0
    )
    found = collect_votes(model, lacking, y, PRIVILEGED, random_state=0)
    np.testing.assert_array_equal(found.votes, expected.votes)
    np.testing.assert_array_equal(found.perturbed, expected.perturbed)


def test_a_list_of_regressors_is_no_vote():
    X = rows()
    with pytest.raises(TypeError, match=r"a DecisionTreeRegressor.*pass fitted classifiers"):
        collect_votes([DecisionTreeRegressor().fit(X, X["age"])], X, X["sex"], PRIVILEGED)


def test_options_of_collect_votes_are_passed_by_name():
    with pytest.raises(TypeError, match="positional"):
        collect_votes(None, None, None, None, "exact")
