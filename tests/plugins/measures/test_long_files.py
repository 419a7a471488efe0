"""Files of more records than numbers of 16 bits count: measures that save room in shorter ones have other kernels."""

import numpy as np
import pytest

from evosdc.plugins.registry import default_registry
from evosdc.table.table import Table
from evosdc.testing.tables import changes_of
from tests.plugins.measures.cases import noisy, schema, table

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


@pytest.mark.parametrize("name", ["dbrl", "prl", "informed-linkage", "ranked-linkage"])
def test_children_of_long_files(name, files):
    original, masked = files
    rng = np.random.default_rng(2)
    measure = default_registry().build("measure", name, {}).fit(original)
    tracker = measure.track(masked)
    children = [moved(masked, rng, cells) for cells in (1, 4, 40)]
    fresh = [measure.score(child) for child, _ in children]
    assert tracker.tries(changes_of(masked, children)).tolist() == pytest.approx(fresh, rel=1e-9)
    for child, score in zip(children, fresh, strict=True):
        followed = measure.track(masked)
        followed.take(changes_of(masked, [child]))
        assert followed.score == pytest.approx(score, rel=1e-9)
