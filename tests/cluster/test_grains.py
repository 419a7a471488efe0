"""Demes that evolve elsewhere: routes of migrants, when it pays, what is told, and what time limits count."""

import time

import pytest

from evosdc.algorithms.islands import Islands, migrated, sources
from evosdc.engine.epochs import generations, reported, retold, together
from evosdc.engine.grain import islands_pay
from evosdc.executors.chunk import OutOfTime, limited, unlimited
from evosdc.executors.surroundings import surrounding_executor
from evosdc.model import Archipelago, Population, Task
from evosdc.seeds import Streams
from evosdc.testing.counting import candidates, counted
from tests.algorithms.test_algorithms_conformance import island_toolbox
from tests.engine.individuals import individual


def islands(*rows):
    return [Population(tuple(individual(float(v), key=str(v)) for v in row)) for row in rows]


def objectives_of(demes):
    return [[i.objectives[0] for i in deme.individuals] for deme in demes]


def test_round_a_ring_each_island_hears_from_the_one_before_it():
    assert sources(islands([1], [2], [3]), "ring") == [[2], [0], [1]]


def test_in_a_star_the_first_island_hears_from_all_best_first_and_all_hear_from_it():
    demes = islands([9, 8], [2, 7], [1, 6])
    assert sources(demes, "star") == [[2, 1], [0], [0]]
    assert objectives_of(migrated(demes, 1, "star")) == [[1, 2], [2, 8], [1, 8]]


def test_random_routes_are_one_ring_that_the_content_decides():
    demes = islands(*([10 * k, 10 * k + 1] for k in range(6)))
    routes = sources(demes, "random")
    assert routes == sources(demes, "random")
    seen, island = [], 0
    for _ in demes:
        seen.append(island)
        (island,) = routes[island]
    assert sorted(seen) == list(range(6)), "one ring through all islands"
    others = {tuple(map(tuple, sources(islands(*([k + shift] for k in range(6))), "random"))) for shift in range(20)}
    assert len(others) > 10, "other contents have other routes"


@pytest.mark.parametrize("topology", ["ring", "star", "random"])
def test_a_lone_island_keeps_its_members(topology):
    assert objectives_of(migrated(islands([1, 2]), 1, topology)) == [[1, 2]]


class Stub:
    """Evaluates by counting."""

    def evaluate(self, offspring):
        return [counted(item.genome, 1, item.origin) for item in offspring]


class Plain:
    """Dumps genomes as they are."""

    def dump(self, genome):
        return {"genome": genome}

    def load(self, dump):
        return dump["genome"]


@pytest.mark.parametrize("inner", ["parent-child", "generational", "steady-state"])
def test_what_demes_report_is_what_the_whole_would_have_been(inner):
    algorithm = Islands(Islands.Params(islands=3, interval=4, inner=inner), island_toolbox())
    assert isinstance(algorithm, Archipelago)
    population, streams = algorithm.initial(candidates(12, 1)), Streams(1)
    for _ in range(3):
        count = algorithm.horizon(population.generation)
        whole = list(generations(algorithm, Stub(), streams, population, count))
        told = []
        for island, deme in enumerate(algorithm.demes(population)):
            history = generations(algorithm.inner, Stub(), Streams(1, island), deme, count)
            told.append(retold(deme, reported(deme, history, Plain()), Plain()))
        for mine, theirs in zip(whole, together(algorithm, told), strict=True):
            assert [i.key for i in theirs.evaluated] == [i.key for i in mine.evaluated]
            assert [o.origin for o in theirs.offspring] == [o.origin for o in mine.offspring]
            assert [i.key for i in theirs.population.individuals] == [i.key for i in mine.population.individuals]
            assert theirs.population.generation == mine.population.generation
            assert all(i.genome is not None for i in theirs.population.individuals)
        population = whole[-1].population


@pytest.mark.parametrize(
    ("here", "sent", "epoch", "demes", "workers", "pay"),
    [
        (None, None, None, 4, 4, False),  # nothing is known
        (0.01, None, None, 4, 4, False),  # first it is measured what sending costs
        (0.01, 0.009, None, 4, 4, True),
        (0.01, 0.009, 0.95, 4, 4, False),  # epochs have turned out slower
        (0.01, 0.003, 0.2, 4, 4, True),
        (0.01, 0.001, None, 4, 4, False),  # sending scales further than four demes
        (0.01, 0.009, None, 1, 4, False),
        (0.01, 0.009, None, 4, 1, False),
        (0.00001, None, None, 4, 4, True),  # too little to send, and yet worth to be shared out for many generations
    ],
)
def test_islands_are_sent_where_that_is_faster(here, sent, epoch, demes, workers, pay):
    assert islands_pay(here, sent, epoch, 100, demes, workers) is pay


def test_preparation_is_no_part_of_the_time_limit_of_an_evaluation():
    begin = time.monotonic()
    with limited(0.1), unlimited():
        time.sleep(0.15)
    assert time.monotonic() - begin > 0.1  # longer than the limit, and not ended by it


def test_after_preparation_the_clock_goes_on():
    def prepared_and_slow():
        with unlimited():
            time.sleep(0.15)
        time.sleep(0.5)

    with pytest.raises(OutOfTime), limited(0.1):
        prepared_and_slow()


def test_the_limit_of_a_task_counts_its_evaluations():
    assert Task("m:f", None, 0, ()).time_limit(2.0) == 2.0
    assert Task("m:f", None, 0, (), evaluations=5).time_limit(2.0) == 10.0
    assert Task("m:f", None, 0, (), lasting=True).time_limit(2.0) is None
    assert Task("m:f", None, 0, ()).time_limit(None) is None


def test_nothing_started_this_program():
    assert surrounding_executor() is None
