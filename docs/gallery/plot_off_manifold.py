"""
Female husbands: perturbed rows rarely seen in the data
=======================================================

To compute discriminative risk, a sensitive attribute is changed and nothing else. If other columns
depend on the attribute, the perturbed row may have a combination of values rarely or never seen in
the data. In the census data, a husband whose sex becomes female is still called a husband. The
prediction for such a row is an extrapolation. This example shows how much of the risk comes from
such rows.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from dr_core import assess_risk, datasets

income = datasets.load("income")
pd.crosstab(income.data["sex"], income.data["relationship"])

# %%
# The 30,162 rows have one female husband and one male wife. If sex is perturbed, there are
# thousands of female husbands and male wives.

X, X_test, y, y_test = train_test_split(income.data, income.target, test_size=0.5, random_state=0)
encode = make_column_transformer(
    (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
    remainder="passthrough",
)
forest = make_pipeline(encode, RandomForestClassifier(40, min_samples_leaf=5, random_state=0))
risk = assess_risk(forest.fit(X, y), X_test, {"sex": "Male"})
by_relationship = (
    X_test.assign(risk=risk.individual)
    .groupby("relationship")["risk"]
    .agg(["mean", "size", "sum"])
    .sort_values("sum", ascending=False)
)
by_relationship["part of all changes"] = by_relationship["sum"] / by_relationship["sum"].sum()
by_relationship.round(3)

# %%
# Most changed decisions are those of husbands and wives. For their perturbed rows, the model has
# to predict combinations that it was not trained on.

unseen = by_relationship.index.isin(["Husband", "Wife"])
figure, ax = plt.subplots(figsize=(6, 3))
ax.barh(
    by_relationship.index,
    by_relationship["part of all changes"],
    color=["#D55E00" if is_unseen else "#0072B2" for is_unseen in unseen],
    height=0.6,
)
ax.invert_yaxis()
ax.xaxis.set_major_formatter("{x:.0%}")
ax.set(xlabel="part of all decisions that change with sex alone")
ax.legend(
    loc="lower right",
    handles=[
        plt.Rectangle((0, 0), 1, 1, color="#D55E00", label="combination rarely or never seen"),
        plt.Rectangle((0, 0), 1, 1, color="#0072B2", label="combination seen in the data"),
    ],
)
plt.show()

# %%
# For people who are neither husband nor wife, the risk is much lower than for all people.
# :doc:`plot_couplings` shows how to find implausible rows automatically, and how to change
# ``relationship`` together with ``sex``.

plausible = ~X_test["relationship"].isin(["Husband", "Wife"])
pd.Series(
    {
        "all people": risk.value,
        "people who are neither husband nor wife": risk.individual[plausible].mean(),
    }
).round(4)
