"""The demes of a population evolve in this process, one after another."""

from dataclasses import replace

from evosdc.engine.deme_reports import join_generations
from evosdc.engine.evaluation import Evaluator
from evosdc.engine.generation import Generation, evolve_generations
from evosdc.model import Archipelago, Population
from evosdc.secret import Streams


def evolve_demes(algorithm: Archipelago, evaluator: Evaluator, streams: Streams, population: Population) -> Generation:
    """Return the generation after a population, and after migration where it is time.

    The same as by the algorithm's own `propose` and `replace`. There what the inner algorithm proposes gets places in
    the whole population, for which each child has to be made; here most come to nothing before they are made.
    """
    evolved = [
        generation
        for island, deme in enumerate(algorithm.demes(population))
        for generation in evolve_generations(algorithm.inner, evaluator, replace(streams, island=island), deme, 1)
    ]
    if algorithm.horizon(population.generation) == 1:
        known = {island: generation.population for island, generation in enumerate(evolved)}
        settled = algorithm.after_migration(range(len(evolved)), known, len(evolved))
        evolved = [replace(one, population=deme) for one, deme in zip(evolved, settled, strict=True)]
    return join_generations(algorithm, evolved)
