"""Microdata: schema, table of integer codes, hierarchies, distances between categories, readers and writers, data sets."""
