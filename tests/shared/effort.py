"""How many random cases a law is tried on: some in every run, many when asked for.

pytest -m hypothesis --hypothesis-profile=thorough
"""

from hypothesis import settings


def choose(some: int, many: int) -> int:
    """Return `some`, or `many` with the profile *thorough* of Hypothesis."""
    return many if settings.default is settings.get_profile("thorough") else some


def effort(some: int, many: int) -> settings:
    """Return settings with that many examples."""
    return settings(max_examples=choose(some, many))
