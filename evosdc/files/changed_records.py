"""What a masked table changes in a column of which nearly every record has a number of its own.

Its texts are not told apart: a new number takes that of the first record which has it, where it stands in the file.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from evosdc.files.cell_texts import Cells
from evosdc.files.changed_numbers import NewNumbers, Reals, found_places
from evosdc.files.changes import Change, stored_form
from evosdc.files.column import Index
from evosdc.files.equal_numbers import FirstPlaces
from evosdc.files.record_column import RecordColumn
from evosdc.files.record_texts import FEW

_BLOCK = 1 << 16


class TextsInPlace(NewNumbers):
    """New texts: that of each record of a file, and others behind them.

    Parameters
    ----------
    cells : Cells
        Of the records.
    others : tuple of str or None
    """

    def __init__(self, cells: Cells, others: tuple[str | None, ...]) -> None:
        self.cells, self.others = cells, others

    def __len__(self) -> int:
        return len(self.cells.firsts) + len(self.others)

    def text(self, place: int) -> str | None:
        """Return one of them."""
        records = len(self.cells.firsts)
        return self.cells.text(place) if place < records else self.others[place - records]

    def __iter__(self) -> Iterator[str | None]:
        return iter((*self.cells.texts(), *self.others))

    def __contains__(self, text: object) -> bool:
        return text in self.others or (text is not None and text in self.cells.texts())


def change_in_place(
    column: RecordColumn, missing: Sequence[str], new: Reals, decimals: int, several: bool
) -> Change | None:
    """Return the change of a column; None where its texts have to be told, since they write others than it holds.

    Parameters
    ----------
    column : RecordColumn
    missing : sequence of str
        Texts that stand for a missing value.
    new : ndarray of float, shape (n,)
        What is published; NaN for a missing value.
    decimals : int
        To which numbers are read, and written where the column does not have them.
    several : bool
        Whether missing values are written in several ways.
    """
    records = column.texts.records
    rounded = np.flatnonzero(_unequal(records.to_decimals(decimals), records.values))
    if len(rounded) > FEW:
        return None
    read = column.record_numbers(missing, decimals)
    first, cells = FirstPlaces(read), records.read.cells
    # By chance some of a million numbers in double precision look like ones in single precision.
    stored = rounded[first.of(read[rounded]) == rounded].tolist()
    form = stored_form({float(read[place]): cells.text(place) for place in stored}, column.mark)
    none, absent = np.isnan(read), np.isnan(new)
    changed = _unequal(read, new) | (none & ~column.standing(missing))
    places, others = found_places(new, first, column.mark, form, decimals)
    reworded = absent & several
    # A number that is not changed is one that the column has.
    moved = np.flatnonzero(~changed & ~absent & (places != np.arange(len(places), dtype=np.int32)))
    for at in range(0, len(moved), _BLOCK):
        some = moved[at : at + _BLOCK]
        reworded[some] = _differing(cells, some, places[some])
    other = places < 0
    places[other] = len(places) - 1 - places[other]
    return Change(changed, TextsInPlace(cells, others), places, reworded & ~changed)


def _unequal(one: Reals, other: Reals) -> NDArray[np.bool_]:
    """Return where numbers differ; two missing ones do not."""
    if one is other:
        return np.zeros(len(one), dtype=np.bool_)
    equal: NDArray[np.bool_] = (one == other) | (np.isnan(one) & np.isnan(other))
    return ~equal


def _differing(cells: Cells, one: NDArray[np.intp], other: Index) -> NDArray[np.bool_]:
    """Return which of some pairs of cells have different texts."""
    sizes = cells.sizes[one]
    found: NDArray[np.bool_] = sizes != cells.sizes[other]
    signs = np.frombuffer(cells.content, dtype=np.uint8)
    begins = [cells.firsts[which].astype(np.int64) for which in (one, other)]
    alike = np.flatnonzero(~found)
    for place in range(int(sizes.max(initial=0))):
        alike = alike[sizes[alike] > place]
        first, second = (signs[begin[alike] + place] for begin in begins)
        found[alike] |= first != second
    return found
