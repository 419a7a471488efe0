"""Conformance of masking methods."""

# ruff: noqa: D102 -- the name of a test says what it asserts

from __future__ import annotations

from collections.abc import Set
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from evosdc.data.schema import Scale
from evosdc.data.table import Table
from evosdc.errors import ParameterError
from evosdc.model import MaskingMethod
from evosdc.testing.acceptance import accepted, assert_unknown_keys_refused, on_every_table
from evosdc.testing.purity import assert_repeatable, fingerprint, generator, unchanged
from evosdc.testing.tables import sample_table


class MaskingMethodConformance:
    """Tests that every masking method must pass; subclass it and say how the method is made.

    Examples
    --------
    >>> class TestShuffle(MaskingMethodConformance):
    ...     keeps_links = False
    ...
    ...     def method(self):
    ...         return Shuffle(Shuffle.Params())
    """

    deterministic: ClassVar[bool] = False
    """Declare True when the result does not depend on the generator."""

    keeps_links: ClassVar[bool] = True
    """Declare False when masked records are, on purpose, no more like their own originals than like other ones."""

    scales: ClassVar[Set[Scale] | None] = None
    """Scales of the attributes in the test tables, where parameters narrow what the method supports; None for all."""

    def method(self) -> MaskingMethod:
        """Return the method to test."""
        raise NotImplementedError("define method(self) and return the masking method to test")

    def table(self, table_name: str) -> Table:
        """Return a table to mask; override to attach hierarchies or to choose other data."""
        return sample_table(table_name, self.scales or self.method().supports)

    def masked(self, table_name: str, seed: int = 0) -> tuple[Table, Table]:
        """Return a table and its masked version; skips where the method refuses an unusual table."""
        table = self.table(table_name)
        masked = accepted(table_name, lambda: self.method().mask(table, generator(seed)))
        assert isinstance(masked, Table), f"mask returned {type(masked).__name__}, wanted Table"
        return table, masked

    @on_every_table
    def test_schema_and_records_are_kept(self, table_name: str) -> None:
        table, masked = self.masked(table_name)
        assert masked.schema == table.schema, "the masked table has another schema: attributes, scales or categories"
        assert len(masked) == len(table), f"{len(table)} records went in, {len(masked)} came out"

    @on_every_table
    def test_values_lie_in_their_domains(self, table_name: str) -> None:
        self.masked(table_name)[1].verify()

    @on_every_table
    def test_the_table_is_not_changed(self, table_name: str) -> None:
        table = self.table(table_name)
        with unchanged("mask", table):
            accepted(table_name, lambda: self.method().mask(table, generator(0)))

    @on_every_table
    def test_the_generator_alone_decides(self, table_name: str) -> None:
        self.masked(table_name)
        assert_repeatable(lambda rng: self.method().mask(self.table(table_name), rng), 3, "mask")

    def test_a_method_is_not_worn_by_use(self) -> None:
        method = self.method()
        tables = [self.table(name) for name in ("ordinary", "many-records")]
        first = method.mask(tables[0], generator(0))
        held = fingerprint(first)
        method.mask(tables[1], generator(1))
        again = method.mask(tables[0], generator(0))
        assert again.same_records(first), "the second call gave another result: the method remembers earlier calls"
        assert fingerprint(first) == held, "a later call changed an earlier result"

    def test_another_seed_decides_nothing_where_so_declared(self) -> None:
        if self.deterministic:
            first, second = (self.masked("ordinary", seed)[1] for seed in (0, 1))
            assert first.same_records(second), "declared deterministic, but the generator decides the result"

    def test_records_stay_in_their_places(self) -> None:
        table, masked = self.masked("many-records")
        pairs = [(a, b) for a, b in zip(_columns(table), _columns(masked), strict=True) if np.ptp(b) > 0]
        if self.keeps_links and pairs:
            own = sum(_distance(a, b).mean() for a, b in pairs)
            any_other = sum(_distance(a[:, None], b[None, :]).mean() for a, b in pairs)
            assert own <= 0.9 * any_other, (
                "masked records are no more like their own originals than like any others: record r of the result must "
                "be record r of the table. Declare keeps_links = False if the method breaks the link on purpose."
            )

    def test_unsupported_scales_are_refused(self) -> None:
        method = self.method()
        assert method.supports, "supports is empty"
        assert method.supports <= frozenset(Scale), "supports holds something that is no Scale"
        for scale in frozenset(Scale) - method.supports:
            with pytest.raises(ParameterError):
                method.require_support(sample_table("ordinary", {scale}))

    def test_unknown_parameters_are_refused(self) -> None:
        assert_unknown_keys_refused(self.method())


def _columns(table: Table) -> list[NDArray[Any]]:
    """Return the columns as ranks in 0..1 (nominal: codes), a missing value as -1."""
    columns: list[NDArray[Any]] = []
    for attribute in table.schema.attributes:
        values = np.nan_to_num(table.column(attribute.name).astype(np.float64), nan=-1.0)
        spread = np.ptp(values)
        columns.append(values if attribute.scale is Scale.NOMINAL or spread == 0 else (values - values.min()) / spread)
    return columns


def _distance(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.float64]:
    different: NDArray[np.float64] = np.minimum(np.abs(a - b), 1.0)
    return different
