"""What a loss of nodes is: its figure, its lower bounds, and how those of the attributes become one."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import fsum, prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import StrictBool

from evosdc_lattice.evaluation import NodeEvaluator, NodeFacts
from evosdc_lattice.space import LatticeSpace, Levels

Aggregate = Literal["mean", "sum", "max", "geometric", "rank"]

Suppression = StrictBool | Literal["arx"]


def aggregated(losses: Sequence[float], weights: Sequence[float], how: Aggregate) -> float:
    """Return one figure of the attributes' losses.

    ``mean``: weighted arithmetic mean; ``sum``: weighted sum; ``max``: greatest weighted loss; ``geometric``:
    ``prod(L_j w_j + 1)^(1/V) - 1``; ``rank``: the greatest loss decides, of equal ones the next, and so on, as ARX
    orders vectors of losses: here ``sum L_(j) / 1000**(j - 1)`` with falling L, so that differences below a thousandth
    may be outweighed (reconstruction). In the last three a weight multiplies the loss. The figure does not depend on
    the order of the attributes, not even by rounding: nodes that lose the same are tied.
    """
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

    needs_classes: bool = False
    """Whether `bound` needs the facts of the node."""

    @abstractmethod
    def of(self, evaluator: NodeEvaluator, levels: Levels, facts: NodeFacts) -> float:
        """Return the loss of a node."""

    @abstractmethod
    def bound(self, space: LatticeSpace, levels: Levels, facts: NodeFacts | None) -> float:
        """Return what no node at or above these levels can be less than; facts where `needs_classes`."""

    def parts(self, space: LatticeSpace) -> tuple[NDArray[np.float64], ...] | None:
        """Return, by attribute and level, figures whose sum bounds the loss of a node from below; None without such.

        They never fall from a level to the next. `of_parts` makes the bound of their sum.
        """
        return None

    def of_parts(self, space: LatticeSpace, total: float) -> float:
        """Return the bound that a sum of `parts` stands for; never falling in the sum."""
        return total

    def by_sizes(self, space: LatticeSpace) -> float:
        """Return what no node within the limit can be less than by the sizes of its classes alone."""
        return 0.0
