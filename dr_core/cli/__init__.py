"""The `dr-audit` command: what to audit, with which model, and how the answer is printed."""

from dr_core.cli.main import main

__all__ = ["main"]
