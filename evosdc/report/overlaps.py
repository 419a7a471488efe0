"""Marks and curves of several runs that fall on each other: drawn once, named after all of them."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from evosdc.report.wording import count, listing

NAMED = 3
T = TypeVar("T")


@dataclass(frozen=True)
class Overlap(Generic[T]):
    """Runs that look the same in a figure.

    Parameters
    ----------
    names : tuple of str
        Of the runs, in their order.
    items : tuple
        What each of them shows.
    position : int
        Of the first of them among all runs: what gives colour and symbol.
    """

    names: tuple[str, ...]
    items: tuple[T, ...]
    position: int

    @property
    def item(self) -> T:
        """What the first of them shows."""
        return self.items[0]

    @property
    def title(self) -> str:
        """All runs by name, the first few where they are many."""
        more = len(self.names) - NAMED
        return listing([*self.names[:NAMED], f"{count(more)} more"] if more > 1 else self.names)


def group_overlapping(entries: Sequence[tuple[int, str, T]], look: Callable[[T], Hashable]) -> list[Overlap[T]]:
    """Return one entry for each different look, in order of the first run that has it.

    Parameters
    ----------
    entries : sequence of (int, str, object)
        Position and name of a run, and what it shows.
    look : callable
        What the eye tells apart: equal for what would be drawn at the same place.
    """
    groups: dict[Hashable, list[tuple[int, str, T]]] = {}
    for entry in entries:
        groups.setdefault(look(entry[2]), []).append(entry)
    return [
        Overlap(tuple(name for _, name, _ in group), tuple(item for _, _, item in group), group[0][0])
        for group in groups.values()
    ]
