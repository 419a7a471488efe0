"""Hierarchies from code lists of SDMX and DDI."""

from __future__ import annotations

import pytest

from evosdc.errors import HierarchyError
from evosdc.files.schema.hierarchies import read_hierarchy
from evosdc.files.source import read_source

from .build import write

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
