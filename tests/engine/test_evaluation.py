"""Whole generations: what is evaluated at all, how often, where, and what comes back."""

from pathlib import Path

import numpy as np
import pytest

from evosdc.engine.dispatch import Dispatch
from evosdc.engine.evaluation import Evaluator
from evosdc.errors import EvaluationError
from evosdc.model import Individual, SharedFiles
from evosdc.testing.purity import generator
from tests.engine import remote
from tests.engine.individuals import all_evaluated
from tests.engine.problems import (
    SEED,
    Decoded,
    OwnSpeckles,
    Speckled,
    evaluated,
    levels,
    microdata,
    problem_of,
)
from tests.testing.genotypes import Levels


def genomes(genotype, count, first=0):
    """Return genomes that differ in how many records are suppressed."""
    width = genotype.random(generator(1))[0]
    return [(width, first + number) for number in range(count)]


def asked_for(genomes, origin="mutation", nearest=None):
    return [Individual.unevaluated(genome, f"{origin} {slot}", parent=nearest) for slot, genome in enumerate(genomes)]


def as_figures(individuals):
    return [(i.key, i.scores, i.objectives, i.origin) for i in individuals]


def test_results_come_in_order_with_scores_and_origins():
    genotype = levels(Decoded)
    problem = problem_of(genotype)
    wanted = genomes(genotype, 6)[::-1]
    individuals = all_evaluated(Evaluator(problem), asked_for(wanted))
    assert [i.genome for i in individuals] == wanted
    expected = [evaluated(problem, genome, f"mutation {slot}") for slot, genome in enumerate(wanted)]
    assert as_figures(individuals) == as_figures(expected)
    assert len({i.scores["suppressed"] for i in individuals}) == 6


def test_nothing_asked_nothing_evaluated():
    assert all_evaluated(Evaluator(problem_of(levels())), []) == []


def test_a_genome_is_evaluated_once():
    genotype = levels(Decoded)
    evaluator = Evaluator(problem_of(genotype))
    first = all_evaluated(evaluator, asked_for(genomes(genotype, 3)))
    second = all_evaluated(evaluator, asked_for(genomes(genotype, 4)[::-1], "crossover"))
    assert len(genotype.decoded) == len(set(genotype.decoded)) == 4
    assert [i.scores for i in second[:0:-1]] == [i.scores for i in first]
    assert [i.origin for i in second] == [f"crossover {slot}" for slot in range(4)]


def test_duplicates_of_a_batch_are_evaluated_once():
    genotype = levels(Decoded)
    a, b = genomes(genotype, 2)
    twin = (a[0].copy(), a[1])
    individuals = all_evaluated(Evaluator(problem_of(genotype)), asked_for([a, b, twin, b, a]))
    assert genotype.decoded == [genotype.key(a), genotype.key(b)]
    assert [i.key for i in individuals] == [genotype.key(g) for g in (a, b, a, b, a)]
    assert [i.origin for i in individuals] == [f"mutation {slot}" for slot in range(5)]
    assert len({id(i) for i in individuals}) == 5
    assert individuals[0].scores == individuals[2].scores == individuals[4].scores != individuals[1].scores


def test_the_oldest_are_forgotten_beyond_the_size_of_the_cache(monkeypatch):
    monkeypatch.setattr("evosdc.engine.evaluation.CACHE_SIZE", 3)
    genotype = levels(Decoded)
    evaluator = Evaluator(problem_of(genotype))
    a, b, c, d, e = genomes(genotype, 5)

    def decoded(*wanted):
        genotype.decoded.clear()
        all_evaluated(evaluator, asked_for(wanted))
        return genotype.decoded

    assert len(decoded(a, b, c)) == 3
    assert decoded(a, b, c) == []
    assert decoded(d) == [genotype.key(d)]
    assert decoded(b, c, d) == []
    assert decoded(a) == [genotype.key(a)]
    assert decoded(b) == [genotype.key(b)]
    # More than the cache holds, with duplicates: every one is answered.
    assert len(decoded(e, a, b, c, d, e, a, b, c, d)) <= 5


def test_what_is_remembered_is_not_evaluated():
    genotype = levels(Decoded)
    problem = problem_of(genotype)
    known = [evaluated(problem, genome) for genome in genomes(genotype, 3)]
    genotype.decoded.clear()
    evaluator = Evaluator(problem)
    evaluator.remember(known)
    individuals = all_evaluated(evaluator, asked_for(genomes(genotype, 3)))
    assert genotype.decoded == []
    assert [(i.scores, i.objectives) for i in individuals] == [(i.scores, i.objectives) for i in known]


