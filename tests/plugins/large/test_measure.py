"""Measures of large files: those of the same records in memory, whoever counts them."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import evosdc
from evosdc.errors import DataError, InputError, ParameterError
from evosdc.plugins.registry import default_registry
from evosdc_large.measure import measure_parquet, measures_of_counts
from evosdc_large.workers import workers
from tests.cli.conftest import evosdc as command  # noqa: F401 -- a fixture
from tests.optional import require_dask

from .made_up import parquet, people

ATTRIBUTES = ["sex", "age", "region", "illness"]
MEASURES = ["dbil", "ctbil", "ebil", "best-guess", "actbil"]


def masked(frame: pd.DataFrame) -> pd.DataFrame:
    """Return people of whom some have another one's values."""
    rng = np.random.default_rng(7)
    result = frame.copy()
    for name in ATTRIBUTES:
        moved = rng.random(len(frame)) < 0.3
        result.loc[moved, name] = rng.permutation(frame.loc[moved, name].to_numpy())
    return result


@pytest.fixture
def files(tmp_path):
    frame = people()
    schema = tmp_path / "schema.toml"
    schema.write_text('[attributes.age]\nscale = "ordinal"\n')
    before = parquet(frame, tmp_path / "before.parquet")
    return before, parquet(masked(frame), tmp_path / "after.parquet", rows=130), schema


def in_memory(command, files):  # noqa: F811
    before, after, schema = files
    answer = command("measure", str(before), str(after), "--schema", str(schema), "--measures", ",".join(MEASURES),
                     "--protect", ",".join(ATTRIBUTES), "--json")  # fmt: skip
    assert answer.status == 0, answer.err
    return json.loads(answer.out)


def test_scores_are_those_of_the_files_in_memory(command, files):  # noqa: F811
    before, after, schema = files
    found, wanted = measure_parquet(before, after, ATTRIBUTES, schema=schema), in_memory(command, files)
    for name in MEASURES:
        assert found[name] == pytest.approx(wanted[name], rel=1e-13), name
        assert found[name] > 0
    assert found["ctbil"] == wanted["ctbil"]
    assert found["records"] == 500


def test_parameters_count(files):
    before, after, schema = files
    frames = pd.read_parquet(before), pd.read_parquet(after)
    chosen = {"ctbil": {"K": 3}}
    found = measure_parquet(before, after, ["sex", "region", "illness"], schema=schema, measures=chosen)
    wanted = evosdc.measure(*frames, chosen, protect=["sex", "region", "illness"])
    assert found["ctbil"] == wanted["ctbil"]


def test_the_original_loses_nothing(files):
    before, _, schema = files
    found = measure_parquet(before, before, schema=schema)
    assert {name: found[name] for name in MEASURES} == dict.fromkeys(MEASURES, 0.0) | {"best-guess": 100.0}
    assert set(MEASURES) <= set(measures_of_counts(default_registry()))


@pytest.mark.endurance
def test_row_groups_and_two_dask_workers_change_no_bit(files, tmp_path):
    require_dask()
    before, after, schema = files
    wanted = json.dumps(measure_parquet(before, after, schema=schema))
    other = parquet(pd.read_parquet(before), tmp_path / "other.parquet", rows=17)
    assert json.dumps(measure_parquet(other, after, schema=schema)) == wanted
    with workers(number=2) as by:
        assert json.dumps(measure_parquet(other, after, schema=schema, by=by)) == wanted


def test_what_does_not_fit_is_refused(files, tmp_path):
    before, after, schema = files
    frame = people()
    short = parquet(frame.head(400), tmp_path / "short.parquet")
    with pytest.raises(DataError, match="400 records; wanted 500"):
        measure_parquet(before, short, schema=schema)
    other = parquet(frame.replace({"sex": {"f": "women"}}), tmp_path / "other.parquet")
    with pytest.raises(InputError, match=r"sex: given .women."):
        measure_parquet(before, other, ["sex"], schema=schema)
    numbers = parquet(pd.DataFrame({"x": np.arange(500) / 7}), tmp_path / "numbers.parquet")
    with pytest.raises(DataError, match="a numeric attribute"):
        measure_parquet(numbers, numbers)
    with pytest.raises(ParameterError, match="joint counts"):
        measure_parquet(before, after, measures={"dbrl": {}})


def test_command(command, files):  # noqa: F811
    before, after, schema = files
    words = ("large", "measure", str(before), str(after), "--schema", str(schema), "--set", "ctbil.K=1")
    answer = command(*words, "--json")
    assert answer.status == 0, answer.err
    chosen = {name: {} for name in measures_of_counts(default_registry())} | {"ctbil": {"K": 1}}
    assert json.loads(answer.out) == measure_parquet(before, after, schema=schema, measures=chosen)
    answer = command(*words)
    assert "500 records" in answer.out
    assert command(*words, "--measures", "dbil").status == 2
