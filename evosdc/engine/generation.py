"""From one generation to the next: children are proposed, evaluated, and replace others.

The same function evolves the whole population in this process and a deme on a worker.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from evosdc.engine.evaluation import Evaluator
from evosdc.engine.failures import failures_in
from evosdc.model import Algorithm, Individual, Population
from evosdc.model.litter import origins_of
from evosdc.secret import Streams


@dataclass(frozen=True, slots=True)
class Generation:
    """One generation of a population.

    Parameters
    ----------
    made : mapping of str to int
        Children by operator.
    evaluated : sequence of Individual
        The children, in order; at least those that are in the population after it, and those that were neither equal
        to nor dominated by anything that had been evaluated before.
    population : Population
        After it.
    failed : int
        How many children could not be evaluated.
    """

    made: Mapping[str, int]
    evaluated: Sequence[Individual]
    population: Population
    failed: int = 0

    @property
    def evaluations(self) -> int:
        """How many children there were."""
        return sum(self.made.values())


def evolve_generations(
    algorithm: Algorithm, evaluator: Evaluator, streams: Streams, population: Population, count: int
) -> Iterator[Generation]:
    """Evolve a population for `count` generations; where nothing is proposed it stays as it is."""
    for _ in range(count):
        offspring = algorithm.propose(population, streams)
        evaluated = evaluator.evaluate(offspring) if offspring else []
        after = algorithm.replace(population, offspring, evaluated) if offspring else population
        population = replace(after, generation=population.generation + 1)
        made = dict(Counter(origins_of(offspring)))
        yield Generation(made, evaluated, population, failures_in(evaluated))
