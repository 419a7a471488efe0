"""What a user is told of a file that cannot be used."""

from __future__ import annotations

import os
import socket

import pytest

from evosdc.errors import DataError, InputError, SchemaError
from evosdc.files.schema.schema_file import load_schema
from evosdc.files.source import read_source

from .build import nominal, numeric, schema, write


@pytest.mark.parametrize(
    ("content", "given"),
    [
        (b"", "an empty file"),
        (b" \n\r\n", "an empty file"),
        (b"\xef\xbb\xbf", "an empty file"),
        (b"a,b,c\n", "a header line and no record"),
        (b"a,b,a\n1,2,3\n", "the column a more than once"),
        (b"1,2,3\n4,5,6\n", "a first line of numbers only"),
        (b"39,Private,13\n39,Private,9\n20,State,13\n", "looks like a record"),
        (b"\x00\x01\x02\x03", "binary content"),
        (b"PK\x03\x04\x14\x00", "a ZIP archive or an Excel workbook"),
        (b'a,b\n1,"2\n3,4\n', "a quotation that opens in line 2 and never ends"),
    ],
)
def test_files_that_are_no_data(tmp_path, content, given):
    with pytest.raises(DataError) as caught:
        read_source(write(tmp_path, content))
    (fault,) = caught.value.faults
    assert given in fault.given
    assert str(tmp_path / "file.csv") in fault.where
    assert fault.wanted


