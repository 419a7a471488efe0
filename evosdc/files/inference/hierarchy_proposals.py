"""Hierarchies that are proposed: age bands, ranges of numbers, beginnings of codes, months and years of dates."""

import re
from collections.abc import Sequence
from math import floor, log10

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import HierarchyError
from evosdc.files.inference.name_hints import is_age, is_code, is_count, is_place
from evosdc.files.schema.hierarchies import HierarchyRule, intervals_of_labels
from evosdc.table.dates import LEVELS, days_of
from evosdc.table.hierarchy import ROOT, Hierarchy, ordered_merging, prefix_hierarchy
from evosdc.table.numerals import numbers, numeral
from evosdc.table.schema import Attribute, Scale

Numbers = NDArray[np.float64]
AGE_BANDS = (5.0, 10.0, 20.0)  # widths of age bands at levels 1, 2 and 3, in years
FEWEST = 6  # fewest categories that make a hierarchy worth while
OLDEST = 130.0  # numbers beyond are no ages in years
# counts this far above the least one are merged at levels 1, 2 and 3: 0, 1, 2, 3, 4, 5+; then 0, 1, 2, 3+; 0, 1+
TOPS = (5, 3, 1)
LARGEST_COUNT = 30.0  # larger counts become ranges as other numbers do
MOST_CODES = 20  # more whole numbers are measured, not codes
_DOTTED = re.compile(r"[A-Z][0-9]{1,2}[0-9A-Z]?(?:\.[0-9A-Z]{1,4})?")  # codes of diseases
_CODE = re.compile(r"([A-Za-z]*)([0-9]+[0-9A-Z]*?)((?:[.\-/ ][0-9A-Za-z]+)*)")
_LONG_LIFE = 30
_RANGES = 20
_BEGINNING = 1000


def hierarchy_of(attribute: Attribute, apart: Sequence[str] = ()) -> Hierarchy | None:
    """Return the hierarchy that is proposed for a categorical attribute, None where none suggests itself."""
    labels = attribute.categories
    if len(labels) < FEWEST:
        return None
    try:
        if attribute.scale is Scale.ORDINAL:
            values = numbers(labels)
            if values is None or len(set(values)) < len(labels):
                return ordered_merging(labels)
            own = _own_values(attribute, values, apart)
            if _are_counts(attribute, own):
                return top_coded(labels, values.tolist(), max(own))
            return intervals_of_labels(attribute, widths(own, 0, is_age(attribute.name)))
        lengths = {len(label) for label in labels}
        if is_place(attribute.name) and len(lengths) == 1 and min(lengths) > 1 and _coded(labels):
            return prefix_hierarchy(labels)
        if is_code(attribute.name) or all(map(_DOTTED.fullmatch, labels)):
            return code_hierarchy(labels)
    except HierarchyError:
        return None
    return None


def code_hierarchy(labels: Sequence[str]) -> Hierarchy | None:
    """Return the hierarchy of the codes of a classification: ``A12.3``, ``A12*``, ``A*``; None where none is merged."""
    # What stands before a point, and the letters or first two digits: chapters of diseases (ICD), divisions of
    # industries (NACE, ISIC), groups of occupations (ISCO).
    parts = [_CODE.fullmatch(label) for label in labels]
    if not all(parts):
        return None
    chapters = [f"{part[1] or part[2][:2]}*" for part in parts if part is not None]
    groups = [f"{part[1]}{part[2]}*" for part in parts if part is not None]
    levels = [column for column in (groups, chapters) if 1 < len(set(column)) < len(labels)]
    if len(levels) == 2 and len(set(groups)) <= len(set(chapters)):
        levels = levels[1:]
    rows = tuple((*row, ROOT) for row in zip(*levels, strict=True))
    return Hierarchy(tuple(labels), rows, "codes") if levels else None


def top_coded(labels: Sequence[str], values: Sequence[float], largest: float) -> Hierarchy | None:
    """Return a hierarchy of counts that merges the greatest ones; None where nothing would be merged."""
    least = int(min(values))
    tops = [least + top for top in TOPS if sum(least + top <= value <= largest for value in values) > 1]
    if not tops:
        return None
    rows = tuple(
        (*(f"{top}+" if top <= value <= largest else label for top in tops), ROOT)
        for label, value in zip(labels, values, strict=True)
    )
    return Hierarchy(tuple(labels), rows, "top coding")


def rule_of_dates(attribute: Attribute) -> HierarchyRule:
    """Return the rule by which days become months, quarters, years; those of births decades too."""
    # Unlike a list of days it holds for the next wave too.
    years = [day.year for day in days_of(attribute.categories, attribute.date_format).tolist() if day is not None]
    levels = LEVELS if max(years, default=0) - min(years, default=0) >= _LONG_LIFE else LEVELS[:3]
    return HierarchyRule(dates=levels[0 if "%d" in attribute.date_format else 1 :])


def rule_of_numbers(attribute: Attribute, apart: Sequence[str] = ()) -> HierarchyRule | None:
    """Return the rule for the hierarchy of `hierarchy_of`, where that has ranges of ages or of many whole numbers."""
    # Unlike a list it holds for the next wave too. Few other numbers may be codes, whose list is known.
    labels = attribute.categories
    many = len(labels) >= FEWEST if is_age(attribute.name) else len(labels) > MOST_CODES
    values = numbers(labels) if many and attribute.scale is Scale.ORDINAL else None
    if values is None or [numeral(value, 0) for value in values.tolist()] != list(labels):
        return None
    own = _own_values(attribute, values, apart)
    return None if _are_counts(attribute, own) else HierarchyRule(widths=widths(own, 0, is_age(attribute.name)))


def rule_for(attribute: Attribute, values: Numbers) -> HierarchyRule | None:
    """Return the rule of a numeric attribute's hierarchy: age bands, or ranges of round widths."""
    # A list of the values would be the file's content.
    if len(np.unique(values[:_BEGINNING])) < FEWEST and len(np.unique(values)) < FEWEST:
        return None
    return HierarchyRule(widths=widths(values, attribute.decimals, is_age(attribute.name)))


def widths(values: Sequence[float] | Numbers, decimals: int = 0, age: bool = False) -> tuple[float, ...]:
    """Return widths of ranges at levels 1, 2 and 3: age bands, or a round width for at most 20 ranges."""
    least, most = float(np.min(values)), float(np.max(values))
    if age and most <= OLDEST:
        return AGE_BANDS
    span = most - least
    power = max(floor(log10(span / _RANGES)) if span > 0 else 0, -decimals)
    first = next(w for w in (1, 2, 5, 10) if span / (w * 10.0**power) <= _RANGES or w == 10)
    if power == -decimals:
        first = max(first, 2)
    found = tuple(float(f"{first * times}e{power}") for times in (1, 2, 10))
    # What is wider than all values together says no more than the root does.
    return tuple(width for width in found if width <= span) or found[:1]


def _own_values(attribute: Attribute, values: Numbers, apart: Sequence[str]) -> list[float]:
    """Return the numbers of an attribute without codes that may stand for missing values."""
    plain: list[float] = values.tolist()
    return [value for label, value in zip(attribute.categories, plain, strict=True) if label not in apart] or plain


def _are_counts(attribute: Attribute, own: Sequence[float]) -> bool:
    return is_count(attribute.name) and min(own) >= 0 and max(own) <= LARGEST_COUNT


def _coded(labels: Sequence[str]) -> bool:
    return all(any(sign.isdigit() for sign in label) for label in labels)
