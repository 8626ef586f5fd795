"""
Exact or sampled?
=================

The paper perturbs each row once, at random, and notes this randomness as a limitation. The exact
risk avoids the randomness: a row has only a few possible perturbations, and the exact risk
averages over all of them with their probabilities.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from dr_core import assess_risk, datasets, enumerate_perturbations, learn_attributes

ricci = datasets.load("ricci")
X = ricci.data[["Position", "Race", "Written"]]
forest = make_pipeline(
    OneHotEncoder(handle_unknown="ignore"), RandomForestClassifier(20, random_state=0)
).fit(X, ricci.target)

# %%
# A white firefighter becomes black or Hispanic, each with probability ½. Black and Hispanic
# firefighters become white. The first two rows are white firefighters, so each of them has two
# perturbations.

every = enumerate_perturbations(
    X.head(2), learn_attributes(X.head(2), ricci.privileged, domain={"Race": ["W", "B", "H"]})
)
every.data.assign(of_row=every.rows, probability=every.probability)

# %%
# The plot shows audits of the same model on the same 118 rows: 100 with one random draw for each
# row, and 100 with ten draws for each row. The sampled risks scatter around the exact risk.

exact = assess_risk(forest, X, ricci.privileged).value
sampled = {
    n: [
        assess_risk(
            forest, X, ricci.privileged, method="sample", n_samples=n, random_state=seed
        ).value
        for seed in range(100)
    ]
    for n in (1, 10)
}

figure, ax = plt.subplots(figsize=(6, 3))
bins = np.arange(min(sampled[1]) - 0.002, max(sampled[1]) + 0.006, 0.004)
for (n, values), colour in zip(sampled.items(), ["#E69F00", "#56B4E9"], strict=True):
    ax.hist(values, bins, alpha=0.75, color=colour, label=f"sampled, {n} draw{'s' * (n > 1)}")
ax.axvline(exact, color="#222222", lw=2, label="exact")
ax.xaxis.set_major_formatter("{x:.0%}")
ax.set(xlabel="discriminative risk", ylabel="audits, of 100")
ax.legend()
plt.show()

# %%
# The exact risk has no noise from the draws. But it is still an estimate for the population. With
# only 118 firefighters, its confidence interval is wide.

assess_risk(forest, X, ricci.privileged)
