"""Recoding: categories merged, the same way for all records."""
