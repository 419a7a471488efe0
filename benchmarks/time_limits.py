"""By how much ``evosdc protect --time`` is overrun: whole processes, from their start to their end.

python -m benchmarks.time_limits [--smoke]

Each command runs once before, with `WARM` seconds, so that kernels are compiled. A run is late that takes longer by
more than 5 % and more than 2 seconds.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.whole_command import whole

SHARE, SECONDS = 0.05, 2.0
"""How much a time may be overrun, the greater of both."""

WARM = 20
RECORDS = 300_000
CATEGORIES = (5, 8, 12, 20, 40, 100)
BIG, NUMERIC, MIXED = "300000x6", "10000x6-numeric", "1000000x6-mixed"
MIXED_RECORDS, MIXED_CATEGORIES = 1_000_000, (2, 100, 40, 3, 8)


@dataclass(frozen=True)
class Case:
    """A file, its protected columns, and a time."""

    data: str
    protect: str
    seconds: int

    def words(self, seconds: float, output: str) -> list[str]:
        """Return what to type."""
        names = ["--protect", self.protect] if self.protect else []
        return ["protect", self.data, *names, "--time", f"{seconds:g}s", "--seed", "1", "--quiet", "-o", output]


ADULT = "age,workclass,education,marital-status,occupation,race,sex,native-country"
CASES = (
    Case("housing", "", 10),
    Case("housing", "", 30),
    Case("adult", ADULT, 30),
    Case(f"{NUMERIC}.csv", "u,v,w,x,y,z", 20),
    Case(f"{BIG}.csv", "a,b,c,d,e,f", 60),
    Case(f"{BIG}.csv", "a,b,c,d,e,f", 100),
    Case(f"{MIXED}.csv", "a,b,c,d,income", 60),
)


def write_files(folder: Path) -> None:
    """Write a large file of dependent categories, one of dependent numbers, and a larger one of both."""
    rng = np.random.default_rng(1)
    base = rng.integers(0, 5, RECORDS)
    columns = [
        np.minimum(base * count // 5 + rng.integers(0, max(2, count // 2), RECORDS), count - 1) for count in CATEGORIES
    ]
    np.savetxt(folder / f"{BIG}.csv", np.stack(columns, 1), ["v%d"] * 6, ",", header=",".join("abcdef"), comments="")
    mixed = [rng.integers(0, count, MIXED_RECORDS) for count in MIXED_CATEGORIES]
    mixed.append(np.round(rng.lognormal(10.0, 0.7, MIXED_RECORDS)).astype(np.int64))
    names = ",".join([*"abcde", "income"])
    np.savetxt(folder / f"{MIXED}.csv", np.stack(mixed, 1), "%d", ",", header=names, comments="")
    numbers = rng.normal(size=(10_000, 6)) @ rng.normal(size=(6, 6)) * 100.0
    np.savetxt(folder / f"{NUMERIC}.csv", numbers, "%.2f", ",", header=",".join("uvwxyz"), comments="")


def main() -> None:
    """Print a line for each case; end with status 1 where one is late."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="one short case, to see that it works")
    cases = CASES[:1] if parser.parse_args().smoke else CASES
    late = False
    print(f"{'file':<22}{'time':>6}{'took':>8}{'over':>8}{'CPU s':>8}{'generations':>13}{'judges':>8}")
    with TemporaryDirectory(prefix="evosdc-") as place:
        folder = Path(place)
        write_files(folder)
        for number, case in enumerate(cases):
            whole(case.words(WARM, f"warm-{number}"), folder=folder)
            found = whole(case.words(case.seconds, f"run-{number}"), folder=folder)
            stored = folder / f"run-{number}" / "result.json"
            if not stored.exists():
                sys.exit(found.said)
            result = json.loads(stored.read_text())
            judges = len(((result.get("second_opinion") or {}).get("best") or {}).get("judges") or {})
            over = found.seconds - case.seconds
            late |= over > max(SECONDS, SHARE * case.seconds)
            print(
                f"{case.data:<22}{case.seconds:>6}{found.seconds:>8.1f}{over:>8.1f}{found.processor:>8.1f}"
                f"{result['generations']:>13}{judges:>8}",
                flush=True,
            )
    sys.exit(int(late))


if __name__ == "__main__":
    main()
