"""From genomes to tables: with which random numbers, and repaired by which rules."""

from typing import Any

import numpy as np

from evosdc.errors import PluginError
from evosdc.model import Genotype, Stochastic
from evosdc.secret import Streams, spawned, state_of
from evosdc.table.table import Table


class Decoder:
    """Decodes the genomes of a problem: a table depends on the seed, the draw and the genome, and on nothing else."""

    # Where rules of records are in force that the genotype does not keep by itself, decoded tables are repaired.

    def __init__(self, genotype: Genotype[Any], streams: Streams) -> None:
        self._genotype = genotype
        self._streams = streams
        self._idle: np.random.Generator | None = None
        repairs = not genotype.keeps_rules and not genotype.generalises
        self._rules = genotype.microdata.rules if repairs else None
        self._generators: dict[int, tuple[np.random.Generator, Any]] = {}

    def decode(self, genome: Any, key: bytes, draw: int = 0, repaired: bool = True) -> Table:
        """Return the masked table that a genome represents in one draw, repaired unless stated otherwise."""
        masked = self._decoded(genome, key, draw)
        return masked if self._rules is None or not repaired else self._rules.repaired(masked)

    def _decoded(self, genome: Any, key: bytes, draw: int) -> Table:
        genotype = self._genotype
        if isinstance(genotype, Stochastic):
            common = genotype.common_random_numbers
            return genotype.decode(genome, self._shared(draw) if common else self._streams.evaluate(draw, key))
        return self._first(genome) if self._idle is None else genotype.decode(genome, self._idle)

    def _first(self, genome: Any) -> Table:
        self._idle = self._streams.evaluate(0)
        before = state_of(self._idle)
        masked = self._genotype.decode(genome, self._idle)
        if state_of(self._idle) != before:
            name = type(self._genotype).__name__
            raise PluginError(f"genotype {name} draws random numbers in decode, and is not a Stochastic genotype")
        return masked

    def _shared(self, draw: int) -> np.random.Generator:
        """Return the generator that all genomes share in a draw, at its beginning."""
        # Each evaluation requests it. Resetting a generator takes a fraction of the time of making one.
        known = self._generators.get(draw)
        if known is None or spawned(known[0]):  # children stay spawned when the state is set back
            generator = self._streams.evaluate(draw)
            known = self._generators[draw] = (generator, generator.bit_generator.state)
        known[0].bit_generator.state = known[1]
        return known[0]
