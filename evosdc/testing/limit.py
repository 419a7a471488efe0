"""Conformance of limits."""

# ruff: noqa: D102 -- the name of a test says what it asserts

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from time import process_time
from typing import ClassVar

import numpy as np
import pytest

from evosdc.model import Aggregation, Judgement, Limit, Measure, Microdata
from evosdc.table.schema import Scale
from evosdc.table.table import Table
from evosdc.testing.acceptance import on_every_table
from evosdc.testing.purity import assert_repeatable, generator, unchanged
from evosdc.testing.tables import edited, sample_table, shuffled

_ROUNDING = 1e-6

_ENOUGH = 60.0  # seconds that a limit of the suite's tables may take

_GRACE = 5.0  # seconds of the processor that a limit may take beyond the time that it was given

_FITNESSES: Mapping[str, Callable[[float, float], float]] = {"max": max, "mean": lambda il, dr: (il + dr) / 2.0}


class LimitConformance:
    """Tests that every limit must pass; subclass it and say how the limit is computed, and for which measures.

    Examples
    --------
    >>> class TestEntropy(LimitConformance):
    ...     il = ("ebil",)
    ...     disclosure = ("best-guess",)
    ...
    ...     def limit(self, judgement, seconds):
    ...         return entropy(judgement, seconds)
    """

    il: ClassVar[tuple[str, ...]] = ()  #: Registered measures of information loss that it bounds.
    linkage: ClassVar[tuple[str, ...]] = ()  #: Measures of risk by record linkage that it may come with.
    disclosure: ClassVar[tuple[str, ...]] = ()  #: Other measures of risk that it bounds.

    scales: ClassVar[Collection[Scale]] = frozenset({Scale.NOMINAL, Scale.ORDINAL})
    """Scales of the attributes that it can judge."""

    _found: ClassVar[dict[str, tuple[Judgement, Limit | None]]] = {}

    def __init_subclass__(cls) -> None:
        """Give each suite a store of its own."""
        super().__init_subclass__()
        cls._found = {}

    def limit(self, judgement: Judgement, seconds: float) -> Limit | None:
        """Return the limit to test."""
        raise NotImplementedError("define limit(self, judgement, seconds) and return what your function returns")

    def measure(self, name: str) -> Measure:
        """Return a measure of the class by its name: the registered one with its usual parameters."""
        from evosdc.plugins.registry import default_registry

        built: Measure = default_registry().build("measure", name, {})
        return built

    def judgement(self, table_name: str) -> Judgement:
        """Return the input of a limit: a sample table under the measures of the class."""
        table = sample_table(table_name, self.scales)
        return Judgement(table, Aggregation(self.il, self.linkage, self.disclosure))

    def found(self, table_name: str) -> tuple[Judgement, Limit]:
        """Return a limit, sought once for all tests of a class; skips where there is none for an unusual table."""
        if table_name not in self._found:
            judgement = self.judgement(table_name)
            self._found[table_name] = judgement, self.limit(judgement, _ENOUGH)
        judgement, limit = self._found[table_name]
        if limit is None:
            assert table_name not in ("ordinary", "many-records"), "no limit of an ordinary table"
            pytest.skip("no limit of this table")
        return judgement, limit

    def files(self, original: Table) -> Iterator[Table]:
        """Yield masked files from nearly no loss to nearly no risk."""
        yield original
        for place, share in enumerate((0.05, 0.2, 0.5, 1.0)):
            yield edited(original, generator(place), share)[0]
        yield shuffled(original, generator(9))
        yield original.take(np.zeros(len(original), dtype=np.intp))

    @on_every_table
    def test_no_masked_file_lies_below(self, table_name: str) -> None:
        judgement, limit = self.found(table_name)
        names = (*self.il, *self.linkage, *self.disclosure)
        microdata = Microdata(judgement.original, judgement.original.schema.names)
        fitted = {name: self.measure(name).fit_in(microdata) for name in names}
        for masked in self.files(judgement.original):
            scores = judgement.aggregation.combine({name: fitted[name].score(masked) for name in names})
            il, dr = scores["il"], scores["dr"]
            least = limit.least_dr(il)
            assert dr >= least - _ROUNDING, f"a file has IL {il} and DR {dr}, the curve allows no DR below {least}"
            for fitness, combined in _FITNESSES.items():
                bound = limit.least.get(fitness, 0.0)
                assert combined(il, dr) >= bound - _ROUNDING, f"a file has {fitness} of IL and DR below {bound}"

    @on_every_table
    def test_the_curve_falls_and_is_convex(self, table_name: str) -> None:
        _, limit = self.found(table_name)
        corners = limit.curve
        assert corners, "a curve without corners"
        assert corners[0][0] == 0.0, f"the curve begins at IL {corners[0][0]}, wanted 0"
        assert corners[-1][0] == 100.0, f"the curve ends at IL {corners[-1][0]}, wanted 100"
        assert all(-_ROUNDING <= value <= 100.0 + _ROUNDING for corner in corners for value in corner)
        for (left, high), (right, low) in pairwise(corners):
            assert right > left, f"corners at IL {left} and {right}, wanted ascending ones"
            assert low <= high + _ROUNDING, f"the curve rises between IL {left} and {right}"
        for (left, high), (il, dr), (right, low) in zip(corners, corners[1:], corners[2:], strict=False):
            straight = high + (low - high) * (il - left) / (right - left)
            assert dr <= straight + _ROUNDING, f"the curve is not convex at IL {il}"

    @on_every_table
    def test_it_is_plain_data_about_the_measures_asked_for(self, table_name: str) -> None:
        judgement, limit = self.found(table_name)
        json.dumps(limit.to_json(), allow_nan=False)
        assert limit.il == judgement.aggregation.il
        assert set(limit.dr) == {*judgement.aggregation.disclosure, *judgement.aggregation.linkage}
        assert limit.attributes == judgement.original.schema.names
        assert all(0.0 <= value <= 100.0 for value in limit.least.values())

    def test_it_is_repeatable_and_changes_nothing(self) -> None:
        judgement = self.judgement("ordinary")
        with unchanged("the limit", judgement.original):
            assert_repeatable(lambda _: self.limit(judgement, _ENOUGH), 0, "the limit")

    def test_other_measures_have_none(self) -> None:
        judgement = self.judgement("ordinary")
        for aggregation in (
            replace(judgement.aggregation, il=("unheard-of-loss",)),
            replace(judgement.aggregation, disclosure=("unheard-of-risk",)),
        ):
            found = self.limit(replace(judgement, aggregation=aggregation), _ENOUGH)
            assert found is None, "a limit for a measure that nobody has heard of"

    def test_it_keeps_to_its_time(self) -> None:
        judgement = self.judgement("many-records")
        began = process_time()
        self.limit(judgement, 0.01)
        spent = process_time() - began
        assert spent < _GRACE, f"it was given 0.01 s and took {spent:.1f} s; return None where time is too short"
