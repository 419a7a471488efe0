import pickle
from copy import deepcopy

import numpy as np
import pytest
from deap import tools
from hypothesis import given
from hypothesis import strategies as st

from evosdc.model import Individual
from evosdc.model.individual import MINIMISED, Values, content_hash


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


def test_the_balanced_file_precedes_with_several_objectives():
    balanced, lopsided = person((1.0, 2.0), il=30.0, dr=30.0), person((0.0, 0.0), il=1.0, dr=50.0)
    assert balanced.precedence < lopsided.precedence
    assert person((5.0,)).precedence < person((6.0,), il=0.0, dr=0.0).precedence


def test_a_fitness_is_copied_with_its_scores():
    fitness = MINIMISED[1](Values((1.0, 2.0), {"il": 3.0, "infeasibility": 0.5}))
    for again in (deepcopy(fitness), pickle.loads(pickle.dumps(fitness))):
        assert again == fitness
        assert again.valid
        assert (again.values, again.infeasibility) == ((1.0, 2.0), 0.5)
        assert again.scores == {"il": 3.0, "infeasibility": 0.5}
    assert not deepcopy(MINIMISED[1]()).valid


def test_an_individual_is_evaluated_as_deap_does_it():
    one = Individual.unevaluated((1, 2), "random", 2)
    assert not one.fitness.valid
    one.fitness.values = (1.0, 2.0)
    assert one.fitness.valid
    assert (one.objectives, one.fitness.values, one.scores, one.feasible) == ((1.0, 2.0), (1.0, 2.0), {}, True)
    one.fitness.values = Values((1.0, 2.0), {"il": 7.0, "infeasibility": 0.5})
    assert (one.scores["il"], one.infeasibility, one.feasible) == (7.0, 0.5, False)
    del one.fitness.values
    assert (one.fitness.valid, one.objectives, one.scores, one.infeasibility) == (False, (), {}, 0.0)


def test_the_key_is_that_of_the_genome_unless_somebody_knows_better():
    one = Individual.unevaluated(np.arange(3), "random")
    assert one.key == Individual.unevaluated(np.arange(3), "again").key
    before, one.genome = one.key, np.arange(4)
    assert one.key != before
    one.key = b"of the genotype"
    assert deepcopy(one).key == b"of the genotype"
    copied = deepcopy(one)
    copied.genome = (1, 2)
    assert copied.key == content_hash((1, 2))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.arange(4), np.arange(4).reshape(2, 2)),
        (np.zeros(2, np.int32), np.zeros(1, np.int64)),
        ((1, (2, 3)), ((1, 2), 3)),
        ((1, 2), (1.0, 2.0)),
        (("ab", "c"), ("a", "bc")),
        ([np.arange(2), 1], [np.arange(2), 2]),
    ],
)
def test_genomes_that_differ_have_different_keys(one, other):
    assert content_hash(one) != content_hash(other)
    assert content_hash(one) == content_hash(deepcopy(one))


def family():
    """Return an individual that has not been evaluated, with a parent and a grandparent."""
    grandparent = person((3, 3), il=1.0)
    parent = Individual((1, np.arange(3)), b"parent", {"il": 2.0, "infeasibility": 0.5}, (2.0, 2.0), "crossover")
    parent.parent = grandparent
    return parent.child((2, np.arange(4)), "mutation"), parent


def test_an_individual_goes_through_pickle_with_its_parent_and_no_more_ancestors():
    child, parent = family()
    again = pickle.loads(pickle.dumps(child))
    assert (again.origin, again.fitness.valid, len(again.fitness.weights)) == ("mutation", False, 2)
    assert again.genome[0] == 2
    assert again.genome[1].tolist() == [0, 1, 2, 3]
    assert again.key == child.key
    assert again.parent.parent is None
    assert parent.parent is not None, "the one that was sent stays as it was"
    for known in (again.parent, pickle.loads(pickle.dumps(parent))):
        assert (known.key, known.origin, known.scores) == (b"parent", "crossover", parent.scores)
        assert (known.objectives, known.infeasibility, known.genome[0]) == ((2.0, 2.0), 0.5, 1)
        assert known.fitness == parent.fitness
    unknown = child.child((3, np.arange(4)), "mutation")
    assert pickle.loads(pickle.dumps(unknown)).parent.key == child.key


def test_the_parent_of_a_copy_is_what_it_differs_from():
    child, parent = family()
    assert deepcopy(parent).parent is parent
    assert deepcopy(child).parent is parent, "what was not evaluated is no parent"
    assert parent.parent is None, "a line of copies keeps no ancestors"
