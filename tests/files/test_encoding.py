from __future__ import annotations

import codecs

import pytest

from evosdc.errors import DataError, SchemaError
from evosdc.files.encoding import decode, read_bytes

TEXT = "größe,città\nMünchen,Łódź\n"


@pytest.mark.parametrize(
    ("mark", "name"),
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
    ],
)
def test_marks_and_utf8_are_recognised_and_written_back(mark, name):
    content = mark + TEXT.encode(name)
    text, encoding = decode(content, "x")
    assert (text, encoding.name, encoding.mark, encoding.notes) == (TEXT, name, mark, ())
    assert encoding.mark + text.encode(encoding.name) == content


@pytest.mark.parametrize(("content", "name"), [("Größe €".encode("cp1252"), "cp1252"), (b"a\x81\xe9", "latin-1")])
def test_western_code_pages_are_guessed(content, name):
    text, encoding = decode(content, "x")
    assert encoding.name == name
    assert encoding.notes[0].startswith(f"The file is not UTF-8; it was read as {name}.")
    assert encoding.mark + text.encode(encoding.name) == content


@pytest.mark.parametrize(
    ("text", "code_page", "seems"),
    [
        ("Łódź", "cp1250", "cp1250"),
        ("město, Plzeň", "cp1250", "cp1250"),
        ("žluťoučký kůň", "cp1250", "cp1250"),
        ("idő", "cp1250", "cp1250"),
        ("женский", "cp1251", "cp1251"),
        ("sœur, ¿Qué?, lunedì, 5 m³, £5, Århus, São João, põe, côté, Straße", "cp1252", ""),
    ],
)
def test_another_code_page_is_suspected_where_letters_look_wrong(text, code_page, seems):
    (note,) = decode(f"town,sex\n{text},f\n".encode(code_page), "x")[1].notes
    assert note.partition("try --encoding ")[2].rstrip(".") == seems


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"\x89PNG\x00\x01", "binary"),
        (b"PK\x03\x04rest", "Excel"),
        (b"\x1f\x8b\x08", "gzip"),
        ("a,b".encode("utf-16-le"), "binary"),
        (codecs.BOM_UTF16_LE + b"a", "utf-16-le"),
    ],
)
def test_what_is_no_text_is_refused(content, word):
    with pytest.raises(DataError, match=word):
        decode(content, "x.csv")


def test_missing_files_and_folders_are_told(tmp_path):
    with pytest.raises(SchemaError, match="no such file"):
        read_bytes(tmp_path / "none", SchemaError)
    with pytest.raises(DataError, match="a folder"):
        read_bytes(tmp_path)
