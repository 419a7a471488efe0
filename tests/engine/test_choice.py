"""Which member of a front is published, beside slow definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.engine.choice import Preference, choice_of, chosen, in_words
from evosdc.errors import DataError, InputError

FRONT = [(0.0, 80.0), (10.0, 40.0), (20.0, 30.0), (45.0, 29.0), (70.0, 0.0)]


@pytest.mark.parametrize(
    ("text", "position"),
    [("balanced", 2), ("knee", 1), ("il=20", 2), ("il=19.9", 1), ("dr=35", 2), ("dr=0", 4), ("il=15,dr=45", 1),
     ("il=60,dr=1", 4)],
)  # fmt: skip
def test_by_hand(text, position):
    choice = choice_of(text)
    assert chosen(FRONT, choice) == position
    assert in_words(choice)


def test_where_all_exceed_a_wish_the_nearest_is_taken():
    assert chosen(FRONT[1:], Preference(il=5.0)) == 0
    assert chosen(FRONT[:3], Preference(dr=5.0)) == 2


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 100)), min_size=2, max_size=20, unique=True))
def test_the_knee_is_farthest_from_the_line_through_both_ends(points):
    front = sorted(p for p in points if not any(q != p and q[0] <= p[0] and q[1] <= p[1] for q in points))
    a, b = np.array(front[0]), np.array(front[-1])
    extent = np.where(b != a, np.abs(b - a), 1.0)
    (ax, ay), (bx, by) = a / extent, b / extent
    below = [(ay + (by - ay) * ((x / extent[0]) - ax) / max(bx - ax, 1e-300)) - y / extent[1] for x, y in front]
    if len(front) > 2:
        assert below[chosen(front, "knee")] >= max(below) - 1e-6


def test_three_objectives_have_a_knee_but_no_wishes():
    points = [(0.0, 5.0, 5.0), (1.0, 1.0, 1.0), (5.0, 0.0, 5.0)]
    assert chosen(points, "knee") == 1
    with pytest.raises(DataError):
        chosen(points, Preference(il=3.0))


@pytest.mark.parametrize("text", ["kne", "il=", "il=a", "", "x=3", "il=120"])
def test_what_is_no_choice_is_refused(text):
    with pytest.raises(InputError):
        choice_of(text)
