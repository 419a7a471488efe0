from __future__ import annotations

import pytest

from evosdc.model import MaskingMethod
from evosdc.table.schema import Schema
from evosdc.table.table import Table
from evosdc.testing import MaskingMethodConformance
from evosdc_masking.post_randomisation.pram import Pram
from tests.plugins.masking.tables import build


class TestTwoStage(MaskingMethodConformance):
    def method(self) -> MaskingMethod:
        return build(Pram, design="two-stage", alpha=0.5)


class TestUnchanged(MaskingMethodConformance):
    def method(self) -> MaskingMethod:
        return build(Pram, design="two-stage", p=0.5, unchanged=0.8)


class TestPreference(MaskingMethodConformance):
    def method(self) -> MaskingMethod:
        return build(Pram, design="preference")


class TestCrossed(MaskingMethodConformance):
    """Every table's first two attributes as one, where it has two."""

    def table(self, table_name: str) -> Table:
        table = super().table(table_name)
        if len(table.schema) == 1:
            pytest.skip("a single attribute cannot be crossed")
        names = {attribute.name: f"c{j}" for j, attribute in enumerate(table.schema.attributes)}
        return Table(_renamed(table.schema, names), table.codes, table.numbers)

    def method(self) -> MaskingMethod:
        return build(Pram, design="two-stage", crossed=[["c0", "c1"]])


def _renamed(schema: Schema, names: dict[str, str]) -> Schema:
    from dataclasses import replace

    return replace(schema, attributes=tuple(replace(a, name=names[a.name]) for a in schema.attributes))
