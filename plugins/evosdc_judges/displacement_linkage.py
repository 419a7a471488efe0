"""Linkage by an intruder who knows by how many of the original's values each value was moved, up or down."""

from dataclasses import dataclass

import numpy as np
from numba import njit
from pydantic import Field

from evosdc.model import Changes, Estimate, Estimated, Judge, Rescoring
from evosdc.processors import in_parts
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Rows, Table
from evosdc_judges.classes import Codes, Keys, joint_counts, surprise
from evosdc_judges.intervals import in_per_cent, wilson
from evosdc_judges.people import People, PeopleJudge

UNIT = 1 << 32  # what a cost of 1 is as a whole number


@dataclass(frozen=True)
class Ordered:
    """The different values of an original column in order, and which one each record has."""

    values: Numbers  # shape (D,); ascending
    places: Codes  # shape (n,); of each record's value among them; D where it is missing

    @classmethod
    def of(cls, column: Numbers) -> "Ordered":
        """Return those of a column, shape (n,), NaN where a value is missing."""
        values = np.unique(column[~np.isnan(column)])
        return cls(values, _places(values, column))

    def published(self, column: Numbers) -> Codes:
        """Return for each value of a masked column the place of the nearest one; D where it is missing."""
        return _places(self.values, column)

    def costs(self, published: Codes) -> Keys:
        """Return ``-log`` of the chance to be moved so far, by `published` - `places` + D, shape (2 D + 1,)."""
        # Places moved are counted by direction and power of two, and spread evenly over what each power holds, with one
        # further record spread over all. A missing value has a place of its own behind all, where most distances differ
        # from those of values.
        most = len(self.values)
        moved = np.arange(-most, most + 1)
        powers = np.where(moved == 0, 0, np.frexp(np.abs(moved).astype(np.float64))[1] * 2 + (moved < 0))
        counts = np.bincount(powers[published.astype(np.int64) - self.places + most], minlength=int(powers.max()) + 1)
        rates = (counts / np.maximum(np.bincount(powers), 1) + 1.0 / len(moved)) / (len(published) + 1.0)
        costs: Keys = np.rint(-np.log(rates[powers]) * UNIT).astype(np.int64)
        return costs


def _places(values: Numbers, column: Numbers) -> Codes:
    if not len(values):
        return np.zeros(len(column), dtype=np.int32)
    right = np.clip(np.searchsorted(values, column), 1, max(len(values) - 1, 1))
    left, right = right - 1, np.minimum(right, len(values) - 1)
    nearest = np.where(column - values[left] <= values[right] - column, left, right)
    return np.where(np.isnan(column), len(values), nearest).astype(np.int32)


@njit(cache=True, nogil=True)
def linked_by_costs(published: Codes, own: Keys, originals: Codes, flat: Keys, offsets: Keys, widths: Keys) -> Numbers:
    """Return for each published record the chance that linking it at least cost finds its own original, shape (m,)."""
    # own (m,): positions of their own originals. The cost of a pair is at ``offsets + published * widths + originals``
    # of flat, by attribute; a width of -1: the costs of an ordered column go by a difference.
    n, attributes = originals.shape
    chances, base = np.zeros(len(published)), np.empty(attributes, np.int64)
    for i in range(len(published)):
        least, tied = np.int64(0), 0
        for v in range(attributes):
            base[v] = offsets[v] + published[i, v] * abs(widths[v])
            least += flat[base[v] + originals[own[i], v] * (1 if widths[v] > 0 else -1)]
        for other in range(n):
            cost = np.int64(0)
            for v in range(attributes):
                cost += flat[base[v] + originals[other, v] * (1 if widths[v] > 0 else -1)]
                if cost > least:
                    break
            if cost < least:
                tied = 0
                break
            tied += cost == least
        chances[i] = 1.0 / tied if tied > 0 else 0.0
    return chances


# Costs of all attributes one after the other, and where each one's begin and how wide they are (`linked_by_costs`).
Costs = tuple[Keys, Keys, Keys]


