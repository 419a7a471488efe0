"""Files that bring their schema, and hierarchies from code lists."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from evosdc.errors import DataError, HierarchyError
from evosdc.files.described_file import package_of
from evosdc.files.reading import read_source
from evosdc.files.schema.hierarchy_file import read_hierarchy
from evosdc.table.schema import Role, Scale

from .build import masked, write

ROWS = "".join(
    f"{17 + k % 9};{'Male' if k % 2 else 'Female'};p{k};2020-0{1 + k % 4}-11;{k % 3};"
    f"{('low', 'high')[k % 2]};Mon 1{k % 3}:00\n"
    for k in range(40)
)  # fmt: skip
DEFINITION = """<?xml version="1.0"?>
<definition>
 <assigment><name>age</name><type>QUASI_IDENTIFYING_ATTRIBUTE</type><datatype>Integer</datatype>
  <ref>hierarchies/age.csv</ref><min>All</min><max>All</max></assigment>
 <assigment><name>sex</name><type>QUASI_IDENTIFYING_ATTRIBUTE</type><datatype>String</datatype>
  <ref>hierarchies/sex.csv</ref></assigment>
 <assigment><name>person</name><type>IDENTIFYING_ATTRIBUTE</type><datatype>String</datatype></assigment>
 <assigment><name>seen</name><type>SENSITIVE_ATTRIBUTE</type><datatype>Date/Time</datatype>
  <format>yyyy-MM-dd</format></assigment>
 <assigment><name>level</name><type>QUASI_IDENTIFYING_ATTRIBUTE</type><datatype>OrderedString</datatype>
  <format>low
middle
high</format><ref>hierarchies/level.csv</ref>
  <microaggregationfunction>Mode</microaggregationfunction></assigment>
 <assigment><name>when</name><type>INSENSITIVE_ATTRIBUTE</type><datatype>Date/Time</datatype>
  <format>EEE HH:mm</format><ref>hierarchies/when.csv</ref></assigment>
 <assigment><name>group</name><type>INSENSITIVE_ATTRIBUTE</type><datatype>Integer</datatype></assigment>
