"""Calls about long files are made side by side, with the results of those made in turn."""

import threading
from functools import partial
from pathlib import Path
from time import sleep

import numpy as np
import pandas as pd
import pytest

import evosdc
from evosdc.processors import LONG, processors, side_by_side
from evosdc.time_limit import DeadlineOver, time_limited

several = pytest.mark.skipif(processors() < 2, reason="needs two processors")


@pytest.mark.parametrize("records", [1, LONG])
def test_results_are_in_the_order_of_the_calls(records: int) -> None:
    assert side_by_side(records, [partial(pow, base, 2) for base in range(20)]) == [base**2 for base in range(20)]
    assert side_by_side(records, []) == []


@several
def test_calls_about_a_long_file_wait_for_each_other_in_threads() -> None:
    meeting = threading.Barrier(2, timeout=240.0)
    assert sorted(side_by_side(LONG, [meeting.wait, meeting.wait])) == [0, 1]


def test_calls_about_a_short_file_are_made_by_whoever_asks() -> None:
    assert side_by_side(LONG - 1, [threading.get_ident] * 3) == [threading.get_ident()] * 3


def fail(words: str) -> None:
    raise ValueError(words)


@pytest.mark.parametrize("records", [1, LONG])
def test_what_the_first_raises_is_raised(records: int) -> None:
    with pytest.raises(ValueError, match="first"):
        side_by_side(records, [partial(fail, "first"), partial(fail, "second")])


@several
def test_nobody_goes_on_after_an_interruption() -> None:
    under_way, begun = threading.Semaphore(0), []

    def call(number: int) -> None:
        begun.append(number)
        sleep(0.2)
        under_way.release()

    with pytest.raises(DeadlineOver), time_limited(0.05, DeadlineOver):
        side_by_side(LONG, [partial(call, number) for number in range(50)])
    for _ in begun:
        assert under_way.acquire(blocking=False), "one of them was still under way"
    assert len(begun) < 50


@several
def test_a_search_finds_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    people = pd.DataFrame({"pay": rng.normal(2000.0, 300.0, 250).round(2), "age": rng.integers(18, 90, 250)})
    people["job"] = rng.choice(["farmer", "nurse", "clerk"], 250)
    experiment = {
        "genotype": "cells",
        "data": {"protect": ["pay", "age", "job"]},
        "measures": {"il": ["ctbil", "apil"], "dr": ["dbrl", "informed-linkage"]},
        "start": [{"method": "rank-swapping", "p": 20}, {"method": "mdav", "k": 3}],
        "stop": {"generations": 3},
        "seed": 3,
    }
    for folder, least in ("alone", LONG), ("threads", 1):
        monkeypatch.setattr("evosdc.processors.LONG", least)
        monkeypatch.setattr("evosdc_measures.linkage.nearest.LONG", least)
        evosdc.run(experiment, tmp_path / folder, data=people)
    for name in ("best.csv", "scores.csv", "front.csv", "risk.json", "release.json"):
        assert (tmp_path / "alone" / name).read_bytes() == (tmp_path / "threads" / name).read_bytes(), name
