"""Proof that results did not change: digests of what a user's commands leave behind, compared with stored ones.

    python experiments/digests.py                    # exit status 1, and a line for each name that differs
    python experiments/digests.py --only "mask mdav" # the cases whose names hold this, or fit a pattern: "mask*k=5"
    python experiments/digests.py --record           # store the digests of this tree

Everything goes through the command line of the interpreter that runs this script, and through `evosdc.mask` and
`evosdc.measure`, so that the script does for any version of evosdc that has keys. Python's hash seed is left to chance:
a result that hangs on it would differ from run to run. On another processor, or with other versions of numpy or scipy,
the last bits of figures may differ: the stored file says where it was made. Data sets that are not at hand are skipped,
and named. What is run stands in `digest_cases.py`, and in the experiment files below this folder.
"""

from __future__ import annotations

import csv
import json
import os
import platform
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

import click
import numpy as np
import pandas as pd
from digest_cases import CHAINS, DATA, HERE, MASKS, SURVEY, SWEEPS

import evosdc
from evosdc.secret import PUBLIC_SEED

GENERATIONS = 6
"""Of each experiment: some hundred crossings and mutations."""

NO_RESULTS = {
    "environment.json", "status.json", "resolved.json", "setting.json", "experiment.toml", "report.html",
    "for-users.html", "release.json", "key",
}  # fmt: skip
"""Files of a run that tell of the machine, the settings and the versions, or say the same again for people; its key."""
TOLD = ("verdict",)
"""Keys of results that say the same again in words."""
PROVENANCE = ("input", "output", "date", "versions", "formulas", "neutralised_formulas")
"""Keys of manifests that say where a file comes from."""
DRAWN = ("draw", "not_for_release")
"""Keys that say which draw of a seed a file is, and that it is not for release for that."""
VOLATILE = ("seconds", "file_seconds", "evosdc")
"""Keys, and columns, of times and versions."""

Digests = dict[str, str]
"""SHA-256 by part of a result: a file, or a key of the JSON that a command prints."""


class CommandError(Exception):
    """A command ended with another exit status than 0."""


@dataclass(frozen=True)
class Case:
    """Something whose results are compared.

    Parameters
    ----------
    name : str
    digests : callable
        Takes an empty folder and returns the digests of what was made in it.
    needs : frozenset of str
        Data sets, and folders of ``EVOSDC_DATA``, without which it cannot run.
    """

    name: str
    digests: Callable[[Path], Digests]
    needs: frozenset[str] = frozenset()


def evosdc_prints(folder: Path, words: Sequence[str]) -> str:
    """Return what an evosdc command prints when it is typed in a folder; raises `CommandError`."""
    # One thread: sums of linear algebra then do not depend on how many cores there are.
    alone = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    alone |= {"EVOSDC_DATA": DATA} if DATA else {}
    command = [sys.executable, "-m", "evosdc", *words]
    done = subprocess.run(command, cwd=folder, env=os.environ | alone, capture_output=True, text=True, check=False)
    refused = words[0] == "protect" and done.returncode == 1  # what a public seed draws is never for release
    if done.returncode and not refused:
        raise CommandError(f"evosdc {shlex.join(words)}: exit status {done.returncode}\n{done.stderr[-2000:].strip()}")
    return done.stdout


def digest(content: Any) -> str:
    """Return the SHA-256 of bytes, or of a JSON value without times and versions, whatever the order of its keys."""
    raw = content if isinstance(content, bytes) else json.dumps(cleaned(content), sort_keys=True).encode()
    return sha256(raw).hexdigest()


def cleaned(value: Any) -> Any:
    """Return a JSON value without the keys of times, versions and draws, and providers without their version."""
    if isinstance(value, dict):
        return {key: cleaned(entry) for key, entry in value.items() if key not in (*VOLATILE, *TOLD, *DRAWN)}
    if isinstance(value, list):
        return [cleaned(entry) for entry in value if entry != PUBLIC_SEED]
    return re.sub(r" \(evosdc [^)]*\)$", "", value) if isinstance(value, str) else value


