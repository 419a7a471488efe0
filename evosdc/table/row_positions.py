"""Masked attributes that the order of the rows discloses: a register in the same order identifies each record."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from evosdc.printing import printable
from evosdc.secret import Purpose, Seed, stream
from evosdc.table.alignment import recoding
from evosdc.table.equivalence import placed_values
from evosdc.table.schema import Role, Scale
from evosdc.table.table import Numbers, Rows, Table

TELLING = 0.5  # association of position and value from which the order discloses an attribute; 0..1
CERTAIN = 4.0  # standard errors by which that must lie above what rows in random order give


def disclosed_by_order(table: Table, protect: Sequence[str]) -> tuple[str, ...]:
    """Return the masked attributes that the order of the rows discloses, in the order of `protect`."""
    return _disclosed_by_order(table, tuple(protect))


@lru_cache(maxsize=4)
def _disclosed_by_order(table: Table, protect: tuple[str, ...]) -> tuple[str, ...]:
    # One of these is above `TELLING` and by `CERTAIN` standard errors above chance: the rank correlation of position
    # and value; that of neighbouring rows; the share of missing changes between neighbours (runs of Wald and Wolfowitz,
    # moments by Mood). Of each household the first record counts.
    rows = np.arange(len(table))
    for household in table.schema.with_role(Role.HOUSEHOLD):
        rows = np.intersect1d(rows, np.unique(table.column(household), return_index=True)[1])
    found = []
    for name in protect:
        attribute, column = table.schema[name], table.column(name)[rows]
        ordered = attribute.scale is not Scale.NOMINAL
        known = column[column >= 0] if attribute.categorical else column[~np.isnan(column)]
        if _stands_in_blocks(column) or (ordered and _sorted(known)):
            found.append(name)
    return tuple(found)


def random_order(records: int, seed: Seed, file: int) -> Rows:
    """Return the positions of records in the order in which they are published."""
    # Drawn from the key: an order drawn from the values could be undone. Each file has its own.
    return stream(seed, Purpose.SHUFFLE, 1, file).permutation(records).astype(np.intp)


def moved_sentences(original: Table, masked: Table) -> list[str]:
    """Return a sentence on each withheld column that differs record by record: the order is another."""
    found = []
    for name in original.schema.withheld:
        if name not in masked.schema or len(original) != len(masked):
            continue
        one, other = original.schema[name], masked.schema[name]
        if not (one.categorical and other.categorical) or len(np.unique(original.column(name))) < len(original):
            continue
        differ = int((recoding(other, one)[masked.column(name)] != original.column(name)).sum())
        if differ:
            found.append(
                f"The column {printable(name)}, which nothing masks, is another in {differ} of {len(original)} "
                "records: they stand in another order than in the original, or were changed. Records are compared one "
                "by one, so that the figures are wrong where the order is another."
            )
    return found


def position_sentences(names: Sequence[str]) -> list[str]:
    """Return a sentence on masked attributes that the order of the rows discloses; none where there are none."""
    if not names:
        return []
    listed = [printable(name) for name in names]
    which = listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}"
    return [
        f"The order of the rows tells {which}, which {'is' if len(listed) == 1 else 'are'} masked: records stand "
        "sorted, or beside others with the same value, as members of a household do. A register in this "
        "order identifies each record by its row number. Publish them in another order: --shuffle, or shuffle = true "
        "below data of an experiment."
    ]


def _sorted(values: NDArray[np.generic]) -> bool:
    """Return whether values rise or fall with their position, or those of neighbours are alike."""
    if len(values) < 3:
        return False
    _, places, counts = placed_values(values)
    ranks = np.asarray((np.cumsum(counts) - (counts + 1) / 2.0)[places], dtype=np.float64)  # equal ones in the middle
    return any(
        association > TELLING and association * np.sqrt(len(values) - 1) > CERTAIN
        for association in (
            abs(_correlation(ranks, np.arange(len(ranks), dtype=np.float64))),
            _correlation(ranks[1:], ranks[:-1]),
        )
    )


def _stands_in_blocks(values: NDArray[np.generic]) -> bool:
    """Return whether neighbours differ much more rarely than in random order."""
    n = len(values)
    _, places, counts = placed_values(values)
    if n < 3 or len(counts) < 2 or len(counts) == n:
        return False
    sizes = counts.astype(np.float64)
    squares, cubes = float((sizes**2).sum()), float((sizes**3).sum())
    expected = n - squares / n
    variance = (squares * (squares + n * (n + 1)) - 2.0 * n * cubes - float(n) ** 3) / (float(n) ** 2 * (n - 1))
    changes = int(np.count_nonzero(np.diff(places)))
    return changes < (1.0 - TELLING) * expected and expected - changes > CERTAIN * np.sqrt(max(variance, 0.0))


def _correlation(first: Numbers, second: Numbers) -> float:
    """Return the correlation of two columns; 0 where one is constant."""
    return float(np.corrcoef(first, second)[0, 1]) if np.ptp(first) and np.ptp(second) else 0.0
