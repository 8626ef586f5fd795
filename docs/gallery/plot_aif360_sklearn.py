"""
A grid search in aif360.sklearn
===============================

Estimators of ``aif360.sklearn`` read protected attributes from the index of X. The scorer of
``aif360_dr.sklearn`` perturbs the index together with the columns that encode the attribute, and
returns discriminative risk (DR). It can be used in ``GridSearchCV`` together with scorers of
AIF360's own metrics.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from aif360.sklearn.metrics import statistical_parity_difference
from aif360.sklearn.postprocessing import PostProcessingMeta, RejectOptionClassifier
from dr_adapters import to_aif360_sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aif360_dr.sklearn import discriminative_risk, discriminative_risk_scorer
from dr_core import datasets

# AIF360 0.6.1 asks postprocessors for their tags by a method that scikit-learn 1.7 removed.
RejectOptionClassifier._get_tags = RejectOptionClassifier._more_tags

# %%
# ``to_aif360_sklearn`` copies sensitive columns to the index. In this example, sex is also a
# feature: as 0 and 1 in a column, and as words in the index.

income = datasets.load("income")
rows = np.random.default_rng(0).choice(len(income.data), 8000, replace=False)
people = income.data.iloc[rows]
features = people[["age", "education-num", "hours-per-week"]].assign(
    sex=(people["sex"] == "Male").astype(int)
)
X, y, _ = to_aif360_sklearn(
    features, income.target[rows], sensitive_features=people["sex"], privileged={"sex": "Male"}
)
X.head(3)

# %%
# The predictions of a logistic regression depend on sex. ``RejectOptionClassifier`` changes
# predictions close to the threshold in favour of women. Its ``margin`` states how close. The grid
# search varies the margin, and selects the one with the lowest DR.

group = {"prot_attr": "sex", "priv_group": "Male"}
model = PostProcessingMeta(
    make_pipeline(StandardScaler(), LogisticRegression()),
    RejectOptionClassifier("sex", threshold=0.4),
    random_state=0,
)
search = GridSearchCV(
    model,
    {"postprocessor__margin": np.arange(0.0, 0.4, 0.04)},
    scoring={
        "accuracy": "accuracy",
        "risk": discriminative_risk_scorer(**group),
        "parity": make_scorer(statistical_parity_difference, **group),
    },
    refit="risk",
    cv=3,
    error_score="raise",  # the errors of scorers, instead of scores of NaN
).fit(X, y, priv_group="Male")
search.best_params_

# %%
# It would be wrong to perturb the column ``sex`` alone, because the postprocessor still reads the
# original sex from the index. The second number shows the result.

best = search.best_estimator_
alone = np.mean(best.predict(X) != best.predict(X.assign(sex=1 - X["sex"])))
print(f"DR {discriminative_risk(best, X, **group):.3f}, by the column alone {alone:.3f}")

# %%
results = pd.DataFrame(search.cv_results_)
margin = results["param_postprocessor__margin"].astype(float)
figure, ax = plt.subplots(figsize=(6, 3))
for name, values, colour in [
    ("discriminative risk", -results["mean_test_risk"], "#D55E00"),
    ("statistical parity difference", results["mean_test_parity"].abs(), "#0072B2"),
    ("error", 1 - results["mean_test_accuracy"], "#999999"),
]:
    ax.plot(margin, values, "o-", color=colour, label=name)
ax.axvline(search.best_params_["postprocessor__margin"], color="#666666", ls="--", label="chosen")
ax.yaxis.set_major_formatter("{x:.0%}")
ax.set(xlabel="margin around the threshold", ylim=(0, None))
ax.legend()
plt.show()

# %%
# At the chosen margin, the postprocessor compensates for the disadvantage of women in the
# regression. Few predictions depend on sex. Equal selection rates need a wider margin, and then
# more predictions depend on sex than at the chosen margin. With even wider margins, men are at a
# disadvantage. The line of the statistical parity difference rises again, because it shows the
# size of the difference, without its sign.
