"""What genomes that need not be made have to tell of themselves."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from evosdc.model import Genotype, RecordDecoded, Siblings


def assert_told(genotype: Genotype[Any], parent: Any, made: Sequence[Any], where: str) -> None:
    """Compare what siblings say that they change with what is found in their genomes; nothing else is looked at."""
    if not isinstance(made, Siblings):
        return
    assert isinstance(genotype, RecordDecoded), f"{where} gives Siblings of a genotype that decodes no records"
    for most in (len(genotype.microdata.original), 1, 0):
        told, found = made.changes(most), RecordDecoded.changes(genotype, parent, made, most)
        for name in ("children", "ends", "rows"):
            same = np.array_equal(getattr(told, name), getattr(found, name))
            assert same, f"{where}: changes({most}) gives other {name} than the genomes have"
        for name in ("before", "after"):
            one, other = getattr(told, name), getattr(found, name)
            same = np.array_equal(one.codes, other.codes) and np.array_equal(one.numbers, other.numbers, equal_nan=True)
            assert same, f"{where}: changes({most}) gives other records {name} than the genomes have"
