"""What passes the suite of masking methods, and the faults that it finds."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from evosdc.errors import Fault, ParameterError
from evosdc.model import MaskingMethod
from evosdc.table.table import MISSING, Table
from evosdc.testing import MaskingMethodConformance
from tests.testing.findings import findings
from tests.testing.methods import Blur, Coarsen, Shuffle


class TestCoarsen(MaskingMethodConformance):
    deterministic = True

    def method(self):
        return Coarsen(Coarsen.Params())


class TestBlur(MaskingMethodConformance):
    def method(self):
        return Blur(Blur.Params())


class TestShuffle(MaskingMethodConformance):
    keeps_links = False

    def method(self):
        return Shuffle(Shuffle.Params())


class ShufflesRows(Blur):
    def mask(self, table, rng):
        return super().mask(table, rng).take(rng.permutation(len(table)))


class SortsRows(Coarsen):
    def mask(self, table, rng):
        masked = super().mask(table, rng)
        return masked.take(np.lexsort(masked.codes.T))


class ForgetsTheSchema(Coarsen):
    def mask(self, table, rng):
        masked = super().mask(table, rng)
        used = tuple(
            replace(a, categories=a.categories[: max(masked.codes[:, i].max() + 1, 1)])
            for i, a in enumerate(masked.schema.attributes)
        )
        return Table(replace(masked.schema, attributes=used), masked.codes, masked.numbers)


class DropsARecord(Coarsen):
    def mask(self, table, rng):
        return super().mask(table, rng).take(np.arange(1, len(table)))


class LeavesTheDomain(Coarsen):
    def mask(self, table, rng):
        return Table(table.schema, table.codes + 1, table.numbers)


class MasksInPlace(Coarsen):
    def mask(self, table, rng):
        table.codes.flags.writeable = True
        table.codes[table.codes > 0] -= 1
        return table


class UsesGlobalRandom(Coarsen):
    def mask(self, table, rng):
        random.random()
        return super().mask(table, rng)


class UsesEntropy(Blur):
    def mask(self, table, rng):
        return super().mask(table, np.random.default_rng())


class Remembers(Blur):
    calls = 0

    def mask(self, table, rng):
        type(self).calls += 1
        for _ in range(self.calls):
            rng.random()
        return super().mask(table, rng)


class RefusesLate(Coarsen):
    def mask(self, table, rng):
        if len(table) < 2:
            raise ParameterError(Fault("method late", "1 record", "at least 2"))
        return super().mask(table, rng)


class MistakesWeights(Coarsen):
    weighted = True

    def mask_weighted(self, table, weights, rng):
        codes = np.where(table.codes == MISSING, MISSING, table.codes // 4 * 4)
        return Table(table.schema, codes.astype(np.int32), table.numbers)


class ReturnsCodes(Coarsen):
    def mask(self, table, rng):
        return super().mask(table, rng).codes


def found(method: type[MaskingMethod], test: str, **declared: Any) -> str:
    class Suite(MaskingMethodConformance):
        def method(self):
            return method(method.Params())

    for name, value in declared.items():
        setattr(Suite, name, value)
    return findings(Suite, test)[test]


PLACES = "test_records_stay_in_their_places"
SCHEMA = "test_schema_and_records_are_kept"
GENERATOR = "test_the_generator_alone_decides"

FAULTS = [
    (ShufflesRows, PLACES, "record r of the result must be record r of the table"),
    (SortsRows, PLACES, "record r of the result must be record r of the table"),
    (ForgetsTheSchema, SCHEMA, "another schema"),
    (DropsARecord, SCHEMA, "60 records went in, 59 came out"),
    (LeavesTheDomain, "test_values_lie_in_their_domains", "wanted codes"),
    (MasksInPlace, "test_the_table_is_not_changed", "mask changed what was passed to it"),
    (UsesGlobalRandom, GENERATOR, "global state"),
    (UsesEntropy, GENERATOR, "equal generators gave different results"),
    (Remembers, "test_a_method_is_not_worn_by_use", "remembers earlier calls"),
    (RefusesLate, "test_what_does_not_fit_is_told_before_any_work", "must refuse the same tables"),
    (ReturnsCodes, SCHEMA, "mask returned ndarray, wanted Table"),
]


@pytest.mark.parametrize(("method", "test", "message"), FAULTS, ids=lambda value: getattr(value, "__name__", ""))
def test_the_fault_is_found(method: type[MaskingMethod], test: str, message: str) -> None:
    assert message in found(method, test)


def test_a_method_that_mistakes_weights_is_found() -> None:
    message = found(MistakesWeights, "test_weights_of_one_change_nothing", deterministic=True)
    assert "weights that are all 1" in message


def test_a_random_method_that_is_declared_deterministic_is_found() -> None:
    name = "test_another_seed_decides_nothing_where_so_declared"
    assert "the generator decides" in found(Blur, name, deterministic=True)


def test_a_shuffle_that_is_not_declared_is_found() -> None:
    assert "keeps_links = False" in found(Shuffle, PLACES)
