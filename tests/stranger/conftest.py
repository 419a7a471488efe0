"""Keeps the stranger's tests out of evosdc's own: they run where the distribution is installed (test_stranger.py)."""

collect_ignore = ["tests"]
