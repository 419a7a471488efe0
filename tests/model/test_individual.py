from copy import deepcopy

from deap import tools
from hypothesis import given
from hypothesis import strategies as st

from evosdc.model import Individual
from evosdc.model.individual import MINIMISED


def person(objectives, infeasibility=0.0, **scores):
    scores = scores | ({"infeasibility": infeasibility} if infeasibility else {})
    return Individual(None, repr((objectives, infeasibility)).encode(), scores, tuple(map(float, objectives)), "given")


OBJECTIVES = st.tuples(st.integers(0, 3), st.integers(0, 3))
INFEASIBLE = st.sampled_from([0.0, 0.0, 0.5, 2.0])


@given(OBJECTIVES, INFEASIBLE, OBJECTIVES, INFEASIBLE)
def test_violations_precede_objectives_in_every_comparison(a, va, b, vb):
    one, other = person(a, va), person(b, vb)
    if va < vb:
        assert one.dominates(other)
        assert one.fitness > other.fitness
        assert one.precedence < other.precedence
    assert not (one.dominates(other) and other.dominates(one))
    assert one.dominates(other) == one.fitness.dominates(other.fitness)
    assert (one.fitness == other.fitness) == ((a, va) == (b, vb))
    assert (one.fitness > other.fitness) == (other.fitness < one.fitness) == (not one.fitness <= other.fitness)
    assert (one.fitness >= other.fitness) == (not one.fitness < other.fitness)


def test_operators_of_deap_obey_constraints():
    people = [person((1, 1), 0.5), person((9, 9)), person((0, 0), 0.7)]
    assert tools.selBest(people, 3) == [people[1], people[0], people[2]]
    assert tools.sortNondominated(people, 3) == [[people[1]], [people[0]], [people[2]]]


def test_a_fitness_is_copied_with_its_violation():
    fitness = MINIMISED[1]((1.0, 2.0), 0.5)
    again = deepcopy(fitness)
    assert again == fitness
    assert (again.values, again.infeasibility) == ((1.0, 2.0), 0.5)


def test_the_balanced_file_precedes_with_several_objectives():
    balanced, lopsided = person((1.0, 2.0), il=30.0, dr=30.0), person((0.0, 0.0), il=1.0, dr=50.0)
    assert balanced.precedence < lopsided.precedence
    assert person((5.0,)).precedence < person((6.0,), il=0.0, dr=0.0).precedence
