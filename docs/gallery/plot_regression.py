"""
Regressors: how far may a prediction move?
==========================================

A number always moves a little. ``tolerance`` says how much counts as a change, in the units of the
target. Here: the first-year average of law students, standardised, so that 1 is one standard
deviation.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from dr_core import assess_risk, datasets

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
assess_risk(models["gradient boosting"], X_test, law.privileged, tolerance=0.1).table().round(3)

# %%
# The whole curve says more than one tolerance: the share of students whose predicted average moves
# by more than t.

tolerances = np.linspace(0, 1.2, 49)
figure, ax = plt.subplots(figsize=(7.5, 3.8))
for (name, model), colour in zip(models.items(), ["#0072B2", "#E69F00"], strict=True):
    shares = [
        assess_risk(model, X_test, law.privileged, tolerance=t, each_attribute=False).value
        for t in tolerances
    ]
    ax.plot(tolerances, shares, color=colour, lw=2, label=name)
ax.yaxis.set_major_formatter("{x:.0%}")
ax.set(
    xlabel="tolerance t, in standard deviations of the first-year average",
    ylabel="predictions that move by more than t",
    ylim=(0, 1.02),
)
ax.legend()
plt.show()

# %%
# A linear model moves all students of a group by the same amount, hence its steps. The boosted
# trees move some students further than others.
