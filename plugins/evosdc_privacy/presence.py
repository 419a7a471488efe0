"""delta-presence: how sure an intruder can be that a member of the population is in the file."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from evosdc.model import IntruderView, MissingMatch, PrivacyModel
from evosdc.table.equivalence import equivalence_classes, ranks, told_apart
from evosdc.table.table import MISSING, Codes
from evosdc.table.wildcard_tree import matching_sums, prefix_tree


class DeltaPresence(PrivacyModel):
    """delta-presence (Nergiz, Atzori and Clifton 2007): bounds on the probability that a person is in the file.

    A member of the population whose key f records of the file and F members of the population have is in the file with
    probability f / F; ``delta_min`` and ``delta`` are the least and greatest of these over the population. Records
    whose key is rarer in the population than in the file, so that the file cannot be a part of it, count in
    ``records_unexplained``; f / F is then 1.
    """

    headline: ClassVar[str] = "delta"
    larger_is_safer: ClassVar[bool] = False
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def lacking(self, view: IntruderView) -> str:
        """Return that a population is needed where there is none."""
        return "" if view.population is not None else "a file of the population"

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return least, greatest and mean probability, and the size of the population."""
        n, codes = len(view.table), joint_codes(view)
        classes = equivalence_classes(codes)
        inside = np.bincount(classes.of[:n], minlength=len(classes)).astype(np.int64)
        own = classes.counts - inside
        found, everyone = inside, own.astype(np.float64)
        keys = codes[classes.first]
        if view.missing is MissingMatch.WILDCARD and bool((keys == MISSING).any()):
            found, everyone = matching_sums(prefix_tree(keys), inside, everyone, keys)
        known = own > 0
        probability = np.minimum(found[known] / everyone[known], 1.0)
        return {
            "delta": float(probability.max()),
            "delta_min": float(probability.min()),
            "mean": float(probability @ own[known] / own.sum()),
            "population_records": int(own.sum()),
            "members_surely_present": int(own[known][probability == 1.0].sum()),
            "records_unexplained": int(inside[found > everyone].sum()),
        }

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return the bounds in a sentence."""
        text = f"members of the population are in the file with probability {figures['delta_min']:.3f} to "
        text += f"{figures['delta']:.3f}"
        if figures["records_unexplained"]:
            text += f"; {figures['records_unexplained']} records are not in the population file"
        return text


def joint_codes(view: IntruderView) -> Codes:
    """Return the keys of the file's records and then of the population's, in one coding, shape (n + N, V)."""
    assert view.population is not None
    both = (view.table, view.population)
    columns = []
    for name in view.quasi_identifiers:
        column = np.concatenate([table.column(name) for table in both])
        columns.append(column if view.table.schema[name].categorical else ranks(column))
    codes = np.ascontiguousarray(np.column_stack(columns).astype(np.int32))
    return told_apart(codes) if view.missing is MissingMatch.NEVER else codes
