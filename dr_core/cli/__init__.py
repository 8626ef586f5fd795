"""The `dr-audit` command: data, model, and output."""

from dr_core.cli._main import main
from dr_core.cli._models import default_model

__all__ = ["default_model", "main"]
