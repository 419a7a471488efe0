"""Demes that evolve here one after another are those of the algorithm as a whole, and make no more children."""

import numpy as np
import pytest

from evosdc.engine.archive import Archive
from evosdc.engine.demes import evolve_demes
from evosdc.engine.dispatch import Dispatch
from evosdc.engine.evaluation import Evaluator
from evosdc.engine.generation import evolve_generations
from evosdc.engine.generation_step import TRIAL, GenerationStep
from evosdc.engine.loop import first_state, search
from evosdc.engine.statistics import better_of, operator_counts
from evosdc.engine.stop import Progress, Stop
from evosdc.model.brood import Brood, Broods, known_of, known_places, precedences, standings
from evosdc.testing.counting import candidates, counted
from tests.engine.test_asynchronous_islands import STREAMS, Counting, Disorder, islands_of
from tests.engine.test_families import evaluated
from tests.engine.test_generation_step import Idle, Measured
from tests.engine.test_litters import assembly_of


@pytest.mark.parametrize("topology", ["ring", "star", "random"])
@pytest.mark.parametrize("inner", ["parent-child", "generational", "nsga2", "hill-climbing"])
def test_demes_one_after_another_are_the_whole(topology, inner):
    algorithm = islands_of(topology, 4, 3, inner)
    population = other = algorithm.first_population(candidates(16, 1))
    for whole in evolve_generations(algorithm, Counting(), STREAMS, population, 14):
        apart = evolve_demes(algorithm, Counting(), STREAMS, other)
        other = apart.population
        assert apart.made == whole.made
        assert [i.key for i in apart.evaluated] == [i.key for i in whole.evaluated]
        assert [i.key for i in other.individuals] == [i.key for i in whole.population.individuals]
        assert other.generation == whole.population.generation
        assert other.memory.keys() == whole.population.memory.keys()
        for name, array in other.memory.items():
            assert np.array_equal(array, whole.population.memory[name]), name


class Everything(Evaluator):
    """Makes every child before it is evaluated."""

    def evaluate(self, offspring):
        return super().evaluate(list(offspring))


def test_islands_of_a_memetic_search_make_few_of_the_children_that_they_judge():
    inner = {"name": "memetic", "probes": 12, "growth": 0, "rounds": 3}
    assembly = assembly_of("six", algorithm={"name": "islands", "islands": 2, "interval": 5, "inner": inner})
    problem, algorithm = assembly.problem, assembly.algorithm
    genomes = [problem.genotype.random(np.random.default_rng(seed)) for seed in range(6)]
    first = first_state(algorithm, [evaluated(problem, genome, states=False) for genome in genomes])
    journals = []
    for evaluator in (Evaluator(problem), Everything(problem)):
        lines = []
        search(
            algorithm,
            evaluator,
            problem.streams,
            Stop(generations=20),
            first,
            lambda _, line, to=lines: to.append(line),
        )
        journals.append([{key: value for key, value in line.items() if key != "seconds"} for line in lines])
    assert journals[0] == journals[1]
    generation = evolve_demes(algorithm, Evaluator(problem), problem.streams, first.population)
    assert all(isinstance(part, Brood) for part in generation.evaluated.parts)
    assert len(known_of(generation.evaluated)) < len(generation.evaluated) == 24


def brood_of(members):
    columns = {name: np.array([one.scores[name] for one in members]) for name in members[0].scores}
    objectives = [np.array(column) for column in zip(*(one.objectives for one in members), strict=True)]
    return Brood(columns, objectives, lambda place, *_: members[place])


@pytest.mark.parametrize("lengths", [(), (0,), (3,), (2, 0, 4), (0, 1, 1)])
def test_broods_are_their_members_one_after_another(lengths):
    rng = np.random.default_rng(1)
    parts = [[counted(rng.integers(0, 9, 4), 1, "mutation") for _ in range(length)] for length in lengths]
    every = [one for part in parts for one in part]
    lazy = Broods([brood_of(part) if part and place % 2 == 0 else part for place, part in enumerate(parts)])
    assert len(lazy) == len(every)
    assert list(standings(lazy)) == list(standings(every))
    assert precedences(lazy) == precedences(every)
    made = len(list(known_places(lazy)))
    best = candidates(1, 2)[0]
    assert better_of(best, lazy) is better_of(best, every)
    assert Archive().update(lazy) == Archive().update(every)
    assert len(list(known_places(lazy))) >= made
    assert [(place, one) for place, one in known_places(lazy)] == [
        (place, every[place]) for place, _ in known_places(lazy)
    ]
    assert list(lazy) == lazy[:] == every
    assert lazy[::-2] == every[::-2]
    assert known_of(lazy) == every
    assert operator_counts({"mutation": len(every)}, lazy, every[:1]) == operator_counts(
        {"mutation": len(every)}, every, every[:1]
    )
    for place in (len(every), -len(every) - 1):
        with pytest.raises(IndexError):
            lazy[place]
    assert not every or lazy[-1] is every[-1]


class Taking(Measured):
    """An evaluator that takes its time, of which it tells only a part."""

    def __init__(self, dispatch, clock, seconds):
        super().__init__(dispatch, seconds / 10.0)
        self.clock, self.seconds = clock, seconds

    def evaluate(self, offspring):
        self.clock[0] += self.seconds * len(offspring)
        return super().evaluate(offspring)


@pytest.mark.endurance
@pytest.mark.parametrize(("quick", "kept"), [(1.5, True), (0.5, False)])
def test_workers_are_compared_with_all_that_a_generation_takes_here(monkeypatch, quick, kept):
    clock, seconds = [0.0], 0.001
    monkeypatch.setattr("evosdc.engine.generation_step.monotonic", lambda: clock[0])
    algorithm = islands_of(count=4)
    executor = Idle(Disorder(algorithm, lambda places, told: places))
    evaluator = Taking(Dispatch(executor, lambda: None, "", 1, "evolve", "auto"), clock, seconds)
    advance = GenerationStep(algorithm, evaluator, STREAMS, Stop(generations=10_000_000))
    population, made = algorithm.first_population(candidates(16, 1)), 16
    evaluator.seconds_here = None
    for number in range(1000):
        generation = advance(population, Progress(generation=number, evaluations=made))
        population, made = generation.population, made + generation.evaluations
        evaluator.seconds_here = seconds / 10.0
        if executor.used:  # from the second generation on demes evolve there
            clock[0] += generation.evaluations * seconds / quick
        if clock[0] > 10.0 * TRIAL:
            break
    assert executor.used
    assert executor.given.closed is not kept
    advance.close()
