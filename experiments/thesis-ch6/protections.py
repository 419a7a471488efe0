"""The protections that are compared, each with its losses and risks."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphs import StudyGraph

import evosdc

LOSSES = ("aamil", "cdil", "semantic-dbil")
RISKS = ("semantic-dr", "informed-semantic-dr", "neighbourhood-dr")
IL, DR = "il", "semantic-dr"

METHODS: Mapping[str, Any] = {
    "mdav": {"method": "mdav", "hierarchies": True},
    "k-member": {"method": "k-member"},
    "mondrian": {"method": "mondrian"},
    "level-filling": {"method": "level-filling"},
}
"""What forms the groups; the first is the thesis' way as reconstructed."""

THESIS = "mdav"


@dataclass(frozen=True)
class Protection:
    """A protected graph and its figures.

    Parameters
    ----------
    graph, way : str
    k, seed : int
    figures : mapping of str to float
        Losses and risks, and `IL`, the average semantic information loss.
    """

    graph: str
    way: str
    k: int
    seed: int
    figures: Mapping[str, float]


def figures_of(original: evosdc.Table, masked: evosdc.Table, risks: Sequence[str] = RISKS) -> dict[str, float]:
    """Return losses, risks and the average loss."""
    found = dict(evosdc.measure(original, masked, [*LOSSES, *risks]))
    return {**found, IL: sum(found[name] for name in LOSSES) / len(LOSSES)}


def grouped(graph: StudyGraph, way: str, k: int, coarsest: Mapping[str, str] | None = None) -> Protection:
    """Return the graph protected by groups of one method."""
    table = graph.table()
    masked = evosdc.mask(table, "semantic-groups", k=k, inner=METHODS[way], coarsest=dict(coarsest or {}), seed=1)
    return Protection(graph.name, way, k, 1, figures_of(table, masked))


def evolved(graph: StudyGraph, k: int, most: float, seed: int, evaluations: int) -> Protection:
    """Return the graph protected by evolved groups: the least loss at a semantic risk that is not above a bound."""
    table = graph.table()
    experiment = evosdc.Experiment(
        data={"file": str(graph.graph.resolve()), "schema": str(graph.schema.resolve())},
        seed=seed,
        genotype={"name": "groups", "k": k},
        start={"initial": True},
        measures={"il": list(LOSSES), "dr": [DR]},
        # Rounding of the bound must not exclude the file that it is of.
        constraints=[f"{DR} <= {most + 1e-9:.12f}"],
        fitness={"name": "weighted", "il": 1.0, "dr": 0.0},
        algorithm={"name": "memetic", **graph.search},
        stop={"evaluations": evaluations},
        second_opinion=False,
    )
    with tempfile.TemporaryDirectory() as folder:
        result = evosdc.run(experiment, Path(folder) / "run")
        masked = published(table, Path(folder) / "run" / str(result["best"]["file"]))
    found = Protection(graph.name, "evolved", k, seed, figures_of(table, masked))
    assert abs(found.figures[IL] - result["best"]["scores"]["il"]) < 1e-9, "what was published is what was judged"
    return found


def published(original: evosdc.Table, path: Path) -> evosdc.Table:
    """Return a protected graph that a run left, with labels as they stand."""
    read = evosdc.read_table(path)
    names = [name for name in original.schema.names if name in read.schema and original.schema[name].role.published]
    return read.select(names)
