"""Options of the command line, made from the models of `evosdc.options`."""

import json
import shlex
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from evosdc.durations import EXAMPLES, seconds_in
from evosdc.options.written import listed

F = TypeVar("F", bound=Callable[..., Any])

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
    shown_default: bool | str = usual is not None
    if one.occasion is not None:
        from evosdc.plugins.registry import default_registry

        shown_default = default_registry().default(*one.occasion)
    return click.option(
        *one.flags, one.name, type=_type(one), default=usual, required=one.required, show_default=shown_default,
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
    """A name that plugins register, such as one of a masking method, which a shell can complete.

    Parameters
    ----------
    kind : str
    files : bool
        Whether it may also be a file.
    """

    name = "text"

    def __init__(self, kind: str, files: bool = False) -> None:
        self.kind, self.files = kind, files

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name as it is: whether it is known is told together with all other faults."""
        return value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        """Return the names that begin as was typed; of several, which commas separate, the last."""
        from evosdc.plugins.registry import default_registry

        done, comma, begun = incomplete.rpartition(",")
        known = default_registry().names(self.kind) if self.kind else ()
        found = [CompletionItem(f"{done}{comma}{name}") for name in known if name.startswith(begun)]
        return [*found, CompletionItem(incomplete, type="file")] if self.files else found


DATA = Registered("dataset", files=True)
"""A data file, or the name of a registered data set."""


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


def schema_option(command: F) -> F:
    """Add ``--schema``."""
    return click.option("--schema", type=PATH, help="Schema file; inferred from the data when not given.")(command)


def json_option(command: F) -> F:
    """Add ``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")(command)


def report_option(command: F) -> F:
    """Add ``--no-report``."""
    return click.option(
        "--report/--no-report", "pages", default=True,
        help="Whether to write web pages; evosdc report RUN_DIR writes them later.",
    )(command)  # fmt: skip


def force_option(command: F) -> F:
    """Add ``--force``."""
    return click.option("--force", is_flag=True, help="Write over files that exist.")(command)


def formulas_option(command: F) -> F:
    """Add ``--neutralise-formulas``."""
    return click.option(
        "--neutralise-formulas",
        "neutralise",
        is_flag=True,
        help="Put a quote before cells that a spreadsheet would take for formulas: = + - @ before text.",
    )(command)


def drawing_options(command: F) -> F:
    """Add what random numbers come from: a key file, or a public seed; without both a fresh key."""
    return _with(
        command,
        click.option(
            "--key", "key_file", type=PATH, metavar="FILE",
            help="Secret key that draws come from, made where FILE does not exist; it repeats the result. Default: a "
            "fresh key.",
        ),
        click.option(
            "--seed", type=click.IntRange(min=0), metavar="N",
            help="Public seed in place of a key, for studies and tests: what it draws is not for release.",
        ),
    )  # fmt: skip


def order_option(command: F) -> F:
    """Add ``--keep-order``."""
    return click.option(
        "--shuffle/--keep-order", default=True, show_default=True,
        help="Publish the records in random order, or in that of DATA, which may tell what is masked.",
    )(command)  # fmt: skip


def crosswalk_option(command: F) -> F:
    """Add ``--crosswalk``."""
    return click.option(
        "--crosswalk", type=PATH, metavar="FILE",
        help="Which masked record is which of the original, where the file was shuffled: a file in the run folder.",
    )(command)  # fmt: skip


def computing_options(command: F) -> F:
    """Add what random numbers come from, and where the work is done."""
    return _with(
        command,
        drawing_options,
        click.option("--executor", default="processes", show_default=True, metavar="NAME"),
        click.option("--workers", type=click.IntRange(min=1), metavar="N"),
    )


def _with(command: F, *options: Callable[[F], F]) -> F:
    """Return a command with options, in the order in which help shows them."""
    for option in reversed(options):
        command = option(command)
    return command


def attributes_option(text: str) -> Callable[[F], F]:
    """Return a decorator that adds ``--attributes``."""
    return click.option("--attributes", metavar="A,B,...", help=text)


def command_line() -> str:
    """Return what the user typed, for the record; empty where a program called the command."""
    context = click.get_current_context(silent=True)
    words = context.find_root().obj if context is not None else None
    return shlex.join(["evosdc", *words]) if words else ""


def seconds_of(context: click.Context, parameter: click.Parameter, text: str | None) -> float | None:
    """Return the seconds that a text like ``60s``, ``5m`` or ``1.5h`` stands for."""
    if text is None:
        return None
    seconds = seconds_in(text)
    if seconds is None:
        raise click.BadParameter(f"{text!r} is no time; wanted a positive number with s, m or h: {EXAMPLES}.")
    return seconds


class Later(click.Group):
    """A group of commands that is imported when one of them, or its help, is asked for.

    Parameters
    ----------
    name : str
    target : str
        Where it is: ``"my_plugin.command:group"``.
    short_help : str
    """

    def __init__(self, name: str, target: str, short_help: str) -> None:
        super().__init__(name, short_help=short_help)
        self.target = target

    @property
    def _group(self) -> click.Group:
        module, _, attribute = self.target.partition(":")
        group: click.Group = getattr(import_module(module), attribute)
        return group

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of its commands."""
        return self._group.list_commands(ctx)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return one of its commands."""
        return self._group.get_command(ctx, name)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the group is for."""
        self._group.format_help_text(ctx, formatter)
