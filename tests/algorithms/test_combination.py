"""Which changes are put together: in compiled code as by the fitness itself, of broods as of individuals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.algorithms.combination import best_after, promising, worth_keeping
from evosdc.model import Fitness, Individual
from evosdc.model.brood import Brood, Broods
from evosdc.model.fitness import SingleMeasure
from evosdc.model.individual import INFEASIBILITY
from evosdc.model.picked import Picked, picked_behind, scores_of, split, with_picked
from evosdc_measures.fitness import Max, Mean, Pareto, Weighted

FITNESSES = (
    Max(Max.Params()),
    Mean(Mean.Params()),
    Weighted(Weighted.Params(il=2, measures={"prl": 1, "dbil": 0.3})),
    SingleMeasure("prl"),
)


def asking(fitness: Fitness) -> Fitness:
    """Return a fitness that is asked about every set of scores."""

    class Asked(type(fitness)):  # type: ignore[misc]
        def combine(self, scores):
            return fitness.combine(scores)

    asked = object.__new__(Asked)
    asked.__dict__ |= fitness.__dict__
    assert asked.sums is None
    return asked


def family(fitness: Fitness, seed: int, count: int, bounded: bool) -> tuple[Individual, list[Individual], Brood]:
    """Return a parent, children near it, and these as a brood; scores are often equal."""
    rng = np.random.default_rng(seed)
    names = ["dbil", "dr", "il", "prl"] + [INFEASIBILITY] * bounded
    columns = {name: np.round(30.0 + rng.normal(0, 0.2, count + 1), 1) for name in names}
    if bounded:
        columns[INFEASIBILITY] = np.maximum(np.round(rng.normal(0.0, 0.1, count + 1), 2), 0.0)
    objectives = fitness.combine_columns(columns)
    everyone = [
        Individual(None, str(place).encode(), dict(zip(columns, row, strict=True)), objective, f"move{place % 3}")
        for place, (*row, objective) in enumerate(
            zip(*(column.tolist() for column in columns.values()), zip(*objectives, strict=True), strict=True)
        )
    ]
    children = everyone[1:]
    brood = Brood(
        {name: column[1:] for name, column in columns.items()},
        [np.array(objective[1:]) for objective in objectives],
        lambda place, *_: children[place],
        [child.origin for child in children],
    )
    return everyone[0], children, brood


@given(st.sampled_from(FITNESSES), st.integers(0, 2**32), st.integers(1, 60), st.booleans())
def test_compiled_code_takes_what_the_fitness_says(fitness, seed, count, bounded):
    climber, children, brood = family(fitness, seed, count, bounded)
    probes = worth_keeping(brood, climber)
    plain = worth_keeping(children, climber)
    assert isinstance(probes, Picked)
    assert list(probes) == plain
    if plain:
        found = [
            promising(climber, given, asked, 5, np.random.default_rng(seed))
            for given in (probes, plain)
            for asked in (fitness, asking(fitness))
        ]
        assert found[0] == found[1] == found[2] == found[3]
        others = children[:3]
        assert best_after(climber, probes, others) is best_after(climber, plain, others)


@given(st.integers(0, 2**32), st.integers(1, 30))
def test_the_best_of_a_front_is_who_was_better_than_those_before(seed, count):
    fitness = Pareto(Pareto.Params())
    climber, children, brood = family(fitness, seed, count, True)
    best = climber
    for child in children:
        best = child if child.dominates(best) else best
    assert best_after(climber, Picked(brood, list(range(count))), ()) is best


def test_who_stands_behind_the_members_is_not_made():
    climber, _, brood = family(FITNESSES[0], 3, 20, False)
    probes = Picked(brood, [2, 3, 7, 11])
    everyone = with_picked([climber, climber], probes)
    assert isinstance(everyone, Broods)
    assert picked_behind(everyone) is probes
    assert split(everyone, 2) == ([climber, climber], probes)
    assert probes.origins == {"move0": 2, "move1": 1, "move2": 1}
    assert brood.known == []
    assert probes[1:3] == [brood[3], brood[7]]
    assert [*everyone] == [climber, climber, *probes]
    assert everyone[1:4] == [climber, brood[2], brood[3]]
    assert everyone[::-2] == [*everyone][::-2]
    assert split(tuple(everyone), 2) == ([climber, climber], tuple(probes))


@pytest.mark.parametrize("name", ["il", "absent"])
def test_scores_are_read_by_the_column(name):
    _, children, brood = family(FITNESSES[0], 4, 9, False)
    wanted = [children[place].scores.get(name, 0.0) for place in (1, 5)]
    assert scores_of(Picked(brood, [1, 5]), name).tolist() == wanted
    assert scores_of([children[1], children[5]], name).tolist() == wanted
