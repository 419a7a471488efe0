"""Genotype suite: decoded tables fit the file."""

# ruff: noqa: D102 -- the name of a test says what it asserts

from typing import Any

import numpy as np
import pytest

from evosdc.errors import InputError, PluginError
from evosdc.model import Generalising, Genotype, Randomised
from evosdc.secret import state_of
from evosdc.table.schema import Scale
from evosdc.table.table import Table
from evosdc.testing.acceptance import accepted, on_every_table
from evosdc.testing.genotype_subject import GenotypeSubject, draws_of
from evosdc.testing.interpretation import interpreted
from evosdc.testing.purity import fingerprint, generator
from evosdc.testing.tables import sample_microdata


class DecodingTests(GenotypeSubject):
    """Tests of decoded tables."""

    @on_every_table
    def test_decoded_tables_fit_the_file(self, table_name: str) -> None:
        genotype = self.made(table_name)
        for _, genome in self.genomes(genotype):
            for draw in range(min(draws_of(genotype), 3)):
                self._assert_fits(genotype, self.decoded(genotype, genome, draw))

    @pytest.mark.parametrize("scale", Scale)
    def test_a_file_of_one_scale_is_decoded_or_refused_with_a_reason(self, scale: Scale) -> None:
        try:
            genotype = self.genotype(sample_microdata("ordinary", {scale}))
        except InputError:
            return
        for seed in range(2):
            self._assert_fits(genotype, genotype.decode(genotype.random(generator(seed)), generator(4)))

    def _assert_fits(self, genotype: Genotype[Any], table: Table) -> None:
        original = genotype.microdata.original
        assert isinstance(table, Table), f"decode returned {type(table).__name__}, wanted Table"
        assert len(table) == len(original), f"decode returned {len(table)} records, wanted {len(original)}"
        assert table.schema.names == original.schema.names, "decode returned other attributes than the protected ones"
        for found, wanted in zip(table.schema.attributes, original.schema.attributes, strict=True):
            same_scale = found.scale == wanted.scale or not wanted.categorical  # generalised numbers become labels
            extended = found.categories[: len(wanted.categories)] == wanted.categories and same_scale
            may_extend = isinstance(genotype, Generalising)
            assert found == wanted or (may_extend and extended), f"decode changed the attribute {wanted.name}"
        table.verify()

    @on_every_table
    def test_kernels_stay_within_their_arrays(self, table_name: str) -> None:
        if table_name not in self.interpreted:
            pytest.skip("small tables are enough")
        microdata = self.microdata(table_name)
        genotype = accepted(table_name, lambda: self.genotype(microdata))
        first, second = genotype.random(generator(0)), genotype.random(generator(1))
        compiled = self._varied(genotype, first, second)
        with interpreted():
            again = self._varied(self.genotype(microdata), first, second)
        assert fingerprint(again) == fingerprint(compiled), "compiled, kernels give other tables"

    def _varied(self, genotype: Genotype[Any], first: Any, second: Any) -> list[Table]:
        genomes = [genotype.mutate(first, generator(2)), *genotype.crossover(first, second, generator(3))]
        return [genotype.decode(genome, generator(4)) for genome in (first, *genomes)]

    @on_every_table
    def test_decoding_that_is_not_randomised_draws_nothing(self, table_name: str) -> None:
        genotype = self.made(table_name)
        for _, genome in [] if isinstance(genotype, Randomised) else self.genomes(genotype):
            rng = generator(12)
            before = state_of(rng)
            genotype.decode(genome, rng)
            assert state_of(rng) == before, "decode drew random numbers, but the genotype is not Randomised"

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
