"""The commands on files of growing length: seconds of the clock and of the processor, peak memory, and the growth.

Run from the repository's root: ``python -m benchmarks.million [--records N ...] [--only TEXT] [--smoke]``.

Files are those of ``benchmarks.growth``: six attributes of 2 to 40 categories. Each command is a process of its own.
Memory is that of the process and of its workers together, sampled ten times a second: shared pages count once. The
exponent is that of the processor's time against the length, from the line before; what a process takes in any case
hides the growth of short commands at first. ``--time`` commands take what they are given: their lines say how many
files were judged and generations reached.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, sleep
from typing import Any, NamedTuple

import click

from benchmarks.growth import written

MASKINGS = (
    ("rank-swapping", "p=5"),
    ("pram", "design=b", "theta=0.5"),
    ("local-suppression", "k=3"),
    ("clustered", 'inner={ method = "mdav", k = 3 }'),
    ("clustered", 'inner={ method = "k-member", k = 3 }'),
)
"""Methods and parameters. MDAV and k-member look at all pairs of records: in large files they work within clusters."""


class Spent(NamedTuple):
    """What a command took: seconds of the clock and of the processor, and peak memory in MiB."""

    clock: float
    processor: float
    peak: float


def _memory(process: int) -> float:
    """Return the MiB of a process and all that it started."""
    found = 0.0
    with suppress(OSError, ProcessLookupError):
        rows = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines()
        found = next(int(row.split()[1]) for row in rows if row.startswith("Pss:")) / 1024
        for task in Path(f"/proc/{process}/task").iterdir():
            found += sum(map(_memory, map(int, (task / "children").read_text(encoding="ascii").split())))
    return found


def spent(words: list[str], said: Path) -> Spent:
    """Run a command to its end; its output goes to a file."""
    began, peak = perf_counter(), 0.0
    writing = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    actions = [(os.POSIX_SPAWN_OPEN, 1, str(said), writing, 0o600), (os.POSIX_SPAWN_DUP2, 1, 2)]
    child = os.posix_spawn(sys.executable, [sys.executable, "-m", "evosdc", *words], os.environ, file_actions=actions)
    while True:
        ended, status, usage = os.wait4(child, os.WNOHANG)
        if ended:
            break
        peak = max(peak, _memory(child))
        sleep(0.1)
    code, text = os.waitstatus_to_exitcode(status), said.read_text(encoding="utf-8")
    # A verdict against the file has a status of its own, which is that of an unexpected end as well.
    if code not in (0, 1) or (code == 1 and "Traceback" in text):
        sys.exit(f"evosdc {' '.join(words)} failed:\n{text}")
    return Spent(perf_counter() - began, usage.ru_utime + usage.ru_stime, max(peak, usage.ru_maxrss / 1024))


def works(data: dict[str, Any], folder: Path, seconds: int) -> dict[str, list[str]]:
    """Return the commands by what they are called; later ones use what earlier ones have written."""
    named = [data["file"], "--schema", data["schema"]]
    found = {}
    for method, *given in MASKINGS:
        params = [word for one in given for word in ("--set", one)]
        output = ["--seed", "1", "--force", "-o", str(folder / f"{method}.csv")]
        found[f"mask {method} {' '.join(given)}"] = ["mask", method, *named, *params, *output]
    pair = [data["file"], str(folder / "rank-swapping.csv"), "--schema", data["schema"]]
    return found | {
        "measure": ["measure", *pair],
        "risk": ["risk", *named],
        "limit": ["limit", *named],
        "judge": ["judge", *pair, "--seed", "1"],
        "tune --evaluations 40": ["tune", *named, "--evaluations", "40", "--seed", "1", "--quiet"],
        f"protect --time {seconds}s": [
            "protect", *named, "--time", f"{seconds}s", "--seed", "1", "--quiet", "-o", str(folder / "protected")
        ],
    }  # fmt: skip


def _reached(folder: Path, name: str) -> str:
    stored = folder / "protected" / "result.json"
    if not name.startswith("protect") or not stored.exists():
        return ""
    result = json.loads(stored.read_text(encoding="utf-8"))
    return f"  {result['generations']} generations, {result['evaluations']} evaluations"


def line(name: str, records: int, now: Spent, before: tuple[int, Spent] | None) -> str:
    """Return a line of the table."""
    grown = ""
    if before is not None and records != before[0]:
        grown = f"{math.log(now.processor / before[1].processor) / math.log(records / before[0]):.2f}"
    return f"{name:<52}{records:>9}{now.clock:>9.1f}{now.processor:>9.1f}{now.peak:>9.0f}{grown:>10}"


def measured(lengths: tuple[int, ...], only: str, seconds: int, tell: Callable[[str], None]) -> None:
    """Tell a line for each command and length."""
    before: dict[str, tuple[int, Spent]] = {}
    tell(f"{'command':<52}{'records':>9}{'clock s':>9}{'CPU s':>9}{'MiB':>9}{'exponent':>10}")
    for records in lengths:
        with TemporaryDirectory(prefix="evosdc-") as place:
            folder = Path(place)
            data = written(folder, records)
            for name, words in works(data, folder, seconds).items():
                if only not in name and not (name.startswith("mask rank") and only in "measure judge"):
                    continue
                now = spent(words, folder / "said.txt")
                tell(line(name, records, now, before.get(name)) + _reached(folder, name))
                before[name] = records, now


@click.command(help=__doc__)
@click.option("--records", "lengths", type=click.IntRange(1), multiple=True, default=(10_000, 100_000, 1_000_000))
@click.option("--only", default="", help="Commands whose names hold this.")
@click.option("--seconds", type=click.IntRange(1), default=60, help="Of protect --time.")
@click.option("--smoke", is_flag=True, help="A small file alone, to see that it works.")
def main(lengths: tuple[int, ...], only: str, seconds: int, smoke: bool) -> None:
    """Print the table."""
    data, folder = {"file": "", "schema": ""}, Path()
    if not any(only in name for name in works(data, folder, seconds)):
        raise click.UsageError(f"--only: given {only}; wanted a part of: {', '.join(works(data, folder, seconds))}.")
    if smoke:
        lengths, seconds = (2000,), 8
    measured(lengths, only, seconds, lambda text: print(text, flush=True))


if __name__ == "__main__":
    main()
