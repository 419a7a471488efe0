"""Date shifting."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Design, Parameters, Range, Tunable
from evosdc.table.dates import days_of
from evosdc.table.schema import Attribute, Scale
from evosdc.table.table import MISSING, Table

Days = NDArray[np.int64]


class DateShift(Tunable):
    """Move all dates of a record by the same number of days, drawn for each record.

    Days are drawn uniformly from -d to d. Each moved date is published as the nearest day that occurs in its attribute,
    the earlier of two, so that no day comes up that the file does not know and the first and last days stay the first
    and last. Times between the dates of a record are kept but for that rounding. Missing dates stay missing.

    Source: shifting of a record's dates by one random amount, as is usual for clinical records (Hripcsak et al. 2016);
    the nearest day that occurs is a reconstruction.
    """

    class Params(Parameters):
        """How far dates may move."""

        days: int = Field(default=30, ge=0, le=36_525, description="Greatest move in days; 0 changes nothing.")

    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.ORDINAL})
    params: Params

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return days from one to half of the span, of the attributes that are dates; none where there is no date."""
        dates = [a for a in table.schema.categorical if a.date_format and len(a.categories) > 1]
        if not dates:
            return []
        spans = [int(np.ptp(_days(attribute))) for attribute in dates]
        most = max(max(spans) // 2, 2)
        return [Design(free=(Range("days", 1, most, "log", whole=True),), attributes=tuple(a.name for a in dates))]

    def require_fit(self, table: Table) -> None:
        """Raise `ParameterError` naming each attribute that is no date."""
        super().require_fit(table)
        others = [a.name for a in table.schema.attributes if not a.date_format]
        if others:
            advice = 'Declare scale = "date" in the schema, or name the attributes to mask.'
            raise ParameterError(Fault("date-shift", f"{', '.join(others)}, no date", "dates", advice))

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the table with moved dates; one number is drawn for each record."""
        self.require_fit(table)
        moves = rng.integers(-self.params.days, self.params.days, len(table), endpoint=True)
        codes = table.codes.copy()
        for j, attribute in enumerate(table.schema.categorical):
            present = codes[:, j] != MISSING
            days = _days(attribute)
            codes[present, j] = nearest(days, days[codes[present, j]] + moves[present], codes[present, j])
        return Table(table.schema, codes, table.numbers)


def nearest(days: Days, wanted: Days, own: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the codes of the days nearest to wanted ones: one's own where it is among the nearest, else the earliest.

    Parameters
    ----------
    days : ndarray of int64, shape (c,)
        By code, not falling.
    wanted : ndarray of int64, shape (n,)
    own : ndarray of int32, shape (n,)
        The codes that records have.
    """
    after = np.minimum(np.searchsorted(days, wanted), len(days) - 1)
    before = np.maximum(after - 1, 0)
    earlier = np.abs(wanted - days[before]) <= np.abs(days[after] - wanted)
    chosen = np.searchsorted(days, days[np.where(earlier, before, after)])
    return np.where(days[chosen] == days[own], own, chosen).astype(np.int32)


def _days(attribute: Attribute) -> Days:
    """Return the days of the categories, counted from a fixed one."""
    days = days_of(attribute.categories, attribute.date_format)
    return days[~np.isnat(days)].astype(np.int64)
