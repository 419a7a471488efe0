"""The time limit of a run, shared between its search and the following steps; and the rehearsal before it.

Nothing is compiled when evosdc is installed. What a run of one minute calls takes about as long to be compiled, once on
each machine: a first run is rehearsed on a few records before its clock starts.
"""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.metadata import version
from math import ceil, inf
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

import numpy as np
import platformdirs

from evosdc.errors import EvosdcError
from evosdc.experiment.assembly import Assembly
from evosdc.experiment.experiment import ExecutorChoice, Experiment, StopRule
from evosdc.experiment.opinion import expected_seconds, wanted
from evosdc.runs.layout import RunFolder
from evosdc.secret import Key
from evosdc.table.schema import Schema
from evosdc.table.table import Table

MOST_KEPT = 0.3  # share of the time that is kept back at most for what follows the search

# Share of the time that judges have at least, where they may need as much: their estimate may be half of the truth.
FOR_JUDGES = 0.2

FOR_TRIALS = 0.06  # share of the time for trials of files without a column, where a file loses much

# The same where the file is so large that its verdict and report alone take longer; beyond it the time is exceeded.
MOST_CONCLUDING = 0.5

SLOWEST = 4.0  # how many times as slow a machine is taken to be at most

# Seconds that the result, its verdict and the report take: in any case, by value and, besides, by number that differs.
# Numbers that differ from record to record leave no two records alike, which take time one by one then.
CONCLUDING, BY_CELL, BY_NUMBER = 1.5, 1.2e-6, 5.5e-6


# The same at most for how little any generalisation could lose, which a search among them tells in the end.
PROVING = 3.0


@dataclass(frozen=True)
class TimeGiven:
    """When a run has to be over, on the clock of `time.monotonic`."""

    seconds: float  # of the whole run; infinite where nothing limits it, and so is all that is left
    end: float
    concluding: float  # seconds before the end at which judges have to have answered
    # What follows search and judges is expected to take, even where the time is too short for that.
    expected: float = 0.0
    usual: float = 0.0  # `concluding` on a machine that nobody else uses

    @classmethod
    def of(
        cls, rule: StopRule, began: float, records: int, attributes: int, numbers: int = 0, further: float = 0.0
    ) -> "TimeGiven":
        """Return the time of a run that began at `began`, on the same clock, on a file of this size."""
        if rule.whole is None:
            return cls(inf, inf, 0.0)
        expected = CONCLUDING + records * (BY_CELL * (attributes - numbers) + BY_NUMBER * numbers)
        concluding = min(expected + further, MOST_CONCLUDING * rule.whole)
        return cls(rule.whole, began + rule.whole, concluding, expected, concluding)

    def remark(self, tell: Callable[[str], None]) -> None:
        """Warn that the time is too short for a file of this size, whatever the search does; usually nothing."""
        if self.expected > MOST_CONCLUDING * self.seconds:
            wanted = ceil(self.expected / MOST_CONCLUDING)
            tell(
                f"{self.seconds:g} seconds are too few for a file of this size, and will be exceeded: verdict and "
                f"report alone take about {self.expected:.0f}. Give it {wanted} seconds or more."
            )

    def slowed(self, times: float) -> "TimeGiven":
        """Return the time of a run on a machine that others use, too, so that it was once `times` as slow."""
        slowed = min(self.usual * min(times, SLOWEST), MOST_CONCLUDING * self.seconds)
        return replace(self, concluding=max(self.concluding, slowed))

    def kept_back(self, most: float) -> "TimeGiven":
        """Return the time of a run whose judges leave a part of it, `most` seconds at most, for trials."""
        return replace(self, concluding=self.concluding + min(FOR_TRIALS * self.seconds, most))

    @property
    def left(self) -> float:
        """Seconds until the end."""
        return self.end - monotonic()

    @property
    def for_judges(self) -> float:
        """Seconds that judges may take from now on."""
        return self.left - self.concluding

    def for_search(self, judging: float) -> float:
        """Return the seconds until the search has to end, where judges are expected to take `judging` seconds."""
        # All that follows the search has `MOST_KEPT` of the whole time at most, or what concluding takes and judges
        # need, up to `FOR_JUDGES`.
        least = self.concluding + min(2.0 * judging, FOR_JUDGES * self.seconds)
        kept = max(min(self.concluding + judging, MOST_KEPT * self.seconds), least)
        return max(self.left - kept, 0.0)


UNLIMITED = TimeGiven(inf, inf, 0.0)


LEAST = 0.05  # seconds of a search whose time is over before it begins

# Records looked at, spread over the file; a numeric attribute with more distinct values than `MANY` there.
LOOKED_AT, MANY = 10_000, 1000


