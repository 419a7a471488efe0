"""Many small changes of one small file of categories at once, in compiled code.

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


class Batches:
    """Changes of files like an original.

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
        weighed = through is not None
        plan = np.array([kinds, repeats, [one and weighed for one in costly]], dtype=np.int64)
        sums = through if through is not None else np.empty(0)
        changed = _copies(genes, len(kinds))
        _move(changed, plan, sums, self._original, self._values, self._partners, words)
        set_back(rng, words)
        return _apart(changed)


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
    free = values.free
    cells = files.shape[1] * len(free)
    for child in range(len(files)):
        file = files[child]
        chosen = np.empty(min(max(poisson(words, scale), 1), cells), np.int64)
        if len(chosen) == 1:
            chosen[0] = np.int64(unit(words) * cells)
        else:
            distinct(words, cells, chosen)
        for locus in chosen:
            _vary(file, locus // len(free), free[locus % len(free)], values, words)


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
    free, records = values.free, files.shape[1]
    for child in range(len(files)):
        file, kind = files[child], plan[0, child]
        for _ in range(plan[1, child]):
            if plan[2, child]:
                drawn = np.searchsorted(through, through[records - 1] * unit(words), "right")
                row = min(drawn, records - 1)
            else:
                row = np.int64(unit(words) * records)
            if kind == _EXCHANGE and _exchanged(file, row, free, partners, original, words):
                continue
            if kind == _RESTORATION and _restored(file, row, original, words):
                continue
            if kind == _ADOPTION and _adopted(file, row, words):
                continue
            _vary(file, row, free[below(words, len(free))], values, words)


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
) -> bool:
    """Swap what a record and another one of the same original value publish; return whether one was found."""
    order, first, count = partners
    attribute = free[np.int64(unit(words) * len(free))]
    begin, size = first[attribute, row], count[attribute, row]
    if size < 2:
        return False
    published = file[row, attribute]
    for _ in range(ATTEMPTS):
        other = order[attribute, begin + np.int64(unit(words) * size)]
        if file[other, attribute] != published:
            file[row, attribute] = file[other, attribute]
            file[other, attribute] = published
            return True
    return False
