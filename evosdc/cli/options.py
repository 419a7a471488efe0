"""Options of the command line, made from the models of `evosdc.options`."""

import json
import re
import shlex
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from evosdc.options.written import listed

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from evosdc.options.model import Described, Options

PATH = click.Path(path_type=Path)
# names that options had in earlier versions, by their names in Python
_FORMER = {"protect": "--attributes", "missing_rule": "--missing", "record_figures": "--records"}


class _Option(click.Option):
    """An option whose former name works too, and stands in no help."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Add the option to the parser of a command."""
        current = self.opts
        self.opts = [*current, *(former for name, former in _FORMER.items() if name == self.name)]
        super().add_to_parser(parser, ctx)
        self.opts = current


def command(name: str, model: "type[Options]", target: str) -> click.Command:
    """Return the command of a model; the function ``module:name``, imported when it is called, gets the options."""
    from evosdc.options.model import arguments, described

    own = [one for one in described(model) if one.only != "python"]
    names = arguments(model)

    def call(**given: Any) -> Any:
        return _imported(target)(_read(model, given))

    vars(call)["model"] = model
    params: list[click.Parameter] = [_argument(name, field) for name, field in names.items()]
    params += [_Option(words, **settings) for words, settings in map(_option, own)]
    kind = MemberCommand if "member" in names else click.Command
    return kind(name, params=params, callback=call, help=cleandoc(model.__doc__ or ""))


def _read(model: "type[Options]", given: Mapping[str, Any]) -> "Options":
    from evosdc.options.model import read

    return read(model, {name: value for name, value in given.items() if value is not None}, command=True)


class MemberCommand(click.Command):
    """A command that takes -1 for the number of a member, which is refused with the numbers that there are."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Return the remaining words after options and arguments are read."""
        ctx.ignore_unknown_options = any(re.fullmatch(r"-[0-9]+", word) for word in args)
        return super().parse_args(ctx, args)


def _argument(name: str, field: "FieldInfo") -> click.Argument:
    known: dict[str, Any] = dict(field.json_schema_extra)  # type: ignore[arg-type]
    several, kind = field.default == (), known["registered"]
    named = Registered(kind, files=kind == "dataset") if kind else click.STRING
    usual = {} if known["required"] or several else {"default": field.default}
    return click.Argument(
        [name], type=PATH if "Path" in str(field.annotation) else named, nargs=-1 if several else 1,
        required=known["required"], metavar=known["metavar"] or None, **usual,
    )  # fmt: skip


def _option(one: "Described") -> tuple[list[str], dict[str, Any]]:
    """Return names and settings of an option, as click takes them."""
    from evosdc.options.model import FLAG, TEXTS

    words = [*one.flags, one.name]
    if one.kind == FLAG:
        shown = one.default is True and one.only != "command"
        return words, {"is_flag": True, "default": one.default, "show_default": shown, "help": one.text}
    if one.kind == TEXTS:
        return words, {"multiple": True, "metavar": one.metavar, "help": f"{one.text} Repeatable."}
    usual: Any = None if one.required or one.default == () else one.default
    settings = {"type": _type(one), "default": usual, "required": one.required, "show_default": usual is not None}
    number = {int: "INTEGER", float: "FLOAT"}.get(one.type)
    settings |= {"metavar": None if one.choices else one.metavar or number, "help": one.text}
    return words, settings if one.alone is None else settings | {"is_flag": False, "flag_value": one.alone}


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
    return PATH if one.type is Path else click.STRING


class Registered(click.ParamType[Any]):
    """A name that plugins register, which a shell can complete. The model refuses an unknown one, with other faults."""

    name = "text"

    def __init__(self, kind: str, files: bool = False) -> None:
        self.kind, self.files = kind, files

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        """Return the names that begin as was typed; of several, which commas separate, the last."""
        from evosdc.plugins.registry import default_registry

        done, comma, begun = incomplete.rpartition(",")
        known = default_registry().names(self.kind) if self.kind else ()
        found = [CompletionItem(f"{done}{comma}{name}") for name in known if name.startswith(begun)]
        return [*found, CompletionItem(incomplete, type="file")] if self.files else found


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


def command_line() -> str:
    """Return the command that the user typed, for the record; empty where a program called it."""
    context = click.get_current_context(silent=True)
    words = context.find_root().obj if context is not None else None
    return shlex.join(["evosdc", *words]) if words else ""


class Later(click.Command):
    """A command, or group of commands, that is imported when it is used."""

    def __init__(self, name: str, target: str, text: str, model: str = "") -> None:
        super().__init__(name, short_help=text)
        self.target, self.model = target, model

    def imported(self) -> click.Command:
        """Return the command itself: the target, or where there is a model the command that this makes."""
        found: click.Command = (
            command(self.name or "", _imported(self.model), self.target) if self.model else _imported(self.target)
        )
        found.short_help = found.short_help or self.short_help
        return found


def _imported(target: str) -> Any:
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)
