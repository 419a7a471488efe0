"""Which records are published with all their masked values as they are in the original."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evosdc.assess.changes import untouched_records
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table

SEX = Attribute("sex", Role.QUASI_IDENTIFIER, Scale.NOMINAL, ("f", "m"))
AGE = Attribute("age", Role.QUASI_IDENTIFIER, Scale.NUMERIC, decimals=0)


def table(sexes, ages, *, attributes=(SEX, AGE)):
    return Table(Schema(attributes), np.array(sexes, dtype=np.int32)[:, None], np.array(ages, dtype=float)[:, None])


values = st.lists(st.tuples(*[st.sampled_from([-1, 0, 1]), st.sampled_from([np.nan, 1.0, 2.0])] * 2), max_size=30)


@given(values)
def test_who_is_counted_is_who_is_found_record_by_record(rows):
    if not rows:
        return
    sexes, ages, other_sexes, other_ages = zip(*rows, strict=True)
    own, other = (list(map(str, pair)) for pair in ([*zip(sexes, ages)], [*zip(other_sexes, other_ages)]))  # noqa: B905
    same = [a for a, b in zip(own, other, strict=True) if a == b and a != "(-1, nan)"]
    assert untouched_records(table(sexes, ages), table(other_sexes, other_ages)) == {
        "records": len(same),
        "alone": sum(own.count(one) == 1 for one in same),
    }


def test_what_has_other_labels_is_not_as_it_was():
    coarse = Attribute("sex", Role.QUASI_IDENTIFIER, Scale.NOMINAL, ("all", "none"))
    published = table([0, 0], [1.0, 2.0], attributes=(coarse, AGE))
    assert untouched_records(table([0, 0], [1.0, 2.0]), published) == {"records": 0, "alone": 0}


def test_the_masked_attributes_alone_count():
    other = Table(Schema((AGE,)), np.zeros((3, 0), dtype=np.int32), np.array([[1.0], [2.0], [9.0]]))
    assert untouched_records(table([0, 1, 0], [1.0, 1.0, 9.0]), other) == {"records": 2, "alone": 1}
