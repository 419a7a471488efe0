"""Workers that evolve demes are compared with all that a generation takes here."""

import pytest

from evosdc.engine.dispatch import Dispatch
from evosdc.engine.generation_step import TRIAL, GenerationStep
from evosdc.engine.stop import Progress, Stop
from evosdc.testing.counting import candidates
from tests.engine.test_asynchronous_islands import STREAMS, Disorder, islands_of
from tests.engine.test_generation_step import Idle, Measured


class Taking(Measured):
    """An evaluator that takes its time, of which it tells only a part."""

    def __init__(self, dispatch, clock, seconds):
        super().__init__(dispatch, seconds / 10.0)
        self.clock, self.seconds = clock, seconds

    def values_of(self, individuals):
        self.clock[0] += self.seconds * len(individuals)
        return super().values_of(individuals)


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
    evaluator.here = None
    for number in range(1000):
        generation = advance(population, Progress(generation=number, evaluations=made))
        population, made = generation.population, made + generation.evaluations
        evaluator.here = seconds / 10.0
        if executor.used:  # from the second generation on demes evolve there
            clock[0] += generation.evaluations * seconds / quick
        if clock[0] > 10.0 * TRIAL:
            break
    assert executor.used
    assert executor.given.closed is not kept
    advance.close()
