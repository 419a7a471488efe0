"""Files that write single precision with more digits than it holds."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from evosdc.api.tables import as_given
from evosdc.files.frame import table_from_frame
from evosdc.files.inference.proposal import infer_schema
from evosdc.files.source import read_source

PAID = np.array([4211.54, 6779.23, 809.84, 12.5], dtype=np.float32)


@pytest.mark.parametrize("form", ["{:.15g}", "{!r}"])
def test_all_values_are_written_with_the_digits_that_they_have(tmp_path, form):
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
    assert (tmp_path / "masked.csv").read_text().split() == ["paid", "6779.23", "6779.23", "993.15", "12.5"]


def test_frames_keep_single_precision_where_nothing_is_masked():
    frame = pd.DataFrame({"paid": PAID.astype(float)})
    table = table_from_frame(frame)
    assert as_given(frame, table)["paid"].tolist() == frame["paid"].tolist()
    masked = replace(table, numbers=np.array([[6779.23], [6779.23], [993.15], [12.5]]))
    new = as_given(frame, masked)["paid"]
    assert new.tolist() == [6779.23, 6779.23, 993.15, 12.5]


def test_the_proposal_says_why():
    found = infer_schema(pd.DataFrame({"paid": PAID.astype(float)}))
    assert found.schema["paid"].decimals == 2
    assert "in single precision: digits after 2 decimals" in found.reasons["paid"]
