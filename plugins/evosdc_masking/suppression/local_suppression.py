"""The masking method that suppresses values until a file is k-anonymous."""

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, ParameterError, PluginError, did_you_mean
from evosdc.model import Design, Parameters, Tunable
from evosdc.table.schema import MissingRule
from evosdc.table.table import Table
from evosdc_masking.class_sizes import class_sizes
from evosdc_masking.suppression.agreement import alike
from evosdc_masking.suppression.keys import Values, key_values, with_suppressed

MOST_ATTRIBUTES = 62
"""Sets of attributes are the bits of a number."""

Solver = Callable[[Values, int, NDArray[np.float64]], Values]


class LocalSuppression(Tunable):
    """Suppress few values, so that on the masked attributes every record is like at least k, itself included.

    Promise: k-anonymity in the chosen reading of missing values, checked before the file is returned; no value is
    changed but by being suppressed. The heuristics are evosdc's own (reconstruction of the idea in the literature).
    """

    class Params(Parameters):
        """Size of classes, costs of suppression and the reading of missing values."""

        k: int = Field(default=3, ge=1, description="Each record is like at least k records; 1 changes nothing.")
        importance: dict[str, float] = Field(
            default={},
            description="Cost of suppressing a value of an attribute, by its name, positive; 1 for those not named.",
        )
        missing: Literal["wildcard", "category"] | None = Field(
            default=None,
            description="wildcard: a missing value is like anything; category: like missing ones only. "
            "By default as the schema says.",
        )
        search: Literal["heuristic", "exact"] = Field(
            default="heuristic", description="exact: the least cost, by integer programming; for small files only."
        )

    params: Params

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return k from 2 to a quarter of the file, by the heuristics."""
        sizes = class_sizes(len(table))
        return [Design(free=sizes)] if sizes and len(table.schema) <= MOST_ATTRIBUTES else []

    def require_fit(self, table: Table) -> None:
        """Refuse k beyond the number of records, importances that do not fit, and files too large for `exact`."""
        super().require_fit(table)
        where, names, faults = "method local-suppression", table.schema.names, []
        if self.params.k > len(table):
            faults.append(Fault(f"{where}: k", str(self.params.k), f"at most {len(table)}, the number of records"))
        if len(names) > MOST_ATTRIBUTES:
            given, wanted = f"{len(names)} attributes", f"at most {MOST_ATTRIBUTES}"
            faults.append(Fault(where, given, wanted, "Mask fewer attributes."))
        for name, weight in self.params.importance.items():
            if name not in names:
                wanted = f"one of the masked attributes {', '.join(names)}"
                faults.append(Fault(f"{where}: importance", repr(name), wanted, did_you_mean(name, names)))
            if not weight > 0:
                faults.append(Fault(f"{where}: importance: {name}", str(weight), "a positive number"))
        if self.params.search == "exact" and not faults:
            from evosdc_masking.suppression.exact import require_small

            require_small(key_values(table), self._wildcard(table))
        if faults:
            raise ParameterError(faults)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the table with values suppressed; the generator is not used.

        Raises
        ------
        ParameterError
            See `require_fit`.
        PluginError
            The result is not k-anonymous: a defect.
        """
        self.require_fit(table)
        k, wildcard = self.params.k, self._wildcard(table)
        values = key_values(table)
        if k == 1 or values.shape[1] == 0 or (alike(values, wildcard) >= k).all():
            return table
        weights = np.array([self.params.importance.get(name, 1.0) for name in table.schema.names])
        published = self._solver(wildcard)(values, k, weights)
        suppressed = (published < 0) & (values >= 0)
        masked = with_suppressed(table, suppressed)
        if alike(key_values(masked), wildcard).min() < k:
            raise PluginError("local-suppression: the result is not k-anonymous, which is a defect; report it")
        return masked

    def _wildcard(self, table: Table) -> bool:
        if self.params.missing is None:
            return table.schema.na is MissingRule.WILDCARD
        return self.params.missing == "wildcard"

    def _solver(self, wildcard: bool) -> Solver:
        # each solver is imported when it is used: the integer programs need scipy, the heuristics numba
        if self.params.search == "exact":
            from evosdc_masking.suppression.exact import least_for_classes, least_for_wildcards

            return least_for_wildcards if wildcard else least_for_classes
        from evosdc_masking.suppression.class_repair import suppressed_for_classes
        from evosdc_masking.suppression.wildcards import suppressed_for_wildcards

        return suppressed_for_wildcards if wildcard else suppressed_for_classes
