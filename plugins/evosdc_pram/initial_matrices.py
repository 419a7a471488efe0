"""Initial matrices of a search, and the standard ones that it is compared with."""

from collections.abc import Callable, Iterator
from typing import Literal

import numpy as np

from evosdc.model import Masking
from evosdc.randomisation.invariance import diluted, two_stage
from evosdc.randomisation.preference_matrix import neighbour_weights, preference_matrix
from evosdc.randomisation.transition import Frequencies, Matrix, design_a, design_b
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

    def form(design: Design) -> Design:
        return (lambda T: two_stage(design(T), T)) if invariant else design

    mark = {"form": "two-stage"} if invariant else {}
    if "a" in families:
        yield from ((Masking("pram", {"design": "a", "p": p} | mark), form(_a(p))) for p in TENTHS)
    if "b" in families:
        yield from ((Masking("pram", {"design": "b", "theta": theta}), _b(theta)) for theta in TENTHS)
    if "two-stage" in families and not (invariant and "a" in families):
        yield from ((Masking("two-stage", {"p": p}), _two_stage(_a(p))) for p in TENTHS)
    if "preference" in families:
        solved = _Preferences()
        yield from ((Masking("preference", {"alpha": share}), solved.diluted(share)) for share in _SHARES)
    if "uniform" in families:
        yield Masking("uniform", mark), form(_uniform)
    if "near-identity" in families:
        yield from ((Masking("near-identity", {"p": p} | mark), form(_near(p))) for p in _NEAR)


def _a(p: float) -> Design:
    return lambda T: design_a(T, p)


def _b(theta: float) -> Design:
    return lambda T: design_b(T, theta)


def _two_stage(design: Design) -> Design:
    return lambda T: two_stage(design(T), T)


class _Preferences:
    """Preference matrices, each solved once for all shares that it is diluted by."""

    def __init__(self) -> None:
        self._solved: dict[bytes, Matrix] = {}

    def diluted(self, share: float) -> Design:
        """Return the design with a share of the matrix in it."""

        def design(T: Frequencies) -> Matrix:
            if T.tobytes() not in self._solved:
                self._solved[T.tobytes()] = preference_matrix(T, neighbour_weights(T.size))
            return diluted(self._solved[T.tobytes()], share)

        return design


def _uniform(T: Frequencies) -> Matrix:
    return _near(1.0 / max(int(np.count_nonzero(T)), 1))(T)


def _near(p: float) -> Design:
    """Return the design with p on the diagonal of occurring categories and the rest spread evenly over the others."""

    def design(T: Frequencies) -> Matrix:
        occurring = np.flatnonzero(T)
        matrix = np.identity(T.size)
        if occurring.size > 1:
            matrix[np.ix_(occurring, occurring)] = (1.0 - p) / (occurring.size - 1)
            matrix[occurring, occurring] = p
        return matrix

    return design
