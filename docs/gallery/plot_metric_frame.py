"""
Discriminative risk in a fairlearn MetricFrame
==============================================

Discriminative risk (DR) works like any other fairlearn metric: by group, with differences, ratios
and bootstrap intervals. ``dr_metric_frame`` makes a ``MetricFrame`` with DR in one call. You can
also add DR to a ``MetricFrame`` of your own.
"""

import matplotlib.pyplot as plt
from fairlearn.metrics import MetricFrame, count, selection_rate
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from dr_core import assess_risk, datasets
from fairlearn_dr import discriminative_risk, dr_metric_frame, plot_risk_by_group

credit = datasets.load("credit")
features = datasets.binarize(credit).drop(columns="sex-age")
X, X_test, y, y_test = train_test_split(features, credit.target, test_size=0.5, random_state=0)
forest = RandomForestClassifier(max_depth=8, random_state=0).fit(X, y)
privileged = {"sex": 1, "age": 1}

# %%
# One call computes the metrics by sex and age, with the group names of the original data.

groups = credit.data.loc[X_test.index, ["sex", "age"]]
frame = dr_metric_frame(
    forest,
    X_test,
    y_test,
    privileged=privileged,
    sensitive_features=groups,
    n_boot=60,
    ci_quantiles=[0.025, 0.975],
    random_state=0,
)
frame.by_group.round(3)

# %%
plot_risk_by_group(frame)
plt.show()

# %%
# The intervals of young women and young men are wide, because these groups are small.
#
# In a ``MetricFrame`` of your own, pass the risk of each row as a sample parameter. fairlearn
# can then split it by any group.

risk = assess_risk(forest, X_test, privileged)
own = MetricFrame(
    metrics={"risk": discriminative_risk, "selected": selection_rate, "people": count},
    y_true=y_test,
    y_pred=risk.predictions,
    sensitive_features=credit.data.loc[X_test.index, "housing"],
    sample_params={"risk": {"individual_risk": risk.individual}},
)
own.by_group.round(3)

# %%
# Housing defines the groups, but it is not perturbed. Sex and age are perturbed. The codes A151,
# A152 and A153 mean rent, own and free. ``own.difference()`` and ``own.ratio()`` work as for every
# other metric.

own.difference().round(3)
