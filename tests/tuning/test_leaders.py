"""Which designs tuning goes on with."""

from hypothesis import given
from hypothesis import strategies as st

from evosdc.tuning.schedule import TOLERATED, leaders

ORDERS = st.lists(st.tuples(st.floats(0.0, 5.0), st.floats(0.0, 100.0)), max_size=12)


@given(ORDERS)
def test_both_orders_have_their_turns(orders):
    found = leaders(range(len(orders)), lambda place: orders[place])
    assert sorted(found) == list(range(len(orders)))
    strict = sorted(range(len(orders)), key=lambda place: orders[place])
    within = [place for place in range(len(orders)) if orders[place][0] <= TOLERATED]
    if orders:
        assert found[0] == strict[0]
    if len(within) > 1:
        # The best score within tolerance is there by the second turn, whatever keeps the bounds.
        assert min(orders[place][1] for place in within) in {orders[place][1] for place in found[:2]}
    for count in range(1, len(orders) + 1):
        # Every second turn is the stricter order's: nothing that keeps the bounds is pushed out.
        assert set(strict[: count // 2]) <= set(found[:count])


@given(st.lists(st.floats(0.0, 100.0), max_size=12))
def test_where_all_keep_the_bounds_the_score_decides(scores):
    found = leaders(scores, lambda score: (0.0, score))
    assert found == sorted(scores)


def test_what_was_not_judged_comes_last():
    orders = [(float("inf"),), (2.0, 1.0), (0.0, 9.0)]
    assert leaders(range(3), lambda place: orders[place]) == [2, 1, 0]