def test_children_are_judged_by_what_they_change():
    genotype = levels(Decoded)
    problem = problem_of(genotype)
    asked = problem.measures["changed"].asked
    parent = evaluated(problem, genomes(genotype, 1, first=20)[0])
    children = all_evaluated(Evaluator(problem), asked_for(genomes(genotype, 4, first=21), nearest=parent))
    assert (asked.score, asked.track, asked.tried) == (1, 1, 4)
    assert all(child.parent is None for child in children)
    assert [child.scores for child in children] == [evaluated(problem, child.genome).scores for child in children]


@pytest.mark.parametrize("cls", [OwnSpeckles, Speckled])
def test_children_whose_changes_nobody_knows_are_judged_from_scratch(cls):
    genotype = levels(cls)
    problem = problem_of(genotype)
    asked = problem.measures["changed"].asked
    wanted = [genotype.random(generator(9, number)) for number in range(3)]
    parent = evaluated(problem, genotype.random(generator(8)))
    asked.score = 0
    all_evaluated(Evaluator(problem), asked_for(wanted, nearest=parent))
    assert (asked.score, asked.track) == (3 * problem.draws, 0)


class Slow(Levels):
    """Takes its time here; what is sent to the workers of `tests.engine.remote` does not."""

    def decode(self, g, rng):
        remote.CLOCK.now += 0.008
        return super().decode(g, rng)


@pytest.fixture
def always_worth_sending(monkeypatch):
    """Have work sent whenever that is quicker, by a clock that only slow work moves."""
    monkeypatch.setattr("evosdc.engine.evaluation.worth_sending", lambda seconds: True)
    monkeypatch.setattr("evosdc.engine.dispatch.worth_sending", lambda seconds: True)
    monkeypatch.setattr("evosdc.engine.evaluation.monotonic", remote.CLOCK)


def dispatched(executor, function="evaluate", genotype=None):
    """Return an evaluator of a slow genotype here, whose workers are quick."""
    file = microdata()
    remote.PROBLEMS["quick"] = problem_of(levels(file=file))
    dispatch = Dispatch(executor, lambda: SharedFiles("", "quick"), f"{remote.__name__}:{function}", SEED)
    return Evaluator(problem_of(genotype or levels(Slow, file)), dispatch)


def test_what_workers_say_is_what_is_found_here(always_worth_sending):
    executor = remote.Lent()
    evaluator = dispatched(executor)
    genotype = evaluator.problem.genotype
    parent = all_evaluated(evaluator, asked_for(genomes(genotype, 1, 50)))[0]
    assert executor.sent == [], "how dear an evaluation is has to be known before anything is sent"
    wanted = genomes(genotype, 12)[::-1]
    wanted += [*wanted[:2], parent.genome]
    offspring, again = (
        [
            Individual.unevaluated(genome, f"mutation {slot}", parent=parent if slot % 2 else None)
            for slot, genome in enumerate(wanted)
        ]
        for _ in range(2)
    )
    individuals = all_evaluated(evaluator, offspring)
    here = all_evaluated(Evaluator(problem_of(levels())), again)
    assert as_figures(individuals) == as_figures(here)
    assert [i.genome for i in individuals] == wanted
    (tasks,) = executor.sent
    assert len(tasks) >= executor.workers
    assert [identifier for task in tasks for identifier in task] == list(range(12)), "duplicates are not sent"
    relatives = [payload[1] for task in executor.tasks for _, payload in task.items]
    assert relatives == [parent.key if slot % 2 else None for slot in range(12)]


def test_what_workers_found_is_remembered(always_worth_sending):
    executor = remote.Lent()
    evaluator = dispatched(executor)
    wanted = genomes(evaluator.problem.genotype, 8)
    all_evaluated(evaluator, asked_for(wanted[:1]))
    first = all_evaluated(evaluator, asked_for(wanted))
    assert len(executor.sent) == 1
    assert as_figures(all_evaluated(evaluator, asked_for(wanted))) == as_figures(first)
    assert len(executor.sent) == 1


def test_an_executor_that_is_not_remote_gets_nothing(always_worth_sending):
    executor = remote.SerialExecutor()
    executor.map = None
    evaluator = dispatched(executor)
    for first in (0, 10):
        assert len(all_evaluated(evaluator, asked_for(genomes(evaluator.problem.genotype, 5, first)))) == 5


