"""Time limits that loops keep by asking the clock."""

import threading
import time

import pytest

from evosdc.time_limit import DeadlineOver, OutOfTime, check_time, time_limited, unlimited


def work(seconds: float = 30.0) -> int:
    """Work for a time, and ask now and then; return how often."""
    end, turns = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        time.sleep(0.001)
        turns += 1
        check_time()
    return turns


def test_a_loop_that_asks_is_ended() -> None:
    began = time.monotonic()
    with pytest.raises(OutOfTime), time_limited(0.05):
        work()
    assert 0.05 <= time.monotonic() - began < 5.0


def test_without_a_limit_nothing_happens() -> None:
    check_time()
    with time_limited(None), time_limited(60.0):
        assert work(0.01) > 0
    work(0.01)


def swallow() -> None:
    try:
        work()
    except Exception:
        raise AssertionError("a plugin could swallow it") from None


def test_it_is_not_swallowed_by_those_who_pass_over_errors() -> None:
    with pytest.raises(OutOfTime), time_limited(0.02):
        swallow()


def test_what_is_done_late_is_done() -> None:
    with time_limited(0.001):
        time.sleep(0.01)


def test_a_time_that_is_over_before_it_began() -> None:
    with pytest.raises(DeadlineOver), time_limited(0.0, DeadlineOver):
        raise AssertionError("nothing begins")


@pytest.mark.parametrize("inner", [0.02, 60.0])
def test_the_outer_limit_stays_in_force_with_its_own_kind(inner: float) -> None:
    with pytest.raises(DeadlineOver), time_limited(0.02, DeadlineOver), time_limited(inner):
        work()


def test_the_inner_limit_leaves_the_outer_one_alone() -> None:
    with time_limited(60.0, DeadlineOver):
        with pytest.raises(OutOfTime), time_limited(0.02):
            work()
        work(0.01)


def test_preparation_counts_for_no_limit() -> None:
    with time_limited(0.2):
        with unlimited():
            work(0.4)
        work(0.01)
        with pytest.raises(OutOfTime):
            work()


def test_a_limit_is_that_of_its_thread() -> None:
    found: list[int] = []
    with time_limited(0.001):
        thread = threading.Thread(target=lambda: found.append(work(0.05)))
        thread.start()
        thread.join()
    assert found[0] > 0
