"""The command line, as a user would type it."""

from dataclasses import dataclass

import pytest

from evosdc.cli import main

SHORT = ("protect", "survey.csv", "--schema", "schema.toml", "--time", "0.3s", "--no-second-opinion")
"""A protection that takes no time."""


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
        return Answer(int(caught.value.code or 0), said.out, said.err)

    return call
