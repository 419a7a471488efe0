"""The surrogate model that chooses among the neighbours of a node on large lattices."""

from itertools import product

import numpy as np
import pytest

from evosdc.engine.evaluation import Evaluator
from evosdc.engine.loop import first_state, search
from evosdc.engine.problem import Problem
from evosdc.engine.stop import Stop
from evosdc.experiment.start import individual_of
from evosdc.model import Aggregation, Microdata, toolbox_of
from evosdc.model.fitness import SingleMeasure
from evosdc.plugins.registry import default_registry
from evosdc.secret import Streams
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table
from evosdc_lattice import tabu
from evosdc_lattice.lattice import Lattice
from evosdc_lattice.space import locked
from evosdc_lattice.tabu import Judged, exchanged


@pytest.fixture(scope="module")
def lattice() -> Lattice:
    rng = np.random.default_rng(3)
    hidden = rng.integers(0, 4, 300)
    codes = np.stack([(hidden + rng.integers(0, 2, 300) + j) % 5 for j in range(7)], axis=1).astype(np.int32)
    labels = tuple("abcde")
    attributes = tuple(Attribute(f"a{j}", Role.QUASI_IDENTIFIER, Scale.ORDINAL, labels) for j in range(7))
    microdata = Microdata(Table(Schema(attributes), codes, np.empty((300, 0))), tuple(a.name for a in attributes))
    return default_registry().build("genotype", "lattice", {"k": 4, "suppression": 0.05}, microdata)


def problem_of(lattice: Lattice, measure: str) -> Problem:
    fitted = default_registry().build("measure", measure, {}).fit(lattice.microdata.original)
    return Problem(lattice, {measure: fitted}, Aggregation(()), SingleMeasure(measure), Streams(1))


def some_judged(lattice: Lattice, count: int) -> Judged:
    """Nodes whose loss is a product over the attributes, and of which those below the middle are beyond the limit."""
    rng = np.random.default_rng(5)
    nodes = np.unique(np.array([lattice.random(rng) for _ in range(count)]), axis=0)
    return Judged(nodes, np.exp(nodes @ np.arange(1.0, 8.0) / 9), np.where(nodes.sum(axis=1) < 7, 0.5, 0.0), 100.0)


def test_what_is_promising_are_other_neighbours_that_were_not_judged(lattice: Lattice) -> None:
    known = some_judged(lattice, 200)
    node = locked(np.full(7, 1, dtype=np.int16))
    near = {x.tobytes() for x in [*lattice.neighbours(node), *exchanged(lattice.space, node)]}
    seen = {x.tobytes() for x in known.nodes}
    for seed, count in product(range(5), (1, 4, 20, 1000)):
        chosen = [x.tobytes() for x in known.promising(lattice, node, count, 1.0, np.random.default_rng(seed))]
        assert len(set(chosen)) == len(chosen) == min(count, len(near - seen))
        assert set(chosen) <= near - seen


def test_the_model_knows_a_loss_that_is_a_product(lattice: Lattice) -> None:
    known = some_judged(lattice, 400)
    others = np.array([lattice.random(np.random.default_rng(seed)) for seed in range(900, 940)])
    loss, excess = known._expected(lattice.space, others)
    assert np.allclose(loss, np.exp(others @ np.arange(1.0, 8.0) / 9), rtol=0.05)
    assert excess[others.sum(axis=1) < 5].mean() > excess[others.sum(axis=1) > 9].mean()


def test_the_neighbour_that_is_best_by_the_model_is_judged(lattice: Lattice) -> None:
    known = some_judged(lattice, 400)
    known = Judged(known.nodes, known.losses, np.zeros(len(known.nodes)), 0.0)
    node = locked(np.full(7, 1, dtype=np.int16))
    seen = {x.tobytes() for x in known.nodes}
    near = [x for x in [*lattice.neighbours(node), *exchanged(lattice.space, node)] if x.tobytes() not in seen]
    best = min(near, key=lambda x: float(x @ np.arange(1.0, 8.0)))
    chosen = known.promising(lattice, node, 4, 1.0, np.random.default_rng(0))
    assert best.tobytes() in {x.tobytes() for x in chosen}


def test_exchanged_moves_one_attribute_down_and_one_up(lattice: Lattice) -> None:
    node = locked(np.array([0, 1, 3, 0, 0, 0, 0], dtype=np.int16))
    found = exchanged(lattice.space, node)
    assert len(found) == 2 * 6 - int((node == lattice.space.top).sum())
    for x in found:
        assert sorted((x - node).tolist()) == [-1, 0, 0, 0, 0, 0, 1]


@pytest.mark.parametrize(("name", "measure"), [("tabu", "lm"), ("ga-tabu", "dm")])
def test_a_search_with_the_model_is_as_good_and_repeats_itself(
    name: str, measure: str, lattice: Lattice, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = problem_of(lattice, measure)

    def found(large: int, seed: int) -> float:
        monkeypatch.setattr(tabu, "LARGE", large)
        monkeypatch.setattr("evosdc_lattice.genetic.LARGE", large)
        toolbox = toolbox_of(problem.genotype, problem.measures, problem.fitness)
        algorithm = default_registry().build("algorithm", name, {}, toolbox)
        start = first_state(algorithm, [individual_of(problem, lattice.reference, "highest")])
        evaluator, stop = Evaluator(problem), Stop(evaluations=250)
        state, _ = search(algorithm, evaluator, Streams(seed), stop, start, lambda state, record: None)
        assert ("judged" in state.population.memory) == (large == 1)
        return state.best.objectives[0]

    modelled = [found(1, seed) for seed in range(6)]
    assert modelled[:2] == [found(1, seed) for seed in range(2)]
    assert np.mean(modelled) <= 1.01 * np.mean([found(10**7, seed) for seed in range(6)])
