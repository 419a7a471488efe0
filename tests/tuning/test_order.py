"""In which order designs are tried where time may be short."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evosdc.model import Design
from evosdc.tuning.designs import Arm, TunedStep, in_order_of_promise

PROMISE = {"rank-swapping": 3, "table-swapping": 2, "pram": 1}


def arm(method: str, number: int = 0, dear: bool = False) -> Arm:
    return Arm(f"{method} {number}", "method", (TunedStep(method, Design(dear=dear), ("a",)),), 1)


def test_promise_comes_before_the_alphabet_and_what_takes_long_has_its_turn() -> None:
    arms = [arm("bottom-coding"), arm("optimal-channel", 0, True), arm("pram"), arm("pram", 1), arm("rank-swapping")]
    found = in_order_of_promise([*arms, arm("table-swapping", 0, True)], PROMISE)
    assert [one.name for one in found] == [
        "rank-swapping 0",
        "pram 0",
        "bottom-coding 0",
        "table-swapping 0",
        "pram 1",
        "optimal-channel 0",
    ]


METHODS = st.sampled_from(["bottom-coding", "mdav", "pram", "rank-swapping", "table-swapping", "a stranger's"])


@given(st.lists(st.builds(arm, METHODS, st.integers(0, 9), st.booleans()), max_size=12))
def test_all_arms_are_there_once(arms: list[Arm]) -> None:
    found = in_order_of_promise(arms, PROMISE)
    assert sorted(map(id, found)) == sorted(map(id, arms))
