"""t-closeness: how far the sensitive values of a class are from those of the whole file."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import ClassValues, IntruderView, Parameters
from evosdc.table.distinct_values import placed_values
from evosdc.table.equivalence import summed
from evosdc.table.schema import Attribute, Scale
from evosdc.table.table import MISSING, Codes, Numbers
from evosdc_privacy.sensitive_values import OfSensitiveValues, by_attribute


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
        """Return the greatest distance, over all attributes and by attribute.

        Raises
        ------
        ParameterError
            Distances by hierarchy are asked for and an attribute has none.
        """
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
    """Return each class's earth mover's distance from the whole file, shape (c,), in [0, 1].

    In time linear in the entries: values that a class does not have are not gone through.
    """
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
    """Return ``sum_i |P_i - Q_i| / (s - 1)`` for each class, shape (c,), P and Q the cumulative distributions.

    Between two values of a class P stays and Q rises, so the sum over that stretch follows from sums of Q.
    """
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
    """A hierarchy above sensitive values.

    Parameters
    ----------
    leaf : ndarray of int64, shape (s,)
        Node of each value.
    parent : ndarray of int64, shape (nodes,)
        Node above each node; -1 above the root.
    height : int
        Levels above the leaves; all leaves lie equally deep.
    """

    leaf: NDArray[np.int64]
    parent: NDArray[np.int64]
    height: int


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
