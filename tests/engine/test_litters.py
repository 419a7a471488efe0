"""What is judged without being made has the scores of what is made, and leads a search the same way."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evosdc.engine import travelling
from evosdc.engine.archive import Archive
from evosdc.engine.deme_reports import report_generations
from evosdc.engine.evaluation import Evaluator
from evosdc.engine.failures import ErrorRule, failures_in
from evosdc.engine.generation import evolve_generations
from evosdc.engine.loop import first_state, search
from evosdc.engine.problem import Problem
from evosdc.engine.stop import Stop
from evosdc.errors import EvaluationError
from evosdc.experiment.build.assembly import assemble
from evosdc.experiment.config.experiment import Experiment
from evosdc.model import Individual, Litter, Siblings
from evosdc.model.brood import Brood, below, dominating, known_of, precedences, standings
from evosdc.plugins.registry import default_registry
from evosdc.secret import Streams
from tests.engine.test_families import DEFAULT, SIX, SOME, evaluated
from tests.engine.test_travelling import NUMBERS, numeric  # noqa: F401 -- a fixture

WAYS = {
    "six": {"measures": SIX},
    "default": {"measures": DEFAULT, "constraints": ("worst-relabelling <= 3", "il <= 30", "dbrl >= 1")},
    "attributes": {"measures": SOME, "constraints": ("il of degree <= 20", "dr of metro <= 10")},
    "front": {"measures": SIX, "fitness": "pareto"},
    "front of three": {"measures": SIX, "fitness": {"name": "pareto", "objectives": ("dbil", "prl", "id")}},
    "loss alone": {"measures": {"il": ("dbil", "ctbil")}, "fitness": "dbil"},
    "weighted": {"measures": SIX, "fitness": {"name": "weighted", "il": 2, "measures": {"prl": 1}}},
    "travelling": {"measures": SOME},
    "asks for tables": {"measures": SIX, "constraints": ("k-anonymity >= 2",)},
}


def assembly_of(way, **given):
    given = {
        "seed": 3,
        "data": {"name": "housing", "first": 120, "protect": ("degree", "grade1", "metro")},
        "start": {"methods": ({"method": "rank-swapping", "p": 5}, {"method": "rank-swapping", "p": 15})},
        "fitness": "max",
        "algorithm": {"name": "memetic", "probes": 20, "rounds": 3},
    } | (WAYS[way] | given)
    with pytest.MonkeyPatch.context() as patch:
        if way == "travelling":
            patch.setattr(travelling, "LEAST_CELLS", 1)
        return assemble(Experiment.model_validate(given), default_registry())


@pytest.fixture(scope="module")
def assemblies():
    return {way: assembly_of(way) for way in WAYS}


def litter_of(genotype, parent, rng, count=15):
    kinds = [genotype.moves[int(rng.integers(len(genotype.moves)))] for _ in range(count)]
    made = genotype.moved(parent.genome, kinds, [False] * count, None, rng)
    assert isinstance(made, Siblings)
    return Litter(made, kinds, 4, parent)


def figures(individual):
    return individual.key, list(individual.scores.items()), individual.objectives, individual.origin


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_a_brood_is_what_its_members_are(assemblies, way, seed):
    problem, rng = assemblies[way].problem, np.random.default_rng(seed)
    genotype = problem.genotype
    parent = evaluated(problem, genotype.random(rng), states=bool(seed % 2))
    for _ in range(2):
        litter = litter_of(genotype, parent, rng)
        brood = Evaluator(problem).evaluate(litter)
        assert isinstance(brood, Brood) == (way != "asks for tables")
        one_by_one = [Evaluator(problem).evaluate([item])[0] for item in litter]
        assert list(standings(brood)) == list(standings(one_by_one))
        assert precedences(brood) == precedences(one_by_one)
        for other in (parent, one_by_one[0], one_by_one[7]):
            assert dominating(brood, other) == dominating(one_by_one, other)
            assert below(brood, other.point) == below(one_by_one, other.point)
        assert [figures(one) for one in brood] == [figures(one) for one in one_by_one]
        assert failures_in(brood) == 0
        parent = brood[int(rng.integers(len(brood)))]


def test_members_are_made_when_they_are_asked_for(assemblies):
    problem = assemblies["six"].problem
    rng = np.random.default_rng(1)
    parent, evaluator = evaluated(problem, problem.genotype.random(rng)), Evaluator(problem)
    litter = litter_of(problem.genotype, parent, rng)
    brood = evaluator.evaluate(litter)
    assert known_of(brood) == litter.known == litter.genomes.known == []
    child = brood[5]
    assert brood[5] is child
    assert known_of(brood) == [child]
    assert child.basis is parent
    assert (child.alone.basis, child.alone.states) == (None, ())
    assert child in known_of(brood)
    assert child.alone.genome is child.genome, "made once"
    assert np.array_equal(child.genome, litter.genomes[5])
    # It is remembered by its key as all others are: what is proposed again is not evaluated again.
    assert child.key == problem.genotype.key(child.genome)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Problem, "evaluate", None)
        assert figures(evaluator.evaluate([litter[5]])[0]) == figures(child)


class Everything(Evaluator):
    """Makes every child before it is evaluated."""

    def evaluate(self, offspring):
        return super().evaluate(list(offspring))


def test_a_litter_is_added_to_as_a_list_is(assemblies):
    problem = assemblies["six"].problem
    rng = np.random.default_rng(1)
    parent = evaluated(problem, problem.genotype.random(rng))
    litter = litter_of(problem.genotype, parent, rng, 3)
    assert litter + litter[:1] == [*litter, litter[0]]
    assert litter[:1] + litter == [litter[0], *litter]
    with pytest.raises(ValueError, match="3 genomes, and operators of 2"):
        Litter(litter.genomes, ["value"] * 2, 0, parent)


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64])
def test_measures_may_use_their_arrays_again(assemblies, monkeypatch, kind):
    problem = assemblies["six"].problem
    rng = np.random.default_rng(1)
    parent = evaluated(problem, problem.genotype.random(rng))
    _, fitted = problem._roads.followed[0]
    own, held = type(fitted).values, np.zeros(50, dtype=kind)

    def reused(self, state, changes):
        found = held[: len(changes.ends)]
        found[:] = own(self, state, changes)
        return found

    monkeypatch.setattr(type(fitted), "values", reused)
    evaluator = Evaluator(problem)
    litter = litter_of(problem.genotype, parent, rng)
    brood = evaluator.evaluate(litter)
    evaluator.evaluate(litter_of(problem.genotype, parent, rng))
    assert isinstance(brood, Brood)
    assert [figures(one) for one in brood] == [figures(one) for one in Everything(problem).evaluate(litter)]
    assert all(type(score) is float for one in brood for score in one.scores.values())


def test_whole_numbers_are_scores_as_others_are(assemblies):
    problem = assemblies["six"].problem
    whole, plain = (dict.fromkeys(problem.measures, kind(7)) for kind in (int, float))
    scores, objectives = problem.judge(whole)
    assert (scores, objectives) == problem.judge(plain)
    assert all(type(value) is float for value in (*scores.values(), *objectives))


ALGORITHMS = ({"name": "memetic", "probes": 20, "rounds": 3}, {"name": "hill-climbing", "patience": 30})


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda given: given["name"])
@pytest.mark.parametrize("way", WAYS)
def test_searches_are_the_same(way, algorithm):
    found, broods = [], 0
    for kind in (Evaluator, Everything):
        assembly, lines = assembly_of(way, algorithm=algorithm), []
        problem, evaluator = assembly.problem, kind(assembly.problem)
        start = [evaluated(problem, problem.genotype.random(np.random.default_rng(i)), False) for i in range(4)]
        stop = Stop(generations=40)
        state, _ = search(
            assembly.algorithm, evaluator, Streams(5), stop, first_state(assembly.algorithm, start),
            lambda _, record, lines=lines: lines.append({k: v for k, v in record.items() if k != "seconds"}),
        )  # fmt: skip
        history = list(evolve_generations(assembly.algorithm, kind(problem), Streams(6), state.population, 8))
        broods += sum(isinstance(generation.evaluated, Brood) for generation in history)
        reports = report_generations(state.population, iter(history), problem.genotype)
        told = [
            [(one.key, one.scores, one.objectives, one.origin) for one in report.told] for report in reports.generations
        ]
        slots = [(report.made, report.failed, report.slots) for report in reports.generations]
        members = [figures(one) for one in (*state.population.individuals, *state.front, state.best)]
        found.append((lines, members, state.passed, told, slots))
    assert found[0] == found[1]
    assert (broods > 0) == (way != "asks for tables")


def test_what_goes_wrong_with_one_is_its_own(assemblies, monkeypatch):
    problem = assemblies["six"].problem
    rng = np.random.default_rng(1)
    parent = evaluated(problem, problem.genotype.random(rng))
    litter = litter_of(problem.genotype, parent, rng)
    wanted = [figures(one) for one in Evaluator(problem).evaluate(litter)]
    aggregation = type(problem.aggregation)
    columns, single = aggregation.combine_columns, aggregation.combine
    worst = max(figures[1][1][1] for figures in wanted)

    def broken(self, scores, combine):
        found = combine(self, scores)
        found["dr"] = np.where(np.asarray(found["dbil"]) == worst, np.nan, found["dr"])
        return found if np.ndim(found["dr"]) else found | {"dr": float(found["dr"])}

    monkeypatch.setattr(aggregation, "combine_columns", lambda self, scores: broken(self, scores, columns))
    monkeypatch.setattr(aggregation, "combine", lambda self, scores: broken(self, scores, single))
    with pytest.raises(EvaluationError, match="dr gave a value that is not finite"):
        Evaluator(problem).evaluate(litter)
    found = Evaluator(problem, rule=ErrorRule("penalise")).evaluate(litter)
    failed = [child.failed for child in found]
    assert Counter(failed)[True] == failures_in(found) > 0
    assert failed == [dict(one[1])["dbil"] == worst for one in wanted]
    assert [figures(child) for child in found if not child.failed] == [
        one for one, wrong in zip(wanted, failed, strict=True) if not wrong
    ]


def test_a_measure_that_raises_about_all_is_asked_about_each(assemblies, monkeypatch):
    problem = assemblies["six"].problem
    rng = np.random.default_rng(1)
    parent = evaluated(problem, problem.genotype.random(rng))
    litter = litter_of(problem.genotype, parent, rng)
    wanted = [figures(one) for one in Evaluator(problem).evaluate(litter)]

    def raises(self, parent, genomes):
        raise ValueError("of all")

    monkeypatch.setattr(Problem, "judge_litter", raises)
    found = Evaluator(problem).evaluate(litter)
    assert not isinstance(found, Brood)
    assert [figures(one) for one in found] == wanted


def test_a_time_limit_is_that_of_one_of_them(assemblies, monkeypatch):
    problem = assemblies["six"].problem
    rng = np.random.default_rng(1)
    parent = evaluated(problem, problem.genotype.random(rng))
    evaluator = Evaluator(problem, time_limit=60.0)
    assert not isinstance(evaluator.evaluate(litter_of(problem.genotype, parent, rng)), Brood), "nothing is known yet"
    assert isinstance(evaluator.evaluate(litter_of(problem.genotype, parent, rng)), Brood)
    evaluator.time_limit = 1e-9
    with pytest.raises(EvaluationError, match="took longer"):
        evaluator.evaluate(litter_of(problem.genotype, parent, rng))


def test_numbers_are_judged_without_being_made(numeric):  # noqa: F811
    given = {"data": numeric, "measures": NUMBERS, "algorithm": {"name": "hill-climbing"}}
    problem = assembly_of("six", **given).problem
    rng = np.random.default_rng(2)
    parent = evaluated(problem, problem.genotype.random(rng))
    litter = litter_of(problem.genotype, parent, rng)
    brood = Evaluator(problem).evaluate(litter)
    assert [figures(one) for one in brood] == [figures(Evaluator(problem).evaluate([item])[0]) for item in litter]


def test_an_interrupted_litter_leaves_no_altered_states(assemblies, monkeypatch):
    for way in ("six", "travelling"):
        problem = assemblies[way].problem
        rng = np.random.default_rng(1)
        parent = evaluated(problem, problem.genotype.random(rng))
        litter = litter_of(problem.genotype, parent, rng)
        wanted = [figures(one) for one in Evaluator(problem).evaluate(litter)]
        _, fitted = problem._roads.followed[1]

        def spoils(self, state, changes):
            state[1][:] = 0
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(type(fitted), "values", spoils)
            with pytest.raises(KeyboardInterrupt):
                Evaluator(problem).evaluate(litter)
        assert [figures(one) for one in Evaluator(problem).evaluate(litter)] == wanted


points = st.lists(st.tuples(st.sampled_from([0.0, 0.5]), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=30)


def individual(infeasibility, il, dr, several):
    scores = {"il": float(il), "dr": float(dr), "infeasibility": infeasibility}
    objectives = (scores["il"], scores["dr"]) if several else (max(scores["il"], scores["dr"]),)
    return Individual(None, b"", scores, objectives, "")


@given(points, points, st.booleans())
def test_a_front_takes_in_a_brood_as_its_members(before, given, several):
    members = [individual(*point, several) for point in given]
    scores = {name: np.array([one.scores[name] for one in members]) for name in members[0].scores}
    objectives = [np.array(column) for column in zip(*(one.objectives for one in members), strict=True)]
    brood = Brood(scores, objectives, lambda place, *_: members[place])
    fronts = [Archive([individual(*point, several) for point in before]) for _ in range(2)]
    entered = fronts[0].update(brood)
    assert entered == [place for place, _ in brood.known], "who does not enter is not made"
    assert entered == fronts[1].update(members)
    assert [one.point for one in fronts[0].individuals] == [one.point for one in fronts[1].individuals]
    assert fronts[0].hypervolume == fronts[1].hypervolume
