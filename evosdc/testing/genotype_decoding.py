"""Genotype suite: decoded tables fit the file, and their changes are told."""

# ruff: noqa: D102 -- the name of a test says what it asserts

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from evosdc.errors import PluginError
from evosdc.model import Genotype
from evosdc.table.table import Table
from evosdc.testing.acceptance import on_every_table
from evosdc.testing.genotype_subject import GenotypeSubject, protected
from evosdc.testing.purity import generator


class DecodingTests(GenotypeSubject):
    """Tests of decoded tables, changed rows and seeding."""

    @on_every_table
    def test_decoded_tables_fit_the_file(self, table_name: str) -> None:
        genotype = self.made(table_name)
        assert genotype.draws >= 1, f"draws is {genotype.draws}, wanted at least 1"
        for _, genome in self.genomes(genotype):
            for draw in range(min(genotype.draws, 3)):
                self._assert_fits(genotype, self.decoded(genotype, genome, draw))

    def _assert_fits(self, genotype: Genotype[Any], table: Table) -> None:
        original = genotype.microdata.original
        assert isinstance(table, Table), f"decode returned {type(table).__name__}, wanted Table"
        assert len(table) == len(original), f"decode returned {len(table)} records, wanted {len(original)}"
        assert table.schema.names == original.schema.names, "decode returned other attributes than the protected ones"
        for found, wanted in zip(table.schema.attributes, original.schema.attributes, strict=True):
            same_scale = found.scale == wanted.scale or not wanted.categorical  # generalised numbers become labels
            extended = found.categories[: len(wanted.categories)] == wanted.categories and same_scale
            assert found == wanted or (self.extends_domains and extended), f"decode changed the attribute {wanted.name}"
        table.verify()

    @on_every_table
    def test_decoding_that_is_called_deterministic_draws_nothing(self, table_name: str) -> None:
        genotype = self.made(table_name)
        for _, genome in self.genomes(genotype):
            rng = generator(12)
            before = rng.bit_generator.state
            genotype.decode(genome, rng)
            drawn = rng.bit_generator.state != before
            assert not (genotype.deterministic and drawn), "deterministic is True, but decode drew random numbers"

    @on_every_table
    def test_check_refuses_what_cannot_be_decoded(self, table_name: str) -> None:
        genotype = self.made(table_name)
        dump = genotype.dump(genotype.random(generator(10)))
        for name, array in dump.items():
            if array.dtype.kind not in "iuf" or not array.size:
                continue
            absurd = array.copy().reshape(-1)
            absurd[-1] = np.nan if array.dtype.kind == "f" else np.iinfo(array.dtype).max
            try:
                genome = genotype.load({**dump, name: absurd.reshape(array.shape)})
            except Exception:  # Refused even earlier.
                continue
            try:
                genotype.check(genome)
            except PluginError:
                continue
            except Exception as error:
                pytest.fail(f"check raised {type(error).__name__}, wanted PluginError: {error}")
            self._assert_fits(genotype, self.decoded(genotype, genome))

    @on_every_table
    def test_initial_genomes_are_named_and_always_the_same(self, table_name: str) -> None:
        genotype, twin = self.made(table_name), self.made(table_name)
        listed = genotype.initial()
        labels = [masking.label for masking, _ in listed]
        assert len(set(labels)) == len(labels), "initial gives two genomes the same label"
        keys = [[made.key(genome) for _, genome in made.initial()] for made in (genotype, twin)]
        assert keys[0] == keys[1], "initial gives other genomes when asked again"

    @on_every_table
    def test_transitions_say_what_decode_draws(self, table_name: str) -> None:
        genotype = self.made(table_name)
        original = genotype.microdata.original
        for _, genome in self.genomes(genotype, count=2):
            transitions = genotype.transitions(genome)
            if transitions is None:
                return
            assert len(transitions) == len(original.schema), "transitions has not one matrix an attribute"
            decoded = self.decoded(genotype, genome)
            for v, (attribute, matrix) in enumerate(zip(original.schema.categorical, transitions, strict=True)):
                size = len(attribute.categories)
                assert matrix.shape == (size, size), f"the matrix of {attribute.name} has shape {matrix.shape}"
                assert ((matrix >= 0.0) & (matrix <= 1.0 + 1e-12)).all(), "a transition probability is outside 0..1"
                assert np.allclose(matrix.sum(axis=1), 1.0, rtol=0.0, atol=1e-12), (
                    "a row of transitions does not sum to 1"
                )
                before, after = original.codes[:, v], decoded.codes[:, v]
                present = before >= 0
                assert ((after >= 0) == present).all(), "a missing value became a category, or a category missing"
                assert (matrix[before[present], after[present]] > 0.0).all(), "decode drew what has probability 0"

    @on_every_table
    def test_changed_rows_miss_no_change(self, table_name: str) -> None:
        genotype = self.made(table_name)
        a, b = (genotype.random(generator(12, i)) for i in range(2))
        relatives = [(a, a), (a, b), *((a, child) for child in genotype.crossover(a, b, generator(13)))]
        for i in range(5):
            relatives.append((a, genotype.mutate(a, generator(14, i))))
        for parent, child in relatives:
            rows = genotype.changed_rows(parent, child)
            if rows is None:
                continue
            assert rows.dtype == np.intp, f"changed_rows returned {rows.dtype}, wanted intp"
            assert rows.ndim == 1, f"changed_rows returned {rows.ndim} dimensions, wanted 1"
            assert np.unique(rows).size == rows.size, "changed_rows returned a record twice"
            for draw in range(min(genotype.draws, 3)):
                before, after = self.decoded(genotype, parent, draw), self.decoded(genotype, child, draw)
                assert _different_rows(before, after) <= set(rows.tolist()), "changed_rows forgets records that differ"

    @on_every_table
    def test_seeded_genomes_stand_for_their_files(self, table_name: str) -> None:
        genotype = self.made(table_name)
        for masked in protected(genotype.microdata.original) if genotype.seedable else []:
            genome = genotype.seeded(masked)
            genotype.check(genome)
            if self.exact_seeding:
                assert self.decoded(genotype, genome).same_records(masked), "seeded(masked) does not decode to masked"


def _different_rows(a: Table, b: Table) -> set[int]:
    codes = (a.codes != b.codes).any(axis=1)
    numbers = ((a.numbers != b.numbers) & ~(np.isnan(a.numbers) & np.isnan(b.numbers))).any(axis=1)
    return set(np.flatnonzero(codes | numbers).tolist())
