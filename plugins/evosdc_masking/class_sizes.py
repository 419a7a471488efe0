"""Useful sizes of the classes that are published as one record."""

from evosdc.model import Range

OF_RECORDS, OF_VALUES = 4, 2
"""Of a file in so many classes hardly anything is left: of all attributes together, and of one alone."""

QUADRATIC = 20_000
"""Records up to which methods that compare all pairs are tuned: with more, each trial would take minutes."""


def class_sizes(n: int, parts: int = OF_RECORDS) -> tuple[Range, ...]:
    """Return the range of k for a file of n records, from 2 to a part of it; empty where there is none."""
    return (Range("k", 2, max(2, n // parts), "log", whole=True),) if n >= 2 else ()