def test_little_work_stays_here(monkeypatch):
    monkeypatch.setattr("evosdc.engine.evaluation.worth_sending", lambda seconds: False)
    monkeypatch.setattr("evosdc.engine.dispatch.worth_sending", lambda seconds: False)
    executor = remote.Lent()
    evaluator = dispatched(executor)
    for first in (0, 10):
        all_evaluated(evaluator, asked_for(genomes(evaluator.problem.genotype, 5, first)))
    assert executor.sent == []


def test_quick_workers_are_kept_although_they_were_slow_to_start(always_worth_sending):
    executor = remote.Lent(waits=(0.4,))
    evaluator = dispatched(executor)
    for batch in range(8):
        all_evaluated(evaluator, asked_for(genomes(evaluator.problem.genotype, 5, 5 * batch)))
    assert len(executor.sent) == 7


def test_slow_workers_are_given_up(always_worth_sending):
    executor = remote.Lent(waits=(0.3,) * 12)
    evaluator = dispatched(executor)
    individuals = []
    for batch in range(12):
        individuals += all_evaluated(evaluator, asked_for(genomes(evaluator.problem.genotype, 4, 4 * batch)))
    assert 1 <= len(executor.sent) <= 4
    assert [i.genome[1] for i in individuals] == list(range(48))


class Warming(Levels):
    """Takes long the first time, as what is still being loaded, and hardly any time from then on."""

    loaded = False

    def decode(self, g, rng):
        remote.CLOCK.now += 0.0 if self.loaded else 1.0
        self.loaded = True
        return super().decode(g, rng)


def test_what_was_slow_at_first_is_tried_again(always_worth_sending):
    executor = remote.Lent(waits=(0.5,) * 60)
    evaluator = dispatched(executor, genotype=levels(Warming))
    for batch in range(60):
        all_evaluated(evaluator, asked_for(genomes(evaluator.problem.genotype, 4, 4 * batch)))
    assert evaluator.seconds_here < 0.01, "what the first one took counts no more"
    assert 0 < len(executor.sent) < 30, "workers, until it was tried here again"


def test_a_failing_item_ends_in_one_error_without_its_traceback(always_worth_sending):
    executor = remote.Lent()
    evaluator = dispatched(executor, "fail_on_odd")
    genotype = evaluator.problem.genotype
    all_evaluated(evaluator, asked_for(genomes(genotype, 1, 50)))
    with pytest.raises(EvaluationError, match="ArithmeticError: an odd number of records") as caught:
        all_evaluated(evaluator, asked_for(genomes(genotype, 6, 10)))
    message = str(caught.value)
    assert "item 1 " in message, "the first that failed, by position"
    assert "\n" not in message
    assert "Traceback" not in message
    assert Path(__file__).parent.name not in message
    assert any("fail_on_odd" in note for note in caught.value.__notes__), "what --debug shows"


def test_nothing_of_a_failed_batch_is_remembered_as_done(always_worth_sending):
    evaluator = dispatched(remote.Lent(), "fail_on_odd")
    genotype = evaluator.problem.genotype
    all_evaluated(evaluator, asked_for(genomes(genotype, 1, 50)))
    for _ in range(2):
        with pytest.raises(EvaluationError, match="an odd number"):
            all_evaluated(evaluator, asked_for(genomes(genotype, 6, 10)))
    fine = [genome for genome in genomes(genotype, 6, 10) if genome[1] % 2 == 0]
    assert len(all_evaluated(evaluator, asked_for(fine))) == len(fine)


def test_big_genomes_travel_in_chunks_of_bounded_size(always_worth_sending, monkeypatch):
    monkeypatch.setattr("evosdc.executors.tasks.MAX_BYTES", 3 * (8 * 5 + 8))
    executor = remote.Lent(workers=1)
    evaluator = dispatched(executor, genotype=levels())
    genotype = evaluator.problem.genotype
    assert sum(np.asarray(a).nbytes for a in genotype.dump(genomes(genotype, 1)[0]).values()) == 48
    all_evaluated(evaluator, asked_for(genomes(genotype, 1, 50)))
    all_evaluated(evaluator, asked_for(genomes(genotype, 9, 10)))
    assert [len(task) for task in executor.sent[0]] == [3, 3, 3]
