"""What the genotype suite works on: the genotype, its file, and genomes of every origin."""

from collections.abc import Collection, Set
from itertools import pairwise
from typing import Any, ClassVar, Literal

from evosdc.model import Genotype, Microdata, Randomised, Seedable, SelfStarting
from evosdc.secret import Streams
from evosdc.table.schema import Scale
from evosdc.table.table import Table
from evosdc.testing.acceptance import accepted
from evosdc.testing.purity import generator
from evosdc.testing.tables import INTERPRETED, SHAPES, edited, sample_microdata, shuffled

_STREAMS = Streams(seed=11)


class GenotypeSubject:
    """The genotype under test; see `evosdc.testing.GenotypeConformance`."""

    scales: ClassVar[Set[Scale]] = frozenset(Scale)
    """Scales of attributes that the genotype can protect, as in the spec."""

    conserves: ClassVar[Literal["nothing", "alleles", "genes"]] = "nothing"
    """What crossover conserves at each position of the dumped arrays.

    ``"genes"``: the two children have, between them, the two parents' values; ``"alleles"``: each child has the value
    of one of the parents; ``"nothing"``: no such promise.
    """

    exact_seeding: ClassVar[bool] = True
    """Whether the genome of a protected file decodes to that very file (where the genotype is `Seedable`)."""

    tables: ClassVar[Collection[str]] = tuple(SHAPES)
    """Names of the tables of `evosdc.testing.tables` to test on; fewer for what takes long on each."""

    interpreted: ClassVar[Collection[str]] = INTERPRETED
    """Names of the tables on which kernels are run uncompiled; fewer where that takes long."""

    _genotypes: ClassVar[dict[str, Genotype[Any]]] = {}
    _genomes: ClassVar[dict[tuple[int, int], list[tuple[str, Any]]]] = {}

    def genotype(self, microdata: Microdata) -> Genotype[Any]:
        """Return the genotype to test."""
        raise NotImplementedError("define genotype(self, microdata) and return the genotype to test")

    def microdata(self, table_name: str) -> Microdata:
        """Return a file to protect; override to attach hierarchies or to choose other data."""
        return sample_microdata(table_name, self.scales)

    def __init_subclass__(cls) -> None:
        """Give each suite a store of its own."""
        super().__init_subclass__()
        cls._genotypes = {}
        cls._genomes = {}

    def made(self, table_name: str) -> Genotype[Any]:
        """Return the genotype on a named table, one for all tests of a class; skips where it refuses an unusual one."""
        if table_name not in self._genotypes:
            microdata = self.microdata(table_name)
            genotype = accepted(table_name, lambda: self.genotype(microdata))
            named = type(genotype).__name__
            assert isinstance(genotype, Genotype), f"{named} is not a subclass of evosdc.model.Genotype"
            self._genotypes[table_name] = genotype
        return self._genotypes[table_name]

    def genomes(self, genotype: Genotype[Any], count: int = 4) -> list[tuple[str, Any]]:
        """Return genomes with the name of what made them: random, initial, seeded, mutated and crossed ones.

        They are made once for a genotype of `made`: genomes are values, as the suite asserts.
        """
        kept = any(genotype is other for other in self._genotypes.values())
        key = id(genotype), count
        if not kept or key not in self._genomes:
            made = self._new_genomes(genotype, count)
            if not kept:
                return made
            self._genomes[key] = made
        return list(self._genomes[key])

    def _new_genomes(self, genotype: Genotype[Any], count: int) -> list[tuple[str, Any]]:
        made = [("random", genotype.random(generator(0, i))) for i in range(count)]
        if isinstance(genotype, SelfStarting):
            made += [("initial", genome) for _, genome in genotype.initial_genomes()[:count]]
        if isinstance(genotype, Seedable):
            made += [("seeded", genotype.seeded(masked)) for masked in protected(genotype.microdata.original)]
        parents = [genome for _, genome in made]
        for i, (a, b) in enumerate(pairwise(parents)):
            made += [("crossover", child) for child in genotype.crossover(a, b, generator(1, i))]
        for i, (_, genome) in enumerate(list(made)):
            made.append(("mutate", genotype.mutate(genome, generator(2, i))))
        return made

    def decoded(self, genotype: Genotype[Any], genome: Any, draw: int = 0) -> Table:
        """Return the table of a genome in one draw, decoded with the stream that the engine would pass."""
        common = not isinstance(genotype, Randomised) or genotype.common_random_numbers
        return genotype.decode(genome, _STREAMS.evaluate(draw, None if common else genotype.key(genome)))


def draws_of(genotype: Genotype[Any]) -> int:
    """Return how many tables are decoded for one evaluation."""
    return genotype.draws if isinstance(genotype, Randomised) else 1


def protected(original: Table) -> list[Table]:
    """Return protected versions of a file, values in its domains, the file itself first."""
    return [original, edited(original, generator(20), 0.3)[0], shuffled(original, generator(21))]