def time_of(assembly: Assembly, began: float) -> TimeGiven:
    """Return the time of a run that began then, on the clock of `time.monotonic`."""
    table = assembly.source.table
    proving = PROVING if assembly.problem.genotype.generalises else 0.0
    return TimeGiven.of(
        assembly.experiment.stop, began, len(table), len(table.schema.names), differing_numbers(table), proving
    )


def ending_within(
    assembly: Assembly, given: TimeGiven, folder: RunFolder, spent: float = 0.0, over: bool = False
) -> Assembly:
    """Return an assembly whose search ends early enough for the following steps, where the run has a time limit."""
    if given.seconds == inf:
        return assembly
    table, judging = assembly.source.table, 0.0
    if wanted(assembly.experiment, folder, given.seconds):
        judging = expected_seconds(len(table), len(assembly.microdata.protect), len(table.schema.names))
    seconds = spent if over else spent + max(given.for_search(judging), LEAST)
    if assembly.stop.seconds is not None:
        seconds = min(seconds, assembly.stop.seconds)
    rule = assembly.experiment.stop.model_copy(update={"seconds": seconds})
    experiment = assembly.experiment.model_copy(update={"stop": rule})
    return replace(assembly, experiment=experiment, stop=replace(assembly.stop, seconds=seconds))


def differing_numbers(table: Table) -> int:
    """Return how many numeric attributes differ from record to record, mostly."""
    looked_at = table.numbers[:: max(1, len(table) // LOOKED_AT)]
    return sum(len(np.unique(column)) > MANY for column in looked_at.T)


RECORDS = 150  # records of the rehearsal: kernels are the same for any number
TUNED = 30  # files of its tuned start: every method about once
GENERATIONS = 2  # generations of its search

REHEARSING = (
    "Compiling for this machine, once, before the time starts: about a minute. Later runs of this kind begin at once."
)

SKIPPED = "EVOSDC_REHEARSAL"  # where this environment variable is ``no``, nothing is rehearsed


def rehearse(
    experiment: Experiment, kinds: str, run: Callable[[Experiment, Path, Key], object], tell: Callable[[str], object]
) -> None:
    """Have a short form of an experiment with a limit of time run, where none of its kind has run on this machine."""
    limited = experiment.stop.seconds is not None or experiment.stop.whole is not None
    if not limited or os.environ.get(SKIPPED) == "no":
        return
    stamp = _stamp(experiment, kinds)
    if stamp.exists():
        return
    tell(REHEARSING)
    # The folder is its owner's alone, and gone at the end; the run itself reports what fails here.
    with suppress(EvosdcError, ArithmeticError, ValueError), TemporaryDirectory(prefix="evosdc-") as folder:
        run(_shortened(experiment), Path(folder) / "run", Key.fresh())
    with suppress(OSError):
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.touch()


def _shortened(experiment: Experiment) -> Experiment:
    update: dict[str, Any] = {
        "data": experiment.data.model_copy(update={"first": min(experiment.data.first or RECORDS, RECORDS)}),
        "stop": StopRule(generations=GENERATIONS),
        "executor": ExecutorChoice(name="serial"),
        "second_opinion": True,
    }
    if experiment.start is not None:
        limits = {"seconds": None, "evaluations": TUNED, "share": 0.5}
        parts = {"tuned": experiment.start.tuned, "planned": experiment.start.planned}
        shortened = {name: part.model_copy(update=limits) for name, part in parts.items() if part is not None}
        update["start"] = experiment.start.model_copy(update=shortened)
    return experiment.model_copy(update=update)


def _stamp(experiment: Experiment, kinds: str) -> Path:
    """Return the empty file that stands for kernels which have been compiled."""
    measures = experiment.measures
    installed = Path(__file__)  # kernels lie beside the modules: another installation has none of them
    facts = (
        f"{installed} {installed.stat().st_mtime_ns}",
        *(version(name) for name in ("evosdc", "numba", "numpy")),
        sys.version,
        kinds,
        experiment.genotype.name,
        experiment.algorithm.name,
        experiment.fitness.name,
        *(entry.name for entry in (measures.all if measures is not None else ())),
        *(text.split()[0] for text in (*experiment.constraints, *experiment.limits)),
    )
    digest = sha256("\n".join(facts).encode()).hexdigest()[:16]
    return Path(platformdirs.user_cache_dir("evosdc")) / "rehearsed" / digest


def kinds_of(schema: Schema) -> str:
    """Return the scales of the attributes of a file."""
    return " ".join(sorted({attribute.scale.value for attribute in schema.attributes}))
