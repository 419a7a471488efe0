"""Links of files with so many distinct people that originals of likelier categories alone are looked at."""

import numpy as np
import pytest

from evosdc.table.table import Table
from evosdc.testing.tables import changes_of
from evosdc_measures.linkage.category_rivals import NODES
from tests.plugins.measures.numeric.cases import fitted, numeric

RECORDS, CLASSES = 1500, 64


@pytest.fixture(scope="module")
def files():
    rng = np.random.default_rng(5)
    numbers = rng.normal(size=(5, RECORDS)) + rng.normal(size=RECORDS)
    return numeric(*numbers), numeric(*(numbers + 0.4 * rng.normal(size=numbers.shape)))


def edited(masked, original, rng, size):
    rows = np.sort(rng.choice(RECORDS, size, replace=False))
    numbers = masked.numbers.copy()
    for row in rows:
        columns = rng.random(5) < 0.7
        source = original if rng.random() < 0.5 else masked
        numbers[row, columns] = source.numbers[row if rng.random() < 0.5 else rng.integers(RECORDS), columns]
    return Table(masked.schema, masked.codes, numbers), rows


def test_children_and_followed_files_are_those_linked_anew(files):
    original, masked = files
    measure, rng = fitted("informed-linkage", original, bins=CLASSES), np.random.default_rng(1)
    state = measure.start(masked)
    for _ in range(4):
        children = [edited(masked, original, rng, size) for size in (1, 1, 1, 2, 4, 12, 40)]
        found = measure.values(state, changes_of(masked, children)).tolist()
        assert found == [measure.score(table) for table, _ in children]
        masked, rows = children[int(rng.integers(len(children)))]
        state = measure.follow(state, masked, rows)
        assert measure.value(state) == measure.score(masked)


def test_categories_of_the_file_above_are_listed(files):
    """Else the test above would look at the tree alone."""
    inner = fitted("informed-linkage", files[0], bins=CLASSES)._fitted
    sizes = np.diff(inner._listing.begins)
    assert 0 < sizes.max() * NODES <= len(inner._originals.tree.nodes)
