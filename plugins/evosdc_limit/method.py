"""The masking method `optimal-channel`."""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Design, Parameters, Range, Tunable
from evosdc.randomisation.matrix_file import LabelledMatrix
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Table
from evosdc_limit.annealing import fitness
from evosdc_limit.assignment import assigned
from evosdc_limit.channels import ROUNDS, candidates_of
from evosdc_limit.generation import Generation
from evosdc_limit.objective import Guess, objective_of

# Values of a file, records times attributes, up to which the method is tuned: beyond it takes minutes
_MOST_VALUES = 50_000

# Pairs of an original and a published category, of all attributes, up to which the method is tuned. The linear programs
# grow with them: 2 s of the processor for one ordinal attribute of 50 categories, 9 s for one of 100, over a minute for
# 200.
_MOST_PAIRS = 5_000

# How often numbers of records are chosen, and how often of these freely: after the first time it is known what tables
# and linkages also cost. Later passes only balance the best numbers, so that this cost stays about the same.
_PASSES, _FREE = 4, 2


class OptimalChannel(Tunable):
    """Publish every attribute by the transitions of least ``t IL + (1 - t) DR``, or of least max(IL, DR)."""

    # The transitions of the limit's program (IL the mean of `dbil`, `ctbil` and `ebil`, DR half of the guess) are
    # rounded to numbers of records and annealed on the loss and risk that a file of these numbers has. Then pairs of
    # records swap what they publish, so that two-way tables stay and few records are linked to their own, by distance
    # or by likelihood; linkages are looked at while no more than a million different records could be published.
    # Derived for evosdc: a reconstruction.

    class Params(Parameters):
        """The minimised function."""

        t: float | Literal["max"] = Field(
            default="max", description='Weight of IL, 0 to 1, beside 1 - t of DR; "max" for the greater of both.'
        )
        dr: Guess = Field(default="guess", description="What DR is made of: guess or guess-gain.")
        effort: int = Field(default=1, ge=1, le=1000, description="How much is tried; time grows in proportion.")

    params: Params
    supports = frozenset({Scale.NOMINAL, Scale.ORDINAL})
    companion: ClassVar[str] = "matrices"

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return the weight of IL, and the greater of IL and DR with either DR; nothing where a file takes long."""
        pairs = sum(len(attribute.categories) ** 2 for attribute in table.schema.attributes)
        if table.codes.size > _MOST_VALUES or pairs > _MOST_PAIRS:
            return []
        weighed = Design({"dr": "guess"}, (Range("t", 0.05, 0.95),), dear=True)
        return [weighed, *(Design({"t": "max", "dr": dr}, dear=True) for dr in ("guess", "guess-gain"))]

    def remarks(self, table: Table) -> tuple[str, ...]:
        """Return that the transitions prove nothing."""
        return (
            "No proof: the transitions were computed from these data, and tell something by their choice. Mask the "
            "certified file of `evosdc certify` instead, and the original by pram with the matrices written then.",
        )

    def account(self, table: Table, weights: Numbers | None = None) -> Mapping[str, Any]:
        """Return the transition matrices of the limit's program, which `pram` takes; they hold no record."""
        if len(table) == 0 or not table.schema.attributes:
            return {}
        objective = objective_of(table, self.params.dr)
        joints = Generation(objective, rounds=ROUNDS).optimum(None if self.params.t == "max" else self.params.t).joints
        matrices = {}
        for attribute, terms, joint in zip(table.schema.categorical, objective.attributes, joints, strict=True):
            # what never occurs stays as it is; pram leaves missing values alone
            matrix = np.eye(len(attribute.categories))
            here, there = terms.originals >= 0, terms.published >= 0
            shares = np.maximum(joint[np.ix_(there, here)].T, 0.0)
            for category, row in zip(terms.originals[here], shares, strict=True):
                if row.sum() > 0.0:
                    matrix[category] = 0.0
                    matrix[category, terms.published[there]] = row / row.sum()
            states = tuple((label,) for label in attribute.categories)
            matrices[attribute.name] = LabelledMatrix((attribute.name,), states, matrix).document()
        return matrices

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the table with the published categories."""
        self.require_fit(table)
        if len(table) == 0 or not table.schema.attributes:
            return table
        t = None if self.params.t == "max" else self.params.t
        objective = objective_of(table, self.params.dr)
        records = [np.round(one.frequencies * len(table)).astype(np.int64) for one in objective.attributes]
        effort = self.params.effort
        candidates = candidates_of(objective, records, t, effort, rng)
        costs = candidates.costs()
        best, nearest, beside, least = table.codes, None, (0.0, 0.0), inf
        # A weighted sum does not ask how both are balanced: what comes besides changes nothing.
        for number in range(_PASSES if t is None else 1):
            if nearest is None or number < _FREE:
                channels = candidates.together(beside, effort, rng)
            else:
                channels = candidates.balanced(nearest, beside, rng)
            file = assigned(table, objective, channels.counts, candidates.t, effort, rng)
            il, dr = channels.il - beside[0] + file.il, channels.dr - beside[1] + file.dr
            if (reached := fitness(il, dr, costs)) < least:
                best, nearest, least = file.codes, channels, reached
                near = file.il, file.dr
            beside = (file.il, file.dr) if number + 1 < _FREE else near
        return Table(table.schema, best, table.numbers)

    def require_fit(self, table: Table) -> None:
        """Raise `ParameterError` for numeric attributes, and for a weight outside 0 to 1."""
        super().require_fit(table)
        t = self.params.t
        if t != "max" and not 0.0 <= t <= 1.0:
            raise ParameterError(Fault("method optimal-channel: t", f"{t:g}", 'a number from 0 to 1, or "max"'))
