"""What running in parallel costs and gains: executors side by side, master overhead, two islands against one.

    python benchmarks/parallel.py [--smoke] [--executors serial,processes,scoop,dask,mpi]

CPU seconds are those of this process and of all workers, so that they tell something on a busy machine, too: with two
islands on two cores the rate can be twice that of one, less what the same evaluations cost more CPU seconds then.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from pathlib import Path
from statistics import median

import click
import numpy as np
from rich.console import Console
from rich.table import Table

from evosdc.errors import ExecutorError
from evosdc.experiment.document import parse_experiment
from evosdc.experiment.runner import run_once
from evosdc.model import Executor, Task
from evosdc.registry import default_registry

MASKINGS = [{"method": "pram", "p": p} for p in (0.5, 0.6, 0.7, 0.8)]

PROBLEMS = {
    "cells": {"genotype": "cells", "start": [*MASKINGS, *({"method": "rank-swapping", "p": p} for p in (3, 6, 9, 12))]},
    "pram": {"genotype": "pram", "start": {"random": 8}},
}


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def made(name: str, workers: int) -> Executor:
    executor: Executor = default_registry().build("executor", name, {}, workers)
    return executor


def overheads(name: str, workers: int, repeat: int) -> tuple[float, float, float, float]:
    """Return start-up seconds, and microseconds a task: wall empty, wall at 30 KB, CPU of the master at 30 KB."""
    began = time.perf_counter()
    count, payload = 200, np.zeros(30_000, dtype=np.uint8)
    with made(name, workers) as executor:
        executor.map([Task("evosdc.testing.tasks:scaled", None, 1, ((0, 1),))] * 2 * workers)
        start = time.perf_counter() - began

        def taken(value: object) -> tuple[float, float]:
            walls, cpus = [], []
            for _ in range(repeat):
                tasks = [Task("evosdc.testing.tasks:scaled", None, 1, ((i, value),)) for i in range(count)]
                wall, cpu = time.perf_counter(), time.process_time()
                executor.map(tasks)
                walls.append(time.perf_counter() - wall)
                cpus.append(time.process_time() - cpu)
            return median(walls) / count * 1e6, median(cpus) / count * 1e6

        empty, loaded = taken(1), taken(payload)
    return start, empty[0], loaded[0], loaded[1]


def rate(problem: str, islands: int, workers: int, generations: int, executor: str, grain: str) -> dict[str, float]:
    """Return evaluations, seconds of the search and CPU seconds in all of one run on `islands` demes of four."""
    given = PROBLEMS[problem]
    document = {
        "seed": 1,
        "data": {"name": "housing"},
        "genotype": given["genotype"],
        "start": given["start"],
        "measures": {"il": ["dbil", "ctbil", "ebil"], "dr": ["id", "dbrl", "prl"]},
        "algorithm": {
            "name": "islands",
            "islands": islands,
            "interval": 50,
            "inner": {"name": "parent-child", "operations": 20},
        },
        "stop": {"generations": generations},
        "executor": {"name": executor, "workers": workers, "grain": grain},
    }
    with tempfile.TemporaryDirectory() as folder:
        cpu = cpu_seconds()
        path = Path(folder) / "run"
        run_once(parse_experiment(document, Path(folder)), path, default_registry(), 1)
        used = cpu_seconds() - cpu
        records = [json.loads(line) for line in (path / "journal.jsonl").read_text().splitlines()]
    # In the first generation the workers start and build their problem.
    first, last = records[2], records[-1]
    done = {"evaluations": last["evaluations"] - first["evaluations"], "seconds": last["seconds"] - first["seconds"]}
    return done | {"all": last["evaluations"], "cpu": used}


def per_evaluation(short: dict[str, float], long: dict[str, float]) -> float:
    """Return CPU seconds of an evaluation: what a longer run takes more, so that the start of workers drops out."""
    return (long["cpu"] - short["cpu"]) / (long["all"] - short["all"])


@click.command()
@click.option("--smoke", is_flag=True, help="Little of everything.")
@click.option("--executors", default="serial,processes,scoop,dask,mpi", show_default=True)
@click.option("--workers", default=2, show_default=True)
def main(smoke: bool, executors: str, workers: int) -> None:
    """Print the tables."""
    console = Console(width=120)
    table = Table("executor", "start, s", "us a task, empty", "us a task, 30 KB", "us of master CPU", title="Overhead")
    for name in executors.split(","):
        try:
            figures = overheads(name, workers, 1 if smoke else 5)
        except ExecutorError as error:
            table.add_row(name, f"not here: {error}")
            continue
        table.add_row(name, f"{figures[0]:.2f}", *(f"{figure:.0f}" for figure in figures[1:]))
    console.print(table)
    title = "Islands (possible: against one, on cores that nobody else uses, by the CPU seconds of an evaluation)"
    table = Table("genotype", "islands", "workers", "grain", "evaluations/s", "against one", "CPU us", "possible")
    table.title = title
    generations = 20 if smoke else 400
    for problem in PROBLEMS:
        one: tuple[float, float] | None = None
        for islands, crew, grain in ((1, 1, "islands"), (2, 2, "islands"), (2, 2, "evaluations")):
            setting = (problem, islands, crew)
            pairs = [
                [rate(*setting, count, "processes", grain) for count in (generations // 4, generations)]
                for _ in range(1 if smoke else 3)
            ]
            fastest = max(run["evaluations"] / max(run["seconds"], 1e-9) for _, run in pairs)
            cpu = median(per_evaluation(*pair) for pair in pairs)
            one = (fastest, cpu) if one is None else one
            figures = f"{fastest:.0f}", f"{fastest / one[0]:.2f}", f"{cpu * 1e6:.0f}", f"{crew * one[1] / cpu:.2f}"
            table.add_row(problem, str(islands), str(crew), grain, *figures)
    console.print(table)


if __name__ == "__main__":
    main()
