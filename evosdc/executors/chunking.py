"""How many items travel together: enough to make the journey cheap, few enough to keep all workers busy to the end."""

from itertools import accumulate
from math import ceil

OVERHEAD_SHARE = 0.05  # most that sending may cost, as a share of the work sent
CHUNKS_PER_WORKER = 4  # chunks that each worker gets at least, where there are items enough
MAX_BYTES = 4 * 1024 * 1024  # greatest size of a chunk on the wire, unless one item alone is larger
OVERHEAD = 0.0003  # seconds that a chunk costs on the way: the dearest of the shipped executors
WORTH_SENDING = 0.02  # seconds of work in all below which it is done before the workers have heard of it
START_SECONDS = 3.0  # seconds until workers have been started and have built their problem, about


def chunks_of(
    items: int, seconds_per_item: float, workers: int, bytes_per_item: float = 0.0, overhead: float = OVERHEAD
) -> list[tuple[int, int]]:
    """Return chunks of items as positions, ``(first, one past the last)`` of each: sizes differ by one at most."""
    if items < 0 or workers < 1:
        raise ValueError(f"{items} items for {workers} workers")
    if items == 0:
        return []
    if seconds_per_item > 0.0:
        # The quotient of two measured times may be anything, infinity included.
        size = max(1, ceil(min(float(items), overhead / OVERHEAD_SHARE / seconds_per_item)))
    else:
        size = max(1, items // (CHUNKS_PER_WORKER * workers))
    count = max(ceil(items / size), min(items, workers))
    if bytes_per_item > 0.0:
        light = max(1, int(min(float(items), MAX_BYTES / bytes_per_item)))
        count = max(count, ceil(items / light))
    least, larger = divmod(items, count)
    ends = list(accumulate((least + 1,) * larger + (least,) * (count - larger)))
    return list(zip([0, *ends], ends, strict=False))


def worth_sending(total_seconds: float) -> bool:
    """Whether this much work in all is worth sending to workers rather than doing it here and now."""
    return total_seconds >= WORTH_SENDING


def worth_starting(total_seconds: float, workers: int) -> bool:
    """Whether workers save more of this much work in all than the time that it takes to start them."""
    return total_seconds * (1.0 - 1.0 / workers) > START_SECONDS
