"""Risk of large files: that of the same records in memory, whoever counts them."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import evosdc
from evosdc.errors import DataError, ParameterError
from evosdc_large import blocks, counting
from evosdc_large.risk import counted_models, risk_of_parquet
from evosdc_large.workers import workers
from tests.cli.conftest import evosdc as command  # noqa: F401 -- a fixture
from tests.optional import require_dask

from .made_up import KEYS, parquet, people


@pytest.fixture
def file(tmp_path):
    return parquet(people(), tmp_path / "people.parquet")


def close(found, wanted, place=""):
    """Hold figures against each other: whole numbers exactly, sums of fractions up to their last digits."""
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys(), place
        for name in wanted:
            close(found[name], wanted[name], f"{place} {name}")
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=1e-13, abs=1e-15), place
    else:
        assert found == wanted, place


@pytest.mark.parametrize("missing", ["category", "wildcard"])
def test_figures_are_those_of_the_file_in_memory(file, missing):
    found = risk_of_parquet(file, KEYS, ["illness"], missing=missing)
    wanted = evosdc.risk(pd.read_parquet(file), quasi_identifiers=KEYS, sensitive="illness", missing_rule=missing)
    judged = [name for name in found if name in wanted and isinstance(found[name], dict) and name != "not_applicable"]
    assert {"k-anonymity", "global-risk", "individual-risk", "prosecutor-risk", "average-risk"} <= set(judged)
    assert {"l-diversity", "p-sensitivity", "t-closeness", "beta-likeness", "alpha-k-anonymity"} <= set(judged)
    for name in judged:
        close(found[name], wanted[name], name)
    assert found["records"] == wanted["records"] == 500
    assert found["missing_values"] == wanted["missing_values"] > 0


@pytest.mark.endurance
def test_row_groups_batches_and_dictionaries_change_nothing(tmp_path, monkeypatch):
    frame = people()
    wanted = risk_of_parquet(parquet(frame, tmp_path / "one.parquet", rows=500), KEYS, ["illness"])
    for rows in (1, 7, 250):
        assert risk_of_parquet(parquet(frame, tmp_path / f"{rows}.parquet", rows), KEYS, ["illness"]) == wanted
    assert risk_of_parquet(parquet(frame, tmp_path / "c.parquet", 90, True), KEYS, ["illness"]) == wanted
    monkeypatch.setattr(blocks, "BATCH", 33)
    monkeypatch.setattr(counting, "_DENSE", 0)
    assert risk_of_parquet(tmp_path / "one.parquet", KEYS, ["illness"]) == wanted
    monkeypatch.setattr(counting, "GREATEST", 10)
    assert risk_of_parquet(tmp_path / "one.parquet", KEYS, ["illness"]) == wanted
    shuffled = frame.sample(frac=1.0, random_state=1)
    assert risk_of_parquet(parquet(shuffled, tmp_path / "s.parquet"), KEYS, ["illness"]) == wanted


def test_two_dask_workers_find_the_same_to_the_last_bit(file):
    require_dask()
    with workers(number=2) as by:
        found = risk_of_parquet(file, KEYS, ["illness"], by=by)
        with pytest.raises(DataError, match=r"no column 'rgion'.*region"):
            risk_of_parquet(file, ["rgion"], by=by)
    assert json.dumps(found) == json.dumps(risk_of_parquet(file, KEYS, ["illness"]))


@pytest.mark.endurance
def test_a_fault_found_by_a_dask_worker_is_told_as_here(tmp_path):
    require_dask()
    many = tmp_path / "many.parquet"
    pq.write_table(pa.table({"amount": np.arange(counting.MOST_VALUES + 1) / 7}), many)
    with pytest.raises(DataError) as here:
        risk_of_parquet(many, ["amount"])
    assert "more than 100,000 distinct values" in str(here.value)
    with workers(number=1) as by, pytest.raises(DataError) as there:
        risk_of_parquet(many, ["amount"], by=by)
    assert str(there.value) == str(here.value)


def test_a_schema_says_what_is_missing(file, tmp_path):
    schema = tmp_path / "schema.toml"
    schema.write_text('missing = ["", "g"]\n[attributes.region]\n[attributes.elsewhere]\nrole = "other"\n')
    found = risk_of_parquet(file, ["region"], schema=schema)
    frame = people()
    assert found["missing_values"] == int(frame["region"].isna().sum() + (frame["region"] == "g").sum())
    assert found["k-anonymity"]["combinations"] == 7


def test_models_that_need_single_records_say_so(file):
    found = risk_of_parquet(file, KEYS, models={"suda2": {}, "k-anonymity": {}})
    assert "single records" in found["not_applicable"]["suda2"]
    assert "suda2" not in counted_models(evosdc.plugins.registry.default_registry())


def test_too_many_combinations_are_told_with_what_to_leave_out(file, monkeypatch):
    monkeypatch.setattr(counting, "MOST_RECORDS", 100)
    with pytest.raises(DataError, match=r"\d+ distinct combinations of sex, age, region in \d+ records; .*recode age"):
        risk_of_parquet(file, KEYS)


def test_the_rule_never_is_refused(file):
    with pytest.raises(ParameterError, match="wildcard or category"):
        risk_of_parquet(file, KEYS, missing="never")


class TestCommand:
    def test_json(self, command, file):  # noqa: F811
        answer = command(
            "large", "risk", str(file), "--quasi-identifiers", ",".join(KEYS), "--sensitive", "illness", "--json"
        )
        assert answer.status == 0, answer.err
        assert json.loads(answer.out) == json.loads(json.dumps(risk_of_parquet(file, KEYS, ["illness"])))

    def test_in_words(self, command, file):  # noqa: F811
        answer = command(
            "large", "risk", str(file), "--quasi-identifiers", "sex", "--models", "k-anonymity,t-closeness"
        )
        assert answer.status == 0, answer.err
        assert "does not apply" in answer.out
        assert "500 records, 2 distinct" in answer.out

    @pytest.mark.parametrize(
        ("content", "words", "told"),
        [
            (b"a,b\n1,2\n", ["--quasi-identifiers", "a"], "no Parquet file"),
            (None, ["--quasi-identifiers", "sex"], "no such file"),
            (b"PAR1", ["--quasi-identifiers", "a", "--set", "suda3.x=1"], "suda3"),
        ],
    )
    def test_bad_input(self, command, tmp_path, content, words, told):  # noqa: F811
        path = tmp_path / "data.parquet"
        if content is not None:
            path.write_bytes(content)
        answer = command("large", "risk", str(path), *words)
        assert answer.status == 2
        assert told in answer.err
        assert "Traceback" not in answer.err

    def test_lists_and_empty_files_are_refused(self, command, tmp_path):  # noqa: F811
        path = tmp_path / "lists.parquet"
        pq.write_table(pa.table({"a": pa.array([], type=pa.list_(pa.int64()))}), path)
        answer = command("large", "risk", str(path), "--quasi-identifiers", "a")
        assert answer.status == 2
        assert "values such as lists" in answer.err
        assert "without records" in answer.err
