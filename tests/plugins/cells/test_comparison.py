"""Which records and cells of files differ, against comparing them one by one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evosdc_cells.comparison import STRETCH, changed_codes, differing_rows


@st.composite
def versions(draw):
    """Return a file, several versions of it, and of how many records one may differ."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    shape = draw(st.sampled_from([(1, 1), (1, 7), (STRETCH, 1), (STRETCH + 1, 1), (43, 3), (300, 2), (90, 5)]))
    kind = draw(st.sampled_from([np.int8, np.int16, np.int32]))
    parent = rng.integers(-1, 4, shape).astype(kind)
    children = np.repeat(parent[None], draw(st.integers(1, 5)), axis=0)
    for child in children:
        for _ in range(draw(st.integers(0, 5))):
            child[rng.integers(shape[0]), rng.integers(shape[1])] = rng.integers(-1, 4)
        if draw(st.booleans()) and draw(st.booleans()):
            child[:] = rng.integers(-1, 4, shape)
    return parent, children, draw(st.integers(0, shape[0]))


@given(versions())
def test_records_and_cells_that_differ_are_found(files):
    parent, children, _ = files
    for child in children:
        rows = differing_rows(parent, child)
        assert rows.dtype == np.intp
        assert rows.tolist() == (parent != child).any(axis=1).nonzero()[0].tolist()


@given(versions())
def test_what_children_change_is_found_for_all_at_once(files):
    parent, children, most = files
    chosen, ends, rows, before, after = changed_codes(parent, children, most)
    wanted = [(place, (parent != child).any(axis=1).nonzero()[0]) for place, child in enumerate(children)]
    wanted = [(place, own) for place, own in wanted if len(own) <= most]
    assert chosen.tolist() == [place for place, _ in wanted]
    assert ends.tolist() == np.cumsum([len(own) for _, own in wanted]).tolist()
    assert rows.tolist() == [row for _, own in wanted for row in own.tolist()]
    assert before.dtype == after.dtype == np.int32
    assert before.tolist() == [parent[row].tolist() for _, own in wanted for row in own]
    assert after.tolist() == [children[place][row].tolist() for place, own in wanted for row in own]
