"""A Parquet file as a row of blocks, each read by itself: its row groups, in order; two such files side by side."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evosdc.errors import DataError, Fault, did_you_mean
from evosdc.printing import printable

BATCH = 1 << 19  # rows that are held at a time


@dataclass(frozen=True)
class Block:
    """A row group of a Parquet file, and some of its columns."""

    path: str
    group: int  # of the file, from 0
    first: int  # position of its first row in the file
    rows: int
    names: tuple[str, ...]  # columns that are read, in this order
    coded: tuple[str, ...] | None = None  # those whose texts are read as dictionaries; None: all

    def batches(self) -> Iterator[tuple[int, Any]]:
        """Yield the position of the first row and the rows of each part, an Arrow table of the chosen columns."""
        import pyarrow as pa

        position = self.first
        try:
            with opened(Path(self.path), self.names if self.coded is None else self.coded) as file:
                read = file.iter_batches(BATCH, [self.group], list(self.names), use_threads=False)
                for batch in read:
                    yield position, pa.Table.from_batches([batch]).select(list(self.names))
                    position += batch.num_rows
        except (pa.ArrowException, OSError) as error:
            raise _damaged(Path(self.path), error) from None


def blocks_of(path: Path, names: Sequence[str] | None = None) -> tuple[Block, ...]:
    """Return the blocks of a Parquet file in the order of its rows, with some of its columns or all."""
    import pyarrow as pa

    with opened(path) as file:
        metadata, known = file.metadata, file.schema_arrow.names
        chosen = tuple(dict.fromkeys(known if names is None else names))
        faults = [
            Fault(printable(str(path)), f"no column {name!r}", "columns of the file", did_you_mean(name, known))
            for name in chosen
            if name not in known
        ]
        faults += [
            Fault(printable(f"{path}, {name}"), "values such as lists", "texts, numbers or dates")
            for name in chosen
            if name in known and pa.types.is_nested(file.schema_arrow.field(name).type)
        ]
        if not chosen:
            faults.append(Fault(printable(str(path)), "no column", "at least one column"))
        if metadata.num_rows == 0:
            faults.append(Fault(printable(str(path)), "a Parquet file without records", "at least one record"))
        if faults:
            raise DataError(faults)
        sizes = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
    blocks, first = [], 0
    for group, rows in enumerate(sizes):
        blocks.append(Block(str(path.absolute()), group, first, rows, chosen))
        first += rows
    return tuple(block for block in blocks if block.rows)


def opened(path: Path, texts: Sequence[str] = ()) -> Any:
    """Return a Parquet file that is open for reading, a context manager."""
    # texts: columns whose dictionaries are kept as the file has them, where they hold texts.
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(path, read_dictionary=list(texts), memory_map=False)
    except FileNotFoundError:
        raise DataError(Fault(printable(str(path)), "no such file", "a Parquet file that exists")) from None
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path, error) from None


def _damaged(path: Path, error: Exception) -> DataError:
    advice = "Write it as Parquet, for example by pandas: frame.to_parquet('data.parquet')."
    given = f"no Parquet file, or a damaged one ({printable(str(error).splitlines()[0])})"
    return DataError(Fault(printable(str(path)), given, "a whole Parquet file", advice))


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
