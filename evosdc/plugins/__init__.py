"""Plugins: how they are found and what each of them offers."""
