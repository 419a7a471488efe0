"""In which order designs of methods are tried where the budget may be over before each of them had its turn."""

from collections.abc import Mapping, Sequence

from evosdc.tuning.arm import Arm


def in_order_of_promise(arms: Sequence[Arm], promise: Mapping[str, int]) -> list[Arm]:
    """Return arms in an order in which every method has its turn early, what promises most before all others.

    First one design of each method that does not take long, then those that take long and are worth it, then further
    designs, and at last what else takes long. Within these, promise decides, then the order of the arms.

    Parameters
    ----------
    arms : sequence of Arm
    promise : mapping of str to int
        By method, as `evosdc.model.MaskingMethod.promise`; 0 where it is not named.
    """
    seen: dict[str, int] = {}
    keyed = []
    for place, arm in enumerate(arms):
        method = arm.steps[0].method
        number = seen[method] = seen.get(method, -1) + 1
        own = promise.get(method, 0)
        turn = (1 if own else 3) if arm.dear else (0 if number == 0 else 2)
        keyed.append((turn, number, -own, place))
    return [arms[place] for *_, place in sorted(keyed)]
