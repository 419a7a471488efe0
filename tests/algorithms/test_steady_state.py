from evosdc.algorithms.steady_state import SteadyState
from evosdc.model import Individual, Population
from evosdc.model.individual import Values
from evosdc.testing.counting import candidates, counting_toolbox
from tests.algorithms.stepping import known, scripted, stepped, worth


def algorithm(**params):
    return SteadyState(SteadyState.Params(**params), counting_toolbox())


def replaced(search, seed):
    """Return a population with the children of a round, and the places where something else stands after it."""
    population = search.first_population(candidates(13, 1))
    children, after = stepped(search, population, seed)
    return population, children, [place for place in range(13) if after[place] is not population[place]]


def test_tournaments_share_no_individual_and_losers_are_not_parents():
    for seed in range(5):
        population, children, places = replaced(algorithm(always=True, duplicates=True), seed)
        assert len(children) == 6  # three tournaments of four
        assert len(places) == 6
        parents = [child.parent for child in children]
        assert not {id(population[place]) for place in places} & set(map(id, parents))
        assert max(parent.objectives for parent in parents[::2]) < max(one.objectives for one in population)


def test_no_slot_gets_worse():
    search = algorithm()
    population = search.first_population(candidates(12, 1))
    for _ in range(30):
        _, after = stepped(search, population)
        for old, new in zip(population, after, strict=True):
            assert new.objectives <= old.objectives
        population = after


def test_children_of_the_best_take_the_places_of_the_worst():
    genomes = [worth("first", 5), worth("second", 35)]
    search = SteadyState(SteadyState.Params(crossover=0.0), scripted(genomes))
    start = [known("a", 30), known("b", 10), known("c", 20), known("d", 40)]
    children, after = stepped(search, Population(start))
    assert [child.parent for child in children] == [start[1], start[2]]
    assert [one.genome[0] for one in after] == ["a", "b", "c", "first"], "35 is no better than 30"
    swapped = SteadyState(SteadyState.Params(crossover=0.0), scripted(genomes[::-1]))
    assert [one.objectives[0] for one in stepped(swapped, Population(start))[1]] == [5.0, 10.0, 20.0, 35.0]


def test_the_number_of_tournaments_can_be_limited_to_one():
    assert len(replaced(algorithm(tournaments=1), 6)[1]) == 2


def test_of_equal_scores_the_smaller_genome_wins():
    def scored(name, nodes):
        return Individual((name, nodes), name, {"nodes": nodes}, (10.0,), "given")

    toolbox = scripted([(b"s", 1), (b"l", 99)])
    toolbox.register("evaluate", lambda one: Values((10.0,), {"nodes": one.genome[1]}))
    search = SteadyState(SteadyState.Params(crossover=0.0), toolbox)
    start = Population(scored(bytes([i]), 5 + i) for i in range(4))
    children, after = stepped(search, start)
    assert [child.parent for child in children] == start[:2]
    assert [one.genome[1] for one in after] == [5, 6, 7, 1]
