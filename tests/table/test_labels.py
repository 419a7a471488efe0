"""Labels put right: as a slow search over all permutations does, and never for the worse."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evosdc.errors import InputError
from evosdc.table.corrections import best_labels, gain_at_most, joint_counts, with_right_labels
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import MISSING, Table


def table(codes, size=3):
    attribute = Attribute("a", Role.QUASI_IDENTIFIER, Scale.NOMINAL, tuple("abcdefgh"[:size]))
    columns = np.asarray(codes, dtype=np.int32)[:, None]
    return Table(Schema((attribute,)), columns, np.empty((len(columns), 0)))


def agreeing(one, other):
    return int(np.count_nonzero(one.codes == other.codes))


codes = st.integers(MISSING, 3)


@given(st.lists(st.tuples(codes, codes), min_size=1, max_size=30))
def test_no_relabelling_agrees_more(pairs):
    original, masked = (table(column, 4) for column in zip(*pairs, strict=True))
    righted = with_right_labels(original, masked, ["a"])
    relabelled = []
    for order in permutations(range(4)):
        meant = np.array([*order, MISSING])
        relabelled.append(agreeing(original, table(meant[masked.codes[:, 0]], 4)))
    assert agreeing(original, righted) == max(relabelled)
    assert np.array_equal(righted.codes == MISSING, masked.codes == MISSING)
    assert np.array_equal(with_right_labels(original, righted, ["a"]).codes, righted.codes)


def test_an_exchange_is_undone():
    original = table([0, 0, 0, 1, 1, 2])
    masked = table([1, 1, 0, 0, 0, 2])
    assert with_right_labels(original, masked, ["a"]).codes[:, 0].tolist() == [0, 0, 1, 1, 1, 2]
    assert with_right_labels(original, masked, []).codes[:, 0].tolist() == [1, 1, 0, 0, 0, 2]


def test_categories_that_win_nothing_keep_their_labels():
    joint = joint_counts(np.array([0, 0, 1]), np.array([0, 0, 0]), 5)
    assert joint.sum() == 3
    assert best_labels(joint).tolist() == [0, 1, 2, 3, 4]


@given(joint=arrays(np.int64, st.integers(1, 5).map(lambda size: (size, size)), elements=st.integers(0, 9)))
def test_no_labels_are_better_than_the_best_and_what_is_gained_is_bounded(joint):
    size = len(joint)
    found = best_labels(joint)
    right = {other: (sum(joint[a, b] for a, b in enumerate(other))) for other in permutations(range(size))}
    most = max(right.values())
    assert right[tuple(found)] == most <= np.trace(joint) + gain_at_most(joint)
    kept = [sum(a == b for a, b in enumerate(other)) for other, agree in right.items() if agree == most]
    assert (found == np.arange(size)).sum() == max(kept)


def test_unknown_names_and_generalised_labels_are_refused():
    original = table([0, 1])
    with pytest.raises(InputError, match="right_labels"):
        with_right_labels(original, original, ["b"])
    with pytest.raises(InputError, match="generalised labels"):
        with_right_labels(original, table([0, 1], 4), ["a"])
