"""Column generation: solve a linear program, price, extend, until nothing is left to add.

The program's variables are masses ``m_bk``: the share of the records that publish b and come, in equal parts, from a
set of k original categories. Which sets these are need not be said. Averages of uniform distributions on sets of size
k are all distributions without an entry above 1/k. They are the base polytope of the submodular function
``min(j / k, 1)`` of sets of j categories, and sums of base polytopes are the base polytope of the sum (Edmonds 1970).
So a distribution x of originals behind b is made of such sets exactly where any j categories have together at most
``sum_k m_bk min(j / k, 1)``, the *capacity* of b for j. One variable for a size represents all sets.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import inf, nan
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evosdc.errors import EvaluationError
from evosdc_limit.objective import Floats, Integers, Objective

if TYPE_CHECKING:
    from scipy import sparse

Places = NDArray[np.intp]

_TOLERANCE = 1e-9
_STOPPED = 1  # status of scipy's linprog where a limit of time or iterations ended it
_MANY = 3000  # rows from which on interior points are faster than the simplex method


@dataclass(frozen=True, eq=False)
class Outcome:
    """An optimum."""

    value: float  # of the objective
    t: float  # weight of IL in it
    variables: Floats
    # Multipliers of the equations, and of the inequalities, which are not negative: how much the value falls when a
    # right side grows by one
    equal: Floats
    below: Floats
    il: float  # constant included
    dr: float


@dataclass
class System:
    """Rows of one kind, by entries."""

    right: list[Floats] = field(default_factory=list)
    number: int = 0
    entries: list[tuple[Places, Places, Floats]] = field(default_factory=list)

    def rows(self, right: ArrayLike) -> Places:
        """Add rows with these right sides and return their numbers."""
        values = np.atleast_1d(np.asarray(right, dtype=np.float64))
        self.right.append(values)
        self.number += len(values)
        return np.arange(self.number - len(values), self.number)

    def put(self, rows: ArrayLike, variables: ArrayLike, values: ArrayLike) -> None:
        """Enter coefficients; arguments are broadcast, and entries at one place add up."""
        row, variable, value = np.broadcast_arrays(rows, variables, np.asarray(values, dtype=np.float64))
        self.entries.append((row.ravel(), variable.ravel(), value.ravel()))

    def matrix(self, variables: int) -> sparse.csc_matrix:
        """Return the coefficients, shape (number of rows, variables)."""
        from scipy import sparse  # late: it takes a while, and most measures have no limit

        parts = [np.concatenate(part) for part in zip(*self.entries, strict=True)]
        return sparse.csc_matrix((parts[2], (parts[0], parts[1])), (self.number, variables))


@dataclass
class Draft:
    """A program in variables from 0 up with two linear costs, IL and DR."""

    equal: System = field(default_factory=System)
    below: System = field(default_factory=System)
    costs: list[tuple[Floats, Floats]] = field(default_factory=list)
    number: int = 0

    def variables(self, count: int, il: ArrayLike = 0.0, dr: ArrayLike = 0.0) -> Places:
        """Add variables with these costs and return their numbers."""
        self.costs.append((np.broadcast_to(il, count).astype(float), np.broadcast_to(dr, count).astype(float)))
        self.number += count
        return np.arange(self.number - count, self.number)

    def solved(self, t: float | None, constant: float, seconds: float = inf) -> Outcome:
        """Minimise ``t IL + (1 - t) DR``, or max(IL, DR) where t is None; DR has a constant. Ends the draft."""
        # The weight that belongs to the least maximum is the multiplier of the row ``IL <= z``.
        il, dr = (np.concatenate(part) for part in zip(*self.costs, strict=True))
        if t is None:
            greatest = self.variables(1)
            for cost, right in ((il, 0.0), (dr, -constant)):
                row = self.below.rows(right)
                used = np.flatnonzero(cost)
                self.below.put(row, used, cost[used])
                self.below.put(row, greatest, -1.0)
            il, dr = np.append(il, 0.0), np.append(dr, 0.0)
            objective = np.zeros(self.number)
            objective[greatest] = 1.0
        else:
            objective = t * il + (1.0 - t) * dr
        from scipy.optimize import linprog  # late: it takes a while, and most measures have no limit

        found = linprog(
            objective,
            self.below.matrix(self.number),
            np.concatenate(self.below.right),
            self.equal.matrix(self.number),
            np.concatenate(self.equal.right),
            method="highs-ipm" if self.below.number > _MANY else "highs-ds",
            options={"primal_feasibility_tolerance": _TOLERANCE, "dual_feasibility_tolerance": _TOLERANCE}
            | ({} if seconds == inf else {"time_limit": max(seconds, 0.01)}),
        )
        if found.status == _STOPPED:
            raise TimeoutError("the time was over before the program was solved")
        if found.x is None:
            raise EvaluationError(f"the linear program of the limit was not solved: {found.message}")
        below = -found.ineqlin.marginals
        loss, risk = float(il @ found.x), float(dr @ found.x) + constant
        if t is None:
            weight = below[-2] + below[-1]
            t = float(below[-2] / weight) if weight > 0.0 else 0.5
            return Outcome(float(found.fun), t, found.x, found.eqlin.marginals, below, loss, risk)
        return Outcome(float(found.fun) + (1.0 - t) * constant, t, found.x, found.eqlin.marginals, below, loss, risk)


@dataclass(frozen=True, eq=False)
class Prices:
    """The least reduced cost of each published category of one attribute, and the set that has it."""

    reduced: Floats  # shape (B,)
    sizes: Integers  # shape (B,)
    # Shape (B, A); original categories in the order in which sets take them: the best set is the first ``sizes[b]``
    order: Integers


def prices(objective: Objective, v: int, t: float, alpha: Floats, eta: Floats) -> Prices:
    """Price all columns of an attribute; O(B A log A)."""
    # The reduced cost of the set S published as b is ``t IL(S, b) + (1 - t) DR(S) - mean of alpha over S + eta_b``. Of
    # all sets of one size only the mean of ``t c1 d(a, b) - alpha_a`` over S differs, so that the best set of size k
    # has the k least of these; the best of all is found among A sizes.
    terms = objective.attributes[v]
    single = t * objective.distance_cost * terms.distances - alpha
    order = np.argsort(single, axis=1, kind="stable")
    means = np.cumsum(np.take_along_axis(single, order, axis=1), axis=1) / np.arange(1, len(alpha) + 1)
    reduced = means + (t * objective.set_losses(v) + (1.0 - t) * objective.set_risks(v)) + eta[:, None]
    best = reduced.argmin(axis=1)
    return Prices(reduced[np.arange(len(best)), best], best + 1, order)


def certified(
    objective: Objective, t: float, alpha: Sequence[Floats], eta: Sequence[Floats], pulls: Iterable[Floats]
) -> tuple[float, tuple[Prices, ...]]:
    """Return a lower bound of ``t IL + (1 - t) DR`` over all masked files, and the prices that it rests on."""
    # By attribute alpha (A,), the multipliers of the frequencies of original categories, and eta (B,), of the published
    # shares; by table of several attributes pulls: how much of its weight is on the change of each of them. With r
    # the least reduced cost of an attribute's columns, the records of any file cost at least ``sum alpha_a frequency_a
    # - sum eta_b share_b + r``: multiply each constraint, add, and use that the masses of the columns of an attribute
    # have sum 1. This holds for any alpha and for all allowed eta. It is the Lagrangian bound of column generation: the
    # program's value plus the negative reduced costs.
    # A solver's multipliers are allowed up to rounding only, so the nearest allowed ones are taken. A table's change is
    # at least any average of its attributes' changes: its pulls are not negative and have its weight as their sum. An
    # attribute's change is ``max over y in [0, 1]^B of sum_b y_b (P_b - share_b)``: each eta lies between 0 and its
    # pull.
    greatest, joined = np.zeros(len(objective.attributes)), iter(pulls)
    for table in objective.tables:
        own = np.maximum(next(joined), 0.0) if len(table) > 1 else np.ones(1)
        own = own / own.sum() if own.sum() > 0.0 else np.full(len(table), 1.0 / len(table))
        greatest[list(table)] += t * objective.table_cost * own
    bound, found = (1.0 - t) * objective.constant, []
    for v, terms in enumerate(objective.attributes):
        allowed = np.clip(eta[v], 0.0, greatest[v])
        priced = prices(objective, v, t, alpha[v], allowed)
        bound += float(alpha[v] @ terms.frequencies - allowed @ terms.shares + priced.reduced.min())
        found.append(priced)
    return bound, tuple(found)


VIOLATION = 1e-9  # A constraint that is broken by less holds


class Block(ABC):
    """The masses of one attribute, its published shares, and what a subclass adds to join them to the originals."""

    def __init__(self, objective: Objective, v: int, sizes: int) -> None:
        self.objective = objective
        self.v = v
        self.terms = objective.attributes[v]
        originals, published = len(self.terms.originals), len(self.terms.published)
        # Which masses the program has, by published category and size.
        self.sizes: NDArray[np.bool_] = np.zeros((published, originals + 1), dtype=np.bool_)
        self.sizes[:, 1 : sizes + 1] = True
        self.change = 0  # number of the variable of the attribute's change of frequencies
        self.mass_loss = 0.0  # IL of a mass whatever its size

    def write(self, draft: Draft) -> None:
        """Write this part: masses, ``P_b - share_b <= excess_b``, ``sum of excess <= change``, and the subclass's."""
        objective, v = self.objective, self.v
        self._b, self._k = np.nonzero(self.sizes)
        losses, risks = objective.set_losses(v)[self._k - 1], objective.set_risks(v)[self._k - 1]
        self._masses = draft.variables(len(self._b), losses + self.mass_loss, risks)
        excess = draft.variables(len(self.terms.published))
        changes = draft.variables(1, objective.table_cost)
        self.change = int(changes[0])
        self._published = draft.below.rows(self.terms.shares)
        draft.below.put(self._published[self._b], self._masses, 1.0)
        draft.below.put(self._published, excess, -1.0)
        total = draft.below.rows(0.0)
        draft.below.put(total, excess, 1.0)
        draft.below.put(total, changes, -1.0)
        self._join(draft, self._masses)

    @abstractmethod
    def _join(self, draft: Draft, masses: Places) -> None:
        """Write what joins the masses to the frequencies of the originals."""

    @abstractmethod
    def alpha(self, outcome: Outcome) -> Floats:
        """Return the multipliers of the original frequencies, shape (A,)."""

    def eta(self, outcome: Outcome) -> Floats:
        """Return the multipliers of the published shares, shape (B,)."""
        found: Floats = outcome.below[self._published]
        return found

    @abstractmethod
    def cut(self, outcome: Outcome) -> int:
        """Add capacities that the optimum breaks to the program; return how many there were."""

    def extend(self, found: Prices, bound: float) -> int:
        """Add what the columns with a reduced cost below a bound need; return how much was new."""
        # A set may have at most one more than twice as many categories as any before it with the same b: while the
        # multipliers are wild the best sets are far too large.
        longest = np.arange(self.sizes.shape[1])
        greatest = (self.sizes * longest).max(axis=1)
        new = 0
        for b in np.flatnonzero(found.reduced < bound):
            k = int(min(found.sizes[b], 2 * greatest[b] + 1))
            new += not self.sizes[b, k]
            self.sizes[b, k] = True
            new += self._admit(int(b), found.order[b, :k])
        return new

    def _admit(self, b: int, members: NDArray[np.int64]) -> int:
        """Put originals behind a published category; return how many could not before."""
        return 0

    def capacities(self, outcome: Outcome) -> Floats:
        """Return what j categories can have together behind each published one, j = 0 .. A, shape (B, A + 1)."""
        masses = np.zeros(self.sizes.shape)
        masses[self._b, self._k] = outcome.variables[self._masses]
        number = np.arange(self.sizes.shape[1])
        capacities: Floats = masses @ np.minimum(number / np.maximum(number, 1)[:, None], 1.0)
        return capacities

    @abstractmethod
    def joint(self, outcome: Outcome) -> Floats:
        """Return shares of records by published and original category, shape (B, A), that the optimum represents."""


