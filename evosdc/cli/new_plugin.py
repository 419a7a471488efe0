"""``evosdc new-plugin``: a distribution of one's own that works and passes its tests from the start."""

import keyword
import re
import shlex
import sys
from importlib import metadata, resources
from importlib.util import find_spec
from pathlib import Path
from string import Template

import click

from evosdc.cli.options import takes_options
from evosdc.options.plugins import NewPluginOptions
from evosdc.plugins.discovery import IN_WORDS
from evosdc.plugins.kinds import KINDS, Kind
from evosdc.specs import Spec

# A command is no offer with a spec: its hook is given the command line.
MADE = {**KINDS, "command": Kind("command", "commands", Spec, "", "command")}
"""What can be made, by kind; of each there is a file in ``plugin_templates`` with its module."""

DECLARED = {
    "measure": '\n        kind="il",\n        scales=("nominal", "ordinal", "numeric"),',
    "operator": '\n        varies="mutate",',
    "dataset": '\n        records=60,\n        attributes=3,\n        licence="CC0",',
    "format": '\n        suffixes=(".psv",),',
    "limit": '\n        il=("dbil",),\n        dr=("best-guess",),',
}
"""Further lines of the spec."""

DATA = {
    "dataset": "\n    records, attributes = 60, 3\n",
    "format": '\n    content = b"age|ward\\nold|north\\nchild|south\\n"\n',
}
"""What a suite is given besides the function."""

NEEDED = ("pip", "pytest")
"""Modules without which a new distribution cannot be installed and tested."""

BUILDS_ALONE = (70, 1)
"""The version of setuptools from which on it builds without the package wheel."""

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@click.command("new-plugin")
@click.argument("kind")
@click.argument("name")
@takes_options(NewPluginOptions)
def new_plugin(kind: str, name: str, options: NewPluginOptions) -> None:
    """Write a small distribution that adds a KIND called NAME: it works and passes its tests as it is.

    KIND is one of measure, masking-method, genotype, algorithm, operator, privacy-model, fitness, executor, dataset,
    portfolio, format, limit, picture, command.
    """
    from evosdc.cli.text import say
    from evosdc.files.atomic import write_text

    require_usable(kind, name)
    folder = options.output or Path(f"evosdc-{name}")
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
    test = kind if kind in ("limit", "command") else "class" if made.contract else "function"
    templates = {
        "pyproject.toml": "pyproject",
        "README.md": "readme",
        ".ci/run": "ci",
        ".github/workflows/test.yml": "workflow",
        f"{package}/__init__.py": "command-hook" if kind == "command" else "hook",
        f"{package}/{made.short}.py": kind,
        f"tests/test_{package}.py": f"{test}-test",
    }
    return {path: Template(template(which)).substitute(words) for path, which in templates.items()}


def template(name: str) -> str:
    """Return the text of a template."""
    return (resources.files("evosdc.cli") / "plugin_templates" / f"{name}.txt").read_text(encoding="utf-8")


def class_name(name: str, kind: Kind) -> str:
    """Return the name of the class: that of the plugin in capitals, unless it means something else in its module.

    A function has the plugin's name in lower case.
    """
    words = "".join(part.capitalize() for part in name.split("-")) if kind.contract else name.replace("-", "_")
    taken = set(re.findall(r"\w+", f"{template(kind.name)} {kind.suite}")) | set(keyword.kwlist)
    if words not in taken:
        return words
    return f"{words}{kind.short.capitalize()}" if kind.contract else f"{words}_{kind.short}"


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
    if kind not in MADE:
        faults.append(Fault("KIND", repr(kind), f"one of {', '.join(MADE)}", did_you_mean(kind, MADE)))
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
