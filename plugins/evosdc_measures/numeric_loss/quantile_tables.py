"""Tables of numbers by classes of their quantiles, with each other and with categories."""

from itertools import combinations

from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Fitted, Measure
from evosdc.model.parameters import Parameters
from evosdc.table.schema import Scale
from evosdc.table.table import Table
from evosdc_measures.categorical_loss.tables import FittedSum
from evosdc_measures.number_intervals import FittedOnIntervals, by_classes

FEWEST, MOST = 4, 10
"""Classes of an attribute, at least and at most."""

IN_A_CELL = 25
"""Records of the original in a cell of a table of two numbers, in the mean: with fewer, tables tell of sampling."""


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
            description="Classes of about equal frequency; by default so many that a cell of two numbers has 25 "
            "records in the mean, 4 to 10.",
        )

    params: Params

    def fit(self, original: Table) -> Fitted:
        """Count the original's tables.

        Raises
        ------
        ParameterError
            No attribute is a number, or a date of many days.
        """
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
