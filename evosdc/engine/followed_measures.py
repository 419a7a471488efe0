"""Which incremental measures have to be followed, and whose scores are read from the states of another one."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from evosdc.model import Incremental


class Reading(NamedTuple):
    """A measure whose score is read from the state of another one, by its place among those followed."""

    name: str
    place: int
    score: Callable[[Any], float]


def told_apart(
    listed: Sequence[tuple[str, Incremental[Any]]],
) -> tuple[tuple[tuple[str, Incremental[Any]], ...], tuple[Reading, ...]]:
    """Return the measures that have to be followed, and those whose scores are read from their states."""
    sources: dict[str, tuple[str, Callable[[Any], float]]] = {}
    for name, fitted in listed:
        if any(name == read for read, _ in sources.values()):
            continue  # others are read from it
        for other, source in listed:
            score = fitted.read_from(source) if other != name and other not in sources else None
            if score is not None:
                sources[name] = other, score
                break
    followed = tuple((name, fitted) for name, fitted in listed if name not in sources)
    places = {name: place for place, (name, _) in enumerate(followed)}
    return followed, tuple(Reading(name, places[other], score) for name, (other, score) in sources.items())
