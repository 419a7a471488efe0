"""Record linkage by an informed intruder who looks from the published records, or from the people, as he finds more."""

from typing import Any

from evosdc.model import Incremental, Measure
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Rows, Table
from evosdc_measures.linkage.ranked import RankedLinkage

State = tuple[Any, float]
"""The state of `RankedLinkage`, and the score."""


class TwoWayLinkage(Measure):
    """The greater share of records linked as `ranked-linkage` does, in either direction, times 100.

    `ranked-linkage` looks for the person of each published record. Whoever knows people looks the other way, for each
    person's published record: the same with original and masked file in each other's place. A search that lowers one
    direction alone leaves the other one higher. Range 0..100, smaller is better. It is the figure that a verdict goes
    by where no other linkage finds more.

    After Torra (2017), as `ranked-linkage`; that both directions count is a design decision.
    """

    supports = frozenset(Scale)

    class Params(RankedLinkage.Params):
        """Those of `ranked-linkage`."""

    params: Params

    def fit(self, original: Table) -> "FittedTwoWay":
        """Build the tree of the originals.

        Raises
        ------
        ParameterError
            Too many categories.
        """
        self.require_support(original)
        return FittedTwoWay(original, RankedLinkage(self.params))


class FittedTwoWay(Incremental[State]):
    """`TwoWayLinkage` of one original.

    Parameters
    ----------
    original : Table
    measure : RankedLinkage
    """

    def __init__(self, original: Table, measure: RankedLinkage) -> None:
        self._original, self._measure = original, measure
        self._forwards = measure.fit(original)

    def start(self, masked: Table) -> State:
        """Return the state of a table; a search for each record asked, in each direction."""
        return self._judged(self._forwards.start(masked), masked)

    def update(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; the direction that starts from people is computed anew."""
        return self._judged(self._forwards.update(state[0], masked, rows), masked)

    def follow(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change as `update`; the old one may be altered."""
        return self._judged(self._forwards.follow(state[0], masked, rows), masked)

    def burdens(self, masked: Table) -> Numbers | None:
        """Return each record's expected match in the direction that finds more, as a share of the score."""
        backwards = self._backwards(masked)
        if self._forwards.score(masked) >= backwards.score(self._original):
            return self._forwards.burdens(masked)
        return backwards.burdens(self._original)

    def value(self, state: State) -> float:
        """Return the risk, 0..100."""
        return state[1]

    def _backwards(self, masked: Table) -> Incremental[Any]:
        """Return the measure with the masked file in the original's place."""
        return self._measure.fit(masked)

    def _judged(self, forwards: Any, masked: Table) -> State:
        return forwards, max(self._forwards.value(forwards), self._backwards(masked).score(self._original))