def test_no_file(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        read_source(tmp_path / "none.csv")


@pytest.mark.parametrize(
    "content",
    [
        "1,7,x,1\n2,8,y,2\n3,9,z,3\n",
        "Ann,Bonn,Bonn,f\nBob,Rome,Oslo,m\nAnn,Bonn,Rome,f\n",
        "39,Bonn,Bonn\n50,Rome,Oslo\n",
    ],
)
def test_a_record_in_place_of_names_is_not_repeated(tmp_path, content):
    with pytest.raises(DataError) as caught:
        read_source(write(tmp_path, content))
    told = "\n".join(str(fault) for fault in caught.value.faults if "columns" in fault.given)
    assert "The first line must hold the names" in told
    assert "Bonn" not in told
    names = content.split("\n")[0].split(",")
    first = next(place for place, name in enumerate(names) if names.count(name) > 1)
    second = names.index(names[first], first + 1)
    assert f"columns {first + 1} and {second + 1}" in told


@pytest.mark.parametrize("special", ["/dev/zero", "/dev/null"])
def test_devices_are_not_read(special):
    with pytest.raises(DataError, match="given a device"):
        read_source(special)


def test_pipes_and_sockets_are_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DataError, match="given a pipe"):
        read_source(tmp_path / "pipe")
    with pytest.raises(SchemaError, match="given a pipe"):
        load_schema(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        with pytest.raises(DataError, match="given a socket"):
            read_source(tmp_path / "socket")


def test_a_link_to_a_file_is_read(tmp_path):
    (tmp_path / "link").symlink_to(write(tmp_path, "a,b\nx,1\ny,2\n"))
    assert len(read_source(tmp_path / "link").table) == 2


def test_paths_that_no_file_can_have():
    with pytest.raises(DataError, match="no file can have"):
        read_source("a\0b")


def test_control_characters_are_escaped_in_messages(tmp_path):
    path = write(tmp_path, "a\x1b[31mred,b\nx,1\ny,2\n")
    for wrong in (numeric("zz"), nominal("a\x1b[31mred", "x"), nominal("b", "1", "\x1b[0m")):
        with pytest.raises(InputError) as caught:
            read_source(path, schema(wrong))
        assert "\x1b" not in str(caught.value)
    with pytest.raises(SchemaError) as caught:
        read_source(path).table.schema.require(["q"])
    assert "a\\x1b[31mred" in str(caught.value)


def test_a_folder(tmp_path):
    with pytest.raises(DataError, match="a folder"):
        read_source(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_an_unreadable_file(tmp_path):
    path = write(tmp_path, "a\n1\n")
    path.chmod(0)
    with pytest.raises(DataError, match="cannot be read"):
        read_source(path)


def test_ragged_lines_are_named_up_to_five(tmp_path):
    with pytest.raises(DataError) as caught:
        read_source(write(tmp_path, "a,b\n1,2\n3\n\n4,5\n1,2,3\n"))
    assert "line 3 has 1, line 6 has 3" in caught.value.faults[0].given
    assert "2 values in each line" in caught.value.faults[0].wanted
    with pytest.raises(DataError, match="and 4 more lines"):
        read_source(write(tmp_path, "a,b\n" + "1,2\n" * 20 + "1\n" * 9))


def test_all_faults_of_a_file_at_once(tmp_path):
    with pytest.raises(DataError) as caught:
        read_source(write(tmp_path, "a,a\n1,2\n3\n"))
    assert len(caught.value.faults) == 2


def test_unknown_categories_name_attribute_value_and_first_line(tmp_path):
    path = write(tmp_path, 'id,sex,size\n1,f,"1"\n2,"x\ny",2\n\n3,q,many\n4,x,few\n')
    with pytest.raises(DataError) as caught:
        read_source(path, schema(numeric("id"), nominal("sex", "f", "m"), numeric("size")))
    first, second = caught.value.faults
    assert first.where == f"{path}, sex"
    assert first.given == "'x\\ny' in line 3 (and 2 more values that do not fit)"
    assert first.wanted == "one of f, m"
    assert second.given == "'many' in line 6 (and 1 more values that do not fit)"
    assert second.wanted == "a number"


def test_long_lists_of_categories_are_cut(tmp_path):
    many = [f"c{i}" for i in range(30)]
    with pytest.raises(DataError, match=r"c11, \.\.\. \(30 categories\)"):
        read_source(write(tmp_path, "a\nx\n"), schema(nominal("a", *many)))


def test_values_missing_from_a_hierarchy(tmp_path):
    write(tmp_path, "1;0-9;*\n2;0-9;*\n", "h.csv")
    path = write(tmp_path, '[attributes]\na = { scale = "numeric", hierarchy = "h.csv" }\n', "s.toml")
    with pytest.raises(DataError, match="'3' in line 4") as caught:
        read_source(write(tmp_path, "a,b\n1,x\n2,x\n3,x\n"), path)
    assert "hierarchy" in caught.value.faults[0].wanted


def test_missing_schema(tmp_path):
    with pytest.raises(SchemaError, match="no such file"):
        read_source(write(tmp_path, "a\n1\n"), tmp_path / "none.toml")


def test_schema_of_another_file(tmp_path):
    with pytest.raises(SchemaError) as caught:
        read_source(write(tmp_path, "age,sex\n1,f\n"), schema(numeric("agee"), nominal("height", "x")))
    assert [fault.advice for fault in caught.value.faults] == [
        "Did you mean 'age'?",
        "Where the file leaves it out, take its line away.",
    ]


def test_every_fault_of_a_schema_file_at_once(tmp_path):
    path = write(
        tmp_path,
        """
        mising = ["?"]
        na = "maybe"
        [attributes]
        a = { role = "quasi", scale = "nominal" }
        b = { rol = "other", categories = ["x", "x"] }
        c = { scale = "numeric", categories = ["1"] }
        d = { decimals = -1 }
        e = { hierarchy = "none.csv" }
        f = "nominal"
        g = { role = "weight", scale = "nominal" }
        h = { categories = [""] }
        i = { categories = "x" }
        j = { hierarchy = 3 }
        k = { scale = "nominal", decimals = 2 }
        l = { role = 1 }
        """,
        "s.toml",
    )
    with pytest.raises(SchemaError) as caught:
        load_schema(path)
    told = "\n".join(map(str, caught.value.faults))
    for words in [
        "'mising'; wanted one of missing, na, neutralise_formulas, encoding, sheet, attributes, edit_rules. Did you",
        "na: given 'maybe'",
        "a, role: given 'quasi'",
        "Did you mean 'role'?",
        "x more than once",
        "categories of a numeric attribute",
        "a whole number from 0 to 15",
        "no such file",
        "f: given a text",
        "a weight that is not numeric",
        "also stands for a missing value",
        "i, categories: given a text",
        "j, hierarchy: given a number",
        "decimals of a categorical attribute",
        "l, role: given a number",
    ]:
        assert words in told
    assert len(caught.value.faults) == 15


@pytest.mark.parametrize("text", ["a = ", "[attributes]\na = 1\na = 2\n"])
def test_schema_files_that_are_no_toml(tmp_path, text):
    with pytest.raises(SchemaError, match="not TOML"):
        load_schema(write(tmp_path, text, "s.toml"))


def test_attributes_must_be_a_table(tmp_path):
    with pytest.raises(SchemaError, match=r"a table \[attributes\]"):
        load_schema(write(tmp_path, "attributes = 3\n", "s.toml"))


def test_messages_hold_no_other_values(tmp_path):
    path = write(tmp_path, "name,sex\nsecretperson,f\nother,q\n")
    with pytest.raises(InputError) as caught:
        read_source(path, schema(nominal("name", "secretperson", "other"), nominal("sex", "f")))
    assert "secretperson" not in str(caught.value)
