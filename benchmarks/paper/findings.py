"""What the results say of each claim of the paper: figures, and the share of cases that hold.

Every function takes the folder of results and a protocol. `claims` states the rules in words.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks.paper.bounds import ORACLE, PAC
from benchmarks.paper.lawschool import ATTRIBUTES, COUNTERFACTUAL, TOLERANCE
from benchmarks.paper.pruned import BY_ATTRIBUTE, FULL
from benchmarks.paper.statistics import critical_difference

POINTS = 1.5
"""Accuracy counts as comparable within so many percentage points."""

EFFICIENT = 0.75
"""Speed-up by group from which EPAF-D is said to scale."""

NEARLY_BEST = 3
"""Best places that count as "best or nearly the best"."""

FAIR = ["Unaware", "Fair K", "Fair add"]
"""The models of which the paper says that DR is about 0."""

RANK, ALL_CUTS = "average rank", "average rank, all cuts"


class Finding(NamedTuple):
    """What one protocol says of a claim: figures, and the share of its cases that hold."""

    figures: str
    share: float


def _read(results: Path, table: str, protocol: str) -> pd.DataFrame:
    found = pd.read_csv(results / f"{table}.csv")
    return found[found["protocol"] == protocol]


def _share(cases: list[bool]) -> float:
    return sum(map(bool, cases)) / len(cases)


# RQ1


def correlates_best(results: Path, protocol: str, change: str = "accuracy") -> Finding:
    """DR correlates more with the change in a criterion than DP, EOpp and PP."""
    table = _read(results, "quality/correlations", protocol)
    found = table[table["change in"] == change].set_index("measure")
    found = found[["correlation", "within data sets"]]
    own, others = found.loc["DR"], found.drop(index="DR")
    texts = [
        f"{kind} DR {own[column]:.2f}, next {others[column].idxmax()} {others[column].max():.2f}"
        for kind, column in [("pooled", "correlation"), ("within data sets", "within data sets")]
    ]
    return Finding("; ".join(texts), float((own > others.max()).mean()))


def has_smaller_values(results: Path, protocol: str) -> Finding:
    """Mean DR is below mean DP, EOpp and PP."""
    means = _read(results, "quality/points", protocol)[["DR", *BY_ATTRIBUTE]].mean()
    figures = ", ".join(f"{name} {value:.3f}" for name, value in means.items())
    return Finding(f"means: {figures}", _share([means["DR"] < means[m] for m in BY_ATTRIBUTE]))


def _law_school(results: Path, protocol: str) -> pd.Series:
    rows = _read(results, "lawschool/summary", protocol)
    rows = rows[rows["tolerance"] == TOLERANCE]
    return rows.set_index(["perturbation", "model"])["DR"]


def no_risk_is_not_enough(results: Path, protocol: str) -> Finding:
    """*Unaware* has DR 0, and its predictions of counterfactuals change."""
    found = _law_school(results, protocol)
    alone, counterfactual = found[ATTRIBUTES, "Unaware"], found[COUNTERFACTUAL, "Unaware"]
    figures = f"Unaware: DR {alone:.2f}, {counterfactual:.2f} of counterfactuals"
    return Finding(figures, float(alone == 0 and counterfactual > 0))


def no_risk_where_counterfactually_fair(results: Path, protocol: str) -> Finding:
    """DR ≈ 0 for the models that the paper calls counterfactually fair."""
    found = _law_school(results, protocol)
    texts = [
        f"{kind}: " + ", ".join(f"{model} {found[kind, model]:.2f}" for model in found[kind].index)
        for kind in (ATTRIBUTES, COUNTERFACTUAL)
    ]
    zero = [found[kind, model] < 0.01 for kind in (ATTRIBUTES, COUNTERFACTUAL) for model in FAIR]
    return Finding("; ".join(texts), _share(zero))


# RQ2


def _coverage(results: Path, protocol: str) -> pd.Series:
    return _read(results, "bounds/coverage", protocol).set_index("name")["coverage"]


def oracle_bounds_hold(results: Path, protocol: str) -> Finding:
    """First order, second order and C-tandem hold for every ensemble."""
    return _bounds_hold(results, protocol, ORACLE)


def relaxed_bounds_hold(results: Path, protocol: str) -> Finding:
    """Both relaxations hold for every ensemble."""
    return _bounds_hold(results, protocol, ["relaxed first order", "relaxed second order"])


def _bounds_hold(results: Path, protocol: str, names: list[str]) -> Finding:
    found = _coverage(results, protocol)[names]
    figures = ", ".join(f"{name} {value:.1%}" for name, value in found.items())
    return Finding(figures, float((found == 1).mean()))


def pac_bounds_mostly_hold(results: Path, protocol: str) -> Finding:
    """PAC bounds from training rows hold on test rows in most cases."""
    found = _coverage(results, protocol)[PAC]
    figures = ", ".join(f"{name} {value:.1%}" for name, value in found.items())
    return Finding(figures, float((found > 0.9).mean()))


def margins_raise_coverage(results: Path, protocol: str) -> Finding:
    """Bounds with a margin hold more often than their analogues without."""
    found = _coverage(results, protocol)
    free = {name: found[f"{name} without margin"] for name in ORACLE}
    texts = [f"{name} {found[name]:.1%} and {value:.1%}" for name, value in free.items()]
    return Finding(
        f"with and without: {', '.join(texts)}",
        _share([found[name] > value for name, value in free.items()]),
    )


def c_tandem_is_tightest(results: Path, protocol: str) -> Finding:
    """C-tandem is the tightest oracle bound, for most ensembles."""
    found = _read(results, "bounds/tightest", protocol).set_index("bound")
    found = found["tightest where C-tandem applies"]
    figures = ", ".join(f"{name} {found[name]:.1%}" for name in ORACLE)
    return Finding(f"tightest: {figures}", float(found["C-tandem"] > 0.5))


def voting_lowers_risk(results: Path, protocol: str) -> Finding:
    """DR of the vote is at most the mean DR of its members, for most ensembles."""
    points = _read(results, "bounds/points", protocol)
    # The first-order bound without margin is twice the mean DR of the members.
    members = points["first order without margin"] / 2
    changing = members > 0
    lower = float((points["actual"] <= members)[changing].mean())
    return Finding(f"{lower:.1%} of {changing.sum()} ensembles", float(lower > 0.5))


# RQ3


def _aware(results: Path, protocol: str, column: str = RANK) -> pd.DataFrame:
    """Methods in rows, measures in columns."""
    return _read(results, "aware/ranks", protocol).pivot(
        index="method", columns="measure", values=column
    )


def _against(results: Path, protocol: str, rival: str, measures: list[str]) -> dict[str, str]:
    """Wins, ties and losses of POAF."""
    return dict(_aware(results, protocol, "win/tie/loss").loc[rival, measures])


def beats_adafair(results: Path, protocol: str) -> Finding:
    """POAF's accuracy is significantly better than AdaFair's more often than worse."""
    text = _against(results, protocol, "AdaFair", ["accuracy"])["accuracy"]
    wins, _, losses = map(int, text.split("/"))
    ranks = _aware(results, protocol)["accuracy"]
    figures = f"wins/ties/losses {text}; ranks {ranks['POAF']:.1f} and {ranks['AdaFair']:.1f}"
    return Finding(figures, float(wins > losses))


def is_level_with_fairgbm(results: Path, protocol: str) -> Finding:
    """Average ranks on accuracy differ by less than the critical difference; POAF's is worse."""
    ranks = _aware(results, protocol)["accuracy"]
    apart, limit = ranks["POAF"] - ranks["FairGBM"], critical_difference(len(ranks), 9)
    figures = f"ranks {ranks['POAF']:.1f} and {ranks['FairGBM']:.1f}, critical {limit:.1f}"
    return Finding(figures, float(0 < apart < limit))


