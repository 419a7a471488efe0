"""A plugin for whole runs: two small genotypes, two measures of which one can be told to fail, and an executor."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from evosdc.experiment.display import Display
from evosdc.experiment.experiment import Experiment
from evosdc.hookspecs import hookimpl
from evosdc.plugins.registry import Registry
from evosdc.specs import ExecutorSpec, GenotypeSpec, MeasureSpec
from tests.testing.measures import Counts, CountsTracker, ShareChanged


@hookimpl
def evosdc_genotypes():
    yield GenotypeSpec(name="swaps", implementation="tests.testing.genotypes:Swaps", summary="Decodes at random.")
    yield GenotypeSpec(name="levels", implementation="tests.testing.genotypes:Levels", summary="A vector of levels.")


@hookimpl
def evosdc_measures():
    yield MeasureSpec(name="share-changed", implementation=f"{__name__}:Fallible", summary="Share of changed values.")
    yield MeasureSpec(
        name="found", implementation="tests.testing.measures:Found", summary="Records that are found.", kind="dr"
    )


@hookimpl
def evosdc_executors():
    yield ExecutorSpec(name="lent", implementation="tests.engine.remote:Lent", summary="Workers in this process.")


@dataclass
class Trouble:
    """What the measure does when it is asked next."""

    error: BaseException | None = None
    seconds: float = 0.0

    def come(self) -> None:
        time.sleep(self.seconds)
        if self.error is not None:
            error, self.error = self.error, None
            raise error


TROUBLE = Trouble()


@contextmanager
def slow(seconds: float) -> Iterator[None]:
    """Let every question to the measure take some time."""
    TROUBLE.seconds = seconds
    try:
        yield
    finally:
        TROUBLE.seconds = 0.0


class FallibleCounts(Counts):
    def score(self, masked):
        TROUBLE.come()
        return super().score(masked)

    def track(self, masked):
        TROUBLE.come()
        return FallibleTracker(self, masked)


class FallibleTracker(CountsTracker):
    def take(self, change):
        TROUBLE.come()
        super().take(change)


class Fallible(ShareChanged):
    fitted = FallibleCounts


class Failing(Display):
    """A display that lets the measure fail in the generation after the given one, or fails itself."""

    def __init__(self, error: BaseException, after: int, itself: bool = False) -> None:
        self.error = error
        self.after = after
        self.itself = itself
        self.messages: list[str] = []

    def starting(self, done, total):
        if self.after < 0 and done == total // 2:
            self._trouble()

    def generation(self, record, limit):
        if record["generation"] == self.after:
            self._trouble()

    def _trouble(self):
        if self.itself:
            raise self.error
        TROUBLE.error = self.error

    def message(self, text):
        self.messages.append(text)


def registry() -> Registry:
    """Return a registry of the installed plugins and this one."""
    import tests.experiment.offers as own

    found = Registry.load(extra_plugins={"trial": own})
    assert not found.problems
    return found


def experiment(**changes) -> Experiment:
    """Return a small experiment with this plugin's genotype and measures."""
    given = {
        "seed": 7,
        "data": {"name": "housing", "first": 120, "protect": ["built", "degree", "grade1"]},
        "genotype": "levels",
        "start": {"random": 8},
        "measures": {"il": ["share-changed", "dbil"], "dr": ["found", "id"]},
        "stop": {"generations": 8},
    }
    return Experiment.model_validate(given | changes)


LASTING = ("digest", "best", "front", "evaluations", "generations", "portfolio", "identity", "fresh", "stopped")


def lasting(result):
    """Return what of a result must not depend on how often the run was stopped, nor on where it ran."""
    return {key: getattr(result, key) for key in LASTING}


def timeless(records):
    """Return the lines of a journal without what clocks said."""
    return [{key: value for key, value in record.items() if key != "seconds"} for record in records]
