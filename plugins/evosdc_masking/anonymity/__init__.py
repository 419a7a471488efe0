"""Partitions for k-anonymity: cuts and clusterings of at least k records."""