class DisplacementLinkage(PeopleJudge):
    """Share of records linked by an intruder who knows how far the values of each attribute were moved, times 100."""

    # Each masked record is linked to the original that most likely became it: ``sum_v log P_v``. Of an attribute with
    # an order and many values P is how often a value moved that far up or down, in different original values by
    # powers of two; of any other attribute how often a category was published as which other one. Both are counted in
    # the file itself. Where t originals tie, a link counts 1/t. Of more than `records` records a sample is linked, to
    # all originals; the interval is then Wilson's.
    # Why: measures that take numbers by classes do not see what moves within them, and distances add up what other
    # attributes hide. The distance by ranks is that of the permutation paradigm (Domingo-Ferrer and Muralidhar 2016);
    # the likelihood is a reconstruction.

    name = "displacement-linkage"
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
        """Put the values of the original in order."""
        return FittedDisplacementLinkage(original, self.people(original), self.params)


class FittedDisplacementLinkage(Estimated):
    """`DisplacementLinkage` of one original."""

    def __init__(self, original: Table, people: People, params: DisplacementLinkage.Params) -> None:
        self.people = people
        self.asked = people.sampled(len(people), params.records)
        self._ordered: dict[int, Ordered] = {}
        for v, attribute in enumerate(original.schema.attributes):
            if attribute.scale is not Scale.NOMINAL:
                ordered = Ordered.of(_values(original, attribute.name))
                if len(ordered.values) > params.bins:
                    self._ordered[v] = ordered
        columns = enumerate(people.codes.T)
        originals = [self._ordered[v].places if v in self._ordered else column for v, column in columns]
        self._originals: Codes = np.column_stack(originals).astype(np.int32)

    def estimate(self, masked: Table) -> Estimate:
        """Return the share with its interval."""
        return self.estimate_of(self.linked(masked)[0])

    def track(self, masked: Table) -> "DisplacementTracker":
        """Return a tracker that links changed records again; costs are recounted when a child is kept."""
        return DisplacementTracker(self, masked)

    def estimate_of(self, chances: Numbers) -> Estimate:
        """Return the share of queried records that are linked, with its interval."""
        share, number = float(chances.mean()), len(chances)
        found = wilson(share * number, number)
        return in_per_cent(Estimate.exact(share) if number == len(self.people) else found)

    def linked(self, masked: Table) -> tuple[Numbers, Costs]:
        """Return each queried record's chance to be linked, and the costs used."""
        published, costs = self.published(masked), self._costs(masked)
        own = published.take(self.asked, axis=0)
        places = np.arange(len(own), dtype=np.intp)
        chances = in_parts(places, lambda part: self.chances(own[part], self.asked[part], costs))
        return np.concatenate(chances), costs

    def chances(self, published: Codes, rows: Rows, costs: Costs) -> Numbers:
        """Return the chance to be linked of published records, shape (m, V), whose originals stand at `rows`."""
        chances: Numbers = linked_by_costs(published, rows.astype(np.int64), self._originals, *costs)
        return chances

    def published(self, masked: Table) -> Codes:
        """Return a column of whole numbers for each attribute of some masked records, shape (m, V)."""
        named = self.people.classes.of(masked)
        columns = [
            self._ordered[v].published(_values(masked, self.people.names[v])) if v in self._ordered else named[:, v]
            for v in range(len(self.people.names))
        ]
        return np.column_stack(columns).astype(np.int32)

    def _costs(self, masked: Table) -> Costs:
        people, codes = self.people, self.published(masked)
        costs, widths = [], []
        for v in range(len(people.names)):
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


class DisplacementTracker(Rescoring):
    """A tracker that estimates children by linking what they change at the costs of their parent."""

    fitted: FittedDisplacementLinkage

    def __init__(self, fitted: FittedDisplacementLinkage, masked: Table) -> None:
        super().__init__(fitted, masked)
        self._places = np.full(len(fitted.people), -1, dtype=np.int64)
        self._places[fitted.asked] = np.arange(len(fitted.asked))
        self._found: tuple[Numbers, Costs] | None = None

    @property
    def score(self) -> float:
        """The share of linked records, times 100; computed on first use."""
        return self.fitted.estimate_of(self._linked()[0]).value

    def take(self, change: Changes) -> None:
        """Update to a child."""
        super().take(change)
        self._found = None

    def estimates(self, changes: Changes) -> Numbers:
        """Return about what children score."""
        chances, costs = self._linked()
        places = self._places[changes.rows]
        queries = np.flatnonzero(places >= 0)
        moved = np.zeros(len(places) + 1)
        if len(queries):
            published, rows = self.fitted.published(changes.after.take(queries)), changes.rows[queries]
            moved[queries + 1] = self.fitted.chances(published, rows, costs) - chances[places[queries]]
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
