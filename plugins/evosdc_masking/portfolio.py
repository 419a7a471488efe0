"""The portfolios of files with categories, with numbers, and with both."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from evosdc.errors import Fault, ParameterError
from evosdc.model import Masking
from evosdc.table.schema import Scale
from evosdc.table.table import MISSING, Table
from evosdc_masking.frequencies import occurring
from evosdc_masking.swapping.rank_swapping import reach

_TENTHS = tuple(tenth / 10 for tenth in range(1, 10))
_SWAPS = range(1, 12)
_CLASSES = range(2, 10)
_MERGED = range(2, 7)  # merging a single category changes nothing, so the range begins at 2
_ALL_PAIRS = 4  # number of attributes up to which every pair is microaggregated


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

    Other attributes are left alone. Raises `ParameterError` where there is no record, or no attribute to mask.
    """
    names = tuple(a.name for a in table.schema.categorical)
    _require_some("categorical", names, table)
    whole = () if len(names) == len(table.schema) else names
    ranked = int((table.codes != MISSING).sum(axis=0).max())
    entries = _randomisations(whole)
    entries += [Masking("rank-swapping", {"p": p}, whole) for p in _SWAPS if reach(ranked, p) >= 1]
    for group in _groups(names):
        chosen = whole if len(group) == len(names) else group
        entries += [Masking("mdav", {"k": k}, chosen) for k in _CLASSES if k <= len(table)]
    return [*entries, *_recoded(table)]


def categories_only(table: Table, whole: tuple[str, ...]) -> list[Masking]:
    """Return the entries of the portfolio whose methods are for categories above all: PRAM and recodings."""
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


NUMERIC_SWAPS = range(1, 21)
NUMERIC_CLASSES = range(3, 11)
GROUPS = (4, 3)  # attributes microaggregated together, in addition to all of them
NOISE = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
NUMERIC_QUALITIES = range(5, 101, 5)


def numeric(table: Table) -> list[Masking]:
    """Return the default portfolio of a file's numeric attributes.

    The families are those of the comparison by Domingo-Ferrer and Torra (2001), as given in the handbook chapter on
    privacy in data mining (table 35.1); its names follow ours. The ranges of p and of the first two k are those
    of the table, the others a reconstruction:

    - rank swapping, p = 1..20 percent (Rank01..Rank20);
    - MDAV without destandardising, k = 3..10, of all attributes (Micmul), and of four and of three at a time in the
      order of the file where there are more (Mic4mul, Mic3mul);
    - individual ranking, k = 3..10 (Micind);
    - projection on the first principal component (Micpcp) and the sum of z-scores (Miczs), k = 3..10;
    - uncorrelated noise, alpha = 0.01, 0.02, 0.05, 0.1, 0.2, 0.5;
    - JPEG, quality = 5..100 in steps of 5, where Pillow is installed.

    Entries that cannot apply (k > n) or would change nothing (ranks that cannot move) are left out. Labels are unique.

    Other attributes are left alone. Raises `ParameterError` where there is no record, or no attribute to mask.
    """
    names = tuple(a.name for a in table.schema.numeric)
    _require_some("numeric", names, table)
    whole = () if len(names) == len(table.schema) else names
    ranked = int((~np.isnan(table.numbers)).sum(axis=0).max())
    entries = [Masking("rank-swapping", {"p": p}, whole) for p in NUMERIC_SWAPS if reach(ranked, p) >= 1]
    entries += _classes("mdav", {"destandardise": False}, whole, len(table))
    for size in GROUPS:
        if size < len(names):
            entries += _classes("mdav", {"group_size": size, "destandardise": False}, whole, len(table))
    return [*entries, *numbers_only(table, whole)]


def numbers_only(table: Table, whole: tuple[str, ...], qualities: range = NUMERIC_QUALITIES) -> list[Masking]:
    """Return the entries of the portfolio whose methods mask nothing but numbers."""
    entries = list(_classes("individual-ranking", {}, whole, len(table)))
    for projection in ("principal-component", "z-scores"):
        entries += _classes("projected-microaggregation", {"projection": projection}, whole, len(table))
    entries += [Masking("noise", {"alpha": alpha}, whole) for alpha in NOISE]
    if find_spec("PIL") is not None:
        entries += [Masking("jpeg", {"quality": quality}, whole) for quality in qualities]
    return entries


def _classes(method: str, params: dict[str, Any], whole: tuple[str, ...], n: int) -> Iterator[Masking]:
    for k in NUMERIC_CLASSES:
        if k <= n:
            yield Masking(method, {"k": k} | params, whole)


MIXED_SWAPS = range(1, 12)
MIXED_CLASSES = range(2, 10)
MIXED_QUALITIES = range(10, 101, 10)


def mixed(table: Table) -> list[Masking]:
    """Return the default portfolio of a file that has both categories and numbers, a reconstruction.

    First the methods that mask all attributes: rank swapping (p = 1..11 percent), MDAV and Mondrian (k = 2..9 each).
    Then methods that leave the attributes of the other kind as they are. For categories, as in the portfolio
    `categorical`: PRAM, top, bottom and global coding. For numbers, as in `numeric`: individual ranking, projected
    microaggregation, noise and JPEG. A search combines them by crossover.

    Entries that cannot apply (k > n) or would change nothing are left out. Labels are unique.

    Raises `ParameterError` where there is no record, or attributes of one kind alone.
    """
    names, numbers = (tuple(a.name for a in kind) for kind in (table.schema.categorical, table.schema.numeric))
    if not names or not numbers or len(table) == 0:
        given = "no record" if names and numbers else f"no {'numeric' if names else 'categorical'} attribute"
        advice = "The portfolios categorical and numeric are for attributes of one kind."
        raise ParameterError(Fault("portfolio mixed", given, "records with categories and numbers", advice))
    present = np.concatenate(((table.codes != MISSING).sum(axis=0), (~np.isnan(table.numbers)).sum(axis=0)))
    entries = [Masking("rank-swapping", {"p": p}) for p in MIXED_SWAPS if reach(int(present.max()), p) >= 1]
    for method in ("mdav", "mondrian"):
        entries += [Masking(method, {"k": k}) for k in MIXED_CLASSES if k <= len(table)]
    return [*entries, *categories_only(table, names), *numbers_only(table, numbers, MIXED_QUALITIES)]


def _require_some(kind: str, names: Sequence[str], table: Table) -> None:
    """Raise `ParameterError` where a table has no attribute of a kind, or no record."""
    where, faults = f"portfolio {kind}", []
    if not names:
        wanted = "numeric" if kind == "numeric" else "nominal or ordinal"
        advice = f"Declare attributes {wanted}, or choose another start."
        faults.append(Fault(where, f"no {kind} attribute", "at least one", advice))
    if len(table) == 0:
        faults.append(Fault(where, "no record", "at least one record"))
    if faults:
        raise ParameterError(faults)
