"""Frequency tables that are published beside a file, with noise by cell keys."""
