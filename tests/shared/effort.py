"""How many random examples a law is tried on: some in every run, many when asked for.

pytest -m hypothesis --hypothesis-profile=thorough
"""

from hypothesis import settings


def effort(some: int, many: int) -> settings:
    """Return settings with `some` examples, or `many` with the profile *thorough*."""
    thorough = settings.default is settings.get_profile("thorough")
    return settings(max_examples=many if thorough else some)
