"""
Pruning a forest, and choosing from the front
=============================================

POAF prunes an ensemble: it keeps a subset of the members. It searches for the subsets that no
other subset beats in both error and discriminative risk. They are the Pareto front. The argument
``selection`` chooses one of them.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from dr_core import collect_votes, compare, datasets
from fairlearn_dr import POAFPruner, plot_pareto_front

# %%
# The rows are split into three parts: to fit the forest, to prune it, and to evaluate the result.

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
# Each grey point is a tree, the square is the whole forest, and the line is the front found by
# POAF.

votes = collect_votes(forest, X_prune, y_prune, privileged, method="exact")
plot_pareto_front(chosen, votes)
plt.show()

# %%
# There are four ways to choose one sub-ensemble from the front:
#
# - ``"objective"``: the lowest value of the paper's objective 𝓛, a weighted sum of the errors of
#   the members and the risks of their pairs;
# - ``"largest"``: the lowest 𝓛 among the largest subsets of the front;
# - ``"min_risk"``: the lowest risk among the subsets whose accuracy is at most
#   ``accuracy_tolerance`` below the best, in this example one percentage point, and whose error on
#   each class is at most so much above that of the whole ensemble;
# - a function of your own, in this example the point nearest to the ideal point, which has the
#   lowest error and the lowest risk of the front.


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
# On the test rows, pruning lowers the risk less than on the rows used for pruning, because the
# subsets were chosen to fit those rows. Always evaluate a pruned ensemble on rows that were not
# used for pruning.
