"""Why a plugin does not load, or cannot be used: what is wrong, where, and what to do."""

import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from evosdc.errors import Fault, InputError, PluginError, did_you_mean
from evosdc.hookspecs import PROJECT
from evosdc.plugins.discovery import PLUGIN_ERRORS, in_words
from evosdc.plugins.kinds import KINDS
from evosdc.plugins.local_files import LocalFile, local_files
from evosdc.plugins.registry import Registry

MEND = "Mend it in the module of the hooks, then run this again."
POLICY = "What may change between contracts stands in docs/plugins/compatibility.md."

FOLDER = Path("plugins")  # where plugins in single files usually lie, below the working folder


@dataclass(frozen=True, slots=True)
class PluginFault:
    """One thing that is wrong: what, where in the source, and what to do."""

    what: str
    where: str
    advice: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The diagnosis of one plugin."""

    name: str
    origin: str  # the distribution and version, or the file
    offers: str  # what it offers, in words
    faults: tuple[PluginFault, ...]  # empty where all is well


def diagnose(name: str | None = None) -> list[Diagnosis]:
    """Look at every plugin, or at one: load it, ask what it offers, and import what it offers."""
    registry = Registry.load()
    sources = list(_sources())
    chosen = [one for one in sources if name in (None, one[0], one[1])]
    if not chosen:
        known = [plugin for plugin, *_ in sources]
        advice = did_you_mean(name or "", known) or "Is its distribution installed in this environment? See pip list."
        wanted = f"one of {', '.join(dict.fromkeys(known))}"
        raise InputError(Fault("plugins doctor", repr(name), wanted, f"{advice} A file is given by --plugin FILE."))
    return [_diagnosed(plugin, origin, entry, registry) for plugin, origin, entry in chosen]


def _sources() -> Iterator[tuple[str, str, EntryPoint | LocalFile | None]]:
    given = {file.path for file in local_files()}
    for file in local_files():
        yield file.name, str(file.path), file
    for path in sorted(FOLDER.glob("*.py")) if FOLDER.is_dir() else ():
        if path.resolve() not in given and "evosdc" in path.read_text(encoding="utf-8", errors="replace"):
            yield path.stem, str(path), None
    for entry in sorted(entry_points(group=PROJECT), key=lambda e: (e.name, e.value)):
        words = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
        yield entry.name, words, entry


def _diagnosed(name: str, origin: str, entry: EntryPoint | LocalFile | None, registry: Registry) -> Diagnosis:
    if entry is None:
        advice = f"Name it: evosdc --plugin {origin} plugins list"
        return Diagnosis(name, origin, "", (PluginFault("a file that no command loaded", "", advice),))
    try:
        entry.load()
    except PLUGIN_ERRORS as error:
        return Diagnosis(name, origin, "", (explained(error, entry),))
    faults = [
        PluginFault(problem.message, "", POLICY if "contract" in problem.message else MEND)
        for problem in registry.problems
        if problem.plugin == name
    ]
    offers = next((plugin.offers for plugin in registry.plugins if plugin.name == name), {})
    for kind, names in offers.items():
        for offered in names:
            try:
                registry.implementation(kind, offered)
            except PluginError as error:
                faults.append(explained(error.__cause__ or error, entry, f"{kind} {offered}: "))
            except InputError:
                continue  # a clash, which is among the problems
    words = ", ".join(
        f"{len(names)} {(KINDS[kind].name if len(names) == 1 else KINDS[kind].plural).replace('-', ' ')}"
        for kind, names in offers.items()
    )
    return Diagnosis(name, origin, words, tuple(faults))


def explained(error: BaseException, entry: EntryPoint | LocalFile, prefix: str = "") -> PluginFault:
    """Return an error that a plugin raised while it was imported, with the place in its source and what helps."""
    return PluginFault(f"{prefix}{in_words(error)}", _place(error), _advice(error, entry))


def _place(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return f"{error.filename}:{error.lineno}"
    own = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith("<") and "importlib" not in frame.filename and "/evosdc/" not in frame.filename
    ]
    return f"{own[-1].filename}:{own[-1].lineno}: {own[-1].line}" if own else ""


def _advice(error: BaseException, entry: EntryPoint | LocalFile) -> str:
    value = entry.value if isinstance(entry, EntryPoint) else entry.name
    own = value.partition(":")[0].partition(".")[0]
    lacking = getattr(error, "name", None) or ""
    if isinstance(error, ModuleNotFoundError) and lacking.partition(".")[0] == own and lacking in (own, value):
        return (
            f"The entry point names the module {value}, which is not there: its folder was moved, renamed or removed. "
            "Install the distribution again: pip install -e FOLDER."
        )
    if isinstance(error, ModuleNotFoundError):
        known = _names_of_evosdc() if lacking.startswith("evosdc.") else ()
        advice = "Authors import everything from evosdc.model." if known else f"Install it: pip install {lacking}."
        return f"{advice} Requirements belong into the plugin's pyproject.toml."
    if isinstance(error, ImportError) and lacking.startswith("evosdc"):
        wanted = str(error).partition("'")[2].partition("'")[0]
        meant = did_you_mean(wanted, _names_of_evosdc())
        words = [f"This evosdc has no {wanted or 'such name'} there.", meant, "See docs/plugins/compatibility.md."]
        return " ".join(filter(None, words))
    if isinstance(error, AttributeError):
        return "Is the name spelt as in the module? An implementation is written package.module:Class."
    if isinstance(error, SyntaxError):
        return "Mend the line; python -m py_compile FILE checks it."
    if isinstance(error, SystemExit):
        return "A plugin may not call sys.exit while it is imported."
    if isinstance(error, PluginError):
        return MEND
    return "The module raises this while it is imported; its hooks should do nothing but yield specs."


def _names_of_evosdc() -> list[Any]:
    from importlib import import_module

    return list(import_module("evosdc.model").__all__)
