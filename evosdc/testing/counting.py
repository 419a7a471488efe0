"""A problem for testing algorithms: vectors of small integers, to be brought to zero."""

from typing import Any

import numpy as np
from deap import base
from numpy.typing import NDArray

from evosdc.model import Individual
from evosdc.model.individual import INFEASIBILITY, Values, content_hash
from evosdc.model.toolbox import register_operators
from evosdc.testing.purity import generator

Genes = NDArray[np.int64]

LENGTH = 8
_VALUES = 10


def counting_toolbox(objectives: int = 1, least: int = 0) -> base.Toolbox:
    """Return a DEAP toolbox for read-only vectors of `LENGTH` integers in 0..9, with this number of objectives.

    Where `least` is given, a constraint asks for at least that sum.
    """
    toolbox = base.Toolbox()
    toolbox.rng = np.random.default_rng(0)
    register_operators(toolbox, _mate, _mutate)
    toolbox.register("individual", lambda: Individual.unevaluated(_random(toolbox.rng), "random", objectives))
    toolbox.register("evaluate", lambda one: _values(one.genome, objectives, least))
    toolbox.register("key", content_hash)
    toolbox.register("distance", _distance)
    return toolbox


def counted(genome: Genes, objectives: int, origin: str = "random", least: int = 0) -> Individual:
    """Return the individual of a genome: its objectives are the sum and, from the second on, sums of distances.

    Where `least` is given, a constraint asks for at least that sum.
    """
    values = _values(genome, objectives, least)
    return Individual(genome, content_hash(genome), values.scores, values, origin)


def _values(genome: Genes, objectives: int, least: int) -> Values:
    values = tuple(float(np.abs(genome - target).sum()) for target in range(objectives))
    scores = {"il": values[0], "dr": values[-1]}
    if least:
        scores[INFEASIBILITY] = max(0.0, (least - values[0]) / least)
    return Values(values, scores)


def candidates(count: int, objectives: int, least: int = 0) -> list[Individual]:
    """Return evaluated random candidates, always the same."""
    return [counted(_random(generator(30, slot)), objectives, least=least) for slot in range(count)]


def _locked(genes: Any) -> Genes:
    array = np.array(genes, dtype=np.int64)
    array.flags.writeable = False
    return array


def _random(rng: np.random.Generator) -> Genes:
    return _locked(rng.integers(0, _VALUES, LENGTH))


def _mate(a: Genes, b: Genes, rng: np.random.Generator) -> tuple[Genes, Genes]:
    swap = rng.random(LENGTH) < 0.5
    return _locked(np.where(swap, b, a)), _locked(np.where(swap, a, b))


def _mutate(genome: Genes, rng: np.random.Generator) -> Genes:
    changed = genome.copy()
    changed[rng.integers(LENGTH)] = rng.integers(0, _VALUES)
    return _locked(changed)


def _distance(a: Genes, b: Genes) -> float:
    return float(np.count_nonzero(a != b))
