"""The k-anonymity laboratory: Samarati and Mondrian on Adult, time and LM over K and MaxSup.

Samarati generalises age (5 levels), sex (2), race (2) and marital-status (3); Mondrian cuts age and education-num. The
sensitive attribute is occupation. LM of the file is the sum over attributes, as in the laboratory's text; for
Mondrian an interval of a number loses its length over the range.

    python experiments/kanonymity-lab/lab.py -o runs/kanonymity-lab
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

import click
import numpy as np
import plotly.graph_objects as go

from evosdc.engine.evaluation import Evaluator
from evosdc.engine.loop import begin, search
from evosdc.engine.problem import Problem
from evosdc.engine.stop import Stop
from evosdc.experiment.assembly import assemble
from evosdc.experiment.document import read_experiment
from evosdc.experiment.start import individual_of
from evosdc.registry import default_registry
from evosdc.seeds import Streams

HERE = Path(__file__).parent
KS = (2, 5, 10, 20, 50, 100)
LIMITS = (0, 5, 20, 100, 500)

Row = dict[str, object]


def samarati(k: int, limit: int, first: int | None) -> Row:
    """Return height, levels, LM and seconds of Samarati's search."""
    settings = [f"genotype.k={k}", f"genotype.suppression={limit}", *([f"data.first={first}"] if first else [])]
    experiment = read_experiment(HERE / "samarati.toml", settings)
    assembly = assemble(experiment, default_registry())
    problem: Problem = assembly.problem
    began = perf_counter()
    start = begin(assembly.algorithm, [individual_of(problem, problem.genotype.reference, "highest")])
    state, _ = search(assembly.algorithm, Evaluator(problem), Streams(1), Stop(), start, lambda state, record: None)
    solution = assembly.algorithm.solution(state.population, state.best)
    described = assembly.algorithm.describe(state.population, solution)
    return {
        "method": "samarati",
        "k": k,
        "max_sup": limit,
        "lm": solution.scores["lm"],
        "seconds": round(perf_counter() - began, 4),
        "height": described["height"],
        "levels": " ".join(map(str, described["levels"].values())),
        "suppressed": described["suppressed"],
        "minimal_nodes": len(described["minimal"]),
        "classes": described["classes"]["count"],
    }


def mondrian(k: int, partitioning: str, first: int | None) -> Row:
    """Return LM and seconds of Mondrian: LM from the intervals of its parts."""
    settings = [
        "data.protect=['age', 'education-num']",
        "data.hierarchies={}",
        *([f"data.first={first}"] if first else []),
    ]
    settings += ["genotype.k=1", "algorithm.name='optimal'"]
    experiment = read_experiment(HERE / "samarati.toml", settings)
    original = assemble(experiment, default_registry()).microdata.original
    method = default_registry().build("masking-method", "mondrian", {"k": k, "partitioning": partitioning})
    began = perf_counter()
    masked = method.mask(original, np.random.default_rng(0))
    seconds = perf_counter() - began
    _, part = np.unique(masked.numbers, axis=0, return_inverse=True)
    part = part.reshape(-1)
    loss = 0.0
    for column in original.numbers.T:
        low, high = np.full(part.max() + 1, np.inf), np.full(part.max() + 1, -np.inf)
        np.minimum.at(low, part, column)
        np.maximum.at(high, part, column)
        loss += float(((high - low)[part]).mean() / (column.max() - column.min()))
    return {
        "method": f"mondrian {partitioning}",
        "k": k,
        "max_sup": "",
        "lm": loss,
        "seconds": round(seconds, 4),
        "classes": int(part.max()) + 1,
        "suppressed": 0,
    }


def write(rows: Sequence[Row], folder: Path) -> None:
    """Write the table and four figures on one page."""
    folder.mkdir(parents=True, exist_ok=True)
    fields = ["method", "k", "max_sup", "lm", "seconds", "height", "levels", "suppressed", "minimal_nodes", "classes"]
    with (folder / "kanonymity-lab.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fields)
        writer.writeheader()
        writer.writerows(rows)
    parts = []
    for value, title in (("lm", "LM (less is better)"), ("seconds", "time in seconds")):
        by_k, by_limit = go.Figure(), go.Figure()
        for method in dict.fromkeys(row["method"] for row in rows):
            own = [row for row in rows if row["method"] == method and row["max_sup"] in (20, "")]
            by_k.add_scatter(x=[row["k"] for row in own], y=[row[value] for row in own], name=str(method))
        own = [row for row in rows if row["method"] == "samarati" and row["k"] == 10]
        by_limit.add_scatter(x=[row["max_sup"] for row in own], y=[row[value] for row in own], name="samarati, K = 10")
        for figure, axis in ((by_k, "K (MaxSup = 20)"), (by_limit, "MaxSup (K = 10)")):
            figure.update_layout(title=f"Adult: {title}", xaxis_title=axis, yaxis_title=title, height=420)
            parts.append(figure.to_html(full_html=False, include_plotlyjs=not parts))
    (folder / "kanonymity-lab.html").write_text(
        "<!DOCTYPE html><meta charset='utf-8'>" + "".join(parts), encoding="utf-8"
    )


@click.command()
@click.option("--smoke", is_flag=True, help="1000 records, K = 10.")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("runs/kanonymity-lab"))
def main(smoke: bool, output: Path) -> None:
    """Sweep K and MaxSup."""
    first = 1000 if smoke else None
    ks = (10,) if smoke else KS
    pairs = [(k, 20) for k in ks] + ([] if smoke else [(10, limit) for limit in LIMITS if limit != 20])
    samarati(10, 20, 1000)  # compiles, so that times are those of the search
    rows = [samarati(k, limit, first) for k, limit in sorted(pairs)]
    rows += [mondrian(k, kind, first) for kind in ("strict", "relaxed") for k in ks]
    for row in rows:
        click.echo("  ".join(f"{key} {value}" for key, value in row.items()))
    write(rows, output)


if __name__ == "__main__":
    main()
