# ruff: noqa: D102 -- methods are described where they are declared
"""Columns of numbers, nearly every record with one of its own."""

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evosdc.files.column import Column, Index
from evosdc.files.record_texts import NumbersOfRecords, RecordTexts
from evosdc.table.number_syntax import number


class RecordColumn(Column):
    """A column of many numbers, of which equal ones are told only where that is asked for.

    Parameters
    ----------
    name : str
    records : NumbersOfRecords
    """

    texts: RecordTexts

    def __init__(self, name: str, records: NumbersOfRecords) -> None:
        for key, value in (("name", name), ("texts", RecordTexts(records)), ("mark", records.mark)):
            object.__setattr__(self, key, value)

    def __len__(self) -> int:
        return len(self.texts.records.values)

    @cached_property
    def index(self) -> Index:
        return self.texts.records.told[1]

    def called(self, name: str) -> "RecordColumn":
        return RecordColumn(name, self.texts.records)

    def told(self) -> Column:
        texts, index = self.texts.records.told
        return Column(self.name, texts, index, self.mark)

    def present(self, missing: Sequence[str]) -> Sequence[str]:
        among = [text for text in missing if text in self.texts]
        if set(among) <= set(self.texts.words):
            return RecordTexts(self.texts.records, among) if among else self.texts
        return super().present(missing)

    def count(self, text: str) -> int:
        return len(self.texts.records.having(text))

    def occurring(self, texts: Sequence[str]) -> list[str]:
        firsts = {text: found[0] for text in texts if len(found := self.texts.records.having(text))}
        return sorted(firsts, key=lambda text: firsts[text])

    @property
    def lacking(self) -> bool:
        return False

    def having(self, holds: Callable[[str], bool]) -> NDArray[np.bool_]:
        return self.standing([word for word in self.texts.words if holds(word)])

    def standing(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        """Return which records have one of some texts, shape (n,)."""
        found = np.zeros(len(self), dtype=np.bool_)
        for text in texts:
            found[self.texts.records.having(text)] = True
        return found

    def recorded(self, missing: Sequence[str]) -> int:
        return len(self) - sum(map(self.count, missing))

    def record_numbers(self, missing: Sequence[str], decimals: int | None) -> NDArray[np.float64]:
        values = self.texts.records.to_decimals(decimals)
        absent = [self.texts.records.having(text) for text in missing if number(text, self.mark) is not None]
        if any(len(places) for places in absent):
            values = values.copy()
            values[np.concatenate(absent)] = np.nan
        return values
