"""What ``evosdc protect`` gives by its defaults, and whether judges that the search did not use agree with its score.

    python experiments/honest/study.py [--quick] [-o FOLDER]

Six published files are protected as ``evosdc protect NAME --generations 300 --seed 1 --keep-order`` does, so that the
same command gives the same files anywhere. ``judged.csv`` has the scores of the tuned classical file and of the one
found, the verdict of the judges, and by how many times the worst of them exceeds what is claimed (the low end of its
interval; above 1.25 the score does not hold). What NIST's own program says of such files is in
``benchmarks/nist.py``: it needs an environment of its own. ``--quick`` takes 80 records of the survey that
comes with evosdc, and no tuning.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from time import process_time
from typing import Any

import click

import evosdc
from evosdc.experiment.protection import protection
from evosdc.options.search import ProtectOptions
from evosdc.plugins.registry import default_registry

FILES: dict[str, dict[str, Any]] = {
    "housing": {"name": "housing", "protect": ["built", "degree", "grade1"]},
    "german-credit": {"name": "german-credit", "protect": ["existacc", "savings", "presemploy"]},
    "solar-flare": {"name": "solar-flare", "protect": ["class", "largspot", "spotdist"]},
    "adult-1000": {
        "name": "adult", "complete": True, "first": 1000, "protect": ["education", "marital-status", "occupation"]
    },
    "census": {"name": "census"},
    "tarragona": {"name": "tarragona"},
}  # fmt: skip
QUICK = {"housing": FILES["housing"] | {"first": 80}}


def exceeded(opinion: Mapping[str, Any]) -> float:
    """Return by how many times a judge exceeds its claim at most; a claim below chance is taken as chance."""
    ratios = [0.0]
    for judge in opinion["judges"].values():
        if judge.get("claim") is not None and judge.get("low") is not None:
            ratios.append(judge["low"] / max(judge["claim"], judge.get("chance") or 0.0, 1e-9))
    return max(ratios)


def protected(name: str, source: Mapping[str, Any], quick: bool, folder: Path) -> dict[str, object]:
    """Protect a file and return its figures."""
    experiment = protection(
        source,
        default_registry(),
        ProtectOptions(fitness="max", seed=1, tune=not quick, generations=5 if quick else 300, executor="serial"),
    ).model_copy(update={"title": f"Protection of {name}"})
    began = process_time()
    result = evosdc.run(experiment, folder / name)
    best, opinion = result["best"], result["second_opinion"]["best"]
    (folder / f"{name}.json").write_text(json.dumps(opinion, indent=1), encoding="utf-8")
    return {
        "file": name,
        "evaluations": result["evaluations"],
        "tuned classical": f"{result['portfolio']['best']['fitness'][0]:.3f}",
        "found": f"{best['fitness'][0]:.3f}",
        "IL": f"{best['scores']['il']:.3f}",
        "DR": f"{best['scores']['dr']:.3f}",
        "worst relabelling": f"{best['scores'].get('worst-relabelling', 0.0):.2f}",
        "exceeds": f"{exceeded(opinion):.2f}",
        "score holds": "yes" if opinion["holds"] else "no",
        "CPU seconds": f"{process_time() - began:.0f}",
    }


@click.command()
@click.option("--quick", is_flag=True, help="80 records of the embedded survey, no tuning.")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("runs/honest"), show_default=True)
def main(quick: bool, output: Path) -> None:
    """Protect the files, and write the table."""
    output.mkdir(parents=True, exist_ok=True)
    rows = []
    for name, source in (QUICK if quick else FILES).items():
        rows.append(protected(name, source, quick, output))
        click.echo(", ".join(f"{key} {value}" for key, value in rows[-1].items()))
        with (output / "judged.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
