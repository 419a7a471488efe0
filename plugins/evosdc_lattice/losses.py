"""Losses of a node, exact where they are fractions of integers, and their lower bounds for all nodes above.

Conventions for classes that fail the privacy model: they are suppressed whole, and all their values become the root. A
suppressed cell loses all that its attribute can lose. The leaves of a domain are the lines of its hierarchy, those of
values that never occur included. Other programs count so, too, and figures can be compared.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import expm1, fsum, prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import StrictBool

from evosdc_lattice.evaluation import NodeEvaluator, NodeFacts
from evosdc_lattice.ladder import Ladder
from evosdc_lattice.space import LatticeSpace, Levels

Aggregate = Literal["mean", "sum", "max", "geometric", "rank"]

Suppression = StrictBool | Literal["arx"]


def aggregated(losses: Sequence[float], weights: Sequence[float], how: Aggregate) -> float:
    """Return one figure of the attributes' losses."""
    # ``geometric``: ``prod(L_j w_j + 1)^(1/V) - 1``; ``rank``: the greatest loss decides, of equal ones the next, and
    # so on, as ARX orders vectors of losses: here ``sum L_(j) / 1000**(j - 1)`` with falling L (reconstruction). The
    # figure does not depend on the order of the attributes, not even by rounding: nodes that lose the same are tied.
    weighted = [loss * weight for loss, weight in zip(losses, weights, strict=True)]
    if how == "mean":
        return fsum(weighted) / fsum(weights)
    if how == "sum":
        return fsum(weighted)
    if how == "max":
        return max(weighted)
    if how == "rank":
        return fsum(loss / 1000.0**place for place, loss in enumerate(sorted(weighted, reverse=True)))
    value: float = prod(loss + 1.0 for loss in sorted(weighted)) ** (1.0 / len(weighted)) - 1.0
    return value


class NodeLoss(ABC):
    """A loss of nodes; all are better when smaller."""

    needs_classes: bool = False  # whether `bound` needs the facts of the node

    @abstractmethod
    def of(self, evaluator: NodeEvaluator, levels: Levels, facts: NodeFacts) -> float:
        """Return the loss of a node."""

    @abstractmethod
    def bound(self, space: LatticeSpace, levels: Levels, facts: NodeFacts | None) -> float:
        """Return what no node at or above these levels can be less than; facts where `needs_classes`."""

    def parts(self, space: LatticeSpace) -> tuple[NDArray[np.float64], ...] | None:
        """Return, by attribute and level, figures whose sum bounds the loss of a node from below; None without such."""
        # They never fall from a level to the next. `of_parts` makes the bound of their sum.
        return None

    def of_parts(self, space: LatticeSpace, total: float) -> float:
        """Return the bound that a sum of `parts` represents; never falling in the sum."""
        return total

    def by_sizes(self, space: LatticeSpace) -> float:
        """Return what no node within the limit can be less than by the sizes of its classes alone."""
        return 0.0


