"""`protect --truthful` publishes true values alone, only coarser or absent, in groups as large as the audience asks."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

SCHEMA = """\
[attributes]
age = { role = "quasi-identifier", scale = "ordinal" }
sex = { role = "quasi-identifier" }
zip = { role = "quasi-identifier", scale = "nominal", hierarchy = { prefix = [1, 2] } }
finding = { role = "sensitive" }
"""
KNOWN = ["age", "sex", "zip"]


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    rng, n = np.random.default_rng(4), 400
    columns = {
        "age": rng.integers(20, 60, n),
        "sex": rng.choice(["f", "m"], n),
        "zip": rng.choice(["101", "102", "113", "205", "216", "217"], n),
        "finding": rng.choice(["a", "b", "c"], n),
    }
    folder = tmp_path_factory.mktemp("truthful")
    pd.DataFrame(columns).to_csv(folder / "people.csv", index=False)
    (folder / "people.toml").write_text(SCHEMA)
    return folder / "people.csv"


def covers(published: str, value: str) -> bool:
    """Whether a published label says nothing that is not so of a value."""
    if published in ("*", value):
        return True
    if ".." in published:
        low, high = published.split("..")
        return int(low) <= int(value) <= int(high)
    return published.endswith("*") and value.startswith(published.rstrip("*")) and len(published) == len(value)


def protected(evosdc, people, folder, *words):
    done = evosdc(
        "protect", people, "--schema", people.with_suffix(".toml"), "--truthful", "--keep-order", "-o", folder, *words
    )
    (file,) = folder.glob("best*.csv")
    return done, pd.read_csv(file, dtype=str), json.loads((folder / "result.json").read_text())


@pytest.mark.parametrize(
    ("words", "k"),
    [((), 11), (("--audience", "researchers"), 5), (("--bound", "33"), 3), (("--require", "k-anonymity >= 7"), 7)],
)
def test_every_published_value_is_true_and_groups_are_large_enough(evosdc, people, tmp_path, words, k) -> None:
    _, published, _ = protected(evosdc, people, tmp_path / "run", *words)
    original = pd.read_csv(people, dtype=str)
    for name in KNOWN:
        assert all(map(covers, published[name], original[name])), name
    assert (published["finding"] == original["finding"]).all()
    shown = published[(published[KNOWN] != "*").any(axis=1)]
    groups = shown.groupby(KNOWN)["finding"]
    assert groups.size().min() >= k
    assert groups.nunique().min() >= 2
    assert len(published) - len(shown) <= 0.05 * len(published)


def test_a_model_of_sensitive_values_may_be_required_in_place_of_two_values(evosdc, people, tmp_path) -> None:
    words = ("--require", "k-anonymity >= 5", "--require", "l-diversity >= 3")
    _, published, _ = protected(evosdc, people, tmp_path / "run", *words)
    shown = published[(published[KNOWN] != "*").any(axis=1)]
    assert shown.groupby(KNOWN)["finding"].nunique().min() == 3


def test_measures_of_changed_values_cannot_be_required(evosdc, people, tmp_path) -> None:
    done = evosdc("protect", people, "--truthful", "--require", "dbrl <= 5", "-o", tmp_path / "run")
    assert done.status == 2
    assert "--truthful: given the requirement dbrl <= 5; wanted requirements on privacy models" in done.err
    assert not (tmp_path / "run").exists()
