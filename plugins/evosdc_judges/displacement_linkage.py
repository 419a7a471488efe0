"""Linkage by an intruder who knows how far values were moved."""

import numpy as np
from pydantic import Field

from evosdc.model import Estimate, Estimated, Judge
from evosdc.processors import in_parts
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Table
from evosdc_judges.classes import Codes
from evosdc_judges.displacements import UNIT, Ordered, linked_by_costs
from evosdc_judges.intervals import in_per_cent, wilson
from evosdc_judges.people import People, people_of
from evosdc_judges.transitions import joint_counts, surprise


class DisplacementLinkage(Judge):
    """Share of records linked by an intruder who knows how far the values of each attribute were moved, times 100.

    He knows all attributes of everybody, and links each masked record to the original that most likely became it:
    ``sum_v log P_v``. Of an attribute with an order and many values P is how often a value was moved by so many of the
    original's different values, up or down, by powers of two: 0, 1, 2 to 3, 4 to 7, and so on. Of any other attribute
    it is how often a category was published as which other one. Both are counted in the file itself. Where t originals
    tie, a link counts 1/t. Range 0..100, smaller is better.

    Measures that take numbers by classes do not see what moves within them, and distances add up what other attributes
    hide: a search that puts each number at the place of the next one, and changes categories, is told here. Of more
    than `records` records so many are linked, to all originals; the interval is then Wilson's.

    The distance by ranks is that of the permutation paradigm (Domingo-Ferrer and Muralidhar 2016); the likelihood is a
    reconstruction.
    """

    supports = frozenset(Scale)
    known = True
    intruder = "knows how far values were moved"
    does = "links"
    sentence = (
        "An intruder who knows how far the values of each attribute were moved links {masked} %; {chance} % by chance, "
        "{original} % without masking."
    )

    class Params(Judge.Params):
        """Bounds."""

        bins: int = Field(
            32, ge=2, le=1000, description="Values up to which an attribute with an order is taken by its categories."
        )
        records: int = Field(1000, ge=1, description="Masked records that are linked, at most.")

    params: Params

    def fit(self, original: Table) -> "FittedDisplacementLinkage":
        """Put the values of the original in order.

        Raises
        ------
        ParameterError
            There are fewer than 8 records.
        """
        self.require_support(original)
        people = people_of(original, self.params.bins, self.params.seed, "measure displacement-linkage")
        return FittedDisplacementLinkage(original, people, self.params)


class FittedDisplacementLinkage(Estimated):
    """`DisplacementLinkage` of one original."""

    def __init__(self, original: Table, people: People, params: DisplacementLinkage.Params) -> None:
        self._people = people
        self._asked = people.sampled(np.arange(len(people), dtype=np.intp), params.records)
        self._ordered: dict[int, Ordered] = {}
        for v, attribute in enumerate(original.schema.attributes):
            if attribute.scale is not Scale.NOMINAL:
                ordered = Ordered.of(_values(original, attribute.name))
                if len(ordered.values) > params.bins:
                    self._ordered[v] = ordered
        originals = [self._ordered[v].places if v in self._ordered else people.codes[:, v] for v in self._columns()]
        self._originals: Codes = np.column_stack(originals).astype(np.int32)

    def _columns(self) -> range:
        return range(len(self._people.names))

    def estimate(self, masked: Table) -> Estimate:
        """Return the share with its interval."""
        people, asked = self._people, self._asked
        named, published, costs, widths = people.published(masked), [], [], []
        for v in self._columns():
            if v in self._ordered:
                ordered = self._ordered[v]
                published.append(ordered.published(_values(masked, people.names[v])))
                costs.append(ordered.costs(published[-1]))
                widths.append(-1)
            else:
                size = int(people.classes.sizes[v])
                published.append(named[:, v])
                joint = joint_counts(people.codes[:, v], named[:, v], size)
                costs.append(np.rint(surprise(joint).T * UNIT).astype(np.int64).ravel())
                widths.append(size)
        ends = np.cumsum([len(part) for part in costs])
        # The costs of an ordered column begin in their middle, where nothing was moved.
        offsets = [
            end - len(part) + (len(part) // 2 if w < 0 else 0) for end, part, w in zip(ends, costs, widths, strict=True)
        ]
        given = (
            np.column_stack(published).astype(np.int32),
            self._originals,
            np.concatenate(costs),
            np.array(offsets, dtype=np.int64),
            np.array(widths, dtype=np.int64),
        )
        chances: Numbers = np.concatenate(in_parts(asked, lambda part: linked_by_costs(part, *given)))
        share = float(chances.mean())
        found = wilson(share * len(asked), len(asked))
        return in_per_cent(Estimate.exact(share) if len(asked) == len(people) else found)


def _values(table: Table, name: str) -> Numbers:
    """Return a column as numbers, NaN where a value is missing: a category by its place in the order."""
    column = np.asarray(table.column(name), dtype=np.float64)
    return np.where(column < 0, np.nan, column) if table.schema[name].categorical else column
