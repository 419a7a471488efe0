"""What a masked table changes in a column of many numbers, found without a text for each of them."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from evosdc.files.column import Index
from evosdc.table.number_texts import GREATEST, NumberTexts
from evosdc.table.numerals import numeral
from evosdc.table.shortest_decimals import shortest_singles

if TYPE_CHECKING:
    from evosdc.files.equal_numbers import FirstPlaces

Reals = NDArray[np.float64]

FORMS = ("{:.15g}", "{!r}")
"""How numbers in single precision are written with more digits than it holds."""

_ALL_DECIMALS = 60


class NewNumbers(Sequence[str | None], ABC):
    """New texts of which each writes a number, or is None."""

    @abstractmethod
    def text(self, place: int) -> str | None:
        """Return one of them."""

    @overload
    def __getitem__(self, place: int) -> str | None: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[str | None, ...]: ...
    def __getitem__(self, place: int | slice) -> str | tuple[str | None, ...] | None:
        if isinstance(place, slice):
            return tuple(map(self.text, range(*place.indices(len(self)))))
        return self.text(range(len(self))[place])


class TextsOfChange(NewNumbers):
    """New texts: those that a column has, by their place in it, and others.

    Parameters
    ----------
    held : NumberTexts
        Of the column.
    places : ndarray of int32, shape (k,)
        Place among the held texts, or -1 - place among the others.
    others : tuple of str or None
    """

    def __init__(self, held: NumberTexts, places: Index, others: tuple[str | None, ...]) -> None:
        self.held, self.places, self.others = held, places, others

    def __len__(self) -> int:
        return len(self.places)

    def text(self, place: int) -> str | None:
        """Return one of them."""
        held = int(self.places[place])
        return self.held[held] if held >= 0 else self.others[-1 - held]

    def __iter__(self) -> Iterator[str | None]:
        texts = [*self.held.take(self.places[self.places >= 0].astype(np.intp))][::-1]
        return iter([texts.pop() if place >= 0 else self.others[-1 - place] for place in self.places.tolist()])

    def __contains__(self, text: object) -> bool:
        if text in self.others:
            return True
        place = self.held.place_of(text) if isinstance(text, str) else None
        return place is not None and place in self.places


def first_places(read: Reals) -> tuple[Reals, NDArray[np.intp]]:
    """Return the distinct numbers of a column in ascending order, and the place of the first text of each.

    Parameters
    ----------
    read : ndarray of float, shape (k,)
        The number of each text; NaN where it has none.
    """
    present = np.flatnonzero(~np.isnan(read))
    values, first = np.unique(read[present], return_index=True)
    return values, present[first]


def stored_texts(held: NumberTexts, read: Reals) -> dict[float, str]:
    """Return those first texts of numbers, by number, that write others than they are read as.

    Parameters
    ----------
    held : NumberTexts
    read : ndarray of float, shape (k,)
        The number of each text; NaN where it has none.
    """
    if not ((held.values != read) & ~np.isnan(read)).any():
        return {}
    values, first = first_places(read)
    other = held.values[first] != values
    return dict(zip(values[other].tolist(), held.take(first[other]), strict=True))


def in_single_precision(values: Reals) -> NDArray[np.bool_]:
    """Return where `evosdc.table.numerals.held_in_single_precision` holds, shape (n,); NaN where it does not."""
    result = np.zeros(len(values), dtype=np.bool_)
    small = np.flatnonzero(np.abs(values) <= GREATEST)
    shortest, _ = shortest_singles(values[small].astype(np.float32), _ALL_DECIMALS)
    result[small] = shortest == values[small]
    return result


class Chosen(NamedTuple):
    """The text of each of some numbers.

    Parameters
    ----------
    texts : TextsOfChange
    positions : ndarray of int32, shape (n,)
        Which of them each number has.
    places : ndarray of int32, shape (n,)
        Its place among the texts of the column; -1 where it is none of these.
    """

    texts: TextsOfChange
    positions: Index
    places: Index


def chosen_texts(new: Reals, held: NumberTexts, read: Reals, form: str, decimals: int) -> Chosen:
    """Return the text of each new number: the file's own if it has one, also for the rounded number.

    Parameters
    ----------
    new : ndarray of float, shape (n,)
        NaN for a missing value.
    held : NumberTexts
        Of the column.
    read : ndarray of float
        The number of each held text; NaN where it has none.
    form : str
        By which others are written that are single precision; empty where they are not.
    decimals : int
    """
    from evosdc.files.equal_numbers import FirstPlaces  # where columns are held kernels are loaded in any case

    places, others = found_places(new, FirstPlaces(read), held.mark, form, decimals)
    used = np.zeros(len(held), dtype=np.bool_)
    used[places[places >= 0]] = True
    kept = np.flatnonzero(used).astype(np.int32)
    known = np.maximum(places, -1)
    index = (np.cumsum(used, dtype=np.int32) - 1)[known]
    other = np.flatnonzero(places < 0)
    index[other] = len(kept) - 1 - places[other]
    texts = TextsOfChange(held, np.append(kept, -1 - np.arange(len(others), dtype=np.int32)), others)
    return Chosen(texts, index, known)


def found_places(
    new: Reals, first: "FirstPlaces", mark: str, form: str, decimals: int
) -> tuple[Index, tuple[str | None, ...]]:
    """Return the first place of each new number in a column, or -1 - place among others, and these others.

    Parameters
    ----------
    new : ndarray of float, shape (n,)
        NaN for a missing value.
    first : FirstPlaces
        Of the column.
    mark, form, decimals
        As of `chosen_texts`.
    """
    places = first.of(new)
    unknown = np.flatnonzero(places < 0)
    others, places[unknown] = _other_texts(new[unknown], mark, first, form, decimals)
    return places, others


def _other_texts(
    new: Reals, mark: str, first: "FirstPlaces", form: str, decimals: int
) -> tuple[tuple[str | None, ...], Index]:
    """Return texts for numbers that the column does not have, and which each has: -1 less its position.

    Where the column has the rounded number it is the place of that one.
    """
    values, position = np.unique(new, return_inverse=True)
    texts = [None if value != value else numeral(value, decimals, mark) for value in values.tolist()]
    # As they are written, so that a rounded number is the one that will be read.
    rounded = np.array([np.nan if text is None else float(text.replace(mark, ".")) for text in texts], dtype=np.float64)
    found = first.of(rounded)
    single = in_single_precision(rounded) if form else np.zeros(len(texts), dtype=np.bool_)
    others: list[str | None] = []
    for place in np.flatnonzero(found < 0).tolist():
        found[place] = -1 - len(others)
        short = form.format(float(np.float32(rounded[place]))).replace(".", mark) if single[place] else texts[place]
        others.append(short)
    return tuple(others), found[position.reshape(-1)]
