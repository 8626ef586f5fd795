"""Do the numbers of this library hold what they say? Simulations with a known truth."""
