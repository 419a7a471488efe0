"""Tuning: every masking method at the parameters that are best for a fitness, within a budget."""
