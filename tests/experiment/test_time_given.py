"""A time that is given to a whole run: how it is shared out, what ends by it, and how the run is repeated."""

import time
import tomllib
from math import inf
from time import monotonic

import numpy as np
import pandas as pd
import pytest

from evosdc.api.tables import as_table
from evosdc.engine.loop import search
from evosdc.engine.problem import Problem
from evosdc.experiment.assembly import assemble
from evosdc.experiment.experiment import Experiment, StopRule
from evosdc.experiment.reader import read_experiment
from evosdc.experiment.single_run import run_once
from evosdc.experiment.start import begun_from, starting_individuals
from evosdc.experiment.time_budget import (
    FOR_JUDGES,
    MOST_CONCLUDING,
    MOST_KEPT,
    PROVING,
    TimeGiven,
    differing_numbers,
    time_of,
)
from evosdc.plugins.registry import default_registry
from evosdc.time_limit import DeadlineOver

SMALL = {
    "data": {"name": "housing", "protect": ["built", "degree"]},
    "measures": {"il": ["dbil"], "dr": ["dbrl"]},
    "second_opinion": False,
}


def test_a_time_that_verdict_and_report_alone_exceed_is_told_of():
    told = list[str]()
    for seconds in (26.0, 20.0):
        TimeGiven.of(StopRule(whole=seconds), monotonic(), 1_000_000, 6, 1).remark(told.append)
    (remark,) = told
    assert remark.startswith("20 seconds are too few for a file of this size, and will be exceeded: verdict and report")
    assert remark.endswith("Give it 26 seconds or more.")


def test_what_follows_the_search_has_a_share_at_most():
    given = TimeGiven.of(StopRule(whole=100.0), monotonic(), 1000, 10)
    assert given.for_search(10_000.0) == pytest.approx(100.0 * (1.0 - MOST_KEPT), abs=0.5)
    assert given.for_search(0.0) == pytest.approx(100.0 - given.concluding, abs=0.5)
    assert given.for_judges == pytest.approx(100.0 - given.concluding, abs=0.5)


def test_the_verdict_on_a_large_file_may_have_half():
    given = TimeGiven.of(StopRule(whole=60.0), monotonic(), 3_000_000, 6)
    assert MOST_KEPT * 60.0 < given.concluding <= MOST_CONCLUDING * 60.0
    assert given.for_search(0.0) == pytest.approx(60.0 - given.concluding, abs=0.5)


def test_judges_have_a_fifth_of_the_time_where_they_need_it():
    given = TimeGiven.of(StopRule(whole=60.0), monotonic(), 3_000_000, 6)
    assert given.for_search(10_000.0) == pytest.approx(60.0 - given.concluding - FOR_JUDGES * 60.0, abs=0.5)
    few = TimeGiven.of(StopRule(whole=100.0), monotonic(), 1000, 10)
    assert few.for_search(1.0) == pytest.approx(100.0 - few.concluding - 2.0, abs=0.5), "twice what they may need"


def test_the_verdict_on_numbers_takes_longer():
    given = [TimeGiven.of(StopRule(whole=1000.0), monotonic(), 100_000, 8, numbers) for numbers in (0, 4, 8)]
    assert given[0].concluding < given[1].concluding < given[2].concluding
    assert given[1].concluding == pytest.approx((given[0].concluding + given[2].concluding) / 2)


def test_numbers_of_few_values_are_no_numbers_that_differ():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"age": rng.integers(0, 100, 3000) + 0.5, "wage": rng.lognormal(10.0, 1.0, 3000)})
    assert differing_numbers(as_table(frame)) == 1
    assert differing_numbers(as_table(frame.head(1000))) == 0


def test_what_was_spent_before_counts():
    given = TimeGiven.of(StopRule(whole=100.0), monotonic() - 90.0, 1000, 10)
    assert given.left == pytest.approx(10.0, abs=0.5)
    assert TimeGiven.of(StopRule(whole=1.0), monotonic() - 90.0, 1000, 10).for_search(0.0) == 0.0


def test_a_machine_that_others_use_keeps_more_back_for_the_conclusion():
    given = TimeGiven.of(StopRule(whole=100.0), monotonic(), 1000, 10)
    assert given.slowed(2.0).concluding == pytest.approx(2.0 * given.concluding)
    assert given.slowed(0.5).concluding == given.concluding
    assert given.slowed(3.0).slowed(2.0).concluding == given.slowed(3.0).concluding, "never less than was seen once"
    assert given.slowed(1e6).concluding <= 100.0 * MOST_CONCLUDING


