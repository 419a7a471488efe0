"""The page of all benchmarks, ``docs/benchmarks.md``, written from stored results, and the runs that store them.

Run from the repository's root: ``python -m benchmarks.page [--run NAME ...]``. Without ``--run`` the page is written
from ``benchmarks/results``; with it these benchmarks are run before, one after the other, and what they print is stored
with machine, command and date. ``--run all`` takes hours.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import mean, median
from time import process_time

import numpy as np

from evosdc import __version__

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "benchmarks.md"
HONEST, WHICH = ROOT / "docs" / "honest.md", ROOT / "docs" / "which.md"
DEFAULTS = RESULTS / "publishable-files.csv"
FIGURES = "percent", "loss", "classical"
END = "<!-- end -->"
BEGIN_DEFAULTS = "<!-- defaults, written by benchmarks/page.py -->"
BEGIN_WAYS = "<!-- three ways, written by benchmarks/page.py -->"
DETAILS = "| k-marginal", "| members distinguished", "| impossible", "| exact values"
"""Lines on one file made three ways that only the page of benchmarks has."""


@dataclass(frozen=True)
class Benchmark:
    """One benchmark: its module, what it measures, its arguments, and how many lines of its output the page shows."""

    name: str
    shows: str
    arguments: tuple[str, ...] = ()
    lines: int = 0
    kept: str = ""
    """What the result is stored as, where the module has several; default: the module's name."""

    @property
    def command(self) -> str:
        """What to type."""
        return shlex.join(["python", "-m", f"benchmarks.{self.name}", *self.arguments])


@dataclass(frozen=True)
class Result:
    """What a benchmark printed, and where and when."""

    command: str
    date: str
    machine: str
    load: float
    version: str
    cpu_seconds: float | None
    status: int
    output: str
    pace: float | None = None
    """Of `pace`, before the benchmark."""


THREE_WAYS = Benchmark(
    "three_ways", "one file masked, truthful and certified: what was stored before", ("--page",), lines=30
)

BENCHMARKS = (
    Benchmark("startup", "how long the command line takes to answer", lines=9),
    Benchmark("first_run", "what the first run after an installation costs", lines=9),
    Benchmark(
        "time_limits", "by how much `protect --time` is overrun, from the start of the process to its end", lines=9
    ),
    Benchmark("engine", "speed of whole searches, and of one evaluation against evaluating from scratch", lines=22),
    Benchmark("growth", "what a candidate costs in files of growing length"),
    Benchmark(
        "search",
        "algorithms side by side, on the same files with the same time",
        ("--files", "german,flare,adult-1000", "--seeds", "3"),
        lines=11,
    ),
    Benchmark("constraints", "children a second with a privacy model as a constraint", lines=7),
    Benchmark("informed", "measures of an informed attacker, in searches and on large files", lines=9),
    Benchmark(
        "publishable",
        "whether `protect` ends with a publishable file by its defaults",
        ("--rows", "benchmarks/results/publishable-files.csv"),
        lines=40,
    ),
    Benchmark(
        "members",
        "what masked files of Adult disclose about their people beyond others, beside published figures",
        lines=14,
    ),
    Benchmark(
        "members",
        "the same of what `protect` finds for 10 000 people in a minute, with tables and a classifier beside",
        ("--people", "10000", "--only", "protect"),
        lines=10,
        kept="members-10000",
    ),
    Benchmark(
        "price",
        "what bounds on disclosure about the people of a file cost in loss",
        ("--rows", "benchmarks/results/price.csv"),
        lines=22,
    ),
    Benchmark(
        "excess", "what publishable files disclose about their people beyond others, by an attack of its own", lines=15
    ),
    Benchmark("tuned", "the best masking method after ten minutes of tuning, within the same bounds", lines=34),
    Benchmark("nist", "what NIST's program says of its files, protected by the defaults", lines=14),
    Benchmark("exactness", "a long search, compared with fresh evaluations", ("experiments/housing/cells.toml",)),
    Benchmark("measures", "measures from scratch and by update, beside plain loops and other programs"),
    Benchmark("privacy", "privacy models of one file, beside plain references"),
    Benchmark("masking", "masking methods, beside plain numpy"),
    Benchmark("numeric_masking", "noise, compression and synthesis"),
    Benchmark("clustered", "MDAV within clusters against MDAV of the whole file"),
    Benchmark("clustering", "clusters of a million mixed records"),
    Benchmark("pram", "genomes of transition matrices: judgement, variation, decoding"),
    Benchmark("equations", "equations to matrices, against cell by cell"),
    Benchmark("lattice", "nodes of Adult's lattice, all of them and the best one"),
    Benchmark("limit", "how long the limit takes, and how near channels come to it", ("wide",)),
    Benchmark(
        "certified", "certified files and their peers, means over files that were made before", ("--page",), lines=13
    ),
    THREE_WAYS,
    Benchmark("doors", "data in and out, beside pandas"),
    Benchmark("million", "commands on files of 10 000 to 1 000 000 records: time, memory and growth", lines=40),
    Benchmark("large", "Parquet files beyond memory: risk, masking, measures", lines=12),
    Benchmark("parallel", "executors side by side; what sending and starting cost", lines=10),
    Benchmark("social", "a graph of 100 000 users, protected and measured", lines=16),
    Benchmark("honest", "how near a minute's search comes to the limit", ("limit", "--seeds", "1,2")),
)

