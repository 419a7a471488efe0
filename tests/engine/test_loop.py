"""The loop of generations: what is counted, what stalls, and how it ends."""

from itertools import pairwise

import numpy as np
import pytest
from deap import base

from evosdc.engine.evaluation import Evaluator
from evosdc.engine.loop import SearchState, first_state, search
from evosdc.engine.stop import Progress, Stop
from evosdc.errors import EvaluationError
from evosdc.model import Algorithm, Individual, Population
from evosdc.secret import Streams
from tests.engine.individuals import all_evaluated, individual
from tests.engine.problems import SEED, Decoded, levels, problem_of


class Scripted(Algorithm):
    """Evaluates what is written down, generation by generation; the newest ones are the next population."""

    def __init__(self, script):
        super().__init__(None, base.Toolbox())
        self.script = script

    def step(self, population):
        if population.generation >= len(self.script):
            return population
        newest = self.script[population.generation]
        for one, values in zip(newest, self.toolbox.map(self.toolbox.evaluate, newest), strict=True):
            if values is not one:
                one.fitness.values = values
        return population.following(newest, {"at": np.array(population.generation)})


class Reading:
    """Evaluates by reading: those asked about are evaluated already."""

    def attach(self, toolbox):
        toolbox.register("evaluate", self.evaluate)
        toolbox.register("map", self.map)

    def evaluate(self, individual):
        return individual

    def map(self, function, individuals):
        self.evaluated.append(list(individuals))
        return individuals


def person(*objectives, il, dr):
    return individual(*objectives, il=float(il), dr=float(dr), key=f"{objectives} {il} {dr}")


def run(script, start, stop=None, state=None, evaluator=None):
    """Return the final state, the reason, and what was observed."""
    seen = []
    algorithm = Scripted(script)
    state = state or first_state(algorithm, start)
    final, reason = search(
        algorithm,
        evaluator or Reading(),
        Streams(SEED),
        stop or Stop(),
        state,
        lambda state, record: seen.append((state, record)),
    )
    return final, reason, seen


def stalls(script, start):
    return [state.progress.stalled for state, _ in run(script, start)[2]]


def test_with_one_objective_the_best_counts():
    start = [person(10.0, il=10, dr=10)]
    script = [
        [person(10.0, il=5, dr=15)],  # the front grows, the best does not change
        [person(10.0, il=15, dr=5)],
        [person(9.0, il=9, dr=9)],  # better
        [person(9.0, il=2, dr=16)],  # an equal is no improvement
        [person(8.5, il=8, dr=9), person(20.0, il=20, dr=20)],
    ]
    assert stalls(script, start) == [0, 1, 2, 0, 1, 0]


def test_with_several_objectives_the_front_counts():
    start = [person(5.0, 5.0, il=5, dr=5)]
    script = [
        [person(6.0, 4.0, il=6, dr=4)],  # the front grows, though the first objective is worse
        [person(7.0, 7.0, il=7, dr=7)],  # dominated
        [person(6.0, 4.0, il=6, dr=4)],  # an equal
        [person(8.0, 1.0, il=8, dr=1)],
        [person(1.0, 9.0, il=1, dr=9), person(9.0, 9.0, il=9, dr=9)],
    ]
    assert stalls(script, start) == [0, 0, 1, 2, 0, 0]


def test_a_stall_ends_the_search():
    script = [[person(10.0, il=10, dr=10 + n)] for n in range(9)]
    final, reason, _ = run(script, [person(9.0, il=9, dr=9)], Stop(stalled=3))
    assert reason == "3 generations without improvement"
    assert final.progress.generation == 3


def test_the_best_ever_is_kept_though_the_population_loses_it():
    best = person(3.0, il=3, dr=3)
    script = [[best], [person(7.0, il=7, dr=7)], [person(3.0, il=1, dr=5)]]
    final, reason, seen = run(script, [person(9.0, il=9, dr=9)])
    assert reason == "the search is complete"
    assert final.best is best, "of equals the first"
    assert [state.progress.best for state, _ in seen] == [9.0, 3.0, 3.0, 3.0]
    assert best not in final.population
    assert [(i.scores["il"], i.scores["dr"]) for i in final.front] == [(1.0, 5.0), (3.0, 3.0)]


def test_an_algorithm_without_proposals_ends_the_search():
    start = [person(9.0, il=9, dr=9)]
    final, reason, seen = run([], start)
    assert reason == "the search is complete"
    assert len(seen) == 1
    assert final is seen[0][0]
    assert final.population == start


def test_every_generation_is_observed_once_in_order():
    script = [[person(float(n), il=n, dr=n)] * 2 for n in range(5)]
    final, _, seen = run(script, [person(9.0, il=9, dr=9)])
    assert [record["generation"] for _, record in seen] == [0, 1, 2, 3, 4, 5]
    assert [record["evaluations"] for _, record in seen] == [1, 3, 5, 7, 9, 11]
    assert [state.population.generation for state, _ in seen] == [state.progress.generation for state, _ in seen]
    assert [record["operators"] for _, record in seen] == [{}] + [{"random": {"made": 2, "kept": 2}}] * 5
    assert final.population.memory["at"] == 4
    assert all(b.progress.seconds >= a.progress.seconds for (a, _), (b, _) in pairwise(seen))


