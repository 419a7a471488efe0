"""The journal: one line a generation, readable while it is written and after it was cut off."""

import math
import stat

import pytest

from evosdc.runs.journal import Journal, cut_journal, read_journal

RECORDS = [{"generation": number, "best": {"fitness": [1 / (number + 3)]}, "note": "Ü\n"} for number in range(5)]


def written(path, records=RECORDS):
    journal = Journal(path)
    for record in records:
        journal.write(record)
    journal.close()
    return path


def test_records_come_back(tmp_path):
    path = written(tmp_path / "journal.jsonl")
    assert read_journal(path) == RECORDS
    assert len(path.read_text(encoding="utf-8").splitlines()) == 5
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_without_a_file_there_are_no_records(tmp_path):
    assert read_journal(tmp_path / "journal.jsonl") == []


def test_what_was_flushed_can_be_read_while_it_is_open(tmp_path):
    journal = Journal(tmp_path / "journal.jsonl")
    journal.write(RECORDS[0])
    journal.flush()
    assert read_journal(tmp_path / "journal.jsonl") == RECORDS[:1]
    journal.write(RECORDS[1])
    journal.close()
    assert read_journal(tmp_path / "journal.jsonl") == RECORDS[:2]


def test_a_journal_that_is_opened_again_goes_on(tmp_path):
    written(tmp_path / "journal.jsonl", RECORDS[:2])
    assert read_journal(written(tmp_path / "journal.jsonl", RECORDS[2:])) == RECORDS


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_what_is_no_json_is_refused(tmp_path, value):
    journal = Journal(tmp_path / "journal.jsonl")
    with pytest.raises(ValueError, match="not JSON compliant"):
        journal.write({"generation": 0, "best": value})
    journal.close()
    assert read_journal(tmp_path / "journal.jsonl") == []


def test_a_last_line_that_was_cut_off_anywhere_is_left_out(tmp_path):
    path = written(tmp_path / "journal.jsonl", RECORDS[:3])
    data = path.read_bytes()
    start = data[:-1].rindex(b"\n") + 1
    for length in range(start, len(data) - 1):
        path.write_bytes(data[:length])
        assert read_journal(path) == RECORDS[:2]
    path.write_bytes(data[:-1])
    assert read_journal(path) == RECORDS[:3], "only the line's end is missing"


@pytest.mark.parametrize("generation", [1, 3, 4, 9])
def test_cutting_keeps_the_records_up_to_a_generation(tmp_path, generation):
    path = written(tmp_path / "journal.jsonl")
    cut_journal(path, generation)
    assert read_journal(path) == RECORDS[: generation + 1]


def test_cutting_leaves_no_torn_line_to_write_behind(tmp_path):
    path = written(tmp_path / "journal.jsonl")
    path.write_bytes(path.read_bytes()[:-9])
    cut_journal(path, 4)
    written(path, RECORDS[4:])
    assert read_journal(path) == RECORDS
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_search_that_goes_on_from_its_beginning_writes_all_of_it_again(tmp_path):
    path = written(tmp_path / "journal.jsonl")
    cut_journal(path, 0)
    assert read_journal(path) == []
