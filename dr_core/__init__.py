"""Discriminative risk: how often a prediction changes when only sensitive attributes do."""
