"""What of the shipped methods is tuned: the ranges span what is useful for a table."""

from __future__ import annotations

import numpy as np
import pytest

from evosdc.model import MaskingMethod, Tunable, designs_of
from evosdc.plugins.registry import default_registry
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table
from evosdc.testing.tables import sample_table
from tests.plugins.masking.test_date_shift import dated

REGISTRY = default_registry()
ALL = REGISTRY.names("masking-method")
OWN = [name for name in ALL if REGISTRY.provider("masking-method", name).startswith("masking")]


def categories(*sizes: int, records: int = 200) -> Table:
    attributes = [
        Attribute(f"a{j}", Role.OTHER, Scale.ORDINAL, tuple(f"c{code:02d}" for code in range(size)))
        for j, size in enumerate(sizes)
    ]
    codes = np.array([[record % size for size in sizes] for record in range(records)], dtype=np.int32)
    return Table(Schema(tuple(attributes)), codes, np.empty((records, 0)))


def ranges(method: str, table: Table) -> dict[str, tuple[float, float]]:
    found: dict[str, tuple[float, float]] = {}
    for design in designs_of(REGISTRY.implementation("masking-method", method), table):
        for one in design.free:
            found[one.name] = (one.at(0.0), one.at(1.0))
    return found


def test_all_methods_say_what_of_them_is_tuned() -> None:
    assert all(issubclass(REGISTRY.implementation("masking-method", name), Tunable) for name in OWN)


UNTUNED = {
    "gower-microaggregation", "multivariate-top-coding", "outlier-noise", "record-swapping", "risk-suppression",
    "robust-microaggregation", "romm", "shuffling",
}  # fmt: skip
"""Methods whose place in tuning is not decided: they work where they are named."""


@pytest.mark.parametrize("name", OWN)
def test_masks_at_the_ends_and_in_the_middle_of_all_ranges(name: str) -> None:
    cls: type[MaskingMethod] = REGISTRY.implementation("masking-method", name)
    table = sample_table("many-records", cls.supports)
    table = dated(table) if name == "date-shift" else table
    designs = designs_of(cls, table)
    assert bool(designs) is (name not in UNTUNED) or name in ("jpeg", "jpeg2000")
    for design in designs:
        for share in (0.0, 0.5, 1.0):
            params = design.params([share] * len(design.free))
            part = table.select([n for n in design.attributes or table.schema.names if design.takes(n, params)])
            if len(part.schema):
                masked = REGISTRY.build("masking-method", name, params).mask(part, np.random.default_rng(1))
                assert masked.schema == part.schema


def test_classes_go_up_to_a_quarter_of_the_file_and_of_one_attribute_to_half() -> None:
    table = categories(9, 4)
    assert ranges("mondrian", table)["k"] == ranges("k-member", table)["k"] == (2, 50)
    assert ranges("mdav", table) == {"k": (2, 50), "group_size": (1, 2)}
    assert ranges("univariate-microaggregation", table)["k"] == (2, 100)


def test_swaps_go_from_one_rank_to_half_of_the_file() -> None:
    assert ranges("rank-swapping", categories(9)) == {"p": (0.5, 50.0)}
    assert ranges("rank-swapping", categories(9, records=2)) == {}


def test_mergings_leave_two_values_of_each_attribute() -> None:
    table = categories(9, 4, 2)
    for name in ("top-coding", "bottom-coding", "global-recoding"):
        (design,) = designs_of(REGISTRY.implementation("masking-method", name), table)
        assert (design.free[0].at(0.0), design.free[0].at(1.0)) == (2, 8)
        assert design.most == {"a0": 8, "a1": 3}
        assert design.attributes == ("a0", "a1")
        assert not designs_of(REGISTRY.implementation("masking-method", name), categories(2, 1))


def test_clusterings_of_large_files_are_left_out() -> None:
    table = categories(9, records=20_001)
    assert ranges("k-member", table) == ranges("r-gather", table) == {}
    assert ranges("mdav", table)["k"] == (2, 5000)
