"""The problem to be solved, and the evaluation of one genome: a pure function of the seed and the genome."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from evosdc.engine.class_keeping import Repair
from evosdc.engine.decoding import Decoder
from evosdc.engine.direct_scores import direct_scores, expectations
from evosdc.engine.draws import Draws
from evosdc.engine.families import Families, families_of
from evosdc.engine.family_evaluations import Evaluation, family_evaluations, litter_columns
from evosdc.engine.followed_measures import Burdens, Roads, StatesOfTable, roads_of
from evosdc.engine.mending import mended
from evosdc.engine.objectives import Columns, Judged, Objectives
from evosdc.engine.travelling import Travellers, travellers_of
from evosdc.model import (
    Aggregation,
    Composed,
    Described,
    Fitness,
    Fitted,
    Followed,
    Genotype,
    Individual,
    Masking,
    PostRandomised,
    Raced,
    SelfStarting,
    Siblings,
)
from evosdc.model.constraint import Constraints
from evosdc.processors import side_by_side
from evosdc.secret import Streams
from evosdc.table.table import Rows, Table

FEW = 3
"""Fewer children of one parent are evaluated one by one: then those that stay have their states already."""


@dataclass(frozen=True)
class Problem(Draws):
    """A genotype on its microdata, the fitted measures, and how they make a fitness.

    Parameters
    ----------
    genotype : Genotype
    measures : mapping of str to Fitted
        Fitted on the protected attributes of the original.
    aggregation : Aggregation
    fitness : Fitness
    streams : Streams
    constraints : Constraints
        What they look at is among the measures, or made of them.
    """

    genotype: Genotype[Any]
    measures: Mapping[str, Fitted]
    aggregation: Aggregation
    fitness: Fitness
    streams: Streams
    constraints: Constraints = field(default_factory=Constraints)
    _roads: Roads = field(init=False, repr=False)
    _direct: Mapping[str, Callable[[Any], float]] | None = field(init=False, repr=False)
    _decoder: Decoder = field(init=False, repr=False)
    _travellers: Travellers | None = field(init=False, repr=False)
    _families: Families | None = field(init=False, repr=False)
    _objectives: Objectives = field(init=False, repr=False)

    def __post_init__(self) -> None:
        genotype = self.genotype
        # Changed rows say something only where parent and child are decoded with the same random numbers.
        follows = isinstance(genotype, Followed) and self.common_random_numbers
        roads = roads_of(self.measures, follows, isinstance(genotype, PostRandomised))
        provisional = self._provisional if isinstance(genotype, Raced) else None
        parts = (genotype, self.aggregation, self.fitness, self.constraints)
        object.__setattr__(self, "_objectives", Objectives(*parts, provisional, self._scores_of_reference))
        object.__setattr__(self, "_decoder", Decoder(genotype, self.streams))
        object.__setattr__(self, "_roads", roads)
        object.__setattr__(self, "_direct", direct_scores(genotype, self.measures))
        travellers = travellers_of(genotype, roads.followed)
        object.__setattr__(self, "_travellers", travellers)
        direct = self._direct is not None or self.expected or self.draws > 1
        object.__setattr__(self, "_families", None if direct else families_of(genotype, roads, travellers))

    @property
    def incremental(self) -> bool:
        """Whether any measure can follow a genome from its relative's states."""
        return bool(self._roads.followed)

    def follows(self, genome: Any, nearest: Individual) -> bool:
        """Whether so few records differ from a relative that its states are to be made for its children."""
        if not self.incremental or self._travellers is not None:
            return False
        rows = self._changed_rows(nearest, genome)
        return rows is not None and 2 * len(rows) <= len(self.genotype.microdata.original)

    def _changed_rows(self, nearest: Individual, genome: Any) -> Rows | None:
        genotype = self.genotype
        return genotype.changed_rows(nearest.genome, genome) if isinstance(genotype, Followed) else None

    def decode(self, genome: Any, key: bytes, draw: int = 0, repaired: bool = True) -> Table:
        """Return the masked table that a genome stands for in one draw, or what it was before any repair.

        What is made of masking methods (`evosdc.model.Composed`) is put in order as masked files are.
        """
        if not repaired or not isinstance(self.genotype, Composed):
            return self._decoder.decode(genome, key, draw, repaired)
        return mended(self, self._decoder.decode(genome, key, draw, False), self.genotype.last_step).table

    def evaluate(self, genome: Any, key: bytes, nearest: Individual | None = None) -> Evaluation:
        """Return the evaluation of a genome.

        Parameters
        ----------
        genome : object
        key : bytes
            Of the genome.
        nearest : Individual, optional
            A relative; where it has states and few records differ, only those records are evaluated. The result is the
            same to the last bit.

        Raises
        ------
        EvaluationError
            A score or an objective is not finite.
        """
        if self.expected:
            return Evaluation(*self.judge(self.expectations(genome), genome), ())
        if self._direct is not None:
            return Evaluation(*self.judge({name: score(genome) for name, score in self._direct.items()}, genome), ())
        if self._travellers is not None:
            relative = nearest.key if nearest is not None else None
            return Evaluation(*self.judge(self._travellers.read(genome, key, relative, self._roads.scores), genome), ())
        rows = None
        if nearest is not None and nearest.states:
            rows = self._changed_rows(nearest, genome)
        draws = self.draws_of(genome)
        states, each = list[tuple[Any, ...]](), list[dict[str, float]]()
        before: Table | None = None
        for draw in range(draws):
            masked = self.decode(genome, key, draw)
            if before is not None and masked.same_records(before):
                states.append(states[-1])  # nothing of it is random
                each.append(each[-1])
                continue
            known = nearest.states[draw] if nearest is not None and rows is not None else None
            of_draw, scores = self._scored(masked, known, rows)
            states.append(of_draw)
            each.append(scores)
            before = masked if draws > 1 else None
        fixed = self.figures_of_matrices(genome)
        if draws == 1:
            judged, objectives = self.judge(each[0] | fixed if fixed else each[0], genome)
        else:
            judged, objectives = self._objectives.judge_draws(each, fixed, genome)
        return Evaluation(judged, objectives, tuple(states) if self._roads.followed else ())

    def _scored(
        self, masked: Table, known: StatesOfTable | None, rows: Rows | None
    ) -> tuple[StatesOfTable, dict[str, float]]:
        """Return the states and scores of one table; where studies count the tables that were judged."""
        return self._roads.scored(masked, known, rows)

    @property
    def together(self) -> bool:
        """Whether children of one parent can be evaluated together."""
        return self._families is not None

    def worth_joining(self, children: int) -> bool:
        """Whether so many children of one parent are better evaluated together than one by one."""
        return self._families is not None and (self._travellers is not None or children >= FEW)

    def evaluate_children(self, parent: Individual, genomes: Sequence[Any]) -> list[Evaluation | None]:
        """Return the evaluations of several children of one parent, the same as one by one to the last bit.

        They have no states: those of a child are made from its parent's (`Individual.basis`) when it has children.

        Returns
        -------
        list of Evaluation or None
            None for children that have to be evaluated by themselves: they differ too much, or could not be judged.

        Raises
        ------
        Exception
            What a measure raised about any of them: then all have to be evaluated by themselves.
        """
        assert self._families is not None
        makes = None if self._travellers is not None else self.make_states
        return family_evaluations(self._families, parent, genomes, makes, self.judge)

    def use_threads(self, threads: int) -> None:
        """Let measures judge children side by side, in up to so many threads; the scores are the same."""
        if self._families is not None:
            self._families.use_threads(threads)

    def judge_litter(self, parent: Individual, genomes: Siblings[Any]) -> Columns | None:
        """Return scores and objectives of several children of one parent that need not be made.

        The same as of `evaluate` to the last bit; None where that is not possible.

        Raises
        ------
        Exception
            What a measure raised about any of them: then all have to be evaluated by themselves.
        """
        if self._families is None or not (self._families.by_columns and self._objectives.by_columns):
            return None
        makes = None if self._travellers is not None else self.make_states
        return litter_columns(self._families, parent, genomes, makes, self._objectives.judge_columns)

    def make_states(self, parent: Individual, genomes: Sequence[Any]) -> None:
        """Make the states of a parent that has none for its children, from a relative's where that is known."""
        if self._families is not None and parent.basis is not None and parent.basis.states:
            states = self._families.derived(parent.basis, parent)
            parent.states = () if states is None else (states,)
        if not parent.states and any(self.follows(genome, parent) for genome in genomes):
            # It came from the cache, a worker or a checkpoint.
            parent.states = self.evaluate(parent.genome, parent.key).states
        if parent.states:
            parent.basis = None

    def burdens(self, individual: Individual) -> list[Burdens]:
        """Return what each record adds to the score of each measure that can tell (`evosdc.model.Fitted.burdens`).

        Read from the individual's states where it has them, with the same result to the last bit.
        """
        genome, key = individual.genome, individual.key
        if self._travellers is not None:
            return self._travellers.read(genome, key, key, lambda *at: self._roads.burdens(self.measures, *at))
        if not individual.states and individual.basis is not None:
            self.make_states(individual, (genome,))
        states = individual.states[0] if len(individual.states) == 1 else ()
        return self._roads.burdens(self.measures, self.genotype.decode(genome, np.random.default_rng(0)), states)

    def expectations(self, genome: Any) -> dict[str, float]:
        """Return what each measure is expected to give for a genome that is a post-randomisation; nothing is drawn.

        Raises
        ------
        EvaluationError
            The genome has no transition matrices, or a measure has no expectation.
        """
        return expectations(self.genotype, self.measures, genome)

    def scores_of_draw(self, genome: Any, masked: Table) -> dict[str, float]:
        """Return each measure's score of one table that a genome was decoded to."""
        fixed = self.figures_of_matrices(genome)
        return {n: fixed[n] if n in fixed else fitted.score(masked) for n, fitted in self.measures.items()}

    def figures_of_matrices(self, genome: Any) -> dict[str, float]:
        """Return the scores that depend on the transition matrices of a genome and not on what they draw."""
        if not self._roads.of_matrices or not isinstance(self.genotype, PostRandomised):
            return {}
        transitions = self.genotype.transitions(genome)
        return {name: fitted.expected(transitions) for name, fitted in self._roads.of_matrices}

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
        return tuple(self.genotype.initial_genomes()) if isinstance(self.genotype, SelfStarting) else ()

    def score(self, masked: Table) -> tuple[dict[str, float], tuple[float, ...]]:
        """Return scores and objectives of a table, from scratch."""
        scores = side_by_side(len(masked), [partial(fitted.score, masked) for fitted in self.measures.values()])
        return self.judge(dict(zip(self.measures, scores, strict=True)))

    def judge(
        self, scores: Mapping[str, float], genome: Any = None, margins: Mapping[str, float] | None = None
    ) -> Judged:
        """Return the scores with their aggregates and, where a genome is given, its traits; and the objectives.

        With constraints the scores hold what these look at and ``infeasibility`` (`evosdc.model.constraint`), which
        precedes the objectives in every comparison. Figures that are means over few draws have to keep their bounds by
        `margins`: what is published is one draw.

        A genome that is judged on a part of its tables (`Raced`) is provisional: it comes behind all others.

        With a genotype that is `Restricted` the scores of a genome hold ``violation``, and as ``penalty`` what was
        added to the first objective. That is the first objective of the reference, times one plus the violation. No
        genome that may not be published is then better than the reference, and of two such the nearer one is better.

        Raises
        ------
        EvaluationError
            A score or an objective is not finite.
        """
        return self._objectives.judge(scores, genome, margins)

    def _scores_of_reference(self, reference: Any) -> Mapping[str, float]:
        """Return the scores of what a genotype that is `Restricted` is compared with."""
        if self._direct is not None:
            return {name: score(reference) for name, score in self._direct.items()}
        masked = self.decode(reference, self.genotype.key(reference))
        return {name: fitted.score(masked) for name, fitted in self.measures.items()}
