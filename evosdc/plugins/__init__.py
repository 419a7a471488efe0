"""Plugins: their discovery and offers."""
