"""Children that are judged together have the scores that each has by itself and from scratch, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evosdc.engine import travelling
from evosdc.engine.evaluation import Evaluator
from evosdc.engine.failures import RAISE, ErrorRule, failures_in
from evosdc.engine.problem import FEW, Problem
from evosdc.errors import EvaluationError
from evosdc.model import Individual, Offspring
from evosdc.time_limit import DeadlineOver, check_time, time_limited
from tests.engine.test_travelling import ALL, problem_of

SIX = {"il": ("ctbil", "dbil", "ebil"), "dr": ("id", "dbrl", "prl")}
SOME = {"il": ("ctbil", "dbil", "ebil", "ctbil-across"), "dr": ("id", "dbrl", "prl")}
DEFAULT = {
    "il": ("ctbil", "ctbil-across"),
    "dr": ("dbrl", "prl", "informed-linkage", "ranked-linkage"),
    "other": ("worst-relabelling",),
}
"""Those of ``evosdc protect``: one is read from another one's states."""
WAYS = {
    "default": {"measures": DEFAULT, "constraints": ("worst-relabelling <= 3",)},
    "six": {"measures": SIX},
    "many": {"measures": ALL, "constraints": ("k-anonymity >= 2", "dbil of degree <= 40")},
    "two attributes": {"protect": ("degree", "grade1"), "measures": SOME},
    "four attributes": {"protect": ("built", "degree", "grade1", "metro"), "measures": SIX},
}


@pytest.fixture(scope="module")
def problems():
    made = {}
    for name, ways in WAYS.items():
        made[name] = problem_of(**ways)
        assert made[name].together
        assert made[name]._travellers is None
    patch = pytest.MonkeyPatch()
    patch.setattr(travelling, "LEAST_CELLS", 1)
    made["travelling"] = problem_of(measures=SOME)
    patch.undo()
    assert made["travelling"].together
    assert made["travelling"]._travellers is not None
    return made


def evaluated(problem, genome, states=True):
    key = problem.genotype.key(genome)
    known = problem.evaluate(genome, key)
    return Individual(genome, key, known.scores, known.objectives, "start", known.states if states else ())


def children_of(problem, parent, other, rng, count):
    """Return children of all kinds: moved, mutated, crossed, equal to the parent, and equal to each other."""
    genotype, children = problem.genotype, [parent]
    kinds = (*genotype.moves, *genotype.class_moves)
    for place in range(count):
        child = parent
        for _ in range(1 + 3 * (place % 2)):
            child = genotype.move(child, kinds[int(rng.integers(len(kinds)))], rng)
        children.append(child)
    return [*children, *genotype.crossover(parent, other, rng), genotype.mutate(parent, rng), children[-1]]


@pytest.mark.parametrize("name", [*WAYS, "travelling"])
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32), count=st.integers(0, 12))
def test_together_is_one_by_one_is_from_scratch(problems, name, seed, count):
    problem, rng = problems[name], np.random.default_rng(seed)
    genotype = problem.genotype
    parent, other = genotype.seeded(genotype.microdata.original), genotype.random(rng)
    for _ in range(int(rng.integers(100))):
        parent = genotype.mutate(parent, rng)
    for _ in range(2):
        related = evaluated(problem, parent)
        children = children_of(problem, parent, other, rng, count)
        found = problem.evaluate_children(related, children)
        for child, evaluation in zip(children, found, strict=True):
            alone = problem.evaluate(child, genotype.key(child), related)
            scores, objectives = problem.score(problem.decode(child, genotype.key(child)))
            assert alone.objectives == objectives
            assert {name: alone.scores[name] for name in scores} == scores
            if evaluation is not None:
                assert (evaluation.scores, evaluation.objectives) == (alone.scores, alone.objectives)
                assert list(evaluation.scores) == list(alone.scores)
        assert sum(evaluation is None for evaluation in found) <= 2, "only what was crossed may differ too much"
        parent = children[-2]