def balances_better_than_lightgbm(results: Path, protocol: str) -> Finding:
    """Mean of error and unfairness, EOpp and PP, is lower than that of LightGBM."""
    means = _read(results, "aware/means", protocol).groupby("method").mean(numeric_only=True)
    texts, lower = [], []
    for measure in ("EOpp", "PP"):
        sums = (1 - means["accuracy"] + means[measure]) / 2
        texts.append(f"{measure}: POAF {sums['POAF']:.3f}, LightGBM {sums['lightGBM']:.3f}")
        lower.append(sums["POAF"] < sums["lightGBM"])
    return Finding("; ".join(texts), _share(lower))


def is_fairer_than_bagging(results: Path, protocol: str) -> Finding:
    """POAF ranks better than the ensemble it prunes on DR, DP and EOpp."""
    ranks = _aware(results, protocol)[["DR", "DP", "EOpp"]]
    own, full = ranks.loc["POAF"], ranks.loc["Bagging"]
    figures = ", ".join(f"{m} {own[m]:.1f} and {full[m]:.1f}" for m in ranks)
    return Finding(f"ranks of POAF and Bagging: {figures}", float((own < full).mean()))


def is_nearly_the_fairest(results: Path, protocol: str) -> Finding:
    """POAF is among the first three of seven on DR, DP and EOpp."""
    places = _aware(results, protocol)[["DR", "DP", "EOpp"]].rank(method="min").loc["POAF"]
    figures = ", ".join(f"{m} {int(place)}" for m, place in places.items())
    return Finding(f"place of 7: {figures}", float((places <= NEARLY_BEST).mean()))


