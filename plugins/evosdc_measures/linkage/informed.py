"""Record linkage by an intruder who knows the masking, or how a search weighed it, in one direction or in both."""

from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path

import numpy as np
from numba import njit
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import EvaluationError, Fault, FaultCollector, ParameterError
from evosdc.model import Changes, Expected, Fitted, Measure, Parameters, Rescoring, Tracker
from evosdc.randomisation.expectation import with_missing
from evosdc.randomisation.matrix_file import LabelledMatrix, read_matrices, stochastic
from evosdc.randomisation.transition import Matrix
from evosdc.secret import Purpose, stream
from evosdc.table.equivalence import placed_values
from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import Codes, Numbers, Rows, Table
from evosdc_measures.domains import Counts, Integers, require_aligned
from evosdc_measures.linkage.places import NEAR, Originals, Places, costs_of_matrix, follow, originals_of, place_all
from evosdc_measures.linkage.scenarios import ScenarioParameters, fitted_by_scenarios
from evosdc_measures.linkage.search_trees import prefix_tree_of
from evosdc_measures.number_intervals import FittedOnIntervals, by_classes

MOST_RECORDS = 1 << 18  # Records that may be published, up to which an expectation is computed
_WHERE = "measure informed-linkage: matrices"


def matrices_by_attribute(path: Path, schema: Schema) -> dict[str, Matrix]:
    """Return the transition matrices of a file by attribute of a schema; those of other attributes are left out."""
    # Categories that a matrix lacks stay what they are.
    found: dict[str, Matrix] = {}
    collect = FaultCollector()
    for one in read_matrices(path):
        with collect.step():
            names = one.attributes or (schema.names if len(schema) == 1 else ())
            if len(names) != 1:
                named = ", ".join(names) or "no attribute in particular"
                advice = "Leave `matrices` out: the transitions are then estimated from the file."
                raise ParameterError(Fault(_WHERE, f"a matrix of {named}", "one for each single attribute", advice))
            if names[0] in schema:
                found[names[0]] = _on(stochastic(one), schema[names[0]])
    if not collect.faults and not found:
        collect.faults.append(
            Fault(_WHERE, f"{path}, with none of the attributes", f"one of {', '.join(schema.names)}")
        )
    if collect.faults:
        raise ParameterError(collect.faults)
    return found


def _on(given: LabelledMatrix, attribute: Attribute) -> Matrix:
    """Return a matrix between all categories of an attribute."""
    labels = [state[0] for state in given.states]
    unknown = [str(label) for label in labels if label not in attribute.code]
    if unknown:
        wanted = f"categories of {attribute.name}"
        raise ParameterError(Fault(f"{_WHERE}: {attribute.name}", f"the category {', '.join(unknown)}", wanted))
    codes = [attribute.code[str(label)] for label in labels]
    matrix = np.identity(len(attribute.categories))
    matrix[np.ix_(codes, codes)] = given.matrix
    return matrix


def expected_links(original: Table, transitions: Sequence[Matrix]) -> float:
    """Return ``100 sum_y max_x prod_v p_v(y_v | x_v) / n``, x among the originals, y over all possible records."""
    # Where t originals share the greatest probability of y, each of them is linked with 1/t when it publishes y, so
    # that together they count that probability once. Missing values stay.
    gaps = [bool((column < 0).any()) for column in original.codes.T]
    matrices = [with_missing(P) if some else P for P, some in zip(transitions, gaps, strict=True)]
    sizes = np.array([len(matrix) for matrix in matrices], dtype=np.int64)
    possible = prod(sizes.tolist())
    if possible > MOST_RECORDS:
        given = f"informed-linkage: {possible} records may be published, too many for expectations"
        raise EvaluationError(f"{given}; let the genotype draw instead, or protect fewer attributes")
    # A missing value is the last category.
    tree = prefix_tree_of((original.codes % sizes).astype(np.int32))
    offsets = np.concatenate(([0], np.cumsum(sizes * sizes)))
    flat = np.concatenate([np.asarray(matrix, dtype=np.float64).T.ravel() for matrix in matrices])
    total = float(_greatest_chances(tree.order, tree.roots, tree.nodes, sizes, offsets, flat))
    return min(100.0 * total / len(original), 100.0)


