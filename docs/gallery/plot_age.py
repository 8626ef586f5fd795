"""
Age: a range as a group
=======================

Age is a common protected attribute, and it is a number. With ``{"age": 30}``, only people of
exactly 30 would be privileged. A range such as ``at_least(25)`` states that everybody from 25 on
is privileged. If age is perturbed, a person outside the range gets an age inside it, and a person
inside the range gets an age outside it. The exact risk averages over all new ages, weighted by
their frequencies in the data.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from dr_core import assess_risk, at_least, between, compare, datasets

income = datasets.load("income")
X, X_test, y, y_test = train_test_split(
    income.data, income.target, test_size=2_000, random_state=0
)
encode = make_column_transformer(
    (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
    remainder="passthrough",
)
forest = make_pipeline(encode, RandomForestClassifier(20, min_samples_leaf=5, random_state=0))
forest.fit(X, y)

risk = assess_risk(forest, X_test, {"age": at_least(25)})
risk

# %%
# Tables have one row for each side of the range, not 70 rows for single ages. Of the people below
# 25, 1 % would gain the favourable prediction with an age of 25 or more. Of the people from 25 on,
# 11 % would lose it with an age below 25.

sides = compare(
    {"forest": forest},
    X_test,
    y_test,
    {"age": at_least(25)},
    measures=["discriminative_risk"],
)
sides.by_group[["group", "rows", "risk", "loses", "gains"]].round(3)

# %%
# ``between`` is a range with two ends. A range can be combined with other attributes. In the next
# table, people from 25 to 64 and men are privileged.

assess_risk(forest, X_test, {"age": between(25, 64), "sex": "Male"}).table().round(3)

# %%
# The plot shows the risk by age, for the first range. The dashed line is at 25, where the range
# starts.

ages = X_test["age"].to_numpy()
decades = np.arange(15, 85, 5)
which = np.digitize(ages, decades)
shown = [k for k in np.unique(which) if (which == k).sum() >= 20]
fig, ax = plt.subplots()
ax.bar(
    [decades[k - 1] + 2.5 for k in shown],
    [risk.individual[which == k].mean() for k in shown],
    width=4.4,
)
ax.axvline(25, color="black", linewidth=1, linestyle="--")
ax.set(xlabel="age", ylabel="discriminative risk", title="Risk by age; privileged from 25 on")
plt.show()

# %%
# The risk is highest from 35 to 59, where incomes are higher. Some perturbed rows are implausible,
# such as a person of 20 with a doctorate. ``plausibility`` finds such rows, and reports the risk
# of the other rows.

risk.plausibility(income.data)

# %%
# If another column depends on age, couple it with age, so that both change together. For a column
# ``experience`` in years, pass this argument to :func:`dr_core.learn_attributes`::
#
#     coupled={"experience": {"age": lambda age, years: min(years, age - 16)}}
