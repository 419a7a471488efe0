"""One attribute as it stands in a file or a DataFrame, before a schema gives its values a meaning."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.int32]

NO_TEXT = -1
"""Index of a record that has no text at all, as only DataFrames and Parquet files know it."""


@dataclass(frozen=True, eq=False)
class Column:
    """The distinct texts of an attribute and which of them each record has.

    Parameters
    ----------
    name : str
    texts : tuple of str
        Distinct, in the order of first appearance.
    index : ndarray of int32, shape (n,)
        Position in `texts`, or ``NO_TEXT``.
    mark : {".", ","}
        The decimal mark of the file.
    """

    name: str
    texts: tuple[str, ...]
    index: Index
    mark: str = "."

    def __len__(self) -> int:
        return len(self.index)

    def counts(self) -> NDArray[np.int64]:
        """Return how many records have each text, shape (len(texts),)."""
        return np.bincount(self.index[self.index != NO_TEXT], minlength=len(self.texts)).astype(np.int64)

    def present(self, missing: Sequence[str]) -> tuple[str, ...]:
        """Return the texts that occur and do not stand for a missing value."""
        occurs = self.counts() > 0
        return tuple(text for text, here in zip(self.texts, occurs, strict=True) if here and text not in missing)

    def count(self, text: str) -> int:
        """Return how many records have a text."""
        return int((self.index == self.texts.index(text)).sum()) if text in self.texts else 0


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
