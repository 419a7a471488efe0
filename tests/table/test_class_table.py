"""Classes that change in place, against classes that are counted anew."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.table.class_table import ClassTable, least_of_children, least_tree


def counted(keys, values):
    """Return the records of each class, and how often each value occurs in it, as a list in some fixed order."""
    found = []
    for key in np.unique(keys):
        own = [np.unique(column[keys == key], return_counts=True) for column in values]
        found.append(
            repr((int((keys == key).sum()), [list(zip(*map(np.ndarray.tolist, o), strict=True)) for o in own]))
        )
    return sorted(found)


def read(changed, size, attributes, child=0):
    """Return, by number, the classes that a child changes: records before, records after, and values."""
    found, parts = {}, [changed.of_attribute(a, attributes, size) for a in range(attributes)]
    for i in range(changed.ends[child - 1] if child else 0, changed.ends[child]):
        values = [list(zip(*(c[s[i] : s[i + 1]].tolist() for c in own), strict=True)) for s, *own in parts]
        found[int(changed.classes[i])] = int(changed.before[i]), int(changed.after[i]), values
    return found


def listed(classes):
    return sorted(repr((after, values)) for _, after, values in classes.values() if after)


@pytest.mark.parametrize("attributes", [0, 1, 2])
@given(st.integers(0, 2**32), st.integers(1, 60), st.integers(1, 8))
def test_classes_are_those_counted_anew(attributes, seed, n, size):
    rng = np.random.default_rng(seed)
    keys, values = rng.integers(0, 5, n) * 10**12, rng.integers(0, size, (attributes, n))
    table = ClassTable(keys, values, np.full(attributes, size))
    for _ in range(12):
        children = []
        for _ in range(3):
            rows = np.unique(rng.integers(0, n, rng.integers(1, 5)))
            # Towards few classes, or towards many.
            new = rng.integers(0, rng.choice([2, 40]), len(rows)) * 10**12
            children.append((rows, new, rng.integers(0, size, (attributes, len(rows)))))
        ends = np.cumsum([len(rows) for rows, _, _ in children])
        tried = table.changed(ends, *(np.concatenate(part, axis=-1) for part in zip(*children, strict=True)), False)
        parent = read(table.contents(), size, attributes)
        assert listed(parent) == counted(keys, values)
        for number, (rows, new, other) in enumerate(children):
            changed = read(tried, size, attributes, number)
            assert {place: before for place, (before, _, _) in changed.items() if before} == {
                place: parent[place][0] for place in changed if place in parent
            }
            child = keys.copy(), values.copy()
            child[0][rows], child[1][:, rows] = new, other
            assert listed(parent | changed) == counted(*child)
        table.changed(ends[:1], *children[0], True)
        keys[children[0][0]], values[:, children[0][0]] = children[0][1:]


@given(st.integers(1, 200), st.integers(0, 2**32))
def test_the_least_figure_is_found_again(n, seed):
    rng = np.random.default_rng(seed)
    figures = np.where(rng.random(n) < 0.5, np.inf, rng.integers(0, 9, n).astype(float))
    tree = least_tree(figures)
    for _ in range(10):
        assert tree[1] == figures.min()
        parts = [np.unique(rng.integers(0, n, size)) for size in (3, 1, 0, 2)]
        ends, places = np.cumsum([len(part) for part in parts]), np.concatenate(parts)
        after = np.where(rng.random(len(places)) < 0.3, np.inf, rng.integers(0, 9, len(places)).astype(float))
        wanted = []
        for part, new in zip(parts, np.split(after, ends[:-1]), strict=True):
            child = figures.copy()
            child[part] = new
            wanted.append(child.min())
        assert least_of_children(tree, ends, places, after, False).tolist() == wanted
        figures[parts[0]] = after[: ends[0]]
        least_of_children(tree, ends[:1], parts[0], after[: ends[0]], True)
