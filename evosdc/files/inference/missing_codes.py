"""Codes that seem to represent missing values: words among numbers, 00.00.1950, -9 and 99, labels such as Refused."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from evosdc.files.column import Column
from evosdc.files.inference.name_hints import hint_of, words
from evosdc.files.schema.schema_file import value_text
from evosdc.printing import printable
from evosdc.table.dates import no_days
from evosdc.table.numerals import NumberTexts, number

FEWEST_NUMBERS = 2  # fewest distinct numbers that make a word beside them a code
MOST_WORDS = 3  # more distinct words among numbers are values of their own
MOST_LABELS = 100  # labels of a column of words are looked at where there are no more
_NEGATIVE = frozenset(map(float, (-1, -2, -3, -4, -5, -6, -7, -8, -9, -88, -89, -97, -98, -99, -888, -999, -9999)))
# 7, 8, 9, 97, 98, 99, 997, ..., and eights
_HIGH = (*(float("9" * digits + last) for digits in range(7) for last in "789"), 88.0, 888.0, 8888.0, 88888.0)
_MOST_TIMES = 100.0
_APART = 3.0  # how far a one-digit code is above all other numbers
# a number with at least this many records, and this many times the mean frequency, may be a code nearer to the others
_FREQUENT = 5
_WHOLE = re.compile(r"(?<=[0-9]),0+$")
MAY_STAND = " may stand for a missing value"
_LABEL = re.compile(r"[-\d\s.:()]*(.*?)[\s.()]*")


@dataclass(frozen=True)
class MissingCode:
    """A text that seems to represent a missing value in one column."""

    name: str  # the column
    text: str
    records: int  # how many records have it
    certain: bool  # whether it is taken for missing without confirmation: a usual word among numbers, no day of dates


def code_sentences(
    codes: Sequence[MissingCode], known: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> list[str]:
    """Return one sentence for each column with unconfirmed codes, and what to type to add them to its known ones."""
    said = []
    for name in dict.fromkeys(code.name for code in codes):
        own = [code for code in codes if code.name == name]
        found = " and ".join(f"{code.text!r} in {code.records} records" for code in own)
        # 99 for 99,0, whose comma would part two codes
        texts = [_WHOLE.sub("", text) for text in (*known.get(name, ()), *(code.text for code in own))]
        listed = ",".join(texts) if not any("," in text for text in texts) else value_text(texts)
        typed = shlex.join(["evosdc", "edit", "SCHEMA", printable(name), f"missing={listed}"])
        said.append(f"{found} of {printable(name)}{MAY_STAND}: if so, {typed}")
    return said


def suspected_codes(
    columns: Sequence[Column],
    missing: Sequence[str],
    labels: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> tuple[MissingCode, ...]:
    """Return the texts of each column that seem to represent missing values, besides those that are known to."""
    found = []
    for column in columns:
        codes = _codes_of(column, missing)
        said = labels.get(column.name, {})
        labelled = column.occurring([text for text, label in said.items() if _says_why(label)])
        codes |= {text: False for text in labelled if text not in codes and text not in missing}
        found += [MissingCode(column.name, text, column.count(text), certain) for text, certain in codes.items()]
    return tuple(found)


def _says_why(label: str) -> bool:
    """Whether a label says why there is no answer: ``Refused``, ``9 Don't know``."""
    said = _LABEL.fullmatch(label.lower())
    return said is not None and said[1] in words()["missing"]["labels"].split("|")


def _codes_of(column: Column, missing: Sequence[str]) -> dict[str, bool]:
    """Return texts that seem to represent missing values, and whether that is certain."""
    texts = column.present(missing)
    if odd := no_days(texts) if len(texts) and (len(texts[0]) == 8 or not isinstance(texts, NumberTexts)) else ():
        return dict.fromkeys(odd, True)
    if isinstance(texts, NumberTexts):
        if len(texts.words) > MOST_WORDS:
            return {}
        texts = _telling(texts)
    read = {text: number(text, column.mark) for text in texts}
    others = [text for text, value in read.items() if value is None]
    values = {text: value for text, value in read.items() if value is not None}
    if len(values) < FEWEST_NUMBERS or len(others) > MOST_WORDS:
        # a column of words
        said = [text for text in texts if _says_why(text)] if 2 < len(texts) <= MOST_LABELS else []
        return dict.fromkeys(said, False) if 2 * len(said) < len(texts) else {}
    usual = [text for text in others if text.strip().lower() in words()["missing"]["words"].split("|")]
    if len(usual) < len(others):
        return {}
    below = {text: value for text, value in values.items() if value < 0}
    few = below and len(below) <= MOST_WORDS and len(values) - len(below) >= FEWEST_NUMBERS
    negative = sorted(below, key=below.__getitem__) if few and set(below.values()) <= _NEGATIVE else []
    codes = negative or _high(values, hint_of(column.name).age, column)
    return dict.fromkeys(usual, True) | dict.fromkeys(codes, False)


def _telling(texts: NumberTexts) -> Sequence[str]:
    """Return words, possible codes, a fraction, and the least and greatest other numbers: enough to recognise codes."""
    # Read from the cells, since telling a million of them apart takes longer than reading the file.
    values = texts.occurring
    whole = values == np.rint(values)
    chosen = np.isnan(values)
    chosen[np.flatnonzero(whole)[np.isin(values[whole], _HIGH)]] = True
    others = values[~chosen]
    chosen[np.flatnonzero(~chosen & ~whole)[:1]] = True
    for extreme, count in ((np.min, MOST_WORDS + 1), (np.max, FEWEST_NUMBERS)):
        left = others
        for _ in range(count):
            if len(left):
                value = extreme(left)
                chosen |= values == value
                left = left[left != value]
    return tuple(texts.of_cells(np.flatnonzero(chosen)))


def _high(values: Mapping[str, float], ages: bool, column: Column) -> list[str]:
    """Return nines, eights and the like that are apart above all other numbers, which are not negative."""
    # Few people are older than 90: of ages a smaller gap is enough, and where a code is far more frequent than other
    # numbers, as among amounts. Beside a fraction nothing else is a code.
    codes = {text: value for text, value in values.items() if value in _HIGH}
    rest = [value for text, value in values.items() if text not in codes]
    broken = any(value != int(value) for value in rest)
    found = []
    for text, value in sorted(codes.items(), key=lambda entry: entry[1]):
        count = column.count(text) if value >= 10 else 0
        # How many distinct texts there are is found out where it matters only: of a million it takes a second.
        frequent = count >= _FREQUENT and count * len(column.texts) >= _FREQUENT * column.recorded(())
        # A code has about as many digits as the values need, and a gap below: 99 after 90 is an age, after 85 a code.
        gap = _APART if ages or value < 10 or frequent else max(value / 10, _APART)
        alone = value - max(rest, default=value) >= gap and (frequent or value < _MOST_TIMES * max((*rest, 1.0)))
        if len(rest) >= FEWEST_NUMBERS and alone and (frequent or not broken):
            found.append(text)
        elif not found:
            rest.append(value)
    return found if len(found) <= MOST_WORDS else []
