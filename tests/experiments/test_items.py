"""The list of what the literature has: its commands name what is there, and its results are stored."""

import csv
import shlex
from pathlib import Path

import pytest

from evosdc.plugins.registry import default_registry

STUDIES = Path(__file__).parents[2] / "experiments"
ROWS = list(csv.DictReader((STUDIES / "items" / "items.csv").read_text(encoding="utf-8").splitlines()))


def test_nearly_all_items_of_the_literature_are_met() -> None:
    assert len({(row["source"], row["item"]) for row in ROWS}) == len(ROWS) >= 207
    assert sum(row["met"] == "yes" for row in ROWS) >= 200 * len(ROWS) / 207


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row["command"].startswith("python")], ids=lambda row: row["item"]
)
def test_studies_have_stored_what_shows_an_item(row: dict[str, str]) -> None:
    assert (STUDIES / shlex.split(row["command"])[2] / row["result"]).is_file()


def test_commands_name_methods_and_measures_that_are_registered() -> None:
    registry = default_registry()
    for row in ROWS:
        words = shlex.split(row["command"])
        if words[:2] == ["evosdc", "mask"]:
            assert words[2] in registry.names("masking-method"), row
        if "--measures" in words:
            assert set(words[words.index("--measures") + 1].split(",")) <= set(registry.names("measure")), row
