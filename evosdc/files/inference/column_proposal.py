"""The proposal for one column, its scale and its role, by its name, its label and its values: the first rule that fits.

What is proposed for each role and each scale is in the documentation of schemas (``docs/schema.md``).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from evosdc.files.column import Column
from evosdc.files.inference.name_hints import NameHint, hint_of, plain, words
from evosdc.table import dates, numerals
from evosdc.table.dates import century_sentence, date_format_of, duration_order, either_way, in_time
from evosdc.table.numerals import NumberTexts, decimals_of, is_padded, natural_order, number, numbers
from evosdc.table.schema import Attribute, Role, Scale

_PADDED = "its numbers have leading zeros, so they are codes"
CODED = "its name says that its numbers are codes"
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
_THOUSANDS = re.compile(r",([0-9]{3})$")
MOST_CATEGORIES = 50  # more different values, of a column whose name says so, identify even where records share them
# a demographic attribute with more categories is left out: it has to be recoded before it can be masked
MOST_DEMOGRAPHIC = 2000
LARGEST_HOUSEHOLD = 20  # records that share the number of a household, on average and at most
UNDECIDED = "make the file write them in one plain way, or give the column the scale nominal in a schema"
_FEW = 20
_YES_OR_NO = 2  # different values of a column that may say whether there is a telephone, and not which
_ONE_VALUE = "it has one value"
_WORDS_DIFFER = "its words differ in nearly every record"
FREE_TEXT_LENGTH = 25  # values of this mean length, in characters, are sentences rather than labels
FREE_TEXT_WORDS = 4.0  # as many words in a value, on average, are sentences as well
FREE_TEXT_DISTINCT = 20  # fewest distinct sentences that are free text; fewer are long labels
_MOST = 0.9  # share of texts that look alike from which all of them are taken to be so
# standard deviation over mean: weights of bodies vary less; design weights of a survey often vary more
MOST_VARIED = 0.5
NORMALISED = 0.02  # how far from 1 the mean of weights may be that were divided by their mean
# weights of births in kilogrammes and pounds, of people in both, of births in grammes
_BODIES = ((0.2, 14.0), (20.0, 450.0), (200.0, 7000.0))
# in the names of a file that measures bodies: a plain weight is then one of them
MEASURED = ("height", "bmi", "birthweight", "birthwt", "gestation", "premie", "waist", "stature", "apgar")


@dataclass(frozen=True)
class ScaleGuess:
    """A scale with its reason in words, the categories in order, and the decimals of numbers."""

    scale: Scale
    reason: str
    categories: tuple[str, ...] = ()
    decimals: int = 0
    date_format: str = ""
    timed: bool = False  # whether the values are times of day or time spans
    # why the values can be put in no order, where they are numbers or dates that are written in several ways
    undecided: str = ""

    def attribute(self, name: str, role: Role = Role.OTHER, missing: tuple[str, ...] = ()) -> Attribute:
        """Return an attribute of this scale."""
        return Attribute(name, role, self.scale, self.categories, None, self.decimals, missing, self.date_format)


def _undecided(texts: Sequence[str], mark: str, codes: bool) -> str:
    """Return why a column of numbers or dates can be read in no one way, with two of its texts; usually nothing."""
    for kind, contradiction_of in (("numbers", numerals.contradiction_of), ("dates", dates.contradiction_of)):
        if pair := contradiction_of(texts):
            return f"it holds {kind} written in several ways, as {pair[0]!r} and {pair[1]!r}"
    if codes or len(texts) <= 2:
        return ""
    texts = texts[:_LOOKED_AT]
    odd = [text for text in texts if _SIGNED.fullmatch(text) and number(text, mark) is None]
    if odd and len(odd) + sum(number(text, mark) is not None for text in texts) >= _MOST * len(texts):
        return f"it holds numbers with other signs, as {odd[0]!r}"
    days = [found for text in texts if (found := _DAY_IN_WORDS.fullmatch(text))]
    if len(days) >= _MOST * len(texts) and len({found[1] for found in days}) <= _MOST_MONTHS:
        return f"it holds dates with months that are not read, as {days[0][0]!r}"
    return ""


def mixed_sentence(texts: Sequence[str], mark: str) -> str:
    """Return the remark on words among which most are numbers; empty where they are not."""
    first = texts[:_LOOKED_AT]
    share = sum(number(text, mark) is not None for text in first) / max(len(first), 1)
    few = "if these are missing values, name them under missing, and give the column the scale numeric"
    return f"; {int(100 * share)} % of them are numbers, and the others texts: {few}" if share > 0.5 else ""


def guess_scale(
    column: Column, missing: Sequence[str], hint: NameHint | None = None, apart: Sequence[str] = ()
) -> ScaleGuess:
    """Return the scale that the values of a column suggest, and its name where it has no other `hint`."""
    # `apart`: texts that may represent missing values, and say nothing of the scale
    texts, mark = column.present(missing), column.mark
    if not texts:
        return ScaleGuess(Scale.NOMINAL, "it has no values")
    hint = hint_of(column.name) if hint is None else hint
    values = numbers(texts, mark)
    few = {1: "it has one value", 2: "it has two values"}.get(len(texts[:3]), "")
    if values is not None and not whole(values):
        if any(is_padded(text) and not text.startswith(f"0{mark}") for text in texts[:_LOOKED_AT]):
            return ScaleGuess(Scale.NOMINAL, _PADDED, tuple(sorted(texts)))
        reason = f"{few}, with a fraction" if few else "its values are numbers with a fraction"
        single = numerals.single_precision_decimals(texts, mark)
        if single is not None:
            reason += f", in single precision: digits after {single} decimals come from storing them"
        return ScaleGuess(Scale.NUMERIC, reason, decimals=decimals_of(texts, mark))
    date_format = date_format_of(texts, hint.birth)
    if date_format:
        reason = f"its {len(texts)} values are dates" + (f", {few}" if few else "")
        if either_way(texts, date_format):
            reason += f", read as {date_format} though day and month could be the other way round"
        if century := century_sentence(date_format):
            reason += f"; {century}"
        return ScaleGuess(Scale.ORDINAL, reason, in_time(texts, date_format), date_format=date_format)
    if values is None and (why := _undecided(texts, mark, hint.unordered)):
        return ScaleGuess(Scale.NOMINAL, why, natural_order(texts, mark), undecided=why)
    if few:
        return ScaleGuess(Scale.NOMINAL, few, natural_order(texts, mark))
    if values is not None:
        counts = dict(zip(column.texts, column.counts.tolist(), strict=True)) if len(values) <= MOST_CODES else {}
        plain = not hint.unordered and not hint.ordered
        if plain and counts and seem_codes(values.tolist(), [counts[text] for text in texts]):
            reason = f"its {len(texts)} whole numbers go up and down in frequency, as codes do"
            return ScaleGuess(Scale.NOMINAL, reason, natural_order(texts, mark))
        if texts.padded if isinstance(texts, NumberTexts) else any(re.fullmatch("0[0-9]+", text) for text in texts):
            return ScaleGuess(Scale.NOMINAL, _PADDED, tuple(sorted(texts)))
        if hint.unordered:
            return ScaleGuess(Scale.NOMINAL, CODED, natural_order(texts, mark))
        codes = [code for text in apart if (code := number(text, mark)) is not None]
        own = values[~np.isin(values, codes)]
        own = own if len(own) else values
        if len(texts) <= MOST_ORDERED and np.ptp(own) < DENSITY * len(own):
            reason = f"it has {len(texts)} distinct whole numbers, close to each other"
            return ScaleGuess(Scale.ORDINAL, reason, natural_order(texts, mark))
        reason = f"it has {len(texts)} distinct numbers, spread widely"
        return ScaleGuess(Scale.NUMERIC, reason, decimals=decimals_of(texts, mark))
    spans = duration_order(texts)
    if spans is not None:
        return ScaleGuess(Scale.ORDINAL, f"its {len(texts)} values are times of day or time spans", spans, timed=True)
    if not hint.unordered:
        if known := known_order(texts):
            return ScaleGuess(Scale.ORDINAL, "its words have a known order", known)
        if all(map(_PERIOD.fullmatch, texts)):
            return ScaleGuess(Scale.ORDINAL, "its values are quarters or weeks", tuple(sorted(texts)))
        if known := range_order(texts):
            return ScaleGuess(Scale.ORDINAL, "its values are ranges", known)
    reason = f"its {len(texts)} values are words without a known order{mixed_sentence(texts, mark)}"
    return ScaleGuess(Scale.NOMINAL, reason, natural_order(texts, mark))


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
    spans = [span_of(text) for text in texts]
    known = sorted((*span, text) for span, text in zip(spans, texts, strict=True) if span is not None)
    if len(known) < len(texts) or any(high > following for (_, high, _), (following, _, _) in pairwise(known)):
        return None
    return tuple(text for _, _, text in known)


def span_of(text: str) -> tuple[float, float] | None:
    """Return the bounds of a range or number as people write it: ``15-19``, ``65 and over``, ``moins de 15 ans``."""
    text = " ".join(plain(text).split())
    single = number(text)
    if single is not None:
        return single, single
    for kind, pattern in _ranges():
        if found := pattern.fullmatch(text):
            low, high = (float(_THOUSANDS.sub(r"\1", found[k]).replace(",", ".")) for k in (1, pattern.groups))
            low, high = -inf if kind == "below" else low, inf if kind == "above" else high
            return (low, high) if low <= high else None
    return None


@cache
def _ranges() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return patterns of ranges, of which the first that fits tells what a text means."""
    said = {key: "|".join(map(re.escape, text.split("|"))) for key, text in words()["ranges"].items()}
    amount, unit = r"[^0-9<>=+]{0,3}([0-9]+(?:[.,][0-9]+)?)\s*%?", r"(?:[a-z]{1,8}\.?\s+)?"
    between = rf"(?:{said['of']})?\s*[\[(]?{amount}\s*{unit}(?:{said['to']})\s*{amount}[\])]?"
    ends = {
        "between": between + r"(?:\s*[a-z]+\.?){0,2}",
        "below": rf"(?:<=?|(?:{said['below']})\b)\s*{amount}.{{0,8}}",
        "above": rf"(?:>=?|(?:{said['above']})\b)\s*{amount}.{{0,8}}",
    }
    after = {
        "above": rf"{amount}\s*(?:\+|{unit}(?:(?:{said['and']}) )?(?:{said['more']})\b).{{0,8}}",
        "below": rf"{amount}\s*{unit}(?:(?:{said['and']}) )?(?:{said['less']})\b.{{0,8}}",
    }
    return tuple((kind, re.compile(pattern)) for kind, pattern in (*ends.items(), *after.items()))


