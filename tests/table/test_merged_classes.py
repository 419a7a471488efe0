"""Classes that have enough records to keep a table by."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evosdc.table.hierarchy import Hierarchy
from evosdc.table.merged_classes import merged_classes
from evosdc.table.schema import Attribute, Scale

AGE = Attribute("age", scale=Scale.NUMERIC)


def town(size, hierarchy=None):
    return Attribute("town", scale=Scale.NOMINAL, categories=tuple(map(str, range(size))), hierarchy=hierarchy)


def test_neighbours_are_merged_along_the_order():
    assert merged_classes([5, 1, 1, 6, 2], AGE, 5).tolist() == [0, 0, 0, 1, 1]
    assert merged_classes([1, 1, 1], AGE, 5).tolist() == [0, 0, 0]


def test_rare_categories_are_merged_along_the_hierarchy_and_else_together():
    assert merged_classes([9, 1, 2, 8], town(4), 3).tolist() == [0, 2, 2, 1]
    assert merged_classes([9, 1, 1, 8], town(4), 3).tolist() == [0, 1, 1, 1]
    tree = Hierarchy(("0", "1", "2", "3"), (("a", "*"), ("b", "*"), ("b", "*"), ("a", "*")))
    assert merged_classes([9, 2, 2, 1], town(4, tree), 3).tolist() == [0, 1, 1, 0]
    found = merged_classes([9, 2, 2, 1], town(4, tree), 3)
    assert found[1] == found[2] != found[0]


@given(st.lists(st.integers(0, 30), min_size=1, max_size=40), st.integers(0, 50), st.booleans())
def test_each_class_has_enough_where_all_together_have(counts, least, ordered):
    classes = merged_classes(counts, AGE if ordered else town(len(counts)), least)
    sizes = np.bincount(classes, weights=counts)
    assert sorted(set(classes.tolist())) == list(range(len(sizes)))
    if least > 1 and sum(counts) >= least:
        assert sizes.min() >= least
    if ordered:
        assert set(np.diff(classes).tolist()) <= {0, 1}
