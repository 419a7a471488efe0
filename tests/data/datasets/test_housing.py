from __future__ import annotations

import hashlib

import numpy as np
from scipy.stats import chi2_contingency

from evosdc.data.datasets import dataset_specs, load_dataset
from evosdc.data.datasets import housing_tables as tables
from evosdc.data.datasets.housing import ATTRIBUTES, draw, survey
from evosdc.data.schema import Scale
from evosdc.data.source import read_source

# Of the CSV text; it changes only when the generator does, and then every result on this set changes too.
DIGEST = "a84e2312a3390c7ece01f0fc03812801c3e1d1b0b1200e378e58fdf73ebd633e"

SIZES = {
    "built": 25,
    "degree": 8,
    "grade1": 21,
    "metro": 9,
    "sch": 6,
    "shp": 6,
    "tran1": 12,
    "wfuel": 9,
    "whymove": 18,
    "whytoh": 13,
    "whyton": 13,
}


def counts(codes, attribute):
    return np.bincount(codes, minlength=len(attribute.categories))


def test_shape():
    table = load_dataset(dataset_specs()[0]).table
    assert len(table) == 1000
    assert {a.name: len(a.categories) for a in table.schema.attributes} == SIZES
    assert [a.name for a in table.schema.attributes if a.scale is Scale.ORDINAL] == ["built", "degree", "grade1"]
    assert not table.has_missing


def test_one_seed_one_file(tmp_path):
    source = survey()
    source.write(tmp_path / "housing.csv", source.table)
    assert hashlib.sha256((tmp_path / "housing.csv").read_bytes()).hexdigest() == DIGEST
    assert read_source(tmp_path / "housing.csv", source.table.schema).table.same_records(source.table)
    assert not survey(7).table.same_records(source.table)


def test_two_nominal_categories_are_empty_and_some_are_rare():
    for seed in (1993, 1, 2, 3):
        codes = draw(seed, 1000)
        nominal = [a for a in ATTRIBUTES if a.scale is Scale.NOMINAL]
        empty = [(a.name, a.categories[c]) for a in nominal for c in np.flatnonzero(counts(codes[a.name], a) == 0)]
        assert empty == [("tran1", "streetcar"), ("wfuel", "coal")]
        rare = sum(int(((n >= 1) & (n <= 5)).sum()) for n in (counts(codes[a.name], a) for a in nominal))
        assert rare >= 12
        for name, label, share in tables.RARE:
            attribute = next(a for a in ATTRIBUTES if a.name == name)
            assert counts(codes[name], attribute)[attribute.code[label]] >= share


def test_marginals_are_skewed():
    codes = draw(1993, 1000)
    for attribute in ATTRIBUTES:
        found = counts(codes[attribute.name], attribute)
        assert found.max() > 2 * found.sum() / len(found)


def test_attributes_depend_on_each_other():
    codes = draw(1993, 1000)
    for a, b in (
        ("built", "degree"),
        ("built", "wfuel"),
        ("grade1", "tran1"),
        ("metro", "tran1"),
        ("whymove", "whytoh"),
        ("whymove", "whyton"),
        ("whytoh", "whyton"),
        ("degree", "wfuel"),
    ):
        groups = [np.searchsorted(np.quantile(codes[name], [0.34, 0.67]), codes[name]) for name in (a, b)]
        table = np.zeros((3, 3))
        np.add.at(table, tuple(groups), 1)
        table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
        assert chi2_contingency(table).pvalue < 0.01, (a, b)


def test_other_sizes():
    assert len(survey(3, 10).table) == 10
    assert len(survey(3, 2500).table) == 2500
