"""How delimited files are recognised: separators, quotes, titles, headers one name short, and what is odd in them."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evosdc.errors import DataError
from evosdc.files import delimited_file
from evosdc.files.delimited_file import BLANK, SEPARATORS, lines_of, parse_delimited, plain_text, records_of, sniffed
from evosdc.files.source import read_source

from .build import write

CELL = st.text(alphabet='ab ,;|\t"\n\r', max_size=6)
RELAXED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def cells(found) -> list[list[str]]:
    columns = [[column.texts[place] for place in column.index] for column in found.columns]
    return [list(row) for row in zip(*columns, strict=True)]


@RELAXED
@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=6), st.sampled_from([",", ";", "\t", "|"]))
def test_files_of_the_csv_module_are_read_without_the_blanks_around_values(rows, separator):
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=separator, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows([("u", "v"), *rows])
    found = parse_delimited(buffer.getvalue().encode(), "x", separator)
    assert cells(found) == [[cell.strip() for cell in row] for row in rows]


@RELAXED
@given(
    st.lists(st.tuples(CELL, st.sampled_from(["1", "x", "", "2.5"])), min_size=1, max_size=6),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_arrow_and_the_csv_module_read_one_file(rows, separator, end):
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator, lineterminator=end).writerows([("u", "v"), *rows])
    content = text.getvalue().encode()
    one = parse_delimited(content, "x", separator)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited_file, "_cells", lambda *_: None)
        other = parse_delimited(content, "x", separator)
    assert cells(one) == cells(other)
    assert [one.place(row) for row in range(len(rows))] == [other.place(row) for row in range(len(rows))]


@pytest.mark.parametrize("separator", SEPARATORS)
def test_separators_are_recognised(separator):
    assert sniffed(lines_of(f"a{separator}b{separator}c\n1{separator}2{separator}3\n")) == separator


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a;b\n1,5;2,5\n3,5;4,5\n", ";"),
        ("a, b, c\nx, y y, z\nx, y, z z\n", ","),
        ('"a,b";c\n"1,2";3\n', ";"),
        ("a\tb c\n1\t2 3\n1\t2 3 4\n", "\t"),
        ("A11 6 A34\nA12  48 A32\n", BLANK),
        ("only\n1\n2\n", ","),
        ("name\nAnn Bee\nBob Cee\n", ","),
        ("a,b\n1,2\n3\n4,5\n", ","),
    ],
)
def test_separator_of_awkward_files(text, separator):
    assert sniffed(lines_of(text)) == separator


def test_records_span_lines_and_count_them():
    found = list(records_of(lines_of('\na,b\r\n"x\ny",2\n\n  \nz,3'), ","))
    assert [(record.fields, record.begin + 1) for record in found] == [
        (["a", "b"], 2), (["x\ny", "2"], 3), (["z", "3"], 7),
    ]  # fmt: skip


def test_only_cr_and_lf_end_lines():
    assert lines_of("a\x0bb\u2028c\x85d\re\nf\r\ng") == ["a\x0bb\u2028c\x85d\r", "e\n", "f\r\n", "g"]


def test_lines_of_tabs_are_records_of_a_tab_separated_file():
    assert len(list(records_of(["a\tb\n", "\t\n"], "\t"))) == 2
    assert len(list(records_of(["a b\n", "\t\n"], BLANK))) == 1


def test_a_quote_within_a_value_is_a_character():
    assert cells(parse_delimited(b'a,b\n5" pipe,x\n6" pipe,y\n', "x")) == [['5" pipe', "x"], ['6" pipe', "y"]]


def test_runs_of_blanks_separate_words():
    found = parse_delimited(b'  a \t b\n x   "c d"\ny "e ""f"""  \n', "x")
    assert (found.dialect.names, cells(found)) == (("a", "b"), [["x", "c d"], ["y", 'e "f"']])


R_TABLES = {
    ",": '"age","sex","region"\n"1",43,"f","n"\n"2",30,"f","n"\n"3",57,"m","s"\n',
    ";": '"age";"sex";"region"\n"1";43;NA;"n"\n"2";30;"f";"n"\n"3";57;"m";"s"\n',
    "\t": '"age"\t"sex"\t"region"\n"1"\t43\t"f"\t"n"\n"2"\t30\t"f"\t"n"\n"3"\t57\t"m"\t"s"\n',
    " ": '"age" "sex" "region"\n"1" 43 "f" "n"\n"2" 30 "f" "n"\n"3" 57 "m" "s"\n',
    "  ": "age sex region\n1 43 f n\n2 30 f n\n3 57 m s\n",
}


