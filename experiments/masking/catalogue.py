"""The entries of the study: every masking method over a small grid of parameters, as far as it fits a file.

The grids follow Domingo-Ferrer and Torra (2001) where Table 35.1 of the handbook names them: rank swapping from 1 to 20
percent, microaggregation with k from 3 to 10 of all attributes, of groups of two to four and by individual ranking. The
others are chosen so that they span the range from hardly any change to hardly any information.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from evosdc.model import Masking
from evosdc.plugins.registry import Registry
from evosdc.table.table import Table

KS = tuple(range(3, 11))
CLASSES = (2, 3, 5, 10, 20)
ALPHAS = (0.01, 0.04, 0.1, 0.16, 0.25, 0.5, 1.0)
TENTHS = tuple(tenth / 10 for tenth in range(1, 10))

Grid = Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class Entries:
    """The entries of one method: the product of each grid's values.

    Parameters
    ----------
    grids : tuple of mapping
        Parameter names and the values that each takes.
    """

    grids: tuple[Grid, ...]

    def parameters(self, smoke: bool) -> Iterator[dict[str, Any]]:
        """Yield the parameters of each entry; in the smoke profile the first and last of each grid."""
        for grid in self.grids:
            points = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
            yield from ([points[0], points[-1]] if smoke and len(points) > 2 else points)


def of(*grids: Grid) -> Entries:
    return Entries(grids)


NUMERIC: dict[str, Entries] = {
    "rank-swapping": of({"p": range(1, 21)}),
    "mdav": of({"k": KS}, {"destandardise": (False,), "k": KS}, {"group_size": (2, 3, 4), "k": KS}),
    "individual-ranking": of({"k": KS}),
    "univariate-microaggregation": of({"k": KS}),
    "projected-microaggregation": of({"projection": ("principal-component", "z-scores"), "k": KS}),
    "k-member": of({"k": (3, 5, 10)}),
    "r-gather": of({"k": (3, 5, 10)}),
    "mondrian": of({"partitioning": ("strict", "relaxed"), "k": CLASSES}),
    "global-recoding": of({"width": (0.02, 0.05, 0.1, 0.2)}),
    "top-coding": of({"share": (0.05, 0.1, 0.2)}),
    "bottom-coding": of({"share": (0.05, 0.1, 0.2)}),
    "local-suppression": of({"k": (2, 3)}),
    "noise": of({"alpha": ALPHAS}),
    "correlated-noise": of({"alpha": ALPHAS}),
    "linear-transform-noise": of({"alpha": ALPHAS}),
    "multiplicative-noise": of(
        {"sigma": (0.05, 0.1, 0.2, 0.3, 0.5)}, {"variant": ("two-component",), "f": (0.05, 0.1, 0.2, 0.3, 0.5)}
    ),
    "jpeg": of({"quality": (5, *range(10, 101, 10))}),
    "jpeg2000": of({"rate": (1, 2, 3, 5, 10, 20, 50)}),
    "ipso": of({"variant": ("a", "b", "c")}),
    "liew": of({"significance": (0.05, 1.0)}),
}
"""For files whose protected attributes are numeric; widths of global recoding are shares of each attribute's range."""

CATEGORICAL: dict[str, Entries] = {
    "pram": of(
        {"design": ("a",), "p": TENTHS},
        {"design": ("b",), "theta": TENTHS},
        {"design": ("two-stage",), "p": (0.1,), "unchanged": (0.5, 0.6, 0.7, 0.8, 0.9)},
        {"design": ("preference",), "least": (0.3,), "most": (0.5, 0.6, 0.7, 0.8, 0.9)},
    ),
    "rank-swapping": of({"p": range(1, 21)}),
    "mdav": of({"k": (2, *KS)}, {"group_size": (2,), "k": KS}),
    "individual-ranking": of({"k": KS}),
    "univariate-microaggregation": of({"k": KS}),
    "k-member": of({"k": CLASSES}),
    "r-gather": of({"k": CLASSES}),
    "mondrian": of({"partitioning": ("strict", "relaxed"), "k": CLASSES}),
    "global-recoding": of({"q": range(2, 7)}),
    "top-coding": of({"q": range(2, 5)}),
    "bottom-coding": of({"q": range(2, 5)}),
    "local-suppression": of({"k": (2, 3, 5)}),
    "liew": of({}),
}
"""For files whose protected attributes are categorical."""


@dataclass(frozen=True)
class Entry:
    """An entry with a label that fits a table."""

    label: str
    masking: Masking


def entries(table: Table, registry: Registry, smoke: bool) -> list[Entry]:
    """Return the entries that fit the protected attributes by scale; a method without a grid enters with its defaults.

    Where q categories are merged, only attributes with more than q of them are masked: none becomes constant. In the
    smoke profile methods have two entries of each grid at most.
    """
    grids = CATEGORICAL if table.schema.categorical else NUMERIC
    found: list[Entry] = []
    for name in registry.names("masking-method"):
        supported = set(registry.spec("masking-method", name).scales)  # type: ignore[attr-defined]
        fitting = tuple(a.name for a in table.schema.attributes if str(a.scale) in supported)
        for params in grids.get(name, of({})).parameters(smoke):
            chosen = tuple(a for a in fitting if params.get("q", 0) < len(np.unique(table.column(a))))
            if chosen and name == "ipso":
                found += _synthetic(params, chosen)
            elif chosen:
                attributes = () if len(chosen) == len(table.schema) else chosen
                masking = Masking(name, params | _widths(params, table), attributes)
                found.append(Entry(_label(name, params, attributes, table), masking))
    return found


def _label(name: str, params: Mapping[str, Any], attributes: Sequence[str], table: Table) -> str:
    words = [name, *(f"{key}={value}" for key, value in params.items())]
    return " ".join(words) + (f" ({len(attributes)} of {len(table.schema)} attributes)" if attributes else "")


def _widths(params: Mapping[str, Any], table: Table) -> dict[str, Any]:
    """Return the width of intervals of each attribute that is not constant, where the grid has a share of its range."""
    if "width" not in params:
        return {}
    ranges = {a.name: float(np.ptp(table.column(a.name))) for a in table.schema.numeric}
    return {"width": {name: params["width"] * extent for name, extent in ranges.items() if extent > 0}}


def _synthetic(params: dict[str, Any], attributes: tuple[str, ...]) -> Iterator[Entry]:
    """Yield IPSO of all attributes explained by a constant, and of one half of them explained by the other half."""
    label = " ".join(["ipso", *(f"{key}={value}" for key, value in params.items())])
    if params.get("variant") != "a":
        yield Entry(label, Masking("ipso", params))
    half = len(attributes) // 2
    if half:
        chosen = Masking("ipso", {**params, "confidential": attributes[half:]}, attributes[:half])
        yield Entry(f"{label} ({half} of {len(attributes)} attributes)", chosen)
