from __future__ import annotations

import hashlib

import numpy as np
import pytest

from evosdc.datasets import housing_tables as tables
from evosdc.datasets.catalogue import dataset_specs
from evosdc.datasets.housing import ATTRIBUTES, draw, survey
from evosdc.datasets.loading import load_dataset
from evosdc.files.source import read_source
from evosdc.table.schema import Scale

# Of the CSV text; it changes only when the generator does, and then every result on this set changes too.
DIGEST = "bfd48cb7d834c82abd77236057376810cbf48020ab81f5f8897d14cc435f0da5"

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
    assert not any(table.absent(name).any() for name in table.schema.names)


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
        for name, label, share in tables.RARE:
            attribute = next(a for a in ATTRIBUTES if a.name == name)
            assert counts(codes[name], attribute)[attribute.code[label]] == share
            assert 1 <= share <= 5


def test_marginals_are_skewed():
    codes = draw(1993, 1000)
    for attribute in ATTRIBUTES:
        found = counts(codes[attribute.name], attribute)
        assert found.max() > 1.4 * found.mean()


def information(a, b):
    """Mutual information in nats; rare cells weigh little in it."""
    joint = np.zeros((a.max() + 1, b.max() + 1))
    np.add.at(joint, (a, b), 1 / len(a))
    apart = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    return (joint[joint > 0] * np.log(joint[joint > 0] / apart[joint > 0])).sum()


@pytest.mark.parametrize(
    "pair",
    [
        ("degree", "built"),
        ("built", "wfuel"),
        ("degree", "wfuel"),
        ("grade1", "tran1"),
        ("metro", "tran1"),
        ("metro", "shp"),
        ("whymove", "whytoh"),
        ("whymove", "whyton"),
        ("whytoh", "whyton"),
    ],
)
def test_attributes_depend_on_each_other(pair):
    codes = draw(1993, 1000)
    a, b = (codes[name] for name in pair)
    rng = np.random.default_rng(0)
    assert information(a, b) > max(information(a, rng.permutation(b)) for _ in range(199))


def test_other_sizes():
    assert len(survey(3, 10).table) == 10
    assert len(survey(3, 2500).table) == 2500
