"""Per-table memoisation."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from evosdc.table.table import Table

T = TypeVar("T")


def remembered(function: Callable[[Table, Sequence[str]], T]) -> Callable[[Table, Sequence[str]], T]:
    """Return a function of a table and names of its attributes that caches its results; do not alter these."""
    found: WeakKeyDictionary[Table, dict[tuple[str, ...], T]] = WeakKeyDictionary()

    @wraps(function)
    def once(table: Table, names: Sequence[str]) -> T:
        known = found.setdefault(table, {})
        if tuple(names) not in known:
            known[tuple(names)] = function(table, names)
        return known[tuple(names)]

    return once
