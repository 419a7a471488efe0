"""Record linkage by an intruder who knows how the file was masked."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field

from evosdc.model import Batched, Changes, Expected, Fitted, FollowedInPlace, Incremental, Measure
from evosdc.randomisation.transition import Matrix
from evosdc.table.equivalence import equivalence_classes
from evosdc.table.schema import Scale
from evosdc.table.table import Codes, Numbers, Rows, Table
from evosdc_measures.domains import require_aligned, small_counts
from evosdc_measures.linkage.burdens import burdens_of
from evosdc_measures.linkage.category_rivals import listing_of
from evosdc_measures.linkage.informed_children import matches_of_children
from evosdc_measures.linkage.informed_links import followed, started
from evosdc_measures.linkage.informed_originals import InformedOriginals
from evosdc_measures.linkage.known_matrices import expected_links, matrices_by_attribute
from evosdc_measures.linkage.number_intervals import FittedOnIntervals, by_classes
from evosdc_measures.linkage.ranked import FittedRanked
from evosdc_measures.linkage.ranked import State as PlacesState
from evosdc_measures.linkage.ranked_places import matched_first
from evosdc_measures.linkage.rivals import LinkedFile
from evosdc_measures.linkage.scenarios import ScenarioParameters, fitted_by_scenarios

State = tuple[Codes, LinkedFile, float]
"""Codes of the masked table, how its records are linked, score."""


class InformedLinkage(Measure):
    """Expected share of records that an informed intruder links to their own, times 100.

    The intruder holds the protected attributes of all respondents and knows how the file was masked, all but the random
    draws: the transparency principle (Torra, 2017), short of the maximum-knowledge intruder of Domingo-Ferrer and
    Muralidhar (2016). With J_v(a, b) records of original category a published as b, a masked record y is linked to the
    originals x of greatest likelihood, ``sum_v log(J_v(x_v, y_v) / J_v(x_v, .))``; an original with a count of zero is
    excluded, which the own one never is. Where t originals have that likelihood and the own one is among them, the
    record counts 1/t. Range 0..100, smaller is better. No relabelling of published categories changes it. Estimating
    the transitions from the file itself, and the expected match for ties, are reconstructions.

    Likelihoods are compared as whole numbers, `evosdc_measures.linkage.likelihood`: those that are the same product of
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
        """Build the tree of the originals.

        Raises
        ------
        ParameterError
            Too many categories; matrices that cannot be read, or do not fit the original.
        SchemaError
            A scenario names an attribute that there is not.
        """
        self.require_support(original)
        return fitted_by_scenarios(original, self.params, self._fit)

    def _fit(self, original: Table) -> Incremental[Any]:
        file = self.params.matrices
        matrices = {} if file is None else matrices_by_attribute(file, original.schema)
        if by_classes(original.schema, self.params.bins, matrices):
            return FittedOnIntervals(
                original, self.params.bins, lambda classed: FittedInformed(classed, matrices), matrices
            )
        return FittedInformed(original, matrices)


