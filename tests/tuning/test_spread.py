"""A portfolio whose time may end early begins with a spread of its methods and of their parameters."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from evosdc.model import Masking
from evosdc.tuning.schedule import bisected, spread


@given(st.integers(0, 70))
def test_all_positions_come_once_and_the_first_ones_lie_far_apart(size):
    found = bisected(size)
    assert sorted(found) == list(range(size))
    for count in range(1, size):
        gaps = [b - a for a, b in zip([-1, *sorted(found[:count])], [*sorted(found[:count]), size], strict=True)]
        assert max(gaps) <= 2 * (size + 1) / (count + 1) + 1


@given(st.lists(st.integers(1, 9), max_size=5))
def test_each_method_comes_before_any_comes_again(sizes):
    portfolio = [Masking(f"m{method}", {"p": p}) for method, size in enumerate(sizes) for p in range(size)]
    found = spread(portfolio)
    assert Counter(one.label for one in found) == Counter(one.label for one in portfolio)
    assert [one.method for one in found[: len(sizes)]] == [f"m{method}" for method in range(len(sizes))]


def test_of_one_method_the_midst_comes_first():
    found = spread([Masking("pram", {"p": p}) for p in range(1, 10)])
    assert [one.params["p"] for one in found[:3]] == [5, 3, 8]


def test_what_was_tuned_best_has_most_turns():
    portfolio = [Masking(method, {"p": p}) for method in ("a", "b", "c") for p in range(9)]
    found = spread(portfolio, [Masking("c", {"p": 4}), Masking("d", {}), Masking("a", {})])
    assert Counter(one.label for one in found) == Counter(one.label for one in portfolio)
    assert [one.method for one in found[:11]] == ["c", "c", "a", "c", "b", "c", "a", "c", "c", "a", "b"]
    assert [one.params["p"] for one in found if one.method == "b"][:3] == [4, 2, 7]
