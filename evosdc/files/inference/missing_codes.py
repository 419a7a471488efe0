"""Codes that seem to stand for missing values: words among numbers, and numbers such as -9 and 99."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evosdc.files.column import Column
from evosdc.files.inference.name_hints import is_age
from evosdc.printing import printable
from evosdc.table.number_texts import NumberTexts
from evosdc.table.numerals import number

FEWEST_NUMBERS = 2
"""So many distinct numbers make a word beside them a code."""

MOST_WORDS = 3
"""More distinct words among numbers are values of their own."""

_NEGATIVE = frozenset(map(float, (-1, -2, -3, -4, -5, -6, -7, -8, -9, -88, -89, -97, -98, -99, -888, -999, -9999)))
_HIGH = (7.0, 8.0, 9.0, 88.0, 97.0, 98.0, 99.0, 888.0, 997.0, 998.0, 999.0, 8888.0, 9998.0, 9999.0, 99999.0, 999999.0)
_USUAL = """
    n na n/a n.a. nan null none nil missing miss unknown unk u x . .. - -- --- ? * # dk refused ref r not_applicable
    inapplicable not-available blank s .a .b .c .d .r .n
    """
_OTHER_LANGUAGES = """
    unbekannt|k.a.|k. a.|ka|keine angabe|fehlt|weiß nicht|weiss nicht
    inconnu|inconnue|manquant|non renseigné|nr|nsp
    desconocido|no consta|ns/nc|ns|nc|no contesta
    sconosciuto|non disponibile|n.d.|nd
    desconhecido|não sabe|sem informação
    onbekend|weet niet
    brak danych|brak|nieznane
    """
_WORDS = (
    frozenset(_USUAL.split())
    | {"don't know", "not applicable", "not available", "no answer", "not stated"}
    | frozenset(word for line in _OTHER_LANGUAGES.split("\n") for word in line.strip().split("|") if word)
)
_MOST_TIMES = 100.0
_MANY = 1000
_APART = 3.0
"""How far a one-digit code stands above all other numbers."""


@dataclass(frozen=True)
class MissingCode:
    """A text that seems to stand for a missing value in one column.

    Parameters
    ----------
    name : str
        The column.
    text : str
    records : int
        How many records have it.
    certain : bool
        Whether it is taken for missing without being asked about: a usual word among numbers.
    """

    name: str
    text: str
    records: int
    certain: bool

    @property
    def sentence(self) -> str:
        """What a user is told, and asked to decide."""
        where = f"{self.text!r} in {self.records} records of {printable(self.name)}"
        if self.certain:
            return f"{where} stands among numbers and is taken for missing."
        return f"{where} may stand for a missing value: if so, write missing = [{self.text!r}] in its line."


def suspected_codes(columns: Sequence[Column], missing: Sequence[str]) -> tuple[MissingCode, ...]:
    """Return the texts of each column that seem to stand for missing values, besides those that are known to.

    Parameters
    ----------
    columns : sequence of Column
    missing : sequence of str
        Texts that stand for missing values in all columns.
    """
    return tuple(code for column in columns for code in _of(column, missing))


def _of(column: Column, missing: Sequence[str]) -> list[MissingCode]:
    texts = column.present(missing)
    if isinstance(texts, NumberTexts):
        if len(texts.words) > MOST_WORDS:
            return []
        texts = _telling(texts)
    read = {text: number(text, column.mark) for text in texts}
    words = [text for text, value in read.items() if value is None]
    values = {text: value for text, value in read.items() if value is not None}
    if len(values) < FEWEST_NUMBERS or len(words) > MOST_WORDS:
        return []
    usual = [text for text in words if text.strip().lower() in _WORDS]
    if len(usual) < len(words):
        return []
    numbers = _negative(values) or _high(values, is_age(column.name))
    return [MissingCode(column.name, text, column.count(text), text in usual) for text in (*usual, *numbers)]


def _telling(texts: NumberTexts) -> Sequence[str]:
    """Return those of many texts that tell codes as well as all do.

    These are words, what may be a code, the two greatest other numbers, some below nought, and a fraction.
    """
    below = texts.occurring[texts.occurring < 0.0]
    if texts.fractional and (not len(below) or len(np.unique(below[:_MANY])) > MOST_WORDS):
        # Beside a fraction no high number is a code, and of so many negative ones none is.
        return (*texts.words, *texts.beginning(FEWEST_NUMBERS))
    values = texts.values
    codes = np.isin(values, _HIGH)
    chosen = codes | ~texts.is_number
    others = np.flatnonzero(~chosen)
    fractions = others[values[others] != np.rint(values[others])]
    chosen[fractions[:1]] = True
    if len(others):
        low, high = min(MOST_WORDS + 1, len(others)), max(len(others) - FEWEST_NUMBERS, 0)
        chosen[others[np.argpartition(values[others], low - 1)[:low]]] = True
        chosen[others[np.argpartition(values[others], high)[high:]]] = True
    return tuple(texts.take(np.flatnonzero(chosen)))


def _negative(values: Mapping[str, float]) -> list[str]:
    """Return negative codes: a few whole numbers below nought where nothing else is."""
    below = {text: value for text, value in values.items() if value < 0}
    if not below or len(below) > MOST_WORDS or len(values) - len(below) < FEWEST_NUMBERS:
        return []
    return sorted(below, key=below.__getitem__) if all(value in _NEGATIVE for value in below.values()) else []


def _high(values: Mapping[str, float], ages: bool) -> list[str]:
    """Return nines, eights and the like that stand apart above all other numbers, which are whole and not negative.

    Of ages a smaller gap is enough: few people are older than 90, so that 99 is hardly one of them.
    """
    if any(value != int(value) for value in values.values()):
        return []
    codes = {text: value for text, value in values.items() if value in _HIGH}
    rest = [value for text, value in values.items() if text not in codes]
    found = []
    for text, value in sorted(codes.items(), key=lambda entry: entry[1]):
        # A code has about as many digits as the values need, and a gap below: 99 after 90 is an age, after 85 a code.
        gap = _APART if ages or value < 10 else max(value / 10, _APART)
        if rest and len(rest) >= FEWEST_NUMBERS and value - max(rest) >= gap and value < _MOST_TIMES * max(*rest, 1.0):
            found.append(text)
        elif not found:
            rest.append(value)
    return found if len(found) <= MOST_WORDS else []
