"""Data in and out, side by side with pandas in one run: CPU seconds and peak memory.

Run from the repository's root: ``python -m benchmarks.doors [--repeat 5] [--smoke]``. Files have four categorical and
two numeric attributes, and pandas and evosdc read and write them in turn. Work from DataFrames is shown beside the
same work on a table that was read already, and beside the CPU seconds that sdcMicro, an R package, was found to take
on like data, to aim past. Whole commands, start, files and all, are shown beside these seconds, which are of the work
alone, and what R takes around it where R is there: its start, what sdcMicro loads, and the same files
(`benchmarks.r_process`); the second *times faster* is against both together, process beside process. The same command
on 100 records tells what does not depend on the work. The seconds of sdcMicro's work are of another machine: pandas'
times tell how fast this one was, 0.12 s to read cents where MDAV from a frame took 0.07 s. Each figure of memory is
the growth of a process of its own: where a file is written alone, what was read before it does not count; reading and
writing in one process is a row of its own.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table as Grid

import evosdc
from benchmarks.masking import median_seconds
from benchmarks.peak_memory import growth
from benchmarks.r_process import seconds_around
from benchmarks.whole_command import whole
from evosdc.api.tables import as_file
from evosdc.files.source import Source, read_source

SIZES = (16, 7, 14, 5, 6)
CONTENTS = ("cents", "digits")
"""Numbers with two decimals, and with all that a float has."""


def people(n: int, content: str = "cents") -> pd.DataFrame:
    """Return a survey of four categorical and two numeric attributes."""
    rng = np.random.default_rng(n)
    amounts = rng.lognormal(10, 0.7, n), rng.lognormal(8, 1.0, n)
    income, spending = (np.round(amount, 2) if content == "cents" else amount for amount in amounts)
    return pd.DataFrame(
        {
            "sex": rng.choice(["male", "female"], n),
            "region": rng.choice([f"region {place}" for place in range(20)], n),
            "education": rng.integers(1, 8, n),
            "marital": rng.choice(["single", "married", "divorced", "widowed"], n),
            "income": income,
            "spending": spending,
        }
    )


def file_of(n: int, content: str, folder: Path) -> Path:
    """Return a CSV file of `n` people, which is written once."""
    path = folder / f"{content}-{n}.csv"
    if not path.exists():
        people(n, content).to_csv(path, index=False)
    return path


def swapped(source: Source) -> Any:
    """Return the records of a file with their numbers exchanged."""
    order = np.random.default_rng(1).permutation(len(source.table))
    return replace(source.table, numbers=source.table.numbers[order])


def reading(n: int, who: str, content: str, folder: Path) -> Callable[[], Any]:
    """Return the reading of a file, by pandas or as a table with a schema that is proposed."""
    path = file_of(n, content, folder)
    return (lambda: pd.read_csv(path)) if who == "pandas" else (lambda: read_source(path))


def writing(n: int, who: str, content: str, folder: Path) -> Callable[[], Any]:
    """Return the writing of a file, by pandas, or masked with all else as it stood."""
    path, target = file_of(n, content, folder), folder / f"{who}.csv"
    if who == "pandas":
        frame = pd.read_csv(path)
        return lambda: frame.to_csv(target, index=False)
    source = read_source(path)
    masked = swapped(source)
    return lambda: source.write(target, masked)


def both(n: int, who: str, content: str, folder: Path) -> Callable[[], Any]:
    """Return the reading of a file, the exchange of its numbers, and the writing, as one piece of work."""
    path, target = file_of(n, content, folder), folder / f"{who}.csv"

    def by_pandas() -> None:
        frame = pd.read_csv(path)
        numbers = ["income", "spending"]
        frame[numbers] = frame[numbers].to_numpy()[np.random.default_rng(1).permutation(len(frame))]
        frame.to_csv(target, index=False)

    def by_evosdc() -> None:
        source = read_source(path)
        source.write(target, swapped(source))

    return by_pandas if who == "pandas" else by_evosdc


def files(n: int, repeat: int, folder: Path, memory: bool) -> Grid:
    """Return the table of reading and writing files."""
    columns = ("work", "pandas", "evosdc", "times", "pandas [MiB]", "evosdc [MiB]")
    grid = Grid(*columns, title=f"{n} x 6, CPU seconds, medians of {repeat}")
    for content in CONTENTS:
        for name, work in (("read", reading), ("write", writing), ("read, write", both)):
            calls = [work(n, who, content, folder) for who in ("pandas", "evosdc")]
            taken = [[median_seconds(call, 1) for call in calls] for _ in range(repeat + 1)]  # the first compiles
            seconds = [median(own) for own in zip(*taken[1:], strict=True)]
            grown = [growth(work, n, who, content, folder) for who in ("pandas", "evosdc")] if memory else []
            shown = [f"{mib:.0f}" if mib is not None else "" for mib in grown] or ["", ""]
            times = f"{seconds[1] / seconds[0]:.1f}" if seconds[0] else ""
            grid.add_row(f"{name} {content}", f"{seconds[0]:.3f}", f"{seconds[1]:.3f}", times, *shown)
    return grid


def amounts(n: int) -> pd.DataFrame:
    """Return eight columns of lognormal numbers."""
    rng = np.random.default_rng(n)
    return pd.DataFrame(np.exp(0.5 * (rng.normal(size=(n, 1)) + rng.normal(size=(n, 8)))), columns=list("abcdefgh"))


def answers(n: int) -> pd.DataFrame:
    """Return five columns of skewed codes."""
    rng = np.random.default_rng(n)
    return pd.DataFrame(
        {f"c{place}": np.minimum(rng.geometric(3 / size, n) - 1, size - 1) for place, size in enumerate(SIZES)}
    )


def frames(small: int, large: int, repeat: int) -> Grid:
    """Return the table of work from DataFrames."""
    columns = ("work", "frame", "table", "sdcMicro", "times faster")
    grid = Grid(*columns, title=f"From DataFrames, CPU seconds, medians of {repeat}")
    known = list(answers(2).columns)

    def masked(frame: pd.DataFrame, method: str, **params: Any) -> tuple[Callable[[], Any], Callable[[], Any]]:
        table, params = as_file(frame, list(frame.columns))[0], {"seed": 1} | params
        return lambda: evosdc.mask(frame, method, **params), lambda: evosdc.mask(table, method, **params)

    def risk(frame: pd.DataFrame, model: str) -> tuple[Callable[[], Any], Callable[[], Any]]:
        table = as_file(frame, known)[0]
        return (
            lambda: evosdc.risk(frame, [model], quasi_identifiers=known),
            lambda: evosdc.risk(table, [model], quasi_identifiers=known),
        )

    exact = small == 10_000  # sdcMicro's seconds are for these sizes only
    works = [
        (f"mdav k=3, {small} x 8", masked(amounts(small), "mdav", k=3), 0.36),
        (f"rank-swapping p=5, {large} x 8", masked(amounts(large), "rank-swapping", p=5), 0.26),
        (f"individual-risk, {large} x 5", risk(answers(large), "individual-risk"), 0.040),
    ]
    for name, calls, peer in works:
        seconds = []
        for call in calls:
            call()  # compiles
            seconds.append(median_seconds(call, repeat))
        shown = [f"{peer:.3g}", f"{peer / seconds[0]:.1f}"] if exact and seconds[0] else ["", ""]
        grid.add_row(name, f"{seconds[0]:.4f}", f"{seconds[1]:.4f}", *shown)
    return grid


def commands(small: int, large: int, repeat: int, folder: Path) -> Grid:
    """Return the table of whole commands, as a user types them, one after the other and warm.

    Beside them sdcMicro: its work alone, and what R takes around that, empty without R.
    """
    columns = (
        "command",
        "whole",
        "100 records",
        "sdcMicro alone",
        "times faster",
        "R around it",
        "times faster",
    )
    grid = Grid(*columns, title=f"Whole processes, CPU seconds, medians of {repeat}")
    for n in (small, large, 100):
        amounts(n).to_csv(folder / f"amounts-{n}.csv", index=False)
        answers(n).to_csv(folder / f"answers-{n}.csv", index=False)
    masked = ["--protect", "a,b,c,d,e,f,g,h", "--seed", "1", "-o", "masked.csv", "--force"]
    known = ",".join(answers(2).columns)
    exact = small == 10_000  # sdcMicro's seconds are for these sizes only
    works = [
        (["mask", "mdav", "--set", "k=3", *masked], "amounts", small, 0.36),
        (["mask", "rank-swapping", "--set", "p=5", *masked], "amounts", large, 0.26),
        (["risk", "--models", "individual-risk,suda2", "--quasi-identifiers", known], "answers", large, 0.44),
    ]
    for words, file, n, peer in works:
        seconds: dict[int, list[float]] = {n: [], 100: []}
        for turn in range(repeat + 1):
            for size, found in seconds.items():
                done = whole([*words, f"{file}-{size}.csv"], folder=folder)
                if done.status:
                    raise RuntimeError(done.said)
                if turn:  # the first one compiles
                    found.append(done.processor)
        took, least = (median(found) for found in seconds.values())
        shown = [f"{peer:.3g}", f"{peer / took:.1f}"] if exact else ["", ""]
        around = seconds_around(folder / f"{file}-{n}.csv", folder / "by-r.csv" if "-o" in words else None, repeat)
        if around is not None:
            shown += [f"{around:.2f}", f"{(peer + around) / took:.1f}" if exact else ""]
        grid.add_row(f"{' '.join(words[:2])}, {n}", f"{took:.2f}", f"{least:.2f}", *shown)
    return grid


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5, help="runs of which the median is shown")
    parser.add_argument("--records", type=int, default=1_000_000, help="of the files")
    parser.add_argument("--smoke", action="store_true", help="small files, one run, no memory: to see that it runs")
    given = parser.parse_args()
    console = Console()
    small, large, repeat = (200, 400, 1) if given.smoke else (10_000, 50_000, given.repeat)
    console.print(frames(small, large, repeat))
    with TemporaryDirectory(prefix="evosdc-") as folder:
        console.print(commands(small, large, repeat, Path(folder)))
        size = 10_000 if given.smoke else given.records
        console.print(files(size, repeat, Path(folder), memory=not given.smoke))


if __name__ == "__main__":
    main()
