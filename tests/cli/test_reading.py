"""``--sheet`` and ``--encoding`` say how a data file is read, whatever the command."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from openpyxl import Workbook

from evosdc.cli import main
from evosdc.experiment.data import load_data
from evosdc.experiment.experiment import DataSource
from evosdc.plugins.registry import default_registry

COMMANDS = [
    ["init", "FILE", "--no-ask", "-o", "schema.toml"],
    ["mask", "rank-swapping", "FILE", "--protect", "age,town", "-o", "masked.csv"],
    ["risk", "FILE", "--models", "k-anonymity", "--quasi-identifiers", "age,town"],
    ["measure", "FILE", "plain.csv", "--measures", "dbrl", "--protect", "age,town"],
    ["check", "--data", "FILE", "--protect", "age,town"],
    ["table", "FILE", "--by", "town", "--seed", "1", "-o", "table.csv"],
]
ROWS = [(str(20 + k % 9), "\u0141\u00f3d\u017a" if k % 2 else "Krak\u00f3w") for k in range(40)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    book = Workbook()
    book.active.title = "other"
    for rows, sheet in (
        ([("x", "y"), (1, 2), (3, 4)], book.active),
        ([("age", "town"), *ROWS], book.create_sheet("data")),
    ):
        for row in rows:
            sheet.append(row)
    book.save("data.xlsx")
    text = "\n".join(map(",".join, [("age", "town"), *ROWS])) + "\n"
    Path("data.csv").write_bytes(text.encode("cp1250"))
    Path("plain.csv").write_text(text)
    return tmp_path


def run(arguments: list[str]) -> tuple[int, str]:
    result = CliRunner().invoke(main, arguments)
    return result.exit_code, result.output


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_every_command_reads_the_sheet_and_the_encoding_that_are_named(folder, command):
    sheet = ["data.xlsx" if word == "FILE" else word for word in command]
    assert run([*sheet, "--sheet", "data"])[0] == 0
    code, said = run(
        [*sheet, "--sheet", "date", "--force"] if command[0] in ("init", "mask") else [*sheet, "--sheet", "date"]
    )
    assert code == 2
    assert "no sheet 'date'" in said
    text = [
        "data.csv" if word == "FILE" else word.replace(".csv", "2.csv") if "plain" not in word else word
        for word in command
    ]
    text = [word.replace("schema", "schema2") for word in text]
    assert run([*text, "--encoding", "cp1250"])[0] == 0


def test_an_experiment_names_sheet_and_encoding(folder):
    book = load_data(DataSource(file=Path("data.xlsx"), sheet="data"), default_registry())
    text = load_data(DataSource(file=Path("data.csv"), encoding="cp1250"), default_registry())
    assert (
        set(text.table.schema["town"].categories) == set(book.table.schema["town"].categories) == {r[1] for r in ROWS}
    )


def test_a_data_set_is_read_as_it_says(folder):
    code, said = run(["risk", "survey", "--sheet", "data"])
    assert code == 2
    assert "none" in said
