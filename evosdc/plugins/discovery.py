"""Find plugins and collect their offers, one by one: a broken plugin is a reported problem, never the end.

The contract is all that `evosdc.model`, `evosdc.testing` and the hooks have. It has a version of its own, of two
numbers: the first rises when a plugin that kept to it may stop working, the second when something is added. A plugin
says in its module what it was written for: ``evosdc_contract = "2.0"``.
"""

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib.metadata import Distribution, entry_points

import pluggy

from evosdc import hookspecs
from evosdc.errors import PluginError
from evosdc.plugins.kinds import KINDS, Kind
from evosdc.plugins.local_files import local_files
from evosdc.plugins.registered import PLUGIN, RegisteredPlugin, registered
from evosdc.specs import OCCASIONS, MeasureSpec, Spec

CONTRACT = (2, 0)  # the contract of this evosdc

IN_WORDS = ".".join(map(str, CONTRACT))


def objection(said: object) -> tuple[str, bool]:
    """Return the fault of the contract version that a plugin names, and whether the plugin is then unusable."""
    # A plugin that names none is taken as it is.
    if said is None:
        return "", False
    if not isinstance(said, str) or not re.fullmatch(r"[0-9]+\.[0-9]+", said):
        return f"evosdc_contract is {said!r}, wanted a text of two numbers, such as {IN_WORDS!r}", True
    first, second = map(int, said.split("."))
    if first != CONTRACT[0]:
        older = first < CONTRACT[0]
        advice = "Install a newer version of the plugin" if older else "Install a newer evosdc"
        return f"it was written for contract {said} and this evosdc has {IN_WORDS}, which is another. {advice}", True
    if second > CONTRACT[1]:
        words = f"it was written for contract {said} and this evosdc has {IN_WORDS}: what came since is not there."
        return f"{words} Install a newer evosdc.", False
    return "", False


_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_IMPLEMENTATION = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")
_SCALES = ("nominal", "ordinal", "numeric")
_AGGREGATES = ("il", "dr")
# A plugin that calls sys.exit while it is imported or called is broken like any other.
PLUGIN_ERRORS = (Exception, SystemExit)


@dataclass(frozen=True, slots=True)
class PluginProblem:
    """A fault of a plugin; `distribution` is empty for one that was given directly."""

    plugin: str
    distribution: str
    message: str

    def __str__(self) -> str:
        origin = f" ({self.distribution})" if self.distribution else ""
        return f"plugin {self.plugin}{origin}: {self.message}"


@dataclass(frozen=True, slots=True)
class PluginInfo:
    """A plugin that could be loaded; `offers` lists its names by kind, clashing ones included."""

    name: str
    distribution: str
    version: str
    offers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def provider(self) -> str:
        """The plugin with the distribution and version that it came with, in words."""
        return f"{self.name} ({self.distribution} {self.version})" if self.distribution else self.name


@dataclass(frozen=True, slots=True)
class LoadedPlugin:
    """A plugin with its own hook callers, so that a plugin's hook never affects another's."""

    info: PluginInfo
    hooks: pluggy.HookRelay
    specs: tuple[tuple[str, Spec], ...]

    def implements(self, hook: str) -> bool:
        """Whether the plugin implements a hook."""
        caller: pluggy.HookCaller = getattr(self.hooks, hook)
        return bool(caller.get_hookimpls())


@dataclass(frozen=True, slots=True)
class _Candidate:
    name: str
    distribution: str
    version: str
    entry: object
    by_entry_point: bool


def discovered(
    extra_plugins: Mapping[str, object], by_entry_points: bool
) -> tuple[list[LoadedPlugin], list[PluginProblem]]:
    """Load all plugins, those of entry points first, and return them with the problems met."""
    plugins: list[LoadedPlugin] = []
    problems: list[PluginProblem] = []
    for candidate in _candidates(extra_plugins, by_entry_points):
        try:
            found = candidate.entry.load() if candidate.by_entry_point else candidate.entry  # type: ignore[attr-defined]
            plugin, complaints = _examined(candidate, found)
            plugins.append(plugin)
        except PLUGIN_ERRORS as error:
            complaints = [f"could not be loaded: {in_words(error)}. The other plugins work without it."]
        problems += [PluginProblem(candidate.name, candidate.distribution, message) for message in complaints]
    return plugins, problems


