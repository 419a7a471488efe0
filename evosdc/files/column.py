"""One attribute as it stands in a file or a DataFrame, before a schema gives its values a meaning."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evosdc.table.numerals import NumberTexts

Index = NDArray[np.int32]
NO_TEXT = -1  # index of a record that has no text at all, as only DataFrames and files that know types have it
FEWEST_HELD = 200  # fewest distinct numbers held as `NumberTexts`; of fewer the texts are soon made
_LOOKED_AT = 1 << 12  # cells looked at to see whether nearly each has a text of its own


class Column:
    """The distinct texts of an attribute and which of them each record has."""

    # index (n,)

    def __init__(self, name: str, texts: Sequence[str], index: Index | None = None, mark: str = ".") -> None:
        self.name, self.texts, self.mark, self._index = name, texts, mark, index
        self.held = texts if isinstance(texts, NumberTexts) else None  # the texts, where they are held as numbers
        # the same, where they are the cells of the records, not yet made distinct
        self.cells = self.held if index is None else None

    def __len__(self) -> int:
        return len(self.cells.cells) if self.cells is not None else len(self.index)

    @property
    def index(self) -> Index:
        """Position of each record's text in `texts`, or ``NO_TEXT``, shape (n,)."""
        if self._index is None:
            assert self.cells is not None
            return self.cells.coded[1]
        return self._index

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many records have each text, shape (len(texts),)."""
        counts = np.bincount(self.index + 1, minlength=len(self.texts) + 1)[1:].astype(np.int64)
        counts.flags.writeable = False
        return counts

    def standing(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        """Return which records have one of some texts, shape (n,)."""
        if self.cells is not None:
            return self.cells.standing(texts)
        found = np.zeros(len(self.texts) + 1, dtype=np.bool_)
        found[self.places_of(texts)] = True
        return found[self.index]

    def present(self, missing: Sequence[str]) -> Sequence[str]:
        """Return the texts that occur and do not represent a missing value."""
        if self.cells is not None:
            absent = self.cells.standing(missing)
            return self.cells.of_cells(np.flatnonzero(~absent)) if absent.any() else self.cells
        occurs = self.counts > 0
        if self.held is not None:
            occurs[self.held.places_of(missing)] = False
            return self.held if occurs.all() else self.held.of_cells(np.flatnonzero(occurs))
        return tuple(text for text, here in zip(self.texts, occurs, strict=True) if here and text not in missing)

    def count(self, text: str) -> int:
        """Return how many records have a text."""
        return int(self.standing((text,)).sum())

    def places_of(self, texts: Sequence[str]) -> NDArray[np.intp]:
        """Return the places of those of some texts that the column has."""
        if self.held is not None:
            return self.held.places_of(texts)
        return np.flatnonzero([text in texts for text in self.texts])

    def occurring(self, texts: Sequence[str]) -> list[str]:
        """Return those of some texts that the column has, in the order in which they first occur."""
        if self.held is not None:
            here = [text for text in texts if text in self.held]
            return sorted(here, key=self.held.index) if len(here) > 1 else here
        return [self.texts[place] for place in np.sort(self.places_of(texts)).tolist()]

    @property
    def lacking(self) -> bool:
        """Whether some record has no text at all."""
        return self.cells is None and bool((self.index == NO_TEXT).any())

    def numbers_to(self, missing: Sequence[str], decimals: int | None) -> NDArray[np.float64]:
        """Return the number that each text writes, to `decimals` decimals; NaN where it is missing or writes none."""
        held = self.held if self.held is not None else NumberTexts(pa.array(self.texts, pa.string()), self.mark)
        values = (held.values if decimals is None else held.numbers_to(decimals)).copy()
        values[self.places_of(missing)] = np.nan
        return values

    def record_numbers(self, missing: Sequence[str], decimals: int | None) -> NDArray[np.float64]:
        """Return the number of each record, shape (n,), as `numbers_to`; not to be changed."""
        if self.cells is not None:
            values = self.cells.occurring if decimals is None else self.cells.numbers_to(decimals, of_cells=True)
            absent = self.cells.standing(missing)
            return np.where(absent, np.nan, values) if absent.any() else values
        numbers: NDArray[np.float64] = np.append(self.numbers_to(missing, decimals), np.nan)[self.index]
        return numbers

    def recorded(self, missing: Sequence[str]) -> int:
        """Return how many records have a text that does not represent a missing value."""
        gone = self.standing(missing)
        return len(self) - int((gone if self.cells is not None else gone | (self.index == NO_TEXT)).sum())

    def called(self, name: str) -> "Column":
        """Return the column by another name."""
        return Column(name, self.texts, self._index, self.mark)

    def of_records(self, rows: NDArray[np.intp]) -> "Column":
        """Return the column of some records."""
        if self.cells is not None:
            return Column(self.name, self.cells.of_cells(rows), None, self.mark)
        return Column(self.name, self.texts, self.index[rows], self.mark)

    def arrow(self) -> Any:
        """Return the text of each record as an Arrow array, null where it has none, shape (n,)."""
        if self.cells is not None:
            return self.cells.cells
        places = pa.array(self.index, mask=self.index == NO_TEXT) if self.lacking else pa.array(self.index)
        return self.array.take(places)

    @property
    def array(self) -> Any:
        """The texts as an Arrow array."""
        return self.held.array if self.held is not None else pa.array(self.texts, pa.string())


def column_of(name: str, cells: Any, mark: str = ".") -> Column:
    """Return the column of an Arrow array of texts without nulls."""
    head = cells.slice(0, _LOOKED_AT)
    own = len(head.unique())
    if own >= FEWEST_HELD and 2 * own > len(head) and _mostly_numbers(head, mark):
        return Column(name, NumberTexts(cells, mark), None, mark)
    encoded = cells.dictionary_encode()
    index = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int32, copy=False)
    if len(encoded.dictionary) >= FEWEST_HELD and _mostly_numbers(encoded.dictionary, mark):
        return Column(name, NumberTexts(encoded.dictionary, mark), index, mark)
    return Column(name, tuple(encoded.dictionary.to_pylist()), index, mark)


def _mostly_numbers(texts: Any, mark: str) -> bool:
    return 2 * int(np.isnan(NumberTexts(texts, mark).occurring).sum()) <= len(texts)


def distinct(values: Iterable[str], size: int) -> tuple[tuple[str, ...], Index]:
    """Return the distinct values in the order of first appearance and each value's position among them."""
    seen: dict[str, int] = {}
    index = np.fromiter((seen.setdefault(value, len(seen)) for value in values), dtype=np.int32, count=size)
    return tuple(seen), index


def renamed(column: Column, texts: Sequence[str]) -> Column:
    """Return a column whose texts are replaced one by one; those that become equal are merged."""
    merged, position = distinct(texts, len(texts))
    index = np.append(position, np.int32(NO_TEXT))[column.index]
    return Column(column.name, merged, index.astype(np.int32), column.mark)


def named(titles: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """Return names of columns, by their position where a file leaves them unnamed, and a sentence on those."""
    names = tuple(title or f"column {position}" for position, title in enumerate(titles, start=1))
    made = [name for name, title in zip(names, titles, strict=True) if not title]
    if len(made) < 2:
        return names, [f"A column has no name in the header: called {one} here." for one in made]
    called = f"{', '.join(made[:-1])} and {made[-1]}"
    return names, [f"{len(made)} columns have no name in the header: called {called} here."]
