"""Which changes that were tried one by one are put together, and which file is the best of those tried."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from deap import base
from hypothesis import given
from hypothesis import strategies as st

from evosdc.algorithms.combination import best_of_siblings, promising, worth_keeping
from evosdc.model import Fitness, Individual, Siblings
from evosdc.model.individual import INFEASIBILITY, Values
from evosdc_measures.fitness import Max, Mean, Pareto

GREATER = Max(Max.Params())


def scored(il: float, dr: float, fitness: Fitness = GREATER, **others: float) -> Individual:
    scores = {"il": il, "dr": dr, **others}
    return Individual(None, repr(scores).encode(), scores, fitness.combine(scores), "probe")


def siblings(climber: Individual, children: list[Individual]) -> Siblings:
    """Return these children by the column."""
    batch = Siblings(climber, [one.origin for one in children], children.__getitem__, lambda genome: b"")
    names = climber.scores
    batch.judged(
        {name: np.array([one.scores[name] for one in children]) for name in names},
        list(np.array([one.objectives for one in children]).T),
    )
    return batch


def sets_of(climber, children, fitness=GREATER, most=20, seed=0):
    batch = siblings(climber, children)
    useful = worth_keeping(batch, climber)
    return promising(climber, batch, useful, fitness, most, np.random.default_rng(seed))


def test_a_change_of_the_loss_and_one_of_the_risk_come_together_where_neither_helps_alone() -> None:
    # The first change must already be better: the loss is the greater one here.
    climber = scored(30.2, 30.0)
    lower_loss, lower_risk, useless = scored(29.0, 30.1), scored(30.1, 29.0), scored(31.0, 31.0)
    sets = sets_of(climber, [lower_loss, useless, lower_risk])
    assert {frozenset(chosen) for chosen in sets} == {frozenset({0, 2})}


def test_what_a_fitness_raises_about_an_estimate_is_no_fault_of_any_file() -> None:
    class Strict(Max):
        def combine(self, scores):
            if scores["il"] < 28.5:
                raise ValueError("no such loss")
            return super().combine(scores)

    children = [scored(29.0, 30.1), scored(30.1, 29.0), scored(28.0, 30.1)]
    sets = sets_of(scored(30.2, 30.0), children, Strict(Max.Params()))
    assert {frozenset(chosen) for chosen in sets} == {frozenset({0, 1})}


def near(climber: Individual, count: int, seed: int, **others: float) -> list[Individual]:
    """Return files whose scores differ from the climber's by chance, often by the same."""
    deltas = np.random.default_rng(seed).normal(0, 0.3, (count, len(climber.scores))).round(1)
    return [
        scored(**{name: value + delta for (name, value), delta in zip(climber.scores.items(), row, strict=True)})
        for row in deltas.tolist()
    ]


def test_no_set_is_predicted_to_be_worse_than_the_climber() -> None:
    climber = scored(30.0, 31.0)
    children = near(climber, 40, 1)
    sets = sets_of(climber, children, most=5)
    assert 0 < len(sets) <= 5
    for chosen in sets:
        il = 30.0 + sum(children[i].scores["il"] - 30.0 for i in chosen)
        dr = 31.0 + sum(children[i].scores["dr"] - 31.0 for i in chosen)
        assert max(il, dr) < 31.0


def test_scores_that_a_fitness_does_not_read_decide_nothing() -> None:
    climber = scored(30.0, 31.0, other=1.0)
    children = near(climber, 40, 2)
    everything = SimpleNamespace(combine=GREATER.combine, reads=None)
    assert sets_of(climber, children) == sets_of(climber, children, everything) != []


@given(st.sampled_from([GREATER, Mean(Mean.Params()), Pareto(Pareto.Params())]), st.integers(0, 99), st.booleans())
def test_the_best_is_who_was_better_than_those_before(fitness, seed, bounded) -> None:
    rng = np.random.default_rng(seed)
    broken = {INFEASIBILITY: 0.1} if bounded else {}
    climber = scored(30.0, 30.0, fitness, **broken)
    children = []
    for il, dr in rng.normal(30.0, 0.3, (20, 2)).round(1).tolist():
        broken = {INFEASIBILITY: float(rng.choice([0.0, 0.1, 0.2]))} if bounded else {}
        children.append(scored(il, dr, fitness, **broken))
    best = climber
    for child in children:
        best = child if child.dominates(best) else best
    found = best_of_siblings(
        climber, [siblings(climber, children[:9]), siblings(climber, children[9:])], base.Toolbox()
    )
    assert found.objectives == best.objectives
    assert found.infeasibility == best.infeasibility
    assert (found is climber) == (best is climber)


def test_nothing_is_the_best_of_no_siblings() -> None:
    climber = scored(30.0, 30.0)
    assert best_of_siblings(climber, [], base.Toolbox()) is climber
    assert best_of_siblings(climber, [siblings(climber, [scored(31.0, 31.0)])], base.Toolbox()) is climber


@pytest.mark.parametrize(("il", "dr", "kept"), [(29.0, 35.0, True), (35.0, 29.0, True), (31.0, 30.0, False)])
def test_a_change_is_worth_keeping_that_is_better_in_one_of_the_two(il, dr, kept) -> None:
    climber = scored(30.0, 30.0)
    assert worth_keeping(siblings(climber, [scored(il, dr)]), climber).tolist() == [0] * kept


def test_children_that_are_estimated_are_evaluated_before_one_is_kept() -> None:
    climber, asked = scored(30.0, 30.0), []
    batch = siblings(climber, [scored(float(il), 20.0) for il in (28, 25, 26, 31, 27)])
    batch.estimated = True

    def evaluate(child):
        asked.append(child.genome)
        return Values((40.0 if len(asked) < 2 else 29.0,), {"il": 29.0, "dr": 20.0})

    toolbox = base.Toolbox()
    toolbox.register("evaluate", evaluate)
    best = best_of_siblings(climber, [batch], toolbox)
    assert (asked, best.objectives) == ([batch.genome(1), batch.genome(2)], (29.0,))
    toolbox.register("evaluate", lambda child: Values((31.0,), {"il": 31.0, "dr": 20.0}))
    assert best_of_siblings(climber, [batch], toolbox) is climber
