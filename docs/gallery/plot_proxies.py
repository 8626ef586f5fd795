"""
A risk of 0 is not fairness
===========================

Take race and sex away from a model, and its discriminative risk is 0: nothing is left to perturb.
Its decisions hardly get more equal, because other columns stand in for the two. This is why DR
belongs beside group measures, and why the library refuses to compute a DR of columns that the
model does not see.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from dr_core import assess_risk, compare, datasets

income = datasets.load("income")
X, X_test, y, y_test = train_test_split(income.data, income.target, test_size=0.5, random_state=0)
sensitive = list(income.privileged)


def forest():
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
        remainder="passthrough",
    )
    return make_pipeline(encode, RandomForestClassifier(40, min_samples_leaf=5, random_state=0))


aware = forest().fit(X, y)
blind = forest().fit(X.drop(columns=sensitive), y)

# %%
# Asked about columns that the blind model never sees, the library says what the answer would be
# worth.

try:
    assess_risk(blind, X_test.drop(columns=sensitive), income.privileged)
except ValueError as error:
    print(error)

# %%
# As a function of the full rows the blind model can be audited. Its DR is 0, as it must be.

models = {
    "sees race and sex": aware,
    "does not": lambda rows: blind.predict(rows.drop(columns=sensitive)),
}
measures = ["discriminative_risk", "demographic_parity", "equal_opportunity", "accuracy"]
comparison = compare(
    models, X_test, y_test, income.privileged, measures=measures, n_boot=1000, random_state=0
)
table = comparison.table().xs("sex", level="attribute")
table.round(3)

# %%
# The gap between men and women in who is predicted to earn more is as wide as before.

bars = table.drop(columns="accuracy").T
bars.index = bars.index.str.replace("_", " ")
ax = bars.plot.bar(rot=0, figsize=(6, 3), color=["#0072B2", "#E69F00"], width=0.7)
ax.yaxis.set_major_locator(plt.MultipleLocator(0.05))
ax.yaxis.set_major_formatter("{x:.0%}")
ax.set(ylabel="by sex, 0 is best")
ax.legend(title="model")
plt.show()

# %%
# How well do the other columns tell men from women? A forest that has to guess the sex from them
# is right this often (the larger group alone would give the second number).

others, others_test = X.drop(columns=sensitive), X_test.drop(columns=sensitive)
guess = forest().fit(others, X["sex"]).predict(others_test)
pd.Series(
    {
        "right about sex": (guess == X_test["sex"]).mean(),
        "share of men": (X_test["sex"] == "Male").mean(),
    }
).round(3)
