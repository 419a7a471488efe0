"""Losses of a node, exact where they are fractions of integers, and their lower bounds for all nodes above.

Conventions for classes that fail the privacy model: they are suppressed whole, and all their values become the root. A
suppressed cell loses all that its attribute can lose. The leaves of a domain are the lines of its hierarchy, those of
values that never occur included. Other programs count so, too, and figures can be compared.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import expm1, fsum

import numpy as np
from numpy.typing import NDArray

from evosdc_lattice.evaluation import NodeEvaluator, NodeFacts
from evosdc_lattice.node_loss import Aggregate, NodeLoss, Suppression, aggregated
from evosdc_lattice.space import LatticeSpace, Levels


@dataclass(frozen=True)
class LossMetric(NodeLoss):
    """LM of Iyengar (2002): per cell ``(M - 1) / (|A| - 1)``, M leaves below the published value; 1 where suppressed.

    Parameters
    ----------
    weights : tuple of float
        One an attribute.
    aggregate : {"mean", "sum", "max", "geometric"}
        How the attributes' mean losses become one; the file's LM of the source is the sum.
    gs_factor : float
        0.5: cells of suppressed records and generalised ones count in full; below, suppressed ones count for less, down
        to nothing at 0, above, generalised ones do, as in ARX.
    """

    weights: tuple[float, ...]
    aggregate: Aggregate = "mean"
    gs_factor: float = 0.5

    @property
    def generalised_factor(self) -> float:
        """What the loss of a generalised cell is multiplied by."""
        return min(1.0, 2.0 * (1.0 - self.gs_factor))

    @property
    def suppressed_factor(self) -> float:
        """What the loss of a cell of a suppressed record is multiplied by."""
        return min(1.0, 2.0 * self.gs_factor)

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
        kept, gone = self.generalised_factor, self.suppressed_factor
        totals = [
            float(np.minimum(kept * ladder.loss(level), gone * (ladder.domain - 1)) @ ladder.frequencies[level])
            for ladder, level in zip(space.ladders, levels.tolist(), strict=True)
        ]
        return self.combined(totals, space.n, [ladder.domain for ladder in space.ladders])

    def parts(self, space: LatticeSpace) -> tuple[NDArray[np.float64], ...] | None:
        """Return each attribute's weighted mean loss, as `bound` has it; its logarithm for the geometric aggregate."""
        if self.aggregate in ("max", "rank"):
            return None
        kept, gone, found = self.generalised_factor, self.suppressed_factor, []
        for ladder, weight in zip(space.ladders, self.weights, strict=True):
            unit = space.n * self.unit(ladder.domain)
            levels = range(ladder.height + 1)
            totals = np.array([
                float(np.minimum(kept * ladder.loss(level), gone * (ladder.domain - 1)) @ ladder.frequencies[level])
                for level in levels
            ])  # fmt: skip
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
        return self.generalised_factor * kept + self.suppressed_factor * gone

    def combined(self, totals: Sequence[float], n: int, domains: Sequence[int]) -> float:
        """Return the loss of attributes whose sums of ``M - 1`` over all n records are given."""
        units = [n * self.unit(domain) for domain in domains]
        parts = [total / unit if unit else 0.0 for total, unit in zip(totals, units, strict=True)]
        return aggregated(parts, self.weights, self.aggregate)


@dataclass(frozen=True)
class LeafShare(LossMetric):
    """ILoss of Xiao and Tao (2006): per cell ``(M - 1) / |A|``, M leaves below the published value; 0 for a leaf.

    Parameters are those of `LossMetric`. A suppressed cell counts as the root, ``(|A| - 1) / |A|``: a reconstruction.
    """

    def unit(self, domain: int) -> int:
        """Return ``|A|``."""
        return domain


@dataclass(frozen=True)
class NonUniformEntropy(NodeLoss):
    """Non-uniform entropy of Gionis and Tassa (2009), in bits: sum over cells of ``log2(n(published) / n(original))``.

    n counts the records with a value, or below it.

    Parameters
    ----------
    weights : tuple of float
        One an attribute.
    suppression : bool or "arx"
        True: a suppressed cell counts as the root. False: as generalised, suppression is ignored. ``"arx"``: as ARX
        counts, as generalised and, on top, ``log2(s / s(generalised))``, s being the suppressed records and
        s(generalised) those of them with its generalised value: the step to the root is taken among the suppressed
        records alone.
    """

    weights: tuple[float, ...]
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
    """One minus the precision of Sweeney (2002): mean over cells of level over height; a suppressed cell counts 1.

    How a suppressed cell counts is a reconstruction.
    """

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
