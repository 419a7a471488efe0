"""Probabilistic record linkage."""

from functools import cached_property
from math import prod
from threading import Lock
from typing import Any, Literal

import numpy as np
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Batched, Changes, Fitted, FollowedInPlace, Incremental, Measure
from evosdc.table.schema import MissingRule, Scale
from evosdc.table.table import Codes, Numbers, Rows, Table
from evosdc_measures.domains import Counts, domains_of, require_aligned
from evosdc_measures.linkage.agreement import profiles_of_all
from evosdc_measures.linkage.assignment import FittedAssignment, disagreements_of
from evosdc_measures.linkage.burdens import burdens_of
from evosdc_measures.linkage.content_families import credits_by_content
from evosdc_measures.linkage.estimate_memory import estimate_memory_of
from evosdc_measures.linkage.linked_records import Model, follow, link, order_of, ties_of_file
from evosdc_measures.linkage.links import Links
from evosdc_measures.linkage.number_intervals import FittedOnIntervals, by_classes
from evosdc_measures.linkage.pattern_families import credits_of_children
from evosdc_measures.linkage.pattern_linkage import follow_content
from evosdc_measures.linkage.profile_cache import memory_of
from evosdc_measures.linkage.profiles import originals_of
from evosdc_measures.linkage.scenarios import LinkageParameters, fitted_by_scenarios

MOST_ATTRIBUTES = 16
DENSE_CELLS = 1 << 14
"""Up to so many (record, pattern) combinations a state counts them all; beyond, it counts pairs by pattern."""
CountedState = tuple[Codes, Counts, float]
"""Codes of the masked table, number of records by content and pattern of agreement with their own, score."""

LinkedState = tuple[Codes, Links, float]
"""Codes of the masked table, how its records are linked, score."""


class ProbabilisticLinkage(Measure):
    """Expected share of records that are linked to their own by the Fellegi-Sunter model, times 100.

    All n**2 pairs of a masked and an original record are reduced to agreement patterns on V attributes, counted exactly
    over distinct records; expectation maximisation estimates the weights (`evosdc_measures.linkage.fellegi_sunter`)
    given the share of matches, 1 / n, which an intruder knows who holds the same n people, until it converges
    (`evosdc_measures.linkage.known_share`), and each masked record is linked to the original of greatest weight
    (Fellegi and Sunter, 1969; Jaro, 1989; Torra and Domingo-Ferrer, 2003). Where t originals have that weight and the
    own one is among them, the record counts 1/t; that credit is a reconstruction. Patterns whose weights, in order of
    size, differ from the next by at most 1e-9 bits are tied. Range 0..100, smaller is better.

    ``share = "estimated"`` estimates the share of matches as well, from 1 / n on and in at most 200 steps. Matches are
    few among n**2 pairs, so such estimates end far from the truth and the risk is understated: for comparison with
    older figures.

    Missing values: they agree with missing values only under the rule ``category``, with everything under ``wildcard``.

    ``direction = "original-to-masked"`` looks each original up in the masked file instead, with the same weights; an
    update computes it anew.

    Numbers agree where they lie between the same two neighbours of the original's quantiles, ``bins`` classes of about
    equal frequency: a reconstruction. ``scenarios`` lists what several intruders know, each a list of attributes; the
    risk is the mean over them, or the maximum. ``one_to_one`` assigns the records of both files to each other with the
    greatest sum of weights (Jaro, 1989); equal records share the credit, and of assignments that are
    equally good the worst counts. It takes cubic time.

    Work and memory grow with 2**V, so at most 16 attributes are accepted.
    """

    supports = frozenset(Scale)

    class Params(LinkageParameters):
        """Classes of numbers, and what the intruder knows."""

        bins: int = Field(
            10, ge=2, description="Classes of about equal frequency that numbers, and dates of more days, are taken by."
        )
        share: Literal["known", "estimated"] = Field(
            "known", description="Share of matches among all pairs: 1 / n, as an intruder knows it, or estimated too."
        )

    def fit(self, original: Table) -> Fitted:
        """Count the original by attribute subset, or keep its distinct records.

        Raises
        ------
        ParameterError
            More than 16 attributes; too many records for a one-to-one linkage.
        SchemaError
            A scenario names an attribute that there is not.
        """
        self.require_support(original)
        return fitted_by_scenarios(original, self.params, self._fit)

    def _fit(self, original: Table) -> Incremental[Any]:
        if by_classes(original.schema, self.params.bins):
            return FittedOnIntervals(original, self.params.bins, self._fit_categories)
        return self._fit_categories(original)

    def _fit_categories(self, original: Table) -> Incremental[Any]:
        attributes = original.codes.shape[1]
        if attributes > MOST_ATTRIBUTES:
            advice = "Leave prl out of the measures, or protect fewer attributes; dbrl has no such limit."
            wanted = f"at most {MOST_ATTRIBUTES}, since work grows with 2**attributes"
            raise ParameterError(Fault("measure prl: attributes", str(attributes), wanted, advice))
        if self.params.one_to_one:
            return FittedAssignment(original, disagreements_of(original, self._known), "measure prl: one_to_one")
        if self.params.direction == "original-to-masked":
            return FittedBackward(original, self._known)
        return _fitted_forward(original, self._known)

    @property
    def _known(self) -> bool:
        return bool(self.params.share == "known")


