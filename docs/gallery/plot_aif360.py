"""
DR in an AIF360 pipeline
========================

``DiscriminativeRiskMetric`` is a subclass of AIF360's ``ClassificationMetric`` that adds
discriminative risk (DR). This example evaluates three models: a random forest, a forest that was
fitted after AIF360's ``Reweighing``, and a pruned forest.
"""

import matplotlib.pyplot as plt
import pandas as pd
from aif360.algorithms.preprocessing import Reweighing
from dr_adapters import groups, to_aif360
from sklearn.ensemble import RandomForestClassifier

from aif360_dr import DiscriminativeRiskMetric, DRTextExplainer, POAFPruning
from dr_core import datasets

# %%
# ``to_aif360`` converts a DataFrame to an AIF360 dataset without loss. ``groups`` returns the
# lists of groups that AIF360's functions take. If you have an AIF360 dataset already, you do not
# need ``to_aif360``.

income = datasets.load("income")
dataset = to_aif360(income.data, income.target, privileged={"sex": "Male"})
unprivileged, privileged = groups(dataset)
train, valid, test = dataset.split([0.4, 0.7], shuffle=True, seed=0)


def forest(data):
    model = RandomForestClassifier(40, min_samples_leaf=2, random_state=0)
    return model.fit(data.features, data.labels.ravel(), sample_weight=data.instance_weights)


plain = forest(train)
reweighed = forest(Reweighing(unprivileged, privileged).fit_transform(train))
pruned = POAFPruning(plain, unprivileged, privileged, max_members=15, seed=0).fit(valid)

# %%
# For each model, one metric object has DR and every method of ``ClassificationMetric``.

models = {"plain": plain, "reweighed": reweighed, "pruned": pruned}
metrics = {
    name: DiscriminativeRiskMetric.from_estimator(model, test, unprivileged, privileged)
    for name, model in models.items()
}
table = pd.DataFrame(
    {
        "discriminative risk": {n: m.discriminative_risk() for n, m in metrics.items()},
        "statistical parity": {
            n: abs(m.statistical_parity_difference()) for n, m in metrics.items()
        },
        "average odds": {n: abs(m.average_odds_difference()) for n, m in metrics.items()},
        "accuracy": {n: m.accuracy() for n, m in metrics.items()},
    }
)
table.round(3)

# %%
# Reweighing mainly lowers the difference between the groups (statistical parity). Pruning mainly
# lowers the share of decisions that depend on sex alone (DR). These are different aims.

ax = table.drop(columns="accuracy").T.plot.bar(
    rot=0, figsize=(6, 3), color=["#999999", "#56B4E9", "#D55E00"], width=0.75
)
ax.set(ylabel="0 is best")
plt.show()

# %%
# An explainer states the results in words.

print(DRTextExplainer(metrics["plain"]).discriminative_risk())
print(DRTextExplainer(metrics["plain"]).discriminative_risk_difference())
