"""Guessing an attribute's scale and the order of its categories from its values.

Rules, the first that fits:

1. no value, or two distinct ones: nominal;
1b. days, all written in one way: a date, ordinal in the order of time;
2. numbers with a fraction: numeric;
3. whole numbers with leading zeros (``"08001"``): nominal, they are codes;
4. whole numbers: ordinal if there are at most `MOST_ORDERED` distinct ones and they are dense (their range is less than
   `DENSITY` times their count), else numeric; nominal where they seem to be codes, to judge by how often each
   occurs (`evosdc.files.inference.whole_numbers`) or by their name;
5. words in a known order (low, medium, high; months; weekdays; agreement; ...): ordinal in that order;
6. ranges (``"<1"``, ``"1-4"``, ``">=7"``, ``"75 and over"``): ordinal by their lower bounds;
7. all else: nominal, sorted.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from evosdc.files.column import Column
from evosdc.files.inference.whole_numbers import MOST_CODES, seem_codes
from evosdc.table import dates, numerals
from evosdc.table.dates import century_sentence, date_format_of, duration_order, either_way, in_time
from evosdc.table.held_numbers import HeldNumbers, extremes
from evosdc.table.number_texts import NumberTexts, more_than
from evosdc.table.numerals import decimals_of, is_padded, natural_order, number, numbers, single_precision_decimals
from evosdc.table.schema import Scale

_PADDED = "its numbers have leading zeros, so they are codes"
_LOOKED_AT = 1000
MOST_ORDERED = 120
DENSITY = 10

_ORDERS = tuple(
    tuple(order.split("|"))
    for order in (
        "none|very low|low|below average|medium low|medium|middle|moderate|average|normal|medium high|"
        "above average|high|very high|extreme",
        "none|minimal|mild|moderate|severe|very severe|critical",
        "extra small|xxs|xs|small|s|m|medium|l|large|xl|extra large|xxl",
        "very small|small|medium|large|very large",
        "very bad|bad|poor|fair|acceptable|average|good|very good|excellent|outstanding",
        "very poor|poor|fair|good|very good|excellent",
        "strongly disagree|disagree|somewhat disagree|slightly disagree|neutral|neither|"
        "neither agree nor disagree|undecided|slightly agree|somewhat agree|agree|strongly agree",
        "very dissatisfied|dissatisfied|somewhat dissatisfied|neutral|neither|somewhat satisfied|satisfied|"
        "very satisfied",
        "very unlikely|unlikely|neutral|likely|very likely",
        "not at all|a little|slightly|somewhat|moderately|quite a bit|very|very much|extremely",
        "not important|slightly important|moderately important|important|very important",
        "never|almost never|rarely|seldom|occasionally|sometimes|often|frequently|usually|very often|"
        "almost always|always",
        "never|yearly|annually|quarterly|monthly|weekly|daily|hourly",
        "january|february|march|april|may|june|july|august|september|october|november|december",
        "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec",
        "monday|tuesday|wednesday|thursday|friday|saturday|sunday",
        "mon|tue|wed|thu|fri|sat|sun",
        "morning|noon|afternoon|evening|night",
        "infant|baby|toddler|child|teenager|adolescent|young|young adult|adult|middle aged|middle-aged|senior|"
        "old|elderly",
        "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth",
        "1st|2nd|3rd|4th|5th|6th|7th|8th|9th|10th|11th|12th",
        "i|ii|iii|iv|v|vi|vii|viii|ix|x",
        "bronze|silver|gold|platinum|diamond",
        "beginner|novice|basic|intermediate|advanced|expert",
        "junior|intermediate|senior|lead|principal",
        "unskilled|semi-skilled|skilled|highly skilled",
        "none|no schooling|no formal education|illiterate|preschool|pre-primary|primary|elementary|middle school|"
        "lower secondary|secondary|high school|upper secondary|vocational|post-secondary|some college|"
        "short tertiary|associate|college|tertiary|university|undergraduate|bachelor|bachelors|graduate|"
        "postgraduate|master|masters|professional|doctoral|doctorate|phd",
        "preschool|1st-4th|5th-6th|7th-8th|9th|10th|11th|12th|hs-grad|some-college|assoc-voc|assoc-acdm|"
        "bachelors|masters|prof-school|doctorate",
    )
)
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
    timed: bool = False
    """Whether the values are times of day or time spans."""
    undecided: str = ""
    """Why the values can be put in no order, where they are numbers or dates that are written in several ways."""


def undecided(texts: Sequence[str]) -> str:
    """Return why a column of numbers or dates can be read in no one way, with two of its texts; usually nothing."""
    for kind, contradiction_of in (("numbers", numerals.contradiction_of), ("dates", dates.contradiction_of)):
        if pair := contradiction_of(texts):
            return f"it holds {kind} written in several ways, as {pair[0]!r} and {pair[1]!r}"
    return ""


def guess_scale(
    column: Column,
    missing: Sequence[str],
    nominal: bool = False,
    ordered: bool = False,
    apart: Sequence[str] = (),
    past: bool = False,
) -> ScaleGuess:
    """Return the scale that the values of a column suggest.

    Parameters
    ----------
    column : Column
    missing : sequence of str
        Texts that stand for a missing value.
    nominal : bool
        Whether the attribute is known to have no order, as codes of regions; whole numbers are then no quantities.
    ordered : bool
        Whether it is known that whole numbers are counts or grades.
    apart : sequence of str
        Values that may be codes for missing ones: 99 does not spread the numbers of children widely.
    past : bool
        Whether dates cannot lie in the future, as births.
    """
    texts = column.present(missing)
    if not texts:
        return ScaleGuess(Scale.NOMINAL, (), 0, "it has no values")
    values = numbers(texts, column.mark)
    few = "" if more_than(texts, 2) else {1: "it has one value", 2: "it has two values"}[len(texts)]
    if values is not None and not whole(values):
        if any(map(is_padded, texts[:_LOOKED_AT])) and not any(text.startswith("0.") for text in texts[:_LOOKED_AT]):
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
    if few:
        return ScaleGuess(Scale.NOMINAL, natural_order(texts, column.mark), 0, few)
    if values is not None:
        few_enough = len(values) <= MOST_CODES
        if nominal or ordered or not (few_enough and seem_codes(values, _counts(column, texts))):
            own = [value for text, value in zip(texts, values, strict=True) if text not in apart] if apart else values
            return _whole_numbers(texts, own or values, column.mark, nominal, decimals_of(texts, column.mark))
        reason = f"its {len(texts)} whole numbers go up and down in frequency, as codes do"
        return ScaleGuess(Scale.NOMINAL, natural_order(texts, column.mark), 0, reason)
    if why := undecided(texts):
        return ScaleGuess(Scale.NOMINAL, natural_order(texts, column.mark), 0, why, undecided=why)
    spans = duration_order(texts)
    if spans is not None:
        return ScaleGuess(
            Scale.ORDINAL, spans, 0, f"its {len(texts)} values are times of day or time spans", timed=True
        )
    if not nominal:
        known = known_order(texts)
        if known is not None:
            return ScaleGuess(Scale.ORDINAL, known, 0, "its words have a known order")
        known = range_order(texts)
        if known is not None:
            return ScaleGuess(Scale.ORDINAL, known, 0, "its values are ranges")
    natural = natural_order(texts, column.mark)
    return ScaleGuess(Scale.NOMINAL, natural, 0, f"its {len(texts)} values are words without a known order")


def _counts(column: Column, texts: Sequence[str]) -> list[int]:
    by_text = dict(zip(column.texts, column.counts().tolist(), strict=True))
    return [by_text[text] for text in texts]


def _whole_numbers(
    texts: Sequence[str], values: Sequence[float], mark: str, nominal: bool, decimals: int
) -> ScaleGuess:
    padded = (len(text) > 1 and text[0] == "0" and text.isdigit() for text in texts)
    if texts.padded if isinstance(texts, NumberTexts) else any(padded):
        return ScaleGuess(Scale.NOMINAL, tuple(sorted(texts)), 0, _PADDED)
    if nominal:
        return ScaleGuess(Scale.NOMINAL, natural_order(texts, mark), 0, "its name says that its numbers are codes")
    least, most = extremes(values)
    if len(texts) <= MOST_ORDERED and most - least < DENSITY * len(values):
        reason = f"it has {len(texts)} distinct whole numbers, close to each other"
        return ScaleGuess(Scale.ORDINAL, natural_order(texts, mark), 0, reason)
    return ScaleGuess(Scale.NUMERIC, (), decimals, f"it has {len(texts)} distinct numbers, spread widely")


def whole(values: Sequence[float]) -> bool:
    """Whether all numbers are whole."""
    return values.whole if isinstance(values, HeldNumbers) else all(map(float.is_integer, map(float, values)))


def known_order(texts: Sequence[str]) -> tuple[str, ...] | None:
    """Return words in their known order, or None when no known order has them all."""
    plain = [" ".join(text.lower().replace("_", " ").split()) for text in texts]
    if len(set(plain)) < len(plain):
        return None
    for order in _ORDERS:
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
