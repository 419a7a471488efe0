"""Hierarchy files: what begins with a label and what begins with XML."""

import pytest

from evosdc.errors import HierarchyError
from evosdc.files.schema.hierarchies import read_hierarchy


@pytest.mark.parametrize("first", ["<20", "<b>Bern</b>", "< 5 years", "<unknown>", "<1"])
def test_labels_may_begin_with_the_sign_of_xml(tmp_path, first):
    path = tmp_path / "bands.csv"
    path.write_text(f"{first};young;*\n20-39;young;*\n40+;old;*\n", encoding="utf-8")
    hierarchy = read_hierarchy(path)
    assert hierarchy.leaves == (first, "20-39", "40+")
    assert hierarchy.levels[0] == ("young", "*")


@pytest.mark.parametrize("text", ["<?xml version='1.0'?><Structure/>", "<str:Structure>", "<codeBook>", "<!-- x -->"])
def test_code_lists_are_read_as_xml(tmp_path, text):
    path = tmp_path / "codes.xml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(HierarchyError, match=r"code list|XML"):
        read_hierarchy(path)
