"""Labels of generalised values: their syntax, and the part of an attribute's domain that they cover.

One syntax for all methods that publish generalised values and all measures that judge them:

==================  ================================================================================
``34``, ``Doctor``  a number or category itself
``Technical``       a label of the attribute's hierarchy: the values below it
``[17, 25]``        closed interval of numbers, or of ordinal categories in their order
``[17, 25)``        numbers, or ordinal categories that are numbers: without the upper end
``>= 65``           numbers or ordinal categories from here on; likewise ``<= 16``, and ``< 16`` of numbers
``{a, b, c}``       a set of categories
``*``               any value, or none
==================  ================================================================================

A category inside an interval or a set is put in double quotes, doubled inside, where it holds a comma, a bracket, a
brace or a quote, or begins or ends with a blank. What is a category is read as one whatever it looks like; then the
hierarchy decides, and the syntax last.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import inf, nan

import numpy as np

from evosdc.table.hierarchy import ROOT, Hierarchy
from evosdc.table.numerals import number, numeral, values_of
from evosdc.table.schema import Attribute, Scale

_TOKEN = r'"(?:[^"]|"")*"|[^",\[\]{}]+'
_INTERVAL = re.compile(rf"\[({_TOKEN}), ({_TOKEN})([\])])")
_SET = re.compile(rf"\{{(?:{_TOKEN})(?:, (?:{_TOKEN}))*\}}")
_MEMBER = re.compile(rf"({_TOKEN})(?:, |$)")
_BOUND = re.compile(rf"(>=|<=|<) ({_TOKEN})")
_UNSAFE = re.compile(r'[",\[\]{}]|^\s|\s$|^$')


@dataclass(frozen=True, slots=True)
class Extent:
    """The values that a label covers."""

    codes: tuple[int, ...] = ()  # codes of the categories, ascending; empty for a numeric attribute
    # low, high: least and greatest number, infinite where there is no bound; NaN for a categorical attribute. An end
    # that is left out of the label's interval is still its end: widths are what losses ask for.
    low: float = nan
    high: float = nan
    missing: bool = False  # whether a missing value may stand behind the label

    def covers(self, value: float) -> bool:
        """Whether the label covers a code, or a number of a numeric attribute."""
        return int(value) in self.codes if self.codes else self.low <= value <= self.high


def interval_label(low: str, high: str) -> str:
    """Return the label of an interval; the end itself where both are the same."""
    return low if low == high else f"[{_quoted(low)}, {_quoted(high)}]"


def number_interval_label(low: float, high: float, decimals: int = 0, closed: bool = True) -> str:
    """Return the label of an interval of numbers with `decimals` decimals; open above where not `closed`."""
    # Ends with more decimals are rounded away from each other, so that the label covers what it represents.
    ends = _rounded(low, decimals, -1), _rounded(high, decimals, 1)
    return interval_label(*ends) if closed else f"[{ends[0]}, {ends[1]})"


def set_label(labels: Sequence[str]) -> str:
    """Return the label of a set of categories; the category itself where there is one only."""
    if not labels:
        raise ValueError("a set of no category has no label")
    return labels[0] if len(labels) == 1 else f"{{{', '.join(map(_quoted, labels))}}}"


def bound_label(label: str, above: bool, closed: bool = True) -> str:
    """Return the label of all values from one on: ``>= x``; ``<= x`` if not `above`, ``< x`` if not `closed`."""
    if above and not closed:
        raise ValueError("a bound from below is part of what it bounds")
    return f"{'>=' if above else '<=' if closed else '<'} {_quoted(label)}"


class LabelReader:
    """Reads the labels of one attribute."""

    def __init__(self, attribute: Attribute) -> None:
        self._attribute = attribute
        self._nodes = _leaves_below(attribute.hierarchy) if attribute.hierarchy is not None else {}

    def read(self, label: str) -> Extent | None:
        """Return the values that a label covers, or None where it is no label of the attribute."""
        return self._categories(label) if self._attribute.categorical else self._numbers(label)

    def _categories(self, label: str) -> Extent | None:
        code, size = self._attribute.code, len(self._attribute.categories)
        if label in code:
            return Extent((code[label],))
        if label in self._nodes:
            below = sorted(code[leaf] for leaf in self._nodes[label] if leaf in code)
            return Extent(tuple(below), missing=self._is_root(label)) if below else None
        if label == ROOT:
            return Extent(tuple(range(size)), missing=True)
        if _SET.fullmatch(label):
            members = [_unquoted(token) for token in _MEMBER.findall(label[1:-1])]
            known = all(member in code for member in members)
            return Extent(tuple(sorted({code[member] for member in members}))) if known else None
        if self._attribute.scale is not Scale.ORDINAL:
            return None
        if (ends := _ends(label, code.get)) is not None and ends[2]:
            low, high = ends[0] if ends[0] is not None else 0, ends[1] if ends[1] is not None else size - 1
            return Extent(tuple(range(int(low), int(high) + 1))) if low <= high else None
        # Bands of categories that are numbers, as ages are, need not begin and end with one of them.
        bounds = self._numbers(label) if _ends(label, number) is not None else None
        if bounds is None:
            return None
        values, closed = values_of(self._attribute.categories), not label.endswith(")") and not label.startswith("< ")
        inside = (bounds.low <= values) & ((values <= bounds.high) if closed else (values < bounds.high))
        return Extent(tuple(np.flatnonzero(inside).tolist())) if inside.any() else None

    def _numbers(self, label: str) -> Extent | None:
        value = number(label)
        if value is not None:
            return Extent(low=value, high=value)
        if label in self._nodes:
            values = [found for found in map(number, self._nodes[label]) if found is not None]
            return Extent(low=min(values), high=max(values), missing=self._is_root(label)) if values else None
        if label == ROOT:
            return Extent(low=-inf, high=inf, missing=True)
        ends = _ends(label, number)
        if ends is None:
            return None
        low, high = -inf if ends[0] is None else float(ends[0]), inf if ends[1] is None else float(ends[1])
        return Extent(low=low, high=high) if low <= high else None

    def _is_root(self, label: str) -> bool:
        hierarchy = self._attribute.hierarchy
        return hierarchy is not None and label == hierarchy.levels[0][-1]


def _ends(label: str, known: Callable[[str], float | None]) -> tuple[float | None, float | None, bool] | None:
    """Return both ends of an interval, None for one that is not bounded, and whether it is closed above."""
    if match := _INTERVAL.fullmatch(label):
        low, high = known(_unquoted(match[1])), known(_unquoted(match[2]))
        return None if low is None or high is None else (low, high, match[3] == "]")
    if match := _BOUND.fullmatch(label):
        end = known(_unquoted(match[2]))
        if end is None:
            return None
        return (end, None, True) if match[1] == ">=" else (None, end, match[1] == "<=")
    return None


def _leaves_below(hierarchy: Hierarchy) -> dict[str, set[str]]:
    """Return the leaves below each label; below the widest node where several levels share a label."""
    below: dict[str, set[str]] = {}
    for leaf, labels in zip(hierarchy.leaves, hierarchy.levels, strict=True):
        for label in (leaf, *labels):
            below.setdefault(label, set()).add(leaf)
    return below


def _rounded(value: float, decimals: int, direction: int) -> str:
    text = numeral(value, decimals)
    if (float(text) - value) * direction < 0:
        text = str(Decimal(text) + direction * Decimal(10) ** -decimals)
    return text


def _quoted(label: str) -> str:
    doubled = label.replace('"', '""')
    return f'"{doubled}"' if _UNSAFE.search(label) else label


def _unquoted(token: str) -> str:
    return token[1:-1].replace('""', '"') if token.startswith('"') else token
