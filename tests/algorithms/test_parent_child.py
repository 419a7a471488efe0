import numpy as np

from evosdc.algorithms.parent_child import ParentChild
from evosdc.model import Population
from evosdc.testing.counting import candidates, counting_toolbox
from tests.algorithms.stepping import known, scripted, stepped, worth


def made(**params):
    return ParentChild(ParentChild.Params(**params), counting_toolbox())


START = Population(candidates(12, 1))


def test_mutation_or_crossover_never_both():
    origins = {child.origin for seed in range(20) for child in stepped(made(), START, seed)[0]}
    assert origins == {"mutation", "crossover"}
    only, _ = stepped(made(mutation=1.0), START)
    assert {child.origin for child in only} == {"mutation"}
    assert len(only) == 12


def test_second_parents_are_leaders():
    best = sorted(START, key=lambda one: one.objectives)[:2]
    crossed, _ = stepped(made(mutation=0.0, leaders=2), START)
    assert len(crossed) == 24
    for first, second in zip(crossed[::2], crossed[1::2], strict=True):
        assert second.parent in best
        assert second.parent is not first.parent


def test_children_compete_with_the_parent_they_resemble():
    children, _ = stepped(made(mutation=0.0), START, 4)
    for a, b in zip(children[::2], children[1::2], strict=True):
        mother, father = a.parent.genome, b.parent.genome
        straight = np.sum(mother != a.genome) + np.sum(father != b.genome)
        assert straight <= np.sum(mother != b.genome) + np.sum(father != a.genome)


def replaced(*mutants, **params):
    """Return what becomes of two members after mutants, each of one of them, by its first letter."""
    genomes = iter([worth(name, value) for name, value in mutants])
    algorithm = ParentChild(ParentChild.Params(mutation=1.0, operations=len(mutants), **params), scripted(genomes))
    start = [known("a", 10), known("b", 20)]
    places = iter([start["ab".index(name[0])] for name, _ in mutants])
    algorithm.toolbox.register("select", lambda members, count: [next(places) for _ in range(count)])
    return [one.genome[:2] for one in stepped(algorithm, Population(start))[1]]


def test_only_better_children_replace_and_of_several_the_best():
    assert replaced(("a equal", 10), ("b1", 19), ("b2", 18), ("b3", 18.5)) == [("a", (10.0,)), ("b2", (18.0,))]


def test_no_child_enters_that_equals_another_member():
    genomes = [worth("same", 5)] * 2
    for duplicates, after in ((False, [10.0, 5.0]), (True, [5.0, 5.0])):
        toolbox = scripted(genomes)
        algorithm = ParentChild(ParentChild.Params(mutation=1.0, duplicates=duplicates), toolbox)
        toolbox.register("select", lambda members, count: members[::-1])
        members = stepped(algorithm, Population([known("a", 10), known("b", 20)]))[1]
        assert [one.objectives[0] for one in members] == after


def test_population_is_cut_down_to_the_best_in_their_order():
    start = [known(f"{n}", value) for n, value in enumerate([5, 1, 4, 2, 3])]
    assert [i.objectives[0] for i in made(population=3).first_population(start)] == [1.0, 2.0, 3.0]


def test_a_population_of_one_mutates():
    children, _ = stepped(made(mutation=0.0), Population(candidates(1, 1)))
    assert [child.origin for child in children] == ["mutation"]
