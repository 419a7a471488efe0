"""Dates as files write them: recognising how, their order in time, and the hierarchy of months, quarters and years."""

import re
from collections.abc import Sequence
from datetime import date, datetime
from functools import lru_cache
from itertools import pairwise

from evosdc.errors import Fault, HierarchyError, did_you_mean
from evosdc.table.hierarchy import ROOT, Hierarchy

_DAYS = (
    "%Y-%m-%d %Y/%m/%d %d/%m/%Y %m/%d/%Y %d.%m.%Y %d-%m-%Y %m-%d-%Y %d/%m/%y %m/%d/%y %d.%m.%y %Y%m%d %Y-%m %m/%Y %m.%Y"
)
FORMATS = (
    *_DAYS.split(),
    "%d %b %Y", "%d-%b-%Y", "%d-%b-%y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d%b%Y", "%b %Y", "%B %Y",
    "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M", "%d.%m.%Y %H:%M",
)  # fmt: skip
"""Ways of writing days that are recognised, the first preferred: day first where day and month cannot be told apart."""

LEVELS = ("month", "quarter", "year", "decade")
"""What days can be generalised to, from the finest."""

EARLIEST, LATEST = 1850, 2150
"""Years of dates; numbers that read as days of other years are numbers."""

_SAMPLE = 30
_SPAN = re.compile(r"[0-9]{4}(?:-[0-9]{2}|-Q[1-4]|s)?")
_SIGNS = re.compile(r"[0-9]")


def date_format_of(texts: Sequence[str]) -> str:
    """Return the first of `FORMATS` that reads all texts as days, empty when none does."""
    sample = texts[:: max(len(texts) // _SAMPLE, 1)]
    candidates = [one for one in FORMATS if _all_days(sample, one)] if _may_be_days(sample) else []
    if not candidates or not _may_be_days(texts):
        return ""
    return next((candidate for candidate in candidates if _all_days(texts, candidate)), "")


def _may_be_days(texts: Sequence[str]) -> bool:
    return bool(texts) and all(_SIGNS.search(text) and 5 <= len(text) <= 20 for text in texts)


def either_way(texts: Sequence[str], date_format: str) -> bool:
    """Return whether the days of some texts could be their months as well, and the months their days."""
    swapped = date_format.replace("%d", "\0").replace("%m", "%d").replace("\0", "%m")
    return swapped != date_format and swapped in FORMATS and _all_days(texts, swapped)


def day_of(text: str, date_format: str) -> date | None:
    """Return the day that a text writes, None when it writes none between the years `EARLIEST` and `LATEST`."""
    if date_format == "%Y%m%d" and len(text) != 8:
        return None  # without separators 202011 would be the first of January
    try:
        day = datetime.strptime(text, date_format).date()
    except ValueError:
        return None
    return day if EARLIEST <= day.year <= LATEST else None


def is_span(text: str) -> bool:
    """Return whether a text is a month, quarter, year or decade as `date_hierarchy` writes it."""
    return _SPAN.fullmatch(text) is not None


def _all_days(texts: Sequence[str], date_format: str) -> bool:
    return all(day_of(text, date_format) is not None for text in texts)


def in_time(texts: Sequence[str], date_format: str) -> tuple[str, ...]:
    """Return texts in the order of time; those that write no day come last, sorted."""
    days = {text: day_of(text, date_format) for text in texts}
    return tuple(sorted(texts, key=lambda text: (days[text] is None, _moment(text, date_format), text)))


def _moment(text: str, date_format: str) -> datetime:
    # Times of one day differ as well, so the whole moment decides.
    try:
        return datetime.strptime(text, date_format)
    except ValueError:
        return datetime.max


def date_hierarchy(texts: Sequence[str], date_format: str, levels: Sequence[str] = LEVELS[:3]) -> Hierarchy:
    """Return the hierarchy of dates: ``2021-03-17``, ``2021-03``, ``2021-Q1``, ``2021``, ``*``.

    Parameters
    ----------
    texts : sequence of str
        The leaves.
    date_format : str
        How they write days.
    levels : sequence of str
        Of `LEVELS`, from the finest.

    Raises
    ------
    HierarchyError
        No or unknown levels, levels out of order, or texts that write no day.
    """
    faults = []
    for level in levels:
        if level not in LEVELS:
            faults.append(Fault("dates", repr(level), f"one of {', '.join(LEVELS)}", did_you_mean(level, LEVELS)))
    places = [LEVELS.index(level) for level in levels if level in LEVELS]
    if not places or any(b <= a for a, b in pairwise(places)):
        faults.append(Fault("dates", ", ".join(levels) or "no level", f"some of {', '.join(LEVELS)}, in this order"))
    days = {text: day_of(text, date_format) for text in texts}
    foreign = [text for text, day in days.items() if day is None]
    if foreign:
        given = f"{foreign[0]!r}" + (f" and {len(foreign) - 1} more" if len(foreign) > 1 else "")
        faults.append(Fault("dates", given, f"dates written as {date_format or 'none is'}"))
    if faults:
        raise HierarchyError(faults)
    rows = tuple((*(_label(day, level) for level in levels), ROOT) for day in days.values() if day is not None)
    return Hierarchy(tuple(days), rows, "dates")


@lru_cache(maxsize=4096)
def _label(day: date, level: str) -> str:
    if level == "month":
        return f"{day.year}-{day.month:02}"
    if level == "quarter":
        return f"{day.year}-Q{(day.month + 2) // 3}"
    return str(day.year) if level == "year" else f"{day.year // 10 * 10}s"
