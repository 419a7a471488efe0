"""The picture of what was explored of a large lattice."""

from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.model import Individual
from evosdc_lattice.picture import KEPT, Explored, explored_picture, ticks


def judged(count: int, first: int = 0) -> list[Individual]:
    """Nodes of which every third is beyond the limit, where a penalty of 50 is on top of the loss."""
    found = []
    for number in range(first, first + count):
        beyond = number % 3 == 0
        scores = {"violation": 0.5, "penalty": 50.0} if beyond else {"violation": 0.0}
        loss = float(number) + (50.0 if beyond else 0.0)
        found.append(Individual(np.array([number % 7, 1], dtype=np.int16), bytes([number % 256]), scores, (loss,), "x"))
    return found


@pytest.mark.endurance
@given(st.lists(st.integers(0, 3000), max_size=8))
def test_what_is_kept_does_not_depend_on_how_many_come_at_once(counts: list[int]) -> None:
    at_once, one_by_one, begin = Explored.kept_in({}).joined(judged(sum(counts))), Explored.kept_in({}), 0
    for count in counts:
        one_by_one = Explored.kept_in(one_by_one.joined(judged(count, begin)).memory())
        begin += count
    assert at_once.seen == one_by_one.seen == sum(counts)
    assert at_once.every == one_by_one.every
    assert np.array_equal(at_once.nodes, one_by_one.nodes)
    assert len(at_once.nodes) <= KEPT
    assert at_once.nodes[:, 1].tolist() == [float(x) for x in range(0, sum(counts), at_once.every)]


def test_the_picture_shows_the_nodes_and_the_result() -> None:
    explored = Explored.kept_in({}).joined(judged(30))
    root = ElementTree.fromstring(explored_picture(explored, "loss < 3", judged(1, 7)[0], 2.0))
    circles = [one for one in root if one.tag.endswith("circle")]
    assert len(circles) == 30 + 1
    assert sum(one.get("fill") == "#b8bec7" for one in circles) == 10
    assert any("30 nodes judged" in (one.text or "") for one in root)
    assert any(one.get("stroke-dasharray") for one in root)


@pytest.mark.parametrize(("low", "high", "expected"), [(0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1.0]), (7, 7, [7])])
def test_ticks_are_round(low: float, high: float, expected: list[float]) -> None:
    assert ticks(low, high) == expected


def test_one_node_alone_is_drawn() -> None:
    explored = Explored.kept_in({}).joined(judged(1, 1))
    root = ElementTree.fromstring(explored_picture(explored, "lm", judged(1, 1)[0], None))
    assert sum(one.tag.endswith("circle") for one in root) == 1 + 1
