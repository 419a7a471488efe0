"""Disclosure risks by record linkage."""
