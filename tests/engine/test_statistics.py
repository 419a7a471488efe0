"""The line that the journal gets for each generation."""

import json
from math import fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.engine.statistics import Census, best_of, generation_record, operator_counts
from evosdc.engine.stop import Progress
from evosdc.model import Individual
from evosdc.model.individual import Values
from tests.engine.individuals import individual

PEOPLE = [
    individual(il=30.0, dr=10.0, key="a"),
    individual(il=4.0, dr=20.0, key="b"),
    individual(il=8.0, dr=90.0, key="c"),
]
PROGRESS = Progress(generation=4, evaluations=77, seconds=1.23456, stalled=2, best=12.0, diversity=3.5)


def record_of(people, front, operators, volume=None):
    return generation_record(Census().figures(people), PROGRESS, front, operators, volume)


def test_the_record_of_a_generation():
    operators = {"mutation": {"made": 3, "kept": 1}}
    record = record_of(PEOPLE, 9, operators, 61.5)
    assert record == {
        "generation": 4,
        "evaluations": 77,
        "seconds": 1.235,
        "best": {"fitness": [12.0], "il": 4.0, "dr": 20.0},
        "fitness": {"min": 12.0, "mean": pytest.approx((20 + 12 + 49) / 3), "max": 49.0},
        "il": {"min": 4.0, "mean": pytest.approx(14.0), "max": 30.0},
        "dr": {"min": 10.0, "mean": pytest.approx(40.0), "max": 90.0},
        "diversity": 3.5,
        "operators": operators,
        "front": 9,
        "hypervolume": 61.5,
        "stalled": 2,
    }
    assert json.loads(json.dumps(record, allow_nan=False)) == record


def test_without_il_and_dr_there_is_the_fitness_alone():
    record = record_of([individual(3.0, 1.0), individual(2.0, 5.0)], 2, {})
    assert record["best"] == {"fitness": [3.0, 1.0]}, "the balanced one"
    assert record["fitness"] == {"min": 2.0, "mean": 2.5, "max": 3.0}
    assert not {"il", "dr"} & record.keys()


def test_a_score_that_some_lack_is_left_out():
    record = record_of([individual(il=3.0, dr=1.0), individual(1.0)], 2, {})
    assert not {"il", "dr"} & record.keys()


def test_the_best_of_one_objective_is_the_first_of_the_least():
    a, b, c = (individual(o, key=k) for o, k in ((2.0, "a"), (1.0, "b"), (1.0, "c")))
    assert best_of([a, b, c]) is b
    assert best_of([c, b, a]) is c


def test_the_best_of_several_objectives_is_the_balanced_one():
    a, b, c, d = (individual(*o, key=str(n)) for n, o in enumerate([(1.0, 9.0), (6.0, 5.0), (4.0, 6.0), (9.0, 0.0)]))
    assert best_of([a, b, c, d]) is c, "of equal greatest objectives the least sum"


def test_what_obeys_the_constraints_is_better_than_what_does_not():
    people = [individual(5.0), individual(1.0), individual(2.0)]
    for person, infeasibility in zip(people, (0.0, 0.5, 0.4), strict=True):
        person.fitness.values = Values(person.objectives, {"infeasibility": infeasibility})
    assert best_of(people) is people[0]
    assert best_of(people[1:]) is people[2]
    assert Census().figures(people)["infeasible"] == 2


def test_diversity_is_the_mean_distance_half_a_population_away():
    people = [numbered(n) for n in (0, 10, 3, 7)]
    assert Census(apart).diversity(people) == (3 + 3) / 2
    odd = people[:3]
    assert Census(apart).diversity(odd) == (10 + 7 + 3) / 3
    assert Census(apart).diversity(people[:1]) == 0.0
    assert Census().diversity(people) is None


def test_a_distance_is_reckoned_once_while_both_members_stay():
    asked = []
    census = Census(lambda a, b: asked.append((a, b)) or apart(a, b))
    people = [numbered(n) for n in (0, 10, 3, 7)]
    census.diversity(people)
    people[1] = numbered(4)
    assert census.diversity(people) == (3 + 3) / 2
    assert asked == [(0, 3), (10, 7), (4, 7)]


def apart(a, b):
    return abs(a - b)


def numbered(genome):
    return Individual(genome, str(genome).encode(), {}, (float(genome),), "given")


def test_operators_are_counted_by_what_they_made_and_what_was_kept():
    made = [individual(float(n), key=str(n)) for n in range(5)]
    for child, origin in zip(made, ("mutation", "crossover", "mutation", "crossover", "swap"), strict=True):
        child.origin = origin
    kept = [made[0], made[3], individual(1.0, key="1"), made[2]]
    numbers = {"swap": 1, "mutation": 2, "crossover": 2}
    counts = operator_counts(numbers, made, kept)
    assert counts == {
        "crossover": {"made": 2, "kept": 1},
        "mutation": {"made": 2, "kept": 2},
        "swap": {"made": 1, "kept": 0},
    }
    assert list(counts) == ["crossover", "mutation", "swap"]
    told = [made[0], made[2], made[3]]
    assert operator_counts(numbers, told, kept) == counts, "those that were not kept need not be known"
    assert operator_counts({}, [], kept) == {}


def plain_figures(people):
    best = best_of(people)
    figures = {
        "best": {"fitness": list(best.objectives)} | {n: best.scores[n] for n in ("il", "dr") if n in best.scores}
    }
    columns = {"fitness": [person.objectives[0] for person in people]}
    columns |= {name: [person.scores.get(name) for person in people] for name in ("il", "dr")}
    for name, values in columns.items():
        if None not in values:
            figures[name] = {"min": min(values), "mean": fsum(values) / len(values), "max": max(values)}
    infeasible = sum(person.infeasibility > 0.0 for person in people)
    return figures | ({"infeasible": infeasible} if infeasible else {})


def plain_diversity(people):
    size, half = len(people), max(len(people) // 2, 1)
    if size == 1:
        return 0.0
    slots = range(half if size % 2 == 0 else size)
    return sum(float(apart(people[s].genome, people[(s + half) % size].genome)) for s in slots) / len(slots)


@st.composite
def generations(draw):
    """Return populations that follow each other: with slots changed, exchanged, and now and then another size."""
    several, figure = draw(st.booleans()), st.integers(0, 6).map(float)

    def person():
        scores = draw(
            st.sampled_from([{}, {"il": draw(figure), "dr": draw(figure)}, {"il": 1.5, "infeasibility": 0.5}])
        )
        objectives = (draw(figure), draw(figure)) if several else (draw(figure),)
        return Individual(draw(st.integers(0, 99)) / 7, b"", scores, objectives, "given")

    people = [person() for _ in range(draw(st.integers(1, 14)))]
    found = [tuple(people)]
    for _ in range(draw(st.integers(1, 6))):
        for _ in range(draw(st.integers(0, 3))):
            people[draw(st.integers(0, len(people) - 1))] = person()
        change = draw(st.sampled_from(["", "", "turned", "longer", "shorter"]))
        if change == "turned":
            people = people[1:] + people[:1]
        elif change == "longer":
            people.append(person())
        elif change == "shorter" and len(people) > 1:
            del people[0]
        found.append(tuple(people))
    return found


@given(generations())
def test_followed_figures_are_those_of_each_population_alone(populations):
    census = Census(apart)
    for people in populations:
        assert census.diversity(people) == plain_diversity(people)
        assert census.figures(people) == plain_figures(people)
        assert list(census.figures(people)) == list(plain_figures(people))
