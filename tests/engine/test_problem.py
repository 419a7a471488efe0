"""The evaluation of one genome: incremental where that pays and is right, and always the same figures."""

import math

import numpy as np
import pytest

from evosdc.errors import EvaluationError, PluginError
from evosdc.model import Fitness, Fitted
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


def asked(problem):
    return problem.measures["changed"].asked


def child_of(genotype, suppressed, parent=10, widths_of_child=None):
    """Return problem, parent with its states and child; the counts of calls begin at zero."""
    problem = problem_of(genotype)
    width = widths(genotype)
    relative = evaluated(problem, (width, parent))
    asked(problem).start = 0
    child = (width if widths_of_child is None else widths_of_child, suppressed)
    return problem, relative, child


def fresh_scores(genotype, child):
    return evaluated(problem_of(genotype), child).scores


@pytest.mark.parametrize("changed", [0, 1, 29, 30])
def test_a_child_with_few_changed_records_is_followed(changed):
    genotype = levels()
    problem, parent, child = child_of(genotype, 10 + changed)
    evaluation = problem.evaluate(child, genotype.key(child), parent)
    assert (asked(problem).start, asked(problem).update) == (0, 1)
    assert asked(problem).rows == [changed]
    assert evaluation.scores == fresh_scores(genotype, child)


def test_a_child_with_more_than_half_of_the_records_changed_is_started_anew():
    genotype = levels()
    problem, parent, child = child_of(genotype, 41)
    evaluation = problem.evaluate(child, genotype.key(child), parent)
    assert (asked(problem).start, asked(problem).update) == (1, 0)
    assert evaluation.scores == fresh_scores(genotype, child)


def test_a_child_all_of_whose_records_may_differ_is_started_anew():
    genotype = levels()
    other = genotype.random(generator(2))[0]
    assert (other != widths(genotype)).any()
    problem, parent, child = child_of(genotype, 11, widths_of_child=other)
    problem.evaluate(child, genotype.key(child), parent)
    assert (asked(problem).start, asked(problem).update) == (1, 0)


def test_a_relative_without_states_is_no_help():
    genotype = levels()
    problem, parent, child = child_of(genotype, 11)
    parent.states = ()
    problem.evaluate(child, genotype.key(child), parent)
    assert (asked(problem).start, asked(problem).update) == (1, 0)


def test_without_changed_rows_nothing_is_followed():
    genotype = levels(Unfollowed)
    problem, parent, child = child_of(genotype, 11)
    evaluation = problem.evaluate(child, genotype.key(child), parent)
    assert asked(problem).update == 0
    assert evaluation.scores == fresh_scores(genotype, child)
    assert not problem.incremental
    assert evaluation.states == (), "states that nobody can follow are not kept"


def test_a_chain_of_children_is_followed_to_the_last_bit():
    genotype = levels()
    problem = problem_of(genotype)
    rng = generator(3)
    current = evaluated(problem, (widths(genotype), 30))
    for _ in range(20):
        child = (current.genome[0], int(np.clip(current.genome[1] + rng.integers(-8, 9), 0, N)))
        scores, objectives, states = problem.evaluate(child, genotype.key(child), current)
        scratch = evaluated(problem_of(genotype), child)
        assert (scores, objectives) == (scratch.scores, scratch.objectives)
        current = type(current)(child, genotype.key(child), scores, objectives, "mutation", states)
    assert asked(problem).update == 20


def one_record_changed(genotype):
    parent = genotype.random(generator(4))
    child = parent.copy()
    child[7] = parent[(np.flatnonzero((parent != parent[7]).any(axis=1)))[0]]
    child.flags.writeable = False
    return parent, child


def test_every_draw_is_followed_from_its_own_state():
    genotype = levels(Speckled)
    parent, child = one_record_changed(genotype)
    problem = problem_of(genotype)
    relative = evaluated(problem, parent)
    asked(problem).start = 0
    evaluation = problem.evaluate(child, genotype.key(child), relative)
    assert (asked(problem).start, asked(problem).update) == (0, 3)
    assert evaluation.scores == fresh_scores(genotype, child)