@njit(cache=True)
def _greatest_chances(
    order: Integers, roots: int, nodes: Counts, sizes: Integers, offsets: Integers, flat: NDArray[np.float64]
) -> float:
    """Return the sum over all records of the greatest probability that an original of the tree has of publishing it."""
    last = len(order) - 1
    record = np.zeros(last + 1, np.int64)
    current, ends = np.empty(last + 1, np.int64), np.empty(last + 1, np.int64)
    chances, most = np.empty(last + 1), np.empty(last + 2)
    total, level = 0.0, 0
    while level >= 0:
        # The greatest probability of this record, and of what follows each level whatever the original.
        most[last + 1] = 1.0
        for place in range(last, -1, -1):
            v = order[place]
            base = offsets[v] + record[v] * sizes[v]
            most[place] = most[place + 1] * flat[base : base + sizes[v]].max()
        best, level = 0.0, 0
        current[0], ends[0], chances[0] = 0, roots, 1.0
        while level >= 0:
            node = current[level]
            if node == ends[level]:
                level -= 1
                continue
            current[level] = node + 1
            v = order[level]
            chance = chances[level] * flat[offsets[v] + record[v] * sizes[v] + nodes[node, 0]]
            if chance * most[level + 1] <= best:
                continue
            if level < last:
                level += 1
                current[level], ends[level], chances[level] = nodes[node, 1], nodes[node, 2], chance
            else:
                best = chance
        total += best
        # The next record, the last attribute first; below 0 after the last one.
        level = last
        while level >= 0 and record[level] == sizes[level] - 1:
            record[level] = 0
            level -= 1
        if level >= 0:
            record[level] += 1
    return total


FOLLOWED_CELLS = 1 << 16  # joint counts of a tracker at most; with more, files are linked from scratch
MOST_CELLS = 1 << 26  # Greatest number of joint counts of a file
BLOCKS = 5  # Ranges of places that `ranked-linkage` knows: the first, 2 to 3, 4 to 7, 8 to 15, 16 to 31


class InformedLinkage(Measure):
    """Expected share of records that an informed intruder links to their own, times 100.

    The intruder holds the protected attributes of all respondents and knows how the file was masked, all but the random
    draws: the transparency principle (Torra, 2017), short of the maximum-knowledge intruder of Domingo-Ferrer and
    Muralidhar (2016). With J_v(a, b) records of original category a published as b, a masked record y is linked to the
    originals x of greatest likelihood, ``sum_v log(J_v(x_v, y_v) / J_v(x_v, .))``; an original with a count of zero is
    excluded, which the own one never is. Where t originals have that likelihood and the own one is among them, the
    record counts 1/t. Range 0..100, smaller is better. No relabelling of published categories changes it. Estimating
    the transitions from the file itself, and the expected match for ties, are reconstructions.

    Likelihoods are compared as whole numbers, `evosdc_measures.linkage.places`: those that are the same product of
    counts are tied, others where they differ by less than 1e-11 of themselves.

    With ``matrices``, the transition matrices that were published with the file, P is the matrix itself for the
    attributes that have one there. A record whose own original cannot have been published so is not linked.

    Numbers are taken by classes: ``bins`` of about equal frequency in the original, an interval of ranks each. With few
    classes a search finds files that an intruder reads who looks closer.
    ``scenarios`` lists what several intruders know, each a list of attributes; the risk is the mean over them, or the
    maximum. A missing value is a category of its own, under both rules.
    """

    supports = frozenset(Scale)

    class Params(ScenarioParameters):
        """Classes of numbers, published matrices, and what the intruder knows."""

        bins: int = Field(
            32, ge=2, description="Classes of about equal frequency that numbers, and dates of more days, are taken by."
        )
        matrices: Path | None = Field(
            None, description="A file of transition matrices that were published: MASKED.matrices.json of evosdc mask."
        )

    def fit(self, original: Table) -> Fitted:
        """Build the tree of the originals."""
        self.require_support(original)
        return fitted_by_scenarios(original, self.params, self._fit)

    def _fit(self, original: Table) -> Fitted:
        file = self.params.matrices
        matrices = {} if file is None else matrices_by_attribute(file, original.schema)
        if by_classes(original.schema, self.params.bins, matrices):
            return FittedOnIntervals(
                original, self.params.bins, lambda classed: FittedInformed(classed, matrices), matrices
            )
        return FittedInformed(original, matrices)


