"""A search of a DataFrame or Table that a program holds."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import evosdc
from evosdc.experiment.data import with_own_data
from evosdc.experiment.reader import read_experiment
from evosdc.experiment.single_run import resume_once
from evosdc.files.frame import table_from_frame
from evosdc.plugins.registry import default_registry

SHORT = {
    "genotype": "cells",
    "data": {"protect": ["education", "region", "hours"]},
    "start": [
        {"method": "rank-swapping", "p": 10, "attributes": ["education"]},
        {"method": "noise", "attributes": ["hours"]},
    ],
    "stop": {"generations": 3},
}


def frame(missing=True):
    rng = np.random.default_rng(1)
    levels = pd.CategoricalDtype(["low", "mid", "high", "none, or unknown"], ordered=True)
    made = pd.DataFrame(
        {
            "person": np.arange(60),
            "education": pd.Categorical(rng.choice(levels.categories[:3], 60), dtype=levels),
            "region": rng.choice(["N\u00f6rd", 'the "south"', "1"], 60),
            "hours": np.round(rng.normal(40, 5, 60), 1),
        },
        index=[f"r{i}" for i in range(60)],
    )
    if missing:
        made.loc[["r3", "r5"], "hours"] = np.nan
        made.loc[["r7"], "education"] = np.nan
    return made


@pytest.mark.parametrize("missing", [False, True])
def test_what_is_written_beside_the_run_is_the_table(missing, tmp_path):
    data = frame(missing)
    result = evosdc.run(SHORT, tmp_path / "run", data=data)
    folder = Path(result["folder"]) / "data"
    kept = evosdc.read_table(folder / "original.csv", folder / "original.toml")
    table = table_from_frame(data)
    assert kept.schema == table.schema
    assert np.array_equal(kept.codes, table.codes)
    assert np.array_equal(kept.numbers, table.numbers, equal_nan=True)
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    published = pd.read_csv(tmp_path / "run" / "best.csv")
    assert list(published) == list(data)
    assert published["person"].tolist() == data["person"].tolist()


def test_values_are_missing_by_the_texts_of_the_schema(tmp_path):
    table = table_from_frame(frame())
    own = [replace(a, missing=("n/a",)) if a.name == "hours" else a for a in table.schema.attributes]
    table = replace(table, schema=replace(table.schema, attributes=tuple(own), missing=("?",)))
    made = with_own_data({}, table, tmp_path)["data"]
    kept = evosdc.read_table(made["file"], made["schema"])
    assert kept.schema == table.schema
    assert np.array_equal(kept.codes, table.codes)
    assert np.array_equal(kept.numbers, table.numbers, equal_nan=True)
    assert "n/a" in Path(made["file"]).read_text()


def test_a_frame_and_its_table_give_the_same_result_which_can_be_repeated_and_resumed(tmp_path):
    one = evosdc.run(SHORT, tmp_path / "one", data=frame())
    key = tmp_path / "one" / "key"
    two = evosdc.run(SHORT, tmp_path / "two", data=table_from_frame(frame()), key=key)
    again = evosdc.run(read_experiment(tmp_path / "one" / "experiment.toml"), tmp_path / "again", key=key)
    assert one["digest"] == two["digest"] == again["digest"]
    resumed = resume_once(tmp_path / "one", default_registry())
    assert resumed.result.digest == one["digest"]


@pytest.mark.parametrize("said", [{"name": "housing"}, {"file": "a.csv"}, "housing"])
def test_two_sources_are_refused_before_anything_is_written(said, tmp_path):
    with pytest.raises(evosdc.InputError, match="one source"):
        evosdc.run(SHORT | {"data": said}, tmp_path / "run", data=frame())
    assert not (tmp_path / "run").exists()


def test_a_folder_that_holds_a_run_is_refused(tmp_path):
    evosdc.run(SHORT, tmp_path / "run", data=frame())
    before = (tmp_path / "run" / "data" / "original.csv").read_bytes()
    with pytest.raises(evosdc.InputError, match="new or empty folder"):
        evosdc.run(SHORT, tmp_path / "run", data=frame(missing=False))
    assert (tmp_path / "run" / "data" / "original.csv").read_bytes() == before
