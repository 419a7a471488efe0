"""Column generation: solve, price, extend, until nothing is left to add."""

from dataclasses import dataclass, replace
from math import inf
from time import monotonic

import numpy as np

from evosdc_limit.attribute import AttributeTerms, Floats
from evosdc_limit.block import Block
from evosdc_limit.certificate import Multipliers, certified, repaired
from evosdc_limit.draft import Draft, Outcome
from evosdc_limit.general_block import GeneralBlock
from evosdc_limit.nominal_block import NominalBlock
from evosdc_limit.objective import Objective

TOLERANCE = 1e-7
"""The greatest distance, on the scale 0..100, between the stated bound and the program's optimum."""

_PRICED = 1e-9

_ROUNDS = 100
"""Programs for one weight at most; a dozen is usual."""

_SLIGHT = 1e-5
"""Weight of IL in place of 0: of all solutions of least DR one with little IL is wanted."""


@dataclass(frozen=True, eq=False)
class Optimum:
    """What one program came to.

    Parameters
    ----------
    t : float
        Weight of IL; that of DR is 1 - t.
    value : float
        A lower bound of ``t IL + (1 - t) DR`` of any masked file, valid even where `gap` is not 0. Where the least
        maximum was asked for it bounds max(IL, DR) as well, which is never less than a weighted mean of both.
    gap : float
        How much greater the optimum of the program may be.
    il, dr : float
        Of the program's solution: a point on the limit curve, which a file need not reach.
    joints : tuple of ndarray of float64, shape (B, A)
        Shares of the records by published and original category in that solution, by attribute.
    """

    t: float
    value: float
    gap: float
    il: float
    dr: float
    joints: tuple[Floats, ...]


class Generation:
    """The program of an objective, which keeps what it has learned from one weight to the next.

    Parameters
    ----------
    objective : Objective
    tolerance : float
        Stop when the bound is so near to the optimum.
    rounds : int
        Stop after so many programs for one weight; the bound then is lower and `Optimum.gap` greater.
    seconds : float, optional
        Begin no program after that time, but one for each weight; likewise.
    """

    def __init__(
        self,
        objective: Objective,
        tolerance: float = TOLERANCE,
        rounds: int = _ROUNDS,
        seconds: float | None = None,
    ) -> None:
        self.objective = objective
        self._tolerance = tolerance
        self._rounds = rounds
        self._deadline = inf if seconds is None else monotonic() + seconds
        self._blocks: tuple[Block, ...] = tuple(
            NominalBlock(objective, v) if _is_nominal(terms) else GeneralBlock(objective, v)
            for v, terms in enumerate(objective.attributes)
        )

    @property
    def late(self) -> bool:
        """Whether the time is over."""
        return monotonic() > self._deadline

    def optimum(self, t: float | None) -> Optimum:
        """Bound ``t IL + (1 - t) DR``, or max(IL, DR) where t is None.

        With t = 0 the bound is known: the DR of a file with one category, which tells nothing.

        Raises
        ------
        EvaluationError
            The solver gave up.
        """
        if t == 0.0:
            near = self._generated(_SLIGHT)
            return replace(near, t=0.0, value=self.objective.least_risk, gap=0.0)
        return self._generated(t)

    def _generated(self, t: float | None) -> Optimum:
        """Solve, price and extend for one weight."""
        best, at, done = -inf, 0.5 if t is None else t, 0
        while True:
            outcome = self._solved(t)
            bound, found = certified(self.objective, repaired(self.objective, self._multipliers(outcome)))
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
        return draft.solved(t, self.objective.constant)

    def _multipliers(self, outcome: Outcome) -> Multipliers:
        pull = np.zeros((len(self.objective.tables), len(self._blocks)))
        joined = iter(self._joined)
        for row, table in enumerate(self.objective.tables):
            if len(table) > 1:
                pull[row, list(table)] = outcome.below[next(joined)]
        alpha = tuple(block.alpha(outcome) for block in self._blocks)
        return Multipliers(outcome.t, alpha, tuple(block.eta(outcome) for block in self._blocks), pull)


def _is_nominal(terms: AttributeTerms) -> bool:
    """Whether every category is at distance 0 from itself and 1 from all others."""
    return bool((terms.distances == (terms.published[:, None] != terms.originals)).all())
