from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from evosdc.datasets.catalogue import dataset_specs
from evosdc.datasets.loading import load_dataset
from evosdc.errors import DatasetError
from evosdc.files.source import read_source
from evosdc.specs import DatasetSpec
from evosdc.table.schema import Role
from tests.published import asking

NAMES = ("housing", "adult", "german-credit", "solar-flare", "pima", "poker-hand", "tarragona", "census", "eia")
FOLDERS = {
    "adult": "adult",
    "german-credit": "german_credit",
    "solar-flare": "solar_flare",
    "pima": "pima_diabetes",
    "poker-hand": "poker_hand",
    "tarragona": "casc_tarragona",
    "census": "casc_census",
    "eia": "casc_eia",
}
PUBLISHED = tuple(spec for spec in dataset_specs() if spec.files)


def spec_of(name: str) -> DatasetSpec:
    return next(spec for spec in dataset_specs() if spec.name == name)


def test_names():
    assert tuple(spec.name for spec in dataset_specs()) == NAMES


@pytest.mark.parametrize("module", ["evosdc.datasets.catalogue", "evosdc.table.schema", "evosdc.datasets"])
def test_listing_is_light(module):
    heavy = "numpy pandas numba scipy pydantic platformdirs"
    code = f"import sys, {module}; print([m for m in {heavy.split()!r} if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "[]"


def test_specs_are_complete():
    for spec in dataset_specs():
        assert spec.licence
        assert spec.source
        assert spec.summary
        for file in spec.files:
            assert len(file.sha256) == 64
            assert file.folders
            assert all(url.startswith("https://archive.ics.uci.edu/") for url in file.urls)


@pytest.mark.parametrize("spec", PUBLISHED, ids=lambda spec: spec.name)
def test_hashes_sizes_and_frequencies_are_the_documented_ones(spec, data_sets):
    index = json.loads(data_sets.path("index.json").read_text(encoding="utf-8"))["datasets"]
    entry = next(item for item in index if item["directory"] == FOLDERS[spec.name])
    table = data_sets.table(spec.name)
    table.verify()
    assert (len(table), len(table.schema)) == (entry["rows"], entry["columns"]) == (spec.records, spec.attributes)
    for attribute, documented in zip(table.schema.attributes, entry["attributes"], strict=True):
        assert attribute.name == attribute.name.lower()
        assert table.absent(attribute.name).sum() == documented["n_missing"]
        column = table.column(attribute.name)
        if attribute.categorical:
            if "order" in documented:
                # The index tells "A11 = < 0 DM": the code comes before the words.
                assert list(attribute.categories) == [str(label).split(" = ")[0] for label in documented["order"]]
            counts = np.bincount(column[column >= 0], minlength=len(attribute.categories)).tolist()
            found = {label: count for label, count in zip(attribute.categories, counts, strict=True) if count}
            if "frequencies" in documented:
                told = {str(label).split(" = ")[0]: n for label, n in documented["frequencies"].items() if n}
                assert found == told
            assert len(found) == documented["n_distinct_observed"]
        else:
            assert np.nanmin(column) == documented["min"]
            assert np.nanmax(column) == documented["max"]
            assert len(np.unique(column)) == documented["n_distinct_observed"]


@pytest.mark.parametrize(
    ("name", "protected"),
    [
        ("housing", ("built", "degree", "grade1")),
        asking("german-credit", ("existacc", "savings", "presemploy")),
        asking("solar-flare", ("class", "largspot", "spotdist")),
        asking("adult", ("education", "marital-status", "occupation")),
    ],
)
def test_quasi_identifiers_are_those_of_the_thesis(name, protected):
    schema = load_dataset(spec_of(name), offline=True).table.schema
    assert schema.with_role(Role.QUASI_IDENTIFIER) == protected


def test_numeric_reference_files_are_numeric_throughout(data_sets):
    for name, count in (("tarragona", 13), ("census", 13), ("eia", 10)):
        schema = data_sets.table(name).schema
        assert len(schema.with_role(Role.QUASI_IDENTIFIER)) == count
        assert {a.name for a in schema.numeric} == set(schema.with_role(Role.QUASI_IDENTIFIER))
    assert schema.with_role(Role.IDENTIFIER) == ("utilityid", "utilname")


@pytest.mark.data("adult")
def test_complete_records_of_adult():
    adult = load_dataset(spec_of("adult"), offline=True)
    assert any(adult.table.absent(name).any() for name in adult.table.schema.names)
    assert len(adult.restricted(True).table) == 30162
    assert len(adult.restricted(["occupation"]).table) == 32561 - 1843
    extract = adult.restricted(True, 1000).table
    assert len(extract) == 1000
    assert not any(extract.absent(name).any() for name in extract.schema.names)


@pytest.mark.parametrize("spec", PUBLISHED, ids=lambda spec: spec.name)
def test_data_sets_are_written_as_ordinary_csv(spec, data_sets, tmp_path):
    data_sets.require(spec.name)
    source = load_dataset(spec, offline=True)
    source.write(tmp_path / "out.csv", source.table, drop_identifiers=False)
    back = read_source(tmp_path / "out.csv", source.table.schema)
    assert back.table.same_records(source.table)
    assert (tmp_path / "out.csv").read_text().split("\n")[0].split(",") == list(source.table.schema.names)


def test_a_loader_must_return_a_source():
    broken = replace(spec_of("housing"), implementation="builtins:dict")
    with pytest.raises(DatasetError, match="a dict; wanted a Source"):
        load_dataset(broken)