# How many near and how many common originals may stand behind each published category from the beginning. Of a domain
# with many categories the best sets are larger: one more is near for each `_WIDE` of them
_NEAR, _COMMON, _WIDE = 5, 3, 32


class GeneralBlock(Block):
    """Variables ``x_ba``, the share of records with original a and published b, for the pairs that were admitted."""

    # ``sum_b x_ba`` is a's frequency, ``sum_a x_ba`` the masses of b, and ``x_ba <= sum_k m_bk / k``. The capacities of
    # two and more originals are added where an optimum breaks them.

    def __init__(self, objective: Objective, v: int) -> None:
        terms = objective.attributes[v]
        number = _NEAR + len(terms.originals) // _WIDE
        super().__init__(objective, v, min(number, len(terms.originals)))
        near = np.argsort(terms.distances, axis=1, kind="stable")[:, :number]
        common = np.argsort(-terms.frequencies, kind="stable")[:_COMMON]
        self.pairs: NDArray[np.bool_] = np.zeros(terms.distances.shape, dtype=np.bool_)
        self.pairs[np.arange(len(near))[:, None], near] = True
        self.pairs[:, common] = True
        self.pairs[np.searchsorted(terms.published, terms.originals), np.arange(len(terms.originals))] = True
        self._cuts: dict[tuple[int, bytes], NDArray[np.intp]] = {}

    def _join(self, draft: Draft, masses: Places) -> None:
        terms = self.terms
        b, a = np.nonzero(self.pairs)
        x = draft.variables(len(b), self.objective.distance_cost * terms.distances[b, a])
        self._originals = draft.equal.rows(terms.frequencies)
        draft.equal.put(self._originals[a], x, 1.0)
        whole = draft.equal.rows(np.zeros(len(terms.published)))
        draft.equal.put(whole[b], x, 1.0)
        draft.equal.put(whole[self._b], masses, -1.0)
        single = draft.below.rows(np.zeros(len(b)))
        draft.below.put(single, x, 1.0)
        ends = np.searchsorted(b, np.arange(len(terms.published) + 1))
        counts = np.diff(ends)[self._b]  # pairs are side by side for each b; every mass of b is in all their rows
        offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        rows = single[np.repeat(ends[self._b], counts) + offsets]
        draft.below.put(rows, np.repeat(masses, counts), np.repeat(-1.0 / self._k, counts))
        number = np.full(self.pairs.shape, -1)
        number[b, a] = x
        for (published, _), members in self._cuts.items():
            row, own = draft.below.rows(0.0), self._b == published
            draft.below.put(row, number[published, members], 1.0)
            draft.below.put(row, masses[own], -np.minimum(len(members) / self._k[own], 1.0))
        self._x, self._where = x, (b, a)

    def alpha(self, outcome: Outcome) -> Floats:
        """Return the multipliers of the original frequencies, shape (A,)."""
        found: Floats = outcome.equal[self._originals]
        return found

    def cut(self, outcome: Outcome) -> int:
        """Add the capacity that is broken most for each published category; those with most mass are looked at."""
        joint = self.joint(outcome)
        order = np.argsort(-joint, axis=1, kind="stable")
        broken = np.cumsum(np.take_along_axis(joint, order, axis=1), axis=1) - self.capacities(outcome)[:, 1:]
        worst = broken.argmax(axis=1)
        new = 0
        for b in np.flatnonzero(broken.max(axis=1) > VIOLATION):
            members = np.sort(order[b, : worst[b] + 1])
            members = members[self.pairs[b, members]]
            key = (int(b), members.tobytes())
            new += key not in self._cuts
            self._cuts[key] = members
        return new

    def _admit(self, b: int, members: NDArray[np.int64]) -> int:
        new = int((~self.pairs[b, members]).sum())
        self.pairs[b, members] = True
        return new

    def joint(self, outcome: Outcome) -> Floats:
        """Return shares of records by published and original category, shape (B, A)."""
        joint = np.zeros(self.pairs.shape)
        joint[self._where] = np.maximum(outcome.variables[self._x], 0.0)
        return joint