def test_without_common_random_numbers_nothing_is_followed():
    genotype = levels(OwnSpeckles)
    parent, child = one_record_changed(genotype)
    assert len(genotype.changed_rows(parent, child)) == 1
    problem = problem_of(genotype)
    relative = evaluated(problem, parent)
    assert not problem.follows(child, relative)
    evaluation = problem.evaluate(child, genotype.key(child), relative)
    assert asked(problem).update == 0
    assert evaluation.scores == fresh_scores(genotype, child)


@pytest.mark.parametrize(("suppressed", "follows"), [(40, True), (41, False)])
def test_follows_says_what_evaluate_does(suppressed, follows):
    genotype = levels()
    problem, parent, child = child_of(genotype, suppressed)
    assert problem.follows(child, parent) is follows


def test_follows_is_never_true_without_an_incremental_measure():
    class Plain(Fitted):
        def score(self, masked):
            return 1.0

    genotype = levels()
    problem = problem_of(genotype, {"plain": Plain(), "plainer": Plain()})
    parent = evaluated(problem, (widths(genotype), 10))
    assert not problem.follows((widths(genotype), 11), parent)


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
    scores = problem.evaluate(genome, key).scores
    assert scores["changed"] == pytest.approx(sum(values) / draws, rel=1e-12)
    assert scores["il"] == scores["changed"]


def test_another_seed_decodes_otherwise():
    genotype = swaps()
    genome = genotype.random(generator(6))
    first = problem_of(genotype)
    second = type(first)(genotype, first.measures, first.aggregation, first.fitness, Streams(SEED + 1))
    assert not first.decode(genome, b"", 0).same_records(second.decode(genome, b"", 0))


def test_states_are_kept_by_draw_and_measure():
    genotype = levels(Speckled)
    problem = problem_of(genotype)
    states = evaluated(problem, genotype.random(generator(7))).states
    assert [len(of_draw) for of_draw in states] == [2, 2, 2]
    masks = [of_draw[0] for of_draw in states]
    assert not np.array_equal(masks[0], masks[1])
    assert [isinstance(of_draw[1], tuple) for of_draw in states] == [True] * 3


class Read(Followed):
    """What another measure's state tells already."""

    def read_from(self, other):
        return self.value if isinstance(other, Followed) else None


def test_a_score_that_another_state_tells_is_not_followed():
    genotype = levels()
    original = genotype.microdata.original
    measures = {"first": Read(original), "second": Read(original), "changed": Followed(original)}
    problem = problem_of(genotype, measures)
    known = problem.evaluate(genome := genotype.random(generator(7)), genotype.key(genome))
    assert known.scores["first"] == known.scores["second"] == known.scores["changed"] > 0
    assert [measure.asked.start for measure in measures.values()] == [0, 1, 1]
    assert [len(of_draw) for of_draw in known.states] == [2]


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
        problem.evaluate(genome, genotype.key(genome))
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
        problem.evaluate(genome, genotype.key(genome))


@pytest.mark.parametrize("fitness", [Endless, HalfEndless])
def test_objectives_that_are_not_finite_are_the_fitness_fault(fitness):
    genotype = levels()
    problem = problem_of(genotype, {"loss": Broken(3.0), "risk": Broken(4.0)}, fitness(fitness.Params()))
    genome = (widths(genotype), 3)
    with pytest.raises(EvaluationError, match="the fitness gave a value that is not finite"):
        problem.evaluate(genome, genotype.key(genome))


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
    """Draws random numbers, and is not called Randomised."""

    def decode(self, g, rng):
        return super().decode((g[0], int(rng.integers(10))), rng)


def test_a_genotype_that_draws_and_does_not_say_so_is_refused():
    genotype = levels(Secretive)
    genome = genotype.random(generator(1))
    with pytest.raises(PluginError, match="Secretive draws random numbers in decode"):
        problem_of(genotype).decode(genome, b"")
