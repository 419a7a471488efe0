"""Attribute disclosure: original values near the published ones, or guessed from them."""
