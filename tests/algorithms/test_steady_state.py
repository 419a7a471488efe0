from evosdc.algorithms.steady_state import SteadyState
from evosdc.model import Individual, Population
from evosdc.secret import Streams
from evosdc.testing.counting import candidates, counted, counting_toolbox


def algorithm(**params):
    return SteadyState(SteadyState.Params(**params), counting_toolbox())


def scored(name, value, nodes):
    return Individual((), name, {"nodes": nodes}, (value,), "given")


def test_tournaments_share_no_individual_and_losers_are_not_parents():
    population = algorithm().first_population(candidates(13, 1))
    offspring = algorithm().propose(population, Streams(3))
    places = [item.place for item in offspring]
    assert len(offspring) == 6  # three tournaments of four
    assert len(set(places)) == len(places)
    assert not set(places) & {slot for item in offspring for slot in item.parents}
    for item in offspring:
        loser, parent = population.individuals[item.place], population.individuals[item.parents[0]]
        assert parent.objectives <= loser.objectives


def test_a_round_equals_its_tournaments_one_after_the_other():
    whole = algorithm(duplicates=True)
    population = whole.first_population(candidates(12, 1))
    offspring = whole.propose(population, Streams(4))
    evaluated = [counted(item.genome, 1, item.origin) for item in offspring]
    at_once = whole.replace(population, offspring, evaluated)
    step = population
    for i in range(0, len(offspring), 2):
        step = whole.replace(step, offspring[i : i + 2], evaluated[i : i + 2])
    assert [i.key for i in at_once.individuals] == [i.key for i in step.individuals]


def test_no_slot_gets_worse():
    search = algorithm()
    population = search.first_population(candidates(12, 1))
    for generation in range(30):
        offspring = search.propose(population, Streams(5))
        evaluated = [counted(item.genome, 1, item.origin) for item in offspring]
        after = search.replace(population, offspring, evaluated)
        for old, new in zip(population.individuals, after.individuals, strict=True):
            assert new.objectives <= old.objectives
        population = Population(after.individuals, generation + 1)


def test_the_number_of_tournaments_can_be_limited_to_one():
    search = algorithm(tournaments=1)
    population = search.first_population(candidates(12, 1))
    assert len(search.propose(population, Streams(6))) == 2


def test_of_equal_scores_the_smaller_genome_wins():
    search = algorithm()
    population = Population(tuple(scored(bytes([i]), 10.0, 5 + i) for i in range(4)))
    offspring = _proposals(population)
    assert sorted(item.place for item in offspring) == [2, 3]
    smaller, larger = scored(b"s", 10.0, 1), scored(b"l", 10.0, 99)
    after = search.replace(population, offspring, [smaller, larger])
    assert smaller in after.individuals
    assert larger not in after.individuals


def _proposals(population):
    toolbox = counting_toolbox()
    toolbox.register("mate", lambda a, b, rng: (a, b))
    toolbox.register("mutate", lambda g, rng: g)
    return SteadyState(SteadyState.Params(), toolbox).propose(population, Streams(1))
