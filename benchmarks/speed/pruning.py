"""What pruning costs, against judging candidates one by one and against plain loops.

python -m benchmarks.speed.pruning
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from benchmarks.speed.growth import seconds_of
from benchmarks.speed.measure import ensemble_votes, peak_gigabytes, print_table, seconds
from dr_core import Votes, collect_votes, datasets, epaf, exhaustive_front, poaf
from dr_core.pruning import hypervolume

sys.path.append(str(Path(__file__).parents[2] / "tests" / "shared"))


def main() -> None:
    poaf_against_one_by_one()
    poaf_against_the_textbook()
    epaf_against_one_product()
    epaf_against_the_textbook()
    growth()
    memory()
    share_of_the_true_front()
    share_of_the_true_front_on_data_sets()


def poaf_against_one_by_one() -> None:
    rows = []
    for kind, neighbourhood, options in [
        ("uniform", "paper", {}),
        ("uniform", "exchange", {}),
        ("weighted", "paper", {"weighted": True}),
        ("weighted", "exchange", {"weighted": True}),
        ("three classes", "paper", {"n_classes": 3}),
        ("three classes", "exchange", {"n_classes": 3}),
    ]:
        votes = ensemble_votes(101, 24_000, **options)
        members = np.random.default_rng(0).choice(101, 50, replace=False)
        one = seconds(lambda votes=votes, members=members: from_scratch(votes, members), 20)

        def prune(votes: Votes = votes, neighbourhood: str = neighbourhood) -> object:
            ties = "lowest" if neighbourhood == "paper" else "cautious"  # as published
            return poaf(
                votes, 50, n_iter=50, neighbourhood=neighbourhood, ties=ties, random_state=0
            )

        whole, judged = seconds(prune, 10 if neighbourhood == "paper" else 2), prune().n_judged
        rows.append((kind, neighbourhood, judged, whole / one, judged * one / whole))
    print_table(
        "POAF at n = 24,000, m = 101, k = 50, against judging from scratch with NumPy",
        ["votes", "neighbourhood", "judged", "in single judgements (≤ 65)", "× faster (≥ 30)"],
        rows,
    )


def from_scratch(votes: Votes, members: np.ndarray) -> tuple[float, float]:
    """Error and risk of one sub-ensemble as one would write it in NumPy."""
    weights, labels = votes.weights[members], range(votes.n_classes)
    vote, perturbed = (
        np.argmax([weights @ (codes[members] == label) for label in labels], axis=0)
        if votes.n_classes > 2
        else weights @ (codes[members] == 1) > weights.sum() / 2
        for codes in (votes.votes, votes.perturbed)
    )
    return float((vote != votes.y).mean()), float((vote != perturbed).mean())


def poaf_against_the_textbook() -> None:
    from textbook import pruning as textbook
    from textbook.voting import Ensemble

    votes, rows = ensemble_votes(11, 1_000), []
    plain = Ensemble.of(votes)
    for neighbourhood in ("paper", "exchange"):
        exchange = neighbourhood == "exchange"
        slow = seconds(lambda e=exchange: textbook.poaf(plain, 5, 0.5, 20, e, 0), 1)
        fast = seconds(
            lambda n=neighbourhood: poaf(votes, 5, n_iter=20, neighbourhood=n, random_state=0)
        )
        rows.append((neighbourhood, slow, fast, slow / fast))
    print_table(
        "POAF at n = 1,000, m = 11, k = 5, 20 iterations, against plain loops",
        ["neighbourhood", "loops, seconds", "ours, seconds", "× faster"],
        rows,
    )


def epaf_against_one_product() -> None:
    votes = ensemble_votes(501, 24_000)
    changed = (votes.votes != votes.perturbed).astype(np.float32)
    product = seconds(lambda: changed @ changed.T)
    rows = [
        (
            k,
            groups,
            seconds(lambda k=k, g=groups: epaf(votes, k, n_groups=g, random_state=0)) / product,
        )
        for k, groups in ((50, 1), (250, 1), (50, 4))
    ]
    print_table(
        "EPAF at n = 24,000, m = 501, in float32 products of the (m, n) matrix with its transpose",
        ["k", "groups", "ratio (≤ 3)"],
        rows,
    )


def epaf_against_the_textbook() -> None:
    from textbook import pruning as textbook
    from textbook.voting import Ensemble

    votes = ensemble_votes(11, 24_000)
    arrays, plain = (votes.votes, votes.perturbed, votes.y), Ensemble.of(votes)
    everyone = list(range(votes.n_members))
    slow = seconds_of(lambda: textbook.epaf_c(textbook.Evaluation(plain, 0.5), everyone, 5))
    # New votes each time, so that nothing is known of them.
    fast = min(
        seconds_of(lambda: epaf(Votes(*arrays, classes=votes.classes), 5)) for _ in range(30)
    )
    print_table(
        "EPAF-C at n = 24,000, m = 11, k = 5, against plain loops, processor time",
        ["loops, seconds", "ours, seconds", "× faster"],
        [(slow, fast, slow / fast)],
    )


def growth() -> None:
    rows = []
    for m, n in [(25, 20_000), (50, 20_000), (100, 20_000), (100, 40_000), (100, 80_000)]:
        votes = ensemble_votes(m, n)
        times = (
            seconds(
                lambda v=votes, m=m, name=name: poaf(
                    v, m // 2, n_iter=20, neighbourhood=name, random_state=0
                ),
                3,
            )
            for name in ("paper", "exchange")
        )
        rows.append((m, n, *times, seconds(lambda v=votes, m=m: epaf(v, m // 2), 3)))
    print_table(
        "Growth, seconds (POAF: 20 iterations)",
        ["m", "n", "POAF, paper", "POAF, exchange", "EPAF-C"],
        rows,
    )


def memory() -> None:
    rows = [
        (name, peak_gigabytes("benchmarks.speed.pruning", "memory", name), 4.0)
        for name in ("poaf", "epaf")
    ]
    print_table("Peak memory at m = 101, n = 1,000,000", ["method", "GB", "at most"], rows)


def prune_a_million(name: str) -> None:
    votes = ensemble_votes(101, 1_000_000)
    poaf(votes, 50, n_iter=5, random_state=0) if name == "poaf" else epaf(votes, 50)


def share_of_the_true_front() -> None:
    """Hypervolume found within 200 iterations, in percent of that of the true front."""
    from textbook.ensembles import random_votes

    rows = []
    for m, k in [(9, 4), (11, 5), (13, 8), (15, 7), (15, 13)]:
        ensembles = [random_votes(np.random.default_rng(seed), m, 300) for seed in range(5)]
        for neighbourhood in ("paper", "exchange"):
            shares = [percent_of_the_true_front(votes, k, neighbourhood) for votes in ensembles]
            rows.append((m, k, neighbourhood, float(np.mean(shares)), min(shares)))
    print_table(
        "Hypervolume after 200 iterations on random votes, percent of the true front's",
        ["m", "k", "neighbourhood", "mean", "lowest"],
        rows,
    )


def share_of_the_true_front_on_data_sets() -> None:
    """The same for bagged trees, judged on rows they were not trained on."""
    rows = []
    for name in ("ricci", "credit", "income", "ppr", "ppvr"):
        votes = votes_of_bagged_trees(name, m=15)
        for k in (5, 10):
            names = ("paper", "exchange")
            rows.append((name, k, *(percent_of_the_true_front(votes, k, n) for n in names)))
    print_table(
        "Hypervolume after 200 iterations on 15 bagged trees, percent of the true front's",
        ["data set", "k", "paper", "exchange"],
        rows,
    )


def votes_of_bagged_trees(name: str, m: int) -> Votes:
    data = datasets.load(name)
    words = make_column_selector(dtype_exclude="number")
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), words), remainder="passthrough"
    )
    X, X_held_out, y, y_held_out = train_test_split(data.data, data.target, random_state=0)
    bagging = BaggingClassifier(DecisionTreeClassifier(), n_estimators=m, random_state=0)
    model = make_pipeline(encode, bagging).fit(X, y)
    return collect_votes(model, X_held_out, y_held_out, data.privileged, random_state=0)


def percent_of_the_true_front(votes: Votes, k: int, neighbourhood: str) -> float:
    reference = float(votes.member_errors.mean()), float(votes.member_risks.mean())
    truth = exhaustive_front(votes, k).front
    found = poaf(votes, k, n_iter=200, neighbourhood=neighbourhood, random_state=0).front
    ours, best = (hypervolume(f["error"], f["risk"], reference) for f in (found, truth))
    return 100 * ours / best if best else 100.0


if __name__ == "__main__":
    prune_a_million(sys.argv[2]) if sys.argv[1:2] == ["memory"] else main()
