"""Top and bottom coding: the extreme values of an attribute are published as one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationInfo, field_validator

from evosdc.errors import Fault, ParameterError, did_you_mean
from evosdc.model import Design, Parameters, Range, Tunable
from evosdc.table.generalisation import bound_label
from evosdc.table.numerals import number, numeral
from evosdc.table.schema import Attribute, Scale
from evosdc.table.table import Numbers, Table
from evosdc_masking.anonymity.publication import labelled_table
from evosdc_masking.averages import lower_median
from evosdc_masking.frequencies import frequencies, occurring
from evosdc_masking.recoding.global_recoding import mergings, too_many

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class NumberTail:
    """The numbers at one end of a column."""

    inside: NDArray[np.bool_]  # shape (n,); the records whose number is replaced
    threshold: float  # what the tail is published as, where it is not its average
    innermost: float  # where the tail begins: its own least extreme number, or the value that a user gives


def tail_by_share(column: Numbers, share: float, highest: bool) -> NumberTail:
    """Return the ``floor(share m)`` most extreme of m present numbers; the threshold is the next one."""
    # Where the next number equals some of them, those are not in the tail: they have the threshold's value already.
    # With the whole file in the tail the threshold is its least extreme number.
    values = np.sort(column[~np.isnan(column)])
    if values.size == 0:
        return NumberTail(np.zeros(column.shape, dtype=np.bool_), 0.0, 0.0)
    inwards = values[::-1] if highest else values
    size = whole(share, values.size)
    if size >= values.size:
        return NumberTail(~np.isnan(column), float(inwards[-1]), float(inwards[-1]))
    threshold = float(inwards[size])
    inside = column > threshold if highest else column < threshold
    innermost = inwards[int(inside.sum()) - 1] if inside.any() else threshold
    return NumberTail(inside, threshold, float(innermost))


def tail_by_value(column: Numbers, value: float, highest: bool) -> NumberTail:
    """Return the numbers from a value on; the value itself is the threshold and belongs to the tail."""
    return NumberTail(column >= value if highest else column <= value, value, value)


def categories_by_share(counts: Counts, inwards: Sequence[int] | Counts, share: float) -> int:
    """Return how many categories, taken in the order `inwards`, hold together at most a share of all records."""
    taken = np.cumsum(counts[np.asarray(inwards, dtype=np.int64)])
    return int(np.searchsorted(taken, whole(share, int(counts.sum())), side="right"))


def category_at(attribute: Attribute, value: float | str) -> int | None:
    """Return the code of the category with a label, or with a label that writes a number; None where there is none."""
    if isinstance(value, str):
        return attribute.code.get(value)
    return next((code for label, code in attribute.code.items() if number(label) == value), None)


def whole(share: float, n: int) -> int:
    """Return how many of n records a share is, rounded down."""
    return int(share * n + 1e-9)  # 1e-9: the product with an inexact share such as 0.07 may be meant whole


Output = Literal["threshold", "median", "mean", "label"] | None


def coded_categories(alone: Table, tail: NDArray[np.int64], highest: bool, output: Output) -> Table:
    """Return an ordinal attribute whose tail is one category, the lower median of its records unless told otherwise."""
    # alone: the attribute, shape (n, 1); tail: codes of the tail's categories; fewer than two change nothing; highest:
    # which end it is.
    if tail.size < 2:
        return alone
    attribute, column = alone.schema.attributes[0], alone.codes[:, 0]
    innermost = int(tail.min() if highest else tail.max())
    size = len(attribute.categories)
    if output == "label":
        groups = np.append(np.arange(size), -1)
        groups[tail] = size
        label = bound_label(attribute.categories[innermost], highest)
        return labelled_table(alone, attribute, (*attribute.categories, label), groups[column])
    merged = innermost
    if output != "threshold":
        counts = frequencies(column, size)
        found = int(lower_median(np.where(np.isin(np.arange(size), tail), counts, 0)))
        merged = found if found >= 0 else innermost
    recoding = np.append(np.arange(size), -1).astype(np.int32)
    recoding[tail] = merged
    return Table(alone.schema, recoding[alone.codes], alone.numbers)


def coded_numbers(alone: Table, tail: NumberTail, highest: bool, output: Output) -> Table:
    """Return a numeric attribute whose tail is one number, the threshold unless told otherwise, or one label."""
    # With labels every number becomes its numeral, so that the attribute is nominal whatever the file holds.
    attribute, column = alone.schema.attributes[0], alone.numbers[:, 0]
    if output == "label":
        distinct, positions = np.unique(column, return_inverse=True)
        labels = [_numeral(value, attribute.decimals) for value in distinct[~np.isnan(distinct)].tolist()]
        groups = np.where(np.isnan(column), -1, positions.reshape(-1))
        if tail.inside.any():
            labels.append(bound_label(_numeral(tail.innermost, attribute.decimals), highest))
            groups[tail.inside] = len(labels) - 1
        return labelled_table(alone, attribute, labels, groups)
    published = column.copy()
    if tail.inside.any():
        ascending = np.sort(column[tail.inside])
        # sums of the largest floats would overflow; a power of two is divided out and in again without rounding
        mean = np.clip(np.ldexp(np.ldexp(ascending, -64).mean(), 64), ascending[0], ascending[-1])
        averages = {"median": ascending[(ascending.size - 1) // 2], "mean": mean}
        published[tail.inside] = averages.get(output or "threshold", tail.threshold)
    return Table(alone.schema, alone.codes, published[:, None])


def _numeral(value: float, decimals: int) -> str:
    """Return the text of a number, with more decimals than the attribute's where it has more."""
    text = numeral(value, decimals)
    return text if float(text) == value else repr(value)


