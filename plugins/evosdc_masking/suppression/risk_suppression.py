"""Local suppression by a threshold of the individual risk."""

from typing import Literal

import numpy as np
from pydantic import Field

from evosdc.errors import Fault, ParameterError, did_you_mean
from evosdc.model import Parameters
from evosdc.table.equivalence import equivalence_classes, key_codes
from evosdc.table.negative_binomial import reidentification_risks
from evosdc.table.schema import MissingRule
from evosdc.table.table import MISSING, Codes, Numbers, Table, with_suppressed
from evosdc.table.wildcard_tree import matching_sums, prefix_tree
from evosdc_masking.tuning import Untuned


class RiskSuppression(Untuned):
    """Suppress values of records whose individual risk is above a threshold, attribute after attribute.

    The risk is that of Benedetti and Franconi (1998): the mean of 1 / F given f, by sampling weights; 1 / f without
    weights. Of each attribute of `suppress` in turn, the first named first, the records that are then still above the
    threshold lose their value; other attributes and records stay. Under ``wildcard`` a missing value is like anything,
    so that risks of others fall as well. A record may stay above the threshold when all attributes have been tried:
    this is no guarantee, as that of ``local-suppression``. Nothing is random.

    Source: localSupp of sdcMicro (Templ), which suppresses one attribute.
    """

    class Params(Parameters):
        """From which risk on values are suppressed, and which."""

        threshold: float = Field(0.1, gt=0, le=1, description="Greatest risk that stays as it is.")
        suppress: tuple[str, ...] = Field(
            (), description="Attributes that lose values, in this order; default: all masked ones."
        )
        missing: Literal["wildcard", "category"] | None = Field(
            None, description="What a missing value is like: anything, or missing ones; default: as the schema says."
        )

    weighted = True
    params: Params

    def require_fit(self, table: Table) -> None:
        """Raise `ParameterError` for attributes that are not masked."""
        super().require_fit(table)
        names = table.schema.names
        strange = [name for name in self.params.suppress if name not in names]
        if strange:
            advice = did_you_mean(strange[0], names)
            where, wanted = "method risk-suppression: suppress", f"masked attributes: {', '.join(names)}"
            raise ParameterError(Fault(where, ", ".join(strange), wanted, advice))

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the table with values suppressed; every record represents itself."""
        return self.mask_weighted(table, np.ones(len(table)), rng)

    def mask_weighted(self, table: Table, weights: Numbers, rng: np.random.Generator) -> Table:
        """Return the table with values suppressed; risks are those of the weights."""
        self.require_fit(table)
        values = key_codes(table, table.schema.names)
        published = values.copy()
        wildcard = (self.params.missing or table.schema.na) == MissingRule.WILDCARD
        places = {name: j for j, name in enumerate(table.schema.names)}
        for name in self.params.suppress or table.schema.names:
            above = individual_risks(published, weights, wildcard) > self.params.threshold + 1e-12
            published[above, places[name]] = MISSING
        return with_suppressed(table, (published == MISSING) & (values != MISSING))


def individual_risks(values: Codes, weights: Numbers, wildcard: bool) -> Numbers:
    """Return the risk of each record, shape (n,)."""
    # values (n, V); weights (n,); wildcard: whether a missing value is like anything.
    classes = equivalence_classes(np.ascontiguousarray(values, dtype=np.int32))
    counts, sums = classes.counts, classes.total(weights)
    keys = np.ascontiguousarray(values[classes.first], dtype=np.int32)
    if wildcard and bool((keys == MISSING).any()):
        counts, sums = matching_sums(prefix_tree(keys), counts, sums, keys)
    return reidentification_risks(counts, np.maximum(sums, counts))[classes.of]
