"""
How much does a score move?
===========================

A numeric prediction nearly always changes a little if a feature is perturbed. So the share of
predictions that change is not informative. ``assess_shift`` measures how far predictions move. The
example predicts the first-year average of law students. The target is standardised, so a shift of
1 is one standard deviation.
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
# ``mean`` is the mean size of the shift, in the unit of the target. ``privileged`` and
# ``marginalised`` are the mean shifts of these groups with their sign. They are negative if the
# group would get lower predictions after the perturbation.
#
# The plot shows the distribution of the signed shifts in each group, if race alone is perturbed. A
# box contains the middle half of the shifts, and the whiskers the middle 90 %. Groups to the right
# of 0 would get higher predictions.

figure, ax = plt.subplots(figsize=(6, 3))
plot_shift_by_group(shifts["gradient boosting"], attribute="race", ax=ax)
figure.tight_layout()
plt.show()

# %%
# The next plot shows the share of predictions that move by more than t, for many values of t. Each
# curve needs only one assessment.

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
# In a linear model, the shift depends only on the race and sex before and after the perturbation.
# So its curve has steps. In the boosted trees, the shift also depends on the other features.
# ``find_most_affected`` lists the students with the largest shifts, and the perturbation that
# moves each of them most.

shifts["gradient boosting"].find_most_affected(3).round(3)