def seem_codes(values: Sequence[float], counts: Sequence[int]) -> bool:
    """Return whether whole numbers are codes rather than counts or grades, to judge by how often each occurs."""
    # Counts, grades and ages have one peak or fall from the start. Codes are in the order of a questionnaire: a
    # valley between two peaks is less than half as high as the lower one, by more than chance.
    order = sorted(range(len(values)), key=values.__getitem__)
    if not FEWEST_CODES <= len(values) <= MOST_CODES or values[order[0]] not in (0.0, 1.0):
        return False
    heights = [counts[position] for position in order]
    valleys = [(min(max(heights[:j]), max(heights[j + 1 :])), heights[j]) for j in range(1, len(heights) - 1)]
    return any(low < _DEEP * peak and peak - low > _DEVIATIONS * sqrt(peak + low) for peak, low in valleys)


@dataclass(frozen=True)
class Proposal:
    """The proposed attribute of a column."""

    attribute: Attribute
    role_reason: str  # why it has its role; empty where nothing tells one
    scale_reason: str = ""  # why it has its scale; empty where that follows from the role
    undecided: bool = False  # whether its values can be read in no one way

    @property
    def reason(self) -> str:
        """Both reasons as one."""
        return ", and ".join(filter(None, (self.role_reason, self.scale_reason)))

    def typed(self, declared: Attribute | None) -> "Proposal":
        """Return the proposal with the scale that the type of the file's column tells."""
        if declared is None or self.attribute.role in (Role.IDENTIFIER, Role.WEIGHT):
            return self
        if declared.role is not Role.OTHER:
            return Proposal(declared, "the file says so")
        if declared.categorical and not declared.categories:
            return self
        attribute = replace(declared, role=self.attribute.role, missing=self.attribute.missing, hierarchy=None)
        reason = "scale and categories are those of its type" if declared.categorical else "its type is one of numbers"
        missing = self.scale_reason.partition("; ")[2]
        return replace(self, attribute=attribute, scale_reason=f"{reason}; {missing}" if missing else reason)


