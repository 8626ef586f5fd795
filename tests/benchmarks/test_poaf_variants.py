import pandas as pd
import pytest

from benchmarks.paper import poaf_variants
from benchmarks.paper.poaf_variants import VARIANTS, compare_variants


@pytest.fixture
def compared(monkeypatch):
    """One data set; risks of the variants are 0.1, 0.3, 0.3 and 0.5 beside 0.2 and 0.4."""
    same = {"ensemble": "bagging", "protocol": "paper", "dataset": "ppr", "seed": 0}
    risks = dict(zip(VARIANTS, [0.1, 0.3, 0.3, 0.5], strict=True))
    same |= dict.fromkeys(["recall", "F1", "objective", "tied", "size"], 0.5)
    variants = [{**same, "method": m, "DR": r, "accuracy": 0.7} for m, r in risks.items()]
    others = {"Ensem": 0.2, "KL": 0.4, "POAF": 0.0}
    found = [{**same, "method": m, "DR": r, "accuracy": 0.72} for m, r in others.items()]
    monkeypatch.setattr(poaf_variants, "replace", lambda settings, **changes: settings)
    monkeypatch.setattr(poaf_variants, "run", lambda *arguments: pd.DataFrame(variants))
    return compare_variants(pd.DataFrame(found), [], None)


def test_each_variant_is_ranked_in_poafs_place_and_not_among_variants(compared):
    assert compared["average rank on DR"].tolist() == [1, 2, 2, 3]


def test_accuracy_is_compared_with_the_full_ensemble(compared):
    assert compared["accuracy change"].tolist() == pytest.approx([-2] * 4)
