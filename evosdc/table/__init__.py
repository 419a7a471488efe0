"""Microdata in memory: schema, table of integer codes, hierarchies, and distances between categories."""
