"""Ways to lower discriminative risk side by side: pruning, marginalising, leaving columns out.

`python -m benchmarks.mitigations` runs all of them on rows that nobody has seen.
"""
