"""How near searches come to the limit, below which no masked file lies.

    python experiments/limit/study.py [--quick] [-o FOLDER]

The experiments of this folder give a search a minute of the clock. Here they are given numbers of files, so that the
same command gives the same figures anywhere: 300 tune the masking methods, 3000 are judged in all. ``limits.csv`` has
the score of the tuned classical file, of the best one, the limit, how many per cent the best file lies above it, and
what its IL and DR are made of. The exit status is 1 where a search ends more than 8 per cent above the limit.
"""

from __future__ import annotations

import csv
from pathlib import Path
from time import process_time

import click

import evosdc
from evosdc.experiment.reader import read_experiment

HERE = Path(__file__).parent
FILES = ("housing", "german-credit", "solar-flare", "adult-1000")
MOST = 8.0
"""Per cent above the limit that a search may end at."""
LINKAGES = ("dbrl", "prl", "informed-linkage")


def settings(quick: bool) -> list[str]:
    """Return the settings that replace time limits."""
    tuning, files, effort = (10, 150, 1) if quick else (300, 3000, 8)
    start = (
        f'{{ tuned = {{ evaluations = {tuning} }}, methods = [{{ method = "optimal-channel", effort = {effort} }}] }}'
    )
    return [
        f"start={start}",
        f"stop={{ evaluations = {files} }}",
        "second_opinion=false",
        *(["data.first=200"] if quick else []),
    ]


def reached(file: str, quick: bool, folder: Path) -> dict[str, object]:
    """Run an experiment and return its figures."""
    began = process_time()
    result = evosdc.run(read_experiment(HERE / f"{file}.toml", settings(quick)), folder / file)
    scores, limit = result["best"]["scores"], result["limit"]
    figures = {
        "tuned classical": result["portfolio"]["best"]["fitness"][0],
        "best found": result["best"]["fitness"][0],
        "limit": limit["fitness"],
        "above, per cent": limit["above"]["best"],
        "IL": scores["il"],
        "DR": scores["dr"],
        **{f"IL: {name}": scores[name] / 3.0 for name in ("dbil", "ebil", "ctbil")},
        "DR: guess": scores["best-guess"] / 2.0,
        "DR: linkage": max(scores[name] for name in LINKAGES) / 2.0,
    }
    shown = {name: f"{figure:.3f}" for name, figure in figures.items()}
    return {"file": file, "evaluations": result["evaluations"], **shown, "CPU seconds": f"{process_time() - began:.0f}"}


@click.command()
@click.option("--quick", is_flag=True, help="200 records of German Credit, few files.")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("runs/limit"), show_default=True)
def main(quick: bool, output: Path) -> None:
    """Run the experiments, and write the table."""
    output.mkdir(parents=True, exist_ok=True)
    rows = []
    for file in ("german-credit",) if quick else FILES:
        rows.append(reached(file, quick, output))
        click.echo(", ".join(f"{key} {value}" for key, value in rows[-1].items()))
    with (output / "limits.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    raise SystemExit(0 if quick or all(float(str(row["above, per cent"])) <= MOST for row in rows) else 1)


if __name__ == "__main__":
    main()
