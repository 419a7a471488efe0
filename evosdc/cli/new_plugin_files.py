"""The files of a new distribution, from their templates."""

import keyword
import re
from string import Template

from evosdc.cli.plugin_classes import ALGORITHM, GENOTYPE, MASKING_METHOD, MEASURE, PRIVACY_MODEL
from evosdc.cli.plugin_functions import (
    COMMAND,
    DATASET,
    EXECUTOR,
    FITNESS,
    FORMAT,
    LIMIT,
    OPERATOR,
    PICTURE,
    PORTFOLIO,
)
from evosdc.plugins.contract_version import IN_WORDS
from evosdc.plugins.kinds import KINDS, Kind
from evosdc.specs import Spec

SOURCES = {
    "measure": MEASURE,
    "masking-method": MASKING_METHOD,
    "genotype": GENOTYPE,
    "algorithm": ALGORITHM,
    "privacy-model": PRIVACY_MODEL,
    "fitness": FITNESS,
    "operator": OPERATOR,
    "executor": EXECUTOR,
    "dataset": DATASET,
    "portfolio": PORTFOLIO,
    "format": FORMAT,
    "limit": LIMIT,
    "picture": PICTURE,
    "command": COMMAND,
}
"""The source of the module with the class or function, by kind."""

COMMAND_KIND = Kind("command", "commands", Spec, "", "command")
"""A command is no offer with a spec: its hook is given the command line."""

MADE = {**KINDS, COMMAND_KIND.name: COMMAND_KIND}
"""What can be made, by kind."""

DECLARED = {
    "measure": '\n        kind="il",\n        scales=("nominal", "ordinal", "numeric"),',
    "operator": '\n        varies="mutate",',
    "dataset": '\n        records=60,\n        attributes=3,\n        licence="CC0",',
    "format": '\n        suffixes=(".psv",),',
    "limit": '\n        il=("dbil",),\n        dr=("best-guess",),',
}
"""Further lines of the spec."""

PROJECT = """[build-system]
requires = ["setuptools>=68"]
build-backend = "setuptools.build_meta"

[project]
name = "$distribution"
version = "0.1.0"
description = "The $noun $name for evosdc"
readme = "README.md"
requires-python = ">=3.11"
dependencies = ["evosdc", "numpy", "pydantic"]

[project.optional-dependencies]
test = ["pytest"]                       # evosdc.testing needs it

[project.entry-points.evosdc]
$name = "$package"

[tool.setuptools]
packages = ["$package"]

[tool.pytest.ini_options]
testpaths = ["tests"]
"""

README = """# $distribution

The $noun `$name` for evosdc.

    python -m pip install -e '.[test]'       # with pytest, which the tests need
    $look
    python -m pytest

Where evosdc and pytest are installed already, `python -m pip install --no-deps -e .` fetches nothing but setuptools to
build with, and with `--no-build-isolation` not even that, where setuptools 70.1 or later is there. In a fresh
environment, such as that of `.ci/run`, pip has to find evosdc: where no index has it, put its wheel into a folder and
say `PIP_OPTIONS="--find-links FOLDER" sh .ci/run`.

| file | what is in it |
|---|---|
| `$package/__init__.py` | the hook, which evosdc finds by the entry point in `pyproject.toml` |
| `$package/$module.py` | the $noun |
| `tests/` | its tests: $tested |
| `.ci/run` | installs and tests it; `.github/workflows/test.yml` calls it after each push |

It is written for contract $contract of evosdc (`evosdc_contract`): an evosdc with another first number will not load
it. Everything that a plugin needs is imported from `evosdc.model`, and for tests from `evosdc.testing`. Something is
wrong? `evosdc plugins doctor` says what.
"""

CI = """#!/bin/sh
# Installs this distribution with what its tests need, pytest among it, and runs them.
set -e
cd "$$(dirname "$$0")/.."
$${PYTHON:-python} -m pip install $${PIP_OPTIONS:-} -e '.[test]'
$${PYTHON:-python} -m pytest
"""

WORKFLOW = """name: test
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: sh .ci/run
"""

