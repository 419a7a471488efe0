"""The problem to be solved, and the evaluation of one genome: a pure function of the seed and the genome."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from evosdc.engine.class_keeping import Repair
from evosdc.engine.decoding import Decoder
from evosdc.engine.mending import mended
from evosdc.engine.objectives import Columns, Judged, Objectives
from evosdc.engine.trackers import FollowedTable, Trackers, scores_of
from evosdc.errors import EvaluationError, asked
from evosdc.model import (
    Aggregation,
    Composed,
    Described,
    Direct,
    Expected,
    Fitness,
    Fitted,
    Genotype,
    Individual,
    Local,
    Masking,
    Siblings,
    Stochastic,
    matrices_of,
    racing,
)
from evosdc.model.constraint import Constraints
from evosdc.model.individual import Values
from evosdc.secret import Streams
from evosdc.table.table import Table


class Problem:
    """A genotype on its microdata, the measures fitted on its original, and how they make a fitness."""

    # What the constraints look at is among the measures, or made of them.

    def __init__(
        self,
        genotype: Genotype[Any],
        measures: Mapping[str, Fitted],
        aggregation: Aggregation,
        fitness: Fitness,
        streams: Streams,
        constraints: Constraints | None = None,
    ) -> None:
        self.genotype, self.measures, self.streams = genotype, measures, streams
        self.aggregation, self.fitness, self.constraints = aggregation, fitness, constraints or Constraints()
        self._drawing = genotype if isinstance(genotype, Stochastic) else None
        provisional = self._provisional if racing(genotype) is not None else None
        parts = (genotype, aggregation, fitness, self.constraints)
        self._objectives = Objectives(*parts, provisional, self._scores_of_reference)
        self._decoder = Decoder(genotype, streams)
        # By measure what scores a genome without its table, where all measures can be scored so.
        direct = {n: genotype.direct(one) for n, one in measures.items()} if isinstance(genotype, Direct) else {}
        known = {name: score for name, score in direct.items() if score is not None}
        self._direct = known if isinstance(genotype, Direct) and len(known) == len(measures) else None
        of_matrices = {n: one for n, one in measures.items() if isinstance(one, Expected) and one.of_matrices}
        self._of_matrices: Mapping[str, Expected] = of_matrices if matrices_of(genotype) is not None else {}
        # Rules that the genotype does not keep by itself are kept by repairing whole tables.
        keeps = genotype.keeps_rules or genotype.microdata.rules is None
        whole = self._drawing is not None or genotype.generalises or self._direct is not None
        self._trackers: Trackers | None = None
        if isinstance(genotype, Local) and keeps and not whole:
            self._trackers = Trackers(genotype, measures, self.decode)

    @property
    def draws(self) -> int:
        """How many tables are judged for one evaluation."""
        return self._drawing.draws if self._drawing is not None else 1

    def draws_of(self, genome: Any) -> int:
        """How many tables are judged for the evaluation of a genome."""
        return self._drawing.draws_of(genome) if self._drawing is not None else 1

    def _provisional(self, genome: Any) -> bool:
        return self.draws_of(genome) < self.draws

    @property
    def fresh_draws(self) -> int:
        """How many further tables the winner is judged on; 0 where decoding is not random."""
        return self._drawing.fresh_draws if self._drawing is not None else 0

    @property
    def expected(self) -> bool:
        """Whether genomes are judged by expectations, over all tables that they may be decoded to."""
        return self._drawing is not None and self._drawing.expected

    @property
    def single(self) -> bool:
        """Whether the scores of a genome are those of the one table that it is published as."""
        return self.draws == 1 and self.fresh_draws == 0 and not self.expected

    def decode(self, genome: Any, key: bytes, draw: int = 0, repaired: bool = True) -> Table:
        """Return the masked table of a genome in one draw, or the table before any repair."""
        # Tables made by masking methods (`evosdc.model.Composed`) are repaired as masked files are.
        if not repaired or not isinstance(self.genotype, Composed):
            return self._decoder.decode(genome, key, draw, repaired)
        return mended(self, self._decoder.decode(genome, key, draw, False), self.genotype.last_step).table

    def evaluate(self, individual: Individual, from_scratch: bool = False) -> Values:
        """Return the objectives of an individual, with its scores."""
        genome, key = individual.genome, individual.key
        if self.expected:
            return self._values(self.expectations(genome), genome)
        if self._direct is not None:
            return self._values({name: score(genome) for name, score in self._direct.items()}, genome)
        if self.tracks and individual.parent is not None and not (from_scratch or individual.parent.failed):
            return self.evaluate_children([individual])[0]
        return self._from_scratch(genome, key)

    def evaluate_children(self, children: Sequence[Individual]) -> list[Values]:
        """Return the values of individuals by what they change in a relative's table; only where the problem `tracks`.

        Each has a parent.
        """
        assert self._trackers is not None
        scores = self._trackers.scores_of_children(children)
        columns = self._objectives.judge_columns(scores) if self._objectives.by_columns else None
        if columns is None:
            return [self._values(row, child.genome) for row, child in zip(_rows_of(scores), children, strict=True)]
        objectives = zip(*(column.tolist() for column in columns[1]), strict=True)
        return [Values(own, row) for row, own in zip(_rows_of(columns[0]), objectives, strict=True)]

    def _from_scratch(self, genome: Any, key: bytes) -> Values:
        each = list[dict[str, float]]()
        before: Table | None = None
        for draw in range(self.draws_of(genome)):
            masked = self.decode(genome, key, draw)
            if before is not None and masked.same_records(before):
                each.append(each[-1])  # nothing of it is random
                continue
            each.append(self._scored(masked))
            before = masked if self.draws > 1 else None
        fixed = self.figures_of_matrices(genome)
        if len(each) == 1:
            return self._values(each[0] | fixed, genome)
        scores, objectives = self._objectives.judge_draws(each, fixed, genome)
        return Values(objectives, scores)

    def _scored(self, masked: Table) -> dict[str, float]:
        """Return the scores of one table; figures of matrices are 0. Studies count the tables that were judged."""
        measures = {name: fitted for name, fitted in self.measures.items() if name not in self._of_matrices}
        return dict.fromkeys(self.measures, 0.0) | scores_of(measures, masked)

    def _values(self, scores: Mapping[str, float], genome: Any) -> Values:
        judged, objectives = self.judge(scores, genome)
        return Values(objectives, judged)

    @property
    def tracks(self) -> bool:
        """Whether children are judged by what they change."""
        return self._trackers is not None

    def tries(self, siblings: Siblings) -> tuple[Columns, bool] | None:
        """Return scores and objectives of children by what they change, shape (k,), and whether they are estimates."""
        # None where each has to be evaluated by itself: genomes have a part in the objectives, or a value is not
        # finite.
        if self._trackers is None or siblings.changes is None or not self._objectives.by_columns:
            return None
        scores, estimated = self._trackers.scores_of_changes(siblings.parent, siblings.changes)
        columns = self._objectives.judge_columns(scores)
        return None if columns is None else (columns, estimated)

    def contributions(self, individual: Individual) -> list[NDArray[np.float64]]:
        """Return each record's contribution to the score of each measure that has them (`Tracker.contributions`)."""
        if self._trackers is not None:
            table = self._trackers.at(individual.key, individual.genome)
        else:
            table = FollowedTable(self.measures, individual.genome, self.decode(individual.genome, individual.key))
        found = [asked(f"measure {name}", tracker.contributions) for name, tracker in table.trackers.items()]
        return [contributions for contributions in found if contributions is not None]

    def expectations(self, genome: Any) -> dict[str, float]:
        """Return the expected score of each measure for a post-randomisation genome, without draws."""
        drawing = matrices_of(self.genotype)
        if drawing is None:
            raise EvaluationError("a genotype that is judged by expectations has no transition matrices")
        transitions, found = drawing.transitions(genome), {}
        for name, fitted in self.measures.items():
            if not isinstance(fitted, Expected):
                raise EvaluationError(f"measure {name} has no expectation under transition matrices")
            found[name] = asked(f"measure {name}", fitted.expected, transitions)
        return found

    def scores_of_draw(self, genome: Any, masked: Table) -> dict[str, float]:
        """Return each measure's score of one table that a genome was decoded to."""
        return self._scored(masked) | self.figures_of_matrices(genome)

    def figures_of_matrices(self, genome: Any) -> dict[str, float]:
        """Return the scores that depend on the transition matrices of a genome and not on what they draw."""
        drawing = matrices_of(self.genotype)
        if not self._of_matrices or drawing is None:
            return {}
        transitions = drawing.transitions(genome)
        return {n: asked(f"measure {n}", fitted.expected, transitions) for n, fitted in self._of_matrices.items()}

    def traits(self, genome: Any) -> Mapping[str, float]:
        """Return figures of the genome itself; empty where the genotype has none."""
        return self.genotype.traits(genome) if isinstance(self.genotype, Described) else {}

    @cached_property
    def repair(self) -> "Repair":
        """How masked files that are no genomes yet are put in order."""
        from evosdc.engine.class_keeping import Repair  # numba is loaded with it

        return Repair(self.genotype.microdata, self.measures, self.constraints)

    @cached_property
    def initial_genomes(self) -> tuple[tuple[Masking, Any], ...]:
        """The genotype's own initial genomes with what they stand for; empty where it has none."""
        return tuple(self.genotype.initial_genomes())

    def score(self, masked: Table) -> tuple[dict[str, float], tuple[float, ...]]:
        """Return scores and objectives of a table, from scratch."""
        return self.judge(scores_of(self.measures, masked))

    def judge(
        self, scores: Mapping[str, float], genome: Any = None, margins: Mapping[str, float] | None = None
    ) -> Judged:
        """Return the scores with their aggregates and, where a genome is given, its traits; and the objectives."""
        # With constraints the scores hold what these look at and ``infeasibility`` (`evosdc.model.constraint`), which
        # precedes the objectives in every comparison.
        return self._objectives.judge(scores, genome, margins)

    def _scores_of_reference(self, reference: Any) -> Mapping[str, float]:
        """Return the scores of the reference of a `Guaranteed` genotype that has one."""
        if self._direct is not None:
            return {name: score(reference) for name, score in self._direct.items()}
        return scores_of(self.measures, self.decode(reference, self.genotype.key(reference)))


def _rows_of(columns: Mapping[str, NDArray[np.float64]]) -> Iterator[dict[str, float]]:
    """Return scores by candidate, from those by measure."""
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return (dict(zip(columns, row, strict=True)) for row in rows)
