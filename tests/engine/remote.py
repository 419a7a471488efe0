"""Workers' functions and executors that stay in this process but count as remote."""

from __future__ import annotations

from evosdc.engine.problem import Problem
from evosdc.executors.serial import SerialExecutor
from evosdc.model import Individual, SharedFiles


class Clock:
    """Seconds that pass where a test says so, and a few with each look, however slow the computer is."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 0.0002
        return self.now


CLOCK = Clock()

PROBLEMS: dict[str, Problem] = {}
"""What workers find under the digest of a context."""


class Lent(SerialExecutor):
    """The serial executor in the guise of a remote one with several workers; keeps the tasks that it was given."""

    def __init__(self, params=None, workers: int = 3, waits: tuple[float, ...] = ()) -> None:
        super().__init__(params)
        self.workers = workers
        self.waits = list(waits)
        self.sent: list[list[list[int]]] = []
        self.tasks = []

    @property
    def remote(self):
        return True

    def map(self, tasks):
        self.sent.append([[identifier for identifier, _ in task.items] for task in tasks])
        self.tasks += tasks
        if self.waits:
            CLOCK.now += self.waits.pop(0)
        return super().map(tasks)


def evaluate(shared: SharedFiles, seed: int, payload):
    problem = PROBLEMS[shared.digest]
    assert seed == problem.streams.seed
    dump, nearest = payload
    assert nearest is None or isinstance(nearest, bytes)
    genome = problem.genotype.load(dump)
    individual = Individual.unevaluated(genome, "sent", problem.fitness.objectives)
    individual.key = problem.genotype.key(genome)
    values = problem.evaluate(individual)
    return values.scores, tuple(values)


def fail_on_odd(shared: SharedFiles, seed: int, payload):
    dump, _ = payload
    if int(dump["suppressed"][0]) % 2:
        raise ArithmeticError("an odd number of records")
    return evaluate(shared, seed, payload)
