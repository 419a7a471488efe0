import numpy as np
import pytest
from pydantic import ValidationError

from evosdc.algorithms.generational import Generational
from evosdc.algorithms.parent_child import ParentChild
from evosdc.algorithms.variation import CREDIT, VariationParams, improvement, mutation_rate, update_memory, vary_parents
from evosdc.model import Offspring, Population
from evosdc.secret import Streams
from evosdc.testing.counting import candidates, counted, counting_toolbox
from tests.engine.individuals import individual

PARENTS = Population(tuple(candidates(12, 1)))
ADAPTIVE = VariationParams(variation="or", mutation=0.5, adaptive=True)


def origins(params, pairs=400, slots=(0, 1)):
    rng = np.random.default_rng(1)
    made = [vary_parents(params, counting_toolbox(), PARENTS, slots, rng, params.mutation) for _ in range(pairs)]
    return [item.origin for pair in made for item in pair]


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


def made(gains, origin):
    """Return children of the first slot that are better than it by what `gains` say, and what they were proposed as."""
    parent = 50.0
    children = [individual(parent - gain, key=f"{origin} {n}") for n, gain in enumerate(gains)]
    return [Offspring(None, origin, (0,)) for _ in gains], children


def memory_after(mutants, crossed, memory=None):
    population = Population((individual(50.0, key="parent"),), 0, memory or {})
    (a, b), (c, d) = made(mutants, "mutation"), made(crossed, "crossover")
    return update_memory(ADAPTIVE, population, a + c, b + d)


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
    population = Population((individual(50.0),))
    assert update_memory(VariationParams(), population, *made([3.0], "mutation")) == {}


def test_an_improvement_is_of_the_violation_first():
    a, b = individual(9.0), individual(1.0)
    b.infeasibility = 0.5
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
    for generation in range(10):
        offspring = algorithm.propose(population, Streams(1))
        evaluated = [counted(item.genome, 1, item.origin) for item in offspring]
        after = algorithm.replace(population, offspring, evaluated)
        population = Population(after.individuals, generation + 1, after.memory)
    assert population.memory[CREDIT].sum() == pytest.approx(1.0)
    assert population.memory[CREDIT].tolist() != [0.5, 0.5]


def generation(**params):
    algorithm = Generational(Generational.Params(**params), counting_toolbox())
    population = algorithm.first_population(candidates(20, 1))
    offspring = algorithm.propose(population, Streams(2))
    evaluated = [counted(item.genome, 1, item.origin) for item in offspring]
    return population, offspring, evaluated, algorithm.replace(population, offspring, evaluated)


def test_a_generation_gap_replaces_its_share_and_spares_the_elite():
    population, offspring, evaluated, after = generation(gap=0.25, elite=3)
    assert len(offspring) == 5
    elite = sorted(range(20), key=lambda n: (population.individuals[n].objectives, n))[:3]
    places = [item.place for item in offspring]
    assert len(set(places)) == 5
    assert not set(places) & set(elite)
    for slot in range(20):
        expected = evaluated[places.index(slot)] if slot in places else population.individuals[slot]
        assert after.individuals[slot] is expected


def test_without_duplicates_all_members_differ_and_the_old_fill_the_gaps():
    _, _, evaluated, after = generation(duplicates=False, mutation=0.0, crossover=0.3, tournament=8)
    keys = [i.key for i in after.individuals]
    assert len(keys) == len(set(keys)) == 20
    assert len({i.key for i in evaluated}) < len(evaluated), "the test needs children that are alike"
    with_duplicates = generation(mutation=0.0, crossover=0.3, tournament=8)[3]
    assert len({i.key for i in with_duplicates.individuals}) < 20


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
    for generation, wanted in ((0, {"mutation"}), (4, {"crossover"})):
        offspring = algorithm.propose(Population(PARENTS.individuals, generation), Streams(3))
        assert {item.origin for item in offspring} == wanted