def _fitted_forward(original: Table, known: bool) -> "FittedByContent | FittedByRecord":
    cells = prod(int(width) for width in domains_of(original.schema).widths) << len(original.schema)
    return FittedByContent(original, known) if cells <= DENSE_CELLS else FittedByRecord(original, known)


class FittedBackward(Incremental[float]):
    """`ProbabilisticLinkage` of originals that are looked up in the masked file.

    Agreement is mutual, so the pairs by pattern and the weights are the same: the files change places.
    """

    def __init__(self, original: Table, known: bool = True) -> None:
        self._original = original
        self._known = known

    def start(self, masked: Table) -> float:
        """Return the risk of a table."""
        require_aligned(self._original, masked)
        return _fitted_forward(masked, self._known).score(self._original)

    def update(self, state: float, masked: Table, rows: Rows) -> float:
        """Return the risk after a change, computed anew: all originals are looked up in another file."""
        return self.start(masked)

    def value(self, state: float) -> float:
        """Return the risk, 0..100."""
        return state


class FittedByContent(FollowedInPlace[CountedState], Batched[CountedState]):
    """`ProbabilisticLinkage` of an original whose attributes have few possible combinations.

    Records with the same masked values and the same pattern of agreement with their own originals are linked alike. So
    the state counts them, and linking costs what the combinations cost, whatever n.
    """

    def __init__(self, original: Table, known: bool = True) -> None:
        widths = domains_of(original.schema).widths
        n, attributes = original.codes.shape
        wildcard = original.schema.na is MissingRule.WILDCARD
        strides = np.array([prod(int(width) for width in widths[v + 1 :]) for v in range(attributes)], dtype=np.int64)
        self._original = original
        self._rows = np.arange(n)
        self._model = (wildcard, strides, profiles_of_all(original.codes, widths, wildcard))
        self._n = n
        self._known = known
        self._estimates = estimate_memory_of(attributes)
        self._lock = Lock()

    def start(self, masked: Table) -> CountedState:
        """Return the state of a table; O(n V) and the linkage of all combinations."""
        require_aligned(self._original, masked)
        counts = np.zeros_like(self._model[2])
        return self._followed(masked.codes, masked.codes, self._rows, True, counts)

    def copied(self, state: CountedState) -> CountedState:
        """Return a copy of a state; the codes are shared."""
        return state[0], state[1].copy(), state[2]

    def follow(self, state: CountedState, masked: Table, rows: Rows) -> CountedState:
        """Return the state after a change; O(m V) and the linkage of all combinations."""
        return self._followed(state[0], masked.codes, rows, False, state[1])

    def _followed(self, before: Codes, after: Codes, rows: Rows, fresh: bool, counts: Counts) -> CountedState:
        credit = follow_content(self._original.codes, before, after, rows, fresh, *self._model, self._known, counts)
        return after, counts, min(100.0 * credit / self._n, 100.0)

    def values(self, state: CountedState, changes: Changes) -> Numbers:
        """Return the risks of several children, for which the weights are estimated together."""
        before, after, original = changes.before.codes, changes.after.codes, self._original.codes
        model = (*self._model, self._known)
        with self._lock:
            credits = credits_by_content(
                original, before, after, changes.rows, changes.ends, *model, state[1], *self._estimates
            )
        risks: Numbers = np.minimum(100.0 * credits / self._n, 100.0)
        return risks

    def burdens(self, masked: Table) -> Numbers:
        """Return each record's credit as a share of the score, shape (n,); linked record by record."""
        return self._by_record.burdens(masked)

    @cached_property
    def _by_record(self) -> "FittedByRecord":
        return FittedByRecord(self._original, self._known)

    def value(self, state: CountedState) -> float:
        """Return the risk, 0..100."""
        return state[2]


