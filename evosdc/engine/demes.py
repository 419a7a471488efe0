"""The demes of a population evolve in this process, one after another."""

from dataclasses import replace

from evosdc.engine.deme_reports import join_generations
from evosdc.engine.evaluation import Evaluator
from evosdc.engine.generation import Generation, evolve
from evosdc.model import Archipelago, Population
from evosdc.secret import Streams


def evolve_demes(algorithm: Archipelago, evaluator: Evaluator, streams: Streams, population: Population) -> Generation:
    """Return the generation after a population, and after migration; demes have streams of their own."""
    evolved = [
        evolve(algorithm.inner, evaluator, replace(streams, island=island), deme)
        for island, deme in enumerate(algorithm.demes(population))
    ]
    if algorithm.horizon(population.generation) == 1:
        known = {island: generation.population for island, generation in enumerate(evolved)}
        settled = algorithm.after_migration(range(len(evolved)), known, len(evolved))
        evolved = [replace(one, population=deme) for one, deme in zip(evolved, settled, strict=True)]
    return join_generations(algorithm, evolved)
