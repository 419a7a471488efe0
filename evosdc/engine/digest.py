"""The digest by which two runs are compared."""

from collections.abc import Iterable
from hashlib import sha256

from evosdc.model import Individual


def digest_of(population: Iterable[Individual]) -> str:
    """Return a SHA-256 over the keys of the genomes, slot by slot, as hexadecimal text."""
    # Scores follow from the genomes. They are left out since a tracker and a score from scratch may differ by rounding,
    # and which of them judged a genome depends on the executor.
    hashed = sha256()
    for individual in population:
        hashed.update(individual.key)
    return hashed.hexdigest()
