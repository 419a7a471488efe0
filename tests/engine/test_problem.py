"""The evaluation of one genome: by what it changes where that is known, and always the same figures."""

import math

import numpy as np
import pytest

from evosdc.errors import EvaluationError, PluginError
from evosdc.model import Fitness, Fitted, Individual, Rescoring
from evosdc.model.individual import FAILURE, INFEASIBILITY, Values
from evosdc.secret import Streams
from evosdc.testing.purity import generator
from tests.engine.problems import (
    SEED,
    Both,
    Counts,
    Followed,
    Mean,
    OwnNumbers,
    OwnSpeckles,
    Speckled,
    evaluated,
    levels,
    problem_of,
)
from tests.testing.genotypes import Swaps, Unfollowed

N = 60


def widths(genotype):
    return genotype.random(generator(1))[0]


def judged(problem, genome, parent=None, from_scratch=False):
    """Return the values of a child."""
    child = Individual.unevaluated(genome, "mutation", problem.fitness.objectives, parent)
    child.key = problem.genotype.key(genome)
    return problem.evaluate(child, from_scratch)


def child_of(genotype, suppressed, widths_of_child=None):
    """Return problem, parent, the genome of a child, and how the first measure was asked, from zero."""
    problem = problem_of(genotype)
    width = widths(genotype)
    parent = evaluated(problem, (width, 10))
    asked = problem.measures["changed"].asked
    asked.score = 0
    return problem, parent, (width if widths_of_child is None else widths_of_child, suppressed), asked


@pytest.mark.parametrize("changed", [0, 1, 14, 26])
def test_a_child_is_judged_by_its_changed_records(changed):
    genotype = levels()
    problem, parent, child, asked = child_of(genotype, 10 + changed)
    values = judged(problem, child, parent)
    assert (asked.score, asked.track, asked.tried) == (0, 1, 1)
    assert values.scores == evaluated(problem_of(genotype), child).scores


def test_a_child_that_may_differ_in_all_records_is_judged_by_them():
    genotype = levels()
    other = genotype.random(generator(2))[0]
    assert (other != widths(genotype)).any()
    problem, parent, child, asked = child_of(genotype, 11, other)
    values = judged(problem, child, parent)
    assert (asked.score, asked.track, asked.tried) == (0, 1, 1)
    assert values.scores == evaluated(problem_of(genotype), child).scores


@pytest.mark.parametrize("case", ["no parent", "parent failed", "from scratch"])
def test_other_children_are_judged_from_scratch(case):
    genotype = levels()
    problem, parent, child, asked = child_of(genotype, 11)
    if case == "parent failed":
        parent.fitness.values = Values(parent.objectives, {**parent.scores, INFEASIBILITY: FAILURE})
    values = judged(problem, child, None if case == "no parent" else parent, case == "from scratch")
    assert (asked.score, asked.track) == (1, 0)
    assert values.scores == evaluated(problem_of(genotype), child).scores


@pytest.mark.parametrize("cls", [Unfollowed, Speckled, OwnSpeckles])
def test_nothing_is_followed_where_changes_are_unknown_or_files_are_drawn(cls):
    genotype = levels(cls)
    problem = problem_of(genotype)
    parent = evaluated(problem, genotype.random(generator(3)))
    child = genotype.mutate(parent.genome, generator(4))
    assert judged(problem, child, parent).scores == evaluated(problem_of(genotype), child).scores
    assert problem.measures["changed"].asked.track == 0


def test_a_chain_of_children_is_followed():
    genotype = levels()
    problem = problem_of(genotype)
    rng = generator(3)
    current = evaluated(problem, (widths(genotype), 30))
    for _ in range(20):
        child = (current.genome[0], int(np.clip(current.genome[1] + rng.integers(-8, 9), 0, N)))
        values = judged(problem, child, current)
        scratch = evaluated(problem_of(genotype), child)
        assert (values.scores, tuple(values)) == (scratch.scores, scratch.objectives)
        current = Individual(child, genotype.key(child), values.scores, values, "mutation")
    assert problem.measures["changed"].asked.track == 1, "the first one's tracker went on to the others"


def swaps(cls=Swaps, draws=3):
    genotype = levels(cls)
    return cls(cls.Params(draws=draws), genotype.microdata)


def test_genomes_share_the_random_numbers_of_a_draw():
    genotype = swaps()
    problem = problem_of(genotype)
    genome = genotype.random(generator(5))
    for draw in range(3):
        expected = genotype.decode(genome, Streams(SEED).evaluate(draw))
        assert problem.decode(genome, b"a" * 16, draw).same_records(expected)
        assert problem.decode(genome, b"b" * 16, draw).same_records(expected)


def test_genomes_without_common_random_numbers_have_their_own():
    genotype = swaps(OwnNumbers)
    problem = problem_of(genotype)
    genome = genotype.random(generator(5))
    expected = genotype.decode(genome, Streams(SEED).evaluate(1, b"a" * 16))
    assert problem.decode(genome, b"a" * 16, 1).same_records(expected)
    assert not problem.decode(genome, b"b" * 16, 1).same_records(expected)


