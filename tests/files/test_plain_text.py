"""Files that are read by columns are read, and written back, as those that are read cell by cell."""

from __future__ import annotations

import random
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evosdc.errors import InputError
from evosdc.files import column_reading, delimited_reading, plain_text, plain_writing
from evosdc.files.cell_texts import Cells, CellTexts, cell_texts
from evosdc.files.delimited_reading import parse_delimited
from evosdc.files.encoding import decode, is_of_text, recognised
from evosdc.files.plain_text import read_plain
from evosdc.files.reading import source_of
from evosdc.files.record_texts import RecordTexts
from evosdc.files.schema.description import SchemaDescription
from evosdc.table.number_syntax import number
from evosdc.table.numerals import decimals_of, natural_order, number_to, numbers, single_precision_decimals
from evosdc.table.schema import Role
from evosdc.table.table import MISSING

WORDS = st.sampled_from(
    ["a", "north", "x y", "", "?", "NA", " b ", "\x0b", "ä", "é ", "東", "-", "1.2.3", "=1+1", "0x1"]
)
NUMERALS = st.one_of(
    st.integers(-30, 130).map(str),
    st.integers(-(10**20), 10**20).map(str),
    st.integers(-99999, 99999).map(lambda cents: f"{cents / 100:.2f}"),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1e3, 1e3, width=32).map(repr),
    st.sampled_from(
        ["007", "5.", ".5", "+5", "1e3", "1E-2", "1e", "e5", "-0", "-0.0", " 7", "9 ", "99", "-9", "1e400"]
    ),
)
SEPARATORS = [",", ";", "\t", "|"]


