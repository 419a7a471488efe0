"""From one generation to the next: a step of the algorithm, and what was evaluated in it.

The same function evolves the whole population in this process and a deme on a worker.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evosdc.engine.evaluation import Evaluator, each_of, made_by
from evosdc.engine.failures import failures_in
from evosdc.model import Algorithm, Individual, Population, Siblings
from evosdc.secret import Streams, lent


@dataclass(frozen=True, slots=True)
class Generation:
    """One generation of a population."""

    made: Mapping[str, int]  # children by operator
    # The children, batch by batch, in order; at least those that are in the population after it, and those that were
    # neither equal to nor dominated by anything that had been evaluated before.
    evaluated: Sequence[Sequence[Individual]]
    population: Population  # after it
    failed: int = 0  # how many children could not be evaluated

    @property
    def evaluations(self) -> int:
        """How many children there were."""
        return sum(self.made.values())


def evolve_generations(
    algorithm: Algorithm, evaluator: Evaluator, streams: Streams, population: Population, count: int
) -> Iterator[Generation]:
    """Evolve a population for `count` generations; where a step evaluates nothing it stays as it is."""
    for _ in range(count):
        generation = evolve(algorithm, evaluator, streams, population)
        population = generation.population
        yield generation


def evolve(algorithm: Algorithm, evaluator: Evaluator, streams: Streams, population: Population) -> Generation:
    """Return the generation after a population; all that is random comes from its own stream."""
    toolbox = algorithm.toolbox
    evaluator.attach(toolbox)
    evaluator.evaluated = []
    toolbox.rng, toolbox.generation = streams.vary(population.generation, 0), population.generation
    with lent(toolbox.rng) as toolbox.random:
        after = algorithm.step(population)
    evaluated, evaluator.evaluated = evaluator.evaluated, []
    made = made_by(evaluated)
    evaluated = [batch for batch in evaluated if not (isinstance(batch, Siblings) and batch.estimated)]
    if not made:
        after = population
    for individual in after:
        individual.parent = None  # a copy that nothing has changed would keep all its ancestors
    following = Population(after, population.generation + 1, after.memory)
    return Generation(made, evaluated, following, failures_in(each_of(evaluated)))