def in_words(error: BaseException) -> str:
    """Return the kind and the first line of an error."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def _candidates(extra_plugins: Mapping[str, object], by_entry_points: bool) -> Iterator[_Candidate]:
    if by_entry_points:
        for file in local_files():
            yield _Candidate(file.name, file.path.name, file.version, file, True)
        offered = registered()
        if offered:
            yield _Candidate(PLUGIN, "", "", RegisteredPlugin(offered), False)
        origins: dict[Distribution | None, tuple[str, str]] = {}
        for entry in sorted(entry_points(group=hookspecs.PROJECT), key=lambda e: (e.name, e.value)):
            if entry.dist not in origins:
                origins[entry.dist] = _origin(entry.dist)
            yield _Candidate(entry.name, *origins[entry.dist], entry, True)
    for name, plugin in extra_plugins.items():
        yield _Candidate(name, "", "", plugin, False)


def _origin(distribution: Distribution | None) -> tuple[str, str]:
    """Return the name and version of a distribution; its whole description is parsed for them each time."""
    if distribution is None:
        return "", ""
    metadata = distribution.metadata
    return metadata["Name"], metadata["Version"]


def _examined(candidate: _Candidate, found: object) -> tuple[LoadedPlugin, list[str]]:
    objected, fatal = objection(getattr(found, "evosdc_contract", None))
    if fatal:
        raise PluginError(objected)
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(found, candidate.name)
    known = [*(kind.hook for kind in KINDS.values()), "evosdc_commands", *hookspecs.EVENTS]
    messages = [_misspelt(name, known) for name, hook in vars(manager.hook).items() if not hook.has_spec()]
    messages += [objected] if objected else []
    messages += [
        f"{name} is not marked with @hookimpl and therefore ignored. Write it above: from evosdc.model import hookimpl."
        for name, member in inspect.getmembers(found, inspect.isroutine)
        if name.startswith("evosdc_") and not hasattr(member, "evosdc_impl")
    ]
    specs: list[tuple[str, Spec]] = []
    offers: dict[str, tuple[str, ...]] = {}
    for kind in KINDS.values():
        accepted, complaints = _asked(kind, getattr(manager.hook, kind.hook))
        specs += [(kind.name, spec) for spec in accepted]
        messages += complaints
        if accepted:
            offers[kind.name] = tuple(spec.name for spec in accepted)
    info = PluginInfo(candidate.name, candidate.distribution, candidate.version, offers)
    return LoadedPlugin(info, manager.hook, tuple(specs)), messages


def _misspelt(name: str, known: list[str]) -> str:
    # Without the prefix that all share, which would make any two names look alike.
    nearest = get_close_matches(name.removeprefix("evosdc_"), [hook.removeprefix("evosdc_") for hook in known], n=1)
    advice = f"Did you mean 'evosdc_{nearest[0]}'?" if nearest else f"Hooks are {', '.join(known)}."
    return f"there is no hook {name!r}. {advice}"


def _asked(kind: Kind, caller: pluggy.HookCaller) -> tuple[list[Spec], list[str]]:
    """Return the well-formed specs of one offering hook, and the faults of it and the others."""
    accepted: list[Spec] = []
    messages: list[str] = []
    try:
        for answer in caller():
            if isinstance(answer, Spec) or not isinstance(answer, Iterable):
                messages.append(f"{kind.hook} returned {type(answer).__name__}, wanted several specs. Yield each spec.")
                continue
            for spec in answer:
                faults = _faults_of(kind, spec)
                messages += faults
                accepted += [] if faults else [spec]
    except PLUGIN_ERRORS as error:
        messages.append(f"{kind.hook} raised {in_words(error)}; what it offers after that is missing.")
    return accepted, messages


def _faults_of(kind: Kind, spec: object) -> list[str]:
    hook = kind.hook
    if not isinstance(spec, kind.spec):
        return [f"{hook} offers an object of type {type(spec).__name__}, wanted {kind.spec.__name__}."]
    place = f"{hook} offers {spec.name!r} with"
    faults = []
    if not isinstance(spec.name, str) or not _NAME.fullmatch(spec.name):
        faults.append(f"{hook} offers the name {spec.name!r}, wanted lower-case letters and digits joined by hyphens.")
    if not isinstance(spec.implementation, str) or not _IMPLEMENTATION.fullmatch(spec.implementation):
        faults.append(f"{place} implementation {spec.implementation!r}, wanted 'package.module:Class'.")
    scales = getattr(spec, "scales", _SCALES)
    if not scales or not set(scales) <= set(_SCALES):
        faults.append(f"{place} scales {scales!r}, wanted some of {', '.join(_SCALES)}.")
    if not set(spec.default_for) <= set(OCCASIONS):
        faults.append(f"{place} default_for {spec.default_for!r}, wanted some of {', '.join(OCCASIONS)}.")
    if isinstance(spec, MeasureSpec):
        faults += [f"{place} {fault}" for fault in _measure_faults(spec)]
    return faults


def _measure_faults(spec: MeasureSpec) -> Iterator[str]:
    if spec.name in _AGGREGATES:
        yield f"a name kept for an aggregate, wanted another than {' and '.join(_AGGREGATES)}."
    if spec.kind not in ("il", "dr", "model"):
        yield f"kind {spec.kind!r}, wanted il, dr or model."
    if spec.direction not in ("minimise", "maximise"):
        yield f"direction {spec.direction!r}, wanted minimise or maximise."
    if not spec.range[0] < spec.range[1]:
        yield f"range {spec.range!r}, wanted (least, greatest)."
