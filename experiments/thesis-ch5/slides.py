"""The experiments of the slides on microaggregation (22 to 27): numbers of Census, two medians on Housing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import evosdc
from evosdc.experiment.data import load_data
from evosdc.experiment.experiment import DataSource
from evosdc.plugins.registry import Registry
from evosdc.table.schema import Scale
from evosdc.table.table import Table

CENSUS_KS, HOUSING_KS = range(3, 10), range(2, 10)
CENSUS_LENGTHS, HOUSING_LENGTHS = (6, 13), (3, 4, 8, 11)
"""Sizes of the quasi-identifier; the source does not name its attributes: the first of the file."""

LOSSES = {
    "IL1 values": "data", "IL2 means": "means", "IL3 variances": "variances",
    "IL4 covariances": "covariances", "IL5 correlations": "correlations",
}  # fmt: skip
"""By the slides' numbers: the content whose mean variation is taken."""

AVERAGES = ("median", "convex-median")
CATEGORICAL = {"Dist": "dbil", "ACTBIL'": "ctbil-mv", "EBIL": "ebil", "ctbil": "ctbil"}
"""By the slides' names. CTBIL' over the number of cells is the mean variation of the cells that are not empty."""


def original_of(name: str, registry: Registry) -> Table:
    """Return a data set, attributes of an order first."""
    table = load_data(DataSource(name=name), registry).table
    names = [a for a in table.schema.names if table.schema[a].scale is not Scale.NOMINAL]
    return table.select([*names, *(a for a in table.schema.names if a not in names)])


def census(registry: Registry, ks: Sequence[int] = CENSUS_KS) -> Iterator[tuple[int, int, Mapping[str, float]]]:
    """Yield number of attributes, k, and per cent of variation: IL1 to IL5, and IL6, 100 times their mean."""
    original = original_of("census", registry)
    for length in CENSUS_LENGTHS:
        part = original.select(original.schema.names[:length])
        fitted = registry.build("measure", "mean-variation", {"bounded": False}).fit(part)
        for k in ks:
            masked = evosdc.mask(part, "mdav", protect=part.schema.names, k=k, destandardise=True, seed=1)
            found = fitted.breakdown(masked)
            losses = {name: found[content] for name, content in LOSSES.items()}
            yield length, k, losses | {"IL6": sum(losses.values()) / len(losses)}


def housing(registry: Registry, ks: Sequence[int] = HOUSING_KS) -> Iterator[tuple[int, int, str, Mapping[str, float]]]:
    """Yield number of attributes, k, average, and the losses of `CATEGORICAL`."""
    original = original_of("housing", registry)
    for length in HOUSING_LENGTHS:
        part = original.select(original.schema.names[:length])
        for k in ks:
            for average in AVERAGES:
                masked = evosdc.mask(part, "mdav", protect=part.schema.names, k=k, average=average, seed=1)
                found = evosdc.measure(part, masked, list(CATEGORICAL.values()), protect=part.schema.names)
                yield length, k, average, {name: found[measure] for name, measure in CATEGORICAL.items()}


def side_by_side(rows: Sequence[tuple[int, int, str, Mapping[str, float]]]) -> list[list[object]]:
    """Return, by length and loss, the means over k by both averages, and at how many k the median loses less."""
    found: list[list[object]] = []
    for length in dict.fromkeys(row[0] for row in rows):
        for loss in CATEGORICAL:
            plain, convex = (
                [losses[loss] for of, _, kind, losses in rows if (of, kind) == (length, average)]
                for average in AVERAGES
            )
            means = [sum(losses) / len(losses) for losses in (plain, convex)]
            fewer = sum(a < b for a, b in zip(plain, convex, strict=True))
            found.append([length, loss, *means, means[0] - means[1], f"{fewer} of {len(plain)}"])
    return found