@pytest.mark.parametrize("name", [*WAYS, "travelling"])
def test_burdens_by_states_are_those_of_the_table(problems, name):
    problem = problems[name]
    genotype, rng = problem.genotype, np.random.default_rng(4)
    parent = evaluated(problem, genotype.random(rng))
    evaluator = Evaluator(problem)
    for _ in range(3):
        masked = genotype.decode(parent.genome, rng)
        wanted = [b for fitted in problem.measures.values() if (b := fitted.burdens(masked)) is not None]
        found = problem.burdens(parent)
        assert len(found) == len(wanted) > 0
        assert all(np.array_equal(*pair) for pair in zip(found, wanted, strict=True))
        parent = evaluator.evaluate(offspring_of(problem, parent))[-1]


@pytest.mark.parametrize("name", ["six", "default"])
def test_children_need_no_tables_where_all_measures_judge_them_together(problems, name, monkeypatch):
    problem = problems[name]
    parent = evaluated(problem, problem.genotype.random(np.random.default_rng(1)))
    children = [child.genome for child in offspring_of(problem, parent)]
    monkeypatch.setattr(type(problem.genotype), "decode", None)
    assert all(problem.evaluate_children(parent, children))


def offspring_of(problem, parent, count=9):
    rng, genotype = np.random.default_rng(3), problem.genotype
    genomes = [genotype.mutate(parent.genome, rng) for _ in range(count)]
    return [Offspring(genome, "mutation", (0,), parent) for genome in genomes]


def test_states_are_made_of_those_that_have_children(problems):
    problem = problems["six"]
    parent = evaluated(problem, problem.genotype.random(np.random.default_rng(1)))
    evaluator = Evaluator(problem)
    children = evaluator.evaluate(offspring_of(problem, parent))
    assert all(child.states == () and child.basis is parent for child in children)
    evaluator.evaluate(offspring_of(problem, children[4]))
    assert children[4].states
    assert children[4].basis is None, "a chain of ancestors would be kept"
    whole = problem.evaluate(children[4].genome, children[4].key)
    for (_, fitted), state, fresh in zip(problem._roads.followed, children[4].states[0], whole.states[0], strict=True):
        assert fitted.value(state) == fitted.value(fresh)


@pytest.mark.parametrize("count", [1, FEW - 1, FEW])
def test_few_children_are_evaluated_one_by_one(problems, count):
    problem = problems["six"]
    parent = evaluated(problem, problem.genotype.random(np.random.default_rng(1)))
    evaluator = Evaluator(problem)
    (middle, *_) = evaluator.evaluate(offspring_of(problem, parent))
    assert middle.basis is parent
    children = evaluator.evaluate(offspring_of(problem, middle, count))
    assert middle.states
    assert middle.basis is None, "its states are made from its parent's"
    assert all(bool(child.states) == (count < FEW) for child in children)
    assert all((child.basis is middle) == (count >= FEW) for child in children)
    for child in children:
        assert child.objectives == problem.evaluate(child.genome, child.key).objectives


@pytest.mark.parametrize("rule", [RAISE, ErrorRule("penalise")])
def test_a_time_that_is_over_ends_what_judges_children_together(problems, rule, monkeypatch):
    problem = problems["six"]
    parent = evaluated(problem, problem.genotype.random(np.random.default_rng(1)))
    asked = offspring_of(problem, parent)

    def endless(*given):
        while True:
            check_time()

    monkeypatch.setattr(Problem, "evaluate_children", endless)
    monkeypatch.setattr(Problem, "evaluate", None)
    with pytest.raises(DeadlineOver), time_limited(0.1, DeadlineOver):
        Evaluator(problem, rule=rule).evaluate(asked)


def test_where_tables_travel_no_ancestors_are_kept(problems):
    problem = problems["travelling"]
    parent = evaluated(problem, problem.genotype.random(np.random.default_rng(1)))
    (child,) = Evaluator(problem).evaluate(offspring_of(problem, parent, 1))
    assert problem.worth_joining(1), "a table need not go there and back"
    assert child.states == parent.states == ()
    assert child.basis is None


def test_states_that_nobody_knows_are_made_from_scratch(problems):
    problem = problems["six"]
    parent = evaluated(problem, problem.genotype.random(np.random.default_rng(1)), states=False)
    asked = offspring_of(problem, parent)
    found = Evaluator(problem).evaluate(asked)
    assert parent.states
    for child, item in zip(found, asked, strict=True):
        assert child.objectives == problem.evaluate(item.genome, child.key).objectives


