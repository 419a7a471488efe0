"""Models of the sensitive values of a class: diversity, likeness to the file, and t-closeness."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import inf, isfinite, log
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import ByClass, ClassContents, ClassValues, IntruderView, Parameters
from evosdc.model.privacy import contents_of
from evosdc.table.equivalence import placed_values, summed
from evosdc.table.schema import Attribute, Scale
from evosdc.table.table import MISSING, Codes, Numbers, Table


class OfSensitiveValues(ByClass):
    """A model whose figure of a class is the worst over the sensitive attributes."""

    def lacking(self, view: IntruderView) -> str:
        """Return that a sensitive attribute is needed where there is none."""
        return "" if view.sensitive else "a sensitive attribute"

    @abstractmethod
    def figures(self, values: ClassValues) -> Numbers:
        """Return the figure of each class for one sensitive attribute, shape (c,)."""

    def class_figures(self, contents: ClassContents) -> Numbers:
        """Return the worst figure of each class over all sensitive attributes, shape (c,)."""
        worst = np.minimum if self.larger_is_safer else np.maximum
        figures: Numbers = worst.reduce([self.figures(self.counted_values(values)) for values in contents.sensitive])
        return figures

    def counted_values(self, values: ClassValues) -> ClassValues:
        """Return the values that the model counts: all, or without the missing ones where a parameter says so."""
        if getattr(self.params, "missing", "value") == "value":
            return values
        present = values.present[values.values] != MISSING
        starts = np.concatenate(([0], np.cumsum(present)))[values.starts]
        overall = np.where(values.present == MISSING, 0, values.overall)
        counted, counts = values.values[present], values.counts[present]
        return replace(values, starts=starts, values=counted, counts=counts, overall=overall)

    def by_attribute(
        self, view: IntruderView, figures: Callable[[ClassValues], NDArray[Any]]
    ) -> dict[str, NDArray[Any]]:
        """Return figures of all classes by sensitive attribute, of the values that the model counts."""
        return by_attribute(view, lambda values: figures(self.counted_values(values)))


def by_attribute(view: IntruderView, figures: Callable[[ClassValues], NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return figures of all classes of a file by sensitive attribute, the classes along the last axis."""
    parts = [[figures(values) for values in contents.sensitive] for contents in contents_of(view)]
    joined = [np.concatenate(found, axis=-1) for found in zip(*parts, strict=True)]
    return dict(zip(view.sensitive, joined, strict=True))


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
        disclosed = {name: found["records_of_one_value"] for name, found in figures["attributes"].items()}
        name, left_out = max(disclosed, key=lambda word: disclosed[word]), _left_out(figures)
        if disclosed[name] == 0:
            return f"p = {figures['p']}: no key gives a sensitive value away{left_out}"
        return f"p = {figures['p']}: the key of {disclosed[name]} records gives away their value of {name}{left_out}"


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
    return min(len(attribute.categories) + bool(table.absent(attribute.name).any()), len(table))


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
    """Return Grassberger's estimate of the entropy of each class's values in nats, shape (c,)."""
    # G by its recursion: ``G(1) = -gamma - ln 2``, ``G(2) = 2 - gamma - ln 2``, ``G(2j + 1) = G(2j)`` and ``G(2j + 2) =
    # G(2j) + 2 / (2j + 1)``.
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


class _OfShares(OfSensitiveValues):
    """A model of the shares that sensitive values have in a class."""

    counted: ClassVar[bool] = True
    larger_is_safer: ClassVar[bool] = False

    def greatest(self, view: IntruderView) -> tuple[dict[str, float | None], float | None]:
        """Return the greatest figure of each attribute and of all; None represents infinity."""
        found = {name: float(figures.max()) for name, figures in by_attribute(view, self.figures).items()}
        return {name: finite(value) for name, value in found.items()}, finite(max(found.values()))

    def shortfall(self, view: IntruderView, bound: float) -> float:
        """Return the share of records in classes whose figure is greater than the bound."""
        return self.share_beyond(view, bound)