HEAD = """# Benchmarks

How fast evosdc is, and how good its files are. Written by `python -m benchmarks.page` from `benchmarks/results`; do not
edit. `python -m benchmarks.page --run startup pram` runs some of them again and stores what they print. Most times are
of the processor; where the *load* was above the number of processors, times by the clock say little.

"""
WAITING = "Not stored yet.\n"
FURTHER = "Their output is stored in `benchmarks/results`.\n\n"


def machine() -> str:
    """Return what the figures were measured on."""
    return f"{platform.machine()}, {os.cpu_count()} processors, {platform.system()}, Python {platform.python_version()}"


def pace() -> float:
    """Return the processor's seconds of a fixed piece of work, half of it Python's and half numpy's; median of five."""
    values, times = np.random.default_rng(1).random(1_000_000), []
    for _ in range(5):
        began, total = process_time(), 0.0
        for place in range(2_000_000):
            total += place * 0.5
        np.argsort(values, kind="stable")
        times.append(process_time() - began)
    return median(times)


def place(benchmark: Benchmark) -> Path:
    """Return where the result of a benchmark is stored."""
    return RESULTS / f"{benchmark.kept or benchmark.name}.json"


def run(benchmark: Benchmark) -> Result:
    """Run a benchmark in a process of its own, and store what it prints."""
    took, load, before = pace(), os.getloadavg()[0], getrusage(RUSAGE_CHILDREN)
    words = [sys.executable, "-m", f"benchmarks.{benchmark.name}", *benchmark.arguments]
    environment = os.environ | {"COLUMNS": "120"}
    done = subprocess.run(words, cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE, check=False)
    after = getrusage(RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    date = datetime.now(UTC).date().isoformat()
    result = Result(
        benchmark.command, date, machine(), round(load, 1), __version__, round(seconds, 1), done.returncode,
        done.stdout, round(took, 2),
    )  # fmt: skip
    RESULTS.mkdir(exist_ok=True)
    place(benchmark).write_text(json.dumps(asdict(result), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return result


def stored(benchmark: Benchmark) -> Result | None:
    """Return what a benchmark printed last, or None."""
    path = place(benchmark)
    return Result(**json.loads(path.read_text(encoding="utf-8"))) if path.exists() else None


def section(benchmark: Benchmark) -> str:
    """Return the section of a benchmark: what it measures, and the first lines of what it printed."""
    head = f"## `{benchmark.name}`\n\nMeasures {benchmark.shows}: `{benchmark.command}`.\n\n"
    result = stored(benchmark)
    if result is None:
        return head + WAITING
    printed = [line.rstrip() for line in result.output.strip().splitlines()]
    more = f" {len(printed) - benchmark.lines} further lines are stored." if len(printed) > benchmark.lines else ""
    facts = f"{result.date}, {result.machine}, load {result.load}, evosdc {result.version}.{more}\n\n"
    lines = "\n".join(printed[: benchmark.lines]).rstrip()
    return f"{head}{facts}```text\n{lines}\n```\n"


def further(benchmarks: Sequence[Benchmark]) -> str:
    """Return a table of benchmarks whose output is not shown."""
    lines = ["| command | measures | stored on |\n", "| --- | --- | --- |\n"]
    for benchmark in benchmarks:
        result = stored(benchmark)
        lines.append(f"| `{benchmark.command}` | {benchmark.shows} | {result.date if result else 'not yet'} |\n")
    return f"## Further benchmarks\n\n{FURTHER}{''.join(lines)}"


def defaults(text: str) -> str:
    """Return the text of a page with the table of what `evosdc protect` ends with by its defaults, as it is stored."""
    with DEFAULTS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    head = ("file", "people re-identified, %", "loss", "tuned classical")
    lines, by_file = [head, ("---",) * len(head)], dict[str, list[dict[str, str]]]()
    for row in rows:
        by_file.setdefault(row["file"], []).append(row)
    publishable = {name: [run["publishable"] == "True" for run in runs] for name, runs in by_file.items()}
    for name, runs in by_file.items():
        figures = (mean(float(run[column]) for run in runs if run[column]) for column in FIGURES)
        lines.append((name, *(f"{figure:.2f}" for figure in figures)))
    good = sum(map(all, publishable.values()))
    keys = max(map(len, publishable.values()))
    facts = f"For {good} of {len(by_file)} files all {keys} attempts, each with another key, were publishable."
    less = [f"{name} ({sum(yes)} of {len(yes)})" for name, yes in publishable.items() if not all(yes)]
    facts += f" The others: {', '.join(less)}." if less else ""
    facts += " Figures are means."
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    before, _, rest = text.partition(BEGIN_DEFAULTS)
    return f"{before}{BEGIN_DEFAULTS}\n\n{facts}\n\n{table}\n{END}{rest.partition(END)[2]}"


def three_ways(text: str) -> str:
    """Return the text of a page with the tables of one file made three ways, as they are stored."""
    result = stored(THREE_WAYS)
    lines = (result.output.strip() if result else WAITING).split("\n")
    shown = "\n".join(line for line in lines if not line.startswith(DETAILS))
    before, _, rest = text.partition(BEGIN_WAYS)
    return f"{before}{BEGIN_WAYS}\n\n{shown}\n\n{END}{rest.partition(END)[2]}"


def page() -> str:
    """Return the page as the stored results give it."""
    shown = [benchmark for benchmark in BENCHMARKS if benchmark.lines]
    hidden = [benchmark for benchmark in BENCHMARKS if not benchmark.lines]
    return HEAD + "\n".join([*map(section, shown), further(hidden)])


def main() -> None:
    """Run the requested benchmarks, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", nargs="+", default=[], choices=["all", *(one.name for one in BENCHMARKS)])
    wanted = parser.parse_args().run
    for benchmark in BENCHMARKS:
        if find_spec(f"benchmarks.{benchmark.name}") and ("all" in wanted or benchmark.name in wanted):
            result = run(benchmark)
            print(f"{benchmark.name}: exit status {result.status}, {result.cpu_seconds} s of the processor")
    PAGE.write_text(page(), encoding="utf-8")
    HONEST.write_text(defaults(HONEST.read_text(encoding="utf-8")), encoding="utf-8")
    WHICH.write_text(three_ways(WHICH.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
