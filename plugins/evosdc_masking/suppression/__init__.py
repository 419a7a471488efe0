"""Suppression of values."""
