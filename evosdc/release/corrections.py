"""Whether users can correct tables for the masking of a column, tried out on the original that the custodian has.

The usual correction takes values that were changed for random ones. With q the share of values kept beyond chance, a
group's published shares are ``p' = q p + (1 - q) r`` and the file's ``m' = q m + (1 - q) r``, whatever r is, so that
``p = m + (p' - m') / q``. Values agree with probability ``a = q + (1 - q) sum m r``; without r that is
``q = (a - sum m m') / (1 - sum m m)``. Users know m' alone and take it for m. A masking that an algorithm searched for
is not random: there the correction may do harm, so that it is told only where it helps.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.release.analyses import FEWEST
from evosdc.release.classes import Classed, classed
from evosdc.table.table import Numbers, Table

HELPS = 0.9
"""Share of the error of published figures that corrected ones may have, for a correction to be worth its while."""

FINE = 1000
"""Records from which the share kept beyond chance is rounded to hundredths; below to tenths."""


def corrections(original: Table, published: Table, tables: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return, for each masked attribute with tables of two, whether the correction helps where they do not hold.

    Parameters
    ----------
    original, published : Table
        As of `evosdc.release.analyses.analyses`.
    tables : sequence of mapping
        Its tables.

    Returns
    -------
    list of dict
        ``attribute kept poor published corrected helps nearer``: the share kept beyond chance, rounded as users get
        it; the columns whose table with the attribute does not hold; the root mean square by which shares within
        their groups are off as published and as corrected (0..1; null without any); whether to correct, and by how
        many per cent that is nearer.
    """
    poor: dict[str, list[str]] = {}
    for entry in tables:
        names = [str(name) for name in entry["attributes"]]
        for name, other in (names, names[::-1]) if len(names) == 2 else ():
            poor.setdefault(name, []).extend([] if entry["holds"] else [other])
    singles = [str(entry["attributes"][0]) for entry in tables if len(entry["attributes"]) == 1]
    cache: dict[str, Classed] = {}

    def column(name: str) -> Classed:
        if name not in cache:
            cache[name] = classed(original, published, name)
        return cache[name]

    return [_correction(column(name), [column(other) for other in poor.get(name, ())]) for name in singles]


def _correction(target: Classed, groups: Sequence[Classed]) -> dict[str, Any]:
    digits = 2 if len(target.original) >= FINE else 1
    kept = round(kept_beyond_chance(target), digits)
    errors = [found for by in groups if (found := _errors(target, by, kept)) is not None] if kept > 0.0 else []
    before, after = (_root(np.concatenate([pair[side] for pair in errors])) if errors else None for side in (0, 1))
    helps = before is not None and after is not None and after <= HELPS * before
    return {
        "attribute": target.attribute.name,
        "kept": kept,
        "poor": [by.attribute.name for by in groups],
        "published": before,
        "corrected": after,
        "helps": helps,
        "nearer": 100.0 * (1.0 - after / before) if before and after is not None else None,
    }


def kept_beyond_chance(target: Classed) -> float:
    """Return the share of values that were kept and did not agree by chance, 0..1."""
    joint = target.joint / max(len(target.original), 1)
    before, after = joint.sum(axis=1), joint.sum(axis=0)
    room = 1.0 - float(before @ before)
    kept = (float(np.trace(joint)) - float(before @ after)) / room if room > 1e-12 else 0.0
    return min(max(kept, 0.0), 1.0)


def corrected(shares: Numbers, margin: Numbers, kept: float) -> Numbers:
    """Return shares within groups (rows) as users correct them: ``m + (p' - m) / q``, cut to 0..1, each row of sum 1.

    Parameters
    ----------
    shares : ndarray of float64, shape (g, c)
        As published.
    margin : ndarray of float64, shape (c,)
        Shares in the whole published file.
    kept : float
        Share of values kept beyond chance, above 0.
    """
    cut = np.clip(margin + (shares - margin) / kept, 0.0, 1.0)
    return np.asarray(cut / cut.sum(axis=1, keepdims=True), dtype=np.float64)


def _errors(target: Classed, by: Classed, kept: float) -> tuple[Numbers, Numbers] | None:
    """Return by how much shares of an attribute within groups are off, as published and corrected; None without any."""
    before, after = (_counts(target, by, side) for side in ("original", "published"))
    told = (before.sum(axis=1) >= FEWEST) & (after.sum(axis=1) >= FEWEST)
    if not told.any():
        return None
    margin = after.sum(axis=0) / after.sum()
    true, shares = (side[told] / side[told].sum(axis=1, keepdims=True) for side in (before, after))
    return (shares - true).reshape(-1), (corrected(shares, margin, kept) - true).reshape(-1)


def _counts(target: Classed, by: Classed, side: str) -> NDArray[np.int64]:
    rows, columns = len(by.labels), len(target.labels)
    cells = getattr(by, side) * columns + getattr(target, side)
    return np.bincount(cells, minlength=rows * columns).reshape(rows, columns)


def _root(differences: Numbers) -> float:
    return float(np.sqrt(np.mean(differences**2)))
