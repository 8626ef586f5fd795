"""Models × attributes × measures, side by side."""

from dr_core.comparison._compare import Comparison, compare
from dr_core.comparison._ensemble_audit import EnsembleAudit
from dr_core.comparison._individuals import Individuals
from dr_core.comparison._judging import COUPLED, DR, IMPLAUSIBLE

__all__ = ["COUPLED", "DR", "IMPLAUSIBLE", "Comparison", "EnsembleAudit", "Individuals", "compare"]
