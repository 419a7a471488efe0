"""Which numbers of records are published as what: attribute by attribute first, then all attributes together.

In the program of the limit different sets of originals may stand apart behind one published category. In a file they
are one: its published category tells less, so that the loss is greater and the risk less than the program's. What the
program found is therefore a start. Given the weight of IL, attributes hardly depend on each other: what one of them can
be is found by annealing it alone, at several weights near the program's. Of these channels one for each attribute is
chosen so that together they have the least maximum, and these are annealed together.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from evosdc.table.corrections import WIDEST, best_labels
from evosdc_limit.annealing import MOVES, Channels, Costs, annealed, costs_of, costs_of_one
from evosdc_limit.generation import Generation
from evosdc_limit.objective import AttributeTerms, Floats, Integers, Objective

_EVEN = 1e-6  # A number of records so near to a whole one is that one


def rounded(joint: Floats, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return numbers of records by published and original category, shape (B, A)."""
    # Each entry is its share times n, rounded up or down; each original category keeps its records, and each published
    # one has its own number of records rounded up or down. Of all such roundings the one that rounds up the largest
    # remainders is taken. It is the optimum of a transport problem, whose vertices are whole; one exists, since the
    # remainders themselves fulfil all constraints.
    exact = joint * (counts / np.maximum(joint.sum(axis=0), 1e-300))
    low = np.floor(exact + _EVEN)
    rest = np.where(exact - low > _EVEN, exact - low, 0.0)
    b, a = np.nonzero(rest)
    need = counts - low.sum(axis=0)
    if not need.any():
        return np.asarray(low, dtype=np.int64)
    from scipy import sparse  # late, as below

    x = np.arange(len(b))
    by_original = sparse.csr_matrix((np.ones(len(x)), (a, x)), (joint.shape[1], len(x)))
    by_published = sparse.csr_matrix((np.ones(len(x)), (b, x)), (joint.shape[0], len(x)))
    whole = rest.sum(axis=1)
    near = np.abs(whole - np.round(whole)) <= _EVEN * joint.shape[1]
    least, most = (np.where(near, np.round(whole), limit) for limit in (np.floor(whole), np.ceil(whole)))
    from scipy.optimize import linprog  # late: it takes a while

    found = linprog(
        -rest[b, a],
        sparse.vstack([by_published, -by_published]),
        np.concatenate([most, -least]),
        by_original,
        need,
        bounds=(0.0, 1.0),
        method="highs-ds",
    )
    up = np.zeros(joint.shape)
    if found.x is None:  # rounding errors forbid the rest: the largest remainders of each original category go up
        for original, number in enumerate(need):
            up[np.argsort(-rest[:, original], kind="stable")[: int(number)], original] = 1.0
    else:
        up[b, a] = np.round(found.x)
    return np.asarray(low + up, dtype=np.int64)


# Per cent of the records that may read right if labels were exchanged, in each attribute; searches accept 3 %
MOST = 2.0
TRIES = 8  # annealings at most, of which the one counts that exchanges least


def in_order(anneal: Callable[[], Channels], attributes: Sequence[AttributeTerms]) -> Channels:
    """Return what annealing gives: the first that exchanges few labels, of `TRIES` the one that exchanges least."""
    best: Channels | None = None
    least = np.inf
    for _ in range(TRIES):
        channels = anneal()
        share = max(map(exchanged, channels.counts, attributes))
        if best is None or share < least:
            best, least = channels, share
        if least <= MOST:
            break
    assert best is not None, "it is annealed once at least"
    return best


def exchanged(counts: Integers, attribute: AttributeTerms) -> float:
    """Return the per cent of further records that would read right if labels were exchanged one to one."""
    size = len(attribute.published)
    if size > WIDEST:
        return 0.0
    joint = np.zeros((size, size), dtype=np.int64)
    joint[np.searchsorted(attribute.published, attribute.originals)] = counts.T
    right = joint[np.arange(size), best_labels(joint)].sum() - np.trace(joint)
    return float(100.0 * right / max(int(joint.sum()), 1))


ROUNDS = 12  # programs that are solved at most: a start need not be found to the last digit
_RUNS = 4  # annealings of each attribute alone, for each unit of effort
_WIDE = 0.15  # weights of IL are taken from so far below the program's to so far above

# First temperature where all attributes are annealed together: what each of them has found is not to be lost
_WARM = 0.01
_COOL = 0.002  # first temperature where IL and DR are balanced and all else is to stay
_FRONT = 400  # combinations of attributes that are kept for the next one


@dataclass(frozen=True, eq=False)
class Candidates:
    """Channels of each attribute by itself."""

    objective: Objective
    t: float  # weight of IL, the given one or that of the least maximum
    greatest: bool  # whether max(IL, DR) is minimised
    unchanged: tuple[Integers, ...]  # shape (B,); records of each published category in the original, by attribute
    found: tuple[tuple[Channels, ...], ...]  # by attribute; each of one attribute alone

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
    """Return channels of each attribute by itself."""
    generation = Generation(objective, rounds=ROUNDS)
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
    """Return the best combinations of one channel an attribute, best first."""
    # Combinations that another one beats in both IL and DR are dropped attribute by attribute; of many that are left,
    # those are kept that are spread evenly over them.
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
