"""Time limits by the alarm of the operating system."""

import gc
import signal
import sys
import time
import weakref
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from subprocess import run

import numpy as np
import pytest

from evosdc.time_limit import DeadlineOver, OutOfTime, raise_if_over, time_limited, unlimited
from evosdc_judges.nearest import costs_of, linked
from evosdc_judges.sorted_records import sorted_records


def spin() -> None:
    while True:
        pass


def test_an_endless_body_is_ended() -> None:
    with pytest.raises(OutOfTime), time_limited(0.05):
        spin()


def spin_in_an_extension(kind: type[Exception]) -> None:
    try:
        spin()
    except OutOfTime:
        raise kind("returned a result with an exception set") from None


@pytest.mark.parametrize("kind", [SystemError, TypeError, ValueError])
def test_what_an_extension_makes_of_it_is_out_of_time_too(kind: type[Exception]) -> None:
    with pytest.raises(OutOfTime) as caught, time_limited(0.05):
        spin_in_an_extension(kind)
    assert isinstance(caught.value.__cause__, kind)


def pass_over_errors() -> None:
    for _ in range(2):
        try:
            spin_in_an_extension(SystemError)
        except SystemError as error:
            raise_if_over(error)


def test_who_passes_over_errors_is_told_that_time_is_over() -> None:
    with pytest.raises(OutOfTime), time_limited(0.05):
        pass_over_errors()
    with time_limited(60.0):
        raise_if_over(SystemError("something else"))


def test_an_error_before_the_time_is_over_is_its_own() -> None:
    with pytest.raises(SystemError), time_limited(60.0):
        raise SystemError("something else")


def wait() -> None:
    until = time.perf_counter() + 0.2
    while time.perf_counter() < until:
        pass


class Watched:
    pass


class Finalised:
    def __del__(self) -> None:
        wait()


def finalise() -> None:
    Finalised()
    spin()


def collect() -> None:
    gc.collect()
    spin()


def collect_slowly(phase: str, info: dict[str, int]) -> None:
    wait()


@pytest.fixture
def slow_collection() -> Iterator[None]:
    gc.callbacks.append(collect_slowly)
    yield
    gc.callbacks.remove(collect_slowly)


@pytest.fixture
def dropped(monkeypatch: pytest.MonkeyPatch) -> list[type[BaseException] | None]:
    """Return the errors that Python drops, of which pytest would make an error of the test."""
    told: list[type[BaseException] | None] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda one: told.append(one.exc_type))
    monkeypatch.setattr("evosdc.time_limit.AGAIN", 0.05)
    return told


@pytest.mark.usefixtures("slow_collection", "dropped")
def test_an_alarm_during_collection_rings_again() -> None:
    with pytest.raises(OutOfTime), time_limited(0.05):
        collect()


def test_an_alarm_in_a_finaliser_waits_for_its_end(dropped: list[type[BaseException] | None]) -> None:
    with pytest.raises(OutOfTime), time_limited(0.05):
        finalise()
    assert dropped == []


def forget() -> None:
    watched = Watched()
    watching = weakref.ref(watched, lambda gone: wait())
    del watched
    assert watching() is None
    spin()


def test_an_alarm_that_was_dropped_rings_again(dropped: list[type[BaseException] | None]) -> None:
    with pytest.raises(OutOfTime), time_limited(0.05):
        forget()
    assert OutOfTime in dropped


def finalised() -> None:
    watched = Watched()
    weakref.finalize(watched, wait)
    del watched
    spin()


class Slow(weakref.WeakSet):  # type: ignore[type-arg]
    """Removes what is gone from something slow, within the callback of the set."""

    def __init__(self, members: list[Watched]) -> None:
        super().__init__(members)
        self._pending_removals = SlowList()
        self._iterating = {object()}


class SlowList(list[object]):
    def append(self, one: object) -> None:
        super().append(one)
        wait()


def removed() -> None:
    watched = Watched()
    kept = Slow([watched])
    del watched
    assert len(kept._pending_removals) == 1
    kept._iterating.clear()
    spin()


@pytest.mark.parametrize("body", [finalised, removed])
def test_an_alarm_while_what_is_gone_is_forgotten_waits(
    body: Callable[[], None], dropped: list[type[BaseException] | None]
) -> None:
    with pytest.raises(OutOfTime), time_limited(0.05):
        body()
    assert dropped == []


def test_a_limit_further_out_stays_in_force_and_raises_its_own_kind() -> None:
    with pytest.raises(DeadlineOver), time_limited(0.05, DeadlineOver), time_limited(60.0):
        spin()


def spin_after_a_limit() -> None:
    with time_limited(60.0):
        pass
    spin()


def test_a_limit_further_out_stays_in_force_after_an_inner_one() -> None:
    with pytest.raises(DeadlineOver), time_limited(0.05, DeadlineOver):
        spin_after_a_limit()


def test_an_inner_limit_that_is_over_leaves_the_outer_one_as_it_was() -> None:
    with time_limited(60.0, DeadlineOver), pytest.raises(OutOfTime), time_limited(0.05):
        spin()
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0.0


def prepare(in_vain: bool) -> None:
    with unlimited() as standing:
        wait()
        standing.counts = in_vain


def spin_after_preparing_in_vain() -> None:
    prepare(in_vain=True)
    spin()


def test_what_turns_out_to_be_no_preparation_counts() -> None:
    with pytest.raises(OutOfTime), time_limited(0.1):
        spin_after_preparing_in_vain()
    with time_limited(0.1):
        prepare(in_vain=False)


def _numba_unpickle(told: list[str]) -> None:
    wait()
    told.append("whole")


def spin_after_machine_code(told: list[str]) -> None:
    _numba_unpickle(told)
    spin()


def test_what_machine_code_asks_of_python_is_not_interrupted() -> None:
    told: list[str] = []
    with pytest.raises(OutOfTime), time_limited(0.05):
        spin_after_machine_code(told)
    assert told == ["whole"]


def test_machine_code_that_is_called_again_and_again_is_left() -> None:
    generator = np.random.default_rng(1)
    codes, others = generator.integers(0, 40, (2, 6000, 6), np.int32)
    people, called = sorted_records(codes), list[object]()
    costs = costs_of([np.ones((40, 40)) - np.eye(40)] * 6)
    linked(others[:1], people.of_record[:1], people, costs)

    def call_on() -> None:
        while True:
            called.append(linked(others, people.of_record, people, costs))

    with pytest.raises(OutOfTime), time_limited(0.02):
        call_on()
    assert len(called) <= 1


def test_imports_are_not_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = (
        "import time",
        "until = time.perf_counter() + 0.2",
        "while time.perf_counter() < until: pass",
        "whole = True",
    )
    (tmp_path / "evosdc_slow_import.py").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(OutOfTime), time_limited(0.05):
        import_and_spin()
    assert sys.modules.pop("evosdc_slow_import").whole


def import_and_spin() -> None:
    import_module("evosdc_slow_import")
    spin()


MANY = """
import random
from contextlib import suppress
from time import monotonic
from evosdc.time_limit import OutOfTime, time_limited

end = monotonic() + 2.0
while monotonic() < end:
    with suppress(OutOfTime), time_limited(random.uniform(1e-5, 1e-4)):
        for _ in range(random.randrange(400)):
            pass
"""


def test_an_alarm_at_the_very_end_does_not_kill_the_process() -> None:
    run([sys.executable, "-c", MANY], check=True)
