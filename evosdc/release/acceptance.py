"""What share of the people may be found in a file that is published: the bound of verdicts."""

from collections.abc import Sequence

from evosdc.model.constraint import Constraint
from evosdc.plugins.registry import Registry

ACCEPTED = 9.0
"""Per cent of people expected to be found from which a file is not for everybody: the threshold of 0.09 that the
European Medicines Agency (policy 0070, 2016) and Health Canada (2019) set for public release."""


def bound_of(required: Sequence[str], measure: str, registry: Registry) -> tuple[float, str]:
    """Return the share of people that may be found, in per cent, and the requirement that sets it.

    A requirement sets it that bounds, over all attributes, the measure that states the share, or that of an intruder
    who knows how the file was masked; of several the strictest. No other one says what is acceptable, `dr` neither:
    it mixes what several measures say.
    """
    sets = {measure, *registry.defaults("measure", "intruder")}
    found = [(constraint, str(constraint)) for constraint in map(Constraint.parse, required)]
    bounds = [
        (constraint.bound, text)
        for constraint, text in found
        if constraint.name in sets and constraint.operator == "<=" and not (constraint.attribute or constraint.params)
    ]
    return min(bounds, default=(ACCEPTED, ""))


def strictest_bound(required: Sequence[str], registry: Registry) -> float:
    """Return the least `bound_of` whichever intruder turns out to find most, which a search does not know before.

    A requirement below 0, which nothing fulfils, is refused by itself.
    """
    least = min(bound_of(required, measure, registry)[0] for measure in ("", *registry.defaults("measure", "identity")))
    return max(least, 0.0)


def two_way_of(registry: Registry) -> str:
    """Return the measure of an informed intruder in both directions; empty where none is offered."""
    return next(iter(registry.defaults("measure", "two-way")), "")
