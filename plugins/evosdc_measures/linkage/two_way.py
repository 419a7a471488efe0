"""Record linkage by an informed intruder who looks from the published records, or from the people, as he finds more."""

from collections.abc import Sequence
from typing import Any, cast

from evosdc.model import Incremental, Measure
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Rows, Table
from evosdc_measures.linkage.informed import InformedLinkage
from evosdc_measures.linkage.ranked import RankedLinkage

State = tuple[tuple[Any, ...], float]
"""The states of the measures from published records, and the score."""


class TwoWayLinkage(Measure):
    """The greater share of records linked as `ranked-linkage` does, in either direction, times 100.

    `ranked-linkage` looks for the person of each published record. Whoever knows people looks the other way, for each
    person's published record: the same with original and masked file in each other's place. A search that lowers one
    direction alone leaves the other one higher. Of more than ``records`` records, of which `ranked-linkage` places a
    sample, `informed-linkage` of all records counts besides, in both directions too. Range 0..100, smaller is better.
    A verdict goes by no more than it, where no linkage of another kind finds more.

    After Torra (2017), as `ranked-linkage`; that both directions count is a design decision.
    """

    supports = frozenset(Scale)

    class Params(RankedLinkage.Params):
        """Those of `ranked-linkage`."""

    params: Params

    def fit(self, original: Table) -> "FittedTwoWay":
        """Build the trees of the originals.

        Raises
        ------
        ParameterError
            Too many categories.
        """
        self.require_support(original)
        measures: list[Measure] = [RankedLinkage(self.params)]
        if len(original) > self.params.records:
            measures.append(InformedLinkage(InformedLinkage.Params(bins=self.params.bins)))
        return FittedTwoWay(original, measures)


class FittedTwoWay(Incremental[State]):
    """`TwoWayLinkage` of one original.

    Parameters
    ----------
    original : Table
    measures : sequence of Measure
        Whose greatest risk counts.
    """

    def __init__(self, original: Table, measures: Sequence[Measure]) -> None:
        self._original, self._measures = original, tuple(measures)
        self._forwards = tuple(cast(Incremental[Any], measure.fit(original)) for measure in measures)

    def start(self, masked: Table) -> State:
        """Return the state of a table; a search for each record asked, in each direction."""
        return self._judged([fitted.start(masked) for fitted in self._forwards], masked)

    def update(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; the direction that starts from people is computed anew."""
        pairs = zip(self._forwards, state[0], strict=True)
        return self._judged([fitted.update(one, masked, rows) for fitted, one in pairs], masked)

    def follow(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change as `update`; the old one may be altered."""
        pairs = zip(self._forwards, state[0], strict=True)
        return self._judged([fitted.follow(one, masked, rows) for fitted, one in pairs], masked)

    def burdens(self, masked: Table) -> Numbers | None:
        """Return each record's expected match where most is found, as a share of the score."""
        asked = [(fitted, masked) for fitted in self._forwards]
        asked += [(fitted, self._original) for fitted in self._backwards(masked)]
        fitted, table = max(asked, key=lambda pair: pair[0].score(pair[1]))
        return fitted.burdens(table)

    def value(self, state: State) -> float:
        """Return the risk, 0..100."""
        return state[1]

    def _backwards(self, masked: Table) -> list[Incremental[Any]]:
        """Return the measures with the masked file in the original's place."""
        return [cast(Incremental[Any], measure.fit(masked)) for measure in self._measures]

    def _judged(self, states: Sequence[Any], masked: Table) -> State:
        forwards = [fitted.value(state) for fitted, state in zip(self._forwards, states, strict=True)]
        backwards = [fitted.score(self._original) for fitted in self._backwards(masked)]
        return tuple(states), max(*forwards, *backwards)
