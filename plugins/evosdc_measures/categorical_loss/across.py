"""Contingency tables across attributes: of protected with unprotected ones, where most analyses of a file are made, and
of numbers by classes of their quantiles.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Expected, Fitted, Measure, Microdata, Tracker
from evosdc.model.parameters import Parameters
from evosdc.randomisation.transition import Matrix
from evosdc.table.merged_classes import LEAST_CELL, merged_classes
from evosdc.table.schema import WITHHELD, Attribute, Role, Scale
from evosdc.table.table import MISSING, Codes, Numbers, Table
from evosdc_measures.categorical_loss.tables import FittedSum
from evosdc_measures.domains import counts_of
from evosdc_measures.number_intervals import FittedOnIntervals, by_classes, classed, recoded
from evosdc_measures.records import InWholeFile

NOT_ANALYSED = (*WITHHELD, Role.WEIGHT, Role.HOUSEHOLD)  # Roles of attributes that nobody tabulates


class ContingencyLossAcross(InWholeFile):
    """Share of records moved to another cell, over two-way tables of a protected with an unprotected attribute.

    The sum of ``|x - y|`` over the cells of T such tables, x original and y masked counts, as ``100 * sum / (2 n T)``:
    range 0..100, smaller is better. What `ContingencyTableLoss` is for tables of protected attributes. It sees that a
    file keeps all of these and yet turns round how a protected attribute goes with the rest of the file; other than
    within the protected attributes, a permutation of the records has a loss.

    Tables are taken by strength of association in the original: first the strongest of each protected attribute, then
    the strongest of all others, ``pairs`` at most. The strength is Cramer's V with Bergsma's correction (2013), without
    which an attribute of many categories would seem to go with everything. Pairs that it finds independent are left
    out; where there are no others nothing can be lost. Numbers are taken by classes: ``bins`` of about equal frequency
    in the original. With a sensitive attribute a protected one is tabulated by merged classes, so that a cell has
    ``least_cell`` people in the mean: a search that kept finer tables would give away what is theirs. Unprotected
    attributes are those of the file that are not judged, but for identifiers, weights and households; they stand as in
    the original. A missing value is a category of its own. Choice of tables and normalisation are reconstructions.
    """

    supports = frozenset(Scale)
    auxiliary_all = True

    class Params(Parameters):
        """Which tables are compared."""

        pairs: int = Field(24, ge=1, le=1000, description="Greatest number of tables.")
        attributes: tuple[str, ...] = Field((), description="Unprotected attributes to tabulate; default: all.")
        bins: int = Field(
            10, ge=2, description="Classes of about equal frequency that numbers, and dates of more days, are taken by."
        )
        least_cell: int = Field(
            LEAST_CELL,
            ge=1,
            description="People in a cell of a table with a sensitive attribute, in the mean; classes are merged.",
        )

    params: Params

    def auxiliary_names(self) -> tuple[str, ...]:
        """Return the attributes that are named."""
        return self.params.attributes

    def fit_in(self, microdata: Microdata) -> Fitted:
        """Choose the tables and count the original in them."""
        where = "measure ctbil-across"
        self.require_support(microdata.original)
        schema = microdata.table.schema
        schema.require(self.params.attributes, f"{where}: attributes")
        wanted = self.params.attributes or tuple(a.name for a in schema.attributes if a.role not in NOT_ANALYSED)
        names = [name for name in wanted if name not in microdata.protect]
        if not names:
            advice = "Judge by ctbil, or protect fewer attributes."
            raise ParameterError(Fault(where, "a file without unprotected attributes", "at least one", advice))
        others = classed(microdata.table.select(names), self.params.bins)

        def fitted(original: Table) -> Fitted:
            pairs = strongest_pairs(original.codes, others.codes, self.params.pairs)
            secret = [w for w in {w for _, w in pairs} if others.schema.attributes[w].role is Role.SENSITIVE]
            if not secret or self.params.least_cell == 1:
                return FittedAcross(original, others, pairs)
            return FittedMerged(original, others, pairs, sorted(secret), self.params.least_cell)

        if by_classes(microdata.original.schema, self.params.bins):
            return FittedOnIntervals(microdata.original, self.params.bins, fitted)
        return fitted(microdata.original)


class FittedAcross(FittedSum):
    """`ContingencyLossAcross` of one original."""

    def __init__(self, original: Table, others: Table, pairs: list[tuple[int, int]]) -> None:
        self.pairs = tuple((original.schema.names[v], others.schema.names[w]) for v, w in pairs)
        """Names of the attributes of each table."""
        used, width = sorted({w for _, w in pairs}), len(original.schema)
        tables = [(v, width + used.index(w)) for v, w in pairs]
        super().__init__(original, tables, "ctbil-across", others=others.select([others.schema.names[w] for w in used]))


class FittedMerged(Expected):
    """`ContingencyLossAcross` of one original, with classes that are merged for tables with sensitive attributes."""

    def __init__(
        self, original: Table, others: Table, pairs: list[tuple[int, int]], sensitive: list[int], least_cell: int
    ) -> None:
        self._merged: list[tuple[int, Codes]] = []
        self._counts = list[Numbers]()
        attributes, tables = list(original.schema.attributes), list[tuple[int, int]]()
        for v, w in pairs:
            if w in sensitive:
                least = least_cell * len(np.unique(others.codes[:, w]))
                attribute = original.schema.attributes[v]
                counts = counts_of(original.codes, v, len(attribute.categories))
                # A missing value stays what it is.
                classes = np.append(merged_classes(counts.astype(np.int64), attribute, least), MISSING).astype(np.int32)
                self._counts.append(counts)
                self._merged.append((v, classes))
                labels = tuple(map(str, range(int(classes.max()) + 1)))
                attributes.append(
                    Attribute(f"{attribute.name} by classes {len(attributes)}", scale=Scale.ORDINAL, categories=labels)
                )
                v = len(attributes) - 1
            tables.append((v, w))
        self._schema = replace(original.schema, attributes=tuple(attributes), edit_rules=())
        self._fitted = FittedAcross(self._widened(original), others, tables)
        self.pairs = tuple((original.schema.names[v], others.schema.names[w]) for v, w in pairs)

    def _widened(self, table: Table) -> Table:
        added = [classes[table.codes[:, v]] for v, classes in self._merged]
        return Table(self._schema, np.column_stack([table.codes, *added]).astype(np.int32), table.numbers)

    def score(self, masked: Table) -> float:
        """Return the score of a table."""
        return self._fitted.score(self._widened(masked))

    def track(self, masked: Table) -> Tracker:
        """Return a tracker of a table."""
        return recoded(self._fitted.track(self._widened(masked)), self._widened)

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the expected loss, where a class is taken to change as its people do in the mean: an approximation."""
        merged = []
        for (v, classes), counts in zip(self._merged, self._counts, strict=True):
            members = np.eye(int(classes.max()) + 1)[classes[:-1]]
            flows = members.T @ (counts[:, None] * transitions[v]) @ members
            totals = flows.sum(axis=1, keepdims=True)
            merged.append(np.divide(flows, totals, out=np.eye(len(flows)), where=totals > 0))
        return self._fitted.expected([*transitions, *merged])


