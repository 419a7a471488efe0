"""Poker Hand, the training part: 25010 hands of five cards.

Suits are nominal by nature, though the publisher's description calls them ordinal. The cards are the quasi-identifiers,
the hand is sensitive.
"""

from collections.abc import Mapping
from pathlib import Path

from evosdc.datasets.loading import lines_of, nominal, ordinal, source_from_lines
from evosdc.files.source import Source
from evosdc.table.schema import Role

_PROTECTED = Role.QUASI_IDENTIFIER

ATTRIBUTES = (
    *(
        attribute
        for card in range(1, 6)
        for attribute in (
            nominal(f"s{card}", "1 2 3 4", _PROTECTED),
            ordinal(f"c{card}", "1 2 3 4 5 6 7 8 9 10 11 12 13", _PROTECTED),
        )
    ),
    ordinal("class", "0 1 2 3 4 5 6 7 8 9", Role.SENSITIVE),
)


def load(paths: Mapping[str, Path]) -> Source:
    """Return the data set from ``poker-hand-training-true.data``."""
    return source_from_lines("poker-hand", ATTRIBUTES, lines_of(paths["poker-hand-training-true.data"], ","))
