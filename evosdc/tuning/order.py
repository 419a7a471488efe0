"""In which order designs of methods are tried where the budget may be over before each of them had its turn."""

from collections.abc import Sequence

from evosdc.tuning.arm import Arm

PROMISING = (
    "rank-swapping",
    "table-swapping",
    "clustered",
    "pram",
    "mdav",
    "mondrian",
    "ipso",
    "liew",
    "projected-microaggregation",
    "k-member",
    "global-median",
    "correlated-noise",
    "noise",
    "global-recoding",
)
"""Methods that go first: those that led, at the middle of their ranges, files of categories, of numbers and of both."""


def in_order_of_promise(arms: Sequence[Arm]) -> list[Arm]:
    """Return arms in an order in which every method has its turn early, what promises most before all others.

    First one design of each method that does not take long, then those that take long and are worth it, then further
    designs, and at last what else takes long. Within these, promise decides, then the order of the arms.
    """
    places = {name: place for place, name in enumerate(PROMISING)}
    seen: dict[str, int] = {}
    keyed = []
    for place, arm in enumerate(arms):
        method = arm.steps[0].method
        number = seen[method] = seen.get(method, -1) + 1
        promise = places.get(method, len(places))
        turn = (1 if method in places else 3) if arm.dear else (0 if number == 0 else 2)
        keyed.append((turn, number, promise, place))
    return [arms[place] for *_, place in sorted(keyed)]
