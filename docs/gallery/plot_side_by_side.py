"""
Four models, side by side
=========================

This example compares four models by discriminative risk, demographic parity, equal opportunity and
predictive parity, with bootstrap intervals. The measures disagree about which model is fairest,
because they answer different questions.
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
# The data are 6,167 defendants in Broward County, in the 0/1 encoding of the paper: each sensitive
# attribute is one column, with 1 for privileged people. The target is 1 for people who
# re-offended, so the favourable prediction is 0.

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
# With ``n_boot=1000``, the table gets confidence intervals. Most are from 1,000 bootstrap
# replicates; that of DR is the interval of ``assess_risk``. This takes milliseconds, because a
# table of counts is resampled, not the rows.

how = {"favorable": ppr.favorable, "n_boot": 1000, "random_state": 0}
comparison = compare(models, X_test, y_test, {"sex": 1, "race": 1}, **how)
comparison.table().xs("all", level="attribute").T.round(3)

# %%
# Each plot shows one fairness measure on the x axis and the error on the y axis. Models on the
# left have a lower value of the measure (0 is best), models at the bottom are more accurate.
# Error bars are 95 % intervals. If the intervals of two models overlap, the plot does not show
# which model has the lower value.

figure, axes = plt.subplots(2, 2, figsize=(6.8, 5.1), sharey=True)
comparison.plot(axes=axes.ravel())
plt.show()

# %%
# The last plot shows discriminative risk and demographic parity for race alone:

# sphinx_gallery_thumbnail_number = 2
comparison.plot(attribute="race", measures=["discriminative_risk", "demographic_parity"])
plt.show()
