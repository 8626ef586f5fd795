"""What pruning does to discriminative risk and accuracy on rows nobody has seen.

`python -m benchmarks.held_out_pruning` bags 11 trees in (repeated) 5-fold cross-validation and
prunes them to 5 on a third of the training rows that was held out, on these and the rows they
were trained on together, or, as the paper does, on the latter alone. It prints test accuracy,
balanced accuracy, recall and exact test DR of the vote, averaged over the folds, with the standard
error of their change against the full ensemble of the same fold; beside them, what five members
drawn at random and the five of lowest error make of it.
"""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from benchmarks.speed.measure import print_table
from dr_core import collect_votes, datasets, epaf, learn_attributes, poaf
from dr_core.pruning import score_vote

REPEATS = {"ricci": 10, "credit": 10, "income": 1, "ppr": 2, "ppvr": 2}
"""Data sets, and how often they are cut into folds anew: small ones oftener."""

FIRST_SEED = 400
"""Seeds below were looked at when the rules of selection were chosen; these were not."""

N_MEMBERS, KEPT, FOLDS, ITERATIONS = 11, 5, 5, 200


def at_random(votes, size):
    """Any five members: what it costs to keep so few, whichever they are."""
    return SimpleNamespace(members=np.random.default_rng(0).permutation(votes.n_members)[:size])


def lowest_error(front):
    return int(front["error"].to_numpy().argmin())


METHODS = {
    "five at random": at_random,
    "lowest error": partial(poaf, n_iter=ITERATIONS, selection=lowest_error, random_state=0),
    "EPAF-C": epaf,
    "POAF, published": partial(
        poaf, neighbourhood="paper", n_iter=KEPT, ties="lowest", random_state=0
    ),
    "POAF, min_risk, ties to class 0": partial(
        poaf, n_iter=ITERATIONS, selection="min_risk", ties="lowest", random_state=0
    ),
    "POAF, objective": partial(poaf, n_iter=ITERATIONS, random_state=0),
    "POAF, largest": partial(poaf, n_iter=ITERATIONS, selection="largest", random_state=0),
    "POAF, min_risk": partial(poaf, n_iter=ITERATIONS, selection="min_risk", random_state=0),
}


def bagging(seed):
    encode = make_column_transformer(
        (
            OneHotEncoder(handle_unknown="ignore", sparse_output=False),
            make_column_selector(dtype_exclude="number"),
        ),
        remainder="passthrough",
    )
    return make_pipeline(
        encode, BaggingClassifier(DecisionTreeClassifier(), N_MEMBERS, random_state=seed)
    )


def judge_fold(name, seed, train, test):
    """Test accuracy and DR of the full and of each pruned ensemble."""
    bunch = datasets.load(name)
    X, y = bunch.data, bunch.target
    attributes = learn_attributes(X, bunch.privileged)
    fitted, held_out = train_test_split(
        train, test_size=1 / 3, random_state=seed, stratify=y[train]
    )
    model = bagging(seed).fit(X.iloc[fitted], y.iloc[fitted])

    def votes_on(rows):
        return collect_votes(model, X.iloc[rows], y.iloc[rows], attributes, method="exact")

    pruning_rows = {
        "held out": votes_on(held_out),
        "all": votes_on(train),
        "trained on": votes_on(fitted),
    }
    unseen = votes_on(test)
    found = {("", "full ensemble"): unseen}
    for where, votes in pruning_rows.items():
        for method, prune in METHODS.items():
            found[where, method] = unseen.subset(prune(votes, KEPT).members)
    return [
        {"rows": where, "method": method, "accuracy": 1 - vote.error, **judge_vote(vote)}
        for (where, method), vote in found.items()
    ]


def judge_vote(vote):
    scores = score_vote(vote)
    return {
        "balanced": scores["balanced_accuracy"],
        "recall": scores["recall"],
        "DR": scores["risk"],
    }


def judge(name):
    """Means, changes and their standard errors, by where and how the ensemble was pruned."""
    y = datasets.load(name).target
    folds = [
        (seed, *fold)
        for seed in range(FIRST_SEED, FIRST_SEED + REPEATS[name])
        for fold in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(y, y)
    ]
    results = Parallel(n_jobs=2)(delayed(judge_fold)(name, *fold) for fold in folds)
    frames = [pd.DataFrame(fold).set_index(["rows", "method"]) for fold in results]
    changes = pd.concat([frame - frame.iloc[0] for frame in frames])
    means, change = (
        table.groupby(level=[0, 1], sort=False).mean() for table in (pd.concat(frames), changes)
    )
    error = changes.groupby(level=[0, 1], sort=False).sem()
    return 100 * means, 100 * change, 100 * error


def main():
    measures = ["accuracy", "balanced", "recall", "DR"]
    changes = [f"{name} change" for name in measures]
    header = ["pruned on rows", "method", *(f"{name} %" for name in measures), *changes]
    for name in REPEATS:
        means, change, error = judge(name)
        rows = [
            [*key, *row, *(f"{c:+.2f} ± {e:.2f}" for c, e in zip(*pair, strict=True))]
            for (key, row), *pair in zip(
                means.iterrows(), change.to_numpy(), error.to_numpy(), strict=True
            )
        ]
        print_table(f"{name}: {N_MEMBERS} bagged trees pruned to {KEPT}", header, rows)


if __name__ == "__main__":
    main()