def strongest_pairs(protected: Codes, others: Codes, most: int) -> list[tuple[int, int]]:
    """Return pairs of columns by strength of association, first the strongest of each protected one."""
    strength = {
        (v, w): corrected_association(protected[:, v], others[:, w])
        for v in range(protected.shape[1])
        for w in range(others.shape[1])
    }
    ranked = sorted((pair for pair, value in strength.items() if value > 0.0), key=lambda pair: (-strength[pair], pair))
    firsts = [next((pair for pair in ranked if pair[0] == v), None) for v in range(protected.shape[1])]
    foremost = sorted((pair for pair in firsts if pair is not None), key=ranked.index)
    return [*foremost, *(pair for pair in ranked if pair not in foremost)][:most]


def corrected_association(first: Codes, second: Codes) -> float:
    """Return Cramer's V of two columns with Bergsma's correction (2013), 0..1; 0 where one of them is constant."""
    # Of independent columns it is near 0 however many categories they have.
    n = len(first)
    rows, columns = np.bincount(first + 1), np.bincount(second + 1)
    height, width = int(np.count_nonzero(rows)), int(np.count_nonzero(columns))
    if n < 2 or height < 2 or width < 2:
        return 0.0
    cells, counts = np.unique((first.astype(np.int64) + 1) * len(columns) + second + 1, return_counts=True)
    margins = rows[cells // len(columns)].astype(np.float64) * columns[cells % len(columns)]
    square = float((counts.astype(np.float64) ** 2 / margins).sum()) - 1.0  # chi-square over n
    square = max(square - (height - 1) * (width - 1) / (n - 1), 0.0)
    least = min(size - 1 - (size - 1) ** 2 / (n - 1) for size in (height, width))
    return min(float(np.sqrt(square / least)), 1.0) if least > 1e-12 else 0.0


FEWEST, MOST = 4, 10  # Classes of an attribute, at least and at most
IN_A_CELL = 25  # records in a cell of two numbers, in the mean: with fewer, tables tell of sampling


class QuantileTables(Measure):
    """Share of records moved to another cell, over all one- and two-way tables with numbers, times 100.

    Numbers, and dates of many days, stand in classes of about equal frequency in the original; categories stand as they
    are. The sum of ``|x - y|`` over the cells of T tables, x original and y masked counts, as ``100 * sum / (2 n T)``:
    range 0..100, smaller is better. What `ContingencyTableLoss` (Domingo-Ferrer and Torra, 2001) is for categories;
    tables of categories alone are left to it. Moves within a class cost nothing, and neither does an exchange of whole
    records. A missing value is a category of its own. Classes and normalisation are reconstructions.
    """

    supports = frozenset(Scale)

    class Params(Parameters):
        """Classes of numbers."""

        bins: int | None = Field(
            None,
            ge=2,
            description="Classes of about equal frequency; by default chosen so that a cell of two numbers has 25 "
            "records in the mean, 4 to 10.",
        )

    params: Params

    def fit(self, original: Table) -> Fitted:
        """Count the original's tables."""
        self.require_support(original)
        bins = self.params.bins or min(max(int((len(original) / IN_A_CELL) ** 0.5), FEWEST), MOST)
        numbers = set(by_classes(original.schema, bins))
        if not numbers:
            where, wanted = "measure quantile-tables", "at least one number"
            raise ParameterError(Fault(where, "attributes without numbers", wanted, "Judge categories by ctbil."))
        names = original.schema.names
        chosen = [
            members
            for size in (1, 2)
            for members in combinations(range(len(names)), size)
            if any(names[v] in numbers for v in members)
        ]
        return FittedOnIntervals(original, bins, lambda classed: FittedSum(classed, chosen, "quantile-tables"))
