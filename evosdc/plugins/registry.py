"""What all plugins offer, by kind and name: look-up, construction, commands and events.

Loading imports plugins' own modules but no implementation; those are imported when first used.
"""

import logging
from collections.abc import Iterable, Mapping
from copy import deepcopy
from functools import cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from evosdc.errors import ClashError, EvosdcError, Fault, PluginError, UnknownNameError
from evosdc.further_formats import FurtherFormat
from evosdc.hookspecs import EVENTS
from evosdc.plugins.discovery import PLUGIN_ERRORS, LoadedPlugin, PluginInfo, PluginProblem, discovered, in_words
from evosdc.plugins.implementation import imported
from evosdc.plugins.kinds import KINDS
from evosdc.plugins.nested import divides, inner_of, parameters_with_inner
from evosdc.plugins.registered import PLUGIN, registered
from evosdc.plugins.unknown_names import unknown_name
from evosdc.specs import FormatSpec, Spec

if TYPE_CHECKING:
    import click

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
