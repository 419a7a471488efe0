from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.files.record_fields import (
    BLANK,
    SEPARATORS,
    join_fields,
    lines_of,
    quoted,
    rewritten,
    sniff_separator,
    split_fields,
    split_records,
    value,
)

CELL = st.text(alphabet='ab ,;|\t"\n\r', max_size=6)


@given(st.lists(CELL, min_size=1, max_size=5), st.sampled_from([",", ";", "\t", "|"]))
def test_cutting_agrees_with_the_csv_module(cells, separator):
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=separator, lineterminator="", quoting=csv.QUOTE_ALL).writerow(cells)
    cut = split_fields(buffer.getvalue(), separator)
    assert cut is not None
    assert [value(field) for field in cut] == cells
    assert join_fields(cut, separator) == buffer.getvalue()


@given(st.text(alphabet='ab ,"', max_size=20))
def test_joining_undoes_cutting(text):
    for separator in (",", BLANK):
        cut = split_fields(text, separator)
        if cut:
            assert join_fields(cut, separator) == text


def test_an_open_quotation_is_not_complete():
    assert split_fields('a,"b', ",") is None
    assert split_fields('a,"b""', ",") is None
    assert split_fields('"a b', BLANK) is None


def test_a_quote_within_a_value_is_a_character():
    assert split_fields('5" pipe,x', ",") == ['5" pipe', "x"]
    assert value('5" pipe') == '5" pipe'


def test_blank_separated_words_keep_their_gaps():
    assert split_fields('  a \t b "c d"  ', BLANK) == ["  a", " \t b", ' "c d"  ']
    assert [value(field) for field in split_fields('  a \t b "c d"  ', BLANK) or []] == ["a", "b", "c d"]


def test_records_span_lines_and_count_them():
    records, unended = split_records(lines_of('\na,b\r\n"x\ny",2\n\n  \nz,3'), ",")
    assert unended is None
    assert [(r.text, r.tail, r.line) for r in records] == [
        ("a,b", "\r\n", 2),
        ('"x\ny",2', "\n\n  \n", 3),
        ("z,3", "", 7),
    ]


def test_only_cr_and_lf_end_lines():
    assert lines_of("a\x0bb\u2028c\x85d\re\nf\r\ng") == ["a\x0bb\u2028c\x85d\r", "e\n", "f\r\n", "g"]


def test_a_quotation_without_end_is_told():
    assert split_records(lines_of('a\n"b\nc\n'), ",")[1] == 2


def test_lines_of_tabs_are_records_of_a_tab_separated_file():
    assert len(split_records(["a\tb\n", "\t\n"], "\t")[0]) == 2
    assert len(split_records(["a b\n", "\t\n"], BLANK)[0]) == 1


@pytest.mark.parametrize("separator", SEPARATORS)
def test_separators_are_recognised(separator):
    assert sniff_separator(f"a{separator}b{separator}c\n1{separator}2{separator}3\n") == separator


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a;b\n1,5;2,5\n3,5;4,5\n", ";"),
        ("a, b, c\nx, y y, z\nx, y, z z\n", ","),
        ('"a,b";c\n"1,2";3\n', ";"),
        ("a\tb c\n1\t2 3\n1\t2 3 4\n", "\t"),
        ("A11 6 A34\nA12  48 A32\n", BLANK),
        ("only\n1\n2\n", ","),
        ("a,b\n1,2\n3\n4,5\n", ","),
    ],
)
def test_separator_of_awkward_files(text, separator):
    assert sniff_separator(text) == separator


@pytest.mark.parametrize(
    ("field", "text", "quote", "separator", "result"),
    [
        (" old ", "new", False, ",", " new "),
        ('"old"', "new", True, ",", '"new"'),
        ("old", "a,b", False, ",", '"a,b"'),
        ("old", 'say "x"', False, ";", '"say ""x"""'),
        ("  old", "two words", False, BLANK, '  "two words"'),
        ("old", "", False, BLANK, '""'),
        ("", "new", False, ",", "new"),
        ("old", " edge", False, ",", '" edge"'),
        ("old", "a\nb", False, ",", '"a\nb"'),
    ],
)
def test_rewriting_a_field(field, text, quote, separator, result):
    assert rewritten(field, text, quote, separator) == result
    assert value(rewritten(field, text, quote, separator)) == text


def test_quoted_fields_are_seen():
    assert quoted(' "a"')
    assert not quoted("a")
