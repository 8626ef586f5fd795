"""
How much does a score move?
===========================

A numeric prediction nearly always changes a little when anything is perturbed, so the share of
changes is not informative. ``assess_shift`` measures how far predictions move. The example
predicts the standardised first-year average of law students, so 1 is one standard deviation.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from dr_core import assess_shift, datasets
from fairlearn_dr import plot_shift_by_group

law = datasets.load("lawschool")
X, X_test, y, y_test = train_test_split(law.data, law.target, test_size=2000, random_state=0)


def fitted(regressor):
    encode = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["race", "sex"]), remainder="passthrough"
    )
    return make_pipeline(encode, regressor).fit(X, y)


models = {
    "linear regression": fitted(LinearRegression()),
    "gradient boosting": fitted(GradientBoostingRegressor(n_estimators=60, random_state=0)),
}
shifts = {name: assess_shift(model, X_test, law.privileged) for name, model in models.items()}
shifts["gradient boosting"].table().round(3)

# %%
# The mean size has the unit of the target. ``privileged`` and ``marginalised`` are the signed
# means of these groups; they are negative if the group would get lower predictions.
#
# The plot shows signed shifts by group. Groups to the right of 0 would get a higher prediction.

figure, ax = plt.subplots(figsize=(6, 3))
plot_shift_by_group(shifts["gradient boosting"], attribute="race", ax=ax)
figure.tight_layout()
plt.show()

# %%
# The next plot shows the share of students whose prediction moves by more than t, for all t.
# Each curve comes from one assessment.

thresholds = np.linspace(0, 1.2, 49)
figure, ax = plt.subplots(figsize=(6, 3))
for (name, shift), colour in zip(shifts.items(), ["#0072B2", "#E69F00"], strict=True):
    shares = [shift.share_above(t) for t in thresholds]
    ax.plot(thresholds, shares, color=colour, lw=2, label=name)
ax.yaxis.set_major_formatter("{x:.0%}")
ax.set(
    xlabel="t, in standard deviations of the first-year average",
    ylabel="predictions that move by more than t",
    ylim=(0, 1.02),
)
ax.legend()
plt.show()

# %%
# In a linear model, all students of a group move by the same amount, so its curve has steps. In
# the boosted trees, some students move further than others. ``find_most_affected`` lists them
# with the perturbation that moves them most.

shifts["gradient boosting"].find_most_affected(3).round(3)
