"""
Postprocessing of AIF360, before and after
==========================================

AIF360's postprocessors change the predictions of a model to make groups more equal. To do so, they
use the group of each person. So they can change discriminative risk (DR), too. A ``Chain``
combines scaler, model and postprocessor. ``DiscriminativeRiskMetric`` computes its DR and AIF360's
metrics.
"""

import matplotlib.pyplot as plt
import pandas as pd
from aif360.algorithms.postprocessing import (
    CalibratedEqOddsPostprocessing,
    EqOddsPostprocessing,
    RejectOptionClassification,
)
from aif360.algorithms.preprocessing import Reweighing
from dr_adapters import groups, to_aif360
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from aif360_dr import Chain, DiscriminativeRiskMetric
from dr_core import datasets

# %%
# The scaler is a step of the chain, so that test rows and perturbed rows are scaled in the same
# way.

credit = datasets.load("credit")
dataset = to_aif360(credit.data, credit.target, privileged={"sex": credit.privileged["sex"]})
unprivileged, privileged = groups(dataset)
train, valid, test = dataset.split([0.4, 0.7], shuffle=True, seed=1)

model = Chain(StandardScaler(), LogisticRegression(max_iter=1000)).fit(train)

# %%
# ``Chain(model, postprocessor)`` applies the postprocessor to the predictions of the model. Each
# postprocessor is fitted on held-out rows. ``Reweighing`` comes before the model.

both = unprivileged, privileged
postprocessors = {
    "equalized odds": EqOddsPostprocessing(*both, seed=0),
    "calibrated odds": CalibratedEqOddsPostprocessing(*both, cost_constraint="fnr", seed=0),
    "reject option": RejectOptionClassification(*both, num_class_thresh=20, num_ROC_margin=10),
}
chains = {"model alone": model}
for name, postprocessor in postprocessors.items():
    chains[name] = Chain(model, postprocessor.fit(valid, model.predict(valid)))
chains["reweighing"] = Chain(
    StandardScaler(), Reweighing(*both), LogisticRegression(max_iter=1000)
).fit(train)

# %%
# The first two postprocessors draw labels at random. Their DR is computed from the probabilities
# of the labels, so it does not depend on a draw. AIF360's metrics are computed from one draw.

metrics = {
    name: DiscriminativeRiskMetric.from_estimator(chain, test, *both)
    for name, chain in chains.items()
}
table = pd.DataFrame(
    {
        name: {
            "discriminative risk": metric.discriminative_risk(),
            "statistical parity": abs(metric.statistical_parity_difference()),
            "equal opportunity": abs(metric.equal_opportunity_difference()),
            "average odds": metric.average_abs_odds_difference(),
            "accuracy": metric.accuracy(),
            "recall": metric.recall(),
        }
        for name, metric in metrics.items()
    }
).T
table.round(3)

# %%
# A postprocessor can make groups more equal by treating people differently because of their sex.
# So DR can rise while a difference between groups falls. In this example, the
# postprocessor ``EqOddsPostprocessing`` lowers the average odds difference and raises DR.

fairness = ["discriminative risk", "statistical parity", "equal opportunity", "average odds"]
ax = table[fairness].plot.bar(
    rot=0, figsize=(7.2, 3), color=["#D55E00", "#999999", "#56B4E9", "#0072B2"], width=0.8
)
ax.set(ylabel="0 is best")
plt.show()

# %%
# With 300 test rows, these numbers are uncertain. The metric has a confidence interval for DR.

pd.DataFrame(
    {name: metric.discriminative_risk_interval()[:2] for name, metric in metrics.items()},
    index=["low", "high"],
).T.round(3)
