"""Many small changes of one file of categories at once, in compiled code.

Each is the change that `evosdc_cells.cells.Cells.mutate` or `Cells.move` makes, drawn from the same numbers: these
remain what defines it, and do what is not done here, such as numbers, rules and moves of classes.
"""

from collections.abc import Sequence
from functools import cached_property
from math import exp
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.kernel import inner_kernel, kernel
from evosdc.table.table import MISSING
from evosdc_cells.domain import CellDomain
from evosdc_cells.exchange import ATTEMPTS, Partners
from evosdc_cells.file_blocks import FileBlocks
from evosdc_cells.pcg64 import Words, below, distinct, poisson, set_back, unit, words_of

MOST_MEAN = 10.0
"""From this mean on numpy draws Poisson numbers in another way."""

KINDS = ("value", "restoration", "adoption", "exchange")
_VALUE, _RESTORATION, _ADOPTION, _EXCHANGE = range(4)


class Values(NamedTuple):
    """Which values cells may take.

    Parameters
    ----------
    free : ndarray of int64
        Attributes that can change.
    sizes, present : ndarray of int64, shape (V,)
        Valid values of each attribute, and those that are not missing.
    """

    free: NDArray[np.int64]
    sizes: NDArray[np.int64]
    present: NDArray[np.int64]


class Sparse(NamedTuple):
    """What several children of one file change.

    Parameters
    ----------
    ends : ndarray of int64, shape (k,)
        Where each one's records end among those below.
    rows : ndarray of int64, shape (m,)
        Positions of the changed records, each once a child, ascending.
    records : ndarray of int, shape (m, V)
        These records in the children.
    """

    ends: NDArray[np.int64]
    rows: NDArray[np.int64]
    records: NDArray[Any]


