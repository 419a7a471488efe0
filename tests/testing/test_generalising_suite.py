"""The suite of masking methods on methods that publish labels of their own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evosdc.model import MaskingMethod
from evosdc.table.generalisation import interval_label
from evosdc.table.schema import Role, Scale
from evosdc.table.table import MISSING, Table
from evosdc.testing import MaskingMethodConformance
from tests.testing.findings import findings


class Widen(MaskingMethod):
    """Publish pairs of neighbouring categories as intervals; their own names where `named`."""

    supports = frozenset({Scale.ORDINAL})
    named = False

    @property
    def generalises(self) -> bool:
        return True

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        self.require_support(table)
        codes = np.where(table.codes == MISSING, MISSING, table.codes // 2)
        attributes = []
        for attribute in table.schema.attributes:
            names = attribute.categories
            pairs = [names[i : i + 2] for i in range(0, len(names), 2)]
            labels = [f"pair {i}" if self.named else self.label(pair) for i, pair in enumerate(pairs)]
            attributes.append(replace(attribute, scale=Scale.NOMINAL, categories=tuple(labels)))
        return Table(replace(table.schema, attributes=tuple(attributes)), codes.astype(np.int32), table.numbers)

    def label(self, pair: tuple[str, ...]) -> str:
        return interval_label(pair[0], pair[-1])


class Named(Widen):
    named = True


class Lies(Widen):
    def label(self, pair: tuple[str, ...]) -> str:
        return pair[0]


class Shuffles(Widen):
    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        return super().mask(table, rng).take(rng.permutation(len(table)))


class FillsIn(Widen):
    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        masked = super().mask(table, rng)
        return Table(masked.schema, np.maximum(masked.codes, 0), masked.numbers)


class ChangesRoles(Widen):
    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        masked = super().mask(table, rng)
        first = replace(masked.schema.attributes[0], role=Role.OTHER)
        return Table(
            replace(masked.schema, attributes=(first, *masked.schema.attributes[1:])), masked.codes, masked.numbers
        )


class Renames(Widen):
    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        masked = super().mask(table, rng)
        attributes = tuple(replace(a, name=f"{a.name} (pairs)") for a in masked.schema.attributes)
        return Table(replace(masked.schema, attributes=attributes), masked.codes, masked.numbers)


class TestWiden(MaskingMethodConformance):
    deterministic = True

    def method(self):
        return Widen(Widen.Params())


class TestNamed(MaskingMethodConformance):
    deterministic = True

    def method(self):
        return Named(Named.Params())


@pytest.mark.parametrize(
    ("method", "test", "message"),
    [
        (Lies, "test_generalised_labels_cover_the_values", "do not cover what they stand for"),
        (FillsIn, "test_generalised_labels_cover_the_values", "do not cover what they stand for"),
        (Shuffles, "test_records_stay_in_their_places", "record r of the result must be record r of the table"),
        (ChangesRoles, "test_schema_and_records_are_kept", "the roles of ordinal0 are others"),
        (Renames, "test_schema_and_records_are_kept", "other attributes"),
    ],
)
def test_the_fault_is_found(method: type[MaskingMethod], test: str, message: str) -> None:
    class Suite(MaskingMethodConformance):
        def method(self):
            return method(method.Params())

    assert message in findings(Suite, test)[test]