</definition>
"""


SERIALISED = b"\xac\xed\x00\x05 never to be read"
MORE = {
    "metadata.xml": "<metadata><version>3.9.0</version><vocabulary>2.0</vocabulary></metadata>",
    "project.xml": "<project><name>x</name><separator>;</separator><escape>&quot;</escape></project>",
    "data/input_subset.csv": "age;sex\n17;Male\n",
    "data/output.csv": "age;sex\n*;*\n",
    "input/config.xml": "<config><criteria><criterion>5-anonymity</criterion></criteria></config>",
    "input/hierarchies/level.csv": "low;weak\nmiddle;weak\nhigh;strong\n",
    "input/hierarchies/when.csv": "Mon 10:00;early;*\nMon 11:00;;*\n",
    "output/definition.xml": "<definition/>",
    "lattice.xml": "<!-- ARX XML Vocabulary Version 2.0 --><lattice/>",
    "clipboard.xml": "<clipboard/>",
}
"""What else a project holds, as ARX 3.9 writes it."""


def project(folder: Path, hierarchies: Path, definition: str = DEFINITION) -> Path:
    path = folder / "adult.deid"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in MORE.items():
            archive.writestr(name, text)
        for name in ("project.dat", "input/config.dat", "output/config.dat", "lattice.dat", "filter.dat"):
            archive.writestr(name, SERIALISED)
        archive.writestr("data/input.csv", f"age;sex;person;seen;group;level;when\n{ROWS}")
        archive.writestr("input/definition.xml", definition)
        for name in ("age", "sex"):
            archive.write(hierarchies / f"adult_hierarchy_{name}.csv", f"input/hierarchies/{name}.csv")
    return path


@pytest.fixture
def hierarchies(data_sets):
    return data_sets.path("adult/hierarchies_arx")


def test_projects_of_arx_bring_roles_dates_and_hierarchies(tmp_path, hierarchies):
    source = read_source(project(tmp_path, hierarchies))
    schema = source.table.schema
    assert {a.name: a.role for a in schema.attributes} == {
        "age": Role.QUASI_IDENTIFIER, "sex": Role.QUASI_IDENTIFIER, "person": Role.IDENTIFIER,
        "seen": Role.SENSITIVE, "group": Role.OTHER, "level": Role.QUASI_IDENTIFIER, "when": Role.OTHER,
    }  # fmt: skip
    assert schema["age"].hierarchy.path("18") == ("18", "15-19", "10-19", "0-19", "*")
    assert (schema["age"].scale, schema["seen"].scale_word) == (Scale.ORDINAL, "date")
    assert (schema["level"].scale, schema["level"].categories) == (Scale.ORDINAL, ("low", "middle", "high"))
    assert schema["level"].hierarchy.path("high") == ("high", "strong", "*")
    assert (schema["when"].scale, schema["when"].hierarchy) == (Scale.NOMINAL, None)
    assert [note.split(":")[0] for note in source.notes[1:]] == [
        "The format of dates of when that comes with the file is left out",
        "The hierarchy of when that comes with the file is left out",
    ]
    moved = np.roll(source.table.column("age"), 1)
    report = source.write(tmp_path / "out.csv", masked(source.table, age=moved))
    assert report.dropped == ("person",)
    assert (tmp_path / "out.csv").read_text().splitlines()[1] == "20;Female;2020-01-11;0;low;Mon 10:00"
    assert source.original.suffix == ".csv"


def test_serialised_objects_of_projects_are_never_unpacked(tmp_path, hierarchies, monkeypatch):
    opened, plain = [], zipfile.ZipFile.open

    def watched(self, name, *more, **options):
        opened.append(str(getattr(name, "filename", name)))
        return plain(self, name, *more, **options)

    path = project(tmp_path, hierarchies)
    monkeypatch.setattr(zipfile.ZipFile, "open", watched)
    read_source(path)
    assert "data/input.csv" in opened
    assert all(name.endswith((".csv", ".xml")) for name in opened)
    assert not any(name.startswith(("output/", "data/output")) for name in opened)


def test_damaged_projects_are_refused(tmp_path, hierarchies):
    for text, why in (("<definition>", "not XML"), ("<!DOCTYPE x><definition/>", "declares entities")):
        with pytest.raises(DataError, match=why):
            read_source(project(tmp_path, hierarchies, text))


@pytest.mark.parametrize(
    "words",
    [("init", "datapackage.json", "--force", "--no-ask"), ("mask", "pram", "datapackage.json", "--protect", "size")],
)
def test_the_data_beside_a_descriptor_are_not_written_over(tmp_path, monkeypatch, capsys, words):
    from evosdc.cli import main

    monkeypatch.chdir(tmp_path)
    package(tmp_path)
    before = (tmp_path / "people.csv").read_bytes()
    with pytest.raises(SystemExit) as caught:
        main([*words, "-o", "people.csv"])
    assert (caught.value.code, (tmp_path / "people.csv").read_bytes()) == (2, before)
    assert "the path of a file that is read" in capsys.readouterr().err


def test_init_writes_what_a_project_says(tmp_path, hierarchies, monkeypatch, capsys):
    from evosdc.cli import main

    monkeypatch.chdir(tmp_path)
    project(tmp_path, hierarchies)
    with pytest.raises(SystemExit):
        main(["init", "adult.deid", "-o", "s.toml"])
    assert "Roles and hierarchies are those that come with the file." in capsys.readouterr().out
    assert 'hierarchy = "s-age.csv"' in (tmp_path / "s.toml").read_text()
    (tmp_path / "s.toml").unlink()
    with pytest.raises(SystemExit) as caught:
        main(["init", "adult.deid", "-o", "s.toml"])
    assert (caught.value.code, "s-age.csv: given a file that exists" in capsys.readouterr().err) == (2, True)


def package(folder: Path, **resource: object) -> Path:
    (folder / "people.csv").write_text("size|level|born|pay|note\n" + "".join(
        f"{'SML'[k % 3]}|{1 + k % 3}|2001-0{1 + k % 9}-02|{-1 if k == 2 else k * 7}|{'xy'[k % 2]}\n" for k in range(30)
    ))  # fmt: skip
    fields = [
        {"name": "size", "type": "string", "categories": ["S", "M", "L"], "categoriesOrdered": True},
        {"name": "level", "type": "integer", "constraints": {"enum": [1, 2, 3]}},
        {"name": "born", "type": "date"},
        {"name": "pay", "type": "integer", "missingValues": ["-1"]},
        {"name": "note", "type": "string"},
    ]
    told = {"name": "people", "path": "people.csv", "dialect": {"delimiter": "|"}, "schema": {"fields": fields}}
    return write(folder, json.dumps({"name": "x", "resources": [told | resource]}), "datapackage.json")


def test_data_packages_bring_types_orders_and_missing_values(tmp_path):
    source = read_source(package(tmp_path))
    schema = source.table.schema
    assert (schema["size"].scale, schema["size"].categories) == (Scale.ORDINAL, ("S", "M", "L"))
    assert (schema["level"].scale, schema["level"].categories) == (Scale.NOMINAL, ("1", "2", "3"))
    assert (schema["born"].scale_word, schema["born"].role) == ("date", Role.QUASI_IDENTIFIER)
    assert (schema["pay"].scale, schema["pay"].missing) == (Scale.NUMERIC, ("-1",))
    assert source.table.missing_in(schema["pay"]) == 1


def test_a_package_that_is_written_is_read_again(tmp_path):
    source = read_source(package(tmp_path))
    same = masked(source.table, level=np.minimum(source.table.column("level"), 1))
    source.write(tmp_path / "released.csv", same)
    descriptor = package_of(source.table.with_columns(same), [], "My release!", "released.csv")
    assert descriptor["resources"][0]["schema"]["fields"][1]["categories"] == ["1", "2"]
    descriptor["resources"][0]["dialect"] = {"delimiter": "|"}
    again = read_source(write(tmp_path, json.dumps(descriptor), "released.json")).table.schema
    for name in ("size", "born", "pay"):
        assert (again[name].scale, again[name].categories, again[name].missing) == (
            source.table.schema[name].scale, source.table.schema[name].categories, source.table.schema[name].missing
        )  # fmt: skip
    assert descriptor["name"] == "my-release-"


@pytest.mark.parametrize("path", ["../people.csv", "/etc/passwd", "https://x.org/a.csv", 3])
def test_packages_with_data_elsewhere_are_refused(tmp_path, path):
    with pytest.raises(DataError):
        read_source(package(tmp_path, path=path))


SDMX = """<?xml version="1.0"?>
<mes:Structure xmlns:mes="m" xmlns:str="s"><str:Codelists><str:Codelist id="CL_AREA">
<str:Code id="EU"/><str:Code id="ES"><str:Parent><Ref id="EU"/></str:Parent></str:Code>
<str:Code id="FR"><str:Parent>EU</str:Parent></str:Code><str:Code id="US"/></str:Codelist>
<str:Codelist id="CL_SEX"><str:Code id="F"/><str:Code id="M"/></str:Codelist></str:Codelists></mes:Structure>
"""
DDI = """<codeBook xmlns="ddi:codebook:2_5"><dataDscr><var name="OCC">
<catgryGrp ID="g1" catgry="c1 c2"><labl>managers</labl></catgryGrp><catgryGrp ID="g2" catgry="c3"/>
<catgryGrp ID="g3" catGrp="g1 g2"><labl>employed</labl></catgryGrp>
<catgry ID="c1"><catValu>11</catValu></catgry><catgry ID="c2"><catValu>12</catValu></catgry>
<catgry ID="c3"><catValu>21</catValu></catgry><catgry ID="c4"><catValu>90</catValu></catgry>
<catgry ID="c9" missing="Y"><catValu>99</catValu></catgry></var></dataDscr></codeBook>
"""


def test_code_lists_are_hierarchies(tmp_path):
    write(tmp_path, SDMX, "codes.xml")
    area = read_hierarchy(tmp_path / "codes.xml#CL_AREA")
    assert area.path("ES") == ("ES", "EU", "*")
    assert area.path("FR") == ("FR", "EU", "*")
    assert area.path("US") == ("US", "US", "*")
    jobs = read_hierarchy(write(tmp_path, DDI, "book.xml"))
    assert jobs.path("12") == ("12", "managers", "employed", "*")
    assert jobs.path("21") == ("21", "g2", "employed", "*")
    assert jobs.path("90") == ("90", "90", "90", "*")
    assert "99" not in jobs.position


def test_code_lists_that_cannot_be_told_are_refused(tmp_path):
    write(tmp_path, SDMX, "codes.xml")
    for name, why in (("codes.xml", "2 code lists"), ("codes.xml#CL_ARE", "Did you mean")):
        with pytest.raises(HierarchyError, match=why):
            read_hierarchy(tmp_path / name)
    for text, why in (("<a>", "not XML"), ("<!DOCTYPE a><a/>", "entities"), ("<a/>", "no code list at all")):
        with pytest.raises(HierarchyError, match=why):
            read_hierarchy(write(tmp_path, text, "x.xml"))


def test_a_schema_names_a_code_list(tmp_path):
    write(tmp_path, SDMX, "codes.xml")
    path = write(tmp_path, "area,x\nES,1\nFR,2\nUS,2\n")
    text = '[attributes]\narea = { role = "quasi-identifier", hierarchy = "codes.xml#CL_AREA" }\n'
    assert read_source(path, write(tmp_path, text, "s.toml")).table.schema["area"].hierarchy.path("FR")[1] == "EU"