class BetaLikeness(_OfShares):
    """beta-likeness (Cao and Karras 2012): how much more frequent a sensitive value is in a class than in the file.

    With p the share of a value in the file and q its share in a class, basic beta-likeness bounds the relative gain:
    ``(q - p) / p <= beta`` wherever q > p. The enhanced form requires ``(q - p) / p <= min(beta, -ln p)``, so that
    frequent values gain little; a class that exceeds -ln p has it for no beta, and the headline is infinite (None). A
    missing sensitive value is a value of its own.
    """

    class Params(Parameters):
        """Which form."""

        form: Literal["basic", "enhanced"] = Field("basic", description="basic, or enhanced: also at most -ln p")

    headline: ClassVar[str] = "beta"
    range: ClassVar[tuple[float, float]] = (0.0, inf)
    of_whole_file: ClassVar[bool] = True

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return the least beta of which the file has the form, over all attributes and by attribute."""
        attributes, beta = self.greatest(view)
        return {"beta": beta, "form": self.params.form, "attributes": attributes}

    def figures(self, values: ClassValues) -> Numbers:
        """Return the greatest relative gain of each class; infinite where the enhanced form cannot hold."""
        gains = ratios_of(values) - 1.0
        if self.params.form == "enhanced":
            allowed = -np.log(values.overall[values.values] / values.overall.sum())
            gains = np.where(gains > allowed + 1e-12, inf, gains)
        return np.maximum(_greatest(values, gains), 0.0)

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return the greatest gain in a sentence."""
        if figures["beta"] is None:
            return "a frequent sensitive value gains more in some class than enhanced beta-likeness allows for any beta"
        return f"within a class no sensitive value is more than {1.0 + figures['beta']:.3g} times as frequent as in all"


class DeltaDisclosure(_OfShares):
    """delta-disclosure privacy (Brickell and Shmatikov 2008): shares in a class are near those in the file both ways.

    ``|log(q / p)| < delta`` for every sensitive value and every class, q its share in the class and p in the file. A
    value that a class does not have makes the logarithm infinite (None); ``absent = "ignored"`` looks at the values
    that a class has alone, as ARX does. The logarithm is to base 2 or natural: the source was not at hand, ARX takes 2.
    The source's inequality is strict; a constraint here means ``<=``.
    """

    class Params(Parameters):
        """What an absent value counts, and the base."""

        absent: Literal["infinite", "ignored"] = Field(
            "infinite", description="what a value of the file that a class does not have counts"
        )
        logarithm: Literal["binary", "natural"] = Field("binary", description="base of the logarithm")

    headline: ClassVar[str] = "delta"
    range: ClassVar[tuple[float, float]] = (0.0, inf)
    of_whole_file: ClassVar[bool] = True

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return the greatest logarithm, in all and by attribute, and records in classes without a value."""
        attributes, delta = self.greatest(view)
        lacking = np.zeros(len(view.classes), dtype=np.bool_)
        for lacks in by_attribute(view, lacking_of).values():
            lacking |= lacks
        return {
            "delta": delta,
            "records_lacking_a_value": int(view.classes.counts[lacking].sum()),
            "absent": self.params.absent,
            "logarithm": self.params.logarithm,
            "attributes": attributes,
        }

    def figures(self, values: ClassValues) -> Numbers:
        """Return the greatest logarithm of each class."""
        figures = _greatest(values, np.abs(np.log(ratios_of(values))))
        if self.params.logarithm == "binary":
            figures = figures / log(2.0)
        return np.where(lacking_of(values), inf, figures) if self.params.absent == "infinite" else figures

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return the greatest logarithm in a sentence."""
        if figures["delta"] is None:
            return f"{figures['records_lacking_a_value']} records are in classes that rule a sensitive value out"
        return f"logarithms of shares in a class over shares in all lie within {figures['delta']:.3f} of 0"


class AlphaKAnonymity(_OfShares):
    """(alpha, k)-anonymity (Wong, Li, Fu and Wang 2006): no sensitive value is frequent in a class, and no class small.

    ``alpha`` is the greatest share of a sensitive value in a class; with a `k`, a class of fewer records counts as 1,
    so that ``"alpha-k-anonymity(k = 3) <= 0.5"`` requires both. By default all values are bounded (the general model);
    `values` names those that are (the simple one). A missing value is a value of its own.
    """

    class Params(Parameters):
        """The size of classes, and which values."""

        k: int = Field(1, ge=1, description="classes of fewer records count as alpha = 1")
        values: tuple[str, ...] | None = Field(None, description="sensitive values that are bounded; default: all")

    headline: ClassVar[str] = "alpha"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return the greatest share, over all attributes and by attribute, and the smallest class."""
        self._require_values(view)
        attributes, share = self.greatest(view)
        k = int(view.frequencies[0].min())
        return {
            "alpha": 1.0 if k < self.params.k else share,
            "largest_share": share,
            "k": k,
            "attributes": attributes,
        }

    def figures(self, values: ClassValues) -> Numbers:
        """Return the greatest share of each class."""
        shares = values.counts / values.sizes[values.owner]
        if self.params.values is not None:
            code = values.attribute.code if values.attribute.categorical else {}
            wanted = np.isin(values.present, [code.get(label, -2) for label in self.params.values])
            shares = np.where(wanted[values.values], shares, 0.0)
        return _greatest(values, shares)

    def class_figures(self, contents: ClassContents) -> Numbers:
        """Return the greatest share of each class over all attributes; 1 for one that is too small."""
        return np.where(contents.sizes < self.params.k, 1.0, super().class_figures(contents))

    def _require_values(self, view: IntruderView) -> None:
        known = [view.table.schema[name].categories for name in view.sensitive]
        strange = [v for v in self.params.values or () if not any(v in labels for labels in known)]
        if strange:
            where, wanted = "privacy-model alpha-k-anonymity: values", "categories of the sensitive attributes"
            raise ParameterError(Fault(where, ", ".join(strange), wanted))

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return the greatest share and the smallest class in a sentence."""
        text = f"within a class a sensitive value has a share of up to {figures['largest_share']:.3f}"
        return f"{text}; the smallest class has {figures['k']} record{'' if figures['k'] == 1 else 's'}"


