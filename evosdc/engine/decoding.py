"""From genomes to tables: how many, with which random numbers; and scores that need no table."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from evosdc.errors import EvaluationError, PluginError, asked
from evosdc.model import Direct, Expected, Fitted, Genotype, Stochastic, matrices_of
from evosdc.secret import Streams, spawned, state_of
from evosdc.table.table import Table


def direct_scores(
    genotype: Genotype[Any], measures: Mapping[str, Fitted]
) -> Mapping[str, Callable[[Any], float]] | None:
    """Return by measure what scores a genome without its table; None unless all measures can be scored so."""
    if not isinstance(genotype, Direct):
        return None
    scores = {name: genotype.direct(fitted) for name, fitted in measures.items()}
    direct = {name: score for name, score in scores.items() if score is not None}
    return direct if len(direct) == len(measures) else None


def expectations(genotype: Genotype[Any], measures: Mapping[str, Fitted], genome: Any) -> dict[str, float]:
    """Return the expected score of each measure for a post-randomisation genome, without draws."""
    drawing = matrices_of(genotype)
    if drawing is None:
        raise EvaluationError("a genotype that is judged by expectations has no transition matrices")
    transitions, found = drawing.transitions(genome), {}
    for name, fitted in measures.items():
        if not isinstance(fitted, Expected):
            raise EvaluationError(f"measure {name} has no expectation under transition matrices")
        found[name] = asked(f"measure {name}", fitted.expected, transitions)
    return found


class Draws:
    """Properties of the tables that a genotype decodes from its genomes."""

    genotype: Genotype[Any]

    @property
    def draws(self) -> int:
        """How many tables are judged for one evaluation."""
        return self.genotype.draws if isinstance(self.genotype, Stochastic) else 1

    def draws_of(self, genome: Any) -> int:
        """How many tables are judged for the evaluation of a genome."""
        return self.genotype.draws_of(genome) if isinstance(self.genotype, Stochastic) else 1

    def _provisional(self, genome: Any) -> bool:
        return self.draws_of(genome) < self.draws

    @property
    def fresh_draws(self) -> int:
        """How many further tables the winner is judged on; 0 where decoding is not random."""
        return self.genotype.fresh_draws if isinstance(self.genotype, Stochastic) else 0

    @property
    def expected(self) -> bool:
        """Whether genomes are judged by expectations, over all tables that they may be decoded to."""
        return isinstance(self.genotype, Stochastic) and self.genotype.expected

    @property
    def single(self) -> bool:
        """Whether the scores of a genome are those of the one table that it is published as."""
        return self.draws == 1 and self.fresh_draws == 0 and not self.expected

    @property
    def common_random_numbers(self) -> bool:
        """Whether all genomes are decoded with the same random numbers, or with none."""
        return not isinstance(self.genotype, Stochastic) or self.genotype.common_random_numbers


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
        """Return the masked table that a genome stands for in one draw, repaired unless stated otherwise."""
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