def ranks_high_but_for_f1(results: Path, protocol: str) -> Finding:
    """POAF is in the better half of seven methods on each measure but F1."""
    places = _aware(results, protocol).rank(method="min").loc["POAF"]
    figures = ", ".join(f"{m} {int(place)}" for m, place in places.items())
    good = places.drop("F1") <= 4
    return Finding(f"place of 7: {figures}", _share([*good, places["F1"] > 4]))


def improves_both(results: Path, protocol: str) -> Finding:
    """POAF has lower DR and higher accuracy than bagging in most rows."""
    means = _read(results, "aware/means", protocol)
    wide = means.pivot(index=["dataset", "attribute"], columns="method")
    fairer = wide["DR", "POAF"] <= wide["DR", "Bagging"]
    accurate = wide["accuracy", "POAF"] >= wide["accuracy", "Bagging"]
    rows = len(wide)
    figures = f"DR not higher in {fairer.sum()}, accuracy not lower in {accurate.sum()} of {rows}"
    return Finding(figures, _share([fairer.mean() > 0.5, accurate.mean() > 0.5]))


# RQ4


def _ranks(results: Path, protocol: str, measure: str, ensemble: str) -> pd.Series:
    """Average rank over all cuts of every method, *Ensem* among them."""
    table = _read(results, "pruning/ranks", protocol)
    rows = table[(table["measure"] == measure) & (table["ensemble"] == ensemble)]
    return rows.set_index("method")[ALL_CUTS]


def _ensembles(results: Path) -> list[str]:
    return list(pd.read_csv(results / "pruning" / "ranks.csv")["ensemble"].unique())


def _places(
    results: Path, protocol: str, measures: list[str], ensembles: list[str], method: str = "POAF"
) -> dict[str, int]:
    """Place of a method by ensemble and measure, 1 the best."""
    return {
        f"{ensemble} {measure}": int(
            _ranks(results, protocol, measure, ensemble).rank(method="min")[method]
        )
        for ensemble in ensembles
        for measure in measures
    }


def _list(places: dict[str, int], of: int = 22) -> str:
    return f"place of {of}: " + ", ".join(f"{name} {place}" for name, place in places.items())


def poaf_ranks_best(
    results: Path, protocol: str, measure: str = "DR", table: str = "ranks"
) -> Finding:
    """POAF has the best average rank of all methods, *Ensem* among them."""
    found = _read(results, f"pruning/{table}", protocol)
    found = found[found["measure"] == measure]
    texts, best = [], []
    for ensemble, part in found.groupby("ensemble", sort=False):
        ranks = part.set_index("method")[ALL_CUTS]
        place = int(ranks.rank(method="min")["POAF"])
        texts.append(f"{ensemble} {place} of {len(ranks)} (rank {ranks['POAF']:.2f})")
        best.append(place == 1)
    return Finding("; ".join(texts), _share(best))