class RankedLinkage(Measure):
    """Expected share of records linked by an intruder who knows about where the right original ranks, times 100.

    Originals are ranked behind a masked record by their likelihood, as `informed-linkage` does. A search that lowers
    that share moves the right originals from the first place to the next ones. An intruder who knows this links them
    there: he draws an original from one block of places: 1, 2 to 3, 4 to 7, 8 to 15 or 16 to 31. An own original
    that is tied with t - 1 others has t places, each with probability 1/t. The risk is that of the block with the most
    matches, so it is at least `informed-linkage`, and all of it for the original. Range 0..100, smaller is better. No
    relabelling of published categories changes it.

    The transparency principle (Torra, 2017) applied to what a search does to a linkage; the blocks are a
    reconstruction. Of more than ``records`` records, a sample is drawn by ``seed`` and placed among all originals.
    Numbers are taken by classes: ``bins`` of about equal frequency in the original. A missing value is a category of
    its own.
    """

    supports = frozenset(Scale)

    class Params(Parameters):
        """Classes of numbers, and the sample."""

        bins: int = Field(
            32, ge=2, description="Classes of about equal frequency that numbers, and dates of more days, are taken by."
        )
        records: int = Field(2000, ge=1, description="Masked records that are placed, at most.")
        seed: int = Field(1, ge=0, description="Of the sample.")

    params: Params

    def fit(self, original: Table) -> Fitted:
        """Build the tree of the originals, and draw the records."""
        self.require_support(original)
        n = len(original)
        linked: Rows = np.arange(n, dtype=np.intp)
        if n > self.params.records:
            drawn = stream(self.params.seed, Purpose.JUDGE).choice(n, self.params.records, replace=False)
            linked = np.sort(drawn).astype(np.intp)
        if by_classes(original.schema, self.params.bins):
            return FittedOnIntervals(original, self.params.bins, lambda classed: _ranked(classed, linked))
        return _ranked(original, linked)


def _ranked(original: Table, linked: Rows) -> "FittedPlaces":
    return FittedPlaces(original, linked, {}, BLOCKS, "ranked-linkage")


class FittedPlaces(Fitted):
    """A measure of the places at which own originals stand among the likeliest, of one original."""

    # Shapes: linked (m,): records that are linked, ascending; matrices (c, c): known transition matrices, by attribute.

    def __init__(
        self, original: Table, linked: Rows, matrices: Mapping[str, Matrix], blocks: int, measure: str
    ) -> None:
        self._original, self._linked, self._blocks = original, linked, blocks
        # Few branches first: a search sums a long common beginning once for many records.
        self._order = np.argsort([len(np.unique(column)) for column in original.codes.T], kind="stable")
        attributes, codes = (
            [original.schema.categorical[v] for v in self._order],
            original.codes.take(self._order, axis=1),
        )
        self._sizes = np.array([len(a.categories) + 1 for a in attributes], dtype=np.int64)
        given = np.array([a.name in matrices for a in attributes], dtype=np.bool_)
        self._originals = originals_of(codes, linked, self._sizes, given)
        self._known = {
            v: costs_of_matrix(matrices[a.name], codes[:, v]) for v, a in enumerate(attributes) if a.name in matrices
        }
        published = self._sizes if self._known else np.minimum(self._sizes, len(original))
        _require_few_cells(published * np.diff(self._originals.firsts), [a.name for a in attributes], measure)

    def score(self, masked: Table) -> float:
        """Return the score of a table; one search for each record that is linked."""
        return float(self.share(self.places(masked, 0)[1].totals.max()))

    def track(self, masked: Table) -> Tracker:
        """Return a tracker, which holds the places; with too many categories each child is linked from scratch."""
        if self._originals.bases[-1] > FOLLOWED_CELLS:
            return LinkedFromScratch(self, masked)
        return PlaceTracker(self, *self.places(masked, NEAR))

    def places(self, masked: Table, near: int) -> tuple[Originals, Places]:
        """Return the layout of a table's counts, and the places of its records, with gaps where `near` is above 0."""
        require_aligned(self._original, masked)
        codes, originals = self.ordered(masked), self._originals
        if originals.bases[-1] > FOLLOWED_CELLS and not self._known:
            # Those categories alone that the file publishes are given room.
            columns = [placed_values(column) for column in codes.T]
            codes = np.column_stack([place - 1 for _, place, _ in columns])
            originals = originals.with_published(np.array([len(found) for found, _, _ in columns], dtype=np.int64))
        published = np.add(originals.slots[:-1, None] + 1, codes.T, dtype=np.int32, casting="same_kind")
        cells = int(originals.bases[-1])
        costs = np.zeros(cells, dtype=np.int64)
        for v, known in self._known.items():
            costs[originals.bases[originals.slots[v]] :][: len(known)] = known
        m, lost = len(self._linked), (1 << self._blocks) - 1
        places = Places(
            np.empty((len(published), m), dtype=np.int32),
            np.zeros(cells, dtype=np.int32),
            costs,
            likelier=np.full(m, lost, dtype=np.int32),
            tied=np.ones(m, dtype=np.int32),
            above=np.zeros(m, dtype=np.int64),
            below=np.zeros(m, dtype=np.int64),
            rivals=np.full(m, -1, dtype=np.int32),
            totals=np.zeros(self._blocks, dtype=np.int64),
            listed=np.zeros(len(published), dtype=np.bool_),
            publishers=np.empty(m * len(published), dtype=np.int32),
            begins=np.zeros(3 * cells + 1, dtype=np.int64),
        )
        place_all(originals, np.ascontiguousarray(published), places, near)
        return originals, places

    def ordered(self, table: Table) -> Codes:
        """Return the codes of a table, attributes of few categories first, as they are searched."""
        return table.codes.take(self._order, axis=1)

    def share(self, totals: int | Integers) -> NDArray[np.float64]:
        """Return the score of a sum of credits, or those of several."""
        return np.minimum(100.0 * np.asarray(totals) / self._originals.credit / len(self._linked), 100.0)

    def contributions(self, places: Places) -> Numbers:
        """Return each record's expected match as a share of the score, shape (n,); 0 for records not linked."""
        first = 1 << int(places.totals.argmax())
        begin = np.maximum(places.likelier + 1, first)
        end = np.minimum(places.likelier + places.tied, 2 * first - 1)
        match = np.maximum(end - begin + 1, 0) / places.tied / first
        match[places.likelier == (1 << self._blocks) - 1] = 0.0
        contributions = np.zeros(len(self._original))
        contributions[self._linked] = 100.0 * match / len(self._linked)
        return contributions


