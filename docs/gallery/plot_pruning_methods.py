"""
Twenty-one ways to prune an ensemble
====================================

Pruning keeps some members of an ensemble. This example compares the paper's methods (POAF, and
EPAF in a centralised and a distributed variant) with the fourteen baselines of the paper and with
four rankings by fairness. All methods prune the same bagged trees on held-out rows. They are
evaluated on other rows.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from dr_core import collect_votes, datasets, epaf, poaf
from dr_core.pruning import baselines

ppvr = datasets.load("ppvr")
features = datasets.binarize(ppvr).drop(columns="sex-race")
X, X_test, y, y_test = train_test_split(features, ppvr.target, test_size=0.3, random_state=1)
X, X_prune, y, y_prune = train_test_split(X, y, test_size=0.4, random_state=1)
bagging = BaggingClassifier(DecisionTreeClassifier(max_depth=12), 31, random_state=0).fit(X, y)
privileged = {"sex": 1, "race": 1}

# %%
# The votes of the trees are collected once and used by every method. Each method keeps up to 11 of
# 31 trees. Methods that compare groups use the argument ``groups``. The table has the six methods
# with the lowest risk on the test rows.

votes = collect_votes(bagging, X_prune, y_prune, privileged, random_state=0)
test_votes = collect_votes(bagging, X_test, y_test, privileged, method="exact")
men = (X_prune["sex"] == 1).to_numpy()
results = {
    name: method(votes, 11, groups=men, random_state=0)
    for name, method in baselines.methods().items()
}
results |= {
    "POAF": poaf(votes, 11, random_state=0),
    "EPAF-C": epaf(votes, 11),
    "EPAF-D": epaf(votes, 11, n_groups=3, random_state=0),
}
judged = pd.DataFrame(
    [
        (name, test_votes.subset(result.members).error, test_votes.subset(result.members).risk)
        for name, result in results.items()
    ],
    columns=["method", "error", "risk"],
).set_index("method")
judged.sort_values("risk").head(6).round(4)

# %%
# The plot shows error and discriminative risk on the test rows. The lower left is best. The square
# is the whole ensemble.

ours = judged.index.str.contains("AF")
figure, ax = plt.subplots(figsize=(6.4, 3.7))
ax.scatter(judged["error"][~ours], judged["risk"][~ours], c="#999999", label="baselines")
ax.scatter(judged["error"][ours], judged["risk"][ours], c="#D55E00", s=60, label="POAF, EPAF")
ax.scatter(
    [test_votes.error], [test_votes.risk], c="#0072B2", marker="s", s=60, label="whole ensemble"
)
for name, row in judged.iterrows():
    ax.annotate(name, row, xytext=(5, 3), textcoords="offset points", fontsize=8, alpha=0.8)
ax.xaxis.set_major_locator(plt.MultipleLocator(0.005))
ax.xaxis.set_major_formatter("{x:.1%}")
ax.yaxis.set_major_locator(plt.MultipleLocator(0.005))
ax.yaxis.set_major_formatter("{x:.1%}")
ax.set(xlabel="error", ylabel="discriminative risk")
ax.legend()
plt.show()

# %%
# One split of one data set does not show which method is best.
# :doc:`../reproduction/pruning` compares the methods over several splits of five data sets.