class FittedByRecord(FollowedInPlace[LinkedState], Batched[LinkedState]):
    """`ProbabilisticLinkage` of an original with many possible combinations: linked record by record.

    Which original a record is linked to depends on the order of the patterns by weight and not on the weights. Records
    are counted by their ties under each of the orders that a search comes to; after a change, these counts follow.
    """

    def __init__(self, original: Table, known: bool = True) -> None:
        n, attributes = original.codes.shape
        originals = originals_of(original)
        memory, estimates = memory_of(n, originals), estimate_memory_of(attributes)
        self._original = original
        self._model = Model(original.codes, originals, memory, known, estimates)
        self._lock = Lock()
        self._n = n

    def start(self, masked: Table) -> LinkedState:
        """Return the state of a table; its distinct records are compared with the original's, by groups or by pairs."""
        require_aligned(self._original, masked)
        with self._lock:
            links, credit = link(self._model, masked.codes)
        return masked.codes, links, self._risk(credit)

    def copied(self, state: LinkedState) -> LinkedState:
        """Return a copy of a state; the codes are shared."""
        return state[0], state[1].copy(), state[2]

    def follow(self, state: LinkedState, masked: Table, rows: Rows) -> LinkedState:
        """Return the state after a change: patterns and ties of the changed rows; all others where an order is new."""
        with self._lock:
            credit = follow(self._model, state[0], masked.codes, rows, state[1])
        return masked.codes, state[1], self._risk(credit)

    def _risk(self, credit: float) -> float:
        return float(min(100.0 * credit / self._n, 100.0))

    def values(self, state: LinkedState, changes: Changes) -> Numbers:
        """Return the risks of several children, for which the weights are estimated together."""
        with self._lock:
            credits = credits_of_children(self._model, state[0], changes, state[1])
        risks: Numbers = np.minimum(100.0 * credits / self._n, 100.0)
        return risks

    def burdens(self, masked: Table) -> Numbers:
        """Return each record's credit as a share of the score, shape (n,); as `start`."""
        return self.burdens_of_state(self.start(masked))

    def burdens_of_state(self, state: LinkedState) -> Numbers:
        """Return each record's credit as a share of the score, shape (n,)."""
        codes, links, _ = state
        with self._lock:
            order = order_of(self._model, links)
            # The best patterns of the state stay those under its own reference.
            unkept = np.empty_like(links.best)
            return burdens_of(ties_of_file(self._model, codes, links, *order, unkept))

    def value(self, state: LinkedState) -> float:
        """Return the risk, 0..100."""
        return state[2]