_SIZES, _CUTS = 3, 40


@dataclass(frozen=True, eq=False)
class _Cut:
    """A set of originals, by published category, and which of two bounds each published category has for it."""

    inside: NDArray[np.bool_]
    other: NDArray[np.bool_]


class NominalBlock(Block):
    """Variables ``u_b``, the share of records that publish their own category b, beside the masses."""

    # Which *other* originals are behind b costs nothing. So it need only be possible to share them out. With u_b
    # fixed, the distributions behind b are again a base polytope: j originals with b among them have at most ``min(u_b
    # + F_b(j - 1), F_b(j))`` and without it ``min(F_b(j), F_b(j + 1) - u_b)``, where F_b is the capacity. Sums of base
    # polytopes are one too: it is possible exactly where no set of originals is more frequent than the sum of these
    # bounds. Of all sets of j originals the worst is found by sorting, and it is added to the program.

    def __init__(self, objective: Objective, v: int) -> None:
        terms = objective.attributes[v]
        super().__init__(objective, v, min(_SIZES, len(terms.originals)))
        self.mass_loss = objective.distance_cost  # all of a mass is false but for the records that `u_b` counts
        self._places = np.searchsorted(terms.published, terms.originals)
        self._cuts: list[_Cut] = []

    def _join(self, draft: Draft, masses: Places) -> None:
        terms, below = self.terms, draft.below
        self._own = draft.variables(len(terms.originals), -self.objective.distance_cost)
        self._whole = draft.equal.rows(1.0)
        draft.equal.put(self._whole, masses, 1.0)
        self._owned = below.rows(terms.frequencies)
        below.put(self._owned, self._own, 1.0)
        single = below.rows(np.zeros(len(terms.published)))
        below.put(single[self._places], self._own, 1.0)
        below.put(single[self._b], masses, -1.0 / self._k)
        rows = []
        for cut in self._cuts:
            j = int(cut.inside.sum())
            row = below.rows(-float(terms.frequencies[cut.inside[self._places]].sum()))
            step = np.where(cut.inside, j - cut.other, j + cut.other)
            below.put(row, masses, -np.minimum(step[self._b] / self._k, 1.0))
            own = np.where(cut.inside, -1.0, 1.0) * cut.other
            below.put(row, self._own, own[self._places])
            rows.append(int(row[0]))
        self._rows = rows

    def alpha(self, outcome: Outcome) -> Floats:
        """Return the multipliers of the original frequencies, shape (A,)."""
        alpha: Floats = outcome.equal[self._whole] - outcome.below[self._owned]
        for row, cut in zip(self._rows, self._cuts, strict=True):
            alpha = alpha + outcome.below[row] * cut.inside[self._places]
        return alpha

    def cut(self, outcome: Outcome) -> int:
        """Add the sets, at most one of each size, that are more frequent than what can represent them."""
        terms = self.terms
        own = np.zeros(len(terms.published))
        own[self._places] = outcome.variables[self._own]
        capacities = self.capacities(outcome)
        capacities = np.column_stack([capacities, capacities[:, -1]])
        found: list[tuple[float, _Cut]] = []
        for j in range(1, len(terms.originals)):
            with_own, without = own + capacities[:, j - 1], capacities[:, j + 1] - own
            inside, outside = np.minimum(with_own, capacities[:, j]), np.minimum(without, capacities[:, j])
            gain = (inside - outside - terms.shares)[self._places]
            chosen = np.argpartition(gain, j - 1)[:j]
            broken = -float(outside.sum() + gain[chosen].sum())
            if broken > VIOLATION:
                members = np.zeros(len(own), dtype=np.bool_)
                members[self._places[chosen]] = True
                found.append((broken, _Cut(members, np.where(members, with_own, without) < capacities[:, j])))
        found.sort(key=lambda pair: -pair[0])
        self._cuts.extend(cut for _, cut in found[:_CUTS])
        return len(found)

    def joint(self, outcome: Outcome) -> Floats:
        """Return shares of records by published and original category, shape (B, A)."""
        # One way of sharing out: each published category takes of the originals with most left, as much of each as its
        # capacity allows; what then is left goes where there is room.
        terms = self.terms
        own = np.maximum(outcome.variables[self._own], 0.0)
        capacities = self.capacities(outcome)
        joint = np.zeros(terms.distances.shape)
        joint[self._places, np.arange(len(own))] = own
        room, left = np.maximum(capacities[:, -1] - joint.sum(axis=1), 0.0), np.maximum(terms.frequencies - own, 0.0)
        for limit in (capacities[:, 1], np.full(len(room), np.inf)):
            for b in np.argsort(-room, kind="stable"):
                order = np.argsort(-left * (terms.distances[b] > 0.0), kind="stable")
                most = np.minimum(left[order], limit[b]) * (terms.distances[b, order] > 0.0)
                taken = np.diff(np.minimum(np.cumsum(most), room[b]), prepend=0.0)
                joint[b, order] += taken
                left[order] -= taken
                room[b] -= taken.sum()
        joint[self._places, np.arange(len(own))] += left
        return joint


