"""Single generations of algorithms, and individuals whose genome says what they are worth."""

from collections.abc import Sequence
from typing import Any

from deap import base

from evosdc.model import Algorithm, Individual, Population
from evosdc.model.individual import INFEASIBILITY, Values
from evosdc.secret import lent
from evosdc.testing.purity import generator


def stepped(algorithm: Algorithm, population: Population, seed: int = 1) -> tuple[list[Individual], Population]:
    """Return what a generation evaluates, with the parents of each, and the population after it."""
    toolbox, children, parents = algorithm.toolbox, list[Individual](), list[Individual | None]()
    evaluate = toolbox.evaluate

    def watched(individual: Individual) -> Any:
        children.append(individual)
        parents.append(individual.parent)
        return evaluate(individual)

    toolbox.register("evaluate", watched)
    toolbox.rng = generator(seed, population.generation)
    with lent(toolbox.rng) as toolbox.random:
        after = algorithm.step(population)
    toolbox.register("evaluate", evaluate)
    for child, parent in zip(children, parents, strict=True):
        child.parent = parent  # the engine lets go of it
    return children, Population(after, population.generation + 1, after.memory)


def worth(name: str, *objectives: float, broken: float = 0.0) -> tuple[Any, ...]:
    """Return a genome that says what it is worth, and by how much it breaks constraints."""
    return name, tuple(map(float, objectives)), broken


def values_of(genome: Any) -> Values:
    """Return the values of such a genome."""
    _, objectives, broken = genome
    return Values(objectives, {INFEASIBILITY: broken} if broken else {})


def known(name: str, *objectives: float, broken: float = 0.0) -> Individual:
    """Return an evaluated individual of such a genome."""
    genome = worth(name, *objectives, broken=broken)
    individual = Individual.unevaluated(genome, "start", len(objectives))
    individual.fitness.values = values_of(genome)
    return individual


def scripted(mutants: Sequence[Any] = (), crossed: Sequence[Any] = ()) -> base.Toolbox:
    """Return a plain toolbox whose mutants, and children of crossovers, have these genomes, one after the other."""
    toolbox, coming, pairs = base.Toolbox(), iter(mutants), iter(crossed)

    def mutate(individual: Individual) -> tuple[Individual]:
        individual.genome, individual.origin = next(coming), "mutation"
        return (individual,)

    def mate(a: Individual, b: Individual) -> tuple[Individual, Individual]:
        for individual in (a, b):
            individual.genome, individual.origin = next(pairs), "crossover"
        return a, b

    toolbox.register("mutate", mutate)
    toolbox.register("mate", mate)
    toolbox.register("evaluate", lambda individual: values_of(individual.genome))
    return toolbox