@pytest.mark.parametrize("cls", [Swaps, OwnNumbers])
@pytest.mark.parametrize("draws", [1, 2, 5])
def test_a_score_is_the_mean_over_different_draws(cls, draws):
    genotype = swaps(cls, draws)
    problem = problem_of(genotype)
    genome = genotype.random(generator(6))
    key = genotype.key(genome)
    tables = [
        genotype.decode(genome, Streams(SEED).evaluate(draw, key if cls is OwnNumbers else None))
        for draw in range(draws)
    ]
    assert len({table.codes.tobytes() for table in tables}) == draws
    counts = Counts(genotype.microdata.original)
    values = [counts.score(table) for table in tables]
    assert draws == 1 or len(set(values)) > 1
    scores = judged(problem, genome).scores
    assert scores["changed"] == pytest.approx(sum(values) / draws, rel=1e-12)
    assert scores["il"] == scores["changed"]


def test_another_seed_decodes_otherwise():
    genotype = swaps()
    genome = genotype.random(generator(6))
    first = problem_of(genotype)
    second = type(first)(genotype, first.measures, first.aggregation, first.fitness, Streams(SEED + 1))
    assert not first.decode(genome, b"", 0).same_records(second.decode(genome, b"", 0))


class Failing(Fitted):
    """Fails in one of its methods, with a message that may hold a record."""

    def __init__(self, method):
        self.method = method

    def score(self, masked):
        if self.method == "score":
            raise ValueError("no such person: Ada")
        return 1.0

    def track(self, masked):
        return FailingTracker(self, masked)


class FailingTracker(Rescoring):
    def tries(self, changes):
        if self.fitted.method == "tries":
            raise ValueError("no such person: Ada")
        return super().tries(changes)


@pytest.mark.parametrize("method", ["score", "tries"])
def test_an_error_of_a_plugin_names_plugin_method_and_message(method):
    genotype = levels()
    measures = {"sound": Counts(genotype.microdata.original), "broken": Failing("")}
    problem = problem_of(genotype, measures)
    parent = evaluated(problem, (widths(genotype), 10))
    measures["broken"].method = method
    with pytest.raises(
        EvaluationError, match=f"measure broken: {method} raised ValueError: no such person: Ada"
    ) as told:
        judged(problem, (widths(genotype), 11), parent if method == "tries" else None)
    assert "Ada" not in told.value.public, "what is kept in files holds no record"


class Broken(Fitted):
    def __init__(self, value):
        self.value = value

    def score(self, masked):
        return self.value


class Endless(Fitness):
    def combine(self, scores):
        return (math.inf,)


class HalfEndless(Both):
    def combine(self, scores):
        return scores["il"], math.nan


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("broken", ["loss", "risk"])
def test_a_score_that_is_not_finite_names_its_measure(value, broken):
    genotype = levels()
    scores = {"loss": Broken(3.0), "risk": Broken(4.0)} | {broken: Broken(value)}
    problem = problem_of(genotype, scores)
    genome = (widths(genotype), 3)
    with pytest.raises(EvaluationError, match=rf"\b{broken}\b.*not finite") as caught:
        judged(problem, genome)
    assert ({"loss": "risk", "risk": "loss"}[broken]) not in str(caught.value)
    with pytest.raises(EvaluationError, match=broken):
        problem.score(genotype.microdata.original)


def test_a_score_that_the_fitness_does_not_need_must_be_finite_too():
    class Loss(Mean):
        def combine(self, scores):
            return (scores["loss"],)

    genotype = levels()
    problem = problem_of(genotype, {"loss": Broken(3.0), "risk": Broken(math.nan)}, Loss(Loss.Params()))
    genome = (widths(genotype), 3)
    with pytest.raises(EvaluationError, match="risk"):
        judged(problem, genome)


@pytest.mark.parametrize("fitness", [Endless, HalfEndless])
def test_objectives_that_are_not_finite_are_the_fitness_fault(fitness):
    genotype = levels()
    problem = problem_of(genotype, {"loss": Broken(3.0), "risk": Broken(4.0)}, fitness(fitness.Params()))
    genome = (widths(genotype), 3)
    with pytest.raises(EvaluationError, match="the fitness gave a value that is not finite"):
        judged(problem, genome)


def test_judge_adds_the_aggregates_and_combines_them():
    genotype = levels()
    original = genotype.microdata.original
    problem = problem_of(genotype, {"loss": Broken(10.0), "risk": Broken(30.0)}, Mean(Mean.Params()))
    scores, objectives = problem.score(original)
    assert scores == {"loss": 10.0, "risk": 30.0, "il": 10.0, "dr": 30.0}
    assert objectives == (20.0,)
    both = problem_of(genotype, {"changed": Followed(original), "risk": Broken(30.0)}, Both(Both.Params()))
    assert both.score(original)[1] == (0.0, 30.0)


class Secretive(Unfollowed):
    """Draws random numbers, and is not called Stochastic."""

    def decode(self, g, rng):
        return super().decode((g[0], int(rng.integers(10))), rng)


def test_a_genotype_that_draws_and_does_not_say_so_is_refused():
    genotype = levels(Secretive)
    genome = genotype.random(generator(1))
    with pytest.raises(PluginError, match="Secretive draws random numbers in decode"):
        problem_of(genotype).decode(genome, b"")
