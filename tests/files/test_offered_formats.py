"""Formats of data files that plugins offer, and names of levels in schema files."""

from pathlib import Path

import pytest

from evosdc import further_formats
from evosdc.errors import InputError
from evosdc.files.delimited_file import parse_delimited
from evosdc.files.schema.schema_file import dump_schema, schema_from_json, schema_to_json
from evosdc.files.source import read_source
from evosdc.further_formats import FurtherFormat, found_by

TREE = "Leeds;Yorkshire;*\nYork;Yorkshire;*\nBath;Somerset;*\n"


def parse(content: bytes, where: str):
    """Read a file whose first line is a mark; anything else is of another format."""
    return parse_delimited(content.partition(b"\n")[2], where) if content.startswith(b"chart") else None


@pytest.fixture
def charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Offer the format."""
    monkeypatch.setattr(further_formats, "_all", further_formats._all)
    found_by(lambda: [FurtherFormat((".chart", ".csv"), parse)])


@pytest.mark.usefixtures("charts")
def test_an_offered_format_is_asked_about_files_of_its_endings(tmp_path: Path) -> None:
    (tmp_path / "x.chart").write_text("chart 1\nage,sex\n3,f\n4,m\n")
    assert read_source(tmp_path / "x.chart").table.schema.names == ("age", "sex")
    (tmp_path / "y.csv").write_text("age,sex\n3,f\n4,m\n")
    assert len(read_source(tmp_path / "y.csv").table) == 2, "None leaves a file to the formats that are known"
    (tmp_path / "z.txt").write_text("chart,b\n1,2\n2,3\n")
    assert read_source(tmp_path / "z.txt").table.schema.names == ("chart", "b")


class TestNamesOfLevels:
    """Names travel with the hierarchy, and are checked."""

    def described(self, folder: Path, levels: str):
        (folder / "tree.csv").write_text(TREE)
        (folder / "d.csv").write_text("town,x\nLeeds,1\nYork,2\nBath,3\n")
        (folder / "s.toml").write_text(
            f'[attributes]\ntown = {{ scale = "nominal", hierarchy = "tree.csv", {levels} }}\n'
        )
        return read_source(folder / "d.csv", folder / "s.toml").table.schema

    def test_they_are_read_written_and_sent(self, tmp_path: Path) -> None:
        schema = self.described(tmp_path, 'levels = ["town", "county"]')
        hierarchy = schema["town"].hierarchy
        assert hierarchy is not None
        assert hierarchy.names == ("town", "county")
        sent = schema_from_json(schema_to_json(schema))["town"].hierarchy
        assert sent is not None
        assert sent.names == hierarchy.names
        (tmp_path / "new").mkdir()
        dump_schema(schema, tmp_path / "new" / "t.toml")
        again = read_source(tmp_path / "d.csv", tmp_path / "new" / "t.toml").table.schema["town"].hierarchy
        assert again is not None
        assert again.names == hierarchy.names

    @pytest.mark.parametrize("levels", ['levels = ["town"]', 'levels = ["a", "a"]', "levels = 3"])
    def test_wrong_ones_are_refused(self, tmp_path: Path, levels: str) -> None:
        with pytest.raises(InputError):
            self.described(tmp_path, levels)

    def test_a_rule_has_no_names(self, tmp_path: Path) -> None:
        (tmp_path / "d.csv").write_text("age,x\n3,1\n4,2\n")
        (tmp_path / "s.toml").write_text('[attributes]\nage = { hierarchy = { widths = [5] }, levels = ["a", "b"] }\n')
        with pytest.raises(InputError, match="names of levels without a hierarchy"):
            read_source(tmp_path / "d.csv", tmp_path / "s.toml")