def finite(value: float) -> float | None:
    """Return a figure, None for infinity."""
    return value if isfinite(value) else None


def ratios_of(values: ClassValues) -> Numbers:
    """Return the share of each entry's value in its class over that in the file: exactly 1 where they are equal."""
    ratios: Numbers = (values.counts * values.overall.sum()) / (
        values.sizes[values.owner] * values.overall[values.values]
    )
    return ratios


def lacking_of(values: ClassValues) -> NDArray[np.bool_]:
    """Return which classes lack a value of the file, shape (c,)."""
    lacking: NDArray[np.bool_] = np.diff(values.starts) < np.count_nonzero(values.overall)
    return lacking


def _greatest(values: ClassValues, figures: Numbers) -> Numbers:
    """Return the greatest figure of the entries of each class, shape (c,)."""
    greatest: Numbers = np.maximum.reduceat(figures, values.starts[:-1])
    return greatest


class TCloseness(OfSensitiveValues):
    """t-closeness (Li, Li and Venkatasubramanian 2007): the greatest earth mover's distance of a class from the file.

    Nominal values are at distance 1; ordered ones, numbers among them, at the difference of their ranks over m - 1, m
    the values that occur; values with a hierarchy at the level of their common ancestor over its height. A missing
    sensitive value is a value of its own: the last rank, or a branch of its own below the root (reconstruction).
    """

    class Params(Parameters):
        """The distance."""

        distance: Literal["auto", "nominal", "ordinal", "hierarchical"] = Field(
            "auto", description="auto: by scale, and by hierarchy where a nominal attribute has one"
        )

    headline: ClassVar[str] = "t"
    counted: ClassVar[bool] = True
    larger_is_safer: ClassVar[bool] = False
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    of_whole_file: ClassVar[bool] = True

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return the greatest distance, over all attributes and by attribute."""
        chosen = {name: self._distance(view.table.schema[name]) for name in view.sensitive}
        counts, attributes = view.classes.counts, dict[str, dict[str, Any]]()
        for name, distances in by_attribute(view, self.figures).items():
            attributes[name] = {
                "t": float(distances.max()),
                "mean": float(distances @ counts / counts.sum()),
                "distance": chosen[name],
            }
        return {"t": max([0.0, *(found["t"] for found in attributes.values())]), "attributes": attributes}

    def figures(self, values: ClassValues) -> Numbers:
        """Return the distance of each class; raises as `assess`."""
        return distances_of(values, self._distance(values.attribute))

    def _distance(self, attribute: Attribute) -> str:
        chosen: str = self.params.distance
        if chosen == "auto":
            if attribute.scale is not Scale.NOMINAL:
                return "ordinal"
            return "nominal" if attribute.hierarchy is None else "hierarchical"
        if chosen == "hierarchical" and attribute.hierarchy is None:
            where = f"privacy-model t-closeness: {attribute.name}"
            advice = "Give the attribute a hierarchy in the schema, or choose another distance."
            raise ParameterError(Fault(where, "distances by hierarchy without one", "a hierarchy", advice))
        return chosen

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return the greatest distance in a sentence."""
        found = figures["attributes"]
        name = max(found, key=lambda word: found[word]["t"])
        return f"a class's values of {name} differ from the whole file's by up to {figures['t']:.3f} (0 alike, 1 apart)"


