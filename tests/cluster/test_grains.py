"""Demes that evolve elsewhere: routes of migrants, when it pays, and what time limits count."""

import pytest

from evosdc.algorithms.islands import migrate, sources
from evosdc.engine.generation_step import islands_pay, seconds_left
from evosdc.engine.stop import Progress, Stop
from evosdc.executors.launch import launching_executor
from evosdc.executors.tasks import START_SECONDS, worth_starting
from evosdc.model import Population, Task
from evosdc.plugins.registry import default_registry
from tests.engine.individuals import individual


def islands(*rows):
    return [Population(tuple(individual(float(v), key=str(v)) for v in row)) for row in rows]


def routes(demes, topology):
    found = sources(range(len(demes)), dict(enumerate(demes)), len(demes), topology)
    return [list(origins) for origins in found]


def objectives_of(demes):
    return [[i.objectives[0] for i in deme] for deme in demes]


def test_round_a_ring_each_island_hears_from_the_one_before_it():
    assert routes(islands([1], [2], [3]), "ring") == [[2], [0], [1]]


def test_in_a_star_the_first_island_hears_from_all_best_first_and_all_hear_from_it():
    demes = islands([9, 8], [2, 7], [1, 6])
    assert routes(demes, "star") == [[2, 1], [0], [0]]
    assert objectives_of(migrate(demes, 1, "star")) == [[1, 2], [2, 8], [1, 8]]


def test_random_routes_are_one_ring_that_the_content_decides():
    demes = islands(*([10 * k, 10 * k + 1] for k in range(6)))
    drawn = routes(demes, "random")
    assert drawn == routes(demes, "random")
    seen, island = [], 0
    for _ in demes:
        seen.append(island)
        (island,) = drawn[island]
    assert sorted(seen) == list(range(6)), "one ring through all islands"
    others = {tuple(map(tuple, routes(islands(*([k + shift] for k in range(6))), "random"))) for shift in range(20)}
    assert len(others) > 10, "other contents have other routes"


@pytest.mark.parametrize("topology", ["ring", "star", "random"])
def test_a_lone_island_keeps_its_members(topology):
    assert objectives_of(migrate(islands([1, 2]), 1, topology)) == [[1, 2]]


def test_a_lone_island_hears_from_nobody():
    assert routes(islands([1, 2]), "ring") == [[]]


@pytest.mark.parametrize(
    ("here", "sent", "demes", "workers", "pay"),
    [
        (None, None, 4, 4, False),  # nothing is known
        (0.01, None, 4, 4, False),  # first it is measured what sending costs
        (0.01, 0.009, 4, 4, True),
        (0.01, 0.001, 4, 4, False),  # sending scales further than four demes
        (0.01, 0.009, 1, 4, False),
        (0.01, 0.009, 4, 1, False),
        (0.00001, None, 4, 4, True),  # too little to send, and yet worth to be shared out for many generations
    ],
)
def test_islands_are_sent_where_that_is_faster(here, sent, demes, workers, pay):
    assert islands_pay(here, sent, 100, demes, workers) is pay


@pytest.mark.parametrize(
    ("stop", "seconds"),
    [
        (Stop(generations=30), 20.0),
        (Stop(evaluations=1500), 5.0),
        (Stop(generations=30, seconds=17.0), 10.0),
        (Stop(generations=30, target=3.0), 7.0),  # it may be reached at any time
        (Stop(stalled=50), 41.0),  # it goes on until then at least
        (Stop(), 7.0),
    ],
)
def test_what_is_left_of_a_search_is_what_its_limits_say(stop, seconds):
    progress = Progress(generation=10, evaluations=1000, seconds=7.0, stalled=9)
    assert seconds_left(stop, progress, 100, 0.01) == pytest.approx(seconds)


def test_workers_are_started_where_they_save_more_than_their_start():
    assert worth_starting(2 * START_SECONDS + 0.1, 2)
    assert not worth_starting(2 * START_SECONDS - 0.1, 2)
    assert not worth_starting(1e9, 1)


def test_the_limit_of_a_task_counts_its_evaluations():
    assert Task("m:f", None, 0, ()).time_limit(2.0) == 2.0
    assert Task("m:f", None, 0, (), evaluations=5).time_limit(2.0) == 10.0
    assert Task("m:f", None, 0, (), lasting=True).time_limit(2.0) is None
    assert Task("m:f", None, 0, ()).time_limit(None) is None


def test_nothing_started_this_program():
    assert launching_executor(default_registry().specs("executor")) is None
