"""How diverse the sensitive values of a class are: p-sensitivity and l-diversity."""

from collections.abc import Mapping
from math import inf
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import ClassValues, IntruderView, Parameters
from evosdc.table.table import Numbers, Table
from evosdc_privacy.sensitive_values import OfSensitiveValues


class MissingSensitive(Parameters):
    """What a missing sensitive value counts as."""

    missing: Literal["value", "left-out"] = Field(
        "value", description="whether a missing sensitive value is one of its own or is left out of the count"
    )


class PSensitivity(OfSensitiveValues):
    """p-sensitive k-anonymity (Truta and Vinay 2006): each class has at least p distinct values of each attribute.

    ``p`` is the greatest for which that holds, over all sensitive attributes. ``records_of_one_value`` counts records
    whose sensitive value is known as soon as their class is. A missing sensitive value is a value of its own, or left
    out: a class without any other then has p = 0.
    """

    class Params(MissingSensitive):
        """What a missing sensitive value counts as."""

    headline: ClassVar[str] = "p"
    counted: ClassVar[bool] = True

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return the least number of distinct values, over all attributes and by attribute."""
        attributes = {}
        for name, distinct in self.by_attribute(view, self.figures).items():
            known = int(view.classes.counts[distinct == 1].sum())
            attributes[name] = {"p": int(distinct.min()), "records_of_one_value": known}
        return {
            "p": min(found["p"] for found in attributes.values()),
            "k": int(view.frequencies[0].min()),
            "missing": self.params.missing,
            "attributes": attributes,
        }

    def attainable(self, view: IntruderView) -> tuple[float, float]:
        """Return that no class has more values of an attribute than the file."""
        return 0.0, most_values(view)

    def figures(self, values: ClassValues) -> Numbers:
        """Return the number of distinct values of each class."""
        return distinct_of(values)

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return for how many records the key gives the sensitive value away."""
        told = {name: found["records_of_one_value"] for name, found in figures["attributes"].items()}
        name, left_out = max(told, key=lambda word: told[word]), _left_out(figures)
        if told[name] == 0:
            return f"p = {figures['p']}: no key gives a sensitive value away{left_out}"
        return f"p = {figures['p']}: the key of {told[name]} records gives away their value of {name}{left_out}"


class LDiversity(OfSensitiveValues):
    """l-diversity (Machanavajjhala et al. 2007), the greatest l that holds for every class.

    Distinct: l different values. Entropy: ``exp(-sum p log p) >= l``. Recursive (c, l):
    ``r_1 < c (r_l + ... + r_m)`` with frequencies r falling, and l <= m; 0 where not even l = 1 holds. A missing
    sensitive value is a value of its own, or left out: a class without any other then has l = 0 (entropy: 1).

    Shannon's plug-in entropy of a small class lies below that of the population that it was drawn from. The estimator
    ``grassberger`` (Grassberger 2003) corrects it: ``ln n - sum n_i G(n_i) / n``, n_i the records of a value and
    ``G(n) = psi(n) + (-1)**n / 2 (psi((n + 1) / 2) - psi(n / 2))``. It can exceed the number of distinct values.
    """

    class Params(MissingSensitive):
        """Which form the headline is of, c, and what a missing sensitive value counts as."""

        form: Literal["distinct", "entropy", "recursive"] = Field("distinct", description="form of the headline `l`")
        c: float = Field(3.0, gt=0.0, description="c of recursive (c, l)-diversity")
        estimator: Literal["shannon", "grassberger"] = Field("shannon", description="of the entropy form")

    headline: ClassVar[str] = "l"
    counted: ClassVar[bool] = True

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return l in the three forms, over all attributes and by attribute."""
        forms = ("distinct", "entropy", "recursive")
        attributes: dict[str, dict[str, float]] = {}
        for name, found in self.by_attribute(
            view, lambda v: np.array([self._of_form(v, form) for form in forms])
        ).items():
            distinct, entropy, recursive = found.min(axis=1)
            attributes[name] = {
                "distinct": int(distinct),
                "entropy": float(np.exp(entropy)),
                "recursive": int(recursive),
            }
        least = {form: min(found[form] for found in attributes.values()) for form in forms}
        parameters = {key: getattr(self.params, key) for key in ("form", "c", "estimator", "missing")}
        return {"l": least[self.params.form], **least, **parameters, "attributes": attributes}

    def attainable(self, view: IntruderView) -> tuple[float, float]:
        """Return that no class has more values of an attribute than the file; an estimate may say so."""
        estimated = self.params.form == "entropy" and self.params.estimator == "grassberger"
        return 0.0, inf if estimated else most_values(view)

    def figures(self, values: ClassValues) -> Numbers:
        """Return l of each class in the form of the headline; of `entropy` its logarithm."""
        return self._of_form(values, self.params.form)

    def _of_form(self, values: ClassValues, form: str) -> Numbers:
        if form == "distinct":
            return distinct_of(values)
        if form == "recursive":
            return recursive_of(values, self.params.c)
        return entropies_of(values) if self.params.estimator == "shannon" else grassberger_entropies(values)

    def headline_of(self, figure: float) -> float:
        """Return l."""
        return float(np.exp(figure)) if self.params.form == "entropy" else figure

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return the three figures in a sentence."""
        values = "1 sensitive value" if figures["distinct"] == 1 else f"{figures['distinct']} distinct sensitive values"
        return (
            f"every class has at least {values}; entropy l "
            f"{figures['entropy']:.2f}, recursive ({figures['c']:g}, l) l {figures['recursive']}{_left_out(figures)}"
        )


