"""Options of the command line, made from the models of `evosdc.options`."""

import json
import shlex
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from evosdc.options.written import listed

if TYPE_CHECKING:
    from evosdc.options.model import Described, Options

PATH = click.Path(path_type=Path)


def takes_options(model: "type[Options]") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command all options of a model; the function gets them, checked, as its argument `options`."""
    from evosdc.options.model import described, read

    own = [one for one in described(model) if one.only != "python"]

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(**given: Any) -> Any:
            chosen = {one.name: given.pop(one.name) for one in own}
            said = {name: value for name, value in chosen.items() if value is not None}
            return function(**given, options=read(model, said, command=True))

        vars(call)["model"] = model
        decorated: Callable[..., Any] = call
        for one in reversed(own):
            decorated = _option(one)(decorated)
        return decorated

    return decorate


def _option(one: "Described") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    from evosdc.options.model import FLAG, TEXTS

    if one.kind == FLAG:
        shown = one.default is True and one.only != "command"
        return click.option(*one.flags, one.name, is_flag=True, default=one.default, show_default=shown, help=one.text)
    if one.kind == TEXTS:
        return click.option(*one.flags, one.name, multiple=True, metavar=one.metavar, help=f"{one.text} Repeatable.")
    usual: Any = None if one.required or one.default == () else one.default
    return click.option(
        *one.flags, one.name, type=_type(one), default=usual, required=one.required, show_default=usual is not None,
        metavar=None if one.choices else one.metavar or None, help=one.text,
    )  # fmt: skip


def _type(one: "Described") -> click.ParamType[Any]:
    from evosdc.options.model import NAMES, TIME

    if one.kind == NAMES:
        return Names(one.registered)
    if one.kind == TIME:
        return click.STRING
    if one.choices:
        return _Choice(one.choices)
    if one.registered:
        return Registered(one.registered)
    return PATH if one.type is Path else _Number(one.type, one.limits) if one.type in (int, float) else click.STRING


class Registered(click.ParamType[Any]):
    """A name that plugins register, such as one of a masking method, which a shell can complete."""

    name = "text"

    def __init__(self, kind: str, files: bool = False) -> None:
        self.kind, self.files = kind, files

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name as it is: an unknown name is reported together with all other faults."""
        return value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        """Return the names that begin as was typed; of several, which commas separate, the last."""
        from evosdc.plugins.registry import default_registry

        done, comma, begun = incomplete.rpartition(",")
        known = default_registry().names(self.kind) if self.kind else ()
        found = [CompletionItem(f"{done}{comma}{name}") for name in known if name.startswith(begun)]
        return [*found, CompletionItem(incomplete, type="file")] if self.files else found


DATA = Registered("dataset", files=True)  # A data file, or the name of a registered data set


class Names(Registered):
    """Names, separated by commas; those in double quotes may hold commas and blanks at their ends."""

    name = "names"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the names as a list."""
        if isinstance(value, str) and self.kind == "measure" and value.lstrip().startswith(("{", "[")):
            # entries with parameters, as an experiment file has them
            with suppress(ValueError):
                return json.loads(value)
        return listed(value) if isinstance(value, str) else value


class _Choice(click.Choice[str]):
    """A choice that leaves it to the model to refuse a value, together with all others."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value, as it is where it is none of the choices."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            return value


class _Number(click.ParamType[Any]):
    """A number that the model checks, together with all other options."""

    def __init__(self, kind: type, limits: Mapping[str, float]) -> None:
        self.name = "integer" if kind is int else "float"
        self.limits = limits

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or the text where it is none."""
        try:
            return int(value) if self.name == "integer" else float(value)
        except (TypeError, ValueError):
            return value


def command_line() -> str:
    """Return the command that the user typed, for the record; empty where a program called it."""
    context = click.get_current_context(silent=True)
    words = context.find_root().obj if context is not None else None
    return shlex.join(["evosdc", *words]) if words else ""


class Later(click.Command):
    """A command, or group of commands, that is imported when it is used."""

    def __init__(self, name: str, target: str, text: str) -> None:
        super().__init__(name, short_help=text)
        self.target = target

    def imported(self) -> click.Command:
        """Return the command itself."""
        module, _, attribute = self.target.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command
