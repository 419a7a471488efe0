"""Microaggregation: classes of similar records share their average."""
