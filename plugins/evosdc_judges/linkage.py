"""Record linkage by intruders who know some attributes, how far values were moved, or how other people were masked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot

import numpy as np
from numba import njit
from pydantic import Field

from evosdc.model import Changes, Estimate, Estimated, Judge, Rescoring
from evosdc.processors import in_parts
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Rows, Table
from evosdc.time_limit import check_time
from evosdc_judges.classes import Codes, Joint, Keys, apart, joint_counts, reading, surprise
from evosdc_judges.intervals import in_per_cent, mean_of, repeated, wilson
from evosdc_judges.learned import one_thread
from evosdc_judges.members import gower_places, nearest_distances, tenth
from evosdc_judges.nearest import Costs, costs_of, linked, sorted_records
from evosdc_judges.people import Draw, People, PeopleJudge, Positions, drawn, subsets


class PartialLinkage(PeopleJudge):
    """Mean share of records linked, over intruders who know each subset of the attributes, times 100."""

    # Every non-empty subset of the attributes is what one intruder knows, or `subsets` drawn ones. He links masked
    # records to originals in two ways, and the greater share counts: by the least sum of category distances, and by the
    # greatest likelihood ``sum log P(published | original)``, for which a relabelling hides nothing. The transitions of
    # each half of the people are those of the other half: a rare value would else tell by itself whose record has it,
    # even in a file whose records are in random order. Where t originals tie, a link counts 1/t. Of more than `records`
    # records a sample is linked, to all originals. The interval says what both draws leave open. The greater of two
    # linkages, and one further way in which a class is published, are reconstructions.

    name = "partial-linkage"
    known = True
    intruder = "knows some of the attributes only"
    does = "links"
    sentence = (
        "An intruder who knows some of the attributes, whichever, links {masked} % in the mean; {chance} % by chance, "
        "{original} % without masking."
    )

    class Params(Judge.Params):
        """Bounds."""

        bins: int = Field(32, ge=2, le=1000, description="Classes of a numeric attribute.")
        subsets: int = Field(31, ge=1, le=4095, description="Subsets of attributes, at most.")
        records: int = Field(1000, ge=1, description="Masked records that are linked, at most.")

    params: Params

    def fit(self, original: Table) -> "FittedPartialLinkage":
        """Find the distinct originals of every subset."""
        return FittedPartialLinkage(self.people(original), self.params)


class FittedPartialLinkage(Estimated):
    """`PartialLinkage` of one original."""

    def __init__(self, people: People, params: PartialLinkage.Params) -> None:
        self._people = people
        self._queries = people.sampled(len(people), params.records)
        sides = people.halves()
        self._parts = [(taught, np.intersect1d(self._queries, others)) for taught, others in (sides, sides[::-1])]
        width = people.codes.shape[1]
        self._subsets = subsets(width, params.subsets, drawn(people.seed, Draw.SUBSETS))
        self._all = len(self._subsets) == (1 << width) - 1
        self._distinct = [sorted_records(people.codes[:, names]) for names in self._subsets]

    def estimate(self, masked: Table) -> Estimate:
        """Return the mean share with its interval."""
        people = self._people
        plain, named = people.classes.of(masked), people.published(masked)
        informed = [(queries, self._likelihoods(named, taught)) for taught, queries in self._parts]
        ways = (plain, [(self._queries, people.classes.distances)]), (named, informed)
        positions = range(len(self._subsets))
        shares = np.array([max(self._share(position, *way) for way in ways) for position in positions])
        value = float(shares.mean())
        among_people = wilson(value * len(self._queries), len(self._queries))
        low, high = value - among_people.low, among_people.high - value
        if len(self._queries) == len(people):
            low = high = 0.0
        drawn_subsets = 0.0 if self._all else mean_of(shares).high - value
        return in_per_cent(Estimate(value, value - hypot(low, drawn_subsets), value + hypot(high, drawn_subsets)))

    def _likelihoods(self, published: Codes, taught: Positions) -> list[Numbers]:
        """Return by attribute the costs of published classes (rows) and original ones, as some pairs show them."""
        original = self._people.codes
        return [
            surprise(joint_counts(original[taught, v], published[taught, v], int(size))).T
            for v, size in enumerate(self._people.classes.sizes)
        ]

    def _share(self, position: int, published: Codes, parts: Sequence[tuple[Positions, Sequence[Numbers]]]) -> float:
        """Return the share of links of one intruder, whose costs differ by the parts of the queried records."""
        names, searched = self._subsets[position], self._distinct[position]
        links = 0.0
        for queries, matrices in parts:
            check_time()
            costs = costs_of([matrices[v] for v in names])
            asked = np.ascontiguousarray(published[queries][:, names])
            links += float(linked(asked, searched.of_record[queries], searched, costs).sum())
        return links / len(self._queries)


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

    def costs(self, published: Codes, taught: Rows) -> Keys:
        """Return ``-log`` of the chance to be moved so far, by `published` - `places` + D, shape (2 D + 1,)."""
        # Counted are the records `taught`.
        # Places moved are counted by direction and power of two, and spread evenly over what each power holds, with one
        # further record spread over all. A missing value has a place of its own behind all, where most distances differ
        # from those of values.
        most = len(self.values)
        moved = np.arange(-most, most + 1)
        powers = np.where(moved == 0, 0, np.frexp(np.abs(moved).astype(np.float64))[1] * 2 + (moved < 0))
        steps = published[taught].astype(np.int64) - self.places[taught] + most
        counts = np.bincount(powers[steps], minlength=int(powers.max()) + 1)
        rates = (counts / np.maximum(np.bincount(powers), 1) + 1.0 / len(moved)) / (len(taught) + 1.0)
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


# FlatCosts of all attributes one after the other, and where each one's begin and how wide they are (`linked_by_costs`).
FlatCosts = tuple[Keys, Keys, Keys]


class DisplacementLinkage(PeopleJudge):
    """Share of records linked by an intruder who knows how far the values of each attribute were moved, times 100."""

    # Each masked record is linked to the original that most likely became it: ``sum_v log P_v``. Of an attribute with
    # an order and many values P is how often a value moved that far up or down, in different original values by
    # powers of two; of any other attribute how often a category was published as which other one, and, as one further
    # record of each, how often any stayed as it was. For each half of the people both are counted in the other half: a
    # rare value would else tell by itself whose record has it, even in a file whose records are in random order. Where
    # t originals tie, a link counts 1/t. Of more than `records` records a sample is linked, to all originals; the
    # interval is then Wilson's.
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
        first, second = people.halves()
        self._taught = second, first  # what teaches the costs of each half
        self._second = np.isin(np.arange(len(people)), second)

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

    def linked(self, masked: Table) -> tuple[Numbers, list[FlatCosts]]:
        """Return each queried record's chance to be linked, and the costs used of each half."""
        published, costs = self.published(masked), self._costs(masked)
        own = published.take(self.asked, axis=0)
        places = np.arange(len(own), dtype=np.intp)
        chances = in_parts(places, lambda part: self.chances(own[part], self.asked[part], costs))
        return np.concatenate(chances), costs

    def chances(self, published: Codes, rows: Rows, costs: Sequence[FlatCosts]) -> Numbers:
        """Return the chance to be linked of published records, shape (m, V), whose originals stand at `rows`."""
        chances = np.empty(len(rows))
        for half, own in enumerate(costs):
            asked = self._second[rows] == bool(half)
            chances[asked] = linked_by_costs(published[asked], rows[asked].astype(np.int64), self._originals, *own)
        return chances

    def published(self, masked: Table) -> Codes:
        """Return a column of whole numbers for each attribute of some masked records, shape (m, V)."""
        named = self.people.classes.of(masked)
        columns = [
            self._ordered[v].published(_values(masked, self.people.names[v])) if v in self._ordered else named[:, v]
            for v in range(len(self.people.names))
        ]
        return np.column_stack(columns).astype(np.int32)

    def _costs(self, masked: Table) -> list[FlatCosts]:
        published = self.published(masked)
        return [self._costs_by(published, taught) for taught in self._taught]

    def _costs_by(self, codes: Codes, taught: Rows) -> FlatCosts:
        people, costs, widths = self.people, list[Keys](), list[int]()
        for v in range(len(people.names)):
            if v in self._ordered:
                costs.append(self._ordered[v].costs(codes[:, v], taught))
                widths.append(-1)
            else:
                size = int(people.classes.sizes[v])
                costs.append(np.rint(kept_or_exchanged(people.codes[taught, v], codes[taught, v], size) * UNIT))
                widths.append(size)
        ends = np.cumsum([len(part) for part in costs])
        # The costs of an ordered column begin in their middle, where nothing was moved.
        offsets = [
            end - len(part) + (len(part) // 2 if w < 0 else 0) for end, part, w in zip(ends, costs, widths, strict=True)
        ]
        flat = np.concatenate(costs).astype(np.int64)
        return flat, np.array(offsets, dtype=np.int64), np.array(widths, dtype=np.int64)


def kept_or_exchanged(before: Codes, after: Codes, size: int) -> Numbers:
    """Return by published class, then by original one, ``-log`` of the chance that it was published so."""
    # A class that no record taught is taken to stay as often as all classes do.
    joint = joint_counts(before, after, size)
    kept = (before == after).sum() / (len(before) + 1.0)
    further = kept * np.eye(len(joint)) + (1.0 - kept) * (joint.sum(axis=0) + 1.0) / (joint.sum() + len(joint))
    shares = (joint + further) / (joint.sum(axis=1, keepdims=True) + 1.0)
    return np.ascontiguousarray(-np.log(shares).T).ravel()


class DisplacementTracker(Rescoring):
    """A tracker that estimates children by linking what they change at the costs of their parent."""

    fitted: FittedDisplacementLinkage

    def __init__(self, fitted: FittedDisplacementLinkage, masked: Table) -> None:
        super().__init__(fitted, masked)
        self._places = np.full(len(fitted.people), -1, dtype=np.int64)
        self._places[fitted.asked] = np.arange(len(fitted.asked))
        self._found: tuple[Numbers, list[FlatCosts]] | None = None

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

    def _linked(self) -> tuple[Numbers, list[FlatCosts]]:
        if self._found is None:
            self._found = self.fitted.linked(self.masked)
        return self._found


def _values(table: Table, name: str) -> Numbers:
    """Return a column as numbers, NaN where a value is missing: a category by its place in the order."""
    column = np.asarray(table.column(name), dtype=np.float64)
    return np.where(column < 0, np.nan, column) if table.schema[name].categorical else column


NEGLIGIBLE = 40.0  # an original less likely by e to this power adds nothing that a number could hold
PAIRS = 10_000_000  # pairs of published records and different originals that are matched in any case
_NEVER = -1e9  # logarithm of the likelihood of a pair of values that never occurs


class SurestMatches(PeopleJudge):
    """How many of the matches that an informed intruder is surest of are right, times 100."""

    # The intruder knows the originals and how often each category was published as which other one (Torra, 2017), and
    # matches a published record with the original of the greatest likelihood; that over the sum of all originals' says
    # how sure the match is. The figure is the precision of the ``matches`` surest ones, 1 / t where t originals tie;
    # the interval is Wilson's. Beside it stand the precision of the ``surest_tenth``, that of the
    # ``most_isolated_tenth`` of the people, whose nearest other original is farthest away, and of ``all``: a mean of 6
    # to 9 per cent goes with 25 to 45 for the surest. The posterior and the tails: design.

    name = "surest-matches"
    known = True
    intruder = "trusts the matches that look surest"
    sentence = (
        "Of the matches that an informed intruder is surest of, {masked} % are right; {chance} % by chance, {original} "
        "% without masking."
    )

    class Params(Judge.Params):
        """Which matches count, and of how many."""

        matches: int = Field(20, ge=1, description="The surest matches.")
        bins: int = Field(20, ge=2, le=250, description="Classes of a numeric attribute.")
        records: int = Field(3000, ge=20, description="Published records that are matched, at least.")

    params: Params

    def fit(self, original: Table) -> "FittedSurest":
        """Classify the original."""
        return FittedSurest(original, self.people(original), self.params)


class FittedSurest(Estimated):
    """`SurestMatches` of one original."""

    def __init__(self, original: Table, people: People, params: SurestMatches.Params) -> None:
        self._people, self._matches = people, params.matches
        self._distinct, mine, self._counts = np.unique(people.codes, axis=0, return_inverse=True, return_counts=True)
        # A sample may hold another twenty surest than the next one: where matching is quick, all records are queried.
        most = max(params.records, PAIRS // len(self._distinct))
        self.asked = people.sampled(len(people), most, 16)
        self._mine = mine.astype(np.int64).ravel()
        self._apart = nearest_distances(*gower_places(original.take(self.asked), original, original), 2)[:, 1]

    def estimate(self, masked: Table) -> Estimate:
        """Return the precision of the surest matches."""
        return self.details(masked)[0]

    def track(self, masked: Table) -> "SurestTracker":
        """Return a tracker that matches again wherever a score is needed, and estimates in between."""
        return SurestTracker(self, masked)

    def details(self, masked: Table) -> tuple[Estimate, Mapping[str, float]]:
        """Return the precision of the surest matches, and of others."""
        right, sure = self.matched(masked)
        chosen = self.surest(sure)
        precision = in_per_cent(wilson(float(right[chosen].sum()), len(chosen)))
        return precision, {
            "surest_tenth": 100.0 * float(right[tenth(sure)].mean()),
            "most_isolated_tenth": 100.0 * float(right[tenth(self._apart)].mean()),
            "all": 100.0 * float(right.mean()),
        }

    def of_others(self, masked: Table) -> Estimate:
        """Return the share of a person who is drawn at random for each record: chance, without any knowledge."""
        # Shuffled records are no chance here: the intruder knows what each category was published as, and a value that
        # one person has names this person in a shuffled file as well.
        return Estimate.exact(100.0 / self._counts.sum())

    def surest(self, sure: Numbers) -> Rows:
        """Return the positions of the surest matches among the queried records."""
        return np.argsort(-sure, kind="stable")[: self._matches].astype(np.intp)

    def matched(self, masked: Table) -> tuple[Numbers, Numbers]:
        """Return for each queried record whether its match is right, and how sure it is."""
        check_time()
        codes, published = self._people.codes, self._people.published(masked)
        sizes = np.maximum(codes.max(axis=0), published.max(axis=0)).astype(np.int64) + 1
        offsets = np.concatenate(([0], np.cumsum(sizes * sizes)))[:-1]
        flat = np.zeros(int((sizes * sizes).sum()))
        for v, size in enumerate(sizes.tolist()):
            pairs = np.bincount(published[:, v].astype(np.int64) * size + codes[:, v], minlength=size * size)
            table = pairs.reshape(size, size).astype(np.float64)
            shares = np.divide(table, table.sum(axis=0), out=np.zeros_like(table), where=table > 0)
            flat[offsets[v] : offsets[v] + size * size] = np.log(
                shares, out=np.full_like(shares, _NEVER), where=shares > 0
            ).ravel()
        own = published.take(self.asked, axis=0), self._mine.take(self.asked)
        found = matches(*own, self._distinct, self._counts.astype(np.int64), flat, offsets, sizes)
        return found[:, 0], found[:, 1]


class SurestTracker(Rescoring):
    """A tracker that takes a child's surest matches for its parent's without the records that it changes."""

    # So a search that is beyond the bound tries changes of these records first.

    fitted: FittedSurest

    @property
    def score(self) -> float:
        """The precision of the table's surest matches; computed on first use."""
        if self._score is None:
            right, sure = self.fitted.matched(self.masked)
            chosen = self.fitted.surest(sure)
            self._adding = np.zeros(len(self.masked))
            self._adding[self.fitted.asked[chosen]] = 100.0 * right[chosen] / len(chosen)
            self._score = float(self._adding.sum())
        return self._score

    def estimates(self, changes: Changes) -> Numbers:
        """Return the precision of the parent without changed records, which rarely stay both sure and right."""
        score = self.score
        left = np.concatenate(([0.0], self._adding[changes.rows].cumsum()))[np.concatenate(([0], changes.ends))]
        return score - np.diff(left)


@njit(cache=True)
def matches(
    published: Codes, mine: Keys, originals: Codes, counts: Keys, likelihoods: Numbers, offsets: Keys, sizes: Keys
) -> Numbers:
    """Return for each published record the credit of its likeliest original, and that one's share of likelihoods."""
    # Mine (m,): the own one of each published record among the distinct originals; counts (d,): how many are so;
    # likelihoods: by attribute, published and original class the logarithm; offsets (V,): where its table begins.
    attributes = originals.shape[1]
    found, scores = np.empty((len(published), 2)), np.empty(len(originals))
    for j in range(len(published)):
        best = -np.inf
        for i in range(len(originals)):
            score = 0.0
            for v in range(attributes):
                score += likelihoods[offsets[v] + published[j, v] * sizes[v] + originals[i, v]]
            scores[i] = score
            best = max(best, score)
        total, tied = 0.0, 0
        for i in range(len(originals)):
            if scores[i] > best - NEGLIGIBLE:
                total += counts[i] * np.exp(scores[i] - best)
                tied += counts[i] if scores[i] >= best - 1e-9 else 0
        found[j, 0] = 1.0 / tied if scores[mine[j]] >= best - 1e-9 else 0.0
        found[j, 1] = 1.0 / total
    return found


_PULL = 0.02  # weight of the squared distance from the weights that an untaught intruder would take
_IMPOSSIBLE = 1e6  # cost of a rival that equals the own record: it neither teaches nor is taught


class LearnedLinkage(PeopleJudge):
    """Share of records linked by one who learned attribute weights from the pairs of other people, times 100."""

    # Abril, Navarro-Arribas and Torra (2012): the intruder has some people's original records with their masked ones,
    # and learns the weights of the attributes' distances under which their links are right. Half of the people teach;
    # the masked records of the other half are linked to the originals of *all* people at the least weighted distance,
    # so that the figure stands beside other linkages; then the halves change places. Where t originals tie, the link
    # counts 1/t. The interval is Wilson's, widened by what repeated halves differ in.
    # Two distances an attribute have weights, none of them negative: the category distance, after reading published
    # labels as the pairs show them to be meant, and the surprise ``-log P(published | original)`` in the teaching half,
    # each pair left out of its own estimate. Both see through any relabelling. Weights maximise the likelihood of the
    # right links among `rivals` drawn at random (a multinomial logistic regression), where the paper solves a mixed-
    # integer program. That, and the second distance, are reconstructions.

    name = "learned-linkage"
    known = True
    intruder = "learned from half of the people how the file was masked"
    does = "links"
    sentence = (
        "Of the people that taught nothing, {masked} % of the records are linked to their own; {chance} % by chance, "
        "{original} % without masking."
    )

    class Params(Judge.Params):
        """Halves and samples."""

        repeats: int = Field(2, ge=1, le=100, description="Times that halves are drawn.")
        bins: int = Field(32, ge=2, le=1000, description="Classes of a numeric attribute.")
        pairs: int = Field(1000, ge=8, description="Pairs that teach the weights, at most.")
        rivals: int = Field(150, ge=2, description="Rival originals for each pair.")
        records: int = Field(1500, ge=1, description="Records of a half that are linked, at most.")

    params: Params

    def fit(self, original: Table) -> "FittedLearnedLinkage":
        """Classify the original and find its distinct records."""
        return FittedLearnedLinkage(self.people(original), self.params)


class FittedLearnedLinkage(Estimated):
    """`LearnedLinkage` of one original."""

    def __init__(self, people: People, params: LearnedLinkage.Params) -> None:
        self._people = people
        self._params = params
        self._originals = sorted_records(people.codes)

    def estimate(self, masked: Table) -> Estimate:
        """Return the share with its interval; O(records * distinct originals) at most for each half."""
        people, published = self._people, self._people.published(masked)
        shares = []
        for repeat in range(self._params.repeats):
            found: list[Numbers] = []
            sides = people.halves(repeat)
            for turn, (taught, others) in enumerate((sides, sides[::-1])):
                check_time()
                costs = self.costs(published, taught, repeat, turn)
                queries = people.sampled(others, self._params.records, repeat, turn)
                own = self._originals.of_record[queries]
                found.append(linked(np.ascontiguousarray(published[queries]), own, self._originals, costs))
            links = np.concatenate(found)
            shares.append(wilson(float(links.sum()), len(links)))
        return in_per_cent(repeated(shares))

    def costs(self, published: Codes, taught: Positions, repeat: int, turn: int) -> Costs:
        """Return the weighted costs of published and original classes that the taught pairs lead to."""
        people = self._people
        joints = [
            joint_counts(people.codes[taught, v], published[taught, v], int(size))
            for v, size in enumerate(people.classes.sizes)
        ]
        gaps = [apart(people.classes.distances[v], reading(joint)) for v, joint in enumerate(joints)]
        surprises = [surprise(joint) for joint in joints]
        rng = drawn(people.seed, Draw.RIVALS, repeat, turn)
        shown = people.sampled(taught, self._params.pairs, repeat, turn, 1)
        rivals = rng.choice(len(people), min(self._params.rivals, len(people)), replace=False)
        features = _features(people.codes, published, shown, rivals, gaps, joints, surprises)
        weights = learned_weights(features, len(people) / len(rivals))
        half = len(gaps)
        return costs_of([(weights[v] * gaps[v] + weights[half + v] * surprises[v]).T for v in range(half)])


def _features(
    codes: Codes,
    published: Codes,
    shown: Positions,
    rivals: Positions,
    gaps: list[Numbers],
    joints: list[Joint],
    surprises: list[Numbers],
) -> Numbers:
    """Return how much farther rivals are than the own record, shape (pairs, rivals, 2 V); NaN for its equals."""
    # The surprise of the own class, for the own record and for rivals that share the class, is that without the pair.
    attributes = codes.shape[1]
    result = np.empty((len(shown), len(rivals), 2 * attributes))
    same = np.ones((len(shown), len(rivals)), dtype=bool)
    for v in range(attributes):
        own, seen, other = codes[shown, v], published[shown, v], codes[rivals, v]
        alike = own[:, None] == other[None, :]
        same &= alike
        joint = joints[v]
        total, rest = joint[own].sum(axis=1), (joint.sum(axis=0) + 1.0) / (joint.sum() + len(joint))
        left_out = -np.log((joint[own, seen] - 1.0 + rest[seen]) / (total - 1.0 + 1.0))
        result[:, :, v] = gaps[v][other[None, :], seen[:, None]] - gaps[v][own, seen][:, None]
        result[:, :, attributes + v] = np.where(
            alike, 0.0, surprises[v][other[None, :], seen[:, None]] - left_out[:, None]
        )
    result[same] = np.nan
    return result


def learned_weights(features: Numbers, represented: float) -> Numbers:
    """Return the weights, none negative, that best separate own records from their rivals, shape (F,)."""
    # Maximises the mean logarithm of ``1 / (1 + r sum_s exp(-w.f_s))`` over the pairs, less a small pull towards the
    # weights of one who was not taught: 0 for the first half of the features, 1 for the second. It is concave.
    # features (pairs, rivals, F): NaN for a rival that is left out; represented: records that each rival stands for, r.
    from scipy.optimize import minimize

    left_out = np.isnan(features[:, :, 0])
    usable = np.where(left_out[:, :, None], 0.0, features)
    width = features.shape[2]
    untaught = np.concatenate((np.zeros(width // 2), np.ones(width - width // 2)))

    def loss(weights: Numbers) -> tuple[float, Numbers]:
        exponents = np.where(left_out, -_IMPOSSIBLE, np.log(represented) - usable @ weights)
        top = np.maximum(exponents.max(axis=1), 0.0)
        parts = np.exp(exponents - top[:, None])
        total = parts.sum(axis=1) + np.exp(-top)
        pull = weights - untaught
        value = float((top + np.log(total)).mean()) + _PULL / 2.0 * float(pull @ pull)
        slopes = np.einsum("ps,psf->f", parts / total[:, None], usable)
        return value, -slopes / len(features) + _PULL * pull

    with one_thread():
        found = minimize(loss, untaught, jac=True, method="L-BFGS-B", bounds=[(0.0, None)] * width)
    weights: Numbers = found.x
    return weights
