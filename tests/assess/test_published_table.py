"""A table that is out already, beside the file."""

import json

import numpy as np
import pytest

from evosdc.assess.published_table import published_table
from evosdc.errors import InputError
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table

SCHEMA = Schema(
    (
        Attribute("town", Role.QUASI_IDENTIFIER, Scale.NOMINAL, ("a", "b", "c")),
        Attribute("ill", Role.SENSITIVE, Scale.NOMINAL, ("no", "yes")),
    )
)


def table(*records):
    codes = [[SCHEMA.attributes[0].code[town], SCHEMA.attributes[1].code[ill]] for town, ill in records]
    return Table(SCHEMA, np.array(codes, dtype=np.int32), np.empty((len(codes), 0)))


ORIGINAL = table(*[("a", "no")] * 6, *[("a", "yes")] * 2, *[("b", "no")] * 4, *[("b", "yes")] * 1)


@pytest.fixture
def told(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("town,ill,count\na,no,6\na,yes,*\nb,no,4\nb,yes,\nc,no,0\n")
    return path


def test_the_original_completes_what_was_suppressed(told):
    found = published_table(told, ORIGINAL, ORIGINAL)
    assert (found.cells, found.suppressed, found.differing, found.moved) == (5, 2, 0, 0.0)
    assert (found.completed, found.completed_small) == (2, 2)
    assert "2 suppressed cells the file has the true number of 2" in found.words()
    assert json.dumps(found.to_json())


def test_a_masked_file_contradicts_by_so_many_people(told):
    # One a without illness is published as b, one ill b as a: two published cells differ by one, none suppressed fits.
    masked = table(*[("a", "no")] * 5, *[("a", "yes")] * 3, *[("b", "no")] * 5)
    found = published_table(told, ORIGINAL, masked)
    assert found.differing == 2
    assert found.moved == pytest.approx(100 * (1 + 1) / 2 / 10)
    assert (found.completed, found.completed_small) == (0, 0)


def test_a_table_of_other_columns_is_refused(tmp_path, told):
    path = tmp_path / "other.csv"
    path.write_text("county,count\nx,3\ny,4\n")
    with pytest.raises(InputError, match="county"):
        published_table(path, ORIGINAL, ORIGINAL)
    path.write_text("town,number\na,3\nb,4\n")
    with pytest.raises(InputError, match="number"):
        published_table(path, ORIGINAL, ORIGINAL)
