"""Commands of the documentation: run, or where they cannot be run, held against the commands that there are."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click

from evosdc.cli import cli, main

ROOT = Path(__file__).resolve().parents[2]
SHELL_SIGNS = re.compile(r"[|<>;*$`&]|^\w+=")
TIME = re.compile(r"--time[ =]\S+")
"""Searches of the pages take part of a second in the tests."""

QUICK = "--time 0.3s"
QUICK_SEARCH = "--generations 5 --no-tune --no-second-opinion"
REFUSED = "Verdict: NOT PUBLISHABLE"
"""What a search of little time may end with, and status 1."""
KEY = "page.key"
"""The key file of all searches of the pages, so that tests come to the same; of a seed the verdict would be another."""


def lines_of(block: str) -> list[str]:
    """Return the commands of a block of shell lines, without comments, continued lines joined."""
    joined = re.sub(r"\\\n\s*", "", block)
    return [line for line in map(str.strip, joined.splitlines()) if line and not line.startswith("#")]


def run_line(line: str) -> tuple[int, str]:
    """Run a line of the shell in the current folder; return its exit status and all that it printed."""
    if line.startswith("evosdc protect"):
        drawn = "" if re.search("--(key|seed) ", line) else f" --key {KEY}"
        line = TIME.sub(f"{QUICK_SEARCH}{drawn}", line)
    line = TIME.sub(QUICK, line)
    status, said = 0, ""
    for part in line.split(" && "):
        status, more = _run_part(part)
        said += more
        if status:
            break
    return status, said


def _run_part(part: str) -> tuple[int, str]:
    words = shlex.split(part, comments=True)
    if not words:
        return 0, ""
    bare = re.sub(r"'[^']*'|\"[^\"]*\"", "", part.split(" #")[0])
    if words[0] == "evosdc" and not SHELL_SIGNS.search(bare):
        return _in_process(words[1:])
    folder = Path(sys.executable).parent
    environment = os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", part], env=environment, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return done.returncode, done.stdout


def _in_process(words: list[str]) -> tuple[int, str]:
    said, status = io.StringIO(), 0
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            main(words)
        except SystemExit as left:
            status = left.code if isinstance(left.code, int) else 0
    return status, said.getvalue()


def check_form(line: str) -> None:
    """Raise where a line that is not run names a command, an option or a script that does not exist."""
    for part in re.split(r" && | \| ", line):
        # --plugin may stand anywhere, and is read before the commands.
        words = shlex.split(re.sub(r" --plugin \S+", "", part), comments=True)
        if "evosdc" in words[:1]:
            _check_command(words[1:])
        elif words[:1] in (["python"], ["python3"]) and words[1:2] != ["-c"]:
            _check_script(words[1:])
        elif len(words) > 1 and words[0] == "sbatch":
            assert (ROOT / words[1]).exists(), f"{words[1]} does not exist"


def _check_command(words: list[str]) -> None:
    command: click.Command = cli
    name = "evosdc"
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        name, words = words[0], words[1:]
        inner = command.get_command(click.Context(command), name)
        assert inner is not None, f"there is no command {name}"
        command = inner
    try:
        command.make_context(name, [word.strip("[]") for word in words])
    except click.BadParameter as error:
        # A file that the reader has and the test has not is no mistake of the page.
        if not isinstance(error.param, click.Parameter) or not isinstance(error.param.type, click.Path):
            raise


def _check_script(words: list[str]) -> None:
    module = words[0] == "-m"
    name, options = (words[1], words[2:]) if module else (words[0], words[1:])
    if module and not name.startswith(("benchmarks", "docs")):
        import_module(name)
        return
    path = ROOT / (f"{name.replace('.', '/')}.py" if module else name)
    assert path.exists(), f"{path.name} does not exist"
    known = "".join(file.read_text(encoding="utf-8") for file in path.parent.glob("*.py"))
    for option in (word.strip("[]").partition("=")[0] for word in options):
        assert not option.startswith("--") or f'"{option}"' in known, f"{path.name} has no option {option}"
