"""What all plugins offer, by kind and name: look-up, construction, methods within methods, commands and events.

Loading imports plugins' own modules but no implementation; those are imported when first used.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from difflib import get_close_matches
from functools import cache, partial
from importlib import import_module
from inspect import isabstract
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from evosdc.errors import (
    ClashError,
    EvosdcError,
    Fault,
    FaultCollector,
    InputError,
    ParameterError,
    PluginError,
    UnknownNameError,
    did_you_mean,
)
from evosdc.further_formats import FurtherFormat
from evosdc.hookspecs import EVENTS
from evosdc.plugins.discovery import PLUGIN_ERRORS, LoadedPlugin, PluginInfo, PluginProblem, discovered, in_words
from evosdc.plugins.kinds import KINDS
from evosdc.plugins.registered import PLUGIN, registered
from evosdc.specs import FormatSpec, MeasureSpec, Spec

if TYPE_CHECKING:
    import click

MOST_LISTED = 24  # most names that a message lists in full

NEAREST = 5
LIKENESS = 0.5  # least similarity, from 0 to 1, of the names that a message lists instead


def unknown_name(where: str, name: str, known: list[str], problems: bool = False) -> Fault:
    """Return the fault of a name that nothing has, with all names or the nearest."""
    advice = did_you_mean(name, known)
    if len(known) > MOST_LISTED:
        near = get_close_matches(name, known, n=NEAREST, cutoff=LIKENESS)
        wanted = f"one of {len(known)} names" + (f", such as {', '.join(near)}" if near else "")
        advice = f"{advice} `evosdc plugins list` shows all.".strip()
    else:
        wanted = f"one of {', '.join(known)}" if known else "nothing: no plugin offers any"
    if problems:
        advice = f"{advice} Some plugins have problems: 'evosdc plugins list' shows them.".strip()
    return Fault(where, repr(name), wanted, advice)


def imported(kind: str, spec: Spec, plugin: PluginInfo) -> Any:
    """Import and return what a spec names; raises `PluginError` where it cannot be had or is not of its kind."""
    place = f"{kind} {spec.name} of plugin {plugin.provider}"
    module_name, _, attribute = spec.implementation.partition(":")
    try:
        found = getattr(import_module(module_name), attribute)
    except ModuleNotFoundError as error:
        raise PluginError(f"{place} needs the module {error.name!r}, which is not installed.") from error
    except AttributeError as error:
        raise PluginError(f"{place}: {spec.implementation} cannot be had: {in_words(error)}.") from error
    except PLUGIN_ERRORS as error:
        raise PluginError(f"{place}: importing {module_name} failed: {in_words(error)}.") from error
    contract = KINDS[kind].contract
    if contract:
        fits = isinstance(found, type) and issubclass(found, getattr(import_module("evosdc.model"), contract))
        wanted = f"a subclass of evosdc.model.{contract}"
    else:
        fits, wanted = callable(found), "a function"
    if not fits:
        raise PluginError(f"{place}: {spec.implementation} is not {wanted}.")
    if isabstract(found):
        lacking = ", ".join(sorted(found.__abstractmethods__))
        raise PluginError(f"{place}: {spec.implementation} lacks {lacking}, which evosdc.model.{contract} asks for.")
    return found


KIND = "masking-method"


def divides(kind: str, implementation: Any) -> bool:
    """Whether an implementation is a masking method that has another one mask its parts, or group its records."""
    if kind != KIND:
        return False
    from evosdc.model import InnerParameters, MaskingMethod

    return (
        isinstance(implementation, type)
        and issubclass(implementation, MaskingMethod)
        and issubclass(implementation.Params, InnerParameters)
    )


def parameters_with_inner(registry: "Registry", name: str, params: Mapping[str, Any]) -> Any:
    """Return the parameters of a method that divides; `inner` has a name, and the parameters that were given."""
    from evosdc.model.dividing import INNER
    from evosdc.model.parameters import parse_parameters

    collect = FaultCollector()
    model, where = registry.implementation(KIND, name).Params, f"{KIND} {name}"
    validated = inner = None
    with collect.step():
        validated = parse_parameters(model, params, where)
    # What the class puts into an entry, or takes where there is none, is known once it is validated.
    entry = _entry(params.get(INNER)) if validated is None else getattr(validated, INNER)
    if entry is not None:
        with collect.step():
            method, given = _named(registry, entry, f"{where}: {INNER}")
            try:
                inner = registry.parameters(KIND, method, given).model_dump(mode="json", exclude_unset=True)
            except InputError as error:
                raise ParameterError(_placed(error, f"{where}: {INNER}")) from None
            inner = {"method": method, **inner}
    if validated is None or inner is None:
        raise ParameterError(collect.faults)
    return validated.model_copy(update={INNER: inner})


def nested(registry: "Registry", name: str, params: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the names and validated parameters of a masking method and of those within it, the outermost first."""
    from evosdc.model.dividing import INNER

    validated = registry.parameters(KIND, name, params)
    yield name, validated
    if divides(KIND, registry.implementation(KIND, name)):
        method, given = _named(registry, getattr(validated, INNER), name)
        yield from nested(registry, method, given)


