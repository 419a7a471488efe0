"""The portfolio of categorical files."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, pairwise
from typing import Any

from evosdc.errors import Fault, ParameterError
from evosdc.model import Masking
from evosdc.table.schema import Scale
from evosdc.table.table import MISSING, Table
from evosdc_masking.frequencies import occurring
from evosdc_masking.swapping.rank_swapping import reach

_TENTHS = tuple(tenth / 10 for tenth in range(1, 10))
_SWAPS = range(1, 12)
_CLASSES = range(2, 10)
_MERGED = range(2, 7)
"""Merging a single category changes nothing, so the range begins at 2."""
_ALL_PAIRS = 4
"""Number of attributes up to which every pair is microaggregated."""


def categorical(table: Table) -> list[Masking]:
    """Return the default portfolio of a file's categorical attributes.

    The families are those compared by Torra (2004) and reviewed in chapter 2 of the thesis; numbers and ranges of the
    parameters are evosdc's own, a reconstruction:

    - PRAM of design a, p = 0.1..0.9, and of design b, theta = 0.1..0.9;
    - rank swapping, p = 1..11 percent;
    - MDAV, k = 2..9, of each attribute alone, of pairs, and of all attributes. All pairs are taken with up to four
      attributes. With more, only neighbours in the file's order form pairs, so that entries do not grow with the square
      of the number of attributes;
    - top and bottom coding of the ordinal attributes and global recoding of all, q = 2..6 categories. An entry is
      applied to the attributes with more than q categories in the file, so that none becomes constant.

    Entries that cannot apply (k > n) or would change nothing (ranks that cannot move, attributes with too few
    categories) are left out. The order is that of the list above; labels are unique.

    Parameters
    ----------
    table : Table
        The protected attributes. Numeric ones are left alone.

    Raises
    ------
    ParameterError
        There is no nominal or ordinal attribute, or no record.
    """
    faults = []
    names = tuple(a.name for a in table.schema.categorical)
    if not names:
        advice = "Declare attributes nominal or ordinal, or choose another start."
        faults.append(Fault("portfolio categorical", "no categorical attribute", "at least one", advice))
    if len(table) == 0:
        faults.append(Fault("portfolio categorical", "no record", "at least one record"))
    if faults:
        raise ParameterError(faults)
    whole = () if len(names) == len(table.schema) else names
    ranked = int((table.codes != MISSING).sum(axis=0).max())
    entries = _randomisations(whole)
    entries += [Masking("rank-swapping", {"p": p}, whole) for p in _SWAPS if reach(ranked, p) >= 1]
    for group in _groups(names):
        chosen = whole if len(group) == len(names) else group
        entries += [Masking("mdav", {"k": k}, chosen) for k in _CLASSES if k <= len(table)]
    return [*entries, *_recoded(table)]


def categories_only(table: Table, whole: tuple[str, ...]) -> list[Masking]:
    """Return the entries of the portfolio whose methods are for categories above all: PRAM and recodings.

    Parameters
    ----------
    table : Table
    whole : tuple of str
        Names of the categorical attributes, empty where there are no others.
    """
    return [*_randomisations(whole), *_recoded(table)]


def _randomisations(whole: tuple[str, ...]) -> list[Masking]:
    entries = [Masking("pram", {"design": "a", "p": p}, whole) for p in _TENTHS]
    return entries + [Masking("pram", {"design": "b", "theta": theta}, whole) for theta in _TENTHS]


def _recoded(table: Table) -> Iterator[Masking]:
    sizes = {a.name: occurring(table.codes[:, j]) for j, a in enumerate(table.schema.categorical)}
    ordinal = tuple(a.name for a in table.schema.categorical if a.scale is Scale.ORDINAL)
    yield from _recodings("top-coding", ordinal, sizes, table)
    yield from _recodings("bottom-coding", ordinal, sizes, table)
    yield from _recodings("global-recoding", tuple(sizes), sizes, table)


def _groups(names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the sets of attributes that are microaggregated together, each once."""
    pairs: Iterable[tuple[str, ...]] = combinations(names, 2) if len(names) <= _ALL_PAIRS else pairwise(names)
    yield from dict.fromkeys([*((name,) for name in names), *pairs, names])


def _recodings(method: str, names: tuple[str, ...], sizes: Mapping[str, int], table: Table) -> Iterator[Masking]:
    for q in _MERGED:
        chosen = tuple(name for name in names if q < sizes[name])
        if chosen:
            params: dict[str, Any] = {"q": q}
            yield Masking(method, params, () if len(chosen) == len(table.schema) else chosen)
