"""A surrogate model of a large lattice: what nodes will be like that were not judged yet.

Judging a node takes a pass over the classes; there are hundreds of neighbours, and thousands where two attributes
change. An additive model of the nodes judged so far tells which of them are worth it. evosdc's own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Individual
from evosdc_lattice.lattice import Lattice
from evosdc_lattice.space import LatticeSpace, Levels, locked

REMEMBERED = 4000
"""Nodes, the last ones judged, that the model is fitted to."""
_LEAST = 30
"""Nodes below which there is no model."""
_RIDGE = 0.1
_DIGITS = 9
"""Decimals to which estimates count, so that linear algebra of another machine ranks alike."""


@dataclass(frozen=True, eq=False)
class Judged:
    """Nodes that were judged.

    Parameters
    ----------
    nodes : ndarray of int16, shape (m, V)
    losses : ndarray of float, shape (m,)
        First objectives, without what nodes beyond the limit of suppression have on top.
    violations : ndarray of float, shape (m,)
        Records suppressed beyond the limit as a share of the most there could be; 0 within it.
    highest : float
        Loss of the highest node; 0 where all nodes are within the limit.
    """

    nodes: NDArray[np.int16]
    losses: NDArray[np.float64]
    violations: NDArray[np.float64]
    highest: float = 0.0

    @classmethod
    def kept_in(cls, memory: Mapping[str, NDArray[Any]], attributes: int) -> "Judged":
        """Return the nodes that are in a population's memory; none where there is nothing."""
        if "judged" not in memory:
            return cls(np.empty((0, attributes), dtype=np.int16), np.empty(0), np.empty(0))
        arrays = memory["judged"], memory["judged_losses"], memory["judged_violations"]
        return cls(*arrays, float(memory["judged_highest"]))

    def memory(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that `kept_in` reads."""
        return {
            "judged": self.nodes,
            "judged_losses": self.losses,
            "judged_violations": self.violations,
            "judged_highest": np.array(self.highest),
        }

    def joined(self, evaluated: Sequence[Individual]) -> "Judged":
        """Return the last nodes of these and of further ones."""
        if not evaluated:
            return self
        over = np.array([individual.scores["violation"] for individual in evaluated])
        # Nodes beyond the limit have the loss of the highest one on top, and that times the violation.
        added = np.array([i.scores["penalty"] if i.scores["violation"] else 0.0 for i in evaluated])
        losses = np.array([individual.objectives[0] for individual in evaluated]) - added
        genomes = np.array([individual.genome for individual in evaluated], dtype=np.int16)
        return Judged(
            np.concatenate([self.nodes, genomes])[-REMEMBERED:],
            np.concatenate([self.losses, losses])[-REMEMBERED:],
            np.concatenate([self.violations, over])[-REMEMBERED:],
            max(self.highest, float((added / (1.0 + over)).max())),
        )

    def promising(
        self, lattice: Lattice, node: Levels, count: int, penalty: float, rng: np.random.Generator
    ) -> list[Levels]:
        """Return neighbours of a node that are worth judging, none of which was judged before.

        Half are those of least expected loss and penalty, a quarter those of least loss among the nodes expected to be
        within the limit, and a quarter is drawn at random, since a model learns nothing from what it expects. Besides
        the neighbours in one attribute there are those one level down in one and one level up in another: with many
        attributes a node is rarely improved by one alone.

        Parameters
        ----------
        lattice : Lattice
        node : Levels
        count : int
            Nodes to return, at most.
        penalty : float
            Weight of records suppressed beyond the limit.
        rng : Generator
        """
        known = {x.tobytes() for x in self.nodes}
        near = [x for x in [*lattice.neighbours(node), *exchanged(lattice.space, node)] if x.tobytes() not in known]
        chosen: dict[int, None] = {}
        if len(self.nodes) >= _LEAST and near:
            loss, excess = self._expected(lattice.space, np.array(near))
            penalised = loss + penalty * self.highest * excess
            guided = np.argsort(np.round(penalised, _DIGITS), kind="stable").tolist()
            within = np.lexsort((np.round(loss, _DIGITS), np.round(excess, _DIGITS))).tolist()
            chosen = dict.fromkeys(guided[: count // 2])
            chosen |= dict.fromkeys([x for x in within if x not in chosen][: count // 4])
        rest = [position for position in range(len(near)) if position not in chosen]
        drawn = rng.choice(len(rest), min(count - len(chosen), len(rest)), replace=False)
        return [near[position] for position in [*chosen, *(rest[int(x)] for x in drawn)]]

    def _expected(self, space: LatticeSpace, nodes: NDArray[np.int16]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return expected losses of nodes, and records beyond the limit as shares: ridge regression on levels.

        Both are about products over the attributes, so their logarithms are sums. Of nodes within the limit the number
        of suppressed records is not told: half the limit.
        """
        positive = bool((self.losses > 0.0).all())
        spare = space.n - space.limit
        suppressed = np.where(self.violations > 0.0, self.violations * spare + space.limit, space.limit / 2)
        wanted = np.stack([np.log(self.losses) if positive else self.losses, np.log1p(suppressed)], axis=1)
        mean = wanted.mean(axis=0)
        known = _indicators(space, self.nodes)
        weights = np.linalg.solve(known.T @ known + _RIDGE * np.eye(known.shape[1]), known.T @ (wanted - mean))
        loss, log_suppressed = (_indicators(space, nodes) @ weights + mean).T
        beyond = np.maximum(np.expm1(np.minimum(log_suppressed, np.log1p(space.n))) - space.limit, 0.0)
        return np.exp(loss) if positive else loss, beyond / max(spare, 1)


def exchanged(space: LatticeSpace, node: Levels) -> list[Levels]:
    """Return the nodes with one attribute a level lower and another one a level higher."""
    result = []
    for lower in np.flatnonzero(node > 0).tolist():
        for higher in np.flatnonzero(node < space.top).tolist():
            if lower != higher:
                changed = node.copy()
                changed[lower] -= 1
                changed[higher] += 1
                result.append(locked(changed))
    return result


def _indicators(space: LatticeSpace, nodes: NDArray[np.int16]) -> NDArray[np.float64]:
    """Return a column for each level of each attribute, and a constant one."""
    begins = np.concatenate([[0], np.cumsum(space.top.astype(np.int64) + 1)])
    columns = np.zeros((len(nodes), int(begins[-1]) + 1))
    columns[:, -1] = 1.0
    np.put_along_axis(columns, nodes + begins[:-1], 1.0, axis=1)
    return columns