@dataclass(frozen=True)
class LossMetric(NodeLoss):
    """LM of Iyengar (2002): ``(M - 1) / (|A| - 1)`` a cell, M leaves below the published value; 1 where suppressed."""

    weights: tuple[float, ...]  # one an attribute
    aggregate: Aggregate = "mean"  # how the attributes' mean losses become one; the file's LM of the source is the sum
    # 0.5: cells of suppressed records and generalised ones count in full; below, suppressed ones count for less, down
    # to nothing at 0, above, generalised ones do, as in ARX.
    gs_factor: float = 0.5

    @property
    def factors(self) -> tuple[float, float]:
        """What the losses of a generalised cell and of a cell of a suppressed record are multiplied by."""
        return min(1.0, 2.0 * (1.0 - self.gs_factor)), min(1.0, 2.0 * self.gs_factor)

    def unit(self, domain: int) -> int:
        """Return what ``M - 1`` is divided by; 0 for an attribute that cannot lose anything."""
        return domain - 1

    def of(self, evaluator: NodeEvaluator, levels: Levels, facts: NodeFacts) -> float:
        """Return the loss, from integers."""
        space = evaluator.space
        lost = evaluator.lost(levels) if facts.suppressed else None
        totals = []
        for j, (ladder, level) in enumerate(zip(space.ladders, levels.tolist(), strict=True)):
            loss = ladder.loss(level)
            kept, gone = int(loss @ ladder.frequencies[level]), 0
            if lost is not None:
                kept -= int(loss @ lost[j])
                gone = (ladder.domain - 1) * int(lost[j].sum())
            totals.append(self.weighed(kept, gone))
        return self.combined(totals, space.n, [ladder.domain for ladder in space.ladders])

    def bound(self, space: LatticeSpace, levels: Levels, facts: NodeFacts | None) -> float:
        """Return the loss where each record is suppressed that loses less by it; with equal factors none is."""
        totals = [self._least(*place) for place in zip(space.ladders, levels.tolist(), strict=True)]
        return self.combined(totals, space.n, [ladder.domain for ladder in space.ladders])

    def _least(self, ladder: Ladder, level: int) -> float:
        kept, gone = self.factors
        cheaper = np.minimum(kept * ladder.loss(level), gone * (ladder.domain - 1))
        return float(cheaper @ ladder.frequencies[level])

    def parts(self, space: LatticeSpace) -> tuple[NDArray[np.float64], ...] | None:
        """Return each attribute's weighted mean loss, as `bound` has it; its logarithm for the geometric aggregate."""
        if self.aggregate in ("max", "rank"):
            return None
        found = []
        for ladder, weight in zip(space.ladders, self.weights, strict=True):
            unit = space.n * self.unit(ladder.domain)
            totals = np.array([self._least(ladder, level) for level in range(ladder.height + 1)])
            share = weight * totals / unit if unit else np.zeros(len(totals))
            found.append(np.log1p(share) if self.aggregate == "geometric" else share)
        return tuple(found)

    def of_parts(self, space: LatticeSpace, total: float) -> float:
        """Return the aggregate."""
        if self.aggregate == "geometric":
            return expm1(total / len(self.weights))
        return total / fsum(self.weights) if self.aggregate == "mean" else total

    def weighed(self, kept: float, gone: float) -> float:
        """Return the sum of ``M - 1`` over published records and over suppressed ones, by the factor of each."""
        generalised, suppressed = self.factors
        return generalised * kept + suppressed * gone

    def combined(self, totals: Sequence[float], n: int, domains: Sequence[int]) -> float:
        """Return the loss of attributes whose sums of ``M - 1`` over all n records are given."""
        units = [n * self.unit(domain) for domain in domains]
        parts = [total / unit if unit else 0.0 for total, unit in zip(totals, units, strict=True)]
        return aggregated(parts, self.weights, self.aggregate)


@dataclass(frozen=True)
class LeafShare(LossMetric):
    """ILoss of Xiao and Tao (2006): per cell ``(M - 1) / |A|``, M leaves below the published value; 0 for a leaf."""

    # Parameters are those of `LossMetric`. A suppressed cell counts as the root, ``(|A| - 1) / |A|``: a reconstruction.

    def unit(self, domain: int) -> int:
        """Return ``|A|``."""
        return domain


@dataclass(frozen=True)
class NonUniformEntropy(NodeLoss):
    """Non-uniform entropy in bits: sum over cells of ``log2(n(published) / n(original))`` (Gionis and Tassa 2009)."""

    # n counts the records with a value, or below it.

    weights: tuple[float, ...]  # one an attribute
    # True: a suppressed cell counts as the root. False: as generalised, suppression is ignored. ``"arx"``: as ARX
    # counts, as generalised and, on top, ``log2(s / s(generalised))``, s being the suppressed records and
    # s(generalised) those of them with its generalised value.
    suppression: Suppression = True

    def of(self, evaluator: NodeEvaluator, levels: Levels, facts: NodeFacts) -> float:
        """Return the entropy."""
        space = evaluator.space
        lost = evaluator.lost(levels) if facts.suppressed and self.suppression else None
        parts = []
        for j, (ladder, level) in enumerate(zip(space.ladders, levels.tolist(), strict=True)):
            at = ladder.frequencies[level]
            bits = _bits(at) - _bits(ladder.frequencies[0])
            if lost is not None:
                gone = lost[j][lost[j] > 0]
                among = self.suppression == "arx"
                whole, parts_of = (facts.suppressed, gone) if among else (space.n, at[lost[j] > 0])
                bits += float(gone @ (np.log2(whole) - np.log2(parts_of)))
            parts.append(self.weights[j] * bits)
        return max(fsum(parts), 0.0)

    def bound(self, space: LatticeSpace, levels: Levels, facts: NodeFacts | None) -> float:
        """Return the entropy with suppression ignored."""
        parts = [
            weight * (_bits(ladder.frequencies[level]) - _bits(ladder.frequencies[0]))
            for weight, ladder, level in zip(self.weights, space.ladders, levels.tolist(), strict=True)
        ]
        return max(fsum(parts), 0.0)

    def parts(self, space: LatticeSpace) -> tuple[NDArray[np.float64], ...]:
        """Return each attribute's weighted bits."""
        return tuple(
            weight * (np.array([_bits(at) for at in ladder.frequencies]) - _bits(ladder.frequencies[0]))
            for weight, ladder in zip(self.weights, space.ladders, strict=True)
        )


def _bits(frequencies: NDArray[np.int64]) -> float:
    # Sorted, so that levels at which nothing was merged have the same figure to the last bit.
    present = np.sort(frequencies[frequencies > 0])
    return float(present @ np.log2(present))


