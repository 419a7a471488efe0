"""The operator `frozen-operator`."""

import numpy as np


def flipped(genome: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a genome with one cell flipped."""
    changed = genome.copy()
    cell = tuple(rng.integers(genome.shape))
    changed[cell] = ~changed[cell]
    changed.flags.writeable = False
    return changed
