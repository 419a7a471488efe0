"""Clusters of similar records, by their medians and modes."""
