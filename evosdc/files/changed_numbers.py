"""What a masked table changes in a column of many numbers, found without a text for each of them."""

from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from evosdc.table.number_texts import GREATEST, NumberTexts
from evosdc.table.numerals import numeral
from evosdc.table.shortest_decimals import shortest_singles

Reals = NDArray[np.float64]

FORMS = ("{:.15g}", "{!r}")
"""How numbers in single precision are written with more digits than it holds."""

_ALL_DECIMALS = 60


class TextsOfChange(Sequence[str | None]):
    """New texts: those that a column has, by their place in it, and others.

    Parameters
    ----------
    held : NumberTexts
        Of the column.
    places : ndarray of int, shape (k,)
        Place among the held texts, or -1 - place among the others.
    others : tuple of str or None
    """

    def __init__(self, held: NumberTexts, places: NDArray[np.intp], others: tuple[str | None, ...]) -> None:
        self.held, self.places, self.others = held, places, others

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, position: int) -> str | None: ...
    @overload
    def __getitem__(self, position: slice) -> tuple[str | None, ...]: ...
    def __getitem__(self, position: int | slice) -> str | tuple[str | None, ...] | None:
        if isinstance(position, slice):
            return tuple(self[place] for place in range(*position.indices(len(self))))
        place = int(self.places[position])
        return self.held[place] if place >= 0 else self.others[-1 - place]

    def __iter__(self) -> Iterator[str | None]:
        texts = [*self.held.take(self.places[self.places >= 0])][::-1]
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


def chosen_texts(new: Reals, held: NumberTexts, read: Reals, form: str, decimals: int) -> TextsOfChange:
    """Return the text of each new number: the file's own if it has one, also for the rounded number.

    Parameters
    ----------
    new : ndarray of float, shape (k,)
        Distinct; NaN for a missing value.
    held : NumberTexts
        Of the column.
    read : ndarray of float
        The number of each held text; NaN where it has none.
    form : str
        By which others are written that are single precision; empty where they are not.
    decimals : int
    """
    values, first = first_places(read)
    places = _places_in(values, first, new)
    others: list[str | None] = []
    unknown = np.flatnonzero(places < 0)
    texts = [None if value != value else numeral(value, decimals, held.mark) for value in new[unknown].tolist()]
    # As they are written, so that a rounded number is the one that will be read.
    rounded = np.array(
        [np.nan if text is None else float(text.replace(held.mark, ".")) for text in texts], dtype=np.float64
    )
    own = _places_in(values, first, rounded)
    single = in_single_precision(rounded) if form else np.zeros(len(texts), dtype=np.bool_)
    for place, text, found, value, short in zip(
        unknown.tolist(), texts, own.tolist(), rounded.tolist(), single.tolist(), strict=True
    ):
        if found >= 0:
            places[place] = found
            continue
        places[place] = -1 - len(others)
        others.append(form.format(float(np.float32(value))).replace(".", held.mark) if short else text)
    return TextsOfChange(held, places, tuple(others))


def _places_in(values: Reals, first: NDArray[np.intp], wanted: Reals) -> NDArray[np.intp]:
    """Return the first place of each wanted number, -1 where there is none."""
    if not len(values):
        return np.full(len(wanted), -1, dtype=np.intp)
    near = np.minimum(np.searchsorted(values, wanted), len(values) - 1)
    return np.where(values[near] == wanted, first[near], -1).astype(np.intp)
