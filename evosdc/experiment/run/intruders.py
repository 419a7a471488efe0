"""How many people an informed intruder finds in a run's file, and in members of its front."""

from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Any

from evosdc.assess.intruder import Found, bound_of, found_by_intruder, strictest_bound
from evosdc.errors import InputError
from evosdc.experiment.assembly import Assembly
from evosdc.model import Individual
from evosdc.model.constraint import without_publishable
from evosdc.table.exact_values import known_of
from evosdc.table.table import Table

WITHIN = "the member of the front that loses least of those in which an informed intruder finds no more than is allowed"
"""What a file is that is published in place of the best one, since a verdict is required."""


def found_in(
    assembly: Assembly,
    original: Table,
    masked: Table,
    identity: Mapping[str, Any] | None,
    scored: Mapping[str, float] | None = None,
) -> Found | None:
    """Return what the informed intruder finds; None where no measure of identity can read the file.

    Parameters
    ----------
    assembly : Assembly
    original : Table
        All attributes of the records that are published.
    masked : Table
        Their protected attributes.
    identity : mapping or None
        What the result says of the unprotected original, where it does.
    scored : mapping of str to float, optional
        What the problem's measures say of this masked file of all records, where that is known.
    """
    if masked.schema != assembly.microdata.original.schema:
        return None
    registry, measures, protect = assembly.registry, assembly.experiment.measures, assembly.microdata.protect
    params = {m.name: m.params for m in measures.all} if measures is not None else {}
    # What the search was judged by is not fitted again where it judges all that the intruder knows.
    judged = known_of(original, protect) == protect
    whole = [m.name for m in measures.all if not m.of] if measures is not None and judged else []
    fitted = {name: assembly.problem.measures[name] for name in whole}
    scores = (identity or {}).get("scores", {})
    unprotected = {name: scores[name] for name in fitted if name in scores}
    try:
        return found_by_intruder(original, masked, protect, registry, params, fitted, unprotected, scored)
    except InputError:
        return None


def member_for_verdict(
    assembly: Assembly, front: Sequence[Individual], best: Individual, seconds: float | None
) -> int | None:
    """Return the member of the front to publish where a verdict is required that the best file would not get.

    None where none is required and the search has no bound, where the best file is within the bound, and where
    `safer_member` finds none.
    """
    texts, verdict = without_publishable(assembly.experiment.constraints)
    began = monotonic()
    found = _found_of(assembly, best) if verdict or assembly.experiment.goal is not None else None
    accepted = assembly.experiment.accepted
    if found is None or found.percent <= bound_of(texts, found.measure, assembly.registry, accepted)[0]:
        return None
    cost = monotonic() - began
    left = None if seconds is None else seconds - cost
    return safer_member(assembly, front, strictest_bound(texts, assembly.registry, accepted), left, cost)


def safer_member(
    assembly: Assembly,
    front: Sequence[Individual],
    bound: float,
    seconds: float | None = None,
    cost: float = 0.0,
) -> int | None:
    """Return the position of a member of a front in which an informed intruder finds at most `bound` per cent.

    Along a front less is found where more is lost, as a rule: by bisection it is about the one that loses least. None
    where there is none, or none was met in the time.

    Parameters
    ----------
    assembly : Assembly
    front : sequence of Individual
        The least loss first.
    bound : float
    seconds : float, optional
        That this may take; without a limit by default.
    cost : float
        Seconds that it takes to ask the intruder about one file.
    """
    places = [place for place, member in enumerate(front) if member.feasible]
    low, high, kept, began = 0, len(places) - 1, None, monotonic()
    while low <= high and (seconds is None or monotonic() - began + cost < seconds):
        middle = (low + high) // 2
        found = _found_of(assembly, front[places[middle]])
        if found is not None and found.percent <= bound:
            kept, high = places[middle], middle - 1
        else:
            low = middle + 1
    return kept


def _found_of(assembly: Assembly, individual: Individual) -> Found | None:
    masked = assembly.problem.decode(individual.genome, individual.key)
    # What is found in the original is not asked for.
    unasked = {"scores": dict.fromkeys(assembly.problem.measures, 0.0)}
    scored = individual.scores if assembly.problem.single else None
    return found_in(assembly, assembly.source.table, masked, unasked, scored)
