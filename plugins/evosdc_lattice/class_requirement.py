"""What makes a class safe: k-anonymity, l-diversity, t-closeness and p-sensitivity, in any combination."""

from dataclasses import dataclass
from math import log
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evosdc_lattice.earth_mover import Ground, distances
from evosdc_lattice.required_models import RequiredModel
from evosdc_lattice.rollup import Counts, Sensitive, absorbing_failures

Diversity = Literal["distinct", "entropy", "recursive"]
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class SensitiveAttribute:
    """A sensitive attribute's place in the table of sensitive counts.

    Parameters
    ----------
    name : str
    begin, end : int
        Its columns.
    ground : Ground
        How far its values are apart, for t-closeness.
    overall : ndarray of float64, shape (end - begin,)
        Its distribution in the whole file.
    """

    name: str
    begin: int
    end: int
    ground: Ground
    overall: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClassRequirement:
    """The conditions that every published class must meet; a class that fails one is suppressed whole.

    Parameters
    ----------
    k : int
        Least number of records.
    l : float, optional
        Diversity of each sensitive attribute: distinct values (at least l), entropy (at least log l), or recursive
        (c, l): the most frequent value is rarer than c times the sum of the l-th and rarer ones together.
    t : float, optional
        Greatest earth mover's distance between a class and the whole file, in [0, 1] (`evosdc_lattice.earth_mover`).
    p : int, optional
        Least number of distinct sensitive values (p-sensitive k-anonymity).
    models : tuple of RequiredModel
        Registered privacy models.
    """

    k: int
    l: float | None = None  # noqa: E741 -- the field's own name
    diversity: Diversity = "distinct"
    c: float = 3.0
    t: float | None = None
    p: int | None = None
    attributes: tuple[SensitiveAttribute, ...] = ()
    models: tuple[RequiredModel, ...] = ()

    @property
    def k_only(self) -> bool:
        """Whether sizes of classes decide alone."""
        named = self.l is not None or self.t is not None or self.p is not None
        return not self.models and not (self.attributes and named)

    @property
    def absorbing(self) -> bool:
        """Whether a union of a safe class with any other is safe, so that suppression never grows upwards.

        It is so for k, p and distinct l; under entropy and recursive diversity and t-closeness a safe class can be
        spoilt by an unsafe one that joins it. Of registered models nothing is taken for granted.
        """
        diverse = self.t is None and (self.l is None or self.diversity == "distinct")
        return self.k_only or (diverse and not self.models)

    def failing(self, counts: Counts, sensitive: Sensitive, absorbing_only: bool = False) -> NDArray[np.bool_]:
        """Return which classes fail, shape (m,).

        Parameters
        ----------
        counts : ndarray of int32, shape (m,)
        sensitive : ndarray of int32, shape (m, S)
        absorbing_only : bool
            Whether only the conditions of `absorbing` models are asked: a superset of classes then passes.
        """
        failing: NDArray[np.bool_] = counts < self.k
        for attribute in self.attributes:
            begin, end = attribute.begin, attribute.end
            least = max(self.p or 0, int(np.ceil(self.l)) if self.l is not None else 0)
            if least > 1:
                # Each form of l-diversity implies at least l distinct values.
                absorbing_failures(sensitive, begin, end, least, failing)
            if absorbing_only:
                continue
            if self.l is not None and self.diversity == "entropy":
                entropy_failures(sensitive, begin, end, log(self.l) - _ROUNDING, failing)
            if self.l is not None and self.diversity == "recursive":
                recursive_failures(sensitive, begin, end, self.c, int(np.ceil(self.l)), failing)
            if self.t is not None:
                ground = attribute.ground
                away = distances(sensitive, begin, end, attribute.overall, ground.ordered, ground.above)
                failing |= away > self.t + _ROUNDING
        if not absorbing_only:
            for required in self.models:
                failing |= required.failing(counts, sensitive)
        return failing


def entropy_failures(sensitive: Sensitive, begin: int, end: int, least: float, failing: NDArray[np.bool_]) -> None:
    """Mark the classes whose entropy of sensitive values, in nats, is below `least`."""
    counts = sensitive[:, begin:end].astype(np.float64)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    failing |= -(shares * np.log(np.where(counts > 0, shares, 1.0))).sum(axis=1) < least


def recursive_failures(
    sensitive: Sensitive,
    begin: int,
    end: int,
    c: float,
    least: int,
    failing: NDArray[np.bool_],
) -> None:
    """Mark the classes without recursive (c, l)-diversity: ``r_1 < c (r_l + ... + r_m)``, r falling, m at least l."""
    falling = -np.sort(-sensitive[:, begin:end], axis=1)
    short = (falling > 0).sum(axis=1) < least
    failing |= short | ~(falling[:, 0] < c * falling[:, max(least - 1, 0) :].sum(axis=1))
