"""Conversion between the data of fairlearn and of AIF360 users; nothing is here yet."""
