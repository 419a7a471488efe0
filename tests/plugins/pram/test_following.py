"""Measures of two-way tables and matches, tracked through edits, have the scores of their tables."""

from collections import Counter
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.table.schema import Attribute, MissingRule, Scale, Schema
from evosdc.table.table import MISSING, Table
from evosdc.testing.tables import changes_of
from evosdc_pram import bivariate
from evosdc_pram.bivariate import BivariateDifference, ChiSquareDifference, CramerDifference, HellingerDifference
from evosdc_pram.matches import CorrectMatches, Unchanged

MEASURES = [
    (BivariateDifference, {}),
    (BivariateDifference, {"form": "raad"}),
    (BivariateDifference, {"form": "cells", "pairs": [("v0", "v2")]}),
    (ChiSquareDifference, {}),
    (CramerDifference, {}),
    (HellingerDifference, {}),
    (CorrectMatches, {}),
    (Unchanged, {}),
]


def drawn(rng, n, sizes=(3, 4, 2), na=MissingRule.CATEGORY):
    attributes = tuple(
        Attribute(f"v{v}", scale=Scale.NOMINAL, categories=tuple(map(str, range(size)))) for v, size in enumerate(sizes)
    )
    codes = np.column_stack([rng.integers(MISSING, size, n) for size in sizes]).astype(np.int32)
    return Table(Schema(attributes, na=na), codes, np.empty((n, 0)))


def check_tracker(measure, params, rng, n):
    original, masked = drawn(rng, n), drawn(rng, n)
    fitted = measure(measure.Params(**params)).fit(original)
    family = [(masked, fitted.track(masked))]
    for _ in range(8):
        table, _ = family[int(rng.integers(len(family)))]
        rows = rng.choice(n, int(rng.integers(0, min(n, 4) + 1)), replace=False).astype(np.intp)
        codes = table.codes.copy()
        v = int(rng.integers(codes.shape[1]))
        codes[rows, v] = drawn(rng, len(rows)).codes[:, v]
        child, own = Table(table.schema, codes, table.numbers), fitted.track(table)
        changes = changes_of(table, [(child, rows), (masked, np.arange(n, dtype=np.intp))])
        wanted = [fitted.score(child), fitted.score(masked)]
        assert own.tries(changes).tolist() == pytest.approx(wanted, rel=1e-9, abs=1e-9)
        own.take(changes.part(0, 1))
        family.append((child, own))
    for table, tracker in family:
        assert tracker.score == pytest.approx(fitted.score(table), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("measure", "params"), MEASURES)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 40))
def test_trackers_have_the_scores_of_their_tables(measure, params, seed, n):
    check_tracker(measure, params, np.random.default_rng(seed), n)


def test_large_tables_are_counted_anew(monkeypatch):
    monkeypatch.setattr(bivariate, "MOST_CELLS", 12)
    check_tracker(ChiSquareDifference, {}, np.random.default_rng(3), 30)


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 25))
def test_two_way_measures_record_by_record(seed, n):
    rng = np.random.default_rng(seed)
    original, masked = drawn(rng, n), drawn(rng, n)
    moved, apart, changes, independent = [], [], [], False
    for a, b in ((0, 1), (0, 2), (1, 2)):
        before, after = (Counter((record[a], record[b]) for record in t.codes.tolist()) for t in (original, masked))
        cells = {*before, *after}
        moved.append(50 * sum(abs(before[cell] - after[cell]) for cell in cells) / n)
        apart.append(100 * sqrt(0.5 * sum((sqrt(before[cell]) - sqrt(after[cell])) ** 2 for cell in cells) / n))
        old, new = chi_square_by_definition(before, n), chi_square_by_definition(after, n)
        independent = independent or old <= 1e-9
        changes.append(min(100.0, 100 * abs(new - old) / old) if old > 1e-9 else 100.0 * (new > 1e-9))
    score = {m: m(m.Params()).fit(original).score(masked) for m in (BivariateDifference, HellingerDifference)}
    assert score[BivariateDifference] == pytest.approx(sum(moved) / 3)
    assert score[HellingerDifference] == pytest.approx(sum(apart) / 3, abs=1e-6)
    # Tables that are independent but for rounding have no relative change to speak of.
    if not independent:
        found = ChiSquareDifference(ChiSquareDifference.Params()).fit(original).score(masked)
        assert found == pytest.approx(sum(changes) / 3, rel=1e-6)


def chi_square_by_definition(cells, n):
    """Return the sum over all combinations of a row and a column that occur of ``(o - e)^2 / e``."""
    rows, columns = Counter(), Counter()
    for (row, column), count in cells.items():
        rows[row] += count
        columns[column] += count
    expected = {(r, c): rows[r] * columns[c] / n for r in rows for c in columns}
    return sum((cells[cell] - e) ** 2 / e for cell, e in expected.items())