class FittedInformed(FittedPlaces, Expected):
    """`InformedLinkage` of one original."""

    # Shapes: matrices (c, c): known transition matrices, by attribute.

    def __init__(self, original: Table, matrices: Mapping[str, Matrix]) -> None:
        super().__init__(original, np.arange(len(original), dtype=np.intp), matrices, 1, "informed-linkage")

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the expected share where the intruder knows the matrices, 0..100; exact."""
        # It is the mean over the originals of the chance that they are linked: over all records y that may be
        # published, ``sum_y max_x prod_v p_v(y_v | x_v) / n`` with x among the originals.
        return expected_links(self._original, transitions)


class PlaceTracker(Tracker):
    """The places of own originals in one table."""

    def __init__(self, fitted: FittedPlaces, originals: Originals, places: Places) -> None:
        self._fitted, self._originals, self._places = fitted, originals, places

    @property
    def score(self) -> float:
        """The share of the block of places with the most matches, 0..100."""
        return float(self._fitted.share(self._places.totals.max()))

    def take(self, change: Changes) -> None:
        """Update to a child: only records that publish what a changed cell left or entered may move."""
        self._follow(change, NEAR)

    def tries(self, changes: Changes) -> Numbers:
        """Return the scores of children, each of which is taken back."""
        return self._fitted.share(self._follow(changes, 0))

    def _follow(self, changes: Changes, near: int) -> Integers:
        before, after = self._fitted.ordered(changes.before), self._fitted.ordered(changes.after)
        rows, ends = changes.rows.astype(np.int64), changes.ends.astype(np.int64)
        return follow(self._originals, self._places, rows, before, after, ends, near)

    def contributions(self) -> Numbers:
        """Return each record's expected match as a share of the score, shape (n,)."""
        return self._fitted.contributions(self._places)


class LinkedFromScratch(Rescoring):
    """A table of too many categories to hold their counts."""

    fitted: FittedPlaces

    def contributions(self) -> Numbers:
        """Return each record's expected match as a share of the score, shape (n,)."""
        return self.fitted.contributions(self.fitted.places(self.masked, 0)[1])


def _require_few_cells(cells: Integers, names: Sequence[str], measure: str) -> None:
    if cells.sum() > MOST_CELLS:
        given = f"{names[int(cells.argmax())]} with too many categories for a table by original and masked category"
        advice = "Merge its categories, or declare it numeric: numbers are taken by classes."
        wanted = f"tables of at most {MOST_CELLS} cells, all attributes together"
        raise ParameterError(Fault(f"measure {measure}: attributes", given, wanted, advice))


