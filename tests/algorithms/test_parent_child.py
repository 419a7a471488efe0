import numpy as np

from evosdc.algorithms.parent_child import ParentChild
from evosdc.model import Individual, Offspring, Population
from evosdc.secret import Streams
from evosdc.testing.counting import candidates, counted, counting_toolbox
from tests.engine.individuals import individual


def made(**params):
    return ParentChild(ParentChild.Params(**params), counting_toolbox())


def test_mutation_or_crossover_never_both():
    start = Population(tuple(candidates(12, 1)))
    origins = {o.origin for g in range(20) for o in made().propose(Population(start.individuals, g), Streams(1))}
    assert origins == {"mutation", "crossover"}
    only = made(mutation=1.0).propose(start, Streams(1))
    assert {o.origin for o in only} == {"mutation"}
    assert len(only) == 12


def test_second_parents_are_leaders():
    start = Population(tuple(candidates(12, 1)))
    best = sorted(range(12), key=lambda i: (start.individuals[i].objectives, i))[:2]
    crossed = made(mutation=0.0, leaders=2).propose(start, Streams(1))
    assert {second.parents[0] for second in crossed[1::2]} <= set(best)


def test_children_compete_with_the_parent_they_resemble():
    start = Population(tuple(candidates(12, 1)))
    for a, b in zip(*[iter(made(mutation=0.0).propose(start, Streams(4)))] * 2, strict=True):
        mother, father = (start.individuals[o.parents[0]].genome for o in (a, b))
        straight = np.sum(np.array(mother) != a.genome) + np.sum(np.array(father) != b.genome)
        crossed = np.sum(np.array(mother) != b.genome) + np.sum(np.array(father) != a.genome)
        assert straight <= crossed


def test_only_better_children_replace_and_no_duplicates_enter():
    parents = (individual(10.0, key="a"), individual(20.0, key="b"))
    children = [
        individual(10.0, key="equal"),
        individual(19.0, key="c"),
        individual(5.0, key="a"),
        individual(18.0, key="d"),
    ]
    offspring = [Offspring(None, "mutation", (0,)), *[Offspring(None, "mutation", (1,))] * 3]
    after = made().replace(Population(parents), offspring, children).individuals
    assert [i.objectives[0] for i in after] == [10.0, 18.0]
    allowed = made(duplicates=True).replace(Population(parents), offspring, children).individuals
    assert [i.objectives[0] for i in allowed] == [10.0, 5.0]


def test_population_is_cut_down_to_the_best_in_their_order():
    start = [individual(float(v), key=f"{n}") for n, v in enumerate([5, 1, 4, 2, 3])]
    assert [i.objectives[0] for i in made(population=3).first_population(start).individuals] == [1.0, 2.0, 3.0]


def test_a_population_of_one_mutates():
    lone = Population((counted(candidates(1, 1)[0].genome, 1, "random"),))
    assert isinstance(lone.individuals[0], Individual)
    assert [o.origin for o in made(mutation=0.0).propose(lone, Streams(1))] == ["mutation"]