COMMAND_HOOK = '''"""What this distribution adds to evosdc. Nothing heavy is imported here."""

from evosdc.model import hookimpl

evosdc_contract = "$contract"


@hookimpl
def evosdc_commands(cli):
    """Add the command `$name`."""
    from $package.command import $class_name

    cli.add_command($class_name)
'''

HOOK = '''"""What this distribution adds to evosdc. Nothing heavy is imported here."""

from evosdc.model import $spec, hookimpl

evosdc_contract = "$contract"


@hookimpl
def $hook():
    """Offer the $noun `$name`."""
    yield $spec(
        name="$name",
        implementation="$package.$module:$class_name",
        summary="One line for listings.",$declared
    )
'''

TEST = """from $package.$module import $class_name

from evosdc.testing import $suite


class Test$class_name($suite):
    def $method(self$given):
        return $class_name($class_name.Params()$given)
"""

FUNCTION_TEST = """from $package.$module import $class_name

from evosdc.testing import $suite


class Test$title($suite):$data
    def $method(self):
        return $class_name
"""

LIMIT_TEST = """from $package.limit import $class_name

from evosdc.testing import LimitConformance


class Test$title(LimitConformance):
    il = ("dbil",)
    disclosure = ("best-guess",)

    def limit(self, judgement, seconds):
        return $class_name(judgement, seconds)
"""

COMMAND_TEST = """from $package.command import $class_name
from click.testing import CliRunner


def test_it_counts(tmp_path):
    file = tmp_path / "ward.csv"
    file.write_text("age,ward\\nold,north\\nold,south\\nchild,east\\n")
    done = CliRunner().invoke($class_name, [str(file)])
    assert done.output == "3 records, 2 columns\\n"


def test_a_file_that_is_not_there_is_told_of(tmp_path):
    assert CliRunner().invoke($class_name, [str(tmp_path / "no.csv")]).exit_code != 0
"""

DATA = {"dataset": "\n    records, attributes = 60, 3\n",
        "format": '\n    content = b"age|ward\\nold|north\\nchild|south\\n"\n'}  # fmt: skip
"""What a suite is told besides the function."""


def files(kind: str, name: str) -> dict[str, str]:
    """Return the files of a new distribution: texts by path."""
    made, package = MADE[kind], f"evosdc_{name.replace('-', '_')}"
    words = {
        "name": name, "package": package, "distribution": f"evosdc-{name}", "class_name": class_name(name, made),
        "noun": made.noun, "module": made.short, "hook": made.hook, "spec": made.spec.__name__, "suite": made.suite,
        "method": made.short, "given": f", {made.given}" if made.given else "", "declared": DECLARED.get(kind, ""),
        "contract": IN_WORDS, "title": "".join(part.capitalize() for part in name.split("-")),
        "data": DATA.get(kind, ""),
        "look": f"evosdc {name} --help" if kind == "command" else f"evosdc plugins show {name}",
        "tested": "what it prints" if kind == "command" else f"the suite `{made.suite}`, to which you add your own",
    }  # fmt: skip
    texts = {
        "pyproject.toml": PROJECT,
        "README.md": README,
        ".ci/run": CI,
        ".github/workflows/test.yml": WORKFLOW,
        f"{package}/__init__.py": COMMAND_HOOK if kind == "command" else HOOK,
        f"{package}/{made.short}.py": SOURCES[kind],
        f"tests/test_{package}.py": _test(made),
    }
    return {path: Template(text).substitute(words) for path, text in texts.items()}


def _test(made: Kind) -> str:
    if made.contract:
        return TEST
    return {"limit": LIMIT_TEST, "command": COMMAND_TEST}.get(made.name, FUNCTION_TEST)


def class_name(name: str, kind: Kind) -> str:
    """Return the name of the class: that of the plugin in capitals, unless it means something else in its module.

    A function has the plugin's name in lower case.
    """
    words = "".join(part.capitalize() for part in name.split("-")) if kind.contract else name.replace("-", "_")
    taken = set(re.findall(r"\w+", f"{SOURCES[kind.name]} {kind.suite}")) | set(keyword.kwlist)
    if words not in taken:
        return words
    return f"{words}{kind.short.capitalize()}" if kind.contract else f"{words}_{kind.short}"
