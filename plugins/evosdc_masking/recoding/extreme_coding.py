"""Top and bottom coding."""

from __future__ import annotations

from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationInfo, field_validator

from evosdc.data.schema import Scale
from evosdc.data.table import Numbers, Table
from evosdc.errors import Fault, ParameterError
from evosdc.model import MaskingMethod, Parameters
from evosdc_masking.frequencies import frequencies, occurring
from evosdc_masking.recoding.merging import merged, too_many

Counts = NDArray[np.int64]
T = TypeVar("T", bound=np.generic)


class ExtremeCoding(MaskingMethod):
    """What top and bottom coding have in common: one end of each attribute becomes a single value.

    The end is told either by q, a number of categories (ordinal attributes), or by a share of the records (ordinal
    and numeric ones). Only categories that occur count towards q. A share of an ordinal attribute means the most
    categories from that end on that together hold no more than this share of the records. The merged categories are
    represented by the lower median of their records, so that the file keeps its domain. Of a numeric attribute with m
    present values the ``floor(share m)`` extreme ones are replaced by the next value, the threshold. Missing values
    stay missing and are not counted. Representatives and shares are a reconstruction; the parameter q is that of
    Domingo-Ferrer and Torra (2001).

    An attribute without order, a nominal one, is refused.
    """

    class Params(Parameters):
        """How much is merged: one of the two, a share of 0.05 unless given."""

        q: int | None = Field(
            default=None, ge=1, description="Number of categories to merge, for ordinal attributes; 1 changes nothing."
        )
        share: float | None = Field(
            default=None, ge=0, le=1, description="Share of the records to code; 0 changes nothing."
        )

        @field_validator("share")
        @classmethod
        def _one_of_two(cls, share: float | None, info: ValidationInfo) -> float | None:
            if "q" not in info.data:
                return share  # q was refused already
            if info.data["q"] is not None and share is not None:
                raise ValueError("only one of q (number of categories) and share (of the records)")
            return 0.05 if info.data["q"] is None and share is None else share

    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.ORDINAL, Scale.NUMERIC})
    params: Params
    name: ClassVar[str]
    highest: ClassVar[bool]

    def require_fit(self, table: Table) -> None:
        """Raise `ParameterError` naming what has fewer than q categories, and numeric attributes when q is given."""
        super().require_fit(table)
        q = self.params.q
        if q is None:
            return
        faults = [
            Fault(f"method {self.name}: q", f"numeric attribute {a.name}", "share", "A number has no categories.")
            for a in table.schema.numeric
        ]
        found = [(a, occurring(table.codes[:, j])) for j, a in enumerate(table.schema.categorical)]
        faults += [too_many(self.name, a, q, size) for a, size in found if q > size]
        if faults:
            raise ParameterError(faults)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the coded table.

        Raises
        ------
        ParameterError
            Names each attribute with fewer than q categories in the file, and each numeric one when q is given.
        """
        self.require_fit(table)
        q, share = self.params.q, self.params.share
        codes = np.empty_like(table.codes)
        for j, attribute in enumerate(table.schema.categorical):
            counts = frequencies(table.codes[:, j], len(attribute.categories))
            inwards = self._inwards(np.flatnonzero(counts))
            size = q if q is not None else _categories_within(counts[inwards], share or 0.0)
            codes[:, j] = merged(counts, inwards[:size], attribute.scale)[table.codes[:, j]]
        numbers = np.empty_like(table.numbers)
        for j in range(numbers.shape[1]):
            numbers[:, j] = self._limited(table.numbers[:, j], share or 0.0)
        return Table(table.schema, codes, numbers)

    def _inwards(self, ascending: NDArray[T]) -> NDArray[T]:
        return ascending[::-1] if self.highest else ascending

    def _limited(self, column: Numbers, share: float) -> Numbers:
        values = np.sort(column[~np.isnan(column)])
        if values.size == 0:
            return column
        threshold = self._inwards(values)[min(_whole(share, values.size), values.size - 1)]
        limited: Numbers = np.minimum(column, threshold) if self.highest else np.maximum(column, threshold)
        return limited


class TopCoding(ExtremeCoding):
    """Merge the highest categories or values of each attribute; see `ExtremeCoding`."""

    name = "top-coding"
    highest = True


class BottomCoding(ExtremeCoding):
    """Merge the lowest categories or values of each attribute; see `ExtremeCoding`."""

    name = "bottom-coding"
    highest = False


def _whole(share: float, n: int) -> int:
    """Return how many of n records a share is, rounded down."""
    return int(share * n + 1e-9)  # 1e-9: the product with an inexact share such as 0.07 may be meant whole


def _categories_within(counts: Counts, share: float) -> int:
    """Return how many categories, taken in the order given, hold together at most a share of all records."""
    return int(np.searchsorted(np.cumsum(counts), _whole(share, int(counts.sum())), side="right"))