def test_evaluations_count_duplicates_and_what_is_known():
    genotype = levels(Decoded)
    width = genotype.random(np.random.default_rng(1))[0]
    a, b = (width, 1), (width, 2)
    problem = problem_of(genotype)
    start = all_evaluated(Evaluator(problem), [Individual.unevaluated(a, "start")])
    genotype.decoded.clear()
    script = [[Individual.unevaluated(genome, "script") for genome in one] for one in ([a, a, b], [b, b], [a])]
    evaluator = Evaluator(problem)
    final, reason, seen = run(script, start, Stop(evaluations=6), evaluator=evaluator)
    assert [state.progress.evaluations for state, _ in seen] == [1, 4, 6]
    assert reason == "6 evaluations"
    assert final.progress.generation == 2
    assert sorted(genotype.decoded) == sorted([genotype.key(a), genotype.key(b)])


@pytest.mark.parametrize("stop", [Stop(generations=0), Stop(target=9.0), Stop(evaluations=1)])
def test_a_limit_that_is_reached_at_once_leaves_the_start(stop):
    final, _, seen = run([[person(1.0, il=1, dr=1)]], [person(9.0, il=9, dr=9)], stop)
    assert (final.progress.generation, len(seen)) == (0, 1)


def resumed(seconds, generation=4):
    best = person(9.0, il=9, dr=9)
    progress = Progress(generation, 40, seconds, 2, 9.0)
    return SearchState(Population([best], generation), best, (best,), progress)


SCRIPT = [[person(9.5, il=9, dr=10)]] * 2000


def test_a_resumed_search_goes_on_counting():
    final, _, seen = run(SCRIPT, [], Stop(generations=7), resumed(100.0))
    assert [record["generation"] for _, record in seen] == [5, 6, 7]
    assert [record["evaluations"] for _, record in seen] == [41, 42, 43]
    assert [record["stalled"] for _, record in seen] == [3, 4, 5]
    assert all(100.0 <= record["seconds"] < 199.0 for _, record in seen)
    assert 100.0 < final.progress.seconds < 199.0
    assert final.best.objectives == (9.0,)


def test_a_resumed_search_at_its_beginning_is_observed_from_there():
    seen = run(SCRIPT, [], Stop(generations=1), resumed(1.0, generation=0))[2]
    assert [record["generation"] for _, record in seen] == [0, 1]


def test_seconds_of_before_count():
    final, reason, seen = run(SCRIPT, [], Stop(seconds=99.0), resumed(100.0))
    assert (reason, seen, final.progress.generation) == ("99 seconds", [], 4)


def test_seconds_of_before_and_now_are_added(monkeypatch):
    now = [5000.0]

    def a_second_later():
        now[0] += 1.0
        return now[0]

    monkeypatch.setattr("evosdc.engine.loop.monotonic", a_second_later)
    _, reason, seen = run(SCRIPT, [], Stop(seconds=120.0), resumed(100.0))
    assert reason == "120 seconds"
    assert seen[0][0].progress.seconds < 105.0
    assert 115.0 < seen[-1][0].progress.seconds <= 121.0
    assert all(0.0 < b.progress.seconds - a.progress.seconds <= 5.0 for (a, _), (b, _) in pairwise(seen))


def test_seconds_of_whoever_observes_count(monkeypatch):
    now = [5000.0]
    monkeypatch.setattr("evosdc.engine.loop.monotonic", lambda: now[0])
    seen = []

    def observe(state, record):
        seen.append(record["generation"])
        now[0] += 60.0

    start = first_state(Scripted(SCRIPT), [person(9.0, il=9, dr=9)])
    _, reason = search(Scripted(SCRIPT), Reading(), Streams(SEED), Stop(seconds=100.0), start, observe)
    assert (reason, seen) == ("100 seconds", [0, 1])


def test_a_search_begins_with_the_best_and_the_front_of_all_candidates():
    class FirstTwo(Scripted):
        def first_population(self, candidates):
            return Population(candidates[:2])

    candidates = [person(9.0, il=9, dr=9), person(8.0, il=8, dr=8), person(3.0, il=1, dr=5), person(4.0, il=5, dr=3)]
    state = first_state(FirstTwo([]), candidates, 12.5)
    assert state.population == candidates[:2]
    assert state.best is candidates[2]
    assert state.front == (candidates[2], candidates[3])
    assert state.progress == Progress(0, 4, 12.5, 0, 3.0)


def test_nothing_to_begin_with_is_an_error():
    with pytest.raises(EvaluationError, match="no candidate"):
        first_state(Scripted([]), [])


def test_an_error_of_the_evaluation_passes_through_and_leaves_what_was_observed():
    class Failing(Reading):
        def map(self, function, individuals):
            if individuals[0].objectives == (2.0,):
                raise EvaluationError("measure share is broken")
            return super().map(function, individuals)

    seen: list[Individual] = []
    algorithm = Scripted([[person(3.0, il=3, dr=3)], [person(2.0, il=2, dr=2)]])
    with pytest.raises(EvaluationError, match="share"):
        search(
            algorithm,
            Failing(),
            Streams(SEED),
            Stop(),
            first_state(algorithm, [person(9.0, il=9, dr=9)]),
            lambda state, record: seen.append(state.best),
        )
    assert [best.objectives for best in seen] == [(9.0,), (3.0,)]
