"""Demes that do not wait: whatever order their tasks end in, the whole is what it would have been."""

import random
from dataclasses import replace
from types import SimpleNamespace

import pytest

from evosdc.algorithms.islands import Islands
from evosdc.engine.asynchronous_islands import AHEAD, AsynchronousIslands
from evosdc.engine.demes import evolve_demes, report_generations, unpack_deme
from evosdc.engine.dispatch import Dispatch
from evosdc.engine.evaluation import Evaluator, each_of
from evosdc.engine.generation import evolve_generations
from evosdc.errors import EvaluationError, ExecutorError
from evosdc.model import Archipelago, Executor, Failure, Outcome, TaskQueue
from evosdc.model.individual import Values
from evosdc.secret import Streams
from evosdc.testing.counting import candidates, counted
from tests.algorithms.test_algorithms_conformance import island_toolbox

STREAMS = Streams(1)


class Plain:
    """Dumps genomes as they are."""

    def key(self, genome):
        return counted(genome, 1, "").key

    def dump(self, genome):
        return {"genome": genome}

    def load(self, dump):
        return dump["genome"]


class Counting(Evaluator):
    """Evaluates by counting."""

    def __init__(self):
        super().__init__(SimpleNamespace(genotype=Plain(), contributions=list))

    def values_of(self, individuals):
        found = []
        for individual in individuals:
            one = counted(individual.genome, 1, individual.origin)
            individual.key, individual.parent = one.key, None
            found.append(Values(one.objectives, one.scores))
        return found


class Disorder(TaskQueue):
    """Runs tasks here and gives answers as a function chooses among the places that are ready."""

    def __init__(self, algorithm, choose, seconds=0.01):
        self.algorithm = algorithm
        self.choose = choose
        self.seconds = seconds
        self.under_way = {}
        self.told = []
        self.closed = False

    def give(self, place, task):
        assert place not in self.under_way, "a place has one task at a time"
        self.under_way[place] = task

    def take(self, patience=None):
        if patience == 0.0 or not self.under_way:
            return []
        answers = []
        for place in self.choose(sorted(self.under_way), self.told):
            ((number, (packed, island, count, _)),) = self.under_way.pop(place).items
            assert island == place == number
            deme = unpack_deme(packed, Plain())
            history = evolve_generations(self.algorithm.inner, Counting(), replace(STREAMS, island=island), deme, count)
            report = report_generations(deme, history, Plain())._replace(seconds=self.seconds * count)
            answers.append((place, (Outcome(number, report, 0.1),)))
            self.told.append((place, deme.generation + count))
        return answers

    def close(self):
        self.closed = True


class Elsewhere(Executor):
    """An executor with the queue that it is given."""

    def __init__(self, queue):
        super().__init__(None, 3)
        self.given = queue

    def map(self, tasks):
        raise AssertionError("demes are streamed")

    def queue(self):
        return self.given


def islands_of(topology="ring", count=3, interval=4, inner="parent-child"):
    params = Islands.Params(islands=count, interval=interval, inner=inner, topology=topology)
    algorithm = Islands(params, island_toolbox())
    assert isinstance(algorithm, Archipelago)
    return algorithm


def under_way_of(algorithm, queue, population, limit=None):
    dispatch = Dispatch(Elsewhere(queue), lambda: None, "", 1, "evolve", "islands")
    return AsynchronousIslands(algorithm, dispatch, Plain(), population, limit)


def at_random(seed):
    draws = random.Random(seed)
    return lambda places, told: draws.sample(places, draws.randint(1, len(places)))


def last(places, told):
    """Answer for the last place alone: the others wait for as long as it has anything to do."""
    return places[-1:]


def whole_of(algorithm, population, count):
    """Return generations of all demes, one after another in this process."""
    found = []
    for _ in range(count):
        found.append(evolve_demes(algorithm, Counting(), STREAMS, population))
        population = found[-1].population
    return found


def assert_same(mine, theirs):
    assert [i.key for i in theirs.population] == [i.key for i in mine.population]
    assert theirs.population.generation == mine.population.generation
    assert sorted(theirs.population.memory) == sorted(mine.population.memory)
    assert theirs.made == mine.made
    kept = set(map(id, mine.population))
    told = [i.key for i in each_of(theirs.evaluated)]
    assert set(told) >= {i.key for i in each_of(mine.evaluated) if id(i) in kept}, "whoever stays is told of"
    order = iter([i.key for i in each_of(mine.evaluated)])
    assert all(key in order for key in told), "in the order of evaluation"
    assert min(i.precedence for i in [*each_of(mine.evaluated), *mine.population]) == min(
        i.precedence for i in [*each_of(theirs.evaluated), *theirs.population]
    )
    assert all(i.genome is not None for i in theirs.population)


