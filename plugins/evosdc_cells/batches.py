"""Many small changes of one file at once, in compiled code.

Each is a move that `evosdc_cells.record_moves` makes, drawn from the same numbers: that remains what defines it, and
does what is not done here, such as normal steps of numbers and moves of classes.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc_cells.compiled_moves import move, move_in_turn
from evosdc_cells.compiled_rules import no_rules
from evosdc_cells.compiled_values import Values
from evosdc_cells.domain import CellDomain
from evosdc_cells.edit_rules import GeneRules
from evosdc_cells.exchange import Partners
from evosdc_cells.file_blocks import FileBlocks
from evosdc_cells.files import File
from evosdc_cells.pcg64 import set_back, words_of
from evosdc_cells.sparse import Sparse

MOST_REACH = 2**32 - 2
"""From this range on numpy draws whole numbers in another way."""


Made = NDArray[Any] | Sparse


class Batches:
    """Changes of files like an original.

    Small files are copied for each child. Of large ones it is told what children change (`Sparse`): all are made in one
    copy, one after the other, from which each is taken back.

    Parameters
    ----------
    original : ndarray of int, shape (n, V)
        Categories, and then numbers as whole ones, which are mutated in Gray code.
    domain : CellDomain
        At least one attribute is free to change, and ranges are below `MOST_REACH`.
    rules : GeneRules, optional
        In force for every record.
    """

    def __init__(self, original: NDArray[Any], domain: CellDomain, rules: GeneRules | None) -> None:
        self._original = original
        coding = domain.coding
        self._values = Values(domain.free, domain.sizes, domain.categories, coding.reach, coding.missing)
        self._rules = rules.compiled if rules is not None else no_rules()
        self._drafted: _Drafted | None = None

    @cached_property
    def _partners(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        return Partners(self._original).ranks()

    def moved(
        self,
        genes: File,
        kinds: Sequence[int],
        repeats: Sequence[int],
        costly: Sequence[bool],
        through: NDArray[np.float64] | None,
        rng: np.random.Generator,
    ) -> Made | None:
        """Return copies with a move each; None where the generator is no usual one.

        Of a small file as an array, shape (k, n, V), of a large one as what they change.

        Parameters
        ----------
        genes : ndarray or FileBlocks
        kinds : sequence of int
            Positions in `KINDS`, one at least.
        repeats : sequence of int
            How many records are changed so.
        costly, through
            As in `evosdc.model.Local.moved`.
        rng : Generator
        """
        words = words_of(rng)
        if words is None or not kinds:
            return None
        plan, sums = _plan(kinds, repeats, costly, through)
        if isinstance(genes, FileBlocks):
            made = move_in_turn(
                *self._draft(genes), plan, sums, self._original, self._values, self._rules, self._partners, words
            )
            set_back(rng, words)
            return self._sparse(*made)
        changed = _copies(genes, len(kinds))
        move(changed, plan, sums, self._original, self._values, self._rules, self._partners, words)
        set_back(rng, words)
        return changed

    def _sparse(self, ends: NDArray[np.int64], rows: NDArray[np.int64], records: NDArray[Any]) -> Sparse:
        """Return what children of the file that was drafted last change."""
        assert self._drafted is not None
        return Sparse(ends, rows, self._drafted.whole[rows], records)

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


def _plan(
    kinds: Sequence[int], repeats: Sequence[int], costly: Sequence[bool], through: NDArray[np.float64] | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return kind, repeats and whether records are drawn by what they cost of each child, and the sums of that."""
    weighed = through is not None
    plan = np.array([kinds, repeats, [one and weighed for one in costly]], dtype=np.int64)
    return plan, through if through is not None else np.empty(0)
