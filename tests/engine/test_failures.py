"""Evaluations that fail: the rule, what stands in their place, and how selection sees it."""

from dataclasses import replace
from random import Random

import pytest

from evosdc.algorithms.selection import costs, roulette
from evosdc.engine.archive import Archive
from evosdc.engine.checkpoint import load_checkpoint, save_checkpoint
from evosdc.engine.evaluation import Evaluator
from evosdc.engine.failures import ErrorRule, evaluate_or_penalise, failures_in, worst_values
from evosdc.engine.loop import SearchState, first_state
from evosdc.engine.statistics import best_of
from evosdc.engine.stop import Progress
from evosdc.errors import EvaluationError
from evosdc.model import Individual, Population
from evosdc.model.individual import FAILURE, INFEASIBILITY, Values
from tests.engine.individuals import all_evaluated, individual
from tests.engine.problems import levels, problem_of
from tests.engine.test_evaluation import genomes

PENALISE = ErrorRule("penalise")


@pytest.fixture
def problem():
    return problem_of(levels())


def attempts(failures):
    """Return a function that fails so many times, and the list of what it was told of relatives."""
    told = []

    def evaluate(individual, from_scratch):
        told.append(individual.parent is not None and not from_scratch)
        if len(told) <= failures:
            raise EvaluationError("broken")
        return "sound"

    return evaluate, told


@pytest.mark.parametrize(
    ("rule", "related", "failures", "found", "told"),
    [
        (ErrorRule(), True, 0, "sound", [True]),
        (ErrorRule(), True, 1, None, [True]),
        (ErrorRule("retry", 2), True, 2, "sound", [True, False, False]),
        (ErrorRule("retry", 2), False, 3, None, [False, False, False]),
        (PENALISE, True, 1, "sound", [True, False]),  # the relative was to blame
        (PENALISE, True, 2, "worst", [True, False]),
        (PENALISE, False, 1, "worst", [False]),
    ],
)
def test_a_failure_is_raised_tried_again_or_penalised(problem, rule, related, failures, found, told):
    (genome,) = genomes(problem.genotype, 1)
    evaluate, asked = attempts(failures)
    parent = Individual(genome, b"other", {}, (1.0,), "start") if related else None
    individual = Individual.unevaluated(genome, "mutation", 1, parent)
    if found is None:
        with pytest.raises(EvaluationError, match="broken"):
            evaluate_or_penalise(rule, problem, individual, evaluate)
    else:
        value = evaluate_or_penalise(rule, problem, individual, evaluate)
        assert value == (worst_values(problem, genome) if found == "worst" else found)
    assert asked == told


def failed(problem, genome):
    value = worst_values(problem, genome)
    return Individual(genome, problem.genotype.key(genome), value.scores, value, "mutation")


def test_what_failed_is_worse_than_all_else_and_leaves_the_front(problem):
    genome, other = genomes(problem.genotype, 2)
    worst, (sound,) = (
        failed(problem, genome),
        all_evaluated(Evaluator(problem), [Individual.unevaluated(other, "start")]),
    )
    assert worst.failed
    assert not sound.failed
    assert failures_in([worst, sound, worst]) == 2
    broken = Individual(None, b"", sound.scores | {INFEASIBILITY: 1e12}, sound.objectives, "start")
    assert best_of([worst, broken]) is broken
    assert broken.dominates(worst)
    assert not worst.dominates(broken)
    assert Archive([worst, sound]).individuals[0].key == sound.key
    assert set(worst.scores) - set(sound.scores) == {INFEASIBILITY}
    assert worst_values(problem, genome) == worst_values(problem, genome)


def test_a_search_does_not_begin_with_failures_alone(problem):
    worst = [failed(problem, genome) for genome in genomes(problem.genotype, 2)]
    with pytest.raises(EvaluationError, match="none of the 2 candidates"):
        first_state(None, worst)


def test_the_wheel_tells_the_others_apart_beside_a_failure():
    sound = [individual(value, key=str(value)) for value in (10.0, 20.0, 30.0)]
    worst = individual(100.0, key="worst")
    worst.fitness.values = Values((100.0,), {INFEASIBILITY: FAILURE})
    assert costs([*sound, worst]) == [10.0, 20.0, 30.0, 31.0]
    drawn = roulette([*sound, worst], 4000, Random(1))
    counts = [drawn.count(slot) for slot in range(4)]
    assert counts[0] > 1.5 * counts[1] > 1.5 * counts[2]
    assert counts[3] < 50


def test_a_checkpoint_keeps_what_failed_and_how_often(problem, tmp_path):
    genome, other = genomes(problem.genotype, 2)
    worst, (sound,) = (
        failed(problem, genome),
        all_evaluated(Evaluator(problem), [Individual.unevaluated(other, "start")]),
    )
    for members in ((worst, sound), (sound, worst)):
        population = Population(members, 3)
        state = SearchState(population, sound, (sound,), replace(Progress(3, 9, 1.0), failed=4))
        loaded = load_checkpoint(save_checkpoint(tmp_path, state, problem.genotype), problem.genotype)
        assert [i.scores for i in loaded.population] == [i.scores for i in members]
        assert [i.failed for i in loaded.population] == [i.failed for i in members]
        assert loaded.progress.failed == 4


class Moody:
    """A problem in front of another one, whose evaluations fail as often as it is told."""

    def __init__(self, problem, failures):
        self.problem, self.left = problem, failures

    def __getattr__(self, name):
        return getattr(self.problem, name)

    def evaluate(self, *given):
        if self.left:
            self.left -= 1
            raise RuntimeError("moody")
        return self.problem.evaluate(*given)


def test_the_evaluator_keeps_the_rule(problem):
    def asked():
        return [Individual.unevaluated(genome, "start") for genome in genomes(problem.genotype, 3)]

    found = all_evaluated(Evaluator(Moody(problem, 1), rule=PENALISE), asked())
    assert [i.failed for i in found] == [True, False, False]
    assert not any(i.failed for i in all_evaluated(Evaluator(Moody(problem, 2), rule=ErrorRule("retry", 2)), asked()))
    with pytest.raises(RuntimeError, match="moody"):
        all_evaluated(Evaluator(Moody(problem, 1)), asked())
