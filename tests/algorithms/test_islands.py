import numpy as np
import pytest
from pydantic import ValidationError

from evosdc.algorithms.islands import Islands, demes, joined, migrate
from evosdc.errors import ParameterError, UnknownNameError
from evosdc.model import Population
from evosdc.testing.counting import candidates, counting_toolbox
from tests.algorithms.stepping import stepped
from tests.algorithms.test_algorithms_conformance import island_toolbox
from tests.engine.individuals import individual


def made(**params):
    return Islands(Islands.Params(**params), island_toolbox())


def test_starting_files_are_dealt_out_by_rank():
    start = candidates(12, 1)
    islands = demes(made(islands=3).first_population(start))
    assert [len(deme) for deme in islands] == [4, 4, 4]
    ranked = sorted(start, key=lambda i: i.objectives)
    assert {i.key for deme in islands for i in deme} == {i.key for i in start}
    assert {min(i.objectives for i in deme) for deme in islands} == {i.objectives for i in ranked[:3]}


def test_there_are_no_more_islands_than_files():
    assert len(demes(made(islands=9).first_population(candidates(4, 1)))) == 4


def test_parents_are_of_ones_own_island():
    algorithm = made(islands=3, interval=100, inner={"name": "steady-state", "tournament": 2})
    population = algorithm.first_population(candidates(12, 1))
    place = {id(one): number // 4 for number, one in enumerate(population)}
    children, after = stepped(algorithm, population)
    islands = [place[id(child.parent)] for child in children]
    assert islands == sorted(islands)
    assert set(islands) == {0, 1, 2}
    for number, member in enumerate(after):
        if id(member) not in place:
            assert islands[next(n for n, child in enumerate(children) if child is member)] == number // 4


def ring(*values):
    return [Population(individual(float(v), key=str(v)) for v in row) for row in values]


def objectives_of(islands):
    return [[i.objectives[0] for i in deme] for deme in islands]


def test_the_best_of_each_island_take_the_places_of_the_worst_of_the_next():
    after = migrate(ring([1, 5, 9], [2, 6, 7], [3, 8, 4]), 1)
    assert objectives_of(after) == [[1, 5, 3], [2, 6, 1], [3, 2, 4]]


def test_what_an_island_has_already_is_not_let_in():
    after = migrate(ring([1, 5, 9], [1, 6, 7]), 2)
    assert objectives_of(after) == [[1, 5, 6], [1, 6, 5]]


def test_islands_of_their_own_never_meet():
    islands = ring([1, 5, 9], [2, 6, 7])
    assert objectives_of(migrate(islands, 0)) == objectives_of(islands)


def test_migrants_travel_at_the_interval():
    algorithm = made(islands=2, interval=3, inner={"name": "hill-climbing", "patience": 1000})
    population = algorithm.first_population(candidates(8, 1))
    shared = []
    for _ in range(6):
        _, population = stepped(algorithm, population)
        a, b = ({i.key for i in deme} for deme in demes(population))
        shared.append(bool(a & b))
    assert shared == [False, False, True, True, True, True]


def test_memories_of_islands_are_kept_apart():
    islands = [Population([individual(1.0)], 0, {"slot": np.array(n)}) for n in range(3)]
    again = demes(joined(islands, 4))
    assert [int(deme.memory["slot"]) for deme in again] == [0, 1, 2]
    assert [deme.generation for deme in again] == [4, 4, 4]


def test_the_inner_algorithm_is_named_with_its_parameters():
    assert made(inner="nsga2").inner.params.population is None
    assert made(inner={"name": "parent-child", "mutation": 0.9}).inner.params.mutation == 0.9
    with pytest.raises(UnknownNameError, match="parent-child"):
        made(inner="parent-chill")
    with pytest.raises(ParameterError, match="mutatoin"):
        made(inner={"name": "parent-child", "mutatoin": 0.9})
    for wrong in ("islands", {"mutation": 0.9}):
        with pytest.raises(ValidationError, match="algorithm"):
            Islands.Params(inner=wrong)


def test_a_toolbox_without_algorithms_is_refused():
    with pytest.raises(ParameterError, match="toolbox"):
        Islands(Islands.Params(), counting_toolbox())
