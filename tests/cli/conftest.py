"""The command line, as a user would type it."""

import shutil
from dataclasses import dataclass

import pytest

from evosdc.cli import main
from evosdc.cli.compiling import COMPILING
from evosdc.secret import Key

SHORT = ("protect", "survey.csv", "--schema", "schema.toml", "--time", "0.3s", "--no-second-opinion")
"""A protection that takes no time, and may end with a file that nobody may get."""

LONGER = (*SHORT[:4], "--generations", "40", "--no-tune", "--no-second-opinion", "--bound", "12")
"""One that ends with a file that some may get."""


@dataclass(frozen=True)
class Answer:
    """What a command left behind."""

    status: int
    out: str
    err: str


@pytest.fixture
def evosdc(capsys, monkeypatch, tmp_path):
    """Run commands in a folder of their own."""
    monkeypatch.chdir(tmp_path)

    def call(*words):
        capsys.readouterr()
        with pytest.raises(SystemExit) as caught:
            main([str(word) for word in words])
        said = capsys.readouterr()
        # Which test is the first to call a kernel hangs on their order.
        return Answer(int(caught.value.code or 0), said.out, said.err.replace(f"{COMPILING}\n", ""))

    return call


ROWS = "".join(f"{'mf'[i % 2]},{20 + i % 7},{'abc'[i * i % 3]}\n" for i in range(40))
SCHEMA = """[attributes]
sex = { role = "quasi-identifier", scale = "nominal" }
age = { role = "quasi-identifier", scale = "ordinal" }
"""
EXPERIMENT = """bound = 60
data = { file = "survey.csv", schema = "schema.toml" }
measures = { il = ["dbil"], dr = ["id"] }
executor = "serial"
stop = { generations = 2 }
"""


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A run that has finished, once for all tests."""
    home = tmp_path_factory.mktemp("finished")
    for name, text in (("survey.csv", "sex,age,town\n" + ROWS), ("schema.toml", SCHEMA), ("e.toml", EXPERIMENT)):
        (home / name).write_text(text)
    Key(bytes([3] * 32)).write(home / "drawn-from")  # what other keys draw may be refused
    with pytest.raises(SystemExit) as caught:
        main(["run", str(home / "e.toml"), "-o", str(home / "r"), "--key", str(home / "drawn-from"), "--quiet"])
    assert not caught.value.code
    return home


@pytest.fixture
def home(finished, tmp_path):
    """A copy of its own for each test; the data stay where the run found them."""
    shutil.copytree(finished / "r", tmp_path / "r")
    for name in ("survey.csv", "schema.toml"):
        shutil.copy(finished / name, tmp_path / name)
    return tmp_path