def distances_of(values: ClassValues, distance: str) -> Numbers:
    """Return each class's earth mover's distance from the whole file, shape (c,), in [0, 1]."""
    # In time linear in the entries: values that a class does not have are not gone through.
    if distance == "nominal":
        return nominal_distances(values)
    if distance == "ordinal":
        return ordinal_distances(values)
    return hierarchical_distances(values, taxonomy_of(values.attribute, values.present))


def nominal_distances(values: ClassValues) -> Numbers:
    """Return ``sum |p - q| / 2`` for each class, shape (c,): values are at distance 1 from each other."""
    n, sizes = int(values.overall.sum()), values.sizes
    # What is too much in a class equals what is too little; in units of 1 / (n size), so that sums are exact.
    excess = np.maximum(values.counts * n - values.overall[values.values] * sizes[values.owner], 0)
    distances: Numbers = summed(values.owner, excess, len(sizes)) / (n * sizes)
    return distances


def ordinal_distances(values: ClassValues) -> Numbers:
    """Return ``sum_i |P_i - Q_i| / (s - 1)`` for each class, shape (c,), P and Q the cumulative distributions."""
    # Between two values of a class P stays and Q rises, so the sum over that stretch follows from sums of Q.
    s, owner, first = values.overall.size, values.owner, values.starts[:-1]
    below = np.cumsum(values.overall) / values.overall.sum()
    sums = np.concatenate(([0.0], np.cumsum(below)))
    begin, end = values.values, np.append(values.values[1:], s)
    end[values.starts[1:] - 1] = s
    upto = np.cumsum(values.counts)
    reached = (upto - (upto - values.counts)[first][owner]) / values.sizes[owner]
    middle = np.clip(np.searchsorted(below, reached), begin, end)
    moved = reached * (middle - begin) - (sums[middle] - sums[begin])
    moved += sums[end] - sums[middle] - reached * (end - middle)
    total = sums[begin[first]] + np.bincount(owner, weights=moved, minlength=len(first))
    distances: Numbers = np.clip(total / max(s - 1, 1), 0.0, 1.0)
    return distances


class Taxonomy(NamedTuple):
    """A hierarchy above sensitive values."""

    leaf: NDArray[np.int64]  # (s,): Node of each value
    parent: NDArray[np.int64]  # (nodes,): Node above each node; -1 above the root
    height: int  # levels above the leaves; all leaves lie equally deep


def taxonomy_of(attribute: Attribute, present: Codes) -> Taxonomy:
    """Return the hierarchy above the values that occur, given by their codes; a missing one hangs on the root."""
    assert attribute.hierarchy is not None
    nodes, labels = attribute.hierarchy.nodes(attribute.categories)
    height = attribute.hierarchy.height
    sizes = [len(level) for level in labels]
    paths = np.empty((present.size, height + 1), dtype=np.int64)
    for i, code in enumerate(present):
        # The node after a level's last one is that of the missing value, but for the root, which is everyone's.
        paths[i] = sizes if code == MISSING else nodes[code]
    paths[:, height] = 0
    offset = np.concatenate(([0], np.cumsum([size + 1 for size in sizes]))).astype(np.int64)
    parent = np.full(int(offset[-1]), -1, dtype=np.int64)
    for level in range(height):
        parent[offset[level] + paths[:, level]] = offset[level + 1] + paths[:, level + 1]
    return Taxonomy(offset[0] + paths[:, 0], parent, height)


def hierarchical_distances(values: ClassValues, taxonomy: Taxonomy) -> Numbers:
    """Return ``sum over nodes (level / height) min(surplus, shortage of the children)`` for each class, shape (c,)."""
    n, sizes, nodes = int(values.overall.sum()), values.sizes, taxonomy.parent.size
    whole, above = np.zeros(nodes, dtype=np.int64), taxonomy.leaf
    for _ in range(taxonomy.height + 1):
        np.add.at(whole, above, values.overall)
        above = taxonomy.parent[above]
    owner, node, mass = values.owner, taxonomy.leaf[values.values], values.counts
    # In units of 1 / (n size), so that sums are exact.
    moved = np.zeros(len(sizes), dtype=np.int64)
    for level in range(1, taxonomy.height + 1):
        excess = np.maximum(mass * n - whole[node] * sizes[owner], 0)
        pairs, place, _ = placed_values(owner * nodes + taxonomy.parent[node])
        surplus, mass = summed(place, excess, pairs.size), summed(place, mass, pairs.size)
        owner, node = pairs // nodes, pairs % nodes
        shortage = surplus - (mass * n - whole[node] * sizes[owner])
        moved += level * summed(owner, np.minimum(surplus, shortage), len(sizes))
    distances: Numbers = moved / (taxonomy.height * n * sizes)
    return distances
