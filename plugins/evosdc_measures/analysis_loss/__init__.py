"""Losses of given analyses: clusterings, classifiers, regressions."""
