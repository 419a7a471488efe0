"""What running in parallel costs and gains: executors side by side, master overhead, two islands against one.

    python benchmarks/parallel.py [--smoke] [--executors serial,processes,scoop,dask]

CPU seconds are those of this process and of all workers, so that they tell something on a busy machine, too: two
islands on two cores can have twice the rate of one, less what this process takes of the cores, and what the same
evaluations cost more CPU seconds then.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import click
import numpy as np
from rich.console import Console
from rich.table import Table

from evosdc.errors import ExecutorError
from evosdc.experiment.display import Display
from evosdc.experiment.reader import parse_experiment
from evosdc.experiment.single_run import run_once
from evosdc.model import Executor, Task
from evosdc.plugins.registry import default_registry

MASKINGS = [{"method": "pram", "p": p} for p in (0.5, 0.6, 0.7, 0.8)]

PROBLEMS: dict[str, dict[str, Any]] = {
    "cells": {
        "generations": 3000,
        "genotype": "cells",
        "start": [*MASKINGS, *({"method": "rank-swapping", "p": p} for p in (3, 6, 9, 12))],
    },
    "pram": {"generations": 200, "genotype": "pram", "start": {"random": 8}},
}


INTERVAL = 50
"""Generations between migrations."""


class Run(NamedTuple):
    """Evaluations a second by the clock of the journal, CPU seconds of an evaluation here, and of all on workers."""

    rate: float
    master: float
    evaluations: int
    workers: float


class Clock(Display):
    """Takes down the CPU seconds of this process at every generation."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def generation(self, record: Mapping[str, Any], limit: int | None) -> None:
        self.seconds.append(time.process_time())


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


def ran(problem: str, islands: int, workers: int, generations: int) -> Run:
    """Run `islands` demes of four for some generations, each evolved by workers."""
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
            "interval": INTERVAL,
            "inner": {"name": "parent-child", "operations": 20},
        },
        "stop": {"generations": generations},
        "executor": {"name": "processes", "workers": workers, "grain": "islands"},
    }
    with tempfile.TemporaryDirectory() as folder:
        before, clock = os.times(), Clock()
        path = Path(folder) / "run"
        run_once(parse_experiment(document, Path(folder)), path, default_registry(), 1, clock)
        after = os.times()
        records = [json.loads(line) for line in (path / "journal.jsonl").read_text().splitlines()]
    # The workers have started and built their problem by then; a migration ends a report, so that the clock is right.
    warm = max(0, min(-(-generations // 8 // INTERVAL) * INTERVAL, generations - INTERVAL))
    first, last = records[warm], records[-1]
    done = last["evaluations"] - first["evaluations"]
    return Run(
        done / max(last["seconds"] - first["seconds"], 1e-9),
        (clock.seconds[-1] - clock.seconds[warm]) / done,
        last["evaluations"],
        after.children_user + after.children_system - before.children_user - before.children_system,
    )


def side_by_side(problem: str, generations: int, repeat: int) -> list[list[str]]:
    """Return the rows of one island on one worker and of two on two, run in turn."""
    settings = [(1, 1), (2, 2)]
    short = [ran(problem, *setting, generations // 4) for setting in settings]
    long = [[ran(problem, *setting, generations) for setting in settings] for _ in range(repeat)]
    rows = []
    costs: list[tuple[float, float, float]] = []
    for number, ((islands, workers), less) in enumerate(zip(settings, short, strict=True)):
        runs = [pair[number] for pair in long]
        more = runs[0].evaluations - less.evaluations
        master = median(run.master for run in runs) * 1e6
        crew = (median(run.workers for run in runs) - less.workers) / more * 1e6
        costs.append((median(run.rate for run in runs), master, crew))
        ratio = costs[-1][0] / costs[0][0]
        possible = workers * costs[0][2] / (master + crew) if number else 1.0
        figures = f"{costs[-1][0]:.0f}", f"{ratio:.2f}", f"{crew:.1f}", f"{master:.1f}", f"{possible:.2f}"
        rows.append([problem, str(islands), str(workers), *figures])
    return rows


@click.command()
@click.option("--smoke", is_flag=True, help="Little of everything.")
@click.option("--executors", default="serial,processes,scoop,dask", show_default=True)
@click.option("--workers", default=2, show_default=True, help="Of each executor in the first table.")
@click.option("--repeat", default=3, show_default=True, help="How often each figure is taken; the median counts.")
def main(smoke: bool, executors: str, workers: int, repeat: int) -> None:
    """Print the tables."""
    console = Console(width=120)
    table = Table("executor", "start, s", "us a task, empty", "us a task, 30 KB", "us of master CPU", title="Overhead")
    for name in filter(None, executors.split(",")):
        try:
            figures = overheads(name, workers, 1 if smoke else repeat)
        except ExecutorError as error:
            table.add_row(name, f"not here: {error}")
            continue
        table.add_row(name, f"{figures[0]:.2f}", *(f"{figure:.0f}" for figure in figures[1:]))
    console.print(table)
    table = Table(
        "genotype", "islands", "workers", "evaluations/s", "against one", "worker us", "master us", "possible"
    )
    table.title = "Islands: two against one by the clock, CPU of an evaluation, and the ratio that this CPU allows"
    for problem, given in PROBLEMS.items():
        generations = 2 * INTERVAL if smoke else given["generations"]
        for row in side_by_side(problem, generations, 1 if smoke else repeat):
            table.add_row(*row)
    console.print(table)
    cores = os.cpu_count() or 1
    if cores < 2 or os.getloadavg()[0] > cores:
        console.print("This machine has other work to do, or a single core: the clock tells little, CPU seconds do.")


if __name__ == "__main__":
    main()
