"""Files of more records than numbers of 16 bits count: measures that save room in shorter ones have other kernels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.plugins.registry import default_registry
from evosdc.table.table import Table
from evosdc.testing.tables import changes_of
from tests.plugins.measures.cases import fitted, noisy, pairs, schema, table

RECORDS = (1 << 16) + 1000


@pytest.fixture(scope="module")
def files():
    rng = np.random.default_rng(1)
    categories = [rng.choice(size, RECORDS, p=rng.dirichlet(np.ones(size))) for size in (3, 7, 12, 4)]
    original = table(schema((3, 7, 12, 4), ("nominal",) * 4), np.column_stack(categories).tolist())
    return original, noisy(original, 0.3, rng)


def moved(masked, rng, cells):
    """Return a child in which so many cells are others, with their rows."""
    codes, rows = masked.codes.copy(), np.sort(rng.choice(RECORDS, cells, replace=False)).astype(np.intp)
    for row in rows:
        v = int(rng.integers(codes.shape[1]))
        codes[row, v] = (codes[row, v] + 1) % len(masked.schema.categorical[v].categories)
    return Table(masked.schema, codes, masked.numbers), rows


@pytest.mark.parametrize("by_record", [False, True])
@pytest.mark.parametrize("name", ["dbrl", "prl", "informed-linkage", "ranked-linkage"])
def test_children_of_long_files(name, by_record, files, monkeypatch):
    from evosdc_measures.linkage import prl

    if by_record:
        monkeypatch.setattr(prl, "DENSE_CELLS", 0)
    original, masked = files
    rng = np.random.default_rng(2)
    measure = default_registry().build("measure", name, {}).fit(original)
    state = measure.start(masked)
    children = [moved(masked, rng, cells) for cells in (1, 4, 40)]
    fresh = [measure.score(child) for child, _ in children]
    assert measure.values(state, changes_of(masked, children)).tolist() == fresh
    for (child, rows), score in zip(children, fresh, strict=True):
        followed = measure.update(state, child, rows)
        assert measure.value(followed) == score


@given(pairs(most_records=30), st.sampled_from(["masked-to-original", "original-to-masked"]), st.booleans())
def test_records_looked_up_side_by_side_are_linked_as_one_by_one(tables, direction, by_hierarchy):
    original, masked = tables
    measure = fitted("dbrl", original, direction=direction, by_hierarchy=by_hierarchy)
    codes, ties, risk = measure.start(masked)
    with pytest.MonkeyPatch.context() as patched:
        for module in ("evosdc_measures.linkage.dbrl", "evosdc.processors"):
            patched.setattr(f"{module}.LONG", 1)
        again = measure.start(masked)
    assert (again[0] is codes, again[2]) == (True, risk)
    np.testing.assert_array_equal(again[1], ties)
