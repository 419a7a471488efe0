"""Faults put into a good genotype on purpose; the suite has to find each."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from evosdc.model import Local
from evosdc.table.schema import Attribute, Schema
from evosdc.table.table import Table
from evosdc.testing import GenotypeConformance
from tests.testing.findings import findings
from tests.testing.genotypes import Copies, Levels, Swaps, hashed, locked
from tests.testing.test_genotype_suite import CATEGORICAL


class MutatesInPlace(Copies):
    def random(self, rng):
        return rng.permuted(self.microdata.original.codes, axis=0)

    def mutate(self, g, rng):
        g[0] = g[-1]
        g[:, 0] = 0
        return g


class UsesGlobalRandom(Copies):
    def mutate(self, g, rng):
        changed = g.copy()
        changed[random.randrange(len(g))] = g[random.randrange(len(g))]
        return locked(changed)


class ReadsGlobalRandomAndRestoresIt(Copies):
    def mutate(self, g, rng):
        state = np.random.get_state()
        row = np.random.randint(len(g))
        np.random.set_state(state)
        changed = g.copy()
        changed[0] = g[row]
        return locked(changed)


class UsesEntropy(Copies):
    def random(self, rng):
        return super().random(np.random.default_rng())


class LosesGenes(Copies):
    """The slice swap that is wrong on arrays, since a slice is a view."""

    def crossover(self, a, b, rng):
        c, d = a.copy(), b.copy()
        half = len(c) // 2 + 1
        c[:half], d[:half] = d[:half], c[:half]
        return locked(c), locked(d)


class ForgetsInDump(Levels):
    def dump(self, g):
        return {"widths": g[0]}

    def load(self, d):
        return locked(np.array(d["widths"])), 0


class DumpsObjects(Levels):
    def dump(self, g):
        return {"all": np.array([tuple(g[0].tolist()), g[1]], dtype=object)}

    def load(self, d):
        return locked(np.array(d["all"][0])), int(d["all"][1])


class LeavesDomain(Copies):
    def mutate(self, g, rng):
        changed = g.copy()
        changed[:, 0] += 1
        return locked(changed)


class LeavesDomainUnchecked(LeavesDomain):
    def check(self, g):
        return None


class ReusesItsBuffer(Copies):
    def __init__(self, params, microdata):
        super().__init__(params, microdata)
        self._buffer = microdata.original.codes.copy()

    def mutate(self, g, rng):
        self._buffer[:] = super().mutate(g, rng)
        view = self._buffer[:]
        view.flags.writeable = False
        return view


class ReturnsWritable(Copies):
    def crossover(self, a, b, rng):
        return tuple(np.array(child) for child in super().crossover(a, b, rng))


class KeyIgnoresAPart(Levels):
    def key(self, g):
        return hashed(g[0])


class KeyIgnoresTheLastRecord(Copies):
    def key(self, g):
        return hashed(g[:-1], np.array(g.shape))


class KeyIsTheObject(Copies):
    def key(self, g):
        return id(g).to_bytes(16, "little")


class KeyIsShort(Copies):
    def key(self, g):
        return super().key(g)[:8]


class ForgetsRows(Copies):
    def changed_rows(self, parent, child):
        return super().changed_rows(parent, child)[1:]


class ForgetsRowsOfRandomDecoding(Swaps, Local):
    def changed_rows(self, parent, child):
        return np.arange(0, dtype=np.intp)


class RepeatsRows(Copies):
    def changed_rows(self, parent, child):
        rows = super().changed_rows(parent, child)
        return np.concatenate([rows, rows])


class SeedsSomethingElse(Copies):
    def seeded(self, masked):
        return self.microdata.original.codes


class DecodesTooFew(Copies):
    def decode(self, g, rng):
        return super().decode(g, rng).take(np.arange(len(g) - 1))


class DecodesAnotherSchema(Copies):
    def decode(self, g, rng):
        table = super().decode(g, rng)
        attributes = tuple(Attribute(a.name, a.role, a.scale, (*a.categories, "*")) for a in table.schema.attributes)
        return Table(Schema(attributes), table.codes, table.numbers)


class DescribesRecords(Copies):
    def describe(self, g):
        return {"cells": g.tolist()}


class DescribesArrays(Copies):
    def describe(self, g):
        return {"first": g[0]}


class KeepsListsAsGenome(Copies):
    def random(self, rng):
        return super().random(rng).tolist()


class LopsidedDistance(Copies):
    def distance(self, a, b):
        return float(a[0].sum() - b[0].sum()) + float(a[-1].sum() < b[0].sum())


class IgnoresParameters(Copies):
    class Params:
        pass


class ChecksNothing(Copies):
    def check(self, g):
        return None


class ChecksTooMuch(Copies):
    def check(self, g):
        raise ValueError("no")


def found(genotype: type[Any], test: str) -> str:
    class Suite(GenotypeConformance):
        scales = CATEGORICAL
        conserves = "genes"

        def genotype(self, microdata):
            return genotype(genotype.Params(), microdata)

    return findings(Suite, test)[test]


READ_ONLY = "test_genomes_are_read_only_values"
PURE = "test_operators_change_neither_genomes_nor_microdata"
SURVIVE = "test_earlier_genomes_survive_later_operations"
GENERATOR = "test_the_generator_alone_decides"
GENES = "test_crossover_loses_no_genes_that_it_promises_to_keep"
KEYS = "test_keys_are_equal_just_where_dumps_are"
EVERY_GENE = "test_keys_see_every_gene"
NPZ = "test_dumps_go_through_npz"
ROWS = "test_changed_rows_miss_no_change"
FITS = "test_decoded_tables_fit_the_file"
ACCEPTS = "test_check_accepts_what_the_genotype_makes"
REFUSES = "test_check_refuses_what_cannot_be_decoded"
DESCRIBES = "test_descriptions_are_json_without_records"

FAULTS = [
    (MutatesInPlace, PURE, "mutate changed what was passed to it"),
    (MutatesInPlace, READ_ONLY, "writable array"),
    (UsesGlobalRandom, GENERATOR, "the global state of random or numpy.random was changed"),
    (ReadsGlobalRandomAndRestoresIt, GENERATOR, "mutate: equal generators gave different results"),
    (UsesEntropy, GENERATOR, "random: equal generators gave different results"),
    (LosesGenes, GENES, "crossover lost genes at"),
    (ForgetsInDump, KEYS, "equal dumps and different keys"),
    (ForgetsInDump, NPZ, "dump and load change a genome"),
    (DumpsObjects, NPZ, "array of objects"),
    (LeavesDomain, ACCEPTS, "PluginError"),
    (LeavesDomainUnchecked, FITS, "wanted codes"),
    (ReusesItsBuffer, SURVIVE, "shares memory"),
    (ReturnsWritable, READ_ONLY, "crossover returned a writable array"),
    (KeyIgnoresAPart, KEYS, "the key ignores a part of the genome"),
    (KeyIgnoresTheLastRecord, KEYS, "the key ignores a part of the genome"),
    (KeyIsTheObject, NPZ, "dump and load change a genome"),
    (KeyIsShort, KEYS, "wanted at least 16"),
    (ForgetsRows, ROWS, "forgets records that differ"),
    (RepeatsRows, ROWS, "returned a record twice"),
    (SeedsSomethingElse, "test_seeded_genomes_stand_for_their_files", "does not decode to masked"),
    (DecodesTooFew, FITS, "decode returned 59 records, wanted 60"),
    (DecodesAnotherSchema, FITS, "decode changed the attribute nominal0"),
    (DescribesRecords, DESCRIBES, "lists something for every record"),
    (DescribesArrays, DESCRIBES, "TypeError"),
    (KeepsListsAsGenome, READ_ONLY, "random returned list"),
    (LopsidedDistance, "test_distances_are_symmetric", "not symmetric, or negative"),
    (IgnoresParameters, "test_unknown_parameters_are_refused", "must derive from"),
    (ChecksNothing, REFUSES, "wanted codes"),
    (ChecksTooMuch, ACCEPTS, "ValueError: no"),
    (ChecksTooMuch, REFUSES, "check raised ValueError, wanted PluginError"),
]


@pytest.mark.parametrize(("genotype", "test", "message"), FAULTS, ids=lambda value: getattr(value, "__name__", ""))
def test_the_fault_is_found(genotype: type[Any], test: str, message: str) -> None:
    assert message in found(genotype, test)


def test_rows_forgotten_by_random_decoding_are_found() -> None:
    assert "forgets records that differ" in found(ForgetsRowsOfRandomDecoding, ROWS)


def test_a_key_that_ignores_a_gene_that_variation_never_changes_is_found() -> None:
    class Frozen(KeyIgnoresAPart):
        """Neither its random genomes nor its operators ever differ in the part that the key ignores."""

        def random(self, rng):
            return super().random(rng)[0], 0

        def mutate(self, g, rng):
            return g

    assert "the key ignores a part of the genome" in found(Frozen, EVERY_GENE)


def test_domains_may_be_extended_by_a_genotype_that_generalises() -> None:
    class Suite(GenotypeConformance):
        scales = CATEGORICAL

        def genotype(self, microdata):
            class Extends(DecodesAnotherSchema):
                generalises = True

            return Extends(Extends.Params(), microdata)

    assert FITS not in findings(Suite, FITS)


def test_a_suite_without_a_genotype_says_what_to_define() -> None:
    assert "define genotype(self, microdata)" in findings(GenotypeConformance, FITS)[FITS]


def test_a_genotype_that_refuses_an_ordinary_table_fails() -> None:
    from evosdc.errors import Fault, ParameterError

    class Refuses(Copies):
        def __init__(self, params, microdata):
            raise ParameterError(Fault("genotype", "a table", "another"))

    assert "ParameterError" in found(Refuses, FITS)
