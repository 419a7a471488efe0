"""Equations that fill transition matrices: symbols, postorder vectors, notations, evaluation, files."""
