"""Arrays of large genomes in blocks that relatives share."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class Blocks(Protocol):
    """An array in blocks along its first axis, all of one length but for the last, which may be shorter."""

    @property
    def blocks(self) -> tuple[NDArray[Any], ...]:
        """The blocks, none empty, never changed."""

    @property
    def marks(self) -> NDArray[np.uint64]:
        """A hash of each block, shape (k,): of blocks at one place equal just where the blocks are."""

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the whole array."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the entries."""
