"""``--sheet`` and ``--encoding`` say how a data file is read, whatever the command."""

from __future__ import annotations

from pathlib import Path

import pytest
from openpyxl import Workbook

from evosdc.experiment.data import load_data
from evosdc.experiment.experiment import DataSource
from evosdc.plugins.registry import default_registry

ROWS = [(str(20 + k % 9), "\u0141\u00f3d\u017a" if k % 2 else "Krak\u00f3w") for k in range(40)]
COMMANDS = [
    ["init", "FILE", "--no-ask", "-o", "OUT.toml"],
    ["mask", "rank-swapping", "FILE", "--protect", "age,town", "-o", "OUT.csv"],
    ["risk", "FILE", "--models", "k-anonymity", "--quasi-identifiers", "age,town"],
    ["measure", "FILE", "plain.csv", "--measures", "dbil", "--protect", "age,town"],
    ["check", "--data", "FILE", "--protect", "age,town"],
    ["table", "FILE", "--by", "town", "--seed", "1", "-o", "OUT.csv"],
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    book = Workbook()
    for row in (("x", "y"), (1, 2), (3, 4)):
        book.active.append(row)
    sheet = book.create_sheet("data")
    for row in (("age", "town"), *ROWS):
        sheet.append(row)
    book.save(tmp_path / "data.xlsx")
    text = "\n".join(map(",".join, [("age", "town"), *ROWS])) + "\n"
    (tmp_path / "data.csv").write_bytes(text.encode("cp1250"))
    (tmp_path / "plain.csv").write_text(text)
    return tmp_path


def of(command: list[str], file: str, out: str) -> list[str]:
    return [file if word == "FILE" else word.replace("OUT", out) for word in command]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_every_command_reads_the_sheet_and_the_encoding_that_are_named(evosdc, folder, command):
    assert evosdc(*of(command, "data.xlsx", "a"), "--sheet", "data").status == 0
    assert evosdc(*of(command, "data.csv", "b"), "--encoding", "cp1250").status == 0
    refused = evosdc(*of(command, "data.xlsx", "c"), "--sheet", "date")
    assert refused.status == 2
    assert "no sheet 'date'" in refused.err
    assert "Did you mean 'data'" in refused.err


def test_an_experiment_names_sheet_and_encoding(folder):
    book = load_data(DataSource(file=folder / "data.xlsx", sheet="data"), default_registry())
    text = load_data(DataSource(file=folder / "data.csv", encoding="cp1250"), default_registry())
    assert (
        set(text.table.schema["town"].categories) == set(book.table.schema["town"].categories) == {r[1] for r in ROWS}
    )


def test_a_data_set_is_read_as_its_description_says(evosdc):
    refused = evosdc("risk", "housing", "--sheet", "data")
    assert refused.status == 2
    assert "it is read as its description says" in refused.err