def propose_column(
    column: Column, missing: Sequence[str], own: tuple[str, ...], apart: Sequence[str], measured: bool, label: str = ""
) -> Proposal:
    """Return an attribute for a column, by its name and values, with the reason."""
    # own: texts for a missing value of this column only; measured: whether the file measures bodies
    found = _proposed(column, (*missing, *own), apart, measured, label)
    texts = column.present((*missing, *own))
    reason = found.scale_reason
    if len(texts[:2]) == 1 and _ONE_VALUE not in found.reason:
        reason = ", and ".join(filter(None, (reason, _ONE_VALUE)))
    if own:
        reason = f"{reason}; {', '.join(map(repr, own))} taken for missing"
    return replace(found, attribute=replace(found.attribute, missing=own), scale_reason=reason)


def _proposed(column: Column, missing: Sequence[str], apart: Sequence[str], measured: bool, label: str) -> Proposal:
    name, hint = column.name, hint_of(column.name, label)
    says = "its name says" if hint_of(name).role is not None else "its label says"
    texts = column.present(missing)
    values = numbers(texts, column.mark)
    measures = values is not None and len(values) > 0
    size = column.recorded(missing)
    if hint.role is Role.HOUSEHOLD and LARGEST_HOUSEHOLD * len(texts) < size:
        # So common a value can only be the size or the kind of a household.
        hint = replace(hint, role=Role.QUASI_IDENTIFIER, unordered=False, ordered=True, demographic="trait")
    if hint.code and values is not None and not whole(values):
        guess = ScaleGuess(Scale.NOMINAL, CODED, tuple(sorted(texts)))
    else:
        guess = guess_scale(column, missing, hint, apart)

    def nominal(role: Role) -> Attribute:
        return Attribute(name, role, Scale.NOMINAL, natural_order(texts, column.mark))

    if guess.undecided and not hint.identifier:
        return Proposal(nominal(Role.DROP), "", f"{guess.undecided}: {UNDECIDED}", True)
    if not guess.date_format and not guess.timed:
        reason = _identifying(hint, texts, values, size)
        if not reason and hint.role is None and values is None and len(texts[: _FEW + 1]) > _FEW:
            reason = written_as("people", texts)
        if reason == _WORDS_DIFFER:
            reason += mixed_sentence(texts, column.mark)
        if reason:
            return Proposal(nominal(Role.IDENTIFIER), reason)
        reason = contacts_within(texts) if values is None else ""
        # Long labels of a few kinds occur many times, as those of diagnoses; free text hardly ever twice.
        if not reason and values is None and 5 * len(texts) > size:
            reason = free_text(texts)
        if reason:
            return Proposal(nominal(Role.DROP), reason)
    if hint.role is Role.WEIGHT and measures and (hint.certain or not measured):
        own = column.record_numbers(missing, None)
        if not hint.certain and (doubt := body_weights(own[~np.isnan(own)])):
            return Proposal(Attribute(name, scale=Scale.NUMERIC, decimals=guess.decimals), doubt)
        weight = Attribute(name, Role.WEIGHT, Scale.NUMERIC, decimals=decimals_of(texts, column.mark))
        return Proposal(weight, f"{says} a sampling weight")
    if hint.role in (Role.HOUSEHOLD, Role.STRATUM) and texts:
        return Proposal(nominal(hint.role), f"{says} {hint.role}")
    if hint.role is Role.WEIGHT and measures:
        guess = replace(guess, reason=f"{guess.reason}; the file measures bodies, so that this is no sampling weight")
    if hint.role is Role.SENSITIVE and texts and not guess.date_format:
        return Proposal(guess.attribute(name, Role.SENSITIVE), f"{says} something confidential", guess.reason)
    where = "" if hint.role is Role.QUASI_IDENTIFIER else written_as("places", texts)
    known = hint.role is Role.QUASI_IDENTIFIER or guess.date_format or where
    if not known or (guess.scale is not Scale.NUMERIC and len(guess.categories) < 2):
        return Proposal(guess.attribute(name), "", guess.reason)
    role_reason = where or ("others may know the day" if guess.date_format else f"{says[:-5]} is demographic")
    if guess.scale is not Scale.NUMERIC and len(guess.categories) > MOST_DEMOGRAPHIC:
        advice = "these are too many categories to be masked as they are: recode it first, or leave it out"
        return Proposal(guess.attribute(name, Role.DROP), role_reason, f"{guess.reason}; {advice}")
    return Proposal(guess.attribute(name, Role.QUASI_IDENTIFIER), role_reason, guess.reason)


