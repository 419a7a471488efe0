"""Which numbers of records are published as what: attribute by attribute first, then all attributes together.

In the program of the limit different sets of originals may stand apart behind one published category. In a file they
are one: its published category tells less, so that the loss is greater and the risk less than the program's. What the
program found is therefore a start. Given the weight of IL, attributes hardly depend on each other: what one of them can
be is found by annealing it alone, at several weights near the program's. Of these channels one for each attribute is
chosen so that together they have the least maximum, and these are annealed together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from evosdc_limit.annealing import MOVES, Channels, Costs, annealed, costs_of, costs_of_one
from evosdc_limit.attribute import Integers
from evosdc_limit.exchanged import in_order
from evosdc_limit.generation import Generation
from evosdc_limit.objective import Objective
from evosdc_limit.rounding import rounded

_ROUNDS = 12
"""Programs that are solved at most: a start need not be found to the last digit."""

_RUNS = 4
"""Annealings of each attribute alone, for each unit of effort."""

_WIDE = 0.15
"""Weights of IL are taken from so far below the program's to so far above."""

_WARM = 0.01
"""First temperature where all attributes are annealed together: what each of them has found is not to be lost."""

_COOL = 0.002
"""First temperature where IL and DR are balanced and all else is to stay."""

_FRONT = 400
"""Combinations of attributes that are kept for the next one."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """Channels of each attribute by itself.

    Parameters
    ----------
    objective : Objective
    t : float
        Weight of IL, the given one or that of the least maximum.
    greatest : bool
        Whether max(IL, DR) is minimised.
    unchanged : tuple of ndarray of int64, shape (B,)
        Records of each published category in the original, by attribute.
    found : tuple of tuple of Channels
        By attribute; each of one attribute alone.
    """

    objective: Objective
    t: float
    greatest: bool
    unchanged: tuple[Integers, ...]
    found: tuple[tuple[Channels, ...], ...]

    def costs(self, beside: tuple[float, float] = (0.0, 0.0)) -> Costs:
        """Return what numbers of records cost, beside an IL and a DR that they do not decide."""
        records = int(self.unchanged[0].sum())
        return costs_of(self.objective, records, self.t, self.greatest, beside)

    def together(self, beside: tuple[float, float], effort: int, rng: np.random.Generator) -> Channels:
        """Return numbers of records of all attributes, of as little loss and risk as was found."""
        costs = self.costs(beside)
        best: Channels | None = None
        chosen = combinations_of(self.found, costs, most=max(1, effort // 2))
        for counts in chosen:
            warm = partial(annealed, costs, counts, self.unchanged, rng, MOVES * 2, _WARM)
            one = in_order(warm, self.objective.attributes)
            best = one if best is None or one.cost(costs) < best.cost(costs) else best
        assert best is not None
        return best

    def balanced(self, channels: Channels, beside: tuple[float, float], rng: np.random.Generator) -> Channels:
        """Return numbers of records near given ones that balance IL and DR with what comes beside."""
        cool = partial(annealed, self.costs(beside), channels.counts, self.unchanged, rng, MOVES, _COOL)
        return in_order(cool, self.objective.attributes)


def candidates_of(
    objective: Objective, records: Sequence[Integers], t: float | None, effort: int, rng: np.random.Generator
) -> Candidates:
    """Return channels of each attribute by itself.

    Parameters
    ----------
    objective : Objective
    records : sequence of ndarray of int64, shape (A,)
        Records of each original category, by attribute.
    t : float, optional
        Weight of IL; None for max(IL, DR).
    effort : int
        How often each weight is tried.
    rng : numpy.random.Generator
    """
    generation = Generation(objective, rounds=_ROUNDS)
    optimum = generation.optimum(t)
    greatest, middle = t is None, optimum.t
    weights = [middle] if t is not None else np.clip(middle + np.linspace(-_WIDE, _WIDE, _RUNS + 1), 0.0, 1.0).tolist()
    starts = [optimum.joints if w == middle else generation.optimum(w).joints for w in weights]
    unchanged = []
    for attribute, own in zip(objective.attributes, records, strict=True):
        unchanged.append(np.zeros(len(attribute.published), dtype=np.int64))
        unchanged[-1][np.searchsorted(attribute.published, attribute.originals)] = own
    plain = costs_of(objective, int(records[0].sum()), middle, greatest)
    found = []
    for v, own in enumerate(records):
        ways = []
        for weight, joints in zip(weights, starts, strict=True):
            counts = rounded(joints[v], own)
            costs = costs_of_one(plain, v, counts.shape, weight)
            for _ in range(effort):
                alone = partial(annealed, costs, [counts], [unchanged[v]], rng)
                ways.append(in_order(alone, [objective.attributes[v]]))
        found.append(tuple(ways))
    return Candidates(objective, middle, greatest, tuple(unchanged), tuple(found))


def combinations_of(found: Sequence[Sequence[Channels]], costs: Costs, most: int) -> list[list[Integers]]:
    """Return the best combinations of one channel an attribute, best first.

    Combinations that another one beats in both IL and DR are dropped attribute by attribute; of many that are left,
    those are kept that are spread evenly over them.
    """
    front: list[tuple[float, float, tuple[int, ...]]] = [(costs.loss, costs.risk, ())]
    for ways in found:
        grown = sorted(
            (il + way.il, dr + way.dr, (*places, place)) for il, dr, places in front for place, way in enumerate(ways)
        )
        front, least = [], np.inf
        for one in grown:
            if one[1] < least:
                front.append(one)
                least = one[1]
        if len(front) > _FRONT:
            front = [front[place] for place in np.linspace(0, len(front) - 1, _FRONT).astype(int).tolist()]
    ranked = sorted(front, key=lambda one: (Channels((), one[0], one[1]).cost(costs), one[2]))
    return [
        [ways[place].counts[0] for ways, place in zip(found, places, strict=True)] for _, _, places in ranked[:most]
    ]