class Batches:
    """Changes of files like an original.

    Small files are copied for each child. Of large ones it is told what children change (`Sparse`): all are made in one
    copy, one after the other, from which each is taken back.

    Parameters
    ----------
    original : ndarray of int, shape (n, V)
        Categories alone.
    domain : CellDomain
        At least one attribute is free to change.
    """

    def __init__(self, original: NDArray[Any], domain: CellDomain) -> None:
        self._original = original
        self._values = Values(domain.free, domain.sizes, domain.categories)
        self._drafted: _Drafted | None = None

    @cached_property
    def _partners(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        return Partners(self._original).ranks()

    def mutants(self, genes: NDArray[Any], count: int, mean: float, rng: np.random.Generator) -> Sequence[Any] | None:
        """Return copies with ``max(1, Poisson(mean))`` cells changed; None where the generator is no usual one."""
        words = words_of(rng)
        if words is None or not 0.0 < mean < MOST_MEAN:
            return None
        changed = _copies(genes, count)
        _mutate(changed, self._values, exp(-mean), words)
        set_back(rng, words)
        return _apart(changed)

    def moved(
        self,
        genes: NDArray[Any],
        kinds: Sequence[int],
        repeats: Sequence[int],
        costly: Sequence[bool],
        through: NDArray[np.float64] | None,
        rng: np.random.Generator,
    ) -> Sequence[Any] | None:
        """Return copies with a move each; None where the generator is no usual one.

        Parameters
        ----------
        genes : ndarray
        kinds : sequence of int
            Positions in `KINDS`.
        repeats : sequence of int
            How many records are changed so.
        costly, through
            As in `evosdc.model.Movable.moved`.
        rng : Generator
        """
        words = words_of(rng)
        if words is None:
            return None
        changed, (plan, sums) = _copies(genes, len(kinds)), _plan(kinds, repeats, costly, through)
        _move(changed, plan, sums, self._original, self._values, self._partners, words)
        set_back(rng, words)
        return _apart(changed)

    def large_mutants(self, genes: FileBlocks, count: int, mean: float, rng: np.random.Generator) -> Sparse | None:
        """Return what `mutants` change in a large file."""
        words = words_of(rng)
        if words is None or not 0.0 < mean < MOST_MEAN:
            return None
        found = Sparse(*_mutate_in_turn(*self._draft(genes), count, self._values, exp(-mean), words))
        set_back(rng, words)
        return found

    def large_moved(
        self,
        genes: FileBlocks,
        kinds: Sequence[int],
        repeats: Sequence[int],
        costly: Sequence[bool],
        through: NDArray[np.float64] | None,
        rng: np.random.Generator,
    ) -> Sparse | None:
        """Return what files that have `moved` change in a large file."""
        words = words_of(rng)
        if words is None:
            return None
        plan, sums = _plan(kinds, repeats, costly, through)
        found = Sparse(
            *_move_in_turn(*self._draft(genes), plan, sums, self._original, self._values, self._partners, words)
        )
        set_back(rng, words)
        return found

    def records(self, genes: FileBlocks, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return some records of a large file, in one step of the file that was changed last."""
        drafted = self._drafted
        return drafted.whole[rows] if drafted is not None and drafted.file.key == genes.key else genes.records(rows)

    def _draft(self, genes: FileBlocks) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return a large file as one array, and a copy for kernels, who leave it as it was; kept for the next call."""
        # Whoever is interrupted on the way leaves none.
        drafted, self._drafted = self._drafted, None
        if drafted is None or len(genes.blocks) != len(drafted.file.blocks):
            whole = np.concatenate(genes.blocks)
            drafted = _Drafted(genes, whole, whole.copy())
        size = len(genes.blocks[0])
        for place in genes.differing(drafted.file):
            block = genes.blocks[place]
            for array in drafted[1:]:
                array[place * size : place * size + len(block)] = block
        self._drafted = drafted._replace(file=genes)
        whole = drafted.whole.view()
        whole.flags.writeable = False
        return whole, drafted.draft


class _Drafted(NamedTuple):
    """A large file as one array, and a copy of that in which children are made."""

    file: FileBlocks
    whole: NDArray[Any]
    draft: NDArray[Any]


def _copies(genes: NDArray[Any], count: int) -> NDArray[Any]:
    copies = np.empty((count, *genes.shape), genes.dtype)
    copies[:] = genes
    return copies


def _apart(changed: NDArray[Any]) -> list[Any]:
    """Return the files of a batch, each by itself: one that stays must not keep all others in memory."""
    files = [file.copy() for file in changed]
    for file in files:
        file.setflags(write=False)
    return files


def _plan(
    kinds: Sequence[int], repeats: Sequence[int], costly: Sequence[bool], through: NDArray[np.float64] | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return kind, repeats and whether records are drawn by what they cost of each child, and the sums of that."""
    weighed = through is not None
    plan = np.array([kinds, repeats, [one and weighed for one in costly]], dtype=np.int64)
    return plan, through if through is not None else np.empty(0)


@inner_kernel
def _vary(file: NDArray[Any], row: Any, attribute: Any, values: Values, words: Words) -> None:
    """Give one cell another value, each with the same probability."""
    code, absent = file[row, attribute], values.present[attribute]
    before = absent if code == MISSING else code
    drawn = np.int64(unit(words) * (values.sizes[attribute] - 1))
    if drawn >= before:
        drawn += 1
    file[row, attribute] = MISSING if drawn == absent else drawn


@kernel
def _mutate(files: NDArray[Any], values: Values, scale: float, words: Words) -> None:
    cells = files.shape[1] * len(values.free)
    for child in range(len(files)):
        loci = np.empty(min(max(poisson(words, scale), 1), cells), np.int64)
        _mutated(files[child], values, words, loci)


@inner_kernel
def _mutated(file: NDArray[Any], values: Values, words: Words, loci: NDArray[np.int64]) -> None:
    """Give as many cells other values as there is room for; their loci are told."""
    free = values.free
    cells = len(file) * len(free)
    if len(loci) == 1:
        loci[0] = np.int64(unit(words) * cells)
    else:
        distinct(words, cells, loci)
    for locus in loci:
        _vary(file, locus // len(free), free[locus % len(free)], values, words)


@kernel
def _mutate_in_turn(
    parent: NDArray[Any], file: NDArray[Any], count: int, values: Values, scale: float, words: Words
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
    """Return what children change, as of `Sparse`; `file`, a copy of their parent, is left as it was."""
    ends, rows, found = np.empty(count, np.int64), np.empty(2 * count, np.int64), 0
    records, cells = np.empty((2 * count, file.shape[1]), file.dtype), len(file) * len(values.free)
    for child in range(count):
        loci = np.empty(min(max(poisson(words, scale), 1), cells), np.int64)
        _mutated(file, values, words, loci)
        touched = loci // len(values.free)
        touched.sort()
        if found + len(touched) > len(rows):
            more = len(rows) + len(touched)
            rows = np.concatenate((rows, np.empty(more, np.int64)))
            records = np.concatenate((records, np.empty((more, file.shape[1]), file.dtype)))
        found = _taken_back(parent, file, touched, rows, records, found)
        ends[child] = found
    return ends, rows[:found].copy(), records[:found].copy()


@inner_kernel
def _taken_back(
    parent: NDArray[Any],
    file: NDArray[Any],
    touched: NDArray[np.int64],
    rows: NDArray[np.int64],
    records: NDArray[Any],
    found: int,
) -> int:
    """Note touched records, which are sorted, where they differ from the parent's; take them back, return the count."""
    for row in touched:
        differs = False  # a record that was touched twice is as before the second time
        for column in range(file.shape[1]):
            differs |= file[row, column] != parent[row, column]
        if differs:
            rows[found] = row
            for column in range(file.shape[1]):
                records[found, column] = file[row, column]
                file[row, column] = parent[row, column]
            found += 1
    return found


@kernel
def _move(
    files: NDArray[Any],
    plan: NDArray[np.int64],
    through: NDArray[np.float64],
    original: NDArray[Any],
    values: Values,
    partners: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    words: Words,
) -> None:
    for child in range(len(files)):
        for _ in range(plan[1, child]):
            _moved(files[child], plan[0, child], plan[2, child], through, original, values, partners, words)


@kernel
def _move_in_turn(
    parent: NDArray[Any],
    file: NDArray[Any],
    plan: NDArray[np.int64],
    through: NDArray[np.float64],
    original: NDArray[Any],
    values: Values,
    partners: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    words: Words,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
    """Return what children change, as of `Sparse`; `file`, a copy of their parent, is left as it was."""
    most, found = 2 * plan[1].sum(), 0
    ends, rows = np.empty(plan.shape[1], np.int64), np.empty(most, np.int64)
    records, touched = np.empty((most, file.shape[1]), file.dtype), np.empty(2 * plan[1].max(), np.int64)
    for child in range(len(ends)):
        count = 0
        for _ in range(plan[1, child]):
            row, other = _moved(file, plan[0, child], plan[2, child], through, original, values, partners, words)
            touched[count], touched[count + 1] = row, other
            count += 2
        touched[:count].sort()
        found = _taken_back(parent, file, touched[:count], rows, records, found)
        ends[child] = found
    return ends, rows[:found].copy(), records[:found].copy()


@inner_kernel
def _moved(
    file: NDArray[Any],
    kind: int,
    weighed: int,
    through: NDArray[np.float64],
    original: NDArray[Any],
    values: Values,
    partners: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    words: Words,
) -> tuple[int, int]:
    """Change a record; return it and the one that was changed with it, itself where there is none."""
    free, records = values.free, len(file)
    if weighed:
        row = min(np.searchsorted(through, through[records - 1] * unit(words), "right"), records - 1)
    else:
        row = np.int64(unit(words) * records)
    if kind == _EXCHANGE:
        other = _exchanged(file, row, free, partners, original, words)
        if other != row:
            return row, other
    if kind == _RESTORATION and _restored(file, row, original, words):
        return row, row
    if kind == _ADOPTION and _adopted(file, row, words):
        return row, row
    _vary(file, row, free[below(words, len(free))], values, words)
    return row, row


@inner_kernel
def _restored(file: NDArray[Any], row: int, original: NDArray[Any], words: Words) -> bool:
    """Put one changed cell of a record back; return whether there was any."""
    width, differing = file.shape[1], 0
    for column in range(width):
        differing += file[row, column] != original[row, column]
    if not differing:
        return False
    left = below(words, differing)
    for column in range(width):
        if file[row, column] != original[row, column]:
            if left == 0:
                file[row, column] = original[row, column]
                break
            left -= 1
    return True


@inner_kernel
def _adopted(file: NDArray[Any], row: int, words: Words) -> bool:
    """Make a record as another one is; return whether it was not yet."""
    other, differs = below(words, len(file)), False
    for column in range(file.shape[1]):
        if file[row, column] != file[other, column]:
            differs = True
            file[row, column] = file[other, column]
    return differs


@inner_kernel
def _exchanged(
    file: NDArray[Any],
    row: int,
    free: NDArray[np.int64],
    partners: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    original: NDArray[Any],
    words: Words,
) -> int:
    """Swap what a record and another one of the same original value publish; return that one, or itself for none."""
    order, first, count = partners
    attribute = free[np.int64(unit(words) * len(free))]
    begin, size = first[attribute, row], count[attribute, row]
    if size < 2:
        return row
    published = file[row, attribute]
    for _ in range(ATTEMPTS):
        other: int = order[attribute, begin + np.int64(unit(words) * size)]
        if file[other, attribute] != published:
            file[row, attribute] = file[other, attribute]
            file[other, attribute] = published
            return other
    return row
