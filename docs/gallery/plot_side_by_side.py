"""
Four models, side by side
=========================

Discriminative risk beside demographic parity, equal opportunity and predictive parity, with
bootstrap intervals. The measures do not agree on which model is fairest, and should not be
expected to: they ask different questions.
"""

import matplotlib.pyplot as plt
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from dr_core import compare, datasets

# %%
# 6,167 defendants in Broward County, with the paper's own 0/1 encoding: a sensitive attribute is
# one column, 1 for privileged. The target is 1 for those who re-offended; the favourable
# prediction is that somebody does not.

ppr = datasets.load("ppr")
features = datasets.binarize(ppr).drop(columns="sex-race")
X, X_test, y, y_test = train_test_split(features, ppr.target, test_size=0.5, random_state=0)
models = {
    "tree": DecisionTreeClassifier(max_depth=8, random_state=0),
    "random forest": RandomForestClassifier(100, min_samples_leaf=3, random_state=0),
    "gradient boosting": GradientBoostingClassifier(n_estimators=60, random_state=0),
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=999)),
}
for model in models.values():
    model.fit(X, y)

# %%
# A thousand bootstrap replicates cost milliseconds: they resample a table of counts, not the rows.

how = {"favorable": ppr.favorable, "n_boot": 1000, "random_state": 0}
comparison = compare(models, X_test, y_test, {"sex": 1, "race": 1}, **how)
comparison.table().xs("all", level="attribute").T.round(3)

# %%
# Further left is fairer, further down more accurate. Bars are 95 % intervals: where they overlap
# widely, these rows do not show which model is better.

figure, axes = plt.subplots(2, 2, figsize=(6.8, 5.1), sharey=True)
comparison.plot(axes=axes.ravel())
plt.show()

# %%
# For race alone, DR and demographic parity.

comparison.plot(attribute="race", measures=["discriminative_risk", "demographic_parity"])
plt.show()