def _left_out(figures: Mapping[str, Any]) -> str:
    return "" if figures["missing"] == "value" else "; missing sensitive values are left out"


def most_values(view: IntruderView) -> float:
    """Return how many values a class of any masking may have of each sensitive attribute at most."""
    return float(min(_values(view.table, name) for name in view.sensitive))


def _values(table: Table, name: str) -> int:
    """Return the values of an attribute, a missing one too; of a number, which masking may change, the records."""
    attribute = table.schema[name]
    if not attribute.categorical:
        return len(table)
    return min(len(attribute.categories) + (table.missing_in(attribute) > 0), len(table))


def distinct_of(values: ClassValues) -> Numbers:
    """Return how many distinct values each class has, shape (c,)."""
    return np.diff(values.starts).astype(np.float64)


def entropies_of(values: ClassValues) -> Numbers:
    """Return the entropy of each class's values in nats, shape (c,)."""
    shares = _rising(values) / values.sizes[values.owner]
    return _total(values, -shares * np.log(shares))


def recursive_of(values: ClassValues, c: float) -> Numbers:
    """Return the greatest l of recursive (c, l)-diversity of each class, shape (c,); 0 where not even l = 1 holds."""
    rising, owner = _rising(values), values.owner
    upto = np.cumsum(rising)
    tails = upto - np.append(upto - rising, 0)[values.starts[:-1]][owner]
    greatest = np.append(rising, 0)[values.starts[1:] - 1][owner]
    return _total(values, (greatest < c * tails).astype(np.float64))


def grassberger_entropies(values: ClassValues) -> Numbers:
    """Return Grassberger's estimate of the entropy of each class's values in nats, shape (c,).

    G by its recursion: ``G(1) = -gamma - ln 2``, ``G(2) = 2 - gamma - ln 2``, ``G(2j + 1) = G(2j)`` and
    ``G(2j + 2) = G(2j) + 2 / (2j + 1)``.
    """
    rising, sizes = _rising(values), np.maximum(values.sizes, 1)  # an empty class has entropy 0
    steps = 2.0 / np.arange(1, int(rising.max(initial=2)) + 2, 2)
    even = np.concatenate(([0.0], np.cumsum(steps))) - np.euler_gamma - np.log(2.0)
    g = even[rising // 2]
    return np.log(sizes) - _total(values, rising * g) / sizes


def _rising(values: ClassValues) -> NDArray[np.int64]:
    """Return the records of each entry, those of a class in ascending order: the names of values have no say."""
    above = int(values.counts.max(initial=0)) + 1
    return np.sort(values.owner * above + values.counts) % above


def _total(values: ClassValues, terms: Numbers) -> Numbers:
    total: Numbers = np.bincount(values.owner, weights=terms, minlength=len(values.starts) - 1).astype(np.float64)
    return total