@pytest.mark.parametrize("text", R_TABLES.values())
def test_row_names_of_r_are_a_column_without_a_name(text):
    found = parse_delimited(text.encode(), "x")
    assert found.dialect.names == ("column 1", "age", "sex", "region")
    assert cells(found)[1] == ["2", "30", "f", "n"]
    assert any("one name short" in note for note in found.notes)


def test_row_names_of_words_are_told_from_ragged_lines():
    assert parse_delimited(b"mpg,cyl\nMazda,21,6\nFiat,32,4\n", "x").dialect.names == ("column 1", "mpg", "cyl")
    with pytest.raises(DataError, match="line 2 has 3"):
        parse_delimited(b"mpg,cyl\nMazda,21,6\nMazda,32,4\n", "x")


def test_a_separator_at_the_end_of_each_record_is_no_row_name():
    with pytest.raises(DataError, match="line 2 has 3"):
        parse_delimited(b"a,b\n1,x,\n2,y,\n", "x")


def test_many_whole_numbers_with_a_code_among_them_are_numbers(tmp_path):
    lines = ["region,income", *(f"{'ns'[k % 2]},{k * 17 % 991}" for k in range(300)), "n,9999"]
    source = read_source(write(tmp_path, "\n".join(lines)))
    assert source.table.schema["income"].scale_word == "numeric"
    assert source.table.column("income")[-1] == 9999


def test_a_first_line_may_say_the_separator():
    found = parse_delimited(b"sep=;\na;b\n1,5;x\n2;y\n", "x")
    assert (found.dialect.names, cells(found), found.place(1)) == (("a", "b"), [["1,5", "x"], ["2", "y"]], "line 4")


@pytest.mark.parametrize("title", ["Survey 2024\n", "Survey 2024,,\n", "Survey 2024\n\n", "Survey\nof May\n"])
def test_a_title_above_the_names_is_left_out_with_a_remark(tmp_path, title):
    path = write(tmp_path, f"{title}age,sex,region\n40,f,n\n50,m,s\n")
    source = read_source(path)
    assert source.table.schema.names == ("age", "sex", "region")
    assert any("title" in note for note in source.notes)


def test_titles_of_several_columns_are_no_names(tmp_path):
    source = read_source(write(tmp_path, ",Person,,Money\nid,age,sex,pay\n1,40,f,100\n2,50,m,90\n"))
    assert (source.table.schema.names, len(source.table)) == (("id", "age", "sex", "pay"), 2)
    assert any("title" in note for note in source.notes)
    source = read_source(write(tmp_path, "a,,,d\nx,y,z,v\nu,y,z,w\n"))
    assert (source.table.schema.names, len(source.table)) == (("a", "column 2", "column 3", "d"), 2)


def test_values_in_single_quotes(tmp_path):
    found = parse_delimited(b"age,town\n40,'Bath, Avon'\n50,'York'\n", "x")
    assert cells(found) == [["40", "Bath, Avon"], ["50", "York"]]
    assert cells(parse_delimited(b"age,town\n40,'s Gravenhage\n50,'t Zand\n", "x"))[0] == ["40", "'s Gravenhage"]


def test_names_and_values_have_no_blanks_around_them(tmp_path):
    source = read_source(write(tmp_path, '"age "," sex",region\n40, f,n\n50,"m ",n\n60,f,n\n'))
    assert source.table.schema.names == ("age", "sex", "region")
    assert source.table.schema["sex"].categories == ("f", "m")
    assert "Blanks around 2 values of sex are no part of them." in source.notes


RUSSIAN = (
    "\u0433\u043e\u0440\u043e\u0434,sex\n\u041c\u043e\u0441\u043a\u0432\u0430,m\n\u041f\u0435\u0440\u043c\u044c,f\n"
)
POLISH = "miasto,p\nWrocław,m\nŁódź,k\n"


@pytest.mark.parametrize(("text", "encoding"), [(RUSSIAN, "cp1251"), (POLISH, "cp1250")])
def test_other_code_pages_are_read_where_they_are_named_and_suspected_where_not(tmp_path, text, encoding):
    path = write(tmp_path, text.encode(encoding))
    assert any(f"--encoding {encoding}" in note for note in read_source(path).notes)
    assert read_source(path, encoding=encoding).original.columns[0].texts[0] == text.split("\n")[1].split(",")[0]
    with pytest.raises(DataError, match="given 'cp9999'"):
        read_source(path, encoding="cp9999")


@given(st.lists(st.lists(CELL, min_size=2, max_size=2), min_size=1, max_size=5))
def test_an_ordinary_text_holds_what_it_is_made_of(rows):
    assert cells(parse_delimited(plain_text(["a", "b"], rows), "x", ",")) == [[c.strip() for c in row] for row in rows]