def test_a_search_among_generalisations_keeps_time_for_its_bound():
    def kept(genotype):
        given = {
            "data": {"name": "housing", "first": 60},
            "genotype": genotype,
            "measures": ["lm"],
            "fitness": "lm",
            "stop": {"whole": 60.0},
        }
        return time_of(assemble(Experiment.model_validate(given), default_registry(), 1), 0.0)

    rule = StopRule(whole=60.0)
    found = kept({"name": "lattice", "k": 2})
    assert found.concluding == TimeGiven.of(rule, 0.0, 60, 11, further=PROVING).concluding
    assert found.expected == TimeGiven.of(rule, 0.0, 60, 11).expected


def test_without_a_time_nothing_is_limited():
    given = TimeGiven.of(StopRule(seconds=5.0), monotonic(), 1000, 10)
    assert given.left == given.for_judges == given.for_search(1.0) == inf


@pytest.fixture
def stopped_by_time(monkeypatch):
    """Have the search stop by its time after three generations, whatever the machine's speed."""

    def short(algorithm, evaluator, streams, stop, state, observe, advance=None):
        def until_third(reached, record):
            told = observe(reached, record)
            return stop.time_over if stop.seconds is not None and reached.progress.generation == 3 else told

        return search(algorithm, evaluator, streams, stop, state, until_third, advance)

    monkeypatch.setattr("evosdc.experiment.early_verdict.search", short)


@pytest.mark.usefixtures("stopped_by_time")
@pytest.mark.parametrize(
    "start", [{"portfolio": "categorical"}, {"tuned": {"evaluations": 12}}], ids=["known", "tuned"]
)
def test_a_run_that_time_has_ended_is_repeated_from_its_own_experiment(tmp_path, monkeypatch, start):
    left = iter([None] + [60.0] * 6)
    monkeypatch.setattr("evosdc.experiment.start.time_limited", lambda seconds, kind: EndingAfter(left, seconds, kind))
    experiment = Experiment(**SMALL, start=start, stop={"whole": 600.0})
    first = run_once(experiment, tmp_path / "first", default_registry(), 1)
    assert first.result.stopped == "600 seconds"
    monkeypatch.undo()
    written = read_experiment(tmp_path / "first" / "experiment.toml")
    document = tomllib.loads((tmp_path / "first" / "experiment.toml").read_text())
    assert document["stop"] == {"generations": 3}
    assert len(document["start"]["methods"]) == 7
    again = run_once(written, tmp_path / "again", default_registry(), 1)
    assert again.result.digest == first.result.digest
    best = [(tmp_path / name / "best.csv").read_bytes() for name in ("first", "again")]
    assert best[0] == best[1]


class EndingAfter:
    """A time limit that is over at the place of a list where nothing is left."""

    def __init__(self, left, seconds, kind):
        self.over, self.kind = next(left, "over") == "over", kind

    def __enter__(self):
        if self.over:
            raise self.kind

    def __exit__(self, *told):
        return None


def test_a_generation_is_given_up_where_time_is_over(tmp_path, monkeypatch):
    plain = Problem.evaluate_children

    def slow(self, *given, **further):
        time.sleep(5.0)
        return plain(self, *given, **further)

    monkeypatch.setattr(Problem, "evaluate_children", slow)
    experiment = Experiment(**SMALL, start={"portfolio": "categorical"}, stop={"whole": 4.0})
    found = run_once(experiment, tmp_path / "run", default_registry(), 1)
    assert found.result.generations == 0
    assert (tmp_path / "run" / "best.csv").exists()


@pytest.mark.parametrize("evaluated", range(1, 7))
def test_a_start_of_which_time_allowed_a_part_is_named(evaluated):
    """Five initial genomes and two random ones, of which so many were evaluated; methods are compared with."""
    start = {"methods": [{"method": "pram", "p": 0.8}, {"method": "pram", "p": 0.6}], "initial": 5, "random": 2}
    given = {"data": {"name": "housing", "first": 60}, "measures": {"il": ["ctbil"], "dr": ["dbrl"]}}
    experiment = Experiment(**given, genotype="pram", start=start, stop={"generations": 1})
    assembly = assemble(experiment, default_registry())
    assert assembly.plan.candidates == 7
    part = begun_from(assembly, evaluated)
    again = assemble(experiment.model_copy(update={"start": part}), default_registry())
    assert again.plan.labels[: again.plan.candidates] == assembly.plan.labels[:evaluated]
    assert begun_from(assembly, 7) is None


def test_a_start_without_time_for_one_file_tells_the_part_that_it_belongs_to(monkeypatch):
    given = {"data": {"name": "housing", "first": 60}, "measures": {"il": ["ctbil"], "dr": ["dbrl"]}}
    experiment = Experiment(**given, genotype="cells", start={"random": 2}, stop={"seconds": 1.0})
    assembly = assemble(experiment, default_registry())

    def out_of_time(*_):
        raise DeadlineOver

    monkeypatch.setattr("evosdc.experiment.start.starting_individual", out_of_time)
    with pytest.raises(DeadlineOver):
        list(starting_individuals(assembly, None, lambda done, total: None))
