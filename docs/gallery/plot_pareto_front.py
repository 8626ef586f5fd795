"""
Pruning a forest, and choosing from the front
=============================================

POAF searches for the smaller votes that nothing beats in both error and risk. It returns all of
them. Which one to use is a decision for people; ``selection`` applies it.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from dr_core import collect_votes, compare, datasets
from fairlearn_dr import POAFPruner, plot_pareto_front

# %%
# Three parts: one to fit the forest, one to prune it on, one to judge the result on.

ppr = datasets.load("ppr")
features = datasets.binarize(ppr).drop(columns="sex-race")
X, X_test, y, y_test = train_test_split(features, ppr.target, test_size=0.3, random_state=0)
X, X_prune, y, y_prune = train_test_split(X, y, test_size=0.4, random_state=0)
privileged = {"sex": 1, "race": 1}
forest = RandomForestClassifier(60, random_state=0).fit(X, y)


def pruner(selection, **options):
    return POAFPruner(
        forest,
        privileged=privileged,
        prefit=True,
        max_members=25,
        n_iter=150,
        selection=selection,
        random_state=0,
        **options,
    ).fit(X_prune, y_prune)


chosen = pruner("objective")
chosen.front_.head()

# %%
# Every grey point is a tree, the square is the whole forest, the line is what POAF found.

votes = collect_votes(forest, X_prune, y_prune, privileged, method="exact")
plot_pareto_front(chosen, votes)
plt.show()

# %%
# Four ways to choose: the paper's scalar objective 𝓛; the lowest 𝓛 among the largest votes, since
# 𝓛 does not see the ties of small ones; the least risk for one point of accuracy; or a function of
# your own, here the point of the front nearest to its ideal corner.


def nearest_to_ideal(front):
    scaled = front[["error", "risk"]].apply(lambda v: (v - v.min()) / (v.max() - v.min()))
    return int((scaled**2).sum(axis=1).argmin())


models = {
    "whole forest": forest,
    "objective": chosen,
    "largest": pruner("largest"),
    "min_risk": pruner("min_risk", accuracy_tolerance=0.01),
    "nearest to ideal": pruner(nearest_to_ideal),
}
measures = ["discriminative_risk", "demographic_parity", "accuracy"]
table = compare(models, X_test, y_test, privileged, measures=measures).table()
table = table.xs("all", level="attribute")
sizes = {
    name: len(getattr(model, "members_", forest.estimators_)) for name, model in models.items()
}
table.assign(members=pd.Series(sizes)).round(3)

# %%
# On rows that neither the forest nor the pruning has seen, the gain is smaller than on the front:
# choosing the best of many on few rows flatters it. Judge on rows of their own, always.
