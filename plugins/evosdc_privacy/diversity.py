"""How diverse the sensitive values of a class are: p-sensitivity and l-diversity."""

from collections.abc import Mapping
from math import inf
from typing import Any, ClassVar, Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import ByClass, ClassContents, IntruderView, Parameters
from evosdc.table.table import Numbers, Table
from evosdc_privacy.sensitive_values import NEEDED, Spread, gathered, spread_in_classes, spread_of


class PSensitivity(ByClass):
    """p-sensitive k-anonymity (Truta and Vinay 2006): each class has at least p distinct values of each attribute.

    ``p`` is the greatest for which that holds, over all sensitive attributes. ``records_of_one_value`` counts records
    whose sensitive value is known as soon as their class is. A missing sensitive value is a value of its own.
    """

    headline: ClassVar[str] = "p"
    counted: ClassVar[bool] = True

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

    Shannon's plug-in entropy of a small class lies below that of the population that it was drawn from. The estimator
    ``grassberger`` (Grassberger 2003) corrects it: ``ln n - sum n_i G(n_i) / n``, n_i the records of a value and
    ``G(n) = psi(n) + (-1)**n / 2 (psi((n + 1) / 2) - psi(n / 2))``. It can exceed the number of distinct values.
    """

    class Params(Parameters):
        """Which form the headline is of, and c."""

        form: Literal["distinct", "entropy", "recursive"] = Field("distinct", description="form of the headline `l`")
        c: float = Field(3.0, gt=0.0, description="c of recursive (c, l)-diversity")
        estimator: Literal["shannon", "grassberger"] = Field("shannon", description="of the entropy form")

    headline: ClassVar[str] = "l"
    counted: ClassVar[bool] = True

    def lacking(self, view: IntruderView) -> str:
        """Return that a sensitive attribute is needed where there is none."""
        return "" if view.sensitive else NEEDED

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return l in the three forms, over all attributes and by attribute."""
        by_attribute: dict[str, dict[str, float]] = {}
        for name in view.sensitive:
            spread = spread_of(view, name)[0]
            distinct, entropy, recursive = diversities(spread, self.params.c)
            if self.params.estimator == "grassberger":
                entropy = grassberger_entropies(spread)
            by_attribute[name] = {
                "distinct": int(distinct.min()),
                "entropy": float(np.exp(entropy.min())),
                "recursive": int(recursive.min()),
            }
        least = {
            form: min(found[form] for found in by_attribute.values()) for form in ("distinct", "entropy", "recursive")
        }
        parameters = {"form": self.params.form, "c": self.params.c, "estimator": self.params.estimator}
        return {"l": least[self.params.form], **least, **parameters, "attributes": by_attribute}

    def attainable(self, view: IntruderView) -> tuple[float, float]:
        """Return that no class has more values of an attribute than the file; an estimate may say so."""
        estimated = self.params.form == "entropy" and self.params.estimator == "grassberger"
        return 0.0, inf if estimated else most_values(view)

    def class_figures(self, contents: ClassContents) -> Numbers:
        """Return l of each class in the form of the headline, over all attributes; of `entropy` its logarithm."""
        if self.params.form == "entropy" and self.params.estimator == "grassberger":
            least: Numbers = np.min([grassberger_entropies(spread_in_classes(v)) for v in contents.sensitive], axis=0)
            return least
        return _least(contents, _FORMS.index(self.params.form), self.params.c)

    def headline_of(self, figure: float) -> float:
        """Return l."""
        return float(np.exp(figure)) if self.params.form == "entropy" else figure

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return the three figures in a sentence."""
        values = "1 sensitive value" if figures["distinct"] == 1 else f"{figures['distinct']} distinct sensitive values"
        return (
            f"every class has at least {values}; entropy l "
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


@njit(cache=True)
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


_EULER = 0.5772156649015329


@njit(cache=True)
def grassberger_entropies(spread: Spread) -> NDArray[np.float64]:
    """Return Grassberger's estimate of the entropy of each key's values in nats, shape (m,).

    G by its recursion: ``G(1) = -gamma - ln 2``, ``G(2) = 2 - gamma - ln 2``, ``G(2j + 1) = G(2j)`` and
    ``G(2j + 2) = G(2j) + 2 / (2j + 1)``.
    """
    m = spread.starts.size - 1
    entropy = np.zeros(m, np.float64)
    most = 2
    for c in spread.overall:
        most = max(most, c)
    for c in spread.counts:
        most = max(most, c)
    g = np.empty(max(most, spread.counts.sum()) + 2, np.float64)
    g[0] = 0.0
    g[1] = -_EULER - np.log(2.0)
    g[2] = 2.0 + g[1]
    for n in range(3, g.size):
        g[n] = g[n - 1] if n % 2 else g[n - 2] + 2.0 / (n - 1)
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
        weighted = 0.0
        for t in range(size):
            weighted += rising[t] * g[rising[t]]
        entropy[i] = np.log(total) - weighted / total
    return entropy
