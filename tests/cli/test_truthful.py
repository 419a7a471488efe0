"""`protect --truthful` publishes true values alone, only coarser or absent, in groups as large as the audience asks."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from evosdc.experiment.experiment import Named
from evosdc.experiment.protection import protection
from evosdc.experiment.single_run import run_once
from evosdc.options.search import ProtectOptions
from evosdc.plugins.registry import default_registry

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


def test_pages_say_what_analysts_can_use_of_coarser_columns(evosdc, people, tmp_path) -> None:
    _, _, result = protected(evosdc, people, tmp_path / "r", "--audience", "researchers")
    tables = json.loads((tmp_path / "r/release.json").read_text())["analyses"]["tables"]
    assert any(entry.get("coarser") for entry in tables)
    assert result["verdict"]["trust"]["yes"] or result["verdict"]["trust"]["no"]
    for page, words in (("for-users", "(in published groups)"), ("report", "in the published groups of")):
        assert words in (tmp_path / f"r/{page}.html").read_text()


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


def test_of_adult_no_other_node_of_the_lattice_loses_less(tmp_path, data_sets):
    data = data_sets.path("adult")
    keys = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"]
    hierarchy = str(data.absolute() / "hierarchies_arx" / "adult_hierarchy_{}.csv")
    lines = [f'{key} = {{ role = "quasi-identifier", hierarchy = "{hierarchy.format(key)}" }}' for key in keys]
    (tmp_path / "schema.toml").write_text("\n".join(["[attributes]", *lines]))
    source = {"file": str(data / "arx" / "adult.csv"), "schema": str(tmp_path / "schema.toml"), "first": 1500}
    options = ProtectOptions(truthful=True, require=("k-anonymity >= 5",), protect=keys, time=None)
    experiment = protection(source | {"protect": keys}, default_registry(), options)
    every = experiment.model_copy(update={"algorithm": Named(name="exhaustive")})
    found, least = (run_once(one, tmp_path / str(id(one)), default_registry(), 1) for one in (experiment, every))
    assert found.result.best.scores["lm"] == pytest.approx(least.result.best.scores["lm"])
    file = found.folder / found.result.best.file
    published = pd.read_csv(file, sep=";", dtype=str, keep_default_na=False)
    assert published.groupby(keys).size().drop(("*",) * len(keys), errors="ignore").min() >= 5
