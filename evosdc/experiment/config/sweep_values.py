"""The values of a sweep as a user writes them: dotted keys of an experiment, each with a list of values."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from evosdc.errors import did_you_mean

MOST_SETTINGS = 10_000

UNSWEPT = ("seed", "replicates", "sweep", "title", "executor")
"""Keys that make no difference to what a search can find."""


def require_values(sweep: Mapping[str, Sequence[Any]], keys: Iterable[str]) -> None:
    """Raise `ValueError` for keys that cannot be swept, empty or repeated values, and too many combinations.

    Parameters
    ----------
    sweep : mapping of str to sequence
        Values by dotted key.
    keys : iterable of str
        The keys of an experiment.
    """
    known, count = list(keys), 1
    for key, values in sweep.items():
        root = key.partition(".")[0]
        if root in UNSWEPT:
            raise ValueError(f"a key whose value changes results, not {key}; for more seeds, use replicates")
        if root not in known:
            raise ValueError(f"keys of an experiment, not {key}; {did_you_mean(root, known)}".rstrip("; "))
        if not values or any(values[i] in values[:i] for i in range(len(values))):
            raise ValueError(f"a list of one or more different values for {key}")
        count *= len(values)
    if count > MOST_SETTINGS:
        raise ValueError(f"at most {MOST_SETTINGS} combinations, not {count}")


def flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the entries of nested tables by dotted key."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
