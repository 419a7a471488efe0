"""Crosswalks: written for their owner alone, and refused where they are those of other files."""

import stat

import numpy as np
import pytest

from evosdc.errors import DataError
from evosdc.runs.published import read_crosswalk, write_crosswalk

ROWS = np.array([4, 0, 2], dtype=np.intp)


def test_what_was_written_is_read_and_its_owner_alone_may(tmp_path):
    file = tmp_path / "crosswalk.csv"
    write_crosswalk(file, ROWS)
    assert file.read_text() == "published,original\n1,5\n2,1\n3,3\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert read_crosswalk(file, 3, 5).tolist() == ROWS.tolist()


def test_lines_may_stand_in_any_order_and_a_spreadsheet_may_have_saved_them(tmp_path):
    file = tmp_path / "crosswalk.csv"
    file.write_bytes("\ufeffpublished,original\r\n3,3\r\n1,5\r\n2,1\r\n\r\n".encode())
    assert read_crosswalk(file, 3, 5).tolist() == ROWS.tolist()


@pytest.mark.parametrize(
    "lines",
    [
        "1,5\n2,1",  # a record without a line
        "1,5\n2,1\n3,3\n4,2",  # a line without a record
        "1,5\n2,1\n3,6",  # an original that is not there
        "1,5\n2,1\n3,0",
        "1,5\n2,1\n4,3",
        "1,5\n2,1\n2,3",  # a record twice
        "1,5\n2,1\n3,1",  # an original twice
    ],
)
def test_one_of_other_files_is_refused(tmp_path, lines):
    file = tmp_path / "crosswalk.csv"
    file.write_text(f"published,original\n{lines}\n")
    with pytest.raises(DataError, match="one of other files"):
        read_crosswalk(file, 3, 5)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"original,published\n1,5\n2,1\n3,3\n",
        b"published,original\n1,5\n2,1\n3,three\n",
        b"published,original\n1,5,2\n2,1,2\n3,3,2\n",
        b"published,original\n1,99999999999999999999999\n2,1\n3,3\n",
        b"\xff\xfe\x00",
    ],
)
def test_another_file_is_no_crosswalk(tmp_path, content):
    file = tmp_path / "other.csv"
    file.write_bytes(content)
    with pytest.raises(DataError, match="no crosswalk"):
        read_crosswalk(file, 3, 5)


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(DataError, match="No such file"):
        read_crosswalk(tmp_path / "none.csv", 3, 5)
