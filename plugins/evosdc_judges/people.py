"""The original side of a judge about respondents: their classes, and which of them are asked about."""

from dataclasses import dataclass

import numpy as np

from evosdc.errors import Fault, ParameterError
from evosdc.table.table import Table
from evosdc_judges.classes import Classes, Codes, by_appearance, classes_of
from evosdc_judges.draws import Draw, Positions, drawn, halves, sampled

FEWEST = 8
"""Records below which a half teaches nothing."""


@dataclass(frozen=True)
class People:
    """The respondents of an original file.

    Parameters
    ----------
    names : tuple of str
        Attributes, in the order of the columns.
    classes : Classes
    codes : ndarray of int32, shape (n, V)
        Of the original.
    seed : int
    """

    names: tuple[str, ...]
    classes: Classes
    codes: Codes
    seed: int

    def __len__(self) -> int:
        return len(self.codes)

    def published(self, masked: Table) -> Codes:
        """Return the classes of a masked file, each named by its first appearance, shape (n, V)."""
        if len(masked) != len(self):
            raise ValueError(f"a masked table of {len(masked)} records, an original of {len(self)}")
        return by_appearance(self.classes.of(masked))

    def halves(self, repeat: int = 0) -> tuple[Positions, Positions]:
        """Return the positions of two halves of the respondents."""
        return halves(len(self), self.seed, repeat)

    def sampled(self, positions: Positions, most: int, *address: int) -> Positions:
        """Return some of these respondents."""
        return sampled(positions, most, drawn(self.seed, Draw.SAMPLE, *address))


def people_of(original: Table, bins: int, seed: int, where: str, attributes: int = 1) -> People:
    """Return the respondents of an original file.

    Raises
    ------
    ParameterError
        There are too few records for halves, or fewer than so many attributes.
    """
    if len(original) < FEWEST:
        given = f"{len(original)} records"
        raise ParameterError(Fault(where, given, f"at least {FEWEST}", "Half of the people have to teach something."))
    if len(original.schema) < attributes:
        raise ParameterError(Fault(where, f"{len(original.schema)} attribute", f"at least {attributes} attributes"))
    classes = classes_of(original, bins)
    return People(original.schema.names, classes, np.ascontiguousarray(classes.of(original)), seed)
