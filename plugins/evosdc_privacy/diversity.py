"""How diverse the sensitive values of a class are: p-sensitivity and l-diversity."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.kernel import kernel
from evosdc.model import ByClass, ClassContents, IntruderView, Parameters
from evosdc.table.table import Numbers, Table
from evosdc_privacy.sensitive_values import NEEDED, Spread, gathered, spread_in_classes, spread_of


class PSensitivity(ByClass):
    """p-sensitive k-anonymity (Truta and Vinay 2006): each class has at least p distinct values of each attribute.

    ``p`` is the greatest for which that holds, over all sensitive attributes. ``records_of_one_value`` counts records
    whose sensitive value is known as soon as their class is. A missing sensitive value is a value of its own.
    """

    headline: ClassVar[str] = "p"

    def lacking(self, view: IntruderView) -> str:
        """Return that a sensitive attribute is needed where there is none."""
        return "" if view.sensitive else NEEDED

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return the least number of distinct values, over all attributes and by attribute."""
        by_attribute = {}
        for name in view.sensitive:
            distinct = diversities(spread_of(view, name)[0], 1.0)[0]
            known = int(view.classes.counts[distinct == 1].sum())
            by_attribute[name] = {"p": int(distinct.min()), "records_of_one_value": known}
        return {
            "p": min(found["p"] for found in by_attribute.values()),
            "k": int(view.frequencies[0].min()),
            "attributes": by_attribute,
        }

    def attainable(self, view: IntruderView) -> tuple[float, float]:
        """Return that no class has more values of an attribute than the file."""
        return 0.0, most_values(view)

    def class_figures(self, contents: ClassContents) -> Numbers:
        """Return the least number of distinct values of each class, over all attributes."""
        return _least(contents, 0, 1.0)

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return for how many records the key gives the sensitive value away."""
        told = {name: found["records_of_one_value"] for name, found in figures["attributes"].items()}
        name = max(told, key=lambda word: told[word])
        if told[name] == 0:
            return f"p = {figures['p']}: no key gives a sensitive value away"
        return f"p = {figures['p']}: the key of {told[name]} records gives away their value of {name}"


class LDiversity(ByClass):
    """l-diversity (Machanavajjhala et al. 2007), the greatest l that holds for every class.

    Distinct: l different values. Entropy: ``exp(-sum p log p) >= l``. Recursive (c, l):
    ``r_1 < c (r_l + ... + r_m)`` with frequencies r falling, and l <= m; 0 where not even l = 1 holds. A missing
    sensitive value is a value of its own.
    """

    class Params(Parameters):
        """Which form the headline is of, and c."""

        form: Literal["distinct", "entropy", "recursive"] = Field("distinct", description="form of the headline `l`")
        c: float = Field(3.0, gt=0.0, description="c of recursive (c, l)-diversity")

    headline: ClassVar[str] = "l"

    def lacking(self, view: IntruderView) -> str:
        """Return that a sensitive attribute is needed where there is none."""
        return "" if view.sensitive else NEEDED

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return l in the three forms, over all attributes and by attribute."""
        by_attribute: dict[str, dict[str, float]] = {}
        for name in view.sensitive:
            distinct, entropy, recursive = diversities(spread_of(view, name)[0], self.params.c)
            by_attribute[name] = {
                "distinct": int(distinct.min()),
                "entropy": float(np.exp(entropy.min())),
                "recursive": int(recursive.min()),
            }
        least = {
            form: min(found[form] for found in by_attribute.values()) for form in ("distinct", "entropy", "recursive")
        }
        parameters = {"form": self.params.form, "c": self.params.c}
        return {"l": least[self.params.form], **least, **parameters, "attributes": by_attribute}

    def attainable(self, view: IntruderView) -> tuple[float, float]:
        """Return that no class has more values of an attribute than the file."""
        return 0.0, most_values(view)

    def class_figures(self, contents: ClassContents) -> Numbers:
        """Return l of each class in the form of the headline, over all attributes; of `entropy` its logarithm."""
        return _least(contents, _FORMS.index(self.params.form), self.params.c)

    def headline_of(self, figure: float) -> float:
        """Return l."""
        return float(np.exp(figure)) if self.params.form == "entropy" else figure

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return the three figures in a sentence."""
        return (
            f"every class has at least {figures['distinct']} distinct sensitive values; entropy l "
            f"{figures['entropy']:.2f}, recursive ({figures['c']:g}, l) l {figures['recursive']}"
        )


def most_values(view: IntruderView) -> float:
    """Return how many values a class of any masking may have of each sensitive attribute at most."""
    return float(min(_values(view.table, name) for name in view.sensitive))


def _values(table: Table, name: str) -> int:
    """Return the values of an attribute, a missing one too; of a number, which masking may change, the records."""
    attribute = table.schema[name]
    if not attribute.categorical:
        return len(table)
    return min(len(attribute.categories) + (table.missing_in(attribute) > 0), len(table))


_FORMS = ("distinct", "entropy", "recursive")


def _least(contents: ClassContents, form: int, c: float) -> Numbers:
    """Return the least figure of each class over all sensitive attributes, shape (m,)."""
    figures = [diversities(spread_in_classes(values), c)[form] for values in contents.sensitive]
    least: Numbers = np.min(figures, axis=0).astype(np.float64)
    return least


@kernel
def diversities(
    spread: Spread, c: float
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:  # fmt: skip
    """Return distinct values, entropy in nats and the greatest l of recursive (c, l)-diversity of each key; shape (m,).

    Entropies are summed in the order of the frequencies, so the names of values have no say.
    """
    m = spread.starts.size - 1
    distinct = np.zeros(m, np.int64)
    entropy = np.zeros(m, np.float64)
    recursive = np.zeros(m, np.int64)
    room = np.zeros(spread.overall.size, np.int64)
    values = np.empty(spread.overall.size, np.int64)
    stack = np.empty(spread.value.size, np.int32)
    depth = np.empty(spread.value.size, np.int32)
    found = np.empty(m, np.int32)
    for i in range(m):
        size = gathered(spread, i, room, values, stack, depth, found)
        rising = np.empty(size, np.int64)
        for t in range(size):
            rising[t] = room[values[t]]
            room[values[t]] = 0
        rising.sort()
        total = rising.sum()
        tail = 0
        for t in range(size):
            share = rising[t] / total
            entropy[i] -= share * np.log(share)
            tail += rising[t]
            if recursive[i] == 0 and rising[size - 1] < c * tail:
                recursive[i] = size - t
        distinct[i] = size
    return distinct, entropy, recursive
