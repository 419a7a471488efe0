"""Initial matrices of a search, and the standard ones that it is compared with."""

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Literal

import numpy as np

from evosdc.model import Masking
from evosdc.randomisation.invariance import diluted, two_stage
from evosdc.randomisation.transition import (
    Frequencies,
    Matrix,
    design_a,
    design_b,
    even,
    neighbour_weights,
    preference_matrix,
)
from evosdc.table.table import Table

TENTHS = tuple(tenth / 10 for tenth in range(1, 10))
Family = Literal["a", "b", "two-stage", "preference", "uniform", "near-identity"]
FAMILIES: tuple[Family, ...] = ("a", "b", "two-stage", "preference", "uniform", "near-identity")
_SHARES = (0.25, 0.5, 0.75, 1.0)
_NEAR = (0.9, 0.95, 0.99)

Design = Callable[[Frequencies], Matrix]


def pram_portfolio(table: Table) -> list[Masking]:
    """Return the standard matrices of designs a and b as maskings of all categorical attributes."""
    names = tuple(a.name for a in table.schema.categorical)
    whole = () if len(names) == len(table.schema) else names
    entries = [Masking("pram", {"design": "a", "p": p}, whole) for p in TENTHS]
    return entries + [Masking("pram", {"design": "b", "theta": theta}, whole) for theta in TENTHS]


def designs(families: tuple[Family, ...], invariant: bool) -> Iterator[tuple[Masking, Design]]:
    """Yield the initial matrices with what they are called."""
    # Families: ``a`` (p = 0.1..0.9), ``b`` (theta = 0.1..0.9), ``two-stage`` (of design a, p = 0.1..0.9),
    # ``preference`` (the linear program with neighbours preferred, diluted to four amounts), ``uniform`` (all occurring
    # categories alike) and ``near-identity`` (p_kk = 0.9, 0.95, 0.99, the rest alike). Ranges are a reconstruction.
    # invariant: whether only invariant matrices will do: designs a, uniform and near-identity then appear in their
    # two-stage form, which makes a family of its own superfluous.

    @cache
    def preferred(frequencies: tuple[int, ...]) -> Matrix:  # solved once for all shares that it is diluted by
        return preference_matrix(np.array(frequencies), neighbour_weights(len(frequencies)))

    def diluted_to(share: float) -> Design:
        return lambda T: diluted(preferred(tuple(T.tolist())), share)

    def form(design: Design) -> Design:
        return _staged(design) if invariant else design

    mark = {"form": "two-stage"} if invariant else {}
    if "a" in families:
        yield from ((Masking("pram", {"design": "a", "p": p} | mark), form(partial(design_a, p=p))) for p in TENTHS)
    if "b" in families:
        yield from ((Masking("pram", {"design": "b", "theta": t}), partial(design_b, theta=t)) for t in TENTHS)
    if "two-stage" in families and not (invariant and "a" in families):
        yield from ((Masking("two-stage", {"p": p}), _staged(partial(design_a, p=p))) for p in TENTHS)
    if "preference" in families:
        yield from ((Masking("preference", {"alpha": share}), diluted_to(share)) for share in _SHARES)
    if "uniform" in families:
        yield Masking("uniform", mark), form(lambda T: even(T, 1.0 / max(int(np.count_nonzero(T)), 1)))
    if "near-identity" in families:
        yield from ((Masking("near-identity", {"p": p} | mark), form(partial(even, p=p))) for p in _NEAR)


def _staged(design: Design) -> Design:
    return lambda T: two_stage(design(T), T)
