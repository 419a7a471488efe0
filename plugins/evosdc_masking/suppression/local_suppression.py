"""The masking method that suppresses values until a file is k-anonymous."""

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import Literal

import numpy as np
from pydantic import Field

from evosdc.errors import Fault, ParameterError, PluginError, did_you_mean
from evosdc.model import Design, Parameters, Tunable
from evosdc.table.equivalence import key_codes
from evosdc.table.schema import MissingRule
from evosdc.table.table import Table, with_suppressed
from evosdc_masking.suppression.wildcards import Values, alike
from evosdc_masking.tuning import class_sizes

MOST_ATTRIBUTES = 62  # sets of attributes are the bits of a number
MOST_SETS = 20_000  # sets of attributes that are made k-anonymous one by one


class LocalSuppression(Tunable):
    """Suppress few values, so that on the masked attributes every record is like at least k, itself included.

    With `subsets` every set of these sizes is made k-anonymous, for intruders who know some attributes only, as
    ``combs`` does in sdcMicro; k may differ by size.

    Promise: k-anonymity in the chosen reading of missing values, checked before the file is returned; no value is
    changed but by being suppressed. The heuristics are evosdc's own (reconstruction of the idea in the literature).
    """

    class Params(Parameters):
        """Size of classes, costs of suppression and the reading of missing values."""

        k: int = Field(3, ge=1, description="Each record is like at least k records; 1 changes nothing.")
        subsets: tuple[int, ...] = Field(
            (),
            description="Sizes of sets of attributes: every set of such a size is k-anonymous by itself; default: the "
            "set of all attributes alone.",
        )
        subset_k: tuple[int, ...] = Field((), description="k of each of the subsets; default: k for all.")
        ghosts: dict[str, tuple[str, ...]] = Field(
            {},
            description="Masked attributes that are no keys, and the keys with which they are suppressed: a person "
            "whose region is suppressed must not be found by the region of birth.",
        )
        importance: dict[str, float] = Field(
            {}, description="Cost of suppressing a value of an attribute, by its name, positive; 1 for those not named."
        )
        missing: Literal["wildcard", "category"] | None = Field(
            None,
            description="wildcard: a missing value is like anything; category: like missing ones only. "
            "By default as the schema says.",
        )

    params: Params

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return k from 2 to a quarter of the file."""
        sizes = class_sizes(len(table))
        return [Design(free=sizes)] if sizes and len(table.schema) <= MOST_ATTRIBUTES else []

    def require_fit(self, table: Table) -> None:
        """Refuse k beyond the number of records, and importances that do not fit."""
        super().require_fit(table)
        where, names, faults = "method local-suppression", table.schema.names, []
        if self.params.k > len(table):
            faults.append(Fault(f"{where}: k", str(self.params.k), f"at most {len(table)}, the number of records"))
        if len(names) > MOST_ATTRIBUTES:
            given, wanted = f"{len(names)} attributes", f"at most {MOST_ATTRIBUTES}"
            faults.append(Fault(where, given, wanted, "Mask fewer attributes."))
        for name, linked in self.params.ghosts.items():
            strange = [other for other in (name, *linked) if other not in names]
            wrong = [other for other in linked if other in self.params.ghosts]
            if strange or wrong or not linked:
                given = ", ".join(dict.fromkeys([*strange, *wrong])) or f"{name} without keys"
                wanted = f"masked attributes and keys of {', '.join(names)}"
                advice = (
                    "Ghost attributes are masked as well: name them among the attributes to mask." if strange else ""
                )
                faults.append(Fault(f"{where}: ghosts", given, wanted, advice))
        if self.params.ghosts and len(self.params.ghosts) >= len(names):
            faults.append(Fault(f"{where}: ghosts", "all masked attributes", "at least one key"))
        for size in self.params.subsets:
            if not 1 <= size <= len(names):
                faults.append(Fault(f"{where}: subsets", str(size), f"sizes from 1 to {len(names)}"))
            elif comb(len(names), size) > MOST_SETS:
                faults.append(Fault(f"{where}: subsets", f"{comb(len(names), size):,} sets", f"at most {MOST_SETS:,}"))
        if self.params.subset_k and len(self.params.subset_k) != len(self.params.subsets):
            wanted = f"{len(self.params.subsets)} numbers, one for each of the subsets"
            faults.append(Fault(f"{where}: subset_k", f"{len(self.params.subset_k)} numbers", wanted))
        if any(not 1 <= k <= len(table) for k in self.params.subset_k):
            faults.append(Fault(f"{where}: subset_k", str(self.params.subset_k), f"numbers from 1 to {len(table)}"))
        for name, weight in self.params.importance.items():
            if name not in names:
                wanted = f"one of the masked attributes {', '.join(names)}"
                faults.append(Fault(f"{where}: importance", repr(name), wanted, did_you_mean(name, names)))
            if not weight > 0:
                faults.append(Fault(f"{where}: importance: {name}", str(weight), "a positive number"))
        if faults:
            raise ParameterError(faults)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the table with values suppressed; the generator is not used."""
        self.require_fit(table)
        if self.params.ghosts:
            return self._with_ghosts(table)
        return self._keys_masked(table)

    def _with_ghosts(self, table: Table) -> Table:
        """Return the table with keys suppressed, and ghost attributes wherever a key of theirs was."""
        keys = [name for name in table.schema.names if name not in self.params.ghosts]
        masked = table.with_columns(self._keys_masked(table.select(keys)))
        places = {name: j for j, name in enumerate(table.schema.names)}
        before, after = key_codes(table, table.schema.names), key_codes(masked, table.schema.names)
        gone = (after < 0) & (before >= 0)
        for name, linked in self.params.ghosts.items():
            gone[:, places[name]] |= gone[:, [places[key] for key in linked]].any(axis=1)
        return with_suppressed(table, gone)

    def _keys_masked(self, table: Table) -> Table:
        wildcard = (self.params.missing or table.schema.na) == MissingRule.WILDCARD
        values = key_codes(table, table.schema.names)
        required = self._required(values.shape[1])
        if values.shape[1] == 0 or not required or _kept(values, required, wildcard):
            return table
        weights = np.array([self.params.importance.get(name, 1.0) for name in table.schema.names])
        # each heuristic has kernels of its own, which are compiled when they are first used
        from evosdc_masking.suppression.class_repair import suppressed_for_classes
        from evosdc_masking.suppression.wildcards import suppressed_for_wildcards

        solver = suppressed_for_wildcards if wildcard else suppressed_for_classes
        published = values
        while not _kept(published, required, wildcard):
            # under wildcards a value less never makes a key rarer, so one round is enough; else rounds end, since each
            # suppresses at least one value more
            for chosen, k in required:
                part = published[:, chosen]
                if (alike(part, wildcard) < k).any():
                    published = published.copy()
                    published[:, chosen] = solver(np.ascontiguousarray(part), k, weights[list(chosen)])
        masked = with_suppressed(table, (published < 0) & (values >= 0))
        if not _kept(key_codes(masked, table.schema.names), required, wildcard):
            raise PluginError("local-suppression: the result is not k-anonymous, which is a defect; report it")
        return masked

    def _required(self, columns: int) -> list[tuple[tuple[int, ...], int]]:
        """Return the sets of attributes that have to be k-anonymous, each with its k, the largest sets first."""
        sizes = self.params.subsets or (columns,)
        ks = self.params.subset_k or (self.params.k,) * len(sizes)
        ordered = sorted(zip(sizes, ks, strict=True), reverse=True)
        return [(chosen, k) for size, k in ordered if k > 1 for chosen in combinations(range(columns), size)]


def _kept(values: Values, required: Sequence[tuple[tuple[int, ...], int]], wildcard: bool) -> bool:
    """Whether every set of attributes is as anonymous as required."""
    return all((alike(np.ascontiguousarray(values[:, chosen]), wildcard) >= k).all() for chosen, k in required)