TOLERANCE = 1e-7  # the greatest distance, on the scale 0..100, between the stated bound and the program's optimum
_PRICED = 1e-9
_ROUNDS = 100  # programs for one weight at most; a dozen is usual
_SLIGHT = 1e-5  # weight of IL in place of 0: of all solutions of least DR one with little IL is wanted


@dataclass(frozen=True, eq=False)
class Optimum:
    """The result of one program."""

    t: float  # weight of IL; that of DR is 1 - t
    # A lower bound of ``t IL + (1 - t) DR`` of any masked file, valid even where `gap` is not 0. Where the least
    # maximum was requested it bounds max(IL, DR) as well, which is never less than a weighted mean of both
    value: float
    gap: float  # how much greater the optimum of the program may be
    il: float  # of the program's solution: a point on the limit curve, which a file need not reach
    dr: float
    # Shape (B, A); shares of the records by published and original category in that solution, by attribute
    joints: tuple[Floats, ...]


class Generation:
    """The program of an objective, which keeps what it has learned from one weight to the next."""

    def __init__(
        self, objective: Objective, tolerance: float = TOLERANCE, rounds: int = _ROUNDS, seconds: float | None = None
    ) -> None:
        self.objective = objective
        self._tolerance = tolerance
        self._rounds = rounds
        self._deadline = inf if seconds is None else monotonic() + seconds
        self._blocks: tuple[Block, ...] = tuple(
            # Nominal: every category is at distance 0 from itself and 1 from all others.
            NominalBlock(objective, v)
            if (terms.distances == (terms.published[:, None] != terms.originals)).all()
            else GeneralBlock(objective, v)
            for v, terms in enumerate(objective.attributes)
        )

    @property
    def late(self) -> bool:
        """Whether the time is over."""
        return monotonic() > self._deadline

    def optimum(self, t: float | None) -> Optimum:
        """Bound ``t IL + (1 - t) DR``, or max(IL, DR) where t is None."""
        # With t = 0 the bound is known: the DR of a file with one category, which tells nothing.
        if t == 0.0:
            near = self._generated(_SLIGHT)
            return replace(near, t=0.0, value=self.objective.least_risk, gap=0.0)
        return self._generated(t)

    def _generated(self, t: float | None) -> Optimum:
        """Solve, price and extend for one weight."""
        best, at, done = -inf, 0.5 if t is None else t, 0
        while True:
            try:
                outcome = self._solved(t)
            except TimeoutError:
                # What was found so far stays valid, and so does what a file must risk that tells nothing.
                best = max(best, (1.0 - at) * self.objective.least_risk)
                return Optimum(at, best, inf, nan, nan, ())
            alpha, eta = [b.alpha(outcome) for b in self._blocks], [b.eta(outcome) for b in self._blocks]
            pulls = (outcome.below[rows] for rows in self._joined)
            bound, found = certified(self.objective, min(max(outcome.t, 0.0), 1.0), alpha, eta, pulls)
            bound = max(bound, (1.0 - outcome.t) * self.objective.least_risk)
            if bound > best:
                best, at = bound, outcome.t
            broken = sum(block.cut(outcome) for block in self._blocks)
            priced = zip(self._blocks, found, strict=True)
            done += 1
            if broken == 0 and outcome.value - best <= self._tolerance:
                break
            if done == self._rounds or self.late or broken + sum(block.extend(p, -_PRICED) for block, p in priced) == 0:
                break
        joints = tuple(block.joint(outcome) for block in self._blocks)
        gap = max(outcome.value - best, 0.0) if broken == 0 else inf
        return Optimum(at, best, gap, outcome.il, outcome.dr, joints)

    def _solved(self, t: float | None) -> Outcome:
        draft = Draft()
        for block in self._blocks:
            block.write(draft)
        self._joined = []
        for table in self.objective.tables:
            if len(table) > 1:
                change = draft.variables(1, self.objective.table_cost)
                rows = draft.below.rows(np.zeros(len(table)))
                draft.below.put(rows, [self._blocks[v].change for v in table], 1.0)
                draft.below.put(rows, change, -1.0)
                self._joined.append(rows)
        return draft.solved(t, self.objective.constant, self._deadline - monotonic())
