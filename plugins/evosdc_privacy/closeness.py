"""t-closeness: how far the sensitive values of a class are from those of the whole file."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import ByClass, ClassContents, IntruderView, Parameters
from evosdc.table.schema import Attribute, Scale
from evosdc.table.table import MISSING, Codes, Numbers
from evosdc_privacy.earth_mover import Taxonomy, hierarchical_distances, nominal_distances, ordinal_distances
from evosdc_privacy.sensitive_values import NEEDED, Spread, spread_in_classes, spread_of


class TCloseness(ByClass):
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

    def lacking(self, view: IntruderView) -> str:
        """Return that a sensitive attribute is needed where there is none."""
        return "" if view.sensitive else NEEDED

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return the greatest distance, over all attributes and by attribute.

        Raises
        ------
        ParameterError
            Distances by hierarchy are asked for and an attribute has none.
        """
        chosen = {name: self._distance(view.table.schema[name]) for name in view.sensitive}
        counts, by_attribute, greatest = view.classes.counts, {}, 0.0
        for name, distance in chosen.items():
            distances = class_distances(view, name, distance)
            t = float(distances.max())
            greatest = max(greatest, t)
            by_attribute[name] = {
                "t": t,
                "mean": float(distances @ counts / counts.sum()),
                "distance": distance,
            }
        return {"t": greatest, "attributes": by_attribute}

    def class_figures(self, contents: ClassContents) -> Numbers:
        """Return the greatest distance of each class, over all attributes; raises as `assess`."""
        figures = []
        for values in contents.sensitive:
            spread, distance = spread_in_classes(values), self._distance(values.attribute)
            figures.append(_distances(spread, values.present, values.attribute, distance))
        greatest: Numbers = np.max(figures, axis=0)
        return greatest

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


def class_distances(view: IntruderView, name: str, distance: str) -> Numbers:
    """Return each key's earth mover's distance from the whole file, shape (m,), in [0, 1]."""
    return _distances(*spread_of(view, name), view.table.schema[name], distance)


def _distances(spread: Spread, present: Codes, attribute: Attribute, distance: str) -> Numbers:
    if distance == "nominal":
        return nominal_distances(spread)
    if distance == "ordinal":
        below = np.cumsum(spread.overall) / spread.overall.sum()
        return ordinal_distances(spread, below, np.concatenate(([0.0], np.cumsum(below))))
    return hierarchical_distances(spread, taxonomy_of(attribute, present))


def taxonomy_of(attribute: Attribute, present: Codes) -> Taxonomy:
    """Return the hierarchy above the values that occur, given by their codes; a missing one hangs on the root."""
    assert attribute.hierarchy is not None
    nodes, labels = attribute.hierarchy.nodes(attribute.categories)
    height = attribute.hierarchy.height
    sizes = [len(level) for level in labels]
    paths = np.empty((present.size, height + 1), dtype=np.int64)
    for i, code in enumerate(present):
        # the node after a level's last one is that of the missing value, but for the root, which is everyone's
        paths[i] = sizes if code == MISSING else nodes[code]
    paths[:, height] = 0
    offset = np.concatenate(([0], np.cumsum([size + 1 for size in sizes]))).astype(np.int64)
    parent = np.full(int(offset[-1]), -1, dtype=np.int64)
    for level in range(height):
        parent[offset[level] + paths[:, level]] = offset[level + 1] + paths[:, level + 1]
    return Taxonomy(offset[0] + paths[:, 0], parent, height)
