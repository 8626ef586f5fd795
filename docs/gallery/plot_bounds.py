"""
Bounds on the risk of a vote
============================

The paper derives upper bounds on the discriminative risk (DR) of an ensemble's vote. They depend
on how often its members change their predictions, and on the margin of the vote.
``compute_bounds`` evaluates all bounds.
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
# The columns of the table:
#
# - ``applies`` states whether the condition of a bound is met;
# - ``guaranteed`` states whether the bound is proven for DR;
# - ``holds_for`` states what the bound is proven for: these rows, or the population;
# - ``actual`` is the DR of the vote on these rows.
#
# The three bounds "without margin" hold for the error of a vote, not for its DR. These three and
# "PAC, all weightings" are included for comparison with the paper.

compute_bounds(votes).round(4)

# %%
# The plot shows forests of 3 to 101 trees. Bounds that hold for these rows are on or above the
# dashed line, on which a bound equals the DR. Tight bounds are close to this line. Bounds above 1
# carry no information and are drawn at 1.

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
# DR falls as the number of members grows. The vote of all 101 trees changes with sex and age about
# half as often as a single tree does on average. Each point is the mean of 30 random subsets of
# the same size.

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