class ExtremeCoding(Tunable):
    """What top and bottom coding have in common: one end of each attribute, its tail, becomes a single value."""

    # The tail is given in one of three ways. By `q`, a number of categories (ordinal attributes); only categories that
    # occur count. By `share` of the records: the most categories from that end on that together hold no more than the
    # share, or the ``floor(share m)`` extreme ones of m present numbers. By `value`, a category or number from which on
    # all belong to the tail, for all attributes or by name; attributes that are not named stay as they are.
    # The tail is published as the `threshold` (the value itself; by share the next number; of categories the tail's
    # least extreme one), as the `median` of the tail, as the `mean` of the tail's numbers, or as a `label` such as ``>=
    # 65``. By default it is the threshold of numbers and the lower median of categories, so that the file keeps its
    # domain. Missing values stay missing and are not counted. Nominal attributes, which have no order, are refused.
    # Shares and representatives are a reconstruction; q is that of Domingo-Ferrer and Torra (2001).

    class Params(Parameters):
        """How much is merged, by one of three (a share of 0.05 unless given), and what is published for it."""

        q: int | None = Field(
            default=None, ge=1, description="Number of categories to merge, for ordinal attributes; 1 changes nothing."
        )
        value: float | str | dict[str, float | str] | None = Field(
            default=None, description="Number or category from which on all are merged, for all attributes or by name."
        )
        share: float | None = Field(
            default=None, ge=0, le=1, description="Share of the records to code; 0 changes nothing."
        )
        output: Literal["threshold", "median", "mean", "label"] | None = Field(
            default=None,
            description="What is published: threshold (numbers, unless given), median (categories, unless given), mean "
            "(numbers) or a label such as >= 65.",
        )

        replacement: float | str | dict[str, float | str] | None = Field(
            default=None,
            description="Number or category that is published for the tail, for all attributes or by name; in place of "
            "output.",
        )

        @field_validator("replacement")
        @classmethod
        def _instead(cls, value: Any, info: ValidationInfo) -> Any:
            if value is not None and info.data.get("output") is not None:
                raise ValueError("nothing, since output says what is published")
            return value

        @field_validator("share")
        @classmethod
        def _one_of_three(cls, share: float | None, info: ValidationInfo) -> float | None:
            if not {"q", "value"} <= set(info.data):
                return share  # one of them was refused already
            given = [key for key in ("q", "value") if info.data[key] is not None]
            if len(given) + (share is not None) > 1:
                raise ValueError("only one of q (number of categories), share (of the records) and value (threshold)")
            return 0.05 if not given and share is None else share

    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.ORDINAL, Scale.NUMERIC})
    params: Params
    name: ClassVar[str]
    highest: ClassVar[bool]

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return q up to one less than an attribute's categories, and of numbers a share of up to half."""
        numbers = tuple(attribute.name for attribute in table.schema.numeric)
        shares = [Design(free=(Range("share", 0.005, 0.5, "log"),), attributes=numbers)] if numbers else []
        return [*mergings(table), *shares]

    @property
    def generalises(self) -> bool:
        """Whether labels such as ``>= 65`` are published."""
        return self.params.output == "label"

    def require_fit(self, table: Table) -> None:
        """Raise `ParameterError` naming each attribute that q, value or output do not fit."""
        super().require_fit(table)
        faults = [fault for attribute in table.schema.attributes for fault in self._faults(table, attribute)]
        for key in ("value", "replacement"):
            given = getattr(self.params, key)
            wanted = f"one of {', '.join(table.schema.names)}"
            faults += [
                Fault(f"method {self.name}: {key}", repr(name), wanted, did_you_mean(name, table.schema.names))
                for name in (given if isinstance(given, Mapping) else ())
                if name not in table.schema
            ]
        if faults:
            raise ParameterError(faults)

    def _faults(self, table: Table, attribute: Attribute) -> list[Fault]:
        where, faults = f"method {self.name}", []
        q, value = self.params.q, self._value(attribute)
        if not attribute.categorical:
            if q is not None:
                wanted = "share or value"
                faults.append(Fault(f"{where}: q", f"numeric attribute {attribute.name}", wanted, _NO_CATEGORIES))
            if isinstance(value, str):
                faults.append(Fault(f"{where}: value for attribute {attribute.name}", repr(value), "a number"))
            if isinstance(own := self._replacement(attribute), str):
                faults.append(Fault(f"{where}: replacement for attribute {attribute.name}", repr(own), "a number"))
            return faults
        if q is not None and q > (size := occurring(np.asarray(table.column(attribute.name)))):
            faults.append(too_many(self.name, attribute, q, size))
        if value is not None and category_at(attribute, value) is None:
            wanted, advice = f"one of {', '.join(attribute.categories)}", did_you_mean(str(value), attribute.categories)
            faults.append(Fault(f"{where}: value for attribute {attribute.name}", repr(value), wanted, advice))
        own = self._replacement(attribute)
        if own is not None and category_at(attribute, own) is None:
            wanted, advice = f"one of {', '.join(attribute.categories)}", did_you_mean(str(own), attribute.categories)
            faults.append(Fault(f"{where}: replacement for attribute {attribute.name}", repr(own), wanted, advice))
        if self.params.output == "mean":
            wanted = "threshold, median or label"
            faults.append(Fault(f"{where}: output", f"mean of ordinal attribute {attribute.name}", wanted))
        return faults

    def _value(self, attribute: Attribute) -> float | str | None:
        value = self.params.value
        return value.get(attribute.name) if isinstance(value, dict) else value

    def _replacement(self, attribute: Attribute) -> float | str | None:
        own = self.params.replacement
        return own.get(attribute.name) if isinstance(own, dict) else own

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the coded table; nothing is random."""
        self.require_fit(table)
        published = table
        for attribute in table.schema.attributes:
            value = self._value(attribute)
            if self.params.value is None or value is not None:
                alone = table.select([attribute.name])
                coded = self._categories(alone, value) if attribute.categorical else self._numbers(alone, value)
                published = published.with_columns(coded)
        return published

    def _categories(self, alone: Table, value: float | str | None) -> Table:
        attribute = alone.schema.attributes[0]
        counts = frequencies(alone.codes[:, 0], len(attribute.categories))
        if value is not None:
            first = category_at(attribute, value)
            assert first is not None
            tail = np.arange(first, counts.size) if self.highest else np.arange(first + 1)
        else:
            occurs = np.flatnonzero(counts)
            inwards = occurs[::-1] if self.highest else occurs
            q = self.params.q
            tail = inwards[: q if q is not None else categories_by_share(counts, inwards, self.params.share or 0.0)]
        own = self._replacement(attribute)
        if own is not None:
            recoding = np.append(np.arange(counts.size), -1).astype(np.int32)
            published = category_at(attribute, own)
            assert published is not None
            recoding[tail] = published
            return Table(alone.schema, recoding[alone.codes], alone.numbers)
        return coded_categories(alone, tail, self.highest, self.params.output)

    def _numbers(self, alone: Table, value: float | str | None) -> Table:
        column = alone.numbers[:, 0]
        if value is None:
            tail = tail_by_share(column, self.params.share or 0.0, self.highest)
        else:
            tail = tail_by_value(column, float(value), self.highest)
        own = self._replacement(alone.schema.attributes[0])
        if own is not None:
            return Table(alone.schema, alone.codes, np.where(tail.inside, float(own), column)[:, None])
        return coded_numbers(alone, tail, self.highest, self.params.output)


class TopCoding(ExtremeCoding):
    """Merge the highest categories or values of each attribute into one.

    The end is a number ``q`` of categories, a ``share`` of the records, or all from a ``value`` on. What is published
    for it stays in the domain unless ``output = "label"``. Missing values stay missing; nominal attributes have no
    order and are refused. Shares and representatives are reconstructions.

    Source: Domingo-Ferrer and Torra (2001).
    """

    name = "top-coding"
    highest = True


class BottomCoding(ExtremeCoding):
    """Merge the lowest categories or values of each attribute into one.

    The end is a number ``q`` of categories, a ``share`` of the records, or all from a ``value`` on. What is published
    for it stays in the domain unless ``output = "label"``. Missing values stay missing; nominal attributes have no
    order and are refused. Shares and representatives are reconstructions.

    Source: Domingo-Ferrer and Torra (2001).
    """

    name = "bottom-coding"
    highest = False


_NO_CATEGORIES = "A number has no categories."
