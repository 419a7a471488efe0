"""Linkage by an intruder who knows how far values were moved."""

import numpy as np
from pydantic import Field

from evosdc.model import Changes, Estimate, Estimated, Judge, Rescoring
from evosdc.processors import in_parts
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Rows, Table
from evosdc_judges.classes import Codes, Keys
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
        self.people = people
        self.asked = people.sampled(np.arange(len(people), dtype=np.intp), params.records)
        self._ordered: dict[int, Ordered] = {}
        for v, attribute in enumerate(original.schema.attributes):
            if attribute.scale is not Scale.NOMINAL:
                ordered = Ordered.of(_values(original, attribute.name))
                if len(ordered.values) > params.bins:
                    self._ordered[v] = ordered
        originals = [self._ordered[v].places if v in self._ordered else people.codes[:, v] for v in self._columns()]
        self._originals: Codes = np.column_stack(originals).astype(np.int32)

    def _columns(self) -> range:
        return range(len(self.people.names))

    def estimate(self, masked: Table) -> Estimate:
        """Return the share with its interval."""
        return self.estimate_of(self.linked(masked)[0])

    def track(self, masked: Table) -> "DisplacementTracker":
        """Return a tracker that links changed records anew, at costs that are counted when a child is kept."""
        return DisplacementTracker(self, masked)

    def estimate_of(self, chances: Numbers) -> Estimate:
        """Return the share that the chances of the asked records come to, with its interval."""
        share, asked = float(chances.mean()), len(chances)
        found = wilson(share * asked, asked)
        return in_per_cent(Estimate.exact(share) if asked == len(self.people) else found)

    def linked(self, masked: Table) -> "tuple[Numbers, Costs]":
        """Return each asked record's chance to be linked, and the costs at which records are linked."""
        published, costs = self.published(masked), self._costs(masked)
        own = published.take(self.asked, axis=0)
        places = np.arange(len(own), dtype=np.intp)
        chances = in_parts(places, lambda part: self.chances(own[part], self.asked[part], costs))
        return np.concatenate(chances), costs

    def chances(self, published: Codes, rows: Rows, costs: "Costs") -> Numbers:
        """Return the chance to be linked of published records, shape (m, V), whose originals stand at `rows`."""
        chances: Numbers = linked_by_costs(published, rows.astype(np.int64), self._originals, *costs)
        return chances

    def published(self, masked: Table) -> Codes:
        """Return a column of whole numbers for each attribute of some masked records, shape (m, V)."""
        named = self.people.classes.of(masked)
        columns = [
            self._ordered[v].published(_values(masked, self.people.names[v])) if v in self._ordered else named[:, v]
            for v in self._columns()
        ]
        return np.column_stack(columns).astype(np.int32)

    def _costs(self, masked: Table) -> "Costs":
        people, codes = self.people, self.published(masked)
        costs, widths = [], []
        for v in self._columns():
            if v in self._ordered:
                costs.append(self._ordered[v].costs(codes[:, v]))
                widths.append(-1)
            else:
                size = int(people.classes.sizes[v])
                joint = joint_counts(people.codes[:, v], codes[:, v], size)
                costs.append(np.rint(surprise(joint).T * UNIT).astype(np.int64).ravel())
                widths.append(size)
        ends = np.cumsum([len(part) for part in costs])
        # The costs of an ordered column begin in their middle, where nothing was moved.
        offsets = [
            end - len(part) + (len(part) // 2 if w < 0 else 0) for end, part, w in zip(ends, costs, widths, strict=True)
        ]
        return np.concatenate(costs), np.array(offsets, dtype=np.int64), np.array(widths, dtype=np.int64)


Costs = tuple[Keys, Keys, Keys]
"""Costs of all attributes one after the other, and where each one's begin and how wide they are (`linked_by_costs`)."""


class DisplacementTracker(Rescoring):
    """A tracker that estimates children by linking what they change at the costs of their parent.

    Parameters
    ----------
    fitted : FittedDisplacementLinkage
    masked : Table
    """

    fitted: FittedDisplacementLinkage

    def __init__(self, fitted: FittedDisplacementLinkage, masked: Table) -> None:
        super().__init__(fitted, masked)
        self._places = np.full(len(fitted.people), -1, dtype=np.int64)
        self._places[fitted.asked] = np.arange(len(fitted.asked))
        self._found: tuple[Numbers, Costs] | None = None

    @property
    def score(self) -> float:
        """The share of linked records, times 100; they are linked when it is asked for."""
        return self.fitted.estimate_of(self._linked()[0]).value

    def take(self, change: Changes) -> None:
        """Go on to a child."""
        super().take(change)
        self._found = None

    def estimates(self, changes: Changes) -> Numbers:
        """Return about what children score."""
        chances, costs = self._linked()
        places = self._places[changes.rows]
        asked = np.flatnonzero(places >= 0)
        moved = np.zeros(len(places) + 1)
        if len(asked):
            published, rows = self.fitted.published(changes.after.take(asked)), changes.rows[asked]
            moved[asked + 1] = self.fitted.chances(published, rows, costs) - chances[places[asked]]
        by_child = np.diff(np.cumsum(moved)[changes.ends], prepend=0.0)
        scores: Numbers = np.clip(self.score + 100.0 * by_child / len(chances), 0.0, 100.0)
        return scores

    def contributions(self) -> Numbers:
        """Return each record's chance to be linked, as a share of the score."""
        chances, _ = self._linked()
        found = np.zeros(len(self._places))
        found[self.fitted.asked] = 100.0 * chances / len(chances)
        return found

    def _linked(self) -> tuple[Numbers, Costs]:
        if self._found is None:
            self._found = self.fitted.linked(self.masked)
        return self._found


def _values(table: Table, name: str) -> Numbers:
    """Return a column as numbers, NaN where a value is missing: a category by its place in the order."""
    column = np.asarray(table.column(name), dtype=np.float64)
    return np.where(column < 0, np.nan, column) if table.schema[name].categorical else column
