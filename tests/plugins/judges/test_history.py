"""Releases together: what an intruder finds who holds the earlier ones, by a plain reading of its definition."""

import numpy as np
import pytest

from evosdc.assess.judge import second_opinions
from evosdc.errors import ParameterError
from evosdc.model import EarlierRelease, Microdata
from evosdc.plugins.registry import default_registry
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table
from tests.plugins.judges.cases import noisy, people, permuted


def shuffled(table, seed=1):
    rows = np.random.default_rng(seed).permutation(len(table)).astype(np.intp)
    return EarlierRelease("a", table.take(rows), rows)


def joined(original, masked, *earlier, protect=None, **params):
    measure = default_registry().build("measure", "release-history", params)
    protect = protect or original.schema.names
    return measure.fit_in(Microdata(original, protect, earlier=tuple(earlier))).details(masked.select(protect))


def with_town(table):
    """Add a column that tells everybody apart and that nobody is known to have."""
    town = Attribute("town", Role.OTHER, Scale.NOMINAL, tuple(map(str, range(len(table)))))
    codes = np.column_stack((table.codes, np.arange(len(table), dtype=np.int32)))
    return Table(Schema((*table.schema.attributes, town)), codes, table.numbers)


def by_definition(original, files, blocks):
    """Return the greater of both directions; `files` are codes by person, `blocks` whom each may be in the others."""
    n = len(original)
    score = np.zeros((n, n))
    for who in range(n):
        likely = []
        for file in files:
            weight = np.ones(n)
            for v in range(original.shape[1]):
                same = original[:, v] == original[who, v]
                for k in range(n):
                    alike = file[:, v] == file[k, v]
                    weight[k] *= (same & alike).sum() / same.sum() / (alike.sum() / n)
            likely.append(weight)
        for j in range(n):
            score[who, j] = likely[0][j] * np.prod([one[blocks[j]].mean() for one in likely[1:]])
    shares = []
    for at in (score, score.T):
        tied = np.isclose(at, at.max(axis=1, keepdims=True), rtol=1e-7)
        shares.append((tied.diagonal() / tied.sum(axis=1)).mean())
    return 100 * max(shares)


@pytest.mark.parametrize("size", [1, 4, 40])
def test_by_its_definition(size):
    original = people(40, sizes=(4, 3), scales=("nominal",) * 2)
    files = [noisy(original, 0.6, seed) for seed in (1, 2, 3)]
    group = np.arange(40, dtype=np.int32) // size
    block = Attribute("block", Role.OTHER, Scale.NOMINAL, tuple(map(str, range(40))))
    schema = Schema((*original.schema.attributes, block))
    whole, *tables = (Table(schema, np.column_stack((t.codes, group)), t.numbers) for t in (original, *files))
    found, beside = joined(whole, tables[0], *map(shuffled, tables[1:]), protect=original.schema.names)
    blocks = [np.flatnonzero(group == group[j]) for j in range(40)]
    codes = [file.codes for file in files]
    assert found.value == pytest.approx(by_definition(original.codes, codes, blocks))
    assert beside["alone"] == pytest.approx(by_definition(original.codes, codes[:1], blocks))


def test_releases_whose_rows_can_be_joined_find_many_more():
    original = people(400, sizes=(5, 5, 5), scales=("nominal",) * 3)
    files = [noisy(original, 0.5, seed) for seed in (1, 2, 3)]
    apart, beside = joined(original, files[0], *map(shuffled, files[1:]))
    assert apart.value == pytest.approx(beside["alone"])  # no column says which rows belong together
    whole, *tables = map(with_town, (original, *files))
    together, beside = joined(whole, tables[0], *map(shuffled, tables[1:]), protect=original.schema.names)
    assert together.value > 2 * beside["alone"]
    assert beside["alone"] == pytest.approx(apart.value)


def test_an_earlier_file_that_knows_nobody_adds_nothing():
    original = with_town(people(400, sizes=(3, 3), scales=("nominal",) * 2))
    protect = original.schema.names[:2]
    masked = original.with_columns(noisy(original.select(protect), 0.6))
    useless = original.with_columns(permuted(original.select(protect)))
    found, beside = joined(original, masked, shuffled(useless), protect=protect)
    assert found.value <= beside["alone"] + 4.0


def test_a_sensitive_value_masked_twice_is_guessed_better():
    town = with_town(people(400, sizes=(40, 6), scales=("nominal",) * 2))
    names = town.schema.names
    attributes = [
        Attribute(a.name, Role.SENSITIVE if a.name == names[1] else a.role, a.scale, a.categories)
        for a in town.schema.attributes
    ]
    original = Table(Schema(tuple(attributes)), town.codes, town.numbers)
    files = [original.with_columns(noisy(original.select(names[:2]), 0.5, seed)) for seed in (1, 2, 3)]
    _, beside = joined(original, files[0], *map(shuffled, files[1:]), protect=names[:2])
    assert beside["attribute"] > 2.0


def test_without_earlier_releases_it_is_not_asked():
    original = people(100)
    with pytest.raises(ParameterError, match="--earlier"):
        default_registry().build("measure", "release-history", {}).fit(original)
    masked = noisy(original, 0.5)
    asked = second_opinions(original, {"": masked}, registry=default_registry(), judges=["repu"])[""]
    assert [finding.judge for finding in asked.findings] == ["repu"]
    both = second_opinions(
        original, {"": masked}, registry=default_registry(), judges=["repu"], earlier=(shuffled(masked),)
    )[""]
    assert {finding.judge for finding in both.findings} == {"repu", "release-history"}
