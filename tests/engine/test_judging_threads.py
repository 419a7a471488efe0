"""Measures that judge side by side: the same scores, and no thread that goes on when the call has ended."""

import threading
from itertools import pairwise
from time import sleep

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evosdc
from evosdc.engine.judging_threads import ALONE, Judge, JudgingThreads
from evosdc.model import Changes
from evosdc.testing.tables import changes_of

from .problems import microdata


def changes(rng, children):
    """Return what children of a file change, some of them nothing."""
    table = microdata().original
    made = []
    for _ in range(children):
        rows = np.sort(rng.choice(len(table), rng.integers(0, 4), replace=False)).astype(np.intp)
        made.append((table.take(rng.permutation(len(table))), rows))
    return changes_of(table, made)


def sums(state, some):
    """Return a figure of each child that only its own records tell."""
    begin, found = 0, []
    for end in some.ends.tolist():
        found.append(state + float((some.rows[begin:end] * (1 + some.after.codes[begin:end].sum(axis=1))).sum()))
        begin = end
    return (np.array(found),)


def pair(state, some):
    return (*sums(state, some), *sums(-state, some))


def slow(judge):
    def judged(state, some):
        sleep(0.002)
        return judge(state, some)

    return judged


JUDGES = (
    Judge(1, ("a",), slow(sums), False, False),
    Judge(0, ("b", "c"), slow(pair), True, True),
    Judge(2, ("d",), slow(sums), True, False),
)


def judged(threads, given_changes, judges=JUDGES):
    several = JudgingThreads(judges)
    several.use(threads)
    for _ in range(ALONE + 1):
        found = several.columns((1.0, 2.0, 3.0), given_changes)
    return found


@pytest.mark.parametrize("threads", [2, 3, 16])
@pytest.mark.parametrize("children", [2, 3, 40])
def test_scores_are_those_of_one_thread(threads, children):
    some = changes(np.random.default_rng(children), children)
    for one, other in zip(judged(1, some), judged(threads, some), strict=True):
        assert one.tolist() == other.tolist()


def test_threads_are_used_where_they_are_worth_it():
    names = set()

    def noted(state, some):
        names.add(threading.current_thread() is threading.main_thread())
        return slow(sums)(state, some)

    some, judges = changes(np.random.default_rng(1), 5), (Judge(0, ("a",), noted, True, False),)
    judged(2, some, judges)
    assert names == {True, False}
    names.clear()
    judged(1, some, judges)
    judged(2, some, (judges[0]._replace(beside=False),))
    judged(2, changes(np.random.default_rng(1), 1), judges)
    assert names == {True}


def test_an_error_ends_the_call_when_no_thread_goes_on():
    under_way = []

    def long(state, some):
        under_way.append(1)
        sleep(0.05)
        under_way.pop()
        return sums(state, some)

    def fails(state, some):
        if threading.current_thread() is threading.main_thread() and len(seen) == ALONE:
            raise ArithmeticError("of this child")
        seen.append(1)
        return sums(state, some)

    seen = []
    judges = (Judge(0, ("a",), fails, False, False), Judge(0, ("b",), long, True, True))
    with pytest.raises(ArithmeticError, match="of this child"):
        judged(2, changes(np.random.default_rng(1), 9), judges)
    assert under_way == []


@given(st.integers(0, 2**32), st.integers(1, 9), st.integers(1, 9))
def test_parts_of_changes_are_these_changes(seed, children, number):
    some = changes(np.random.default_rng(seed), children)
    bounds = np.linspace(0, children, number + 1).astype(int).tolist()
    parts = [some.part(begin, end) for begin, end in pairwise(bounds)]
    assert all(isinstance(part, Changes) and part.before.codes.flags.c_contiguous for part in parts)
    assert np.concatenate([part.children for part in parts]).tolist() == some.children.tolist()
    assert np.concatenate([part.rows for part in parts]).tolist() == some.rows.tolist()
    assert np.concatenate([part.after.codes for part in parts]).tolist() == some.after.codes.tolist()
    alone = np.concatenate([sums(1.0, part)[0] for part in parts])
    assert alone.tolist() == sums(1.0, some)[0].tolist()


def test_a_search_finds_the_same(monkeypatch, tmp_path):
    monkeypatch.setattr("evosdc.engine.judging_threads.WORTH", 0.0)
    monkeypatch.setattr("evosdc.engine.judging_threads.ALONE", 1)
    side_by_side = []
    usual = JudgingThreads._side_by_side
    monkeypatch.setattr(
        JudgingThreads, "_side_by_side", lambda self, *given: side_by_side.append(1) or usual(self, *given)
    )
    found = []
    for executor in ({"name": "serial"}, {"name": "processes", "workers": 2}):
        experiment = {
            "genotype": "cells",
            "data": {"name": "housing", "protect": ["built", "degree", "grade1"]},
            "measures": {"il": ["ctbil"], "dr": ["informed-linkage", {"name": "ranked-linkage", "records": 500}]},
            "algorithm": "memetic",
            "executor": executor,
            "start": {"portfolio": "categorical"},
            "stop": {"generations": 20},
            "seed": 3,
        }
        evosdc.run(experiment, tmp_path / executor["name"])
        found.append((tmp_path / executor["name"] / "best.csv").read_bytes())
        assert bool(side_by_side) == (executor["name"] == "processes")
    assert found[0] == found[1]
