"""One attribute as it stands in a file or a DataFrame, before a schema gives its values a meaning."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evosdc.table.number_texts import NumberTexts
from evosdc.table.numerals import number, number_to

Index = NDArray[np.int32]

NO_TEXT = -1
"""Index of a record that has no text at all, as only DataFrames and Parquet files know it."""

FEWEST_HELD = 200
"""So many distinct numbers are held as `NumberTexts`; of fewer the texts are soon made."""


@dataclass(frozen=True, eq=False)
class Column:
    """The distinct texts of an attribute and which of them each record has.

    Parameters
    ----------
    name : str
    texts : sequence of str
        Distinct, in the order of first appearance: a tuple, or `NumberTexts` where they are many numbers.
    index : ndarray of int32, shape (n,)
        Position in `texts`, or ``NO_TEXT``.
    mark : {".", ","}
        The decimal mark.
    thousands : str
        The signs that grouped digits in the file, as ``1.234,5`` has it; the texts are without them.
    """

    name: str
    texts: Sequence[str]
    index: Index
    mark: str = "."
    thousands: str = ""

    def __len__(self) -> int:
        return len(self.index)

    def counts(self) -> NDArray[np.int64]:
        """Return how many records have each text, shape (len(texts),)."""
        return self._counts

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        counts = np.bincount(self.index + 1, minlength=len(self.texts) + 1)[1:].astype(np.int64)
        counts.flags.writeable = False
        return counts

    @property
    def held(self) -> NumberTexts | None:
        """The texts, where they are held as numbers."""
        return self.texts if isinstance(self.texts, NumberTexts) else None

    def present(self, missing: Sequence[str]) -> Sequence[str]:
        """Return the texts that occur and do not stand for a missing value."""
        occurs = self.counts() > 0
        if self.held is not None:
            occurs[self.held.places_of(missing)] = False
            return self.held if occurs.all() else self.held.take(np.flatnonzero(occurs))
        return tuple(text for text, here in zip(self.texts, occurs, strict=True) if here and text not in missing)

    def count(self, text: str) -> int:
        """Return how many records have a text."""
        place = self.held.place_of(text) if self.held is not None else None
        if self.held is None and text in self.texts:
            place = self.texts.index(text)
        return 0 if place is None else int((self.index == place).sum())

    def places_of(self, texts: Sequence[str]) -> NDArray[np.intp]:
        """Return the places of those of some texts that the column has."""
        if self.held is not None:
            return self.held.places_of(texts)
        return np.flatnonzero([text in texts for text in self.texts])

    def occurring(self, texts: Sequence[str]) -> list[str]:
        """Return those of some texts that the column has, in the order in which they first stand there."""
        return [self.texts[place] for place in np.sort(self.places_of(texts)).tolist()]

    @property
    def lacking(self) -> bool:
        """Whether some record has no text at all."""
        return bool((self.index == NO_TEXT).any())

    def having(self, holds: Callable[[str], bool]) -> NDArray[np.bool_]:
        """Return which records have a text that is so, shape (n,); of many numbers only what is none is asked."""
        if self.held is None:
            found = np.array([*map(holds, self.texts), False], dtype=np.bool_)
        else:
            found = np.zeros(len(self.held) + 1, dtype=np.bool_)
            if self.held.words:
                found[np.flatnonzero(~self.held.is_number)] = [*map(holds, self.held.words)]
        return found[self.index]

    def numbers_to(self, missing: Sequence[str], decimals: int | None) -> NDArray[np.float64]:
        """Return the number that each text writes to so many decimals; NaN where it is missing or writes none.

        Parameters
        ----------
        missing : sequence of str
            Texts that stand for a missing value.
        decimals : int, optional
            As of `evosdc.table.numerals.number_to`; where there are none numbers are read as they stand.
        """
        if self.held is None:
            read = [None if text in missing else self._number(text, decimals) for text in self.texts]
            return np.array(read, dtype=np.float64)
        values = (self.held.values if decimals is None else self.held.numbers_to(decimals)).copy()
        values[self.held.places_of(missing)] = np.nan
        return values

    def record_numbers(self, missing: Sequence[str], decimals: int | None) -> NDArray[np.float64]:
        """Return the number of each record, shape (n,), as `numbers_to`; not to be changed."""
        numbers: NDArray[np.float64] = np.append(self.numbers_to(missing, decimals), np.nan)[self.index]
        return numbers

    def recorded(self, missing: Sequence[str]) -> int:
        """Return how many records have a text that does not stand for a missing value."""
        return int(self.counts().sum() - self.counts()[self.places_of(missing)].sum())

    def called(self, name: str) -> "Column":
        """Return the column by another name."""
        return replace(self, name=name)

    def told(self) -> "Column":
        """Return the column with its texts told apart."""
        return self

    def of_records(self, rows: NDArray[np.intp]) -> "Column":
        """Return the column of some records, its texts told apart."""
        return replace(self.told(), index=self.told().index[rows])

    def _number(self, text: str, decimals: int | None) -> float | None:
        return number(text, self.mark) if decimals is None else number_to(text, decimals, self.mark)


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


def name_of_position(position: int) -> str:
    """Return what a column is called that its file leaves unnamed; positions count from 1."""
    return f"column {position}"


def unnamed_sentences(names: Sequence[str]) -> list[str]:
    """Return what is said of columns that a file leaves unnamed; usually nothing."""
    if not names:
        return []
    one = len(names) == 1
    called = f"{', '.join(names[:-1])} and {names[-1]}" if not one else names[0]
    return [f"{'A column has' if one else f'{len(names)} columns have'} no name in the header: called {called} here."]
