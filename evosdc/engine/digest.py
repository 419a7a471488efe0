"""The digest by which two runs are compared."""

from collections.abc import Iterable
from hashlib import sha256

import numpy as np

from evosdc.model import Individual


def digest_of(population: Iterable[Individual]) -> str:
    """Return a SHA-256 over the genomes' keys, objectives and scores, slot by slot, as hexadecimal text."""
    hashed = sha256()
    for individual in population:
        hashed.update(individual.key)
        hashed.update(np.array(individual.objectives, dtype="<f8").tobytes())
        hashed.update(np.array([individual.scores[name] for name in sorted(individual.scores)], dtype="<f8").tobytes())
    return hashed.hexdigest()
