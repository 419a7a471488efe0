"""In how many cells two files differ."""

from typing import Any

from numpy.typing import NDArray

from evosdc.kernel import kernel


@kernel
def differing_cells(a: NDArray[Any], b: NDArray[Any]) -> int:
    """Return the number of cells in which two files, shape (n, V), differ."""
    x, y = a.reshape(a.size), b.reshape(b.size)
    found = 0
    for cell in range(len(x)):
        found += x[cell] != y[cell]
    return found
