"""What a candidate of `cells` costs in files of growing length: searches that change one cell at a time.

Run from the repository's root: ``python -m benchmarks.growth [--records N ...] [--smoke]``.

Files are made up: six attributes of 2 to 40 categories. By the processor's time of the search alone, with journal and
checkpoints, of 10,000 candidates; of a million records the first checkpoint takes a sixth of a second, once. All six
measures of the literature, and without `prl`, whose expectation maximisation takes its steps over the patterns whatever
has changed. Before them files of eight correlated lognormal numbers, by `memetic`, too, which changes ten records at
once besides, and by the measures of ``protect``.
"""

from __future__ import annotations

import resource
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any
from unittest.mock import patch

import click
import numpy as np

from evosdc.experiment import early_verdict
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.single_run import run_once
from evosdc.plugins.registry import default_registry
from evosdc.runs.journal import read_journal

CATEGORIES = (2, 5, 9, 16, 7, 40)
MEASURES = {
    "all six": {"il": ("ctbil", "dbil", "ebil"), "dr": ("id", "dbrl", "prl")},
    "without prl": {"il": ("ctbil", "dbil", "ebil"), "dr": ("id", "dbrl")},
}
NUMBERS = 8
MOST = 10_000
"""Records of numbers up to which files are searched by `memetic`: by the measures of ``protect`` more take minutes."""

NUMERIC_MEASURES = {
    "il1s, id, dbrl": {"il": ("il1s",), "dr": ("id", "dbrl")},
    "apil, id": {"il": ("apil",), "dr": ("id",)},
}
PROTECT = {
    "il1s, id, dbrl": NUMERIC_MEASURES["il1s, id, dbrl"],
    "apil, id": NUMERIC_MEASURES["apil, id"],
    "of protect": {"il": ("il1s", "apil"), "dr": ("dbrl", "prl", "informed-linkage", "ranked-linkage")},
}


def written(folder: Path, records: int) -> dict[str, Any]:
    """Write a made-up file with its schema, and return how an experiment names it."""
    rng = np.random.default_rng(0)
    columns = [rng.choice(count, records, p=rng.dirichlet(np.ones(count))) for count in CATEGORIES]
    labels = [[f"c{code}" for code in range(count)] for count in CATEGORIES]
    schema = ""
    for place, own in enumerate(labels):
        schema += f'[attributes.v{place}]\nrole = "quasi-identifier"\nscale = "nominal"\ncategories = {own}\n\n'
    (folder / "data.toml").write_text(schema.replace("'", '"'))
    with (folder / "data.csv").open("w") as file:
        file.write(",".join(f"v{place}" for place in range(len(labels))) + "\n")
        named = [np.array(own)[column].tolist() for own, column in zip(labels, columns, strict=True)]
        file.writelines(",".join(record) + "\n" for record in zip(*named, strict=True))
    names = tuple(f"v{place}" for place in range(len(labels)))
    return {"file": str(folder / "data.csv"), "schema": str(folder / "data.toml"), "protect": names}


def written_numbers(folder: Path, records: int) -> dict[str, Any]:
    """Write a made-up file of numbers with its schema, and return how an experiment names it."""
    rng = np.random.default_rng(0)
    names = tuple(f"v{place}" for place in range(NUMBERS))
    numbers = np.exp(0.5 * (rng.normal(size=(records, 1)) + rng.normal(size=(records, NUMBERS))))
    np.savetxt(folder / "data.csv", numbers, fmt="%.3f", delimiter=",", header=",".join(names), comments="")
    described = [f'[attributes.{name}]\nrole = "quasi-identifier"\nscale = "numeric"\ndecimals = 3' for name in names]
    (folder / "data.toml").write_text("\n\n".join(described) + "\n")
    return {"file": str(folder / "data.csv"), "schema": str(folder / "data.toml"), "protect": names}


def searched(
    data: dict[str, Any], measures: dict[str, Any], candidates: int, folder: Path, algorithm: str = "hill-climbing"
) -> float:
    """Return the candidates a second of the processor of a search."""
    methods = tuple({"method": "rank-swapping", "p": p} for p in (3, 5, 10, 15))
    given = {"seed": 1, "data": data, "measures": measures, "start": {"methods": methods}, "second_opinion": False}
    given |= {"fitness": "max", "algorithm": {"name": algorithm}, "executor": {"name": "serial"}}
    search, spent = early_verdict.search, [0.0]

    def timed(*arguments: Any, **named: Any) -> Any:
        spent[0] -= process_time()
        try:
            return search(*arguments, **named)
        finally:
            spent[0] += process_time()

    experiment = Experiment.model_validate(given | {"stop": {"evaluations": candidates}})
    with patch.object(early_verdict, "search", timed):
        done = run_once(experiment, folder, default_registry(), 1)
    records = read_journal(done.folder / "journal.jsonl")
    return float((records[-1]["evaluations"] - records[0]["evaluations"]) / spent[0])


def rows(
    write: Callable[[Path, int], dict[str, Any]],
    sets: dict[str, dict[str, Any]],
    lengths: Sequence[int],
    candidates: int,
    algorithm: str = "hill-climbing",
) -> None:
    """Print a line for each length."""
    print(algorithm)
    print(f"{'records':>9}{''.join(f'{name:>16}' for name in sets)}   candidates a second; peak memory")
    for records in lengths:
        with TemporaryDirectory(prefix="evosdc-") as place:
            folder = Path(place)
            data = write(folder, records)
            found = []
            for number, measures in enumerate(sets.values()):
                searched(data, measures, 30, folder / f"compiles-{number}", algorithm)
                found.append(searched(data, measures, candidates, folder / f"run-{number}", algorithm))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{records:>9}{''.join(f'{rate:>16.0f}' for rate in found)}   {peak:.0f} MiB", flush=True)


@click.command(help=__doc__)
@click.option("--records", "lengths", type=int, multiple=True, default=(1000, 10_000, 100_000, 1_000_000))
@click.option("--numbers", type=int, multiple=True, default=(1000, 10_000, 100_000), help="Records of numeric files.")
@click.option("--candidates", default=10_000, help="Of a search.")
@click.option("--smoke", is_flag=True, help="Small files alone, to see that it works.")
def main(lengths: tuple[int, ...], numbers: tuple[int, ...], candidates: int, smoke: bool) -> None:
    """Print the tables."""
    if smoke:
        lengths, numbers, candidates = (6000,), (3000,), 30
    rows(written_numbers, NUMERIC_MEASURES, numbers, candidates)
    print()
    rows(written_numbers, PROTECT, [records for records in numbers if records <= MOST], candidates, "memetic")
    print()
    rows(written, MEASURES, lengths, candidates)


if __name__ == "__main__":
    main()
