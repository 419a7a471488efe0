from evosdc.algorithms.hill_climbing import HillClimbing
from evosdc.algorithms.random_search import RandomSearch
from evosdc.model import Population
from evosdc.testing.counting import candidates, counting_toolbox
from tests.algorithms.stepping import known, scripted, stepped, worth


def climbing(*values, **params):
    """Return a climber whose mutants are worth so much, one after the other."""
    mutants = [worth(f"mutant {number}", value) for number, value in enumerate(values)]
    return HillClimbing(HillClimbing.Params(**params), scripted(mutants))


def climbed(algorithm, population, generations):
    for _ in range(generations):
        _, population = stepped(algorithm, population)
    return population


START = [known("a", 30), known("b", 10), known("c", 20)]


def test_the_climber_begins_at_the_best_and_takes_what_is_better():
    algorithm = climbing(10, 9, 9.5, mutants=1)
    population = algorithm.first_population(START)
    (mutant,), after = stepped(algorithm, population)
    assert mutant.parent is START[1]
    assert list(after) == START, "a mutant that is no better takes no place"
    after = climbed(algorithm, after, 2)
    assert [i.objectives for i in after] == [(30.0,), (9.0,), (20.0,)]


def test_each_of_several_mutants_competes_with_the_climber_as_it_then_is():
    algorithm = climbing(2, 1, 1.5, mutants=3)
    children, after = stepped(algorithm, algorithm.first_population([known("start", 50)]))
    assert len(children) == 3
    assert after[0] is children[1]
    assert int(after.memory["failures"]) == 1


def test_after_patience_the_next_best_takes_over_and_then_all_again():
    algorithm, slots = climbing(*[1e6] * 8, patience=2, mutants=1), []
    population = algorithm.first_population(START)
    for _ in range(8):
        slots.append(int(population.memory["slot"]))
        population = climbed(algorithm, population, 1)
    assert slots == [1, 1, 2, 2, 0, 0, 1, 1]


def test_an_improvement_renews_the_patience():
    algorithm = climbing(1e6, 9, 1e6, patience=2, mutants=1)
    after = climbed(algorithm, algorithm.first_population(START), 3)
    assert int(after.memory["slot"]) == 1


def searching(**params):
    return RandomSearch(RandomSearch.Params(**params), counting_toolbox())


def test_random_search_learns_nothing():
    algorithm = searching(candidates=7)
    population = algorithm.first_population(candidates(5, 1))
    children, after = stepped(algorithm, population)
    assert len(children) == 7
    assert list(after) == list(population)


def test_random_search_mutates_starting_files_or_draws_afresh():
    population = Population(candidates(5, 1))
    origins = []

    def differing(individual):
        origins.append(individual.parent)
        return sum(a != b for a, b in zip(individual.genome, individual.parent.genome, strict=True))

    mutants, _ = stepped(searching(mutations=2), population)
    assert max(map(differing, mutants)) == 2
    assert {id(parent) for parent in origins} == {id(member) for member in population}
    fresh, _ = stepped(searching(draws="fresh"), population)
    assert all(child.parent is None and child.origin == "random" for child in fresh)
    assert len({child.key for child in fresh}) == len(fresh)