def tie_free_poaf_ranks_best(results: Path, protocol: str) -> Finding:
    """The same of POAF without ties."""
    return poaf_ranks_best(results, protocol, table="ranks_tie_free")


def poaf_ranks_best_on_the_objective(results: Path, protocol: str) -> Finding:
    """POAF with bagging has the best average rank on 𝓛."""
    places = _places(results, protocol, ["objective"], ["bagging"])
    return Finding(_list(places), _share([place == 1 for place in places.values()]))


def is_as_accurate_as_baselines(results: Path, protocol: str) -> Finding:
    """No method is significantly better than POAF on accuracy or precision, bagging."""
    texts, level = [], []
    for measure in ("accuracy", "precision"):
        ranks = _ranks(results, protocol, measure, "bagging")
        limit = critical_difference(len(ranks), 5)
        texts.append(f"{measure}: rank {ranks['POAF']:.1f}, best {ranks.min():.1f}")
        level.append(ranks["POAF"] - ranks.min() < limit)
    return Finding(f"{'; '.join(texts)}; critical {limit:.1f}", _share(level))


def poaf_is_accurate(results: Path, protocol: str) -> Finding:
    """Accuracy of POAF is comparable with that of the full ensemble."""
    table = _read(results, "pruning/poaf_against_full", protocol)
    changes = table.set_index("ensemble")["accuracy change"]
    figures = ", ".join(f"{name} {change:+.2f}" for name, change in changes.items())
    return Finding(f"{figures} points", float((changes > -POINTS).mean()))


def accuracy_is_mostly_tied(results: Path, protocol: str) -> Finding:
    """In most comparisons of accuracy there is no significant difference."""
    table = _read(results, "pruning/ranks", protocol)
    texts = table.loc[table["measure"] == "accuracy", "win/tie/loss"].dropna()
    counts = np.array([list(map(int, text.split("/"))) for text in texts]).sum(axis=0)
    wins, ties, losses = counts.tolist()
    return Finding(f"{wins} wins, {ties} ties, {losses} losses", float(ties > wins + losses))


def epaf_is_fair_and_accurate(results: Path, protocol: str) -> Finding:
    """EPAF is in the better half on DR, and not significantly less accurate than the best."""
    texts, holds = [], []
    for method in ("EPAF-C", "EPAF-D"):
        risk, accuracy = (_ranks(results, protocol, m, "bagging") for m in ("DR", "accuracy"))
        place, limit = int(risk.rank()[method]), critical_difference(len(risk), 5)
        level = accuracy[method] - accuracy.min() < limit
        texts.append(f"{method}: place {place} on DR, rank {accuracy[method]:.1f} on accuracy")
        holds.append(place <= len(risk) / 2 and level)
    return Finding("; ".join(texts), _share(holds))


def poaf_is_slower_than_epaf(results: Path, protocol: str) -> Finding:
    """POAF takes longer than EPAF-C and EPAF-D on every data set."""
    times = _read(results, "pruning/times", protocol).pivot(
        index="dataset", columns="method", values="seconds"
    )
    ratios = times["POAF"] / times[["EPAF-C", "EPAF-D"]].max(axis=1)
    figures = f"{ratios.min():.1f} to {ratios.max():.1f} times the slower of both"
    return Finding(figures, float((ratios > 1).mean()))


OWN_SIZE = ["OO", "DREP", "SEP", "OEP", "PEP", "TSP.AP", "TSP.DP", "POAF"]
"""Methods of which the paper says that they cannot fix the size."""


def sizes_are_not_fixed(results: Path, protocol: str) -> Finding:
    """The methods that the paper names, and no others, keep fewer than asked for."""
    sizes = _read(results, "pruning/sizes", protocol)
    sizes = sizes[sizes["method"] != FULL].groupby("method", sort=False)
    varying = (sizes["fewest"].min() < sizes["most"].max()).loc[lambda flags: flags].index
    as_said = set(varying) == set(OWN_SIZE)
    return Finding(f"varying: {', '.join(varying)}", 1.0 if as_said else 0.5)