@contextmanager
def sizes(least_plain: int, fewest_held: int, block: int, fewest_records: int):
    """Read files from a size on by columns, and hold columns of so many distinct numbers as numbers.

    Records are cut in blocks, and of so many it is decided whether each has a number of its own.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited_reading, "LEAST_PLAIN", least_plain)
        patch.setattr(plain_text, "FEWEST_HELD", fewest_held)
        patch.setattr(column_reading, "FEWEST_HELD", fewest_held)
        patch.setattr(plain_text, "_BLOCK", block)
        patch.setattr(column_reading, "FEWEST_RECORDS", fewest_records)
        yield


@st.composite
def files(draw):
    """A text file without quotes, nearly always of records of one length."""
    separator = draw(st.sampled_from(SEPARATORS))
    comma = separator != "," and draw(st.booleans())
    width, size = draw(st.integers(1, 4)), draw(st.integers(1, 8))
    columns = []
    for _ in range(width):
        mostly = draw(st.sampled_from([WORDS, NUMERALS, NUMERALS]))
        cells = draw(st.lists(st.one_of(mostly, mostly, WORDS), min_size=size, max_size=size))
        columns.append([cell.replace(".", ",") for cell in cells] if comma else cells)
    names = draw(st.lists(st.sampled_from(["age", "b", "größe", "", "2019", "x1"]), min_size=width, max_size=width))
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    blank = st.sampled_from(["", "", "", "", end, " " + end])
    lines = [separator.join(record) for record in (names, *zip(*columns, strict=True))]
    if draw(st.integers(0, 9)) == 0:
        lines[-1] += separator
    text = draw(blank) + "".join(line + end + draw(blank) for line in lines)
    if draw(st.booleans()):
        text = text[: len(text) - len(end)]
    encoding = draw(st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "cp1252", "latin-1"]))
    return text.encode(encoding, errors="replace")


def read(content: bytes, plain: bool, block: int = 1 << 14, fewest_records: int = 1, **options):
    """Return a file that was read in one of both ways, or what is wrong with it."""
    with sizes(0 if plain else 10**9, 1, block, fewest_records):
        try:
            return parse_delimited(content, "file.csv", **options)
        except InputError as error:
            return str(error)


@settings(max_examples=120, deadline=None)
@given(files(), st.sampled_from([1, 2, 3, 1 << 14]), st.sampled_from([1, 3, 100]))
@example(b"a,b\n1,2\n\n \n3,4", 1, 1)
@example(b"\xef\xbb\xbfa;b\r\n1,5;x\r\n2,5; y \r\n", 1, 1)
@example(b"a\tb\n1\t\n\t\n2\t3\n", 1, 1)
@example(b"a;b\nx;0\ny;0,00\nz;0,01\nz;1e400\n", 1, 1)
@example(b"a\n1.5\nx\ny\nz\n", 1, 1)
def test_both_ways_of_reading_give_one_file(content, block, fewest_records):
    one, other = read(content, True, block, fewest_records), read(content, False)
    if isinstance(other, str):
        assert one == other
        return
    assert (one.names, one.prefix, one.header, one.separator, one.encoding, one.unnamed) == (
        other.names, other.prefix, other.header, other.separator, other.encoding, other.unnamed,
    )  # fmt: skip
    assert tuple(one.records) == tuple(other.records[place] for place in range(len(other.records))) == other.records
    assert [one.place(record) for record in range(len(one.records))] == [
        other.place(record) for record in range(len(other.records))
    ]
    for mine, theirs in zip(one.columns, other.columns, strict=True):
        assert (mine.name, tuple(mine.texts)) == (theirs.name, theirs.texts)
        assert mine.index.tolist() == theirs.index.tolist()


@pytest.mark.parametrize(("letters", "longest", "rows"), [("ab", 9, 6000), ("abcdefgh", 20, 6000), ("a", 20, 300)])
def test_cells_of_any_length_and_number_are_told_apart(letters, longest, rows):
    rng = np.random.default_rng(len(letters))
    cells = ["".join(rng.choice(list(letters), rng.integers(longest + 1))) for _ in range(rows)]
    # Long ones that differ in a single sign, at either end, and the last cell of the file, which no other bytes follow.
    cells += ["x" * 16, "y" + "x" * 15, "x" * 15 + "y", "x" * 8, "x" * 9, "b" * 3, "x" * 16, "b"]
    one = read(("u,v\n" + "\n".join(f"{cell},{cell}" for cell in cells)).encode(), True)
    for column in one.columns:
        assert [column.texts[place] for place in column.index.tolist()] == cells
        assert tuple(column.texts) == tuple(dict.fromkeys(cells))


def publish(original, path, seed):
    """Return what is written of a file with random values changed, columns dropped and records left out."""
    source = source_of(original, "file.csv", SchemaDescription(missing=("", "?", "NA")))
    draw = random.Random(seed)
    table, rows = source.table, list(range(len(source.table)))
    codes, values = table.codes.copy(), table.numbers.copy()
    for row in rows:
        for place, attribute in enumerate(table.schema.categorical):
            if draw.random() < 0.4:
                codes[row, place] = draw.choice([MISSING, *range(len(attribute.categories))])
        for place in range(values.shape[1]):
            fate, other = draw.random(), values[draw.choice(rows), place]
            new = other if fate < 0.3 else (values[row, place] + other) / 2 if fate < 0.5 else np.nan
            values[row, place] = new if fate < 0.6 else values[row, place]
    names = [name for name in table.schema.names if draw.random() < 0.8]
    masked = replace(table, codes=codes, numbers=values).select(names)
    dropped = [place for place in range(len(table.schema)) if draw.random() < 0.2][: len(table.schema) - 1]
    order = np.array([row for row in rows if draw.random() > 0.2] or rows, dtype=np.intp)
    roles = {table.schema.names[place]: Role.DROP for place in dropped}
    attributes = tuple(replace(a, role=roles.get(a.name, a.role)) for a in table.schema.attributes)
    kept = replace(source, table=replace(table, schema=replace(table.schema, attributes=attributes)))
    order = np.array(draw.sample(order.tolist(), len(order)), dtype=np.intp) if draw.random() < 0.3 else order
    report = kept.write(path, masked, True, order if draw.random() < 0.8 else None)
    return path.read_bytes(), report


@st.composite
def tables_of_numbers(draw):
    """A text file of many numbers, nearly all of them different, with some words and codes among them."""
    rng, size = np.random.default_rng(draw(st.integers(0, 2**32))), draw(st.integers(20, 90))
    separator = draw(st.sampled_from([",", ";"]))
    comma = separator != "," and draw(st.booleans())
    columns = []
    for _ in range(draw(st.integers(1, 3))):
        values = rng.normal(draw(st.sampled_from([0, 50])), draw(st.sampled_from([1, 30])), size)
        form = draw(st.sampled_from(["{:.2f}", "{:.1f}", "{:.0f}", "{!r}", "{:.9e}", "single", "{:.20f}", "{:+.3f}"]))
        if form == "single":
            cells = [f"{float(np.float32(round(value, 2))):.15g}" for value in values.tolist()]
        else:
            cells = [form.format(value) for value in values.tolist()]
        others = draw(st.lists(st.sampled_from(["", "NA", "unknown", "-", ".", "-9", "99", "7.00", "x", "1e999"])))
        for text in others:
            for place in rng.choice(size, rng.integers(1, 5)).tolist():
                cells[place] = text
        blanks = draw(st.sampled_from(["", "", " "]))
        columns.append([blanks + (cell.replace(".", ",") if comma else cell) + blanks for cell in cells])
    names = draw(
        st.lists(
            st.sampled_from(["age", "income", "weight", "id", "household", "x", "region", "disease", "name"]),
            min_size=len(columns), max_size=len(columns), unique=True,
        )
    )  # fmt: skip
    return "\n".join(separator.join(record) for record in (names, *zip(*columns, strict=True))).encode()


@pytest.mark.endurance
@settings(max_examples=150, deadline=None)
@given(tables_of_numbers(), st.sampled_from([7, 1 << 14]), st.sampled_from([1, 10]))
def test_both_ways_of_reading_tell_one_table_and_propose_one_schema(content, block, fewest_records):
    found = []
    for original in (read(content, True, block, fewest_records), read(content, False)):
        if isinstance(original, str):
            found.append(original)
            continue
        try:
            source = source_of(original, "file.csv")
        except InputError as error:
            found.append(str(error))
            continue
        table, proposed = source.table, source.inference
        values = [np.where(np.isnan(table.numbers), None, table.numbers).tolist(), np.signbit(table.numbers).tolist()]
        columns = [(column.name, tuple(column.texts), column.index.tolist()) for column in original.columns]
        counts = [column.counts().tolist() for column in original.columns]
        found.append((table.schema, table.codes.tolist(), values, source.notes, proposed.reasons, columns, counts))
        found[-1] += (proposed.rules, proposed.suspected, source.ordered(table.schema.names), source.duplicates)
    assert found[0] == found[1]


@pytest.mark.endurance
@settings(max_examples=120, deadline=None)
@given(st.one_of(files(), tables_of_numbers()), st.integers(0, 2**32), st.sampled_from([1, 2, 5, 1 << 14]))
def test_both_ways_of_writing_give_one_file(tmp_path_factory, content, seed, piece):
    found = []
    for plain in (True, False):
        original = read(content, plain)
        if isinstance(original, str):
            return
        folder = tmp_path_factory.getbasetemp()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(plain_writing, "_ROWS", piece)
            try:
                found.append(publish(original, folder / "written.csv", seed))
            except InputError as error:
                found.append(str(error))
    assert found[0] == found[1]


def test_blanks_around_what_is_taken_away_do_not_begin_a_record(tmp_path):
    found = []
    for plain in (True, False):
        source = source_of(read(b"a,b,c\nx,u ,1\nx, v,2\n", plain), "file.csv", SchemaDescription())
        original = replace(source.table.schema["a"], role=Role.DROP)
        schema = replace(source.table.schema, attributes=(original, *source.table.schema.attributes[1:]))
        codes = source.table.codes.copy()
        codes[:, 1] = MISSING
        table = replace(source.table, schema=schema)
        replace(source, table=table).write(tmp_path / "w.csv", replace(table, codes=codes))
        found.append((tmp_path / "w.csv").read_bytes())
    assert found == [b"b,c\n,1\n,2\n"] * 2


def test_untouched_files_come_back_as_they_were():
    content = b"a,b\r\n1.50, x \r\n\r\n2,y\n 3 ,\t\r4,z"
    original = read(content, True)
    assert original.plain is not None
    assert original.render({}, (), np.arange(4), [(), ()]) == content
    assert original.render({}, (), np.array([3, 1]), [(), ()]) == b"a,b\r\n4,z\n2,y"
    assert original.render({}, (0,), np.arange(4), [(), ()]) == b"b\r\nx \r\n\r\ny\n\rz"


@pytest.mark.parametrize(
    "content",
    [b'a,b\n"1",2\n', b"a b\n1 2\n", b"a,a\n1,2\n", b"a,b\n1,2,3\n", b"a,b\n", "a,b\n1,\xa02\n".encode(), b"a\0b\n1\n",
     "a,b\n1,2\n".encode("utf-16")],
)  # fmt: skip
def test_what_is_out_of_the_ordinary_is_read_cell_by_cell(content):
    assert read_plain(content, None, None) is None


def test_large_files_of_numbers_are_held_as_numbers():
    lines = ["id,amount", *(f"{row},{row / 8}" for row in range(30_000))]
    columns = parse_delimited("\n".join(lines).encode(), "file.csv").columns
    assert isinstance(columns[0].held, CellTexts)
    assert isinstance(columns[1].held, RecordTexts)
    assert columns[0].count("29999") == 1
    assert columns[1].texts[8] == "1.0"


def test_a_small_file_is_read_cell_by_cell():
    assert parse_delimited(b"a,b\n1,2\n", "file.csv").plain is None


@given(st.lists(st.one_of(NUMERALS, NUMERALS, WORDS), min_size=1, max_size=20, unique=True), st.integers(0, 16))
def test_cells_answer_as_their_texts_do(texts, decimals):
    texts = list(dict.fromkeys(text.strip() for text in texts))
    for mark in (".", ","):
        written = [text.replace(".", mark) if mark == "," else text for text in texts]
        made = [text.encode() for text in written]
        lengths = np.array([len(cell) for cell in made], dtype=np.int32)
        cells = Cells(b"".join(made), "utf-8", np.cumsum(lengths, dtype=np.int64) - lengths, lengths)
        held = cell_texts(cells, mark)
        plain = tuple(written)
        found = [number(text, mark) for text in plain]
        if held is None:
            assert 2 * found.count(None) > len(plain)
            continue
        assert (tuple(held), cells.texts()) == (plain, plain)
        assert [None if value != value else value for value in held.values.tolist()] == found
        assert np.signbit(held.values[held.is_number]).tolist() == [np.signbit(v) for v in found if v is not None]
        read = numbers(held, mark)
        assert (None if read is None else list(read)) == numbers(plain, mark)
        assert decimals_of(held, mark) == decimals_of(plain, mark)
        assert single_precision_decimals(held, mark) == single_precision_decimals(plain, mark)
        assert natural_order(held, mark) == natural_order(plain, mark)
        read_to = [number_to(text, decimals, mark) for text in plain]
        assert [None if value != value else value for value in held.numbers_to(decimals).tolist()] == read_to
        assert held.padded == any(len(text) > 1 and text[0] == "0" and text.isdigit() for text in plain)


@given(st.binary(max_size=40), st.sampled_from(["utf-8", "utf-16", "cp1252"]))
def test_an_encoding_that_is_recognised_is_the_one_that_decodes(noise, name):
    for content in (noise, "größe,東".encode(name, errors="replace"), b"\xef\xbb\xbf" + noise):
        encoding = recognised(content)
        if encoding is not None and is_of_text(content[len(encoding.mark) :]):
            assert decode(content, "file")[1] == encoding
