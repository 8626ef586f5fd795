"""Discriminative risk for AIF360 users.

So far this package computes the established measures with AIF360, for
`dr_core.compare(..., provider="aif360")`.
"""

try:
    import aif360.metrics  # noqa: F401
except ImportError as error:
    raise ImportError(
        "aif360_dr needs AIF360: pip install 'discriminative-risk[aif360]'"
    ) from error
