"""``evosdc new-plugin``: a distribution of one's own that works and passes its tests from the start."""

import re
import shlex
import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import click

from evosdc.cli.new_plugin_files import SOURCES, files
from evosdc.cli.options import PATH
from evosdc.plugins.kinds import KINDS

NEEDED = ("pip", "pytest")
"""Modules without which a new distribution cannot be installed and tested."""

BUILDS_ALONE = (70, 1)
"""The version of setuptools from which on it builds without the package wheel."""

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@click.command("new-plugin")
@click.argument("kind")
@click.argument("name")
@click.option("-o", "--output", type=PATH, metavar="DIR", help="New folder; default: evosdc-NAME.")
def new_plugin(kind: str, name: str, output: Path | None) -> None:
    """Write a small distribution that adds a KIND called NAME: it works and passes its tests as it is.

    KIND is one of measure, masking-method, genotype, algorithm, privacy-model, fitness, executor, dataset, portfolio,
    format, limit, picture, command.
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
    say(f"Then: {shlex.join([sys.executable, '-m', 'pytest', str(folder)])}, which needs pytest")
    if kind in KINDS and kind != "format":  # which is tested with a file of its own
        say(f"And: evosdc plugins test {name}, which also tells how fast it is")


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
    elif kind in KINDS and name in default_registry().names(kind):
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
