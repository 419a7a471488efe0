"""The portfolio of numeric files."""

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np

from evosdc.errors import Fault, ParameterError
from evosdc.model import Masking
from evosdc.table.table import Table
from evosdc_masking.swapping.rank_swapping import reach

SWAPS = range(1, 21)
CLASSES = range(3, 11)
GROUPS = (4, 3)
"""How many attributes are microaggregated at a time, besides all of them."""
NOISE = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
QUALITIES = range(5, 101, 5)


def numeric(table: Table) -> list[Masking]:
    """Return the default portfolio of a file's numeric attributes.

    The families are those of the comparison by Domingo-Ferrer and Torra (2001), as told in the handbook chapter on
    privacy in data mining (table 35.1); its names stand behind ours. The ranges of p and of the first two k are those
    of the table, the others a reconstruction:

    - rank swapping, p = 1..20 percent (Rank01..Rank20);
    - MDAV without destandardising, k = 3..10, of all attributes (Micmul), and of four and of three at a time in the
      order of the file where there are more (Mic4mul, Mic3mul);
    - individual ranking, k = 3..10 (Micind);
    - projection on the first principal component (Micpcp) and the sum of z-scores (Miczs), k = 3..10;
    - uncorrelated noise, alpha = 0.01, 0.02, 0.05, 0.1, 0.2, 0.5;
    - JPEG, quality = 5..100 in steps of 5, where Pillow is installed.

    Entries that cannot apply (k > n) or would change nothing (ranks that cannot move) are left out. Labels are unique.

    Parameters
    ----------
    table : Table
        The protected attributes. Nominal and ordinal ones are left alone.

    Raises
    ------
    ParameterError
        There is no numeric attribute, or no record.
    """
    faults = []
    names = tuple(a.name for a in table.schema.numeric)
    if not names:
        advice = "Declare attributes numeric, or choose another start."
        faults.append(Fault("portfolio numeric", "no numeric attribute", "at least one", advice))
    if len(table) == 0:
        faults.append(Fault("portfolio numeric", "no record", "at least one record"))
    if faults:
        raise ParameterError(faults)
    whole = () if len(names) == len(table.schema) else names
    ranked = int((~np.isnan(table.numbers)).sum(axis=0).max())
    entries = [Masking("rank-swapping", {"p": p}, whole) for p in SWAPS if reach(ranked, p) >= 1]
    entries += _classes("mdav", {"destandardise": False}, whole, len(table))
    for size in GROUPS:
        if size < len(names):
            entries += _classes("mdav", {"group_size": size, "destandardise": False}, whole, len(table))
    return [*entries, *numbers_only(table, whole)]


def numbers_only(table: Table, whole: tuple[str, ...], qualities: range = QUALITIES) -> list[Masking]:
    """Return the entries of the portfolio whose methods mask nothing but numbers.

    Parameters
    ----------
    table : Table
    whole : tuple of str
        Names of the numeric attributes, empty where there are no others.
    qualities : range
        Of JPEG.
    """
    entries = list(_classes("individual-ranking", {}, whole, len(table)))
    for projection in ("principal-component", "z-scores"):
        entries += _classes("projected-microaggregation", {"projection": projection}, whole, len(table))
    entries += [Masking("noise", {"alpha": alpha}, whole) for alpha in NOISE]
    if find_spec("PIL") is not None:
        entries += [Masking("jpeg", {"quality": quality}, whole) for quality in qualities]
    return entries


def _classes(method: str, params: dict[str, Any], whole: tuple[str, ...], n: int) -> Iterator[Masking]:
    for k in CLASSES:
        if k <= n:
            yield Masking(method, {"k": k} | params, whole)