def digests_of_files(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the digest of each result below a folder by its path, and those that `result.json` gives itself."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.name in NO_RESULTS or path.name.startswith(".") or path.suffix == ".npz":
            continue
        part = path.relative_to(folder).as_posix()
        if path.suffix == ".json":
            content = json.loads(path.read_bytes())
            if path.name == "result.json":
                yield f"{part} digest", content["digest"]
            if path.name.endswith(".manifest.json"):
                content = {key: value for key, value in content.items() if key not in (*PROVENANCE, "command")}
            yield part, digest(content)
        elif path.suffix == ".jsonl":
            yield part, digest([json.loads(line) for line in path.read_bytes().splitlines()])
        elif path.name == "runs.csv":
            yield part, digest(list(csv.DictReader(path.read_text(encoding="utf-8").splitlines())))
        else:
            yield part, digest(path.read_bytes())


def digests_of_commands(commands: Sequence[Sequence[str]], folder: Path) -> Digests:
    """Run commands one after the other in a folder; return the digests of files and of JSON that they print."""
    printed: Digests = {}
    for words in commands:
        text = evosdc_prints(folder, words)
        if "--json" in words:
            printed |= {
                f"{words[0]} {key}": digest(value) for key, value in json.loads(text).items() if key not in TOLD
            }
    return printed | dict(digests_of_files(folder))


def people() -> pd.DataFrame:
    """Return a made-up file with attributes of all scales and missing values."""
    rng = np.random.default_rng(20)
    levels = ["low", "mid", "high", "highest"]
    frame = pd.DataFrame(
        {
            "education": pd.Categorical(rng.choice(levels, 300), categories=levels, ordered=True),
            "region": pd.Categorical(rng.choice(["north", "south", "east"], 300)),
            "sex": pd.Categorical(rng.choice(["f", "m"], 300)),
            "income": np.round(rng.lognormal(8.0, 1.0, 300), 2),
            "hours": rng.integers(5, 60, 300).astype(float),
        },
        index=pd.RangeIndex(1000, 1300),
    )
    frame.loc[1010:1020, ["education", "hours"]] = None
    return frame


def digests_of_frames(method: str, options: Mapping[str, Any], measures: str, folder: Path) -> Digests:
    """Mask and measure a DataFrame; return the digests of the masked one and of each score."""
    frame = people()
    masked = evosdc.mask(frame, method, seed=5, **options)
    scores = evosdc.measure(frame, masked, measures.split(","), protect=options["attributes"])
    whole = masked.to_csv() + masked.dtypes.to_string()
    return {"frame": digest(whole.encode())} | {name: digest(score) for name, score in scores.items()}


def frame_cases() -> Iterator[Case]:
    """Yield the cases of the Python side."""
    words, numbers = ["education", "region", "sex"], ["income", "hours"]
    judged, counted = "dbil,ctbil,ebil,id,dbrl,prl", "il1s,apil,id,dbrl"
    calls: tuple[tuple[str, dict[str, Any], str], ...] = (
        ("mdav", {"k": 3, "attributes": words}, judged),
        ("mdav", {"k": 4, "attributes": numbers, "by": "sex"}, counted),
        ("rank-swapping", {"p": 10, "attributes": [*words, *numbers]}, "dbrl,prl,id"),
        ("pram", {"p": 0.7, "attributes": words, "by": ["region"]}, judged),
        ("noise", {"alpha": 0.2, "attributes": numbers}, counted),
        ("mondrian", {"k": 5, "output": "interval", "attributes": [*words, *numbers]}, "lm,dm,iloss"),
    )
    for method, options, measures in calls:
        said = ", ".join(f"{key}={value}" for key, value in options.items())
        yield Case(f"evosdc.mask {method}, {said}", partial(digests_of_frames, method, options, measures))


def run_words(path: Path, settings: Sequence[str]) -> list[str]:
    """Return the command that runs an experiment with settings."""
    one_line = [re.sub(r"\n\s*", "", setting) for setting in settings]
    return [
        *("run", str(path), "--executor", "serial", "--quiet", "-o", "run"),
        *(word for setting in one_line for word in ("--set", setting)),
    ]


def short_settings(path: Path) -> list[str]:
    """Return settings that end an experiment after a few generations, in which islands exchange migrants.

    No clock has a say in what comes out: tuning gets a number of files, and a time is as good as none.
    """
    experiment = tomllib.loads(path.read_text(encoding="utf-8"))
    algorithm, start = experiment.get("algorithm", {}), experiment.get("start", {})
    key = "algorithm.generations" if "generations" in algorithm else "stop.generations"
    settings = [f"{key}={GENERATIONS}", *(["algorithm.interval=2"] if "interval" in algorithm else [])]
    if "seconds" in experiment.get("stop", {}):
        settings.append("stop.seconds=1000000")
    if isinstance(start, dict) and "tuned" in start:
        settings.append("start.tuned={ evaluations = 150 }")
    return settings


def cases(known: frozenset[str]) -> Iterator[Case]:
    """Yield all cases; `known` are the names of the registered data sets."""
    chains: dict[str, list[list[str]]] = {}
    for path in sorted(path for path in HERE.rglob("*.toml") if "data" in tomllib.loads(path.read_text("utf-8"))):
        name = path.relative_to(HERE).with_suffix("").as_posix()
        chains[f"run {name}"] = [run_words(path, short_settings(path))]
    for name, (file, *settings) in SWEEPS.items():
        chains[f"sweep {name}"] = [run_words(HERE / file, ["stop.generations=3", *settings])]
    for name, commands in CHAINS.items():
        chains[name] = [shlex.split(command) for command in commands]
    for line in MASKS.strip().splitlines():
        chains[f"mask {line}"] = [["mask", *shlex.split(line), "--seed", "1", "-o", "masked.csv"]]
    for name, words in chains.items():
        needs = frozenset(need for command in words for word in command for need in needed(word, known))
        yield Case(name, partial(digests_of_commands, words), needs)
    yield from frame_cases()


def needed(word: str, known: frozenset[str]) -> Iterator[str]:
    """Yield the data set, or the folder of ``EVOSDC_DATA``, that a word of a command names or an experiment reads."""
    if word in known:
        yield word
    elif word.endswith(".toml") and Path(word).is_relative_to(HERE):
        yield from needed(tomllib.loads(Path(word).read_text(encoding="utf-8"))["data"].get("name", ""), known)
    elif word == SURVEY:
        yield "ihsn_testdata"


def digests_of(case: Case) -> tuple[Digests, float, str]:
    """Return the digests of a case by full name, the seconds that it took, and what went wrong, if anything."""
    began = perf_counter()
    with tempfile.TemporaryDirectory(prefix="evosdc-digests-") as folder:
        try:
            parts, failure = case.digests(Path(folder)), ""
        except (CommandError, evosdc.EvosdcError, json.JSONDecodeError) as error:
            parts, failure = {}, str(error)
    return {f"{case.name}: {part}": value for part, value in parts.items()}, perf_counter() - began, failure


def made_where() -> str:
    """Return what besides evosdc has a say in the last bits of a figure."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "numba", "pandas"))
    return f"Python {platform.python_version()}, {packages}, {platform.machine()}"


def differences(stored: Mapping[str, str], found: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each name whose digests are not the same."""
    for name in sorted(stored.keys() | found.keys()):
        if name not in found:
            yield f"missing  {name}"
        elif name not in stored:
            yield f"new      {name}"
        elif stored[name] != found[name]:
            yield f"differs  {name}"


def read(store: Path) -> tuple[str, Digests]:
    """Return where stored digests were made, and them."""
    if not store.exists():
        return "nobody", {}
    document = json.loads(store.read_text(encoding="utf-8"))
    return document["made"], document["digests"]


def chosen_cases(only: str) -> tuple[list[Case], dict[str, list[str]]]:
    """Return the cases that a pattern chooses and, by the name of a case that cannot be run, the data it lacks."""
    catalogue = json.loads(evosdc_prints(HERE, ["datasets", "list", "--json"]))["datasets"]
    there = {entry["name"] for entry in catalogue if entry["at_hand"]}
    there |= {path.name for path in Path(DATA).iterdir()} if DATA else set()
    chosen = [case for case in cases(frozenset(entry["name"] for entry in catalogue)) if matches(case.name, only)]
    lacking = {case.name: sorted(case.needs - there) for case in chosen if case.needs - there}
    return [case for case in chosen if case.name not in lacking], lacking


def matches(name: str, pattern: str) -> bool:
    """Whether the name of a case holds a pattern; brackets stand for themselves."""
    return fnmatchcase(name, f"*{pattern.replace('[', '[[]')}*")


@click.command()
@click.option("--record", is_flag=True, help="Store the digests instead of comparing them.")
@click.option("--only", metavar="PATTERN", default="", help="Cases whose names hold this; * and ? stand for anything.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Cases at a time.")
@click.option("--store", type=click.Path(path_type=Path, dir_okay=False), default=HERE / "digests.json")
def main(record: bool, only: str, jobs: int, store: Path) -> None:
    """Compare the results of the evosdc that is installed with stored digests; exit status 1 where they differ."""
    click.echo(f"evosdc of {Path(evosdc.__file__).parent}")
    ready, lacking = chosen_cases(only)
    found: Digests = {}
    failures: dict[str, str] = {}
    with ThreadPoolExecutor(jobs) as pool:
        for case, (parts, seconds, failure) in zip(ready, pool.map(digests_of, ready), strict=True):
            click.echo(f"{seconds:6.1f} s  {len(parts):3d} names  {case.name}")
            found |= parts
            failures |= {case.name: failure} if failure else {}
    made, stored = read(store)
    untouched = lacking.keys() | failures.keys()
    kept = {
        name: value
        for name, value in stored.items()
        if (case_name := name.partition(": ")[0]) in untouched or not matches(case_name, only)
    }
    lines = [f"failed   {name}: {failure}" for name, failure in failures.items()]
    if not record:
        lines += differences({name: value for name, value in stored.items() if name not in kept}, found)
        if made != made_where():
            click.echo(f"Note: stored by {made}; this is {made_where()}.", err=True)
    elif not failures:
        content = {"made": made_where(), "digests": dict(sorted((kept | found).items()))}
        store.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    for name, data in lacking.items():
        click.echo(f"SKIPPED  {name}: {', '.join(data)} not at hand", err=True)
    for line in lines:
        click.echo(line)
    click.echo(f"{len(ready)} cases, {len(found)} names; {len(lacking)} cases skipped; {len(lines)} differences.")
    raise SystemExit(1 if lines or not ready else 0)


if __name__ == "__main__":
    main()
