"""
A risk of 0 is not fairness
===========================

A model without the columns race and sex has a discriminative risk of 0, because there is nothing
to perturb. But its selection rates for men and women remain unequal, because other columns act as
proxies. Therefore use discriminative risk (DR) together with group measures.
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
# The library refuses to compute the DR of columns that the model does not get.

try:
    assess_risk(blind, X_test.drop(columns=sensitive), income.privileged)
except ValueError as error:
    print(error)

# %%
# To audit the model without race and sex anyway, pass a function that takes all columns and drops
# these two. Its DR is 0.

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
# The difference between the selection rates of men and women (demographic parity) is as large as
# for the model that sees race and sex.

bars = table.drop(columns="accuracy").T
bars.index = bars.index.str.replace("_", " ")
ax = bars.plot.bar(rot=0, figsize=(6, 3), color=["#0072B2", "#E69F00"], width=0.7)
ax.yaxis.set_major_locator(plt.MultipleLocator(0.05))
ax.yaxis.set_major_formatter("{x:.0%}")
ax.set(ylabel="by sex, 0 is best")
ax.legend(title="model")
plt.show()

# %%
# The other columns contain much information about sex. The first number is the accuracy of a
# forest that predicts sex from the other columns. The second number is the accuracy of always
# predicting "Male": the share of men.

others, others_test = X.drop(columns=sensitive), X_test.drop(columns=sensitive)
guess = forest().fit(others, X["sex"]).predict(others_test)
pd.Series(
    {
        "right about sex": (guess == X_test["sex"]).mean(),
        "share of men": (X_test["sex"] == "Male").mean(),
    }
).round(3)
