"""
Discriminative risk in a fairlearn MetricFrame
==============================================

DR is a fairlearn metric like any other: it is split by group, has differences and ratios, and
bootstrap intervals. ``dr_metric_frame`` makes the frame in one call; in a frame of your own it
takes two lines.
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
# In one call, by sex and age at once, with the readable groups of the raw data.

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
# Young women and young men have wide intervals: there are few of them.
#
# In a ``MetricFrame`` of your own, DR takes the risk of each row as a sample parameter, so that
# fairlearn can split it by any group you like.

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
# Housing is not perturbed here, it only splits: the codes A151 to A153 (rent, own, free) are those
# of the data's source. ``own.difference()`` and ``own.ratio()`` work as for every other metric.

own.difference().round(3)
