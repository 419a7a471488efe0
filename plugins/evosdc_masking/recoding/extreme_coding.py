"""Top and bottom coding: the extreme values of an attribute are published as one."""

from collections.abc import Mapping, Sequence
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

Tail = tuple[NDArray[np.bool_], float, float]  # records in it, the threshold, and where it begins (for its label)


def number_tail(column: Numbers, share: float, highest: bool) -> Tail:
    """Return the ``floor(share m)`` most extreme of m present numbers; the threshold is the next one."""
    # Where the next number equals some of them, those are not in the tail: they have the threshold's value already.
    # With the whole file in the tail the threshold is its least extreme number.
    values = np.sort(column[~np.isnan(column)])
    if values.size == 0:
        return np.zeros(column.shape, dtype=np.bool_), 0.0, 0.0
    inwards = values[::-1] if highest else values
    size = whole(share, values.size)
    if size >= values.size:
        return ~np.isnan(column), float(inwards[-1]), float(inwards[-1])
    threshold = float(inwards[size])
    inside = column > threshold if highest else column < threshold
    return inside, threshold, float(inwards[int(inside.sum()) - 1] if inside.any() else threshold)


def category_at(attribute: Attribute, value: float | str) -> int | None:
    """Return the code of the category with a label, or with a label that writes a number; None where there is none."""
    if isinstance(value, str):
        return attribute.code.get(value)
    return next((code for label, code in attribute.code.items() if number(label) == value), None)


def whole(share: float, n: int) -> int:
    """Return how many of n records a share is, rounded down."""
    return int(share * n + 1e-9)  # 1e-9: the product with an inexact share such as 0.07 may be meant whole


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
            None, ge=1, description="Number of categories to merge, for ordinal attributes; 1 changes nothing."
        )
        value: float | str | dict[str, float | str] | None = Field(
            None, description="Number or category from which on all are merged, for all attributes or by name."
        )
        share: float | None = Field(None, ge=0, le=1, description="Share of the records to code; 0 changes nothing.")
        output: Literal["threshold", "median", "mean", "label"] | None = Field(
            None,
            description="What is published: threshold (numbers, unless given), median (categories, unless given), mean "
            "(numbers) or a label such as >= 65.",
        )

        replacement: float | str | dict[str, float | str] | None = Field(
            None,
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
        where, name, q = f"method {self.name}", attribute.name, self.params.q
        faults = []
        if q is not None and not attribute.categorical:
            wanted = "share or value"
            faults.append(Fault(f"{where}: q", f"numeric attribute {name}", wanted, "A number has no categories."))
        elif q is not None and q > (size := occurring(np.asarray(table.column(name)))):
            faults.append(too_many(self.name, attribute, q, size))
        for key in ("value", "replacement"):
            own, place = self._own(key, attribute), f"{where}: {key} for attribute {name}"
            if attribute.categorical and own is not None and category_at(attribute, own) is None:
                wanted = f"one of {', '.join(attribute.categories)}"
                faults.append(Fault(place, repr(own), wanted, did_you_mean(str(own), attribute.categories)))
            elif not attribute.categorical and isinstance(own, str):
                faults.append(Fault(place, repr(own), "a number"))
        if attribute.categorical and self.params.output == "mean":
            wanted = "threshold, median or label"
            faults.append(Fault(f"{where}: output", f"mean of ordinal attribute {name}", wanted))
        return faults

    def _own(self, key: str, attribute: Attribute) -> float | str | None:
        """Return the value or replacement of an attribute."""
        own = getattr(self.params, key)
        return own.get(attribute.name) if isinstance(own, dict) else own

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the coded table; nothing is random."""
        self.require_fit(table)
        published = table
        for attribute in table.schema.attributes:
            value = self._own("value", attribute)
            if self.params.value is None or value is not None:
                alone = table.select([attribute.name])
                code = self._categories if attribute.categorical else self._numbers
                published = published.with_columns(code(alone, attribute, value))
        return published

    def _categories(self, alone: Table, attribute: Attribute, value: float | str | None) -> Table:
        """Return an ordinal attribute whose tail is one category, by default the lower median of its records."""
        column, size, output = alone.codes[:, 0], len(attribute.categories), self.params.output
        counts = frequencies(column, size)
        if value is not None:
            first = category_at(attribute, value)
            assert first is not None
            tail = np.arange(first, size) if self.highest else np.arange(first + 1)
        else:
            occurs = np.flatnonzero(counts)
            inwards = occurs[::-1] if self.highest else occurs
            # Categories that hold together at most the share of all records.
            limit = whole(self.params.share or 0.0, int(counts.sum()))
            by_share = int(np.searchsorted(np.cumsum(counts[inwards]), limit, side="right"))
            tail = inwards[: by_share if self.params.q is None else self.params.q]
        merged: int | None = None
        if (own := self._own("replacement", attribute)) is not None:
            merged = category_at(attribute, own)
        elif tail.size < 2:
            return alone
        innermost = int(tail.min() if self.highest else tail.max()) if tail.size else 0
        if merged is None and output == "label":
            groups = np.append(np.arange(size), -1)
            groups[tail] = size
            label = bound_label(attribute.categories[innermost], self.highest)
            return labelled_table(alone, attribute, (*attribute.categories, label), groups[column])
        if merged is None:
            median = int(lower_median(np.where(np.isin(np.arange(size), tail), counts, 0)))
            merged = innermost if output == "threshold" or median < 0 else median
        recoding = np.append(np.arange(size), -1).astype(np.int32)
        recoding[tail] = merged
        return Table(alone.schema, recoding[alone.codes], alone.numbers)

    def _numbers(self, alone: Table, attribute: Attribute, value: float | str | None) -> Table:
        """Return a numeric attribute whose tail is one number, the threshold by default, or one label."""
        column = alone.numbers[:, 0]
        if value is None:
            inside, threshold, innermost = number_tail(column, self.params.share or 0.0, self.highest)
        else:
            threshold = innermost = float(value)
            inside = column >= threshold if self.highest else column <= threshold
        own = self._own("replacement", attribute)
        if own is None and self.params.output == "label":
            # Every number becomes its numeral, so that the attribute is nominal whatever the file holds.
            distinct, positions = np.unique(column, return_inverse=True)
            labels = [_numeral(number, attribute.decimals) for number in distinct[~np.isnan(distinct)].tolist()]
            groups = np.where(np.isnan(column), -1, positions.reshape(-1))
            if inside.any():
                labels.append(bound_label(_numeral(innermost, attribute.decimals), self.highest))
                groups[inside] = len(labels) - 1
            return labelled_table(alone, attribute, labels, groups)
        published = column.copy()
        if own is not None:
            published[inside] = float(own)
        elif inside.any():
            ascending = np.sort(column[inside])
            # sums of the largest floats would overflow; a power of two is divided out and in again without rounding
            mean = np.clip(np.ldexp(np.ldexp(ascending, -64).mean(), 64), ascending[0], ascending[-1])
            averages = {"median": ascending[(ascending.size - 1) // 2], "mean": mean}
            published[inside] = averages.get(self.params.output or "threshold", threshold)
        return Table(alone.schema, alone.codes, published[:, None])


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
