"""What passes the operator suite, and the faults that it finds."""

from __future__ import annotations

import random

import numpy as np
import pytest
from deap import tools

from evosdc.testing import OperatorConformance
from tests.testing.findings import findings
from tests.testing.genotypes import locked


def copied(genome, rng):
    changed = genome.copy()
    changed[rng.integers(len(changed))] = genome[rng.integers(len(genome))]
    return locked(changed)


def crossed(a, b, rng):
    swap = rng.random(a.shape) < 0.5
    return locked(np.where(swap, b, a)), locked(np.where(swap, a, b))


class TestCopied(OperatorConformance):
    def operator(self):
        return copied


class TestCrossed(OperatorConformance):
    varies = "mate"

    def operator(self):
        return crossed


class TestOfDeap(OperatorConformance):
    varies = "mate"

    def operator(self):
        return tools.cxTwoPoint


class TestMutationOfDeap(OperatorConformance):
    def operator(self):
        return lambda genes: tools.mutShuffleIndexes(genes, 0.3)


class TestSelection(OperatorConformance):
    varies = "select"

    def operator(self):
        return lambda individuals, k: tools.selTournament(individuals, k, tournsize=3)


del OperatorConformance


def in_place(genome, rng):
    genome.flags.writeable = True
    genome[0] = genome[-1] + 1
    return locked(genome)


def writable(genome, rng):
    return copied(genome, rng).copy()


def shorter(genome, rng):
    return locked(genome[1:].copy())


def unseeded(genome, rng):
    return copied(genome, np.random.default_rng())


def drawing(genome, rng):
    random.random()
    return copied(genome, rng)


def one_child(a, b, rng):
    return (crossed(a, b, rng)[0],)


def longer(genes):
    return ([*genes, 1],)


def few(individuals, k):
    return individuals[: k - 1]


SHAPE, ALONE = "test_it_returns_what_its_name_promises", "test_the_generator_alone_decides"

FAULTS = [
    (in_place, "mutate", "test_genomes_are_left_as_they_are", "changed what was passed to it"),
    (writable, "mutate", SHAPE, "read-only"),
    (shorter, "mutate", SHAPE, "a genome of shape"),
    (longer, "mutate", SHAPE, "25 genes came of 24"),
    (one_child, "mate", SHAPE, "1 genomes came of 2"),
    (few, "select", SHAPE, "4 individuals were selected where 5 were wanted"),
    (unseeded, "mutate", ALONE, "equal generators gave different results"),
    (drawing, "mutate", ALONE, "global state"),
]


@pytest.mark.parametrize(
    ("function", "varied", "test", "message"), FAULTS, ids=lambda value: getattr(value, "__name__", "")
)
def test_the_fault_is_found(function, varied, test, message):
    from evosdc.testing import OperatorConformance

    class Suite(OperatorConformance):
        varies = varied

        def operator(self):
            return function

    assert message in findings(Suite, test)[test]
