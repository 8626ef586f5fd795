"""The `dr-audit` command: what to audit, with which model, and how the answer is printed."""

from dr_core.cli._main import main
from dr_core.cli._models import default_model

__all__ = ["default_model", "main"]
