"""The code blocks of the pages: found, run in their order, and their output compared.

A block of ``console`` has commands behind ``$`` and what they print below; ``...`` stands for anything, blanks do not
count. A block of ``sh`` has commands alone. ``python`` is executed, in one namespace a page, and compared where it is
written with ``>>>``. ``toml`` is read as what it is. A block that begins with ``# NAME.ending`` is also written as that
file. A block that begins with ``# not run here: REASON`` is only held against the commands, options and keys that there
are.
"""

from __future__ import annotations

import ast
import doctest
import re
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from sybil import Example, Sybil
from sybil.parsers.markdown import CodeBlockParser

from evosdc.experiment.experiment import Experiment
from evosdc.experiment.reader import parse_experiment
from evosdc.files.schema.schema_file import SCHEMA_KEYS, schema_of_text
from tests.docs.commands import REFUSED, check_form, lines_of, run_line

NOT_RUN = re.compile(r"\A# not run here: (\S.+)\n")
NAMED = re.compile(r"\A# ([\w-]+\.[a-z]+)\n")
SHORTER = (
    (re.compile(r"(evosdc\.(?:tune|limit|Protector)\([^\n]*)\btime=\d+\b"), r"\g<1>time='0.3s'"),
    (re.compile(r"\btime=\d+\b"), "time=0.3, tune=False, second_opinion=False"),
    (re.compile(r'seconds(=|": )\d+'), r"seconds\g<1>0.3"),
)
"""What a search of a page is told in its place."""
COMPARED = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
PROSE = ("text", "math")
"""Languages of blocks that are no code."""


def console(text: str, _: dict[str, Any]) -> None:
    """Run the commands of a block and compare what they print."""
    commands = re.findall(r"^\$ (.+(?:\\\n.+)*)\n((?:(?!\$ ).*\n?)*)", text, flags=re.MULTILINE)
    status = 0
    for at, (command, wanted) in enumerate(commands):
        line = re.sub(r"\\\n>?\s*", "", command)
        asked = at + 1 < len(commands) and commands[at + 1][0] == "echo $?"
        if line == "echo $?":
            said = f"{status}\n"
        else:
            status, said = run_line(line)
            assert asked or status == 0 or REFUSED in said, f"$ {line}\nended with status {status}:\n{said}"
        assert same(wanted, said), f"$ {line}\nwanted:\n{wanted}\nprinted:\n{said}"


def shell(text: str, _: dict[str, Any]) -> None:
    """Run the commands of a block."""
    for line in lines_of(text):
        status, said = run_line(line)
        assert status == 0 or REFUSED in said, f"{line}\nended with status {status}:\n{said}"


def python(text: str, names: dict[str, Any]) -> None:
    """Execute a block; with ``>>>`` compare what it prints."""
    for written, shorter in SHORTER:
        text = written.sub(shorter, text)
    if ">>> " not in text:
        exec(compile(text, "page", "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(text, names, "page", None, 0)
    said: list[str] = []
    failed = doctest.DocTestRunner(optionflags=COMPARED).run(test, out=said.append, clear_globs=False).failed
    names.update(test.globs)
    assert not failed, "".join(said)


def toml(text: str, names: dict[str, Any]) -> None:
    """Read a block: a schema, an experiment, or the part of one that is shown, in a whole one."""
    given = tomllib.loads(text)
    if NAMED.match(text) and not given.keys() <= {*Experiment.model_fields, *SCHEMA_KEYS}:
        return  # a file of another kind, which a command of the page reads
    if given.keys() <= SCHEMA_KEYS.keys():
        rules = given.pop("edit_rules", None)
        assert rules is None or rules
        schema_of_text(text, Path("schema.toml").resolve())
        return
    parse_experiment({"data": {"name": "housing"}} | given, Path.cwd())


RUN: dict[str, Callable[[str, dict[str, Any]], None]] = {
    "console": console,
    "sh": shell,
    "python": python,
    "toml": toml,
}


def form(language: str, text: str, names: dict[str, Any]) -> None:
    """Hold a block that is not run against what there is."""
    if language == "toml":
        toml(text, names)
    elif language == "python":
        examples = doctest.DocTestParser().get_examples(text)
        ast.parse("".join(example.source for example in examples) if examples else text)
    else:
        typed = re.findall(r"^\$ (.+)$", text, flags=re.MULTILINE) if language == "console" else lines_of(text)
        for line in typed:
            check_form(line)


def same(wanted: str, said: str) -> bool:
    """Whether what was printed is what a page shows."""
    return doctest.OutputChecker().check_output(wanted.strip() + "\n", said.strip() + "\n", COMPARED)


def evaluate(language: str, example: Example) -> None:
    """Run one block, or hold it against what there is."""
    text = str(example.parsed)
    named = NAMED.match(text)
    if named:
        Path(named[1]).write_text(text, encoding="utf-8")
    try:
        if NOT_RUN.match(text):
            form(language, text, example.namespace)
        else:
            RUN[language](text, example.namespace)
    except Exception as error:
        error.add_note(f"{example.path}:{example.line}")
        raise


def run_page(path: Path, names: dict[str, Any]) -> int:
    """Run all blocks of a page in the current folder; return how many there were."""
    document = Sybil(parsers=[CodeBlockParser(language, partial(evaluate, language)) for language in RUN]).parse(path)
    document.namespace.update(names)
    found = list(document.examples())
    for example in found:
        example.evaluate()
    return len(found)
