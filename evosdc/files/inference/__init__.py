"""Inference of a file's schema: scales, roles, orders, and the explanation for the user."""
