"""Solar Flare, the second part ``flare.data2``: 1066 active regions.

Quasi-identifiers are those that the thesis protects: class, largest spot size and spot distribution. Class ``A`` never
occurs, and largest-spot-area is constant. The class scale A..F ends with the remnant ``H``, so it is nominal.
"""

from collections.abc import Mapping
from pathlib import Path

from evosdc.datasets.loading import lines_of, nominal, numeric, ordinal, source_from_lines
from evosdc.files.source import Source
from evosdc.table.schema import Role

_PROTECTED = Role.QUASI_IDENTIFIER

ATTRIBUTES = (
    nominal("class", "A B C D E F H", _PROTECTED),
    nominal("largspot", "X R S A H K", _PROTECTED),
    ordinal("spotdist", "X O I C", _PROTECTED),
    ordinal("activity", "1 2"),
    ordinal("evolution", "1 2 3"),
    ordinal("previous-activity", "1 2 3"),
    nominal("historically-complex", "1 2"),
    nominal("became-complex", "1 2"),
    ordinal("area", "1 2"),
    ordinal("largest-spot-area", "1 2"),
    numeric("c-class"),
    numeric("m-class"),
    numeric("x-class"),
)


def load(paths: Mapping[str, Path]) -> Source:
    """Return the data set from ``flare.data2``, whose first line is a title."""
    return source_from_lines("solar-flare", ATTRIBUTES, lines_of(paths["flare.data2"], None, skip=1))
