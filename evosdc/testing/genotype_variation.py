"""Genotype suite: operators are pure, and the passed generator alone decides what they make."""

# ruff: noqa: D102 -- the name of a test says what it asserts

from evosdc.testing.acceptance import on_every_table
from evosdc.testing.genomes import assert_genome, lost_genes
from evosdc.testing.genotype_subject import GenotypeSubject
from evosdc.testing.purity import assert_repeatable, fingerprint, generator, unchanged


class VariationTests(GenotypeSubject):
    """Tests of random genomes, crossover, mutation and distance."""

    @on_every_table
    def test_genomes_are_read_only_values(self, table_name: str) -> None:
        genotype = self.made(table_name)
        assert_genome(genotype.random(generator(0)), "random")
        for maker, genome in self.genomes(genotype):
            assert_genome(genome, maker)

    @on_every_table
    def test_operators_change_neither_genomes_nor_microdata(self, table_name: str) -> None:
        genotype = self.made(table_name)
        a, b = (genotype.random(generator(3, i)) for i in range(2))
        table = genotype.microdata.table
        with unchanged("random", table):
            genotype.random(generator(4))
        with unchanged("crossover", a, b, table):
            genotype.crossover(a, b, generator(4))
        with unchanged("mutate", a, table):
            genotype.mutate(a, generator(4))
        with unchanged("decode", a, table):
            self.decoded(genotype, a)
        with unchanged("key, check, dump, describe or distance", a, b, table):
            genotype.key(a)
            genotype.check(a)
            genotype.dump(a)
            genotype.describe(a)
            genotype.distance(a, b)

    @on_every_table
    def test_earlier_genomes_survive_later_operations(self, table_name: str) -> None:
        genotype = self.made(table_name)
        held = [(maker, genome, fingerprint(genome)) for maker, genome in self.genomes(genotype)]
        tables = [self.decoded(genotype, genome) for _, genome, _ in held]
        prints = [fingerprint(table) for table in tables]
        for _, genome in self.genomes(genotype, count=6):
            self.decoded(genotype, genome)
        for maker, genome, before in held:
            assert fingerprint(genome) == before, f"a genome made by {maker} shares memory with something that changed"
        assert [fingerprint(table) for table in tables] == prints, "a decoded table was changed by later operations"

    @on_every_table
    def test_the_generator_alone_decides(self, table_name: str) -> None:
        genotype = self.made(table_name)
        a, b = (genotype.random(generator(6, i)) for i in range(2))
        assert_repeatable(genotype.random, 1, "random")
        assert_repeatable(lambda rng: genotype.crossover(a, b, rng), 2, "crossover")
        assert_repeatable(lambda rng: genotype.mutate(a, rng), 3, "mutate")
        assert_repeatable(lambda rng: genotype.decode(a, rng), 4, "decode")
        twin = self.genotype(genotype.microdata)
        assert twin.key(a) == genotype.key(a), "two genotypes of one file give one genome different keys"
        assert self.decoded(twin, a).same_records(self.decoded(genotype, a)), (
            "two genotypes of one file decode differently"
        )

    @on_every_table
    def test_crossover_loses_no_genes_that_it_promises_to_keep(self, table_name: str) -> None:
        genotype = self.made(table_name)
        for i in range(10):
            a, b = genotype.random(generator(7, i, 0)), genotype.random(generator(7, i, 1))
            c, d = genotype.crossover(a, b, generator(7, i, 2))
            fault = lost_genes(
                (genotype.dump(a), genotype.dump(b)), (genotype.dump(c), genotype.dump(d)), self.conserves
            )
            assert not fault, fault

    @on_every_table
    def test_distances_are_symmetric(self, table_name: str) -> None:
        genotype = self.made(table_name)
        a, b = (genotype.random(generator(15, i)) for i in range(2))
        assert genotype.distance(a, a) == 0.0, "a genome has a distance from itself"
        assert genotype.distance(a, b) == genotype.distance(b, a) >= 0.0, "distance is not symmetric, or negative"