@dataclass(frozen=True)
class Imprecision(NodeLoss):
    """One minus the precision of Sweeney (2002): mean over cells of level over height; a suppressed cell counts 1."""

    # How a suppressed cell counts is a reconstruction.

    weights: tuple[float, ...]

    def of(self, evaluator: NodeEvaluator, levels: Levels, facts: NodeFacts) -> float:
        """Return the imprecision."""
        n = evaluator.space.n
        share = facts.suppressed / n
        return self.bound(evaluator.space, levels, facts) * (1.0 - share) + share

    def bound(self, space: LatticeSpace, levels: Levels, facts: NodeFacts | None) -> float:
        """Return the imprecision with suppression ignored."""
        parts = [level / height for level, height in zip(levels.tolist(), space.top.tolist(), strict=True)]
        return aggregated(parts, self.weights, "mean")

    def parts(self, space: LatticeSpace) -> tuple[NDArray[np.float64], ...]:
        """Return each attribute's weighted level over its height."""
        shares = (np.arange(height + 1) / height for height in space.top.tolist())
        return tuple(weight * share for weight, share in zip(self.weights, shares, strict=True))

    def of_parts(self, space: LatticeSpace, total: float) -> float:
        """Return the mean."""
        return total / fsum(self.weights)


@dataclass(frozen=True)
class Height(NodeLoss):
    """Height of the node: the sum of its levels (Samarati 2001)."""

    def of(self, evaluator: NodeEvaluator, levels: Levels, facts: NodeFacts) -> float:
        """Return the height."""
        return float(levels.sum())

    def bound(self, space: LatticeSpace, levels: Levels, facts: NodeFacts | None) -> float:
        """Return the height."""
        return float(levels.sum())

    def parts(self, space: LatticeSpace) -> tuple[NDArray[np.float64], ...]:
        """Return the levels."""
        return tuple(np.arange(height + 1, dtype=np.float64) for height in space.top.tolist())


@dataclass(frozen=True)
class Discernibility(NodeLoss):
    """DM of Bayardo and Agrawal (2005): sum of |E|^2 over kept classes, and n for each suppressed record."""

    # With `k` the records of classes of fewer than k count as suppressed. Smaller is better: it counts, for every
    # record, those that are indistinguishable from it. (One paper's text says the opposite; its own fitness, the
    # inverse of DM, is right.)

    k: int = 1
    needs_classes = True

    def of(self, evaluator: NodeEvaluator, levels: Levels, facts: NodeFacts) -> float:
        """Return DM."""
        return float(facts.kept_squares + evaluator.space.n * facts.suppressed)

    def bound(self, space: LatticeSpace, levels: Levels, facts: NodeFacts | None) -> float:
        """Return DM* of the node, which only grows upwards and never exceeds DM."""
        assert facts is not None
        return float(facts.squares)

    def by_sizes(self, space: LatticeSpace) -> float:
        """Return k for every record: no class is smaller, and a suppressed record costs no less than n."""
        return float(space.n * min(space.model.k, space.n))


@dataclass(frozen=True)
class MonotoneDiscernibility(NodeLoss):
    """DM*: sum of |E|^2 over all classes, suppression ignored; never falls from a node to one above it."""

    needs_classes = True

    def of(self, evaluator: NodeEvaluator, levels: Levels, facts: NodeFacts) -> float:
        """Return DM*."""
        return float(facts.squares)

    def bound(self, space: LatticeSpace, levels: Levels, facts: NodeFacts | None) -> float:
        """Return DM* of the node."""
        assert facts is not None
        return float(facts.squares)

    def by_sizes(self, space: LatticeSpace) -> float:
        """Return k for every record that must be published, and 1 for the others."""
        published = space.n - space.limit
        return float(published * min(space.model.k, space.n) + space.limit)


@dataclass(frozen=True)
class AverageClassSize(NodeLoss):
    """C_AVG of LeFevre et al. (2006): n over the number of classes, over `k`; without k the plain average (AECS)."""

    # All suppressed records together count as one class.

    k: float = 1.0
    needs_classes = True

    def of(self, evaluator: NodeEvaluator, levels: Levels, facts: NodeFacts) -> float:
        """Return the average size."""
        return evaluator.space.n / (facts.kept + (facts.suppressed > 0)) / self.k

    def bound(self, space: LatticeSpace, levels: Levels, facts: NodeFacts | None) -> float:
        """Return the average size of all classes, failing ones included: nodes above have no more of them."""
        assert facts is not None
        return space.n / facts.classes / self.k

    def by_sizes(self, space: LatticeSpace) -> float:
        """Return the average size of as many classes of k as there can be, one of suppressed records among them."""
        most = space.n // space.model.k
        some = (space.n - 1) // space.model.k + 1 if space.limit else 1
        return space.n / max(most, some, 1) / self.k
