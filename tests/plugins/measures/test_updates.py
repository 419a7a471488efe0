"""States: followed through edits they equal fresh ones to the last bit, and old ones stay as they were."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc_measures.linkage.kept_ties import USED
from evosdc_measures.linkage.links import Links
from tests.plugins.measures.cases import CLASSES, edited, fitted, noisy, pairs, schema, table

FOLLOWED = [name for name in CLASSES if name not in ("dbil", "ctbil", "ebil")]
VARIANTS = [(name, {}) for name in FOLLOWED] + [
    ("dbrl", {"direction": "original-to-masked"}),
    ("id", {"nominal": "frequency", "percents": (3, 40)}),
]


@pytest.mark.parametrize(("name", "params"), VARIANTS)
@given(tables=pairs(), seed=st.integers(0, 2**32 - 1))
def test_updates_on_small_tables(name, params, tables, seed):
    original, masked = tables
    check(name, params, original, masked, np.random.default_rng(seed), 12)


@pytest.mark.parametrize(("name", "params"), VARIANTS)
def test_updates_on_published_files(name, params, published):
    rng = np.random.default_rng(7)
    check(name, params, published, noisy(published, 0.2, rng), rng, 15)


def test_updates_where_records_are_linked_one_by_one(german, monkeypatch):
    from evosdc_measures.linkage import prl

    rng = np.random.default_rng(8)
    masked = noisy(german, 0.2, rng)
    dense = fitted("prl", german).score(masked)
    monkeypatch.setattr(prl, "DENSE_CELLS", 0)
    assert fitted("prl", german).score(masked) == pytest.approx(dense, abs=1e-9)
    check("prl", {}, german, masked, rng, 10)


@pytest.mark.parametrize("name", ["id"])
def test_updates_of_wide_attributes(name, german, monkeypatch):
    from evosdc_measures import joint

    monkeypatch.setattr(joint, "WIDE", 5)
    rng = np.random.default_rng(9)
    check(name, {}, german, noisy(german, 0.2, rng), rng, 10)


@pytest.mark.parametrize("name", ["dbrl", "prl"])
def test_updates_with_a_crowded_memory(name, adult, monkeypatch):
    from evosdc_measures.linkage import dbrl, profile_cache

    rng = np.random.default_rng(10)
    masked = noisy(adult, 0.3, rng)
    wanted = fitted(name, adult).score(masked)
    monkeypatch.setattr(dbrl, "MEMORY", 4)
    monkeypatch.setattr(profile_cache, "MEMORY", 4 << 8)
    assert fitted(name, adult).score(masked) == wanted
    check(name, {}, adult, masked, rng, 5)


# One stands for all: what makes a form acceptable is the compiler, and each form is compiled anew.
@pytest.mark.parametrize(
    "name",
    ["id", *(pytest.param(n, marks=pytest.mark.endurance) for n in [*FOLLOWED, "prl by record"] if n != "id")],
)
def test_rows_may_be_given_in_any_form(name, monkeypatch):
    from evosdc_measures.linkage import prl

    if name == "prl by record":
        name = "prl"
        monkeypatch.setattr(prl, "DENSE_CELLS", 0)
    original = table(schema((3, 4), ("ordinal", "nominal")), [[i % 3, i % 4] for i in range(12)])
    masked = table(original.schema, [[0, 3]] * 12)
    measure = fitted(name, original)
    wanted = measure.score(masked)
    locked = np.arange(12, dtype=np.intp)
    locked.flags.writeable = False
    for rows in (locked, np.arange(24, dtype=np.intp)[::2] // 2, np.arange(12, dtype=np.intp)[::-1]):
        assert measure.value(measure.update(measure.start(original), masked, rows)) == wanted


def check(name, params, original, masked, rng, edits):
    measure, fresh = fitted(name, original, **params), fitted(name, original, **params)
    family = [(masked, measure.start(masked))]
    for _ in range(edits):
        table, state = family[int(rng.integers(len(family)))]
        changed, rows = edited(table, rng)
        family.append((changed, measure.update(state, changed, rows)))
    for table, state in family:
        wanted = fresh.value(fresh.start(table))
        assert measure.value(state) == wanted
        assert measure.score(table) == wanted
        for part, begun in zip(parts(state), parts(fresh.start(table)), strict=True):
            assert np.array_equal(part, begun)


def parts(state):
    """Return what a state holds besides the codes, array by array."""
    arrays = [array for part in state[1:] for array in (part if isinstance(part, tuple) else (part,))]
    links = [part for part in state if isinstance(part, Links)]
    if links:
        # Where the profiles lie, and which orders of patterns were met, depends on what came before.
        latest = int(links[0].kept[:, USED].argmax())
        ranks = links[0].ranks[latest]
        arrays = [links[0].pairs, ranks, *links[0].ties_at(latest), state[2]]
    return arrays
