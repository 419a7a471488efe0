"""Conformance of search algorithms."""

# ruff: noqa: D102 -- the name of a test says what it asserts

from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar

from deap import base

from evosdc.model import Algorithm, Individual, Population
from evosdc.secret import lent
from evosdc.testing.acceptance import assert_unknown_keys_refused, kept
from evosdc.testing.counting import candidates, counting_toolbox
from evosdc.testing.genotype import through_npz
from evosdc.testing.purity import fingerprint, generator, global_random

_LEAST = 34


class AlgorithmConformance:
    """Tests that every algorithm must pass; subclass it and say how the algorithm is made.

    The problem is small: vectors of integers that should become zero.

    Examples
    --------
    >>> class TestAnnealing(AlgorithmConformance):
    ...     def algorithm(self, toolbox):
    ...         return Annealing(Annealing.Params(), toolbox)
    """

    objectives: ClassVar[int] = 1  #: How many objectives the individuals have.
    generations: ClassVar[int] = 8  #: How many generations the tests run.

    improves: ClassVar[bool] = True
    """Whether the best individual of this easy problem must be better after 40 generations than at the start."""

    def algorithm(self, toolbox: base.Toolbox) -> Algorithm:
        """Return the algorithm to test."""
        raise NotImplementedError("define algorithm(self, toolbox) and return the algorithm to test")

    def start(self) -> list[Individual]:
        """Return the evaluated candidates of the start."""
        return candidates(12, self.objectives)

    def toolbox(self) -> base.Toolbox:
        """Return the toolbox of the problem; override it and `start` for an algorithm of one genotype."""
        return counting_toolbox(self.objectives)

    def first(self, algorithm: Algorithm, start: Sequence[Individual] | None = None) -> Population:
        """Return the first population, random numbers being those of the start."""
        with lent(generator(32)) as algorithm.toolbox.random:
            return algorithm.first_population(self.start() if start is None else start)

    def generation(self, algorithm: Algorithm, population: Population) -> Population:
        """Return the population after one step, random numbers being those of the generation."""
        rng = generator(31, population.generation)
        algorithm.toolbox.rng = rng
        with lent(rng) as algorithm.toolbox.random:
            following = algorithm.step(population)
        return Population(following, population.generation + 1, following.memory)

    def history(self, algorithm: Algorithm, generations: int) -> list[Population]:
        """Return the populations from the start on."""
        populations = [self.first(algorithm)]
        for _ in range(generations):
            populations.append(self.generation(algorithm, populations[-1]))
        return populations

    def lived(self) -> list[Population]:
        """Return the populations of the generations that tests run, evolved once: populations are values."""
        return kept(self, "history", lambda: self.history(self.made(), self.generations))

    def made(self) -> Algorithm:
        """Return a fresh algorithm on the small problem."""
        return self.algorithm(self.toolbox())

    def test_the_first_population_is_chosen_from_the_candidates(self) -> None:
        start = self.start()
        population = self.first(self.made(), start)
        assert population, "the first population is empty"
        assert {i.key for i in population} <= {i.key for i in start}, "first_population invented an individual"
        assert population.generation == 0

    def test_one_candidate_is_enough(self) -> None:
        algorithm = self.made()
        population = self.first(algorithm, self.start()[:1])
        for _ in range(3):
            population = self.generation(algorithm, population)
        assert population, "the population died out"

    def test_survivors_come_from_the_population_or_have_been_evaluated(self) -> None:
        algorithm = self.made()
        evaluate, seen = algorithm.toolbox.evaluate, {algorithm.toolbox.key(one.genome) for one in self.start()}

        def watched(individual: Individual) -> Sequence[float]:
            values: Sequence[float] = evaluate(individual)
            seen.add(algorithm.toolbox.key(individual.genome))
            return values

        algorithm.toolbox.register("evaluate", watched)
        population = self.first(algorithm)
        for _ in range(self.generations):
            population = self.generation(algorithm, population)
            assert population, "the population died out"
            assert all(one.fitness.valid for one in population), "a member of the population has not been evaluated"
            assert {algorithm.toolbox.key(one.genome) for one in population} <= seen, "step invented an individual"

    def test_populations_are_values(self) -> None:
        algorithm = self.made()
        population = self.first(algorithm)
        for _ in range(self.generations):
            held = _state(population)
            following = self.generation(algorithm, population)
            assert _state(population) == held, "step changed the population that was passed in"
            population = following

    def test_nothing_is_remembered_between_calls(self) -> None:
        for before, after in pairwise(self.lived()):
            resumed = self.generation(self.made(), before)
            assert _state(resumed) == _state(after), (
                "a fresh algorithm goes on differently from the same population: keep what is needed in its memory"
            )

    def test_the_streams_alone_decide(self) -> None:
        with global_random(seed=1):
            second = self.history(self.made(), self.generations)
        assert [_state(p) for p in self.lived()] == [_state(p) for p in second], (
            "equal streams gave different populations"
        )

    def test_memory_goes_through_npz(self) -> None:
        population = self.lived()[-1]
        stored = Population(population, population.generation, through_npz(population.memory))
        assert _state(self.generation(self.made(), stored)) == _state(self.generation(self.made(), population)), (
            "a population goes on differently after its memory was stored and read again"
        )

    def test_the_search_gets_somewhere(self) -> None:
        if self.improves:
            populations = self.history(self.made(), 40)
            best = [min(i.objectives for i in p) for p in (populations[0], populations[-1])]
            assert best[1] < best[0], f"the best was {best[0]} at the start and {best[1]} after 40 generations"

    def test_constraints_come_first(self) -> None:
        """The best is to be small, but of a sum of at least 34: only some of the start obey, none of the smallest."""
        own = type(self).start, type(self).toolbox
        if not self.improves or own != (AlgorithmConformance.start, AlgorithmConformance.toolbox):
            return  # an algorithm that need not improve, or has a problem of its own
        algorithm, start = (
            self.algorithm(counting_toolbox(self.objectives, _LEAST)),
            candidates(12, self.objectives, _LEAST),
        )
        population = self.first(algorithm, start)
        kept = min(i.precedence for i in population)
        assert kept == min(i.precedence for i in start), "the best feasible candidate is not in the first population"
        for _ in range(40):
            population = self.generation(algorithm, population)
        best = min(population, key=lambda i: i.precedence)
        assert best.feasible, "an individual that breaks constraints was preferred to all that obey them"
        assert best.precedence <= kept, f"the best was {kept} at the start and {best.precedence} after 40 generations"

    def test_unknown_parameters_are_refused(self) -> None:
        assert_unknown_keys_refused(self.made())


def _state(population: Population) -> bytes:
    keys = [(i.key, i.objectives) for i in population]
    return fingerprint((keys, population.generation, dict(population.memory)))
