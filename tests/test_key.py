"""What a secret key promises: nobody repeats its draws, its owner does, and it is written to its file alone."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tomli_w
from scipy.stats import spearmanr

import evosdc
from evosdc.assess.mask import apply_masking, build_steps
from evosdc.errors import DataError, ParameterError
from evosdc.model import Masking, Microdata
from evosdc.plugins.registry import default_registry
from evosdc.runs.published import read_crosswalk
from evosdc.secret import Key, Purpose, chosen_seed, draw_seed, judging_seed, public, replicate_seed, stream

from .cluster.commands import completed, end_at, experiment_file, journal, reached, started, wait_for

NOISE = [
    ("noise", {"alpha": 0.1}),
    ("correlated-noise", {"alpha": 0.1}),
    ("linear-transform-noise", {"alpha": 0.25}),
    ("multiplicative-noise", {"sigma": 0.2}),
]
OTHERS = [
    ("rank-swapping", {"p": 10}, "income"),
    ("shuffling", {"predictors": ["age"]}, "income"),
    ("pram", {"design": "a", "p": 0.7}, "region"),
    ("date-shift", {"days": 30}, "entry"),
    ("table-swapping", {}, "region"),
    ("noise", {"alpha": 0.1, "rounding": False}, "income"),
]


def made_people() -> pd.DataFrame:
    """Return a thousand made people, with numbers, categories and dates."""
    rng = np.random.default_rng(5)
    age = rng.integers(18, 90, 1000)
    return pd.DataFrame(
        {
            "age": age.astype(float),
            "income": np.round(np.exp(rng.normal(10, 0.5, 1000)) + 50 * age, 2),
            "region": pd.Categorical(rng.choice(list("abcdef"), 1000)),
            "trade": pd.Categorical(rng.choice(list("uvwxyz"), 1000)),
            "entry": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 1500, 1000), unit="D"),
        }
    )


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    return made_people()


def values(frame: pd.DataFrame, name: str) -> np.ndarray:
    column = frame[name]
    return column.astype("category").cat.codes.to_numpy() if name == "region" else column.to_numpy()


@pytest.mark.parametrize(("method", "params"), NOISE, ids=lambda one: one if isinstance(one, str) else "")
def test_what_two_default_runs_add_is_unrelated(method, params, people):
    names = ["age", "income"]
    first, second = (evosdc.mask(people, method, protect=names, **params)[names] for _ in range(2))
    for name in names:
        added = [frame[name] - people[name] for frame in (first, second)]
        assert abs(spearmanr(*added).statistic) <= 0.1


@pytest.mark.parametrize(("method", "params", "name"), OTHERS, ids=[method for method, *_ in OTHERS])
def test_two_default_runs_change_other_values(method, params, name, people):
    names = ["region", "trade"] if method == "table-swapping" else [name]
    seeded = [values(evosdc.mask(people, method, protect=names, seed=1, **params), name) for _ in range(2)]
    assert (seeded[0] == seeded[1]).all(), "a public seed repeats its draws"
    first, second = (values(evosdc.mask(people, method, protect=names, **params), name) for _ in range(2))
    changed = (first != values(people, name)) & (second != values(people, name))
    assert changed.sum() >= 5
    categories = len(np.unique(values(people, name)))
    # Of few changes more can be the same by chance.
    margin = 0.1 if changed.sum() > 100 else 0.5
    assert (first == second)[changed].mean() <= 1.0 / max(min(categories, 20) - 1, 1) + margin


def noise_of(seed: object, count: int) -> np.ndarray:
    """Return the first draws that a single column of noise is made of."""
    return stream(seed, Purpose.MASK).standard_normal(count)


@pytest.mark.parametrize("seed", [None, 77], ids=["key", "public seed"])
def test_an_attacker_who_tries_the_smallest_seeds_finds_a_public_seed_and_no_key(seed, people):
    """He knows four people, takes the noise from their published values, and looks for the seed that gives it."""
    column = people[["income"]]
    masked = evosdc.mask(column, "noise", protect=["income"], alpha=0.1, rounding=False, seed=seed)
    drawn = (masked["income"] - column["income"]).to_numpy()[:4]
    scale = np.sqrt(0.1) * column["income"].std(ddof=0)
    known = [s for s in range(1000) if np.allclose(noise_of(s, 4) * scale, drawn, rtol=0.01)]
    assert known == ([] if seed is None else [77])


@pytest.mark.parametrize(("method", "params", "name"), OTHERS[:3], ids=[method for method, *_ in OTHERS[:3]])
def test_masking_by_small_seeds_tells_no_more_of_a_keyed_file_than_other_keys(method, params, name, people):
    """An attacker masks the file himself by many seeds: none has more in common with it than draws of keys have."""
    few = people.iloc[:40].reset_index(drop=True)
    names = ["region", "trade"] if method == "table-swapping" else [name]

    def masked(**drawn):
        return values(evosdc.mask(few, method, protect=names, **drawn, **params), name)

    published = masked()
    by_seeds = max((masked(seed=seed) == published).mean() for seed in range(10))
    by_keys = max((masked() == published).mean() for _ in range(10))
    assert by_seeds <= by_keys + 0.2
    assert (masked(seed=3) == masked(seed=3)).all()


@pytest.mark.endurance
def test_none_of_the_hundred_thousand_smallest_seeds_gives_draws_of_a_key():
    key = Key.fresh()
    for purpose in (Purpose.MASK, Purpose.PORTFOLIO, Purpose.SHUFFLE):
        mine = stream(key, purpose).random(2)
        assert not any(np.array_equal(stream(seed, purpose).random(2), mine) for seed in range(100_000))


def ran(folder: Path, *words: object, **changes: object) -> dict[str, object]:
    """Return the result of a short search on a file of people, whose records are published in random order."""
    folder.parent.mkdir(exist_ok=True)
    data = folder.parent / "people.csv"
    made_people().to_csv(data, index=False)
    given = {
        "title": "key",
        "data": {"file": str(data), "protect": ["age", "region"], "shuffle": True},
        "start": {
            "methods": [{"method": "rank-swapping", "p": 8}, {"method": "pram", "p": 0.7}, {"method": "mdav", "k": 3}]
        },
        "measures": {"il": ["ctbil"], "dr": ["ranked-linkage"]},
        "stop": {"generations": 5},
        "executor": {"name": "serial"},
        "second_opinion": False,
    }
    file = folder.parent / f"{folder.name}.toml"
    file.write_text(tomli_w.dumps(given | changes), encoding="utf-8")
    done = completed("run", file, "--quiet", "-o", folder, *words)
    assert done.returncode == 0, done.stderr
    assert folder.joinpath("key").read_text().strip() not in done.stdout + done.stderr
    return json.loads((folder / "result.json").read_text())


WRITTEN = ("best.csv", "crosswalk.csv", "front.csv", "scores.csv")


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("key") / "run"
    ran(folder)
    return folder


def test_nothing_but_its_file_holds_the_key_or_a_hash_of_the_original(tmp_path):
    folder = tmp_path / "run"
    ran(folder, "--executor", "processes", "--workers", 2)
    bits, original = bytes.fromhex((folder / "key").read_text()), (tmp_path / "people.csv").read_bytes()
    hashes = [getattr(hashlib, name)(original) for name in ("sha256", "sha1", "md5", "blake2b", "blake2s", "sha512")]
    secrets = [bits, bits.hex().encode(), *(str(int.from_bytes(bits, order)).encode() for order in ("big", "little"))]
    secrets += [text for one in hashes for text in (one.digest(), one.hexdigest().encode())]
    written = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    holding = [path.name for path in written if any(secret in path.read_bytes() for secret in secrets[4:])]
    assert holding == [], "a hash of the original"
    holding = [path.name for path in written if any(secret in path.read_bytes() for secret in secrets[:4])]
    assert holding == ["key"]
    assert not [path for path in written if path.stat().st_mode & 0o077]


def test_a_manifest_tells_neither_key_nor_hash_of_the_original(people, tmp_path):
    data, key = tmp_path / "people.csv", tmp_path / "secret.key"
    people.to_csv(data, index=False)
    command = ("mask", "noise", data, "--protect", "income", "--set", "alpha=0.1")
    assert completed(*command, "-o", tmp_path / "a.csv").returncode == 0
    assert completed(*command, "-o", tmp_path / "b.csv", "--key", key).returncode == 0
    for name in ("a", "b"):
        text = (tmp_path / f"{name}.manifest.json").read_text()
        assert key.read_text().strip() not in text
        assert hashlib.sha256(data.read_bytes()).hexdigest() not in text
        assert json.loads(text)["seed"] is None
    assert key.stat().st_mode & 0o077 == 0


def test_a_key_repeats_a_file_to_the_byte_and_names_further_draws(people, tmp_path):
    people.to_csv(tmp_path / "people.csv", index=False)
    command = ("mask", "rank-swapping", tmp_path / "people.csv", "--protect", "income", "--set", "p=10")
    made = {}
    for name, words in {"a": (), "again": (), "draw": ("--draw", 1), "shuffled": ("--shuffle",)}.items():
        target = tmp_path / f"{name}.csv"
        assert completed(*command, "-o", target, "--key", tmp_path / "key", *words).returncode == 0
        made[name] = target.read_bytes()
    assert made["a"] == made["again"]
    assert made["a"] != made["draw"]
    assert sorted(made["a"].splitlines()) == sorted(made["shuffled"].splitlines())
    assert made["a"] != made["shuffled"]


@pytest.mark.parametrize("executor", ["serial", "processes", pytest.param("scoop", marks=pytest.mark.endurance)])
def test_a_run_repeats_by_its_key_on_any_executor(executor, run, tmp_path):
    folder = tmp_path / executor
    sent = () if executor == "serial" else ("--workers", 2, "--set", "executor.grain='evaluations'")
    ran(folder, "--key", run / "key", "--executor", executor, *sent)
    assert [(folder / name).read_bytes() for name in WRITTEN] == [(run / name).read_bytes() for name in WRITTEN]
    assert (folder / "key").read_text() == (run / "key").read_text()


@pytest.mark.parametrize("seed", [None, 5], ids=["key", "public seed"])
def test_an_attacker_who_replays_a_search_finds_what_a_public_seed_drew_and_no_more_of_a_key(seed, tmp_path):
    """He has the original and makes the starting files again by many seeds; the order, too, where he knows the seed."""
    plain = {"start": {"methods": [{"method": "rank-swapping", "p": 8}]}, "stop": {"generations": 0}}
    ran(tmp_path / "run", **plain, **({} if seed is None else {"seed": seed}))
    original, published = pd.read_csv(tmp_path / "people.csv"), pd.read_csv(tmp_path / "run" / "best.csv")
    rows = read_crosswalk(tmp_path / "run" / "crosswalk.csv", 1000, 1000)
    table = evosdc.read_table(tmp_path / "people.csv")
    microdata = Microdata(table, ("age", "region"))
    masking = Masking("rank-swapping", {"p": 8})
    methods = build_steps(masking, default_registry())

    def agreement(guess) -> float:
        made = apply_masking(masking, methods, microdata, stream(guess, Purpose.PORTFOLIO, 0)).column("age")
        ages = np.array(table.schema["age"].categories, dtype=float)[made] if table.schema["age"].categorical else made
        return float((ages[rows] == published["age"].to_numpy()).mean())

    by_seeds = [agreement(guess) for guess in range(8)]
    by_keys = [agreement(Key.fresh()) for _ in range(8)]
    if seed is None:
        assert max(by_seeds) <= max(by_keys) + 0.05
    else:
        assert by_seeds[seed] == 1.0 > max(by_keys) + 0.5
    assert len(original) == len(published)


def test_two_runs_by_default_have_nothing_in_common(run, tmp_path):
    ran(tmp_path / "other")
    assert all((tmp_path / "other" / name).read_bytes() != (run / name).read_bytes() for name in WRITTEN[:2])
    assert (tmp_path / "other" / "key").read_text() != (run / "key").read_text()


@pytest.mark.cluster
def test_a_killed_run_that_draws_from_a_key_ends_as_the_unbroken_one(tmp_path):
    path = experiment_file(tmp_path / "experiment.toml")
    path.write_text(re.sub(r"(?m)^seed = .*\n", "", path.read_text()))
    key = tmp_path / "key"
    Key.fresh().write(key)
    process = started("run", path, "--key", key, "-o", tmp_path / "killed", "--quiet", "--no-report")
    wait_for(lambda: reached(tmp_path / "killed", 4), process)
    process.kill()
    process.wait()
    end = journal(tmp_path / "killed")[-1]["generation"] + 6
    end_at(tmp_path / "killed", end)
    assert completed("resume", tmp_path / "killed", "--quiet", "--no-report").returncode == 0
    words = ("--key", key, "--set", f"stop.generations={end}", "--quiet", "--no-report")
    assert completed("run", path, *words, "-o", tmp_path / "whole").returncode == 0
    for name in ("best.csv", "front.csv", "scores.csv"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_published_records_stand_in_an_order_of_their_own_which_the_crosswalk_tells(run):
    original, published = pd.read_csv(run.parent / "people.csv"), pd.read_csv(run / "best.csv")
    rows = read_crosswalk(run / "crosswalk.csv", 1000, 1000)
    assert abs(spearmanr(rows, np.arange(1000)).statistic) < 0.12
    assert (published["income"].to_numpy() == original["income"].to_numpy()[rows]).all()
    assert abs(spearmanr(published["income"], original["income"]).statistic) < 0.12
    assert (run / "crosswalk.csv").stat().st_mode & 0o077 == 0


def test_members_of_one_front_are_exported_in_orders_of_their_own(run, tmp_path):
    for member in ("best", "0"):
        assert completed("export", run, member, "-o", tmp_path / f"{member}.csv").returncode == 0
    first, second = (pd.read_csv(tmp_path / f"{member}.csv")["income"] for member in ("best", "0"))
    assert first.equals(pd.read_csv(run / "best.csv")["income"])
    same = (pd.read_csv(run / "front.csv").shape[0] == 1) or (first == second).all()
    assert same or abs(spearmanr(first, second).statistic) < 0.12
    assert (run / "crosswalk-0.csv").exists()


def test_what_a_public_seed_draws_is_not_for_release(tmp_path):
    result = ran(tmp_path / "seeded", seed=1)
    assert result["verdict"]["publishable"] is False
    assert any("public seed" in reason for reason in result["verdict"]["reasons"])
    assert any("public seed" in warning for warning in result["warnings"])
    done = completed("mask", "mdav", "housing", "--protect", "built", "--seed", 1, "-o", tmp_path / "m.csv")
    assert "not for release" in done.stdout
    assert any("seed" in text for text in json.loads((tmp_path / "m.manifest.json").read_text())["not_for_release"])


def test_keyed_results_do_not_forbid_their_release_for_their_draws(run):
    result = json.loads((run / "result.json").read_text())
    assert not any("public seed" in text for text in [*result["verdict"]["reasons"], *result["warnings"]])
    assert result["seed"] is None


def test_a_seed_and_a_key_are_one_too_many(tmp_path):
    done = completed("mask", "mdav", "housing", "--seed", 1, "--key", tmp_path / "k", "-o", tmp_path / "m.csv")
    assert done.returncode == 2
    assert "one of both" in done.stderr
    assert not (tmp_path / "k").exists()
    with pytest.raises(ParameterError, match="one of both"):
        evosdc.mask(pd.DataFrame({"a": [1.0, 2.0]}), "noise", seed=1, key=tmp_path / "k", alpha=0.1)


@pytest.mark.parametrize("text", ["", "abc", "g" * 64, "00" * 31])
def test_a_file_that_holds_no_key_is_refused_and_not_shown(text, tmp_path):
    file = tmp_path / "key"
    file.touch(0o600)
    file.write_text(text)
    with pytest.raises(DataError, match="no key") as caught:
        chosen_seed(None, file)
    assert not text or text not in str(caught.value)


def test_a_key_that_others_can_read_is_refused(tmp_path):
    file = tmp_path / "key"
    Key.fresh().write(file)
    file.chmod(0o644)
    with pytest.raises(DataError, match="chmod 600"):
        chosen_seed(None, file)


def test_derived_keys_differ_and_texts_do_not_show_them():
    key = Key.fresh()
    derived = [draw_seed(key, 1), draw_seed(key, 2), replicate_seed(key, 1), replicate_seed(key, 1, 1), key]
    assert len(set(derived)) == 5
    assert draw_seed(key, 0) == replicate_seed(key, 0) == key
    assert repr(key) == str(key) == f"{key}" == "<secret key>"
    assert public(key) is None
    assert public(3) == 3
    assert judging_seed(key) < 2**32
    assert judging_seed(key) != judging_seed(Key.fresh())
    with pytest.raises(TypeError):
        json.dumps({"key": key})
