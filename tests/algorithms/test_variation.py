from random import Random

import pytest
from pydantic import ValidationError

from evosdc.algorithms.generational import Generational
from evosdc.algorithms.parent_child import ParentChild
from evosdc.algorithms.variation import CREDIT, VariationParams, improvement, mutation_rate, update_memory, vary_parents
from evosdc.model import Population
from evosdc.testing.counting import candidates, counting_toolbox
from tests.algorithms.stepping import stepped
from tests.engine.individuals import individual

PARENTS = Population(candidates(12, 1))
ADAPTIVE = VariationParams(variation="or", mutation=0.5, adaptive=True)


def origins(params, pairs=400, slots=(0, 1)):
    """Return where children come from; parents that stand there themselves are reproduced."""
    first, second = (PARENTS[slot] for slot in slots)
    toolbox, made = counting_toolbox(), []
    toolbox.random = Random(1)
    for _ in range(pairs):
        made += vary_parents(params, toolbox, first, second, params.mutation)
    return ["reproduction" if child.fitness.valid else child.origin for child in made]


def test_crossover_or_mutation_never_both():
    assert set(origins(VariationParams(variation="or"))) == {"mutation", "crossover"}


def test_crossover_and_mutation_by_their_rates():
    made = origins(VariationParams(crossover=0.8, mutation=0.25), 4000)
    counts = {origin: made.count(origin) / len(made) for origin in set(made)}
    expected = {"crossover": 0.6, "crossover and mutation": 0.2, "mutation": 0.05, "reproduction": 0.15}
    assert counts == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("variation", ["or", "and"])
def test_a_parent_is_not_crossed_with_itself(variation):
    params = VariationParams(variation=variation, crossover=1.0, mutation=0.0)
    assert "crossover" not in set(origins(params, 50, (3, 3)))


def test_parents_stay_as_they_are():
    held = [(one.key, one.genome.tolist(), one.objectives, one.origin) for one in PARENTS]
    origins(VariationParams(), 50)
    assert [(one.key, one.genome.tolist(), one.objectives, one.origin) for one in PARENTS] == held


def memory_after(mutants, crossed, memory=None):
    """Return the memory after children that are better than their parent by so much."""
    parent = individual(50.0, key="parent")
    children = [individual(50.0 - gain, key=f"m{n}", origin="mutation") for n, gain in enumerate(mutants)]
    children += [individual(50.0 - gain, key=f"c{n}", origin="crossover") for n, gain in enumerate(crossed)]
    return update_memory(ADAPTIVE, Population([parent], 0, memory), children, [parent] * len(children))


def test_the_operator_that_improves_more_earns_a_higher_rate():
    assert mutation_rate(ADAPTIVE, {}) == 0.5
    memory = memory_after([4.0, -3.0], [0.0, -1.0])
    assert memory[CREDIT].tolist() == pytest.approx([0.55, 0.45])
    assert mutation_rate(ADAPTIVE, memory) == pytest.approx(0.1 + 0.8 * 0.55)
    for _ in range(100):
        memory = memory_after([-1.0], [2.0], memory)
    assert mutation_rate(ADAPTIVE, memory) == pytest.approx(0.1, abs=1e-3), "no operator dies out"


def test_credit_is_of_the_mean_child_not_of_the_number_of_children():
    memory = memory_after([2.0], [2.0] * 9)
    assert memory[CREDIT].tolist() == pytest.approx([0.5, 0.5])


def test_a_generation_without_improvement_changes_nothing():
    memory = memory_after([4.0], [0.0])
    assert memory_after([-1.0], [-2.0], memory)[CREDIT].tolist() == memory[CREDIT].tolist()


def test_fixed_rates_remember_nothing():
    parent, child = individual(50.0), individual(47.0)
    assert update_memory(VariationParams(), Population([parent]), [child], [parent]) == {}


def test_an_improvement_is_of_the_violation_first():
    a, b = individual(9.0), individual(1.0, infeasibility=0.5)
    assert improvement(a, b) == 0.5
    assert improvement(b, a) == 0.0
    assert improvement(individual(1.0, 2.0), individual(2.0, 2.0)) == 1.0
    assert improvement(individual(1.0, 3.0), individual(2.0, 2.0)) == 0.0


def test_rates_adapt_where_there_is_a_choice_only():
    with pytest.raises(ValidationError, match="adaptive = true with"):
        VariationParams(variation="and", adaptive=True)


def test_a_search_keeps_its_credit_in_the_population():
    algorithm = ParentChild(ParentChild.Params(adaptive=True), counting_toolbox())
    population = algorithm.first_population(candidates(12, 1))
    for _ in range(10):
        _, population = stepped(algorithm, population)
    assert population.memory[CREDIT].sum() == pytest.approx(1.0)
    assert population.memory[CREDIT].tolist() != [0.5, 0.5]


def generation(**params):
    algorithm = Generational(Generational.Params(**params), counting_toolbox())
    population = algorithm.first_population(candidates(20, 1))
    children, after = stepped(algorithm, population, 2)
    return population, children, after


def test_a_generation_gap_replaces_its_share_and_spares_the_elite():
    population, children, after = generation(gap=0.25, elite=3, mutation=1.0)
    assert len(children) == 5
    elite = sorted(range(20), key=lambda n: (population[n].objectives, n))[:3]
    places = [slot for slot in range(20) if after[slot] is not population[slot]]
    assert not set(places) & set(elite)
    assert {after[slot].key for slot in places} == {child.key for child in children}
    assert len(places) == 5


def test_without_duplicates_all_members_differ_and_the_old_fill_the_gaps():
    alike = {"mutation": 0.0, "crossover": 0.3, "tournament": 8}
    keys = [i.key for i in generation(duplicates=False, **alike)[2]]
    assert len(keys) == len(set(keys)) == 20
    assert len({i.key for i in generation(**alike)[2]}) < 20


def test_rates_of_a_schedule_move_linearly_and_then_stay():
    params = VariationParams(mutation=0.8, crossover=0.5, schedule={"over": 10, "mutation": 0.2})
    assert [params.at(g).mutation for g in (0, 5, 10, 99)] == pytest.approx([0.8, 0.5, 0.2, 0.2])
    assert params.at(5).crossover == 0.5
    plain = VariationParams()
    assert plain.at(7) is plain


@pytest.mark.parametrize(
    "given",
    [{"schedule": {"over": 5}}, {"schedule": {"over": 0, "mutation": 0.1}},
     {"variation": "or", "adaptive": True, "schedule": {"over": 5, "mutation": 0.1}}],
)  # fmt: skip
def test_schedules_that_say_nothing_or_contradict_are_refused(given):
    with pytest.raises(ValidationError):
        VariationParams(**given)


def test_the_first_generation_has_the_first_rate_and_the_last_the_last():
    params = ParentChild.Params(mutation=1.0, schedule={"over": 4, "mutation": 0.0})
    algorithm = ParentChild(params, counting_toolbox())
    for number, wanted in ((0, {"mutation"}), (4, {"crossover"})):
        children, _ = stepped(algorithm, Population(PARENTS, number), 3)
        assert {child.origin for child in children} == wanted
