"""Files that write single precision with more digits than it holds."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from evosdc.api.tables import as_given
from evosdc.files.changes import stored_form
from evosdc.files.frame import table_from_frame
from evosdc.files.inference.proposal import infer_schema
from evosdc.files.reading import read_source

PAID = np.array([4211.54, 6779.23, 809.84, 12.5], dtype=np.float32)


@pytest.mark.parametrize("form", ["{:.15g}", "{!r}"])
def test_new_values_are_written_as_the_old_ones(tmp_path, form):
    stored = [form.format(float(value)) for value in PAID]
    path = tmp_path / "paid.csv"
    path.write_text("\n".join(["paid", *stored]) + "\n")
    source = read_source(path)
    table = source.table
    assert table.schema["paid"].decimals == 2
    assert table.column("paid").tolist() == [4211.54, 6779.23, 809.84, 12.5]
    masked = replace(table, numbers=np.array([[6779.23], [6779.23], [993.15], [12.5]]))
    written = source.write(tmp_path / "masked.csv", masked)
    assert written.changed["paid"] == 2
    invented = form.format(float(np.float32(993.15)))
    assert (tmp_path / "masked.csv").read_text().split() == ["paid", stored[1], stored[1], invented, stored[3]]


def test_frames_keep_single_precision():
    frame = pd.DataFrame({"paid": PAID.astype(float)})
    table = table_from_frame(frame)
    assert as_given(frame, table)["paid"].tolist() == frame["paid"].tolist()
    masked = replace(table, numbers=np.array([[6779.23], [6779.23], [993.15], [12.5]]))
    new = as_given(frame, masked)["paid"]
    assert new.tolist() == np.array([6779.23, 6779.23, 993.15, 12.5], dtype=np.float32).astype(float).tolist()


def test_other_numbers_have_no_stored_form():
    assert stored_form({3.59: "3.59", 2.0: "2.0"}, ".") == ""
    assert stored_form({3.59: "3,58999991416931"}, ",") == "{:.15g}"


def test_the_proposal_says_why():
    found = infer_schema(pd.DataFrame({"paid": PAID.astype(float)}))
    assert found.schema["paid"].decimals == 2
    assert "in single precision: digits after 2 decimals" in found.reasons["paid"]
