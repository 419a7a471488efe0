"""Dates as files write them: recognising how, their order in time, and the hierarchy of months, quarters and years.

A column of dates is written in one way, ``format``, in the signs of `datetime.strptime`. Two-digit years need more: of
which hundred years they are is decided over the whole column, and the format says so: ``%d/%m/%y from 1930`` reads 35
as 1935 and 03 as 2003. Times of day may follow each day, with their zone; where they are given dates are in the order
of the moments.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, HierarchyError, did_you_mean
from evosdc.table.hierarchy import ROOT, Hierarchy

Days = NDArray[np.datetime64]
_DAYS = (
    "%Y-%m-%d %Y/%m/%d %d/%m/%Y %m/%d/%Y %d.%m.%Y %d-%m-%Y %m-%d-%Y %Y.%m.%d "
    "%d/%m/%y %m/%d/%y %d.%m.%y %d-%m-%y %m-%d-%y %Y%m%d %Y-%m %Y/%m %m/%Y %m.%Y"
)
# ways of writing days that are recognised, the first preferred: day first where day and month cannot be distinguished
FORMATS = (
    *_DAYS.split(),
    "%d %b %Y", "%d-%b-%Y", "%d-%b-%y", "%d %b %y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%d%b%Y",
    "%d%b%y", "%b-%y", "%b %Y", "%B %Y",
)  # fmt: skip
# what days can be generalised to, from the finest
_LABELS = {
    "month": lambda day: f"{day.year}-{day.month:02}",
    "quarter": lambda day: f"{day.year}-Q{(day.month + 2) // 3}",
    "year": lambda day: str(day.year),
    "decade": lambda day: f"{day.year // 10 * 10}s",
}
LEVELS = tuple(_LABELS)
EARLIEST, LATEST = 1850, 2150  # years of dates; numbers that read as days of other years are numbers
_SAMPLE = 30
_FEW = 3  # most texts among dates that name no day and are taken for missing
_MOST_BESIDE = 20  # fewest dates for each of them
_DIGIT = re.compile("[0-9]")
_CENTURY = 100
_AHEAD = 30  # most years from now for dates other than births
_GAP = 5  # two-digit years without so large a gap do not tell where their century begins: they end this year
_NO_DAY = np.datetime64("NaT", "D")
SPAN = re.compile(r"[0-9]{4}(?:-[0-9]{2}|-Q[1-4]|s)?")  # a month, quarter, year or decade of `date_hierarchy`
_FROM = re.compile(r"(.*) from ([0-9]{4})")
_CLOCK = re.compile(
    r"^(?P<day>.*[^T ])(?P<sep>T| +)(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})"
    r"(?:[.,](?P<fraction>[0-9]{1,9}))?)? ?(?P<half>[AaPp][Mm])?(?: ?(?P<zone>Z|UTC|GMT|[+-][0-9]{2}(?::?[0-9]{2})?))?$"
)
_CLOCK_SIGNS = re.compile(r"(.*[^T ])(?:T| +)%[HI]:.*")
_UNITS = {"y": 365.25 * 86400, "mo": 30.4375 * 86400, "w": 7 * 86400.0, "d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0}
_ISO_SPAN = re.compile(r"(-?)P([0-9.YMWD]*)(?:T([0-9.HMS]+))?")
_CLOCK_SPAN = re.compile(
    r"([+-]?)(?:([0-9]+) days?,? ?[+-]?)?(?:([0-9]{1,4}):([0-9]{2})(?::([0-9]{2}(?:\.[0-9]+)?))?)?"
)
_WORD_SPAN = re.compile(r"(?:([0-9]+(?:\.[0-9]+)?) ?(y|mo|w|d|h|m|s)[a-z]*\.?,? ?)+")
_WORD_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?(y|mo|w|d|h|m|s)[a-z]*")


def date_format_of(texts: Sequence[str], past: bool = False) -> str:
    """Return the first of `FORMATS` that reads all texts as days, with times of day where texts have them."""
    sample = texts[:: max(len(texts) // _SAMPLE, 1)]
    if not _may_be_days(sample):
        return ""
    candidates = [one for one in FORMATS if _all_days(sample, one)]
    if not candidates or not _may_be_days(texts):
        return ""
    found = next((candidate for candidate in candidates if _all_days(texts, candidate)), "")
    clocks = [clock for clock in map(_CLOCK.match, texts) if clock] if found else []
    zones = sum(clock["zone"] is not None for clock in clocks)
    if not found or zones not in (0, len(clocks)):  # only some of the times have a zone
        return ""
    signs = ""
    if clocks:
        half = any(clock["half"] for clock in clocks)
        signs = f"{clocks[0]['sep'][0]}{'%I' if half else '%H'}:%M"
        signs += ":%S" if any(clock["second"] for clock in clocks) else ""
        signs += ".%f" if any(clock["fraction"] for clock in clocks) else ""
        signs += (" %p" if half else "") + ("%z" if zones else "")
    return f"{found}{signs}{_window(texts, found, past)}"


def _may_be_days(texts: Sequence[str]) -> bool:
    return bool(texts) and all(5 <= len(text) <= 40 and any(sign.isdigit() for sign in text) for text in texts)


def _all_days(texts: Sequence[str], date_format: str) -> bool:
    return _reads(texts[0], date_format) and not np.isnat(days_of(texts, date_format)).any()


def _reads(text: str, date_format: str) -> bool:
    """Whether a text may be a day: `days_of`, which has the last word, takes a hundred times as long for one."""
    clock = _CLOCK.match(text) if ":" in text else None
    try:
        datetime.strptime(clock["day"] if clock else text, date_format)
    except ValueError:
        return False
    return True


def with_century(texts: Sequence[str], date_format: str, past: bool = False) -> str:
    """Return a format with the century of two-digit years, by the texts where it has none."""
    if "%y" not in date_format or _FROM.fullmatch(date_format):
        return date_format
    days = [text for text, day in zip(texts, days_of(texts, date_format), strict=True) if not np.isnat(day)]
    return f"{date_format}{_window(days, date_format, past)}" if days else date_format


def _window(texts: Sequence[str], date_format: str, past: bool) -> str:
    """Return which hundred years two-digit years are of: ``" from 1930"``; empty where years have four digits."""
    # The years lie between the largest gap of a century and its other end, as late as may be: not after this year where
    # they are past, else not far after it.
    if "%y" not in date_format:
        return ""
    years = np.unique(days_of(texts, f"{date_format} from 2000").astype("datetime64[Y]").astype(int) + 1970 - 2000)
    gaps = np.diff([*years, years[0] + _CENTURY])
    first = int(years[(int(gaps.argmax()) + 1) % len(years)])
    last = first + _CENTURY - int(gaps.max())
    now = datetime.now().year
    latest = now if past else now + _AHEAD
    start = 2000 + first if 2000 + first <= now and 2000 + last <= latest else 1900 + first
    end = start + last - first
    if end > latest or gaps.max() < _GAP:
        return f" from {now - _CENTURY + 1}"
    decade = start // 10 * 10
    return f" from {decade if decade + _CENTURY > end else start}"


def first_year_of(date_format: str) -> int | None:
    """Return the first of the hundred years that two-digit years are of; None where years have four digits."""
    found = _FROM.fullmatch(date_format)
    return int(found[2]) if found else 2000 if "%y" in date_format else None


def century_sentence(date_format: str) -> str:
    """Return the note on two-digit years; empty where years have four digits."""
    first = first_year_of(date_format)
    if first is None:
        return ""
    return f"two-digit years are read as {first} to {first + _CENTURY - 1}, which is a guess"


def either_way(texts: Sequence[str], date_format: str) -> bool:
    """Return whether the days of some texts could be their months as well, and the months their days."""
    date_format = _day_signs(date_format)
    swapped = date_format.replace("%d", "\0").replace("%m", "%d").replace("\0", "%m")
    return swapped != date_format and swapped in FORMATS and _all_days(texts, swapped)


def contradiction_of(texts: Sequence[str]) -> tuple[str, ...]:
    """Return two texts of a column of dates that no one way of writing them has; none where there is one."""
    sample = texts[:: max(len(texts) // _SAMPLE, 1)]
    if not _may_be_days(sample) or not any(_reads(text, one) for one in FORMATS for text in sample):
        return ()
    read = {one: ~np.isnat(days_of(texts, one)) for one in FORMATS}
    best = max(read, key=lambda one: int(read[one].sum()))
    if not read[best].any():
        return ()
    if read[best].all():  # days are written in one way, times of day are not
        zoned = {bool(found["zone"]): text for text in texts if (found := _CLOCK.match(text))}
        return (zoned[True], zoned[False]) if len(zoned) > 1 else ()
    other = max(read, key=lambda one: int((read[one] & ~read[best]).sum()))
    rest = read[other] & ~read[best]
    if not rest.any() or (read[best] | rest).mean() < 0.9:
        return ()
    return texts[int((read[best] & ~read[other]).argmax())], texts[int(rest.argmax())]


def no_days(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the few texts among dates that are written as these and name no day, such as ``00.00.1950``."""
    first = texts[:_FEW]
    if len(texts) < _MOST_BESIDE * _FEW or not _may_be_days(first):
        return ()
    for one in FORMATS:
        if not any(_reads(text, one) for text in first):
            continue
        unread = np.flatnonzero(np.isnat(days_of(texts, one))).tolist()
        if len(unread) > min(_FEW, len(texts) // _MOST_BESIDE):
            continue
        odd = [texts[place] for place in unread]
        ways = {_DIGIT.sub("0", text) for text in texts if text not in odd}
        # Those that another format reads are dates written in another way (`contradiction_of`).
        alike = all(_DIGIT.sub("0", text) in ways for text in odd)
        return tuple(odd) if alike and not any(_reads(text, other) for text in odd for other in FORMATS) else ()
    return ()


def _day_signs(date_format: str) -> str:
    """Return the signs for days alone."""
    found = _FROM.fullmatch(date_format)
    plain = found[1] if found else date_format
    clock = _CLOCK_SIGNS.fullmatch(plain)
    return clock[1] if clock else plain


def days_of(texts: Sequence[str], date_format: str) -> Days:
    """Return the day that each text writes, by its own clock; NaT where it writes none from `EARLIEST` to `LATEST`."""
    signs = _day_signs(date_format)
    plain = [found["day"] if ":" in text and (found := _CLOCK.match(text)) else text for text in texts]
    first = first_year_of(date_format)
    if not plain:
        return np.empty(0, dtype="datetime64[D]")
    import pandas as pd

    moments = pd.to_datetime(pd.Series(plain, dtype=object), format=signs, errors="coerce", utc="%z" in signs)
    days: Days = moments.dt.tz_localize(None).to_numpy().astype("datetime64[D]")
    if signs == "%Y%m%d":  # without separators 202011 would be the first of January
        days[np.array([len(text) != 8 for text in plain])] = _NO_DAY
    years = days.astype("datetime64[Y]")
    numbers = years.astype(np.int64) + 1970
    numbers[np.isnat(days)] = 0
    if first is not None:
        moved = (numbers - first) % _CENTURY + first
        months = days.astype("datetime64[M]") + 12 * (moved - numbers)
        days = np.where(np.isnat(days), _NO_DAY, months.astype("datetime64[D]") + (days - days.astype("datetime64[M]")))
        numbers = moved
    days[(numbers < EARLIEST) | (numbers > LATEST)] = _NO_DAY
    return days


def moments_of(texts: Sequence[str], date_format: str) -> NDArray[np.datetime64]:
    """Return the moment that each text writes, in UTC where it has a zone, to the microsecond; NaT for none."""
    moments = days_of(texts, date_format).astype("datetime64[us]")
    microseconds = np.zeros(len(texts), dtype=np.int64)
    for place, found in enumerate(map(_CLOCK.match, texts)):
        if not found:
            continue
        hour, half, zone = int(found["hour"]), (found["half"] or "").lower(), found["zone"] or ""
        hour = hour % 12 + (12 if half == "pm" else 0) if half else hour
        seconds = hour * 3600 + int(found["minute"]) * 60 + int(found["second"] or 0)
        if zone[:1] in ("+", "-"):
            digits = zone[1:].replace(":", "").ljust(4, "0")
            seconds -= (1 if zone[0] == "+" else -1) * (int(digits[:2]) * 3600 + int(digits[2:]) * 60)
        microseconds[place] = seconds * 1_000_000 + int((found["fraction"] or "0")[:6].ljust(6, "0"))
    moments += microseconds.astype("timedelta64[us]")
    return moments


def in_time(texts: Sequence[str], date_format: str) -> tuple[str, ...]:
    """Return texts in the order of time; those that write no day come last, sorted."""
    moments = moments_of(texts, date_format)
    # NaT sorts last, and texts of one moment by themselves.
    return tuple(texts[place] for place in np.lexsort((np.array(texts, dtype=str), moments)).tolist())


def duration_order(texts: Sequence[str]) -> tuple[str, ...] | None:
    """Return times of day or time spans by how long they are; None where some text is neither."""
    found = {}
    for text in texts:
        seconds = _seconds_of(text.strip())
        if seconds is None:
            return None
        found[text] = seconds
    return tuple(sorted(found, key=lambda text: (found[text], text))) if found else None


def _seconds_of(text: str) -> float | None:
    # Clocks (``7:30``), pandas (``3 days 07:30:00``), ISO 8601 (``P3DT7H``), words (``2 h 30 min``).
    if (clock := _CLOCK_SPAN.fullmatch(text)) and (clock[2] or clock[3]):
        inner = float(clock[3] or 0) * 3600 + float(clock[4] or 0) * 60 + float(clock[5] or 0)
        # pandas writes minus one hour as -1 days +23:00:00
        days = float(clock[2] or 0) * 86400
        return inner - days if clock[1] == "-" and clock[2] else (-inner if clock[1] == "-" else days + inner)
    iso = _ISO_SPAN.fullmatch(text)
    words = (iso[2].replace("M", "mo") + (iso[3] or "") if iso else text).lower()
    if not _WORD_SPAN.fullmatch(words):
        return None
    seconds = sum(float(count) * _UNITS[unit] for count, unit in _WORD_PART.findall(words))
    return -seconds if iso and iso[1] else seconds


def date_hierarchy(texts: Sequence[str], date_format: str, levels: Sequence[str] = LEVELS[:3]) -> Hierarchy:
    """Return the hierarchy of dates: ``2021-03-17``, ``2021-03``, ``2021-Q1``, ``2021``, ``*``."""
    faults = []
    for level in levels:
        if level not in LEVELS:
            faults.append(Fault("dates", repr(level), f"one of {', '.join(LEVELS)}", did_you_mean(level, LEVELS)))
    places = [LEVELS.index(level) for level in levels if level in LEVELS]
    if not places or any(b <= a for a, b in pairwise(places)):
        faults.append(Fault("dates", ", ".join(levels) or "no level", f"some of {', '.join(LEVELS)}, in this order"))
    days = dict(zip(texts, days_of(texts, date_format).tolist(), strict=True))
    foreign = [text for text, day in days.items() if day is None]
    if foreign:
        given = f"{foreign[0]!r}" + (f" and {len(foreign) - 1} more" if len(foreign) > 1 else "")
        faults.append(Fault("dates", given, f"dates written as {date_format or 'none is'}"))
    if faults:
        raise HierarchyError(faults)
    rows = tuple((*(_LABELS[level](day) for level in levels), ROOT) for day in days.values())
    return Hierarchy(tuple(days), rows, "dates")
