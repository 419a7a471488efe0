"""Methods that get as much effort as ends within the time there is."""

from __future__ import annotations

import pytest

from evosdc.experiment import tuned_start as pace_module
from evosdc.experiment.assembly import assemble
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.start import starting_individuals
from evosdc.experiment.tuned_start import LEAST, all_paced, paced
from evosdc.model import Masking
from evosdc.plugins.registry import default_registry
from evosdc.time_limit import DeadlineOver

SWAPPING = Masking("table-swapping")


@pytest.fixture(scope="module")
def assembly():
    given = {"data": {"name": "housing", "first": 300, "protect": ("built", "degree", "grade1")}, "seed": 1}
    start = {"methods": [{"method": "rank-swapping", "p": p} for p in (5, 10, 20)]}
    experiment = Experiment.model_validate(given | {"start": start, "stop": {"seconds": 60}})
    return assemble(experiment, default_registry())


def pace(assembly, masking, seconds):
    return paced(masking, assembly.microdata, default_registry(), seconds)


def test_enough_time_changes_nothing(assembly):
    assert pace(assembly, SWAPPING, 1e6) == SWAPPING


def test_less_time_is_less_effort(assembly):
    assert pace(assembly, SWAPPING, 0.0).params == {"effort": LEAST}


def test_what_was_said_stays(assembly):
    written = Masking("table-swapping", {"effort": 3.0})
    chained = Masking("table-swapping", then=(Masking("rank-swapping", {"p": 5}),))
    for masking in (written, chained, Masking("rank-swapping", {"p": 5})):
        assert pace(assembly, masking, 0.0) == masking


def test_what_takes_too_long_in_any_case_is_tried_once(assembly, monkeypatch):
    clock, tried = [0.0], []

    def masked(masking, steps, microdata, rng):
        tried.append(len(microdata.table))
        clock[0] += 3.0

    monkeypatch.setattr(pace_module, "monotonic", lambda: clock[0])
    monkeypatch.setattr(pace_module, "apply_masking", masked)
    with pytest.raises(DeadlineOver):
        pace(assembly, SWAPPING, 8.0)
    assert len(tried) == 2


def test_less_effort_is_told(assembly):
    told = []
    found = all_paced([Masking("mdav", {"k": 3}), SWAPPING], assembly.microdata, default_registry(), 0.0, told.append)
    assert [masking.params for masking in found] == [{"k": 3}, {"effort": LEAST}]
    assert len(told) == 1
    assert told[0].startswith(f"table-swapping effort={LEAST}")


def test_starting_files_that_are_not_assured_are_given_up_when_their_time_is_over(assembly):
    spent = 0.6 * 60 - 1e-4  # what is left of the time of starting files is less than any of them takes
    individuals = list(starting_individuals(assembly, None, lambda done, total: None, spent))
    assert len(individuals) == assembly.plan.assured == 1
