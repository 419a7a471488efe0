"""Guessing an attribute's scale and the order of its categories from its values.

Rules, the first that fits:

1. no value, or two distinct ones: nominal;
1b. days, all written in one way: a date, ordinal in the order of time;
2. numbers with a fraction: numeric;
3. whole numbers with leading zeros (``"08001"``): nominal, they are codes;
4. whole numbers: ordinal if there are at most `MOST_ORDERED` distinct ones and they are dense (their range is less than
   `DENSITY` times their count), else numeric; nominal where they seem to be codes, to judge by how often each
   occurs (`seem_codes`) or by their name;
5. words in a known order (low, medium, high; months; weekdays; agreement; ...): ordinal in that order;
6. ranges (``"<1"``, ``"1-4"``, ``">=7"``, ``"75 and over"``): ordinal by their lower bounds;
7. all else: nominal, sorted.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from evosdc.files.column import Column
from evosdc.files.inference.name_hints import words
from evosdc.table import dates, numerals
from evosdc.table.dates import century_sentence, date_format_of, duration_order, either_way, in_time
from evosdc.table.numerals import (
    NumberTexts,
    decimals_of,
    is_padded,
    natural_order,
    number,
    numbers,
    single_precision_decimals,
)
from evosdc.table.schema import Scale

_PADDED = "its numbers have leading zeros, so they are codes"
_CODED = "its name says that its numbers are codes"
_LOOKED_AT = 1000
MOST_ORDERED = 120
DENSITY = 10
MOST_CODES = 12  # more distinct whole numbers are quantities, unless their name says otherwise
FEWEST_CODES = 4  # of fewer nothing can be seen
_DEEP = 0.5
_DEVIATIONS = 4.0
# numbers that are written with a sign of a unit, with brackets for a minus, or in groups of three digits
_MARK = r"(?:[%\u2030$\u20ac\u00a3\u00a5\u20bd\u20b9]|EUR|USD|GBP|CHF|PLN|CZK|SEK|NOK|DKK|HUF|RUB|JPY)?"
_GROUPS = r"(?:[1-9][0-9]{0,2}(?:[ .,'\u00a0\u2009\u202f\u2019][0-9]{3})+|0|[1-9][0-9]*)"
_SIGNED = re.compile(rf"\(?[+\u2212-]? ?{_MARK} ?[+\u2212-]?{_GROUPS}(?:[.,][0-9]+)? ?{_MARK}\)?")
_DAY_IN_WORDS = re.compile(r"[0-9]{1,2}\.? (?:de )?([^\W\d_]{3,})\.?,? (?:de )?[0-9]{4}")
_MOST_MONTHS = 24  # names of months, and what they are cut to
_PERIOD = re.compile(r"[0-9]{4}-?(?:Q[1-4]|W[0-9]{2})")
_UNREAD = 0.9  # share of texts that look like numbers or dates from which a column is one of them
_THOUSANDS = re.compile(r",([0-9]{3})$")
_AMOUNT = r"[^0-9<>=+]{0,3}([0-9]+(?:[.,][0-9]+)?)\s*%?"
_RANGES = (
    (re.compile(rf"(?:<=?|under|below|less than|up to|at most|until)\s*{_AMOUNT}.{{0,8}}"), "below"),
    (re.compile(rf"(?:>=?|over|above|more than|at least|from)\s*{_AMOUNT}.{{0,8}}"), "above"),
    (re.compile(rf"{_AMOUNT}\s*(?:\+|(?:and|or) (?:over|more|older|above|up)).{{0,8}}"), "above"),
    (re.compile(rf"{_AMOUNT}\s*(?:and|or) (?:under|less|below|younger).{{0,8}}"), "below"),
    (re.compile(rf"[\[(]?{_AMOUNT}\s*(?:-|\u2013|to|\.\.|,|;)\s*{_AMOUNT}[\])]?\s*[a-z]*"), "between"),
)


@dataclass(frozen=True)
class ScaleGuess:
    """A scale, its categories in order, the decimals of numbers, and the reason in words."""

    scale: Scale
    categories: tuple[str, ...]
    decimals: int
    reason: str
    date_format: str = ""
    timed: bool = False  # whether the values are times of day or time spans
    # why the values can be put in no order, where they are numbers or dates that are written in several ways
    undecided: str = ""


def undecided(texts: Sequence[str], mark: str, codes: bool) -> str:
    """Return why a column of numbers or dates can be read in no one way, with two of its texts; usually nothing."""
    for kind, contradiction_of in (("numbers", numerals.contradiction_of), ("dates", dates.contradiction_of)):
        if pair := contradiction_of(texts):
            return f"it holds {kind} written in several ways, as {pair[0]!r} and {pair[1]!r}"
    if codes or len(texts) <= 2:
        return ""
    texts = texts[:_LOOKED_AT]
    signed = [text for text in texts if _SIGNED.fullmatch(text) or number(text, mark) is not None]
    odd = next((text for text in signed if number(text, mark) is None), "")
    if odd and len(signed) >= _UNREAD * len(texts):
        return f"it holds numbers with other signs, as {odd!r}"
    days = [found for text in texts if (found := _DAY_IN_WORDS.fullmatch(text))]
    if len(days) >= _UNREAD * len(texts) and len({found[1] for found in days}) <= _MOST_MONTHS:
        return f"it holds dates with months that are not read, as {days[0][0]!r}"
    return ""


def mixed_sentence(texts: Sequence[str], mark: str) -> str:
    """Return the remark on words among which most are numbers; empty where they are not."""
    first = texts[:_LOOKED_AT]
    share = sum(number(text, mark) is not None for text in first) / max(len(first), 1)
    if share <= 0.5:
        return ""
    few = "if these are missing values, name them under missing, and give the column the scale numeric"
    return f"; {int(100 * share)} % of them are numbers, and the others texts: {few}"


def guess_scale(
    column: Column,
    missing: Sequence[str],
    nominal: bool = False,
    ordered: bool = False,
    apart: Sequence[str] = (),
    past: bool = False,
    coded: bool = False,
) -> ScaleGuess:
    """Return the scale that the values of a column suggest."""
    texts = column.present(missing)
    if not texts:
        return ScaleGuess(Scale.NOMINAL, (), 0, "it has no values")
    values = numbers(texts, column.mark)
    few = {1: "it has one value", 2: "it has two values"}.get(len(texts[:3]), "")
    if values is not None and not whole(values):
        if coded:
            return ScaleGuess(Scale.NOMINAL, tuple(sorted(texts)), 0, _CODED)
        if any(is_padded(text) and not text.startswith(f"0{column.mark}") for text in texts[:_LOOKED_AT]):
            return ScaleGuess(Scale.NOMINAL, tuple(sorted(texts)), 0, _PADDED)
        reason = f"{few}, with a fraction" if few else "its values are numbers with a fraction"
        single = single_precision_decimals(texts, column.mark)
        if single is not None:
            reason += f", in single precision: digits after {single} decimals come from storing them"
        return ScaleGuess(Scale.NUMERIC, (), decimals_of(texts, column.mark), reason)
    date_format = date_format_of(texts, past)
    if date_format:
        reason = f"its {len(texts)} values are dates" + (f", {few}" if few else "")
        if either_way(texts, date_format):
            reason += f", read as {date_format} though day and month could be the other way round"
        if century := century_sentence(date_format):
            reason += f"; {century}"
        return ScaleGuess(Scale.ORDINAL, in_time(texts, date_format), 0, reason, date_format)
    if values is None and (why := undecided(texts, column.mark, nominal)):
        return ScaleGuess(Scale.NOMINAL, natural_order(texts, column.mark), 0, why, undecided=why)
    if few:
        return ScaleGuess(Scale.NOMINAL, natural_order(texts, column.mark), 0, few)
    if values is not None:
        few_enough = len(values) <= MOST_CODES
        if nominal or ordered or not (few_enough and seem_codes(values.tolist(), _counts(column, texts))):
            codes = [number(text, column.mark) for text in apart]
            own = values[~np.isin(values, [code for code in codes if code is not None])]
            return _whole_numbers(
                texts, own if len(own) else values, column.mark, nominal, decimals_of(texts, column.mark)
            )
        reason = f"its {len(texts)} whole numbers go up and down in frequency, as codes do"
        return ScaleGuess(Scale.NOMINAL, natural_order(texts, column.mark), 0, reason)
    spans = duration_order(texts)
    if spans is not None:
        return ScaleGuess(
            Scale.ORDINAL, spans, 0, f"its {len(texts)} values are times of day or time spans", timed=True
        )
    if not nominal:
        known = known_order(texts)
        if known is not None:
            return ScaleGuess(Scale.ORDINAL, known, 0, "its words have a known order")
        if all(map(_PERIOD.fullmatch, texts)):
            return ScaleGuess(Scale.ORDINAL, tuple(sorted(texts)), 0, "its values are quarters or weeks")
        known = range_order(texts)
        if known is not None:
            return ScaleGuess(Scale.ORDINAL, known, 0, "its values are ranges")
    natural = natural_order(texts, column.mark)
    reason = f"its {len(texts)} values are words without a known order{mixed_sentence(texts, column.mark)}"
    return ScaleGuess(Scale.NOMINAL, natural, 0, reason)


def _counts(column: Column, texts: Sequence[str]) -> list[int]:
    by_text = dict(zip(column.texts, column.counts().tolist(), strict=True))
    return [by_text[text] for text in texts]


def _whole_numbers(
    texts: Sequence[str], values: NDArray[np.float64], mark: str, nominal: bool, decimals: int
) -> ScaleGuess:
    padded = (len(text) > 1 and text[0] == "0" and text.isdigit() for text in texts)
    if texts.padded if isinstance(texts, NumberTexts) else any(padded):
        return ScaleGuess(Scale.NOMINAL, tuple(sorted(texts)), 0, _PADDED)
    if nominal:
        return ScaleGuess(Scale.NOMINAL, natural_order(texts, mark), 0, _CODED)
    if len(texts) <= MOST_ORDERED and np.ptp(values) < DENSITY * len(values):
        reason = f"it has {len(texts)} distinct whole numbers, close to each other"
        return ScaleGuess(Scale.ORDINAL, natural_order(texts, mark), 0, reason)
    return ScaleGuess(Scale.NUMERIC, (), decimals, f"it has {len(texts)} distinct numbers, spread widely")


def whole(values: NDArray[np.float64]) -> bool:
    """Whether all numbers are whole."""
    return bool((values == np.rint(values)).all())


def known_order(texts: Sequence[str]) -> tuple[str, ...] | None:
    """Return words in their known order, or None when no known order has them all."""
    plain = [" ".join(text.lower().replace("_", " ").split()) for text in texts]
    if len(set(plain)) < len(plain):
        return None
    for order in (line.split("|") for line in words()["orders"]["lists"]):
        if set(plain) <= set(order):
            return tuple(text for _, text in sorted(zip(map(order.index, plain), texts, strict=True)))
    return None


def range_order(texts: Sequence[str]) -> tuple[str, ...] | None:
    """Return ranges by their lower bounds, or None when some text is neither range nor number, or ranges overlap."""
    spans: list[tuple[float, float, str]] = []
    for text in texts:
        span = _span(" ".join(text.lower().split()))
        if span is None:
            return None
        spans.append((*span, text))
    spans.sort()
    if any(high > following for (_, high, _), (following, _, _) in pairwise(spans)):
        return None
    return tuple(text for _, _, text in spans)


def _span(text: str) -> tuple[float, float] | None:
    single = number(text)
    if single is not None:
        return single, single
    for pattern, kind in _RANGES:
        found = pattern.fullmatch(text)
        if found:
            bounds = [float(_THOUSANDS.sub(r"\1", bound).replace(",", ".")) for bound in found.groups()]
            if kind == "below":
                return -inf, bounds[0]
            if kind == "above":
                return bounds[0], inf
            return (bounds[0], bounds[1]) if bounds[0] <= bounds[1] else None
    return None


def seem_codes(values: Sequence[float], counts: Sequence[int]) -> bool:
    """Return whether whole numbers are codes rather than counts or grades, to judge by how often each occurs."""
    # Counts, grades and ages have one peak or fall from the start. Codes stand in the order of a questionnaire: a
    # valley between two peaks is less than half as high as the lower one, by more than chance.
    order = sorted(range(len(values)), key=values.__getitem__)
    if not FEWEST_CODES <= len(values) <= MOST_CODES or values[order[0]] not in (0.0, 1.0):
        return False
    heights = [counts[position] for position in order]
    valleys = [(min(max(heights[:j]), max(heights[j + 1 :])), heights[j]) for j in range(1, len(heights) - 1)]
    return any(low < _DEEP * peak and peak - low > _DEVIATIONS * sqrt(peak + low) for peak, low in valleys)
