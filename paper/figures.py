"""Draw the figures of the paper from stored results: ``python paper/figures.py``; needs the extra ``studies``."""

from __future__ import annotations

import csv
from pathlib import Path

from matplotlib.figure import Figure

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parent / "benchmarks" / "results"


def rows(name: str) -> list[dict[str, str]]:
    """Return the rows of a stored table."""
    with (RESULTS / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def releases() -> Figure:
    """Return the tuned classical method and the file found, file by file."""
    found = sorted(rows("honest-release"), key=lambda row: float(row["classical"]))
    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    axes = figure.subplots()
    for at, row in enumerate(found):
        axes.plot([float(row["classical"]), float(row["found"])], [at, at], color="#b8c0c8", zorder=1)
    for column, label, colour in (("classical", "tuned classical", "#d55e00"), ("found", "found", "#0072b2")):
        axes.scatter([float(row[column]) for row in found], range(len(found)), color=colour, label=label, zorder=2)
    axes.set_xscale("log")
    axes.set_xlabel("greater of loss and risk, 0 to 100, after 60 seconds (less is better)")
    axes.set_yticks(range(len(found)), [row["name"] for row in found])
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
