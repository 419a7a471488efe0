"""The class or function behind an offer, imported when it is first used."""

from importlib import import_module
from inspect import isabstract
from typing import Any

from evosdc.errors import PluginError
from evosdc.plugins.discovery import PLUGIN_ERRORS, PluginInfo, in_words
from evosdc.plugins.kinds import KINDS
from evosdc.specs import Spec


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