class FittedInformed(InformedOriginals, FollowedInPlace[State], Batched[State], Expected):
    """`InformedLinkage` of one original.

    Parameters
    ----------
    original : Table
    matrices : mapping of str to ndarray of float64, shape (c, c)
        Known transition matrices, by attribute.
    """

    def __init__(self, original: Table, matrices: dict[str, Matrix]) -> None:
        super().__init__(original, matrices, "informed-linkage")
        self._listing = listing_of(self._originals)
        self._kin = equivalence_classes(self._originals.model.own).of.astype(np.int32)

    def start(self, masked: Table) -> State:
        """Return the state of a table; one search for each record."""
        require_aligned(self._original, masked)
        codes, model = self._narrowed(masked.codes)
        n, cells = len(codes), int(model.offsets[-1])
        counts, costs = np.zeros(cells, dtype=np.int32), np.zeros(cells, dtype=np.int64)
        for v, known in self._known.items():
            costs[model.offsets[v] : model.offsets[v + 1]] = known
        links, rooms = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int64)
        linked = LinkedFile(counts, costs, links, small_counts(n + 1, n), rooms)
        matched = started(codes, self._originals._replace(model=model), self._frequencies, linked)
        if not self._follows:
            linked = linked._replace(counts=counts[:0], costs=costs[:0])
        return masked.codes, linked, min(100.0 * matched / n, 100.0)

    def copied(self, state: State) -> State:
        """Return a copy of a state; the codes are shared."""
        return state[0], LinkedFile._make(array.copy() for array in state[1]), state[2]

    def follow(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change.

        A search among the originals with a cell's original category for each record that publishes the same category,
        is linked, and might now be linked to these; all such records are looked through. Many changed cells are
        followed together, and all linked records searched anew that publish a category whose likelihoods have changed.
        """
        if not self._follows:
            return self.start(masked)
        matched = followed(state[0], masked.codes, rows, self._originals, self._listing, self._frequencies, state[1])
        return masked.codes, state[1], min(100.0 * matched / len(masked.codes), 100.0)

    @property
    def together(self) -> bool:
        """Whether states hold the links; where there are too many categories, each file is linked anew."""
        return self._follows

    @property
    def beside(self) -> bool:
        """True: links are looked for in one kernel."""
        return True

    def values(self, state: State, changes: Changes) -> Numbers:
        """Return the risks of several children; as `follow`, of which each is taken back."""
        n, codes = len(self._original), state[0]
        # Records that publish the same and have equal originals are linked alike: one of them is followed.
        apart = np.zeros(n, dtype=np.int32)
        apart[changes.rows] = changes.rows + 1
        alike = equivalence_classes(np.column_stack((self._kin, apart, codes)))
        weights = np.ones(n, dtype=np.int64)
        weights[alike.first] = alike.counts
        changed = (changes.before.codes, changes.after.codes, changes.rows, changes.ends, alike.first, weights)
        matches = matches_of_children(codes, *changed, self._originals, self._listing, self._frequencies, state[1])
        shares: Numbers = np.minimum(100.0 * matches / n, 100.0)
        return shares

    def burdens(self, masked: Table) -> Numbers:
        """Return each record's expected match as a share of the score, shape (n,); as `start`."""
        return self.burdens_of_state(self.start(masked))

    def burdens_of_state(self, state: State) -> Numbers:
        """Return each record's expected match as a share of the score, shape (n,)."""
        return burdens_of(np.maximum(-state[1].links, 0))

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the expected share where the intruder knows the matrices, 0..100; exact.

        It is the mean over the originals of the chance that they are linked: over all records y that may be published,
        ``sum_y max_x prod_v p_v(y_v | x_v) / n`` with x among the originals. `score` estimates the transitions from the
        drawn file itself and lies above it, the less the more records there are.

        Raises
        ------
        EvaluationError
            There are too many records that may be published: judge by draws.
        """
        return expected_links(self._original, transitions)

    def value(self, state: State) -> float:
        """Return the risk, 0..100."""
        return state[2]

    def read_from(self, other: Fitted) -> Callable[[Any], float] | None:
        """Return how the risk is read from the places of all own originals, where `ranked-linkage` has them."""
        if not isinstance(other, FittedRanked) or self._known or not other.places_all(self._original):
            return None
        n = len(self._original)

        def read(state: PlacesState) -> float:
            matched = matched_first(state[1].likelier, state[1].tied, small_counts(n + 1, n))
            return min(100.0 * matched / n, 100.0)

        return read

    def read_together_from(self, other: Fitted) -> Callable[[Any, Changes], tuple[Numbers, Numbers]] | None:
        """Return how children are judged by `ranked-linkage` and by this at once, where it has all places."""
        told = isinstance(other, FittedRanked) and other.together and self.read_from(other) is not None
        return other.values_by_place if told and isinstance(other, FittedRanked) else None
