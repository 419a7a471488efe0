from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.assess.data_check import require_no_split_households
from evosdc.errors import DataError
from evosdc.table.households import households_of, shared_in_households
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import MISSING, Table

HOMES = tuple("abcd")


def people(rows: list[tuple[int, int, int]], role: Role = Role.HOUSEHOLD) -> Table:
    schema = Schema(
        (
            Attribute("home", role, Scale.NOMINAL, HOMES),
            Attribute("region", Role.QUASI_IDENTIFIER, Scale.NOMINAL, ("n", "s", "w")),
            Attribute("age", Role.QUASI_IDENTIFIER, Scale.ORDINAL, ("1", "2", "3")),
        )
    )
    return Table(schema, np.array(rows, dtype=np.int32), np.empty((len(rows), 0)))


def slow(rows: list[tuple[int, int, int]], place: int) -> bool:
    homes = {row[0] for row in rows if row[0] != MISSING}
    values = {home: {row[place] for row in rows if row[0] == home} for home in homes}
    several = any(sum(row[0] == home for row in rows) > 1 for home in homes)
    everywhere = {row[place] for row in rows if row[0] != MISSING}
    return several and len(everywhere) > 1 and all(len(found) == 1 for found in values.values())


@given(st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 2), st.integers(-1, 2)), min_size=1, max_size=12))
def test_shared_attributes_are_those_with_one_value_in_each_household(rows):
    table = people(rows)
    wanted = tuple(name for place, name in ((1, "region"), (2, "age")) if slow(rows, place))
    assert shared_in_households(table, ["region", "age"]) == wanted


def test_members_of_a_household_are_not_masked_apart():
    rows = [(0, 0, 0), (0, 0, 1), (1, 1, 2), (1, 1, 0)]
    with pytest.raises(DataError, match=r"region, the same for all members.*home.*role drop"):
        require_no_split_households(people(rows), ["region", "age"])
    require_no_split_households(people(rows), ["age"])
    require_no_split_households(people(rows, Role.DROP), ["region", "age"])


def test_protect_refuses_with_the_reason_what_it_would_mask_record_by_record(tmp_path):
    import evosdc
    from evosdc.experiment.protection import protection
    from evosdc.options.search import ProtectOptions
    from evosdc.plugins.registry import default_registry

    rows = [f"{i // 2},{'ns'[i // 2 % 2]},{20 + i % 9},{'fm'[i % 2]}" for i in range(40)]
    (tmp_path / "p.csv").write_text("\n".join(["household,region,age,sex", *rows]) + "\n")
    with pytest.raises(DataError, match="region, the same for all members of a household"):
        protection({"file": str(tmp_path / "p.csv")}, default_registry(), ProtectOptions(explainable=True))
    homes = protection({"file": str(tmp_path / "p.csv")}, default_registry(), ProtectOptions(fitness="max"))
    assert homes.genotype.name == "cells"
    made = protection(
        {"file": str(tmp_path / "p.csv"), "protect": ["age", "sex"]}, default_registry(), ProtectOptions(fitness="max")
    )
    assert made.data.protect == ("age", "sex")
    assert evosdc.read_table(tmp_path / "p.csv").schema["household"].role is Role.HOUSEHOLD


def test_members_of_a_home_have_one_number_and_others_have_numbers_of_their_own():
    table = people([(1, 0, 0), (MISSING, 1, 0), (0, 1, 1), (1, 0, 2), (MISSING, 2, 0), (2, 0, 1)])
    found = households_of(table).of.tolist()
    assert found[0] == found[3]
    assert sorted(set(found)) == [0, 1, 2, 3, 4]
