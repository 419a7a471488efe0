from __future__ import annotations

import numpy as np
from hypothesis import given

from evosdc.table.table import Table
from evosdc_masking.frequencies import distinct, separate
from tests.plugins.masking.tables import categorical_tables


@given(categorical_tables())
def test_distinct_records_in_the_order_of_their_first_occurrence(table: Table) -> None:
    queues: dict[tuple[int, ...], list[int]] = {}
    for row, record in enumerate(table.codes.tolist()):
        queues.setdefault(tuple(record), []).append(row)
    found = distinct(table.codes)
    assert [rows.tolist() for rows in np.split(found.rows, found.starts[1:-1])] == list(queues.values())
    assert found.first.tolist() == [rows[0] for rows in queues.values()]


def test_records_kept_apart() -> None:
    assert separate(3).first.tolist() == [0, 1, 2]
