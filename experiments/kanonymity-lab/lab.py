"""The k-anonymity laboratory: Samarati and Mondrian on Adult, time and LM over K and MaxSup.

Samarati generalises age (5 levels), sex (2), race (2) and marital-status (3). Mondrian cuts age and education-num, as
in the laboratory, and besides the attributes of Samarati, along their hierarchies, so that both can be compared on one
file. The sensitive attribute is occupation. LM of the file is the sum over attributes, as in the laboratory's text.

    python experiments/kanonymity-lab/lab.py -o runs/kanonymity-lab
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

import click
import plotly.graph_objects as go

import evosdc
from evosdc.engine.evaluation import Evaluator
from evosdc.engine.loop import first_state, search
from evosdc.engine.problem import Problem
from evosdc.engine.stop import Stop
from evosdc.experiment.assembly import assemble
from evosdc.experiment.reader import read_experiment
from evosdc.experiment.start import individual_of
from evosdc.plugins.registry import default_registry
from evosdc.secret import Streams

HERE = Path(__file__).parent
FIELDS = (
    "method",
    "attributes",
    "k",
    "max_sup",
    "lm",
    "seconds",
    "height",
    "levels",
    "suppressed",
    "minimal_nodes",
    "classes",
)
KS = (2, 5, 10, 20, 50, 100)
LIMITS = (0, 5, 20, 100, 500)
LABORATORY = ("age", "education-num")
"""What Mondrian cuts in the laboratory."""
GENERALISED = ("age", "sex", "race", "marital-status")
"""What Samarati's search generalises, and Mondrian cuts as well, for a comparison on one file."""

Row = dict[str, object]


def samarati(k: int, limit: int, first: int | None) -> Row:
    """Return height, levels, LM and seconds of Samarati's search."""
    settings = [f"genotype.k={k}", f"genotype.suppression={limit}", *([f"data.first={first}"] if first else [])]
    experiment = read_experiment(HERE / "samarati.toml", settings)
    assembly = assemble(experiment, default_registry())
    problem: Problem = assembly.problem
    began = perf_counter()
    start = first_state(assembly.algorithm, [individual_of(problem, problem.genotype.reference, "highest")])
    state, _ = search(assembly.algorithm, Evaluator(problem), Streams(1), Stop(), start, lambda state, record: None)
    solution = assembly.algorithm.solution(state.population, state.best)
    described = assembly.algorithm.describe(state.population, solution)
    return {
        "method": "samarati",
        "attributes": " ".join(GENERALISED),
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


def mondrian(k: int, partitioning: str, first: int | None, attributes: Sequence[str]) -> Row:
    """Return seconds of Mondrian, and LM and classes of the file of intervals that it publishes."""
    settings = [f"data.first={first}"] if first else []
    settings += ["genotype.k=1", "algorithm.name='optimal'"]
    if tuple(attributes) == LABORATORY:
        settings += [f"data.protect={list(attributes)}", "data.hierarchies={}"]
    experiment = read_experiment(HERE / "samarati.toml", settings)
    original = assemble(experiment, default_registry()).microdata.original
    # Hierarchies are kept to where Samarati's search has them, so that both publish labels of the same tree.
    own = tuple(attributes) != LABORATORY
    chosen = {"k": k, "partitioning": partitioning, "output": "interval", "hierarchies": own}
    began = perf_counter()
    masked = evosdc.mask(original, "mondrian", protect=list(attributes), seed=1, **chosen)
    seconds = perf_counter() - began
    measures = {"lm": {"aggregate": "sum"}, "aecs": {}}
    scores = evosdc.measure(original, masked, measures, protect=list(attributes))
    return {
        "method": f"mondrian {partitioning}",
        "attributes": " ".join(attributes),
        "k": k,
        "max_sup": "",
        "lm": scores["lm"],
        "seconds": round(seconds, 4),
        "classes": round(len(original) / scores["aecs"]),
        "suppressed": 0,
    }


def write(rows: Sequence[Row], folder: Path) -> None:
    """Write the table and four figures on one page."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "results.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    parts = []
    for value, title in (("lm", "LM (less is better)"), ("seconds", "time in seconds")):
        by_k, by_limit = go.Figure(), go.Figure()
        for method, attributes in dict.fromkeys((row["method"], row["attributes"]) for row in rows):
            own = [row for row in rows if (row["method"], row["attributes"]) == (method, attributes)]
            own = [row for row in own if row["max_sup"] in (20, "")]
            name = f"{method} ({attributes})"
            by_k.add_scatter(x=[row["k"] for row in own], y=[row[value] for row in own], name=name)
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
    mondrian(10, "strict", 1000, GENERALISED)
    samarati(10, 20, 1000)  # compiles, so that times are those of the search
    rows = [samarati(k, limit, first) for k, limit in sorted(pairs)]
    for attributes in (GENERALISED, LABORATORY):
        rows += [mondrian(k, kind, first, attributes) for kind in ("median", "strict", "relaxed") for k in ks]
    for row in rows:
        click.echo("  ".join(f"{key} {value}" for key, value in row.items()))
    write(rows, output)


if __name__ == "__main__":
    main()
