"""The same islands in one process, in several, and by SCOOP: the same digest of population and fitness.

    python experiments/cluster/study.py [--quick] [-o FOLDER]

``executors.csv`` has a row for each executor: workers, evaluations, the best score, the digest, and seconds by the
clock. The exit status is 1 where digests differ. ``--quick`` takes two islands of 200 records of the embedded survey
for a few generations, and leaves SCOOP out.
"""

from __future__ import annotations

import csv
from pathlib import Path

import click

import evosdc
from evosdc.experiment.reader import read_experiment

HERE = Path(__file__).parent
EXECUTORS = {"serial": 1, "processes": 2, "scoop": 2}
SMALLER = ["algorithm.generations=6", "data={ name = 'housing', first = 200 }", "algorithm.islands=2"]


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
    raise SystemExit(0 if len({row[4] for row in rows[1:]}) == 1 else 1)


if __name__ == "__main__":
    main()
