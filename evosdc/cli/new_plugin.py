"""``evosdc new-plugin``: a distribution of one's own that works and passes its tests from the start."""

import keyword
import re
import shlex
import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from string import Template

import click

from evosdc.cli.options import PATH
from evosdc.cli.plugin_classes import ALGORITHM, GENOTYPE, MASKING_METHOD, MEASURE, PRIVACY_MODEL
from evosdc.plugins.kinds import KINDS, Kind

SOURCES = {
    "measure": MEASURE,
    "masking-method": MASKING_METHOD,
    "genotype": GENOTYPE,
    "algorithm": ALGORITHM,
    "privacy-model": PRIVACY_MODEL,
}
"""The source of the module with the class, by kind."""

DECLARED = {"measure": '\n        kind="il",\n        scales=("nominal", "ordinal", "numeric"),'}
"""Further lines of the spec."""

NEEDED = ("pip", "pytest")
"""Modules without which a new distribution cannot be installed and tested."""

BUILDS_ALONE = (70, 1)
"""The version of setuptools from which on it builds without the package wheel."""

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")

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
test = ["pytest"]

[project.entry-points.evosdc]
$name = "$package"

[tool.setuptools]
packages = ["$package"]

[tool.pytest.ini_options]
testpaths = ["tests"]
"""

README = """# $distribution

The $noun `$name` for evosdc.

    python -m pip install --no-deps -e .     # fetches setuptools to build with
    evosdc plugins show $name
    python -m pytest                         # needs pytest

Where setuptools 70.1 or later is installed, `--no-build-isolation` builds with that one and fetches nothing.
"""

HOOK = '''"""What this distribution adds to evosdc. Nothing heavy is imported here."""

from evosdc.hookspecs import hookimpl
from evosdc.specs import $spec


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


@click.command("new-plugin")
@click.argument("kind")
@click.argument("name")
@click.option("-o", "--output", type=PATH, metavar="DIR", help="New folder; default: evosdc-NAME.")
def new_plugin(kind: str, name: str, output: Path | None) -> None:
    """Write a small distribution that adds a KIND called NAME: it works and passes its tests as it is.

    KIND is one of measure, masking-method, genotype, algorithm, privacy-model.
    """
    from evosdc.cli.text import say
    from evosdc.files.atomic import write_text

    require_usable(kind, name)
    folder = output if output is not None else Path(f"evosdc-{name}")
    require_free(folder)
    for path, text in files(kind, name).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        write_text(folder / path, text)
        (folder / path).chmod(0o644)  # source code, not microdata
        say(f"{folder / path}")
    lacking = [module for module in NEEDED if find_spec(module) is None]
    if lacking:
        say(f"Lacking for what follows: {', '.join(lacking)}. Install them first.")
    offline = builds_offline(version_of("setuptools"), find_spec("wheel") is not None)
    own = ["--no-build-isolation"] if offline else []
    install = [sys.executable, "-m", "pip", "install", "--no-deps", *own, "-e", str(folder)]
    say(f"Next: {shlex.join(install)}")
    if not offline:
        say("It downloads setuptools to build with; setuptools 70.1 or later in this environment makes that needless.")
    say(f"Then: evosdc plugins test {name}")


def version_of(distribution: str) -> tuple[int, ...]:
    """Return the first numbers of the version of an installed distribution; empty where it is not installed."""
    try:
        found = re.match(r"[0-9]+(?:\.[0-9]+)*", metadata.version(distribution))
    except metadata.PackageNotFoundError:
        return ()
    return tuple(map(int, found[0].split("."))) if found else ()


def builds_offline(setuptools: tuple[int, ...], wheel: bool) -> bool:
    """Whether what is installed can build a distribution, so that nothing has to be fetched for it."""
    return setuptools >= BUILDS_ALONE or (wheel and bool(setuptools))


def files(kind: str, name: str) -> dict[str, str]:
    """Return the files of a new distribution: texts by path."""
    made, package = KINDS[kind], f"evosdc_{name.replace('-', '_')}"
    words = {
        "name": name, "package": package, "distribution": f"evosdc-{name}", "class_name": class_name(name, made),
        "noun": made.noun, "module": made.short, "hook": made.hook, "spec": made.spec.__name__, "suite": made.suite,
        "method": made.short, "given": f", {made.given}" if made.given else "", "declared": DECLARED.get(kind, ""),
    }  # fmt: skip
    texts = {
        "pyproject.toml": PROJECT,
        "README.md": README,
        f"{package}/__init__.py": HOOK,
        f"{package}/{made.short}.py": SOURCES[kind],
        "tests/test_conformance.py": TEST,
    }
    return {path: Template(text).substitute(words) for path, text in texts.items()}


def class_name(name: str, kind: Kind) -> str:
    """Return the name of the class: that of the plugin in capitals, unless it means something else in its module."""
    words = "".join(part.capitalize() for part in name.split("-"))
    taken = set(re.findall(r"\w+", f"{SOURCES[kind.name]} {kind.suite}")) | set(keyword.kwlist)
    return f"{words}{kind.short.capitalize()}" if words in taken else words


def require_usable(kind: str, name: str) -> None:
    """Raise `InputError` with all that is wrong with a kind and a name."""
    from evosdc.errors import Fault, InputError, did_you_mean
    from evosdc.plugins.registry import default_registry

    faults = []
    if kind not in SOURCES:
        faults.append(Fault("KIND", repr(kind), f"one of {', '.join(SOURCES)}", did_you_mean(kind, SOURCES)))
    if not NAME.fullmatch(name):
        wanted = "lower-case letters and digits joined by hyphens, a letter first"
        faults.append(Fault("NAME", repr(name), wanted, "For example share-changed."))
    elif kind in SOURCES and name in default_registry().names(kind):
        taken = f"a name that {default_registry().provider(kind, name)} offers"
        faults.append(Fault(f"{kind} {name}", taken, "a name of your own", "Two offers of one name cannot be used."))
    if faults:
        raise InputError(faults)


def require_free(folder: Path) -> None:
    """Raise `InputError` when something stands where the distribution is to be written."""
    from evosdc.errors import Fault, InputError

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        given = "a folder that is not empty" if folder.is_dir() else "a file"
        raise InputError(Fault(str(folder), given, "a new or empty folder", "Choose another one with -o."))