def is_nearly_best_on_group_measures(results: Path, protocol: str) -> Finding:
    """POAF is among the three best on DP, EOpp (all ensembles) and PP (bagging)."""
    places = _places(results, protocol, list(BY_ATTRIBUTE), ["bagging"])
    places |= _places(results, protocol, ["DP", "EOpp"], ["AdaBoostM1", "SAMME"])
    return Finding(_list(places), _share([place <= NEARLY_BEST for place in places.values()]))


def epaf_c_is_good_on_pp(results: Path, protocol: str) -> Finding:
    """EPAF-C is among the three best on PP with boosting."""
    places = _places(results, protocol, ["PP"], ["AdaBoostM1", "SAMME"], method="EPAF-C")
    return Finding(_list(places), _share([place <= NEARLY_BEST for place in places.values()]))


def _income(results: Path, protocol: str) -> pd.DataFrame:
    table = _read(results, "pruning/means", protocol)
    return table[(table["dataset"] == "income") & (table["method"] != "POAF, tie-free")]


def is_best_on_income(results: Path, protocol: str) -> Finding:
    """POAF has the lowest DR and 𝓛 on income."""
    table = _income(results, protocol).drop_duplicates(["ensemble", "method"])
    places = {
        f"{ensemble} {measure}": int(part.set_index("method")[measure].rank()["POAF"])
        for ensemble, part in table.groupby("ensemble", sort=False)
        for measure in ("DR", "objective")
    }
    return Finding(_list(places), _share([place == 1 for place in places.values()]))


def is_fairest_by_attribute_on_income(results: Path, protocol: str) -> Finding:
    """POAF has the smallest DP, EOpp and PP, by race, by sex and jointly, in most cases."""
    table = _income(results, protocol)
    best = [
        part.set_index("method")[measure].rank(method="min")["POAF"] == 1
        for _, part in table.groupby(["ensemble", "attribute"])
        for measure in BY_ATTRIBUTE
    ]
    return Finding(f"the smallest in {sum(best)} of {len(best)} cases", float(_share(best) > 0.5))


def ricci_has_hardly_any_risk(results: Path, protocol: str) -> Finding:
    """Mean DR of every method on ricci is below 0.01."""
    table = _read(results, "pruning/means", protocol).query("dataset == 'ricci'")
    return Finding(f"at most {table['DR'].max():.4f}", float((table["DR"] < 0.01).mean()))


# λ and EPAF-D


def has_the_lowest_objective_for_all_lambdas(results: Path, protocol: str) -> Finding:
    """POAF of bagged MLPs on ricci has the lowest 𝓛 for every λ."""
    wins = _read(results, "pruning/lambda_wins", protocol).set_index("dataset").loc["ricci"]
    figures = ", ".join(f"{name} {wins[name]}" for name in wins.index[2:])
    return Finding(f"lowest for, of 9 values: {figures}", float(wins["POAF"] == 9))


def is_best_where_both_matter(results: Path, protocol: str) -> Finding:
    """At λ = 0.5 POAF has the best accuracy, DR, DP and EOpp of the four on ricci."""
    table = _read(results, "pruning/lambda", protocol).query("dataset == 'ricci'")
    at = table[np.isclose(table["lambda"], 0.5)].set_index("method").drop("POAF, tie-free")
    texts, best = [], []
    for measure, sign in {"accuracy": -1, "DR": 1, "DP": 1, "EOpp": 1}.items():
        place = int((sign * at[measure]).round(12).rank(method="min")["POAF"])
        texts.append(f"{measure} {place}")
        best.append(place == 1)
    return Finding(f"place of 4: {', '.join(texts)}", _share(best))


def epaf_d_scales(results: Path, protocol: str) -> Finding:
    """Measured efficiency of EPAF-D with processes; the protocols do not differ."""
    table = pd.read_csv(results / "pruning" / "scaling.csv")
    rows = table[table["groups"] > 1]
    texts = []
    for kind, part in rows.groupby("time of", sort=False):
        best = part["speed-up"]
        texts.append(f"{kind} {best.min():.2f} to {best.max():.2f} times")
    return Finding("; ".join(texts), float((rows["efficiency"] > EFFICIENT).mean()))
