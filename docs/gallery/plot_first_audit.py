"""
How many decisions would change?
================================

This example trains a model on census data. Then it computes how many decisions of the model would
change if only race and sex were different. Their share is the discriminative risk. The audit needs
only the model and the rows, no labels.
"""

import matplotlib.pyplot as plt
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from dr_core import assess_risk, datasets

income = datasets.load("income")
X, X_test, y, y_test = train_test_split(income.data, income.target, random_state=0)
encode = make_column_transformer(
    (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
    remainder="passthrough",
)
tree = make_pipeline(encode, DecisionTreeClassifier(min_samples_leaf=10, random_state=0))
tree = tree.fit(X, y)

# %%
# ``privileged`` names the sensitive columns and the privileged value in each. The model is a
# pipeline that takes the original columns and encodes them itself.

income.privileged

# %%
# The risk is exact: it averages over all values that the race and sex of a row can be perturbed
# into, so there is no seed and no sampling noise.

risk = assess_risk(tree, X_test, income.privileged)
risk

# %%
# The table has a row for each attribute alone and for both together (``all``). The columns are the
# risk with its 95 % interval, the share of people for whom at least one perturbation changes the
# decision (``worst_case``), the risk of the privileged and of the marginalised group, and the
# difference of these two.
#
# ``directions`` shows how many people would lose the favourable decision, and how many would
# gain it.

directions = risk.directions
directions.replace({"from": {0: "<=50K", 1: ">50K"}, "to": {0: "<=50K", 1: ">50K"}}).round(4)

# %%
# The plot shows the risks of the table and the two directions:

table = risk.table()
figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3), width_ratios=[3, 2])
lengths = [table["risk"] - table["low"], table["high"] - table["risk"]]
left.barh(table.index, table["risk"], xerr=lengths, capsize=4, color="#0072B2", height=0.55)
left.invert_yaxis()
left.xaxis.set_major_formatter("{x:.1%}")
left.set(title="decisions that change", ylabel="perturbed")
names = ["lose >50K", "gain >50K"]
losses = directions.set_index("from")["share"]
right.bar(names, [losses[1], losses[0]], color=["#D55E00", "#009E73"], width=0.55)
right.yaxis.set_major_formatter("{x:.1%}")
right.set_title("in which direction")
plt.show()

# %%
# ``concerned`` has the positions of the rows whose decision can change. Rows with the highest risk
# are first.

columns = ["age", "education", "occupation", "relationship", "race", "sex"]
X_test.iloc[risk.concerned[:5]][columns]