def _identifying(hint: NameHint, texts: Sequence[str], values: NDArray[np.float64] | None, size: int) -> str:
    """Return why a column identifies respondents; empty when it does not seem to."""
    # Names and looks of values count at any size; that values differ counts in many records only.
    if hint.identifier and 2 * len(texts) > size:
        return "its name says that it identifies"
    shared = hint.identifier and len(texts) > MOST_CATEGORIES and (values is None or whole(values))
    if shared or (hint.naming and len(texts) > _YES_OR_NO):
        return "its name says that it identifies, although some records have the same value"
    many = len(texts[: _FEW + 1]) > _FEW
    if values is None:
        return written_as("contacts", texts) or (_WORDS_DIFFER if many and len(texts) >= _MOST * size else "")
    counts = many and whole(values) and len(texts) == size and np.ptp(values) == size - 1
    return "it counts the records" if counts else ""


def written_as(kind: str, texts: Sequence[str]) -> str:
    """Return why values are contacts or places, by how nearly all are written; empty where they do not seem to be."""
    if isinstance(texts, NumberTexts) and len(texts.words) < _MOST * len(texts):
        return ""  # no number is written as one of these
    plain = [text.strip() for text in texts]
    for way, reason in words()["patterns"][kind]:
        if 0 < _MOST * len(plain) <= sum(re.fullmatch(way, text) is not None for text in plain):
            return str(reason)
    return ""


