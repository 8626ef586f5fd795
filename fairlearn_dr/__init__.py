"""Discriminative risk for fairlearn users.

So far this package computes the established measures with fairlearn, for
`dr_core.compare(..., provider="fairlearn")`.
"""

try:
    import fairlearn.metrics  # noqa: F401
except ImportError as error:
    raise ImportError(
        "fairlearn_dr needs fairlearn: pip install 'discriminative-risk[fairlearn]'"
    ) from error
