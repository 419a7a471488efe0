"""Columns that tell masked ones are computed from their masked values, or masked with them."""

import logging

import numpy as np
import pandas as pd
import pytest

from evosdc.experiment.data import load_data, with_dependent
from evosdc.experiment.experiment import DataSource
from evosdc.plugins.registry import default_registry


@pytest.fixture
def people(tmp_path):
    """Return where 300 people stand, with their age, whether they are 35 or older, their town and its density."""
    rng = np.random.default_rng(3)
    age, town = rng.integers(18, 60, 300), rng.integers(0, 6, 300)
    frame = pd.DataFrame({
        "age": age,
        "mature": np.where(age >= 35, "mature", "younger"),
        "town": np.char.add("town ", town.astype(str)),
        "zone": np.char.add("zone ", (10 * town + rng.integers(0, 3, 300)).astype(str)),
        "free": rng.choice(["a", "b", "c"], 300),
    })  # fmt: skip
    path = tmp_path / "people.csv"
    frame.to_csv(path, index=False)
    return path


def test_what_follows_is_computed_and_what_tells_is_masked(people, caplog):
    data = DataSource(file=people, protect=("age", "town"))
    with caplog.at_level(logging.WARNING):
        found = with_dependent(data, load_data(data, default_registry()).table)
    assert found.recompute == {"mature": "age"}
    assert found.protect == ("age", "town", "zone")
    assert "mature follows from age" in caplog.text
    assert "zone tells town" in caplog.text


def test_a_protected_file_has_the_column_as_its_masked_values_say(evosdc, people, tmp_path):
    run = tmp_path / "run"
    quick = ("--generations", "1", "--no-tune", "--no-second-opinion", "--keep-order", "--quiet")
    done = evosdc("protect", people, "--protect", "age", *quick, "-o", run)
    assert done.status in (0, 1), done.out
    (file,) = run.glob("best*.csv")
    published, original = pd.read_csv(file), pd.read_csv(people)
    assert (published["age"] != original["age"]).any()
    assert (published["mature"] == np.where(published["age"] >= 35, "mature", "younger")).all()
    assert "mature follows from age: it was computed from the masked age." in (run / "result.json").read_text()