def contacts_within(texts: Sequence[str]) -> str:
    """Return why texts disclose people, if one of them holds a telephone number or mail address; else empty."""
    words_alone = texts.words if isinstance(texts, NumberTexts) else texts
    ways = [re.compile(way) for way in words()["patterns"]["within"]]
    several = (text for text in words_alone if len(text.split()) > 1 and any(map(str.isalpha, text)))
    held = any(way.search(text) for text in several for way in ways)
    return "some of its texts hold a telephone number or a mail address" if held else ""


def free_text(texts: Sequence[str]) -> str:
    """Return why the values are free text, empty where they do not seem to be."""
    if len(texts) < FREE_TEXT_DISTINCT:
        return ""
    length = sum(map(len, texts)) / len(texts)
    number = sum(len(text.split()) for text in texts) / len(texts)
    if length < FREE_TEXT_LENGTH and number < FREE_TEXT_WORDS:
        return ""
    return f"it is free text, {len(texts)} values of {number:.0f} words on average, which may name people"


def body_weights(values: NDArray[np.float64]) -> str:
    """Return the question whether numbers are weights of bodies; empty where they can only be sampling weights."""
    # Sampling weights vary much, are 1 on average, or lie far from what people and births weigh.
    # values (n,)
    low, high, mean = float(values.min()), float(values.max()), float(values.mean())
    span = next(((least, most) for least, most in _BODIES if least <= low and high <= most), None)
    if span is None or abs(mean - 1.0) <= NORMALISED or float(values.std()) > MOST_VARIED * mean:
        return ""
    return (
        f"its numbers from {low:g} to {high:g} could be what bodies or births weigh: does each record stand for that "
        "many people? If so, give it the role weight; if others may know it, quasi-identifier"
    )
