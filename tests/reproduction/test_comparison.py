"""What differs between tables: every figure that is out of its tolerance, and nothing else."""

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.reproduction.comparison import difference, differences, figures
from evosdc.reproduction.tolerance import ANY, SAME, Tolerance


def write(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path


@pytest.fixture
def told(tmp_path):
    def compare(stored, found, **allowed):
        folders = [tmp_path / name for name in ("stored", "found")]
        for folder in folders:
            folder.mkdir(exist_ok=True)
        paths = [write(folder / "t.csv", rows) for folder, rows in zip(folders, (stored, found), strict=True)]
        return [str(one) for one in differences(*paths, lambda column: allowed.get(column, SAME))]

    return compare


HEADER = ["file", "k", "score", "seconds"]


def test_the_row_the_column_both_figures_and_their_distance_are_told(told):
    stored = [HEADER, ["german", "3", "27.5", "1"], ["flare", "3", "30.0", "2"]]
    found = [HEADER, ["german", "3", "27.5", "9"], ["flare", "3", "33.0", "2"]]
    assert told(stored, found, seconds=ANY) == [
        "t.csv, row 2 (flare, 3), score: 33.0 instead of 30.0, off by +3 (+10 %); allowed nothing"
    ]
    assert told(stored, found, seconds=ANY, score=Tolerance.of("10 %")) == []
    assert told(stored, found, seconds=ANY, score=Tolerance.of(2.9))[0].endswith("allowed 2.9")
    assert len(told(stored, found)) == 2


def test_columns_and_rows_have_to_be_the_same(told):
    rows = [HEADER, ["german", "3", "27.5", "1"]]
    assert told(rows, [*rows, rows[1]]) == ["t.csv: 2 rows instead of 1"]
    assert told(rows, [["file", "k", "loss", "seconds"], rows[1]]) == [
        "t.csv: other columns: without ['score'], new ['loss']"
    ]


def test_numbers_within_texts_are_figures_and_the_rest_is_text():
    assert difference("12.1 ± 0.30 (p=0.6)", "12.2 ± 0.31 (p=0.6)", Tolerance.of(0.11)) == ""
    assert "instead of" in difference("12.1 ± 0.30 (p=0.6)", "12.1 ± 0.30 (q=0.6)", Tolerance.of(9.0))
    assert "off by" in difference("12.1 ± 0.30 (p=0.6)", "12.1 ± 0.30 (p=0.7)", Tolerance.of(0.05))
    assert difference("", "1.0", Tolerance.of(9.0)) == "'1.0' instead of ''"
    assert difference("", "1.0", ANY) == ""
    assert difference("c3", "c4", Tolerance.of(9.0)) == "'c4' instead of 'c3'"


def test_other_files_are_compared_line_by_line(tmp_path):
    for name, text in (("a", "one 1.0\ntwo 2.0\n"), ("b", "one 1.0\ntwo 2.5\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "t.md").write_text(text)
    found = differences(tmp_path / "a" / "t.md", tmp_path / "b" / "t.md", lambda column: SAME)
    assert [one.where for one in found] == ["row 2 (two 2.0), line"]


CELLS = st.one_of(
    st.floats(-1e6, 1e6).map(lambda figure: f"{figure:.3f}"), st.text("abc é%,\"'", max_size=6), st.just("1 ± 2")
)


@given(st.data())
def test_a_table_is_like_itself_and_any_text_that_changes_is_told(tmp_path_factory, data):
    width = data.draw(st.integers(1, 4))
    rows = data.draw(st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=5))
    header = [f"c{i}" for i in range(width)]
    folder = tmp_path_factory.mktemp("tables")
    stored = write(folder / "stored.csv", [header, *rows])
    assert differences(stored, stored, lambda column: SAME) == []
    assert figures(stored) <= width * len(rows)
    row, column = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, width - 1))
    changed = [list(cells) for cells in rows]
    changed[row][column] += "z"
    found = differences(stored, write(folder / "found.csv", [header, *changed]), lambda column: SAME)
    # A line of nothing but an empty cell is none to the format.
    if all(any(cells) for cells in rows):
        assert [one.where.rpartition(", ")[2] for one in found] == [header[column]]
