"""Microaggregation of records in the order of a projection."""

from collections.abc import Sequence
from typing import ClassVar, Literal, get_args

import numpy as np
from pydantic import Field

from evosdc.model import Design
from evosdc.table.schema import Scale
from evosdc.table.spread import Spread
from evosdc.table.table import Numbers, Table
from evosdc_masking.averages import ClassAveraging, ClassNumbers, aggregated
from evosdc_masking.microaggregation.mdav import BlockParameters, block_sizes, blocks_of, masked_by_blocks
from evosdc_masking.microaggregation.univariate import least_squares
from evosdc_masking.space import spreads_for, standardised

Projection = Literal["principal-component", "z-scores"]


class ProjectedMicroaggregation(ClassAveraging):
    """Put the records of each block of attributes in a line, divide it in the best runs of k or more, publish averages.

    The line is the first principal component of the block's standardised attributes or the sum of their z-scores. The
    partition is the best one in runs of neighbours on that line: its sum of squares, over all the block's standardised
    attributes, is the least.

    On the attributes of one block the published file is k-anonymous; on several blocks together it is not. A missing
    number counts as the mean while classes are formed, a reconstruction. Nothing is random.

    Source: projected microaggregation, algorithm 2 of Torra's chapter on privacy in data mining.
    """

    class Params(BlockParameters):
        """Least size of the classes, the blocks of attributes, and the projection."""

        projection: Projection = Field(
            "principal-component",
            description="principal-component: the first one of the correlations; z-scores: their sum.",
        )

    promise = 6
    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.NUMERIC})
    name = "projected-microaggregation"
    params: Params

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return both projections, each with k and the number of attributes masked together."""
        free = block_sizes(table)
        return [Design({"projection": projection}, free) for projection in get_args(Projection)] if free else []

    def require_blocks(self, table: Table) -> None:
        """Raise `ParameterError` when groups do not hold every masked attribute once."""
        blocks_of(table, self.params, self.name)

    def published(self, table: Table, weights: Numbers | None, rng: np.random.Generator) -> Table:
        """Return the averages of each block's classes."""
        average = self.params.average
        return masked_by_blocks(
            table,
            blocks_of(table, self.params, self.name),
            lambda part: aggregated(part, self._classes(part), average, weights),
        )

    def _classes(self, part: Table) -> ClassNumbers:
        spreads = spreads_for(part, self.spreads)
        return projected_classes(part.numbers, self.params.k, self.params.projection, spreads)


def projected_classes(
    numbers: Numbers, k: int, projection: Projection, spreads: Sequence[Spread] | None = None
) -> ClassNumbers:
    """Return the class of each record, shape (n,), of numbers (n, V); columns are standardised by the spreads."""
    points = np.nan_to_num(standardised(numbers, spreads), nan=0.0)
    order = np.argsort(projected(points, projection), kind="stable")
    classes = np.empty(len(points), dtype=np.int64)
    classes[order] = least_squares(np.ascontiguousarray(points[order]), k)
    return classes


def projected(points: Numbers, projection: Projection) -> Numbers:
    """Return each point's place on the line, shape (n,)."""
    # The direction of a principal component is chosen so that the first of its greatest loadings is positive.
    if projection == "z-scores":
        total: Numbers = points.sum(axis=1)
        return total
    _, vectors = np.linalg.eigh(points.T @ points / max(len(points), 1))
    loadings = vectors[:, -1]
    place: Numbers = points @ (loadings * np.sign(loadings[np.argmax(np.abs(loadings))]))
    return place
