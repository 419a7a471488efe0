"""When workers are started, and what becomes of what they told when the time is over."""

import numpy as np
import pytest

from evosdc.engine.dispatch import Dispatch
from evosdc.engine.generation import Generation
from evosdc.engine.generation_step import GenerationStep
from evosdc.engine.loop import first_state, search
from evosdc.engine.stop import Progress, Stop
from evosdc.model import Executor, Population
from evosdc.secret import Streams
from evosdc.testing.counting import candidates, counted
from tests.engine.test_asynchronous_islands import Counting, Disorder, islands_of


class Idle(Executor):
    """An executor that was not started yet, and whose islands are run here when it is."""

    def __init__(self, queue, workers=2):
        super().__init__(None, workers)
        self.given = queue
        self.used = False

    @property
    def started(self):
        return self.used

    def map(self, tasks):
        raise AssertionError("demes are streamed")

    def queue(self):
        self.used = True
        return self.given


class Measured(Counting):
    """An evaluator that says what an evaluation costs here."""

    def __init__(self, dispatch, seconds):
        super().__init__()
        self.dispatch, self.here = dispatch, seconds

    @property
    def seconds_here(self):
        return self.here

    @property
    def seconds_sent(self):
        return None

    def better_sent(self, count):
        return False


def advance_of(algorithm, stop, seconds, grain="auto"):
    executor = Idle(Disorder(algorithm, lambda places, told: places))
    evaluator = Measured(Dispatch(executor, lambda: None, "", 1, "evolve", grain), seconds)
    return executor, evaluator, GenerationStep(algorithm, evaluator, Streams(1), stop)


@pytest.mark.parametrize(
    ("seconds", "generations", "grain", "started"),
    [
        (1e-6, 1000, "auto", False),
        (1e-6, 10_000_000, "auto", True),
        (1e-6, 1000, "islands", True),
        (0.001, 100, "auto", False),
    ],
)
def test_workers_are_started_where_enough_is_left_to_do(seconds, generations, grain, started):
    algorithm = islands_of(count=4)
    population = algorithm.first_population(candidates(16, 1))
    executor, evaluator, advance = advance_of(algorithm, Stop(generations=generations), seconds, grain)
    generation = advance(population, Progress(evaluations=16))
    assert executor.used is started
    assert (evaluator.dispatch is not None) is started
    assert generation.population.generation == 1
    advance.close()
    assert executor.given.closed is started


def test_while_a_search_may_end_any_time_workers_are_started_once_it_has_taken_as_long_as_their_start():
    algorithm = islands_of(count=4)
    population = algorithm.first_population(candidates(16, 1))
    executor, _, advance = advance_of(algorithm, Stop(target=-1.0), 1e-6)
    advance(population, Progress(evaluations=16, seconds=1.0))
    assert not executor.used
    advance(population, Progress(evaluations=16, seconds=10.0))
    assert executor.used


class Told:
    """Generations that workers have told of already, three of them."""

    def __init__(self, population):
        self.population = population
        self.left = 3
        self.halted = self.closed = False

    def __call__(self, population, progress):
        assert self.left, "nothing is waited for once the time is over"
        self.left -= 1
        after = Population(population, population.generation + 1)
        return Generation({"mutation": 2}, [[counted(np.full(4, 5), 1, "mutation")]], after)

    def halt(self):
        self.halted = True
        return self.left > 0

    def close(self):
        self.closed = True


@pytest.mark.parametrize(
    ("stop", "generations"),
    [(Stop(seconds=0.0), 3), (Stop(seconds=0.0, generations=2), 2), (Stop(seconds=0.0, evaluations=13), 1)],
)
def test_when_the_time_is_over_what_was_told_still_counts_up_to_any_other_limit(stop, generations):
    algorithm = islands_of()
    told = Told(None)
    state, reason = search(
        algorithm, None, None, stop, first_state(algorithm, candidates(12, 1)), lambda state, record: None, told
    )
    assert state.progress.generation == generations
    assert state.progress.evaluations == 12 + 2 * generations
    assert told.halted
    assert told.closed
    assert reason
