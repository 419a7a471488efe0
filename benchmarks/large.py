"""Files beyond memory: risk, masking and measures of generated Parquet files, seconds and peak memory of each command.

Run from the repository's root: ``python -m benchmarks.large [--records 10000000] [--workers 2] [--smoke]``. Each
command is a process of its own, with its peak memory; with ``--workers`` risk is also counted by a Dask cluster.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table as Grid

SIZES = {"sex": 2, "age": 90, "region": 50, "education": 7, "marital": 4, "occupation": 40}
GROUP = 1 << 20


def generated(path: Path, records: int) -> Path:
    """Write a survey of two whole numbers and four texts in row groups of about a million, one in memory at a time."""
    writer = None
    for start in range(0, records, GROUP):
        rng, size = np.random.default_rng((1, start)), min(GROUP, records - start)
        columns = {}
        for name, many in SIZES.items():
            codes = np.minimum(rng.geometric(3 / many if many > 3 else 0.5, size) - 1, many - 1).astype(np.int32)
            if name in ("age", "education"):
                columns[name] = pa.array(codes, mask=rng.random(size) < 0.01 if name == "education" else None)
            else:
                labels = pa.array([f"{name} {place}" for place in range(many)])
                columns[name] = pa.DictionaryArray.from_arrays(pa.array(codes), labels)
        rows = pa.table(columns)
        writer = writer or pq.ParquetWriter(path, rows.schema)
        writer.write_table(rows)
    assert writer is not None
    writer.close()
    return path


def spent(words: list[str]) -> tuple[float, float, float]:
    """Run a command and return its seconds by the clock and of the processor, and its peak memory in MiB."""
    began = perf_counter()
    child = os.posix_spawn(
        sys.executable,
        [sys.executable, "-m", "evosdc", "large", *words],
        os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _, status, usage = os.wait4(child, 0)
    if status:
        raise SystemExit(f"evosdc large {' '.join(words)} failed")
    return perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--workers", type=int, default=0, help="of a Dask cluster, beside this process")
    parser.add_argument("--only-risk", action="store_true", help="leave masking and measures out")
    parser.add_argument("--smoke", action="store_true", help="a small file: to see that it runs")
    given = parser.parse_args()
    records = 20_000 if given.smoke else given.records
    grid = Grid(
        "command", "clock \\[s]", "processor \\[s]", "rows/s", "peak [MiB]", title=f"{records:,} records x {len(SIZES)}"
    )
    with TemporaryDirectory(prefix="evosdc-") as folder:
        data, out = generated(Path(folder) / "data.parquet", records), Path(folder) / "masked.parquet"
        schema = Path(folder) / "schema.toml"
        schema.write_text('[attributes.age]\nscale = "ordinal"\n')
        described, keys = ["--schema", str(schema)], ["--quasi-identifiers", "sex,age,region"]
        risk = ["risk", str(data), *keys, "--sensitive", "occupation", *described]
        mask = [str(data), *described, "--seed", "1", "-o", str(out), "--force", "--protect"]
        works = [("risk", risk)]
        if given.workers:
            works.append((f"risk, {given.workers} Dask workers", [*risk, "--workers", str(given.workers)]))
        if not given.only_risk:
            works += [
                ("mask pram", ["mask", "pram", *mask, "region,marital", "--set", "design=b"]),
                ("mask local-suppression", ["mask", "local-suppression", *mask, "sex,age,region"]),
                ("mask rank-swapping", ["mask", "rank-swapping", *mask, "age", "--set", "p=5"]),
                ("measure", ["measure", str(data), str(out), *described, "--protect", "sex,age,region,marital"]),
            ]
        for name, words in works:
            clock, processor, peak = spent(words)
            grid.add_row(name, f"{clock:.1f}", f"{processor:.1f}", f"{records / processor:,.0f}", f"{peak:.0f}")
    Console().print(grid)
    Console().print("rows/s by seconds of the processor; of a cluster only this process counts, not its workers.")


if __name__ == "__main__":
    main()