def inner_of(registry: "Registry", name: str, validated: Any) -> Any:
    """Return the inner method of a method that divides."""
    from evosdc.model.dividing import INNER

    method, given = _named(registry, getattr(validated, INNER), name)
    try:
        return registry.build(KIND, method, given)
    except InputError as error:
        raise ParameterError(_placed(error, f"{KIND} {name}: {INNER}")) from None


def _entry(given: Any) -> Mapping[str, Any] | None:
    """Return an inner entry as a table; None where it is none, of which its own parameters tell."""
    if given is None:
        return {}
    if isinstance(given, str):
        return {"method": given} if "{" not in given else None
    named = isinstance(given, Mapping) and (not given or isinstance(given.get("method"), str))
    return given if named else None


def _named(registry: "Registry", entry: Mapping[str, Any], where: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the parameters of an entry; without a name that of a method offered for anonymity."""
    given = {key: value for key, value in entry.items() if key != "method"}
    if "method" in entry:
        return str(entry["method"]), given
    offered = registry.defaults(KIND, "anonymity")
    if not offered:
        wanted = 'a table such as { method = "NAME" }'
        raise UnknownNameError(Fault(where, "nothing, where no plugin offers a method for anonymity", wanted))
    return offered[0], given


def _placed(error: InputError, where: str) -> list[Fault]:
    """Return faults of an inner method under the place where it is named."""
    return [
        replace(fault, where=f"{where}: {fault.where.removeprefix(KIND).strip(': ') or 'method'}")
        for fault in error.faults
    ]


__all__ = ["PluginInfo", "PluginProblem", "Registry", "default_registry"]

_LOG = logging.getLogger("evosdc.plugins")


class Registry:
    """Plugins and what they offer. Made by `Registry.load`; does not change afterwards."""

    def __init__(self, plugins: Iterable[LoadedPlugin], problems: Iterable[PluginProblem] = ()) -> None:
        self._loaded = tuple(plugins)
        self.plugins: tuple[PluginInfo, ...] = tuple(p.info for p in self._loaded)
        self._offers: dict[str, dict[str, list[tuple[Spec, PluginInfo]]]] = {kind: {} for kind in KINDS}
        self._implementations: dict[tuple[str, str], Any] = {}
        self._deaf: set[tuple[int, str]] = set()
        self._subscribers = {
            event: [(position, plugin) for position, plugin in enumerate(self._loaded) if plugin.implements(event)]
            for event in EVENTS
        }
        for plugin in self._loaded:
            for kind, spec in plugin.specs:
                self._offers[kind].setdefault(spec.name, []).append((spec, plugin.info))
        own = {plugin.info.name for plugin in self._loaded if not plugin.info.distribution}
        held = [known for known in registered() if PLUGIN in own]
        self._implementations |= {(known.kind, known.spec.name): known.implementation for known in held}
        self.here_only: tuple[str, ...] = tuple(known.spec.name for known in held if not known.importable)
        self.problems: tuple[PluginProblem, ...] = (*problems, *self._clashes())

    @classmethod
    def load(cls, extra_plugins: Mapping[str, object] = MappingProxyType({}), entry_points: bool = True) -> Self:
        """Load the plugins of all installed distributions, and `extra_plugins` (objects by plugin name)."""
        # Never raises because of a plugin: see `problems`.
        return cls(*discovered(extra_plugins, entry_points))

    def _clashes(self) -> list[PluginProblem]:
        return [
            PluginProblem(
                offers[-1][1].name,
                offers[-1][1].distribution,
                f"{kind} {name!r} is offered more than once: by {_providers(offers)}. "
                "It cannot be used until one of them is renamed or uninstalled.",
            )
            for kind, names in self._offers.items()
            for name, offers in names.items()
            if len(offers) > 1
        ]

    def _of_kind(self, kind: str) -> dict[str, list[tuple[Spec, PluginInfo]]]:
        if kind not in self._offers:
            raise UnknownNameError(unknown_name("kind of offer", kind, list(KINDS)))
        return self._offers[kind]

    def _offer(self, kind: str, name: str) -> tuple[Spec, PluginInfo]:
        names = self._of_kind(kind)
        if name not in names:
            raise UnknownNameError(unknown_name(kind, name, list(self.names(kind)), bool(self.problems)))
        offers = names[name]
        if len(offers) > 1:
            given = f"a name that is offered by {_providers(offers)}"
            files = [plugin.distribution for _, plugin in offers if plugin.distribution.endswith(".py")]
            leave = f"Leave out --plugin {files[0]}, or uninstall" if files else "Uninstall"
            raise ClashError(Fault(f"{kind} {name}", given, "one provider", f"{leave} or rename one of them."))
        return offers[0]

    def names(self, kind: str) -> tuple[str, ...]:
        """Return all names of a kind (`evosdc.plugins.kinds.KINDS`), sorted, clashing ones included."""
        return tuple(sorted(self._of_kind(kind)))

    def kinds_of(self, name: str) -> list[str]:
        """Return the kinds of which something has a name."""
        found = [kind for kind in KINDS if name in self._offers[kind]]
        if not found:
            raise UnknownNameError(
                unknown_name("plugins", name, sorted({known for kind in KINDS for known in self._offers[kind]}))
            )
        return found

    def defaults(self, kind: str, occasion: str) -> tuple[str, ...]:
        """Return the names of a kind that are taken on an occasion (`evosdc.specs.OCCASIONS`), as they are offered."""
        return tuple(
            name
            for name, offers in self._of_kind(kind).items()
            if any(occasion in spec.default_for for spec, _ in offers)
        )

    def default(self, kind: str, occasion: str) -> str:
        """Return the only name of a kind that is taken on an occasion."""
        names = self.defaults(kind, occasion)
        if not names:
            wanted = f"one of {', '.join(self.names(kind))}"
            raise UnknownNameError(Fault(kind, f"none, where no plugin has a default for {occasion}", wanted))
        if len(names) > 1:
            given = f"{' and '.join(names)} as defaults for {occasion}"
            raise ClashError(Fault(kind, given, "one of them by name", "Several plugins offer a default."))
        return names[0]

    def specs(self, kind: str) -> tuple[Spec, ...]:
        """Return what plugins said of all offers of a kind, by name; without those that clash."""
        return tuple(offers[0][0] for _, offers in sorted(self._of_kind(kind).items()) if len(offers) == 1)

    def spec(self, kind: str, name: str) -> Spec:
        """Return what a plugin said of an offer."""
        return self._offer(kind, name)[0]

    def measure(self, name: str) -> MeasureSpec:
        """Return the spec of a measure."""
        spec = self.spec("measure", name)
        assert isinstance(spec, MeasureSpec), "the hook of measures gives no other spec"
        return spec

    def provider(self, kind: str, name: str) -> str:
        """Return plugin, distribution and version that an offer comes from, such as ``masking (evosdc 0.1)``."""
        # Raises like `spec`.
        return self._offer(kind, name)[1].provider

    def implementation(self, kind: str, name: str) -> Any:
        """Import and return the class, or for data sets and portfolios the function, behind a name."""
        if (kind, name) not in self._implementations:
            spec, plugin = self._offer(kind, name)
            self._implementations[kind, name] = imported(kind, spec, plugin)
        return self._implementations[kind, name]

    def parameters(self, kind: str, name: str, params: Mapping[str, Any]) -> Any:
        """Return parameters as the class of an offer validates them."""
        from evosdc.model.parameters import parse_parameters

        implementation = self.implementation(kind, name)
        if divides(kind, implementation):
            return parameters_with_inner(self, name, params)
        return parse_parameters(implementation.Params, params, f"{kind} {name}")

    def keys_of(self, kind: str, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return the names of the parameters of offers; of none for a name that is not registered."""
        known = self.names(kind)
        return {n: tuple(self.implementation(kind, n).Params.model_fields) if n in known else () for n in names}

    def build(self, kind: str, name: str, params: Mapping[str, Any], *args: Any) -> Any:
        """Validate parameters and construct ``implementation(Params, *args)``."""
        # A masking method that divides (`evosdc.model.Dividing`) is given its inner method, built likewise.
        validated, implementation = self.parameters(kind, name, params), self.implementation(kind, name)
        if divides(kind, implementation):
            args = (*args, inner_of(self, name, validated))
        try:
            return implementation(validated, *args)
        except EvosdcError:
            raise
        except Exception as error:
            message = f"{kind} {name} of plugin {self.provider(kind, name)} could not be set up: {in_words(error)}."
            raise PluginError(message) from error

    def formats(self) -> tuple[FurtherFormat, ...]:
        """Return all formats of data files, by name; what reads one is imported when it is first used."""

        def parse(name: str, content: bytes, where: str) -> Any:
            return self.implementation("format", name)(content, where)

        specs = [spec for spec in self.specs("format") if isinstance(spec, FormatSpec)]
        return tuple(FurtherFormat(spec.suffixes, partial(parse, spec.name)) for spec in specs)

    def add_commands(self, cli: "click.Group") -> tuple[PluginProblem, ...]:
        """Let every plugin add its commands, and return the problems met."""
        # A plugin that raises, or that would replace a command that is already there, adds nothing.
        problems = []
        for plugin in self._loaded:
            before = dict(cli.commands)
            message = ""
            try:
                plugin.hooks.evosdc_commands(cli=cli)
            except PLUGIN_ERRORS as error:
                message = f"evosdc_commands raised {in_words(error)}."
            taken = [name for name, command in before.items() if cli.commands.get(name) is not command]
            if taken and not message:
                message = f"evosdc_commands would replace or remove the command {', '.join(taken)}; wanted new names."
            if message:
                cli.commands.clear()
                cli.commands.update(before)
                message += " Its commands were not added."
                problems.append(PluginProblem(plugin.info.name, plugin.info.distribution, message))
        return tuple(problems)

    def announce(self, event: str, **facts: Any) -> None:
        """Tell every subscriber of an event (`evosdc.hookspecs.EVENTS`), each with a copy of the facts of its own."""
        # A subscriber that raises is reported once through the logger ``evosdc.plugins`` and otherwise ignored.
        if event not in EVENTS:
            raise ValueError(f"{event!r} is no event; events are {', '.join(EVENTS)}")
        for position, plugin in self._subscribers[event]:
            try:
                getattr(plugin.hooks, event)(**deepcopy(facts))
            except PLUGIN_ERRORS as error:
                if (position, event) not in self._deaf:
                    self._deaf.add((position, event))
                    _LOG.warning("plugin %s: %s raised %s; ignored.", plugin.info.provider, event, in_words(error))


@cache
def default_registry() -> Registry:
    """Return the registry of all installed plugins, loaded once a process."""
    return Registry.load()


def _providers(offers: list[tuple[Spec, PluginInfo]]) -> str:
    return " and ".join(plugin.provider for _, plugin in offers)
