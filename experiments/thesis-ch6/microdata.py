"""Microdata of a graph, masked by methods that know nothing of graphs (6.2.2; figures 6.14 and 6.15 in kind)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from graphs import StudyGraph
from protections import DR, IL, LOSSES, figures_of

import evosdc

MASKINGS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    *(("rank-swapping", {"p": p}) for p in (5, 10, 20, 30)),
    *(("pram", {"p": p}) for p in (0.9, 0.7, 0.5, 0.3)),
    *(("mdav", {"k": k}) for k in (2, 5, 10)),
    *(("mondrian", {"k": k, "output": "point"}) for k in (2, 5, 10)),
    *(("local-suppression", {"k": k}) for k in (2, 5)),
    *(("table-swapping", {"share": share}) for share in (0.2, 0.5)),
)


def microdata(graph: StudyGraph) -> Iterator[list[object]]:
    """Yield method, parameters, losses and semantic risk of each masked file."""
    table = graph.table()
    for method, params in MASKINGS:
        masked = evosdc.mask(table, method, seed=1, **params)
        figures = figures_of(table, masked, (DR,))
        told = " ".join(f"{key}={value}" for key, value in params.items())
        yield [method, told, *(figures[name] for name in (*LOSSES, IL, DR))]
