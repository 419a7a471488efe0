"""Two Parquet files with the same records in the same order, read side by side."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evosdc.errors import DataError, Fault
from evosdc.printing import printable
from evosdc_large.blocks import Block, blocks_of


@dataclass(frozen=True)
class Pair:
    """A block of an original, and the blocks of the masked file that have its records."""

    original: Block
    masked: tuple[Block, ...]

    def rows(self) -> Iterator[tuple[Any, Any]]:
        """Yield records of both files, Arrow tables of equal length."""
        stop = self.original.first + self.original.rows
        others = _between(self.masked, self.original.first, stop)
        other = next(others)
        for _, rows in self.original.batches():
            start = 0
            while start < rows.num_rows:
                if other.num_rows == 0:
                    other = next(others)
                size = min(rows.num_rows - start, other.num_rows)
                yield rows.slice(start, size), other.slice(0, size)
                start, other = start + size, other.slice(size)


def pairs_of(original: Path, masked: Path, names: Sequence[str] | None = None) -> tuple[Pair, ...]:
    """Return the blocks of two files, by the blocks of the original; by default with the columns that both have."""
    if names is None:
        there = blocks_of(masked)[0].names
        names = [name for name in blocks_of(original)[0].names if name in there]
    before, after = blocks_of(original, names), blocks_of(masked, names)
    sizes = [sum(block.rows for block in blocks) for blocks in (before, after)]
    if sizes[0] != sizes[1]:
        given, wanted = f"{sizes[1]:,} records", f"{sizes[0]:,}, as {printable(str(original))} has"
        raise DataError(Fault(printable(str(masked)), given, wanted, "Compare files with the same records in order."))
    return tuple(
        Pair(block, tuple(o for o in after if o.first < block.first + block.rows and block.first < o.first + o.rows))
        for block in before
    )


def _between(blocks: Sequence[Block], start: int, stop: int) -> Iterator[Any]:
    """Yield the rows of some blocks at positions from start on and before stop."""
    for block in blocks:
        for first, rows in block.batches():
            low, high = max(start - first, 0), min(stop - first, rows.num_rows)
            if low < high:
                yield rows.slice(low, high - low)
