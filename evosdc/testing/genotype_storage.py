"""Genotype suite: keys, dumps and descriptions stand for the whole genome."""

# ruff: noqa: D102 -- the name of a test says what it asserts

import json
from itertools import pairwise
from typing import Any

import numpy as np

from evosdc.model import Local
from evosdc.testing.acceptance import on_every_table
from evosdc.testing.genomes import assert_genome, neighbours, same_dump, through_npz
from evosdc.testing.genotype_subject import GenotypeSubject
from evosdc.testing.purity import generator


class StorageTests(GenotypeSubject):
    """Tests of keys, checks, dumps and descriptions."""

    @on_every_table
    def test_check_accepts_what_the_genotype_makes(self, table_name: str) -> None:
        genotype = self.made(table_name)
        for _, genome in self.genomes(genotype):
            genotype.check(genome)

    @on_every_table
    def test_keys_are_equal_just_where_dumps_are(self, table_name: str) -> None:
        genotype = self.made(table_name)
        pool = [genome for _, genome in self.genomes(genotype)]
        keys, dumps = [genotype.key(g) for g in pool], [genotype.dump(g) for g in pool]
        for key in keys:
            assert isinstance(key, bytes), f"key returned {type(key).__name__}, wanted bytes"
            assert len(key) >= 16, f"key returned {len(key)} bytes, wanted at least 16"
        for i in range(len(pool)):
            for j in range(i):
                self._assert_told_apart((keys[i], dumps[i]), (keys[j], dumps[j]))

    @on_every_table
    def test_keys_see_every_gene(self, table_name: str) -> None:
        genotype = self.made(table_name)
        genome = genotype.random(generator(8))
        dump = genotype.dump(genome)
        for other in neighbours(dump, generator(9)):
            try:
                changed = genotype.load(other)
                genotype.check(changed)
            except Exception:  # The altered dump is no genome of this genotype: nothing to tell apart.
                continue
            self._assert_told_apart((genotype.key(genome), dump), (genotype.key(changed), genotype.dump(changed)))

    def _assert_told_apart(self, a: tuple[bytes, Any], b: tuple[bytes, Any]) -> None:
        if same_dump(a[1], b[1]):
            assert a[0] == b[0], (
                "two genomes have equal dumps and different keys: a part is not dumped, or not canonical"
            )
        else:
            assert a[0] != b[0], "two genomes have different dumps and equal keys: the key ignores a part of the genome"

    @on_every_table
    def test_dumps_go_through_npz(self, table_name: str) -> None:
        genotype = self.made(table_name)
        for maker, genome in self.genomes(genotype):
            loaded = genotype.load(through_npz(genotype.dump(genome)))
            assert_genome(loaded, "load")
            genotype.check(loaded)
            assert genotype.key(loaded) == genotype.key(genome), f"dump and load change a genome made by {maker}"
            assert self.decoded(genotype, loaded).same_records(self.decoded(genotype, genome)), "dump loses something"

    @on_every_table
    def test_blocks_are_those_of_the_dump(self, table_name: str) -> None:
        genotype = self.made(table_name)
        if not isinstance(genotype, Local):
            return
        pool = [genome for _, genome in self.genomes(genotype)]
        for genome in pool:
            blocks, dump = genotype.blocks(genome), genotype.dump(genome)
            assert not blocks or blocks.keys() == dump.keys(), "blocks leaves out an array of the dump"
            for name, own in blocks.items():
                assert len(own.marks) == len(own.blocks), "blocks has another number of marks than of blocks"
                assert same_dump({name: np.concatenate(own.blocks)}, {name: dump[name]}), "blocks are not the dump"
        for a, b in pairwise(genotype.blocks(genome) for genome in pool):
            for name in a.keys() & b.keys():
                equal = [np.array_equal(*both) for both in zip(a[name].blocks, b[name].blocks, strict=True)]
                assert (a[name].marks == b[name].marks).tolist() == equal, "marks do not tell blocks apart"

    @on_every_table
    def test_descriptions_are_json_without_records(self, table_name: str) -> None:
        genotype = self.made(table_name)
        for _, genome in self.genomes(genotype, count=2):
            json.dumps(genotype.describe(genome), allow_nan=False)
        n = len(genotype.microdata.table)
        if table_name == "many-records":
            described = json.loads(json.dumps(genotype.describe(genotype.random(generator(16)))))
            assert n not in _lengths(described), "the description lists something for every record; show totals"


def _lengths(value: object) -> set[int]:
    """Return the lengths of all lists and objects in a JSON value."""
    if isinstance(value, dict):
        return {len(value)}.union(*map(_lengths, value.values()))
    if isinstance(value, list):
        return {len(value)}.union(*map(_lengths, value))
    return set()
