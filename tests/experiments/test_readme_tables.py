"""The tables in the READMEs of studies are those of the files that are stored beside them."""

from pathlib import Path

import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
PAGES = [page for page in EXPERIMENTS.glob("*/README.md") if "<!-- table " in page.read_text(encoding="utf-8")]


@pytest.fixture
def with_tables(monkeypatch):
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    from readme_tables import with_tables

    return with_tables


def test_pages_say_what_the_stored_tables_say(with_tables):
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert with_tables(text, page.parent) == text


def test_columns_are_chosen_and_long_numbers_cut(tmp_path, with_tables):
    (tmp_path / "t.csv").write_text("a,b,c\nx,1.23456,3\n", encoding="utf-8")
    page = "before\n<!-- table t.csv: b | a -->\nold\n<!-- end -->\nafter\n"
    made = "before\n<!-- table t.csv: b | a -->\n\n| b | a |\n| --- | --- |\n| 1.23 | x |\n\n<!-- end -->\nafter\n"
    assert with_tables(page, tmp_path) == made
    assert with_tables(made, tmp_path) == made


def test_rows_are_chosen_by_their_values(tmp_path, with_tables):
    (tmp_path / "t.csv").write_text("a,b,c\nx,1,3\nx,2,4\ny,1,5\n", encoding="utf-8")
    page = "<!-- table t.csv: c where a = x and b = 1 -->\n<!-- end -->\n"
    assert "| c |\n| --- |\n| 3 |\n\n<!-- end -->" in with_tables(page, tmp_path)


def test_the_list_of_papers_is_what_the_studies_declare(with_tables):
    page = EXPERIMENTS.parent / "docs" / "papers.md"
    text = page.read_text(encoding="utf-8")
    assert "<!-- studies -->" in text
    assert with_tables(text, page.parent) == text
