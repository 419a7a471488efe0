"""Draw the figures of the paper from stored results: ``python paper/figures.py``; needs the extra ``studies``."""

from __future__ import annotations

import csv
from pathlib import Path
from statistics import mean

from matplotlib.figure import Figure

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parent / "benchmarks" / "results"


def rows(name: str) -> list[dict[str, str]]:
    """Return the rows of a stored table."""
    with (RESULTS / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def releases() -> Figure:
    """Return the loss of the tuned classical method and of the file found, file by file: means over keys."""
    runs: dict[str, list[dict[str, str]]] = {}
    for row in rows("publishable-files"):
        runs.setdefault(row["file"], []).append(row)
    losses = {
        name: {column: mean(float(row[column]) for row in found) for column in ("classical", "loss")}
        for name, found in runs.items()
    }
    found = sorted((one for one in losses.items() if one[1]["loss"]), key=lambda one: one[1]["classical"])
    figure = Figure(figsize=(6.4, 5.2), layout="constrained")
    axes = figure.subplots()
    for at, (_, row) in enumerate(found):
        axes.plot([row["classical"], row["loss"]], [at, at], color="#b8c0c8", zorder=1)
    for column, label, colour in (("classical", "tuned classical", "#d55e00"), ("loss", "found", "#0072b2")):
        axes.scatter([row[column] for _, row in found], range(len(found)), color=colour, label=label, zorder=2)
    axes.set_xscale("log")
    axes.set_xlabel("loss within the bounds for public files after 60 seconds")
    axes.set_yticks(range(len(found)), [name for name, _ in found])
    axes.legend(frameon=False, loc="lower right")
    return figure


def certified() -> Figure:
    """Return the k-marginal score of certified files by epsilon."""
    found = sorted((row for row in rows("certified-files") if row["k_marginal"]), key=lambda row: float(row["epsilon"]))
    figure = Figure(figsize=(4.4, 2.8), layout="constrained")
    axes = figure.subplots()
    for name, mark in (("national2019", "o"), ("ma2019", "s")):
        own = [row for row in found if row["file"] == name]
        axes.plot(
            [float(row["epsilon"]) for row in own], [float(row["k_marginal"]) for row in own], mark + "-", label=name
        )
    axes.set_xscale("log")
    axes.set_xlabel("epsilon")
    axes.set_ylabel("k-marginal score")
    axes.legend(frameon=False)
    return figure


if __name__ == "__main__":
    for draw in (releases, certified):
        draw().savefig(HERE / f"{draw.__name__}.png", dpi=160, metadata={"Software": None})