@pytest.fixture
def broken(problems, monkeypatch):
    """A problem with a measure that fails for one of the children that are asked for, together or alone."""
    problem = problems["six"]
    parent = evaluated(problem, problem.genotype.random(np.random.default_rng(1)))
    asked = offspring_of(problem, parent)
    codes = problem.decode(asked[4].genome, b"").codes
    (fitted,) = (fitted for name, fitted in problem._roads.followed if name == "dbil")
    values, update, start = type(fitted).values, type(fitted).update, type(fitted).start

    def refused(self, masked):
        if np.array_equal(masked.codes, codes):
            raise EvaluationError("this one")

    def together(self, state, changes):
        raise EvaluationError("one of them")

    monkeypatch.setattr(type(fitted), "values", together)
    monkeypatch.setattr(type(fitted), "update", lambda self, *given: refused(self, given[1]) or update(self, *given))
    monkeypatch.setattr(type(fitted), "start", lambda self, masked: refused(self, masked) or start(self, masked))
    yield problem, asked
    assert values is not together


def test_a_failure_is_that_of_one_child(broken):
    problem, asked = broken
    found = Evaluator(problem, rule=ErrorRule("penalise")).evaluate(asked)
    assert [child.failed for child in found] == [place == 4 for place in range(len(asked))]
    with pytest.raises(EvaluationError, match="this one"):
        Evaluator(problem, rule=RAISE).evaluate(asked)


def test_what_cannot_be_judged_is_told_where_it_is_evaluated_alone(problems, monkeypatch):
    problem = problems["six"]
    parent = evaluated(problem, problem.genotype.random(np.random.default_rng(1)))
    asked = offspring_of(problem, parent)
    judge, bad = type(problem).judge, asked[2].genome

    def judged(self, scores, genome=None, margins=None):
        return judge(self, {**scores, "dbil": float("nan")} if genome is bad else scores, genome, margins)

    monkeypatch.setattr(type(problem), "judge", judged)
    found = Evaluator(problem, rule=ErrorRule("penalise")).evaluate(asked)
    assert [child.failed for child in found] == [place == 2 for place in range(len(asked))]
    assert failures_in(found) == 1


def test_a_time_limit_is_that_of_one_child(problems, monkeypatch):
    problem = problems["six"]
    parent = evaluated(problem, problem.genotype.random(np.random.default_rng(1)))
    asked, many = offspring_of(problem, parent), []
    together = type(problem).evaluate_children
    monkeypatch.setattr(
        type(problem), "evaluate_children", lambda self, *given: many.append(given) or together(self, *given)
    )
    evaluator = Evaluator(problem, time_limit=60.0)
    plain = [child.objectives for child in Evaluator(problem).evaluate(asked)]
    assert len(many) == 1
    assert [child.objectives for child in evaluator.evaluate(asked)] == plain
    assert len(many) == 1, "nothing is known yet of what an evaluation takes"
    assert [child.objectives for child in evaluator.evaluate(offspring_of(problem, parent, 12))][:9] == plain
    assert len(many) == 2
    evaluator.time_limit = 1e-9
    with pytest.raises(EvaluationError, match="took longer"):
        evaluator.evaluate(offspring_of(problem, parent, 20))
    assert len(many) == 2, "all of them may take longer than one of them may"


def test_an_interrupted_family_leaves_no_altered_states(problems, monkeypatch):
    for name in ("six", "travelling"):
        problem = problems[name]
        parent = evaluated(problem, problem.genotype.random(np.random.default_rng(1)))
        genomes = [item.genome for item in offspring_of(problem, parent)]
        expected = [evaluation.objectives for evaluation in problem.evaluate_children(parent, genomes)]
        _, fitted = problem._roads.followed[1]

        def spoils(self, state, changes):
            state[1][:] = 0
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(type(fitted), "values", spoils)
            with pytest.raises(KeyboardInterrupt):
                problem.evaluate_children(parent, genomes)
        found = problem.evaluate_children(parent, genomes)
        assert [evaluation.objectives for evaluation in found] == expected