@pytest.mark.parametrize("topology", ["ring", "star", "random"])
@pytest.mark.parametrize("inner", ["parent-child", "generational", "nsga2"])
@pytest.mark.parametrize("choose", [at_random(1), at_random(2), last], ids=["random", "other", "last"])
def test_whatever_order_tasks_end_in_the_whole_is_the_same(topology, inner, choose):
    algorithm = islands_of(topology, 4, 3, inner)
    population = algorithm.first_population(candidates(16, 1))
    whole = whole_of(algorithm, population, 14)
    # From the beginning, and from the middle between two migrations, as after a resume.
    for begin in (population, whole[3].population):
        islands = under_way_of(algorithm, Disorder(algorithm, choose), begin)
        for mine in whole[begin.generation :]:
            assert_same(mine, islands.next())


def test_a_slow_deme_on_a_ring_holds_up_those_that_need_it_and_nobody_else():
    algorithm = islands_of("ring", 4, 5)
    queue = Disorder(algorithm, lambda places, told: [p for p in places if p != 1 or len(told) > 40])
    islands = under_way_of(algorithm, queue, algorithm.first_population(candidates(16, 1)))
    for _ in range(30):
        if queue.take(0.0) == [] and 1 in queue.under_way and len(queue.under_way) == 1:
            break
        islands._take(None)
    reached = dict(queue.told)
    # The second never comes to the first migration; the third waits for it there, the fourth one migration later.
    assert reached == {2: 5, 3: 10, 0: 15}
    assert not islands.complete


def test_in_a_star_only_the_hub_is_waited_for():
    algorithm = islands_of("star", 4, 5)
    queue = Disorder(algorithm, lambda places, told: [p for p in places if p != 3] or places)
    islands = under_way_of(algorithm, queue, algorithm.first_population(candidates(16, 1)))
    while queue.under_way.keys() != {3}:
        islands._take(None)
    reached = dict(queue.told)
    # The others heard from the hub at once and wait for it one migration later; the hub itself hears from all.
    assert reached == {0: 5, 1: 10, 2: 10}


def test_a_deme_does_not_run_away_from_the_others():
    algorithm = islands_of("ring", 2, 1000)
    queue = Disorder(algorithm, lambda places, told: [0] if 0 in places else [], seconds=10.0)
    islands = under_way_of(algorithm, queue, algorithm.first_population(candidates(8, 1)))
    while 0 in queue.under_way:
        islands._take(None)
    assert queue.told == [(0, n + 1) for n in range(AHEAD)], "one generation a report, since each takes so long"
    queue.choose = lambda places, told: places
    assert [islands.next().population.generation for _ in range(20)] == list(range(1, 21))


def test_nothing_is_evolved_beyond_the_last_generation_and_complete_ones_outlive_a_halt():
    algorithm = islands_of("ring", 3, 4)
    population = algorithm.first_population(candidates(12, 1))
    whole = whole_of(algorithm, population, 10)
    queue = Disorder(algorithm, lambda places, told: places)
    islands = under_way_of(algorithm, queue, population, 10)
    assert_same(whole[0], islands.next())
    while queue.under_way:
        islands._take(None)
    assert max(generation for _, generation in queue.told) == 10
    islands.halt()
    assert queue.closed
    for mine in whole[1:]:
        assert islands.complete
        assert_same(mine, islands.next())
    assert not islands.complete


def test_a_failure_counts_when_its_turn_comes():
    algorithm = islands_of("ring", 2, 3)
    population = algorithm.first_population(candidates(8, 1))

    class Failing(Disorder):
        def take(self, patience=None):
            answers = super().take(patience)
            return [
                (place, (Outcome(place, Failure("ValueError", "no luck"), 0.1),))
                if generation > 4 and place
                else answer
                for answer, (place, generation) in zip(answers, self.told[len(self.told) - len(answers) :], strict=True)
            ]

    islands = under_way_of(algorithm, Failing(algorithm, lambda places, told: places), population)
    assert [islands.next().population.generation for _ in range(3)] == [1, 2, 3]
    with pytest.raises(EvaluationError, match="item 1 failed: ValueError: no luck"):
        islands.next()


def test_an_executor_that_loses_a_task_is_told_of():
    algorithm = islands_of()
    islands = under_way_of(
        algorithm, Disorder(algorithm, lambda places, told: []), algorithm.first_population(candidates(12, 1))
    )
    with pytest.raises(ExecutorError, match="no answer"):
        islands.next()