class TwoWayLinkage(Measure):
    """The greater share of records linked as `ranked-linkage` does, in either direction, times 100.

    `ranked-linkage` looks for the person of each published record. An intruder who knows people looks for each
    person's published record: the same with original and masked file in each other's place. A search that lowers one
    direction alone leaves the other one higher. Of more than ``records`` records, of which `ranked-linkage` places a
    sample, `informed-linkage` of all records also counts, in both directions. Range 0..100, smaller is better.
    A verdict goes by no more than it, where no linkage of another kind finds more.

    After Torra (2017), as `ranked-linkage`; that both directions count is a design decision.
    """

    supports = frozenset(Scale)

    class Params(RankedLinkage.Params):
        """Those of `ranked-linkage`."""

    params: Params

    def fit(self, original: Table) -> "FittedTwoWay":
        """Build the trees of the originals."""
        self.require_support(original)
        measures: list[Measure] = [RankedLinkage(self.params)]
        if len(original) > self.params.records:
            measures.append(InformedLinkage(InformedLinkage.Params(bins=self.params.bins)))
        return FittedTwoWay(original, measures)


class FittedTwoWay(Fitted):
    """`TwoWayLinkage` of one original."""

    def __init__(self, original: Table, measures: Sequence[Measure]) -> None:
        self._original, self._measures = original, tuple(measures)
        self._forwards = [measure.fit(original) for measure in measures]

    def score(self, masked: Table) -> float:
        """Return the greatest risk, 0..100; a search for each linked record, in each direction."""
        return max(*(fitted.score(masked) for fitted in self._forwards), self.from_people(masked))

    def track(self, masked: Table) -> Tracker:
        """Return a tracker that follows the direction from published records."""
        return TwoWayTracker(self, [fitted.track(masked) for fitted in self._forwards], masked)

    def from_people(self, masked: Table) -> float:
        """Return the greatest risk from person to record in a table, 0..100."""
        return max(measure.fit(masked).score(self._original) for measure in self._measures)

    def contributions_of_people(self, masked: Table) -> Numbers | None:
        """Return what each record adds to that risk, shape (n,)."""
        backwards = [measure.fit(masked).track(self._original) for measure in self._measures]
        return max(backwards, key=lambda tracker: tracker.score).contributions()


class TwoWayTracker(Tracker):
    """Trackers from published records; the direction that starts from people is judged from scratch."""

    def __init__(self, fitted: FittedTwoWay, trackers: list[Tracker], masked: Table) -> None:
        self._fitted, self._trackers, self._masked = fitted, trackers, masked
        self._from_people: float | None = None

    @property
    def score(self) -> float:
        """The greatest risk, 0..100."""
        return max(*(tracker.score for tracker in self._trackers), self.score_of_people)

    @property
    def score_of_people(self) -> float:
        """The risk of people searched for in the table; computed on first use."""
        if self._from_people is None:
            self._from_people = self._fitted.from_people(self._masked)
        return self._from_people

    def take(self, change: Changes) -> None:
        """Update to a child."""
        for tracker in self._trackers:
            tracker.take(change)
        self._masked, self._from_people = change.applied_to(self._masked), None

    def tries(self, changes: Changes) -> Numbers:
        """Return the scores of children."""
        children = (changes.part(child, child + 1).applied_to(self._masked) for child in range(len(changes.ends)))
        people = np.array([self._fitted.from_people(child) for child in children], dtype=np.float64)
        scores: Numbers = np.max([people, *(tracker.tries(changes) for tracker in self._trackers)], axis=0)
        return scores

    def estimates(self, changes: Changes) -> Numbers:
        """Return about what children score: from people the risk is taken to change as in the other direction."""
        people, forwards = self.score_of_people, np.max([tracker.tries(changes) for tracker in self._trackers], axis=0)
        now = max(tracker.score for tracker in self._trackers)
        about = people * forwards / now if now > 0.0 else np.full(len(forwards), people)
        scores: Numbers = np.maximum(forwards, np.minimum(about, 100.0))
        return scores

    def contributions(self) -> Numbers | None:
        """Return each record's expected match where the risk is greatest, as a share of the score."""
        first = max(self._trackers, key=lambda tracker: tracker.score)
        return (
            first.contributions() if first.score == self.score else self._fitted.contributions_of_people(self._masked)
        )
