"""
Bounds on the risk of a vote
============================

The paper bounds the risk of an ensemble's vote by the risks of its members and by the margin of
the vote. ``compute_bounds`` evaluates all bounds in one pass over the votes.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from dr_core import collect_votes, compute_bounds, datasets
from fairlearn_dr import plot_bounds

credit = datasets.load("credit")
features = datasets.binarize(credit).drop(columns="sex-age")
X, X_test, y, y_test = train_test_split(features, credit.target, test_size=0.5, random_state=0)
forest = RandomForestClassifier(101, random_state=0).fit(X, y)
votes = collect_votes(forest, X_test, y_test, {"sex": 1, "age": 1}, method="exact")
votes

# %%
# ``applies`` states whether the condition of a bound is met, ``guaranteed`` whether the bound is
# proven for DR, and ``holds_for`` what it is proven for: these rows, or the population. The
# three bounds without margin hold for the error of a vote, not for its risk. They and "PAC, all
# weightings" are included for comparison with the paper.

compute_bounds(votes).round(4)

# %%
# The plot shows forests of 3 to 101 trees. Bounds that hold for these rows are on or above the
# dashed line; tight bounds are close to it. Bounds above 1 carry no information and are drawn at
# 1.

sizes = [3, 5, 7, 11, 15, 21, 31, 51, 71, 101]
plot_bounds(
    [compute_bounds(votes.subset(range(size)), low_margin_share="best") for size in sizes],
    names=[
        "margin",
        "clipped first order",
        "clipped second order",
        "relaxed first order",
        "relaxed second order",
        "PAC, one hypothesis",
    ],
)
plt.show()

# %%
# The risk falls with the number of members: the vote of the forest depends on sex and age about
# half as often as its trees do. Each point is the mean of 30 random subsets of this size.

rng = np.random.default_rng(0)
risks = [
    np.mean([votes.subset(rng.choice(101, size, replace=False)).risk for _ in range(30)])
    for size in sizes
]
figure, ax = plt.subplots(figsize=(5.6, 3))
ax.plot(sizes, risks, "o-", color="#0072B2", label="vote")
ax.axhline(votes.member_risks.mean(), color="#E69F00", ls="--", label="members, on average")
ax.set(xlabel="members", ylabel="discriminative risk", ylim=(0, None))
ax.yaxis.set_major_formatter("{x:.0%}")
ax.legend()
plt.show()
