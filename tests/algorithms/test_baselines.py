from evosdc.algorithms.hill_climbing import HillClimbing
from evosdc.algorithms.random_search import RandomSearch
from evosdc.model import Individual, Population
from evosdc.secret import Streams
from evosdc.testing.counting import candidates, counted, counting_toolbox
from tests.engine.individuals import individual


def made(cls, **params):
    return cls(cls.Params(**params), counting_toolbox())


def climbed(algorithm, population, *values):
    """Return the population after mutants with these objectives, one a generation."""
    for value in values:
        offspring = algorithm.propose(population, Streams(1))
        mutant = Individual(offspring[0].genome, f"mutant {value}".encode(), {}, (value,), "mutation")
        after = algorithm.replace(population, offspring, [mutant])
        population = Population(after.individuals, population.generation + 1, after.memory)
    return population


def test_the_climber_begins_at_the_best_and_takes_what_is_better():
    start = candidates(5, 1)
    algorithm = made(HillClimbing, mutants=1)
    population = algorithm.first_population(start)
    best = min(range(5), key=lambda n: start[n].objectives)
    assert {item.parents for item in algorithm.propose(population, Streams(1))} == {(best,)}
    value = start[best].objectives[0]
    after = climbed(algorithm, population, value, value - 1.0, value - 0.5)
    assert after.individuals[best].objectives == (value - 1.0,)
    assert [i for n, i in enumerate(after.individuals) if n != best] == [i for i in start if i is not start[best]]


def test_each_of_several_mutants_competes_with_the_climber_as_it_then_is():
    algorithm = made(HillClimbing, mutants=3)
    population = algorithm.first_population([individual(50.0, key="start")])
    population = Population(tuple(candidates(1, 1)), 0, population.memory)
    offspring = algorithm.propose(population, Streams(1))
    assert len(offspring) == 3
    children = [individual(2.0), individual(1.0), individual(1.5)]
    after = algorithm.replace(population, offspring, children)
    assert after.individuals[0] is children[1]
    assert int(after.memory["failures"]) == 1


def test_after_patience_the_next_best_takes_over_and_then_all_again():
    start = candidates(3, 1)
    order = sorted(range(3), key=lambda n: start[n].objectives)
    algorithm = made(HillClimbing, patience=2, mutants=1)
    population, slots = algorithm.first_population(start), []
    for _ in range(8):
        slots.append(int(population.memory["slot"]))
        population = climbed(algorithm, population, 1e6)
    first, second, third = order
    assert slots == [first, first, second, second, third, third, first, first]


def test_an_improvement_renews_the_patience():
    algorithm = made(HillClimbing, patience=2, mutants=1)
    population = algorithm.first_population(candidates(3, 1))
    slot = int(population.memory["slot"])
    value = population.individuals[slot].objectives[0]
    after = climbed(algorithm, population, 1e6, value - 1.0, 1e6)
    assert int(after.memory["slot"]) == slot


def test_random_search_learns_nothing():
    algorithm = made(RandomSearch, candidates=7)
    population = algorithm.first_population(candidates(5, 1))
    offspring = algorithm.propose(population, Streams(1))
    evaluated = [counted(item.genome, 1, item.origin) for item in offspring]
    assert len(offspring) == 7
    assert algorithm.replace(population, offspring, evaluated).individuals == population.individuals


def test_random_search_mutates_starting_files_or_draws_afresh():
    population = Population(tuple(candidates(5, 1)))
    mutants = made(RandomSearch, mutations=2).propose(population, Streams(1))
    assert all(sum(a != b for a, b in zip(m.genome, m.nearest.genome, strict=True)) <= 2 for m in mutants)
    fresh = made(RandomSearch, draws="fresh").propose(population, Streams(1))
    assert all(item.parents == () and item.origin == "random" for item in fresh)
    assert len({item.genome.tobytes() for item in fresh}) == len(fresh)
