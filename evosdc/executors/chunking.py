"""How many items travel together: enough to make the journey cheap, few enough to keep all workers busy to the end."""

from collections.abc import Sequence
from itertools import accumulate
from math import ceil
from typing import TypeVar

OVERHEAD_SHARE = 0.05
"""Most that sending may cost, as a share of the work sent."""

CHUNKS_PER_WORKER = 4
"""Chunks that each worker gets at least, where there are items enough."""

MAX_BYTES = 4 * 1024 * 1024
"""Greatest size of a chunk on the wire, unless one item alone is larger."""

OVERHEAD = 0.0003
"""Seconds that a chunk costs on the way, unless it has been measured: the dearest of the shipped executors."""

WORTH_SENDING = 0.02
"""Seconds of work in all below which it is done before the workers have heard of it."""

START_SECONDS = 3.0
"""Seconds until workers have been started and have built their problem, about."""

T = TypeVar("T")


def chunk_sizes(
    items: int, workers: int, seconds_per_item: float, overhead: float, bytes_per_item: float = 0.0
) -> tuple[int, ...]:
    """Return how many items each chunk holds.

    Parameters
    ----------
    items : int
        Items to share out, not negative.
    workers : int
        At least 1.
    seconds_per_item : float
        What an item has cost so far, in seconds; 0 if that is not known or not measurable.
    overhead : float
        What sending and receiving a chunk costs, in seconds.
    bytes_per_item : float
        Size of a payload, or of a result where that is larger.

    Returns
    -------
    tuple of int
        Sizes that differ by one at most, larger ones first; their sum is `items`.

    Notes
    -----
    The size is the least at which the overhead is `OVERHEAD_SHARE` of the work or less. When that leaves fewer than
    `CHUNKS_PER_WORKER` chunks a worker, cheap sending goes before even loads, yet every worker gets a chunk. The limit
    of `MAX_BYTES` goes before both.
    """
    if items < 0 or workers < 1:
        raise ValueError(f"{items} items for {workers} workers")
    if items == 0:
        return ()
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
    return (least + 1,) * larger + (least,) * (count - larger)


def chunks_of(
    items: int, seconds_per_item: float, workers: int, bytes_per_item: float = 0.0, overhead: float = OVERHEAD
) -> list[tuple[int, int]]:
    """Return the chunks of `chunk_sizes` as positions: ``(first, one past the last)`` of each, in order."""
    ends = list(accumulate(chunk_sizes(items, workers, seconds_per_item, overhead, bytes_per_item)))
    return list(zip([0, *ends], ends, strict=False))


def split(items: Sequence[T], sizes: Sequence[int]) -> list[tuple[T, ...]]:
    """Cut items into consecutive chunks of the given sizes.

    Raises
    ------
    ValueError
        The sizes do not add up to the number of items.
    """
    if sum(sizes) != len(items):
        raise ValueError(f"chunks for {sum(sizes)} items, but there are {len(items)}")
    chunks = []
    begin = 0
    for size in sizes:
        chunks.append(tuple(items[begin : begin + size]))
        begin += size
    return chunks


def worth_sending(total_seconds: float) -> bool:
    """Whether this much work in all is worth sending to workers rather than doing it here and now."""
    return total_seconds >= WORTH_SENDING


def worth_starting(total_seconds: float, workers: int) -> bool:
    """Whether workers save more of this much work in all than the time that it takes to start them."""
    return total_seconds * (1.0 - 1.0 / workers) > START_SECONDS
