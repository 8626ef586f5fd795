"""Discriminative risk where models already live: MLflow, model cards and pytest.

- `_mlflow`: an evaluator for `mlflow.models.evaluate`
- `_cards`: a section of a model card
- `_pytest`: the fixture and the marker `dr_audit`

MLflow and pytest find this package by its entry points. Importing it loads neither these libraries
nor `dr_core`.
"""

from dr_integrations._cards import add_to_card
from dr_integrations._mlflow import RiskEvaluator

__all__ = ["RiskEvaluator", "add_to_card"]
