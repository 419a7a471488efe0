"""Conformance of masking methods."""

# ruff: noqa: D102 -- the name of a test says what it asserts

from collections.abc import Collection, Set
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from evosdc.errors import ParameterError
from evosdc.model import MaskingMethod, designs_of
from evosdc.model.parameters import parse_parameters
from evosdc.table.schema import Scale
from evosdc.table.table import Table
from evosdc.testing.acceptance import accepted, assert_unknown_keys_refused, kept, on_every_table
from evosdc.testing.purity import assert_same_again, fingerprint, generator
from evosdc.testing.tables import INTERPRETED, SHAPES, assert_same_attributes, interpreted, label_misses, sample_table


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

    deterministic: ClassVar[bool] = False  #: Declare True when the result does not depend on the generator.

    keeps_links: ClassVar[bool] = True
    """Declare False when masked records are, on purpose, no more like their own originals than like other ones."""

    scales: ClassVar[Set[Scale] | None] = None
    """Scales of the attributes in the test tables, where parameters narrow what the method supports; None for all."""

    tables: ClassVar[Collection[str]] = tuple(SHAPES)
    """Names of the tables of `evosdc.testing.tables` to test on; fewer for what takes long on each."""

    interpreted: ClassVar[Collection[str]] = INTERPRETED
    """Names of the tables on which kernels are run uncompiled; fewer where that takes long."""

    def method(self) -> MaskingMethod:
        """Return the method to test."""
        raise NotImplementedError("define method(self) and return the masking method to test")

    def table(self, table_name: str) -> Table:
        """Return a table to mask; override to attach hierarchies or to choose other data."""
        return sample_table(table_name, self.scales or self.method().supports)

    def masked(self, table_name: str, seed: int = 0) -> tuple[Table, Table]:
        """Return a table and its masked version; skips where the method refuses an unusual table."""
        table, masked, _ = accepted(
            table_name, lambda: kept(self, (table_name, seed), lambda: self._made(table_name, seed))
        )
        assert isinstance(masked, Table), f"mask returned {type(masked).__name__}, wanted Table"
        return table, masked

    def _made(self, table_name: str, seed: int) -> tuple[Table, Table, bool]:
        """Return a table, its masked version, and whether the table is still what it was."""
        table = self.table(table_name)
        before = fingerprint(table)
        masked = self.method().mask(table, generator(seed))
        return table, masked, fingerprint(table) == before

    @on_every_table
    def test_schema_and_records_are_kept(self, table_name: str) -> None:
        table, masked = self.masked(table_name)
        if self.method().generalises:
            assert_same_attributes(table.schema, masked.schema)
        else:
            assert masked.schema == table.schema, "the masked table has another schema: attributes, scales, categories"
        assert len(masked) == len(table), f"{len(table)} records went in, {len(masked)} came out"

    @on_every_table
    def test_values_lie_in_their_domains(self, table_name: str) -> None:
        self.masked(table_name)[1].verify()

    @on_every_table
    def test_generalised_labels_cover_the_values(self, table_name: str) -> None:
        if self.method().generalises:
            table, masked = self.masked(table_name)
            for attribute in table.schema.attributes:
                missed = label_misses(table, masked, attribute.name)[0]
                assert missed == 0, f"{missed:.0%} of the labels of {attribute.name} do not cover what they stand for"

    @on_every_table
    def test_the_table_is_not_changed(self, table_name: str) -> None:
        same = accepted(table_name, lambda: kept(self, (table_name, 0), lambda: self._made(table_name, 0)))[2]
        assert same, "mask changed what was passed to it; work on a copy"

    @on_every_table
    def test_the_generator_alone_decides(self, table_name: str) -> None:
        table, masked = self.masked(table_name)
        assert_same_again(lambda rng: self.method().mask(table, rng), 0, masked, "mask")

    @on_every_table
    def test_kernels_stay_within_their_arrays(self, table_name: str) -> None:
        if table_name not in self.interpreted:
            pytest.skip("small tables are enough")
        table, masked = self.masked(table_name)
        with interpreted():
            again = self.method().mask(table, generator(0))
        assert again.same_records(masked), "compiled, a kernel gives another table"

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
        if self.keeps_links:
            own, any_other = np.sum([_misses(table, masked, name) for name in table.schema.names], axis=0)
            assert own <= 0.9 * any_other, (
                "masked records are no more like their own originals than like any others: record r of the result must "
                "be record r of the table. Declare keeps_links = False if the method breaks the link on purpose."
            )

    @on_every_table
    def test_what_does_not_fit_is_told_before_any_work(self, table_name: str) -> None:
        method, table = self.method(), self.table(table_name)
        refused = {"require_fit": False, "mask": False}
        for name, call in (
            ("require_fit", lambda: method.require_fit(table)),
            ("mask", lambda: kept(self, (table_name, 0), lambda: self._made(table_name, 0))),
        ):
            try:
                call()
            except ParameterError:
                refused[name] = True
        assert refused["require_fit"] is refused["mask"], (
            "require_fit and mask must refuse the same tables: every stratum is checked before any is masked"
        )

    @on_every_table
    def test_weights_of_one_change_nothing(self, table_name: str) -> None:
        method = self.method()
        if method.weighted and self.deterministic:
            table, masked = self.masked(table_name)
            weighted = method.mask_weighted(table, np.ones(len(table)), generator(0))
            assert weighted.same_records(masked), "weights that are all 1 give another result than none"

    @on_every_table
    def test_designs_make_parameters(self, table_name: str) -> None:
        cls = type(self.method())
        table = sample_table(table_name, cls.supports)
        for design in designs_of(cls, table):
            strange = set(design.attributes) - set(table.schema.names)
            assert not strange, f"a design masks {', '.join(sorted(strange))}, which the table does not have"
            for share in (0.0, 0.5, 1.0):
                params = design.params([share] * len(design.free))
                parse_parameters(cls.Params, params, f"a design of {cls.__name__}")

    def test_unsupported_scales_are_refused(self) -> None:
        method = self.method()
        assert method.supports, "supports is empty"
        assert method.supports <= frozenset(Scale), "supports holds something that is no Scale"
        for scale in frozenset(Scale) - method.supports:
            with pytest.raises(ParameterError):
                method.require_support(sample_table("ordinary", {scale}))

    def test_unknown_parameters_are_refused(self) -> None:
        assert_unknown_keys_refused(self.method())


def _misses(table: Table, masked: Table, name: str) -> tuple[float, float]:
    """Return how far masked values lie from their own originals and from any, on average; 0 where all are the same."""
    if masked.schema[name] != table.schema[name]:
        return label_misses(table, masked, name)
    before, after = _scaled(table, name), _scaled(masked, name)
    if np.ptp(after) == 0:
        return 0.0, 0.0
    return float(_distance(before, after).mean()), float(_distance(before[:, None], after[None, :]).mean())


def _scaled(table: Table, name: str) -> NDArray[Any]:
    """Return a column as ranks in 0..1 (nominal: codes), a missing value as -1."""
    values: NDArray[Any] = np.nan_to_num(table.column(name).astype(np.float64), nan=-1.0)
    spread = np.ptp(values)
    return values if table.schema[name].scale is Scale.NOMINAL or spread == 0 else (values - values.min()) / spread


def _distance(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.float64]:
    different: NDArray[np.float64] = np.minimum(np.abs(a - b), 1.0)
    return different
