"""Conformance of operators of variation and selection."""

# ruff: noqa: D102 -- the name of a test says what it asserts

from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any, ClassVar

import numpy as np

from evosdc.secret import lent
from evosdc.testing.counting import candidates
from evosdc.testing.purity import arrays_in, assert_repeatable, generator, unchanged

_CHOSEN = 5


class OperatorConformance:
    """Tests that every operator must pass; subclass it and say which function it is.

    A function with an argument ``rng`` is pure: ``mutate(genome, rng)`` returns a genome, ``mate(a, b, rng)`` two. Any
    other is an operator as DEAP has them: ``mutate(genes)`` changes a list of genes and returns it in a tuple,
    ``mate(a, b)`` two of them, ``select(individuals, k)`` returns k individuals; it draws from Python's `random`.
    For one that takes the search's ``toolbox``, return a `functools.partial` that has it.

    Examples
    --------
    >>> class TestBlur(OperatorConformance):
    ...     varies = "mutate"
    ...
    ...     def operator(self):
    ...         return blur
    """

    varies: ClassVar[str] = "mutate"
    """Under which name an experiment takes it: ``"mutate"``, ``"mate"`` or ``"select"``."""

    def operator(self) -> Callable[..., Any]:
        """Return the function to test."""
        raise NotImplementedError("define operator(self) and return the function to test")

    def genome(self, rng: np.random.Generator) -> Any:
        """Return a genome: by default whole numbers, shape (8, 3); override it for an operator of one genotype."""
        genes = rng.integers(0, 10, (8, 3))
        genes.flags.writeable = False
        return genes

    def genomes(self) -> list[Any]:
        """Return as many genomes as the operator is given."""
        return [self.genome(generator(41, place)) for place in range(2 if self.varies == "mate" else 1)]

    @property
    def pure(self) -> bool:
        """Whether it has an argument ``rng``."""
        return "rng" in signature(self.operator()).parameters

    def varied(self, genomes: Sequence[Any], rng: np.random.Generator) -> Sequence[Any]:
        """Return the genomes that the operator makes, or the individuals that it selects."""
        function = self.operator()
        if self.varies == "select":
            with lent(rng):
                return list(function(candidates(12, 1), _CHOSEN))
        if self.pure:
            made = function(*genomes, rng)
            return (made,) if self.varies == "mutate" else tuple(made)
        with lent(rng):
            return tuple(function(*(np.asarray(genome).ravel().tolist() for genome in genomes)))

    def test_it_returns_what_its_name_promises(self) -> None:
        genomes = self.genomes()
        made = self.varied(genomes, generator(42))
        if self.varies == "select":
            known = {individual.key for individual in candidates(12, 1)}
            assert len(made) == _CHOSEN, f"{len(made)} individuals were selected where {_CHOSEN} were wanted"
            assert {individual.key for individual in made} <= known, "selected what was not there"
            return
        assert len(made) == len(genomes), f"{len(made)} genomes came of {len(genomes)}"
        for genome, child in zip(genomes, made, strict=True):
            if self.pure:
                shapes = [[array.shape for array in arrays_in(one)] for one in (genome, child)]
                assert shapes[0] == shapes[1], f"a genome of shape {shapes[1]} came of {shapes[0]}"
                assert not any(array.flags.writeable for array in arrays_in(child)), "genomes are to be read-only"
            else:
                assert len(child) == np.asarray(genome).size, f"{len(child)} genes came of {np.asarray(genome).size}"

    def test_the_generator_alone_decides(self) -> None:
        def keys(rng: np.random.Generator) -> Any:
            made = self.varied(self.genomes(), rng)
            return [individual.key for individual in made] if self.varies == "select" else list(made)

        for seed in range(43, 46):
            assert_repeatable(keys, seed, "the operator")

    def test_genomes_are_left_as_they_are(self) -> None:
        if self.pure:
            genomes = self.genomes()
            with unchanged("the operator", *genomes):
                for seed in range(5):
                    self.varied(genomes, generator(46, seed))
