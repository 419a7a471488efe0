"""Global recoding."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import Design, Parameters, Range, Tunable
from evosdc.table.schema import Attribute
from evosdc.table.table import Codes, Numbers, Table
from evosdc_masking.anonymity.publication import labelled_table
from evosdc_masking.frequencies import frequencies
from evosdc_masking.recoding.grouping_file import read_partitions
from evosdc_masking.recoding.groupings import Grouping, middle_numbers, representatives
from evosdc_masking.recoding.merging import mergings
from evosdc_masking.recoding.rules import METHOD, Rules

_Width = Annotated[float, Field(gt=0)]
_Number = Annotated[int, Field(ge=1, le=100_000)]


class GlobalRecoding(Tunable):
    """Merge values of each attribute, the same way in all records.

    Categories: the q least frequent ones that occur (ties in the order of the categories), the nodes at a level of the
    attribute's hierarchy, or groups that the user gives. Numbers: intervals of one width, intervals between cut
    points, or a level of the hierarchy. A group is published as one of its members (`output` point), so that the file
    keeps its domain: the lower median of its records (ordinal, numeric) or the most frequent member (nominal); or as a
    label (`output` label): that of the hierarchy, the user's name, an interval or a set. Without parameters q is 2 and
    the width about a tenth of the range. Missing values stay missing.

    Sources: Willenborg and de Waal (2001) for partitions; Domingo-Ferrer and Torra (2001) for q. The representative
    and the usual width are a reconstruction.
    """

    class Params(Parameters):
        """How values are grouped, for all attributes or by name, and what a group publishes."""

        q: int | None = Field(None, ge=1, description="categories to merge, the least frequent ones; 1 changes nothing")
        level: Annotated[int, Field(ge=0)] | dict[str, Annotated[int, Field(ge=0)]] | None = Field(
            None, description="level of the hierarchy, for all or by attribute; 0 changes nothing"
        )
        partition: dict[str, dict[str, list[str]] | list[list[str]]] | Path | None = Field(
            None, description="groups of categories by attribute, or a TOML file with them"
        )
        width: _Width | dict[str, _Width] | None = Field(
            None, description="width of the intervals of numbers, for all or by attribute"
        )
        start: float = Field(0.0, description="where one of the intervals begins")
        cuts: list[float] | dict[str, list[float]] | None = Field(
            None, description="numbers at which intervals begin, for all or by attribute"
        )
        intervals: _Number | dict[str, _Number] | None = Field(
            None, description="number of the intervals that numbers are put into, for all or by attribute"
        )
        spacing: Literal["equal", "log", "quantile"] = Field(
            "equal", description="how intervals lie: of equal width, of equal width of logarithms, of equal frequency"
        )
        output: Literal["point", "label", "lower", "upper", "middle"] = Field(
            "point",
            description="point: a member of the group; label: the group's own label; lower, upper, middle: the least "
            "or greatest number of the group, or the middle between them",
        )

    promise = 1
    params: Params

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        groups = params.partition
        if isinstance(groups, Path):
            groups = read_partitions(groups, f"{METHOD}: partition")  # type: ignore[assignment]
        given = (params.q, params.level, groups, params.width, params.cuts, params.start)
        self._rules = Rules(*given, params.intervals, params.spacing)  # type: ignore[arg-type]

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return q up to one less than an attribute's categories, levels below the root, and a width of each number."""
        heights = {
            a.name: a.hierarchy.height for a in table.schema.attributes if a.hierarchy and a.hierarchy.height > 1
        }
        levels = Range("level", 1, max(heights.values(), default=2) - 1, whole=True)
        most = {name: height - 1.0 for name, height in heights.items()}
        by_level = [Design(free=(levels,), attributes=tuple(heights), most=most)] if heights else []
        spans = {a.name: _span(table.numbers[:, j]) for j, a in enumerate(table.schema.numeric)}
        by_width = [
            Design(free=(Range("width", span / 100, span / 2, "log"),), attributes=(name,))
            for name, span in spans.items()
            if span > 0
        ]
        return [*mergings(table), *by_level, *by_width]

    @property
    def generalises(self) -> bool:
        """Whether labels of groups are published."""
        return self.params.output == "label"

    def require_fit(self, table: Table) -> None:
        """Raise `ParameterError` naming each attribute that its rule does not fit."""
        super().require_fit(table)
        self._rules.partitions(table)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the recoded table; nothing is random.

        Raises
        ------
        ParameterError
            Names each attribute that its rule does not fit.
        """
        partitions = self._rules.partitions(table)
        published = table
        for name, partition in partitions.items():
            attribute = table.schema[name]
            if self.params.output in ("lower", "upper", "middle") and not attribute.categorical:
                published = published.with_columns(self._bounded(table, attribute, partition))
                continue
            part = self._labelled if self.generalises else self._represented
            published = published.with_columns(part(table, attribute, partition))
        return published

    @staticmethod
    def _represented(table: Table, attribute: Attribute, partition: Grouping) -> Table:
        alone = table.select([attribute.name])
        if not attribute.categorical:
            return Table(alone.schema, alone.codes, middle_numbers(partition, alone.numbers[:, 0])[:, None])
        counts = frequencies(alone.codes[:, 0], len(attribute.categories))
        return Table(alone.schema, representatives(partition, counts, attribute.scale)[alone.codes], alone.numbers)

    def _bounded(self, table: Table, attribute: Attribute, partition: Grouping) -> Table:
        alone = table.select([attribute.name])
        column, groups = alone.numbers[:, 0], partition.groups
        published = np.full(column.shape, np.nan)
        for group in np.unique(groups[groups >= 0]):
            inside = groups == group
            low, high = float(column[inside].min()), float(column[inside].max())
            published[inside] = {"lower": low, "upper": high}.get(self.params.output, low / 2.0 + high / 2.0)
        return Table(alone.schema, alone.codes, published[:, None])

    @staticmethod
    def _labelled(table: Table, attribute: Attribute, partition: Grouping) -> Table:
        column: Codes | Numbers = table.column(attribute.name)
        groups = np.append(partition.groups, -1)[column.astype(np.int64)] if attribute.categorical else partition.groups
        return labelled_table(table, attribute, partition.labels, groups.astype(np.int64))


def _span(numbers: NDArray[np.float64]) -> float:
    """Return the range of a column, 0 where it has no number."""
    present = numbers[~np.isnan(numbers)]
    return float(np.ptp(present)) if present.size else 0.0
