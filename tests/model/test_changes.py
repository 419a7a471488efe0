"""What children change: parts, selections, several together, and the way back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.model import Changes
from evosdc.table.table import Table
from evosdc.testing.tables import sample_table


def family(seed, count=6):
    """Return a table, children of it, and what these change."""
    rng, parent = np.random.default_rng(seed), sample_table("ordinary")
    children, rows = [], []
    for _ in range(count):
        own = np.sort(rng.choice(len(parent), rng.integers(0, 6), replace=False))
        codes, numbers = parent.codes.copy(), parent.numbers.copy()
        others = rng.integers(0, len(parent), len(own))
        codes[own], numbers[own] = parent.codes[others], parent.numbers[others]
        children.append(Table(parent.schema, codes, numbers))
        rows.append(own)
    ends = np.cumsum([len(own) for own in rows], dtype=np.int64)
    after = [child.take(own) for child, own in zip(children, rows, strict=True)]
    together = Table(
        parent.schema, np.concatenate([t.codes for t in after]), np.concatenate([t.numbers for t in after])
    )
    listed = np.concatenate(rows)
    return parent, children, Changes(ends, listed, parent.take(listed), together)


@given(st.integers(0, 2**32), st.integers(0, 5), st.integers(0, 5))
def test_parts_are_the_changes_of_consecutive_children(seed, begin, more):
    parent, children, changes = family(seed)
    end = min(begin + more, len(children))
    part = changes.part(begin, end)
    assert len(part.ends) == max(end - begin, 0)
    for place, child in enumerate(children[begin:end]):
        assert part.part(place, place + 1).applied_to(parent).same_records(child)


@given(st.integers(0, 2**32), st.lists(st.integers(0, 5), max_size=8))
def test_some_are_chosen_in_any_order_and_twice(seed, places):
    parent, children, changes = family(seed)
    chosen = changes.chosen(places)
    assert len(chosen.ends) == len(places)
    for number, place in enumerate(places):
        assert chosen.part(number, number + 1).applied_to(parent).same_records(children[place])


@given(st.integers(0, 2**32), st.lists(st.permutations(range(6)).map(lambda all_: all_[:3]), max_size=4))
def test_several_are_put_together_and_the_first_counts(seed, sets):
    parent, children, changes = family(seed)
    together = changes.together(sets)
    assert len(together.ends) == len(sets)
    for number, places in enumerate(sets):
        codes, numbers = parent.codes.copy(), parent.numbers.copy()
        for place in reversed(places):
            rows = changes.part(place, place + 1).rows
            codes[rows], numbers[rows] = children[place].codes[rows], children[place].numbers[rows]
        part = together.part(number, number + 1)
        assert part.applied_to(parent).same_records(Table(parent.schema, codes, numbers))
        assert part.rows.tolist() == sorted(set(part.rows.tolist()))


@given(st.integers(0, 2**32))
def test_the_way_back_leads_to_the_parent(seed):
    parent, children, changes = family(seed, 1)
    assert changes.reversed().applied_to(children[0]).same_records(parent)


def test_some_attributes_change_as_in_the_whole():
    parent, children, changes = family(3)
    names = parent.schema.names[::-2]
    part = changes.select(names).part(1, 2)
    assert part.applied_to(parent.select(names)).same_records(children[1].select(names))


def test_one_child_is_told_by_its_records():
    parent, children, changes = family(4)
    part = changes.part(2, 3)
    one = Changes.of_one(part.rows, part.before, part.after)
    assert one.ends.tolist() == [len(part.rows)]
    assert one.applied_to(parent).same_records(children[2])
    with pytest.raises(AttributeError):
        one.rows = part.rows
