"""
Discriminative risk in a grid search
====================================

``risk_scorer`` makes a scikit-learn scorer of discriminative risk. A grid search with this scorer
and with accuracy shows how hyperparameters affect both.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from dr_core import datasets
from fairlearn_dr import risk_scorer

credit = datasets.load("credit")
X = datasets.binarize(credit).drop(columns="sex-age")

# %%
# A grid search maximises scores, so the scorer returns the negative risk. The function for
# ``refit`` selects a tree in two steps: it keeps the trees whose accuracy is at most two
# percentage points below the best, and selects the one with the lowest risk.
#
# If a scorer raises an error, such as for a misspelt privileged value or a missing sensitive
# value, a search of scikit-learn replaces the score with NaN, and may select the first candidate.
# Pass ``error_score="raise"`` to get the error.


def fairest_of_the_accurate(results):
    accuracy = results["mean_test_accuracy"]
    risk = pd.Series(-results["mean_test_risk"])
    return int(risk[accuracy >= accuracy.max() - 0.02].idxmin())


search = GridSearchCV(
    DecisionTreeClassifier(random_state=0),
    {"min_samples_leaf": [1, 2, 5, 10, 20, 40, 60, 80, 120]},
    scoring={"accuracy": "accuracy", "risk": risk_scorer({"sex": 1, "age": 1})},
    refit=fairest_of_the_accurate,
    cv=10,
    error_score="raise",
).fit(X, credit.target)
search.best_params_

# %%
results = pd.DataFrame(search.cv_results_)
leaf = results["param_min_samples_leaf"].astype(int)
figure, ax = plt.subplots(figsize=(6, 3))
for name, values, spread, colour in [
    ("error", 1 - results["mean_test_accuracy"], results["std_test_accuracy"], "#0072B2"),
    ("discriminative risk", -results["mean_test_risk"], results["std_test_risk"], "#D55E00"),
]:
    error = spread / 10**0.5
    ax.fill_between(leaf, values - error, values + error, color=colour, alpha=0.2, lw=0)
    ax.plot(leaf, values, "o-", color=colour, label=name)
ax.axvline(search.best_params_["min_samples_leaf"], color="#666666", ls="--", label="chosen")
ax.yaxis.set_major_formatter("{x:.0%}")
ax.set(xlabel="rows in a leaf, at least", xscale="log", ylim=(0, None))
ax.set_xticks(leaf, leaf)
ax.minorticks_off()
ax.legend()
plt.show()

# %%
# The bands are plus and minus one standard error over ten folds. Trees with small leaves depend on
# sex and age far more than trees with large leaves. They are not more accurate.
