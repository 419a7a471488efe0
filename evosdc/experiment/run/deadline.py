"""When the search of a run has to end, where the whole run has a time."""

from dataclasses import replace

import numpy as np

from evosdc.experiment.build.assembly import Assembly
from evosdc.experiment.run.opinion import expected_seconds, wanted
from evosdc.experiment.run.time_given import TimeGiven
from evosdc.runs.layout import RunFolder
from evosdc.table.table import Table

LEAST = 0.05
"""Seconds of a search whose time is over before it begins."""

LOOKED_AT, MANY = 10_000, 1000
"""Of about so many records, spread over the file, a numeric attribute that differs has more values than that."""


def time_of(assembly: Assembly, began: float) -> TimeGiven:
    """Return the time of a run that began then, on the clock of `time.monotonic`."""
    return TimeGiven.of(assembly.experiment.stop, began, *_shape(assembly), differing_numbers(assembly.source.table))


def ending_within(
    assembly: Assembly, given: TimeGiven, folder: RunFolder, spent: float = 0.0, over: bool = False
) -> Assembly:
    """Return an assembly whose search ends early enough for what follows it, where the whole run has a time.

    Parameters
    ----------
    spent : float
        Seconds that the search had taken before it was resumed.
    over : bool
        Whether it had come to its end then: what is left of the time is for what follows it.
    """
    if given.seconds is None:
        return assembly
    records, attributes = _shape(assembly)
    asked = wanted(assembly.experiment, folder, given.seconds)
    judging = expected_seconds(records, len(assembly.microdata.protect), attributes) if asked else 0.0
    seconds = spent if over else spent + max(given.for_search(judging) or 0.0, LEAST)
    if assembly.stop.seconds is not None:
        seconds = min(seconds, assembly.stop.seconds)
    rule = assembly.experiment.stop.model_copy(update={"seconds": seconds})
    experiment = assembly.experiment.model_copy(update={"stop": rule})
    return replace(assembly, experiment=experiment, stop=replace(assembly.stop, seconds=seconds))


def differing_numbers(table: Table) -> int:
    """Return how many numeric attributes differ from record to record, mostly."""
    looked_at = table.numbers[:: max(1, len(table) // LOOKED_AT)]
    return sum(len(np.unique(column)) > MANY for column in looked_at.T)


def _shape(assembly: Assembly) -> tuple[int, int]:
    table = assembly.source.table
    return len(table), len(table.schema.names)
