"""The same islands in one process, in several, and by SCOOP: the same digest of population and fitness.

    python experiments/cluster/study.py [--quick] [-o FOLDER]

``executors.csv`` has a row for each executor: workers, evaluations, the best score, the digest, and seconds by the
clock. The exit status is 1 where digests differ. ``--quick`` takes two islands of 200 records of the embedded survey
for a few generations, and leaves SCOOP out. ``scaling.csv`` says on paper how many times faster up to 64 workers can
be: as many times as there are workers, until this process, which takes part in every evaluation, is busy all the time.
"""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import click

import evosdc
from evosdc.experiment.reader import read_experiment

HERE = Path(__file__).parent
EXECUTORS = {"serial": 1, "processes": 2, "scoop": 2}
SMALLER = ["algorithm.generations=6", "data={ name = 'housing', first = 200 }", "algorithm.islands=2"]

MEASURED = HERE.parents[1] / "benchmarks" / "results" / "parallel.json"
WORKERS = (1, 2, 4, 8, 16, 32, 64)


def scaling() -> list[list[str]]:
    """Return how many times faster workers can be, by what an evaluation costs them and this process, as measured."""
    output = json.loads(MEASURED.read_text(encoding="utf-8"))["output"]
    rows = [["genotype", "worker us", "master us", "workers", "times faster"]]
    # Of the runs with one island: genotype, islands, workers, rate, against one, and the two costs.
    for cells in (line.strip("│ ").split("│") for line in output.splitlines() if line.startswith("│")):
        name, islands, *_, worker, master, _ = (cell.strip() for cell in cells) if len(cells) == 8 else [""] * 8
        if islands == "1" and re.fullmatch(r"[\d.]+", worker):
            most = (float(worker) + float(master)) / float(master)
            rows += [[name, worker, master, str(count), f"{min(count, most):.1f}"] for count in WORKERS]
    return rows


@click.command()
@click.option("--quick", is_flag=True, help="Few generations of the embedded survey, without SCOOP.")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("runs/cluster"), show_default=True)
def main(quick: bool, output: Path) -> None:
    """Run the experiment by each executor, and write the table."""
    output.mkdir(parents=True, exist_ok=True)
    rows = [["executor", "workers", "evaluations", "best", "digest", "seconds"]]
    for name, workers in EXECUTORS.items():
        if quick and name == "scoop":
            continue
        executor = f"{{ name = '{name}', workers = {workers} }}" if workers > 1 else f"{{ name = '{name}' }}"
        experiment = read_experiment(HERE / "islands.toml", [f"executor={executor}", *(SMALLER if quick else [])])
        result = evosdc.run(experiment, output / name)
        best = f"{result['best']['fitness'][0]:.6f}"
        figures = [str(result["evaluations"]), best, result["digest"], f"{result['seconds']:.1f}"]
        rows.append([name, str(workers), *figures])
        click.echo(", ".join(rows[-1]))
    with (output / "executors.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    with (output / "scaling.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(scaling())
    raise SystemExit(0 if len({row[4] for row in rows[1:]}) == 1 else 1)


if __name__ == "__main__":
    main()
