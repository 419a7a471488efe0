"""The base of all models of options, and how a function takes its options from one."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator
from pydantic.fields import FieldInfo

from evosdc.errors import Fault, InputError, ParameterError, did_you_mean
from evosdc.printing import EXAMPLES, seconds_in

VALUE, FLAG, NAMES, TEXTS, TIME = "value", "flag", "names", "texts", "time"
"""Kinds of options: one value; yes or no; names, separated by commas; texts, each given by itself; a time."""


class Options(BaseModel):
    """Base of the options of a command.

    ``renamed`` tells the names that options had in earlier versions, which are refused with the one of today.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True, allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _as_meant(cls, value: Any, info: ValidationInfo) -> Any:
        """Take one name for a list of one, and texts for times; refuse true for a number, and words for true."""
        field = cls.model_fields[info.field_name or ""]
        kind = _extra(field)["kind"]
        allowed = _types(field.annotation)
        if value is None:
            return value
        if kind in (NAMES, TEXTS):
            return _several(value, allowed)
        if kind == TIME:
            return _seconds(value)
        if isinstance(value, bool) and bool not in allowed and allowed & {int, float}:
            raise ValueError("a number, not true or false")
        if kind == FLAG and not isinstance(value, bool):
            raise ValueError("true or false")
        # Numbers of numpy are none to pydantic.
        return value.item() if allowed & {int, float} and hasattr(value, "item") and hasattr(value, "dtype") else value

    def executor_entry(self) -> dict[str, Any] | None:
        """Return the options `executor` and `workers` as an experiment says them; None where neither is given."""
        executor, workers = getattr(self, "executor", None), getattr(self, "workers", None)
        if executor is None and workers is None:
            return None
        entry = dict(executor) if isinstance(executor, Mapping) else {"name": executor or "processes"}
        return entry if workers is None else entry | {"workers": workers}


M = TypeVar("M", bound=Options)
P = ParamSpec("P")
R = TypeVar("R")


def option(
    default: Any,
    text: str,
    *,
    flags: tuple[str, ...] = (),
    metavar: str = "",
    python: str = "",
    only: Literal["", "command", "python"] = "",
    occasion: tuple[str, str] | None = None,
    registered: str = "",
    kind: str = "",
    **limits: Any,
) -> Any:
    """Return the field of an option.

    Parameters
    ----------
    default
        What is taken where it is not given.
    text : str
        What it does, in sentences; help, documentation and forms show it.
    flags : tuple of str
        Its spellings on the command line; by default two dashes and its name, of a switch that is on ``--no-`` too.
    metavar : str
        What help shows in place of a value.
    python : str
        What has to be said besides of the argument in Python.
    only : {"", "command", "python"}
        Where it exists; by default on both sides.
    occasion : tuple of str, optional
        Kind and occasion of the registered name that is taken where none is given, which help shows.
    registered : str
        The kind of plugin whose registered names it takes, which a shell completes.
    kind : str
        By default a switch where the default is true or false, else a value.
    **limits
        As of `pydantic.Field`: ``ge=1``.
    """
    kind = kind or (FLAG if isinstance(default, bool) else VALUE)
    extra: dict[str, Any] = {"kind": kind, "flags": flags, "metavar": metavar, "only": only}
    extra |= {"occasion": occasion, "python": python, "registered": registered}
    return Field(default, description=text, json_schema_extra=extra, **limits)


def names(text: str, default: Any = None, metavar: str = "A,B,...", **further: Any) -> Any:
    """Return the field of an option that takes names: on the command line separated by commas."""
    return option(default, text, kind=NAMES, metavar=metavar, **further)


def texts(text: str, metavar: str, **further: Any) -> Any:
    """Return the field of an option that can be given several times."""
    return option((), text, kind=TEXTS, metavar=metavar, **further)


def time_limit(text: str, default: float | None = None, **further: Any) -> Any:
    """Return the field of an option that takes a time: seconds, or a text such as ``5m``."""
    return option(default, text, kind=TIME, metavar="60s", **further)


@dataclass(frozen=True)
class Described:
    """An option as the command line, a form or a page needs it.

    Parameters
    ----------
    name : str
        As Python calls it.
    flags : tuple of str
        As the command line calls it.
    kind : str
    text, python : str
        What it does; and what has to be said besides of the argument in Python.
    default : object
    required : bool
    choices : tuple of str
        The values that it can have; empty where they are not listed.
    type : type
        Of one value: ``int``, ``float``, ``str`` or ``Path``.
    limits : mapping of str to float
        ``ge gt le lt``, where there are limits.
    metavar : str
    only : str
        ``command`` or ``python`` where it exists on one side alone.
    occasion : tuple of str, optional
    registered : str
        The kind of plugin whose names it takes.
    annotation : str
        Its type in words of Python's documentation.
    """

    name: str
    flags: tuple[str, ...]
    kind: str
    text: str
    python: str
    default: Any
    required: bool
    choices: tuple[str, ...]
    type: type
    limits: Mapping[str, float]
    metavar: str
    only: str
    occasion: tuple[str, str] | None
    registered: str
    annotation: str


def described(model: type[Options]) -> list[Described]:
    """Return the options of a model, in the order in which help shows them."""
    return [_described(name, field) for name, field in model.model_fields.items()]


def _described(name: str, field: FieldInfo) -> Described:
    extra, types = _extra(field), _types(field.annotation)
    flags = extra["flags"] or (f"--{name.replace('_', '-')}",)
    if extra["kind"] == FLAG and field.default is True and "/" not in flags[-1]:
        flags = (*flags[:-1], f"{flags[-1]}/--no-{flags[-1].removeprefix('--')}")
    limits = {end: getattr(one, end) for one in field.metadata for end in ("ge", "gt", "le", "lt") if hasattr(one, end)}
    single = str if str in types else next((one for one in (int, float, Path) if one in types), str)
    return Described(
        name=name,
        flags=flags,
        kind=extra["kind"],
        text=field.description or "",
        python=extra["python"],
        default=field.default,
        required=field.is_required(),
        choices=_choices(field.annotation),
        type=single,
        limits=limits,
        metavar=extra["metavar"],
        only=extra["only"],
        occasion=extra["occasion"],
        registered=extra["registered"],
        annotation=_in_words(field, extra["kind"]),
    )


def read(model: type[M], given: Mapping[str, Any], command: bool = False) -> M:
    """Return the options that a caller gave, checked.

    Parameters
    ----------
    model : type
    given : mapping
        Values by name; what is no option of the model is passed over, so that ``locals()`` will do.
    command : bool
        Whether the command line gave them: faults then name ``--time`` in place of ``time``.

    Raises
    ------
    ParameterError
        With a fault for each value that cannot be used.
    """
    try:
        return model.model_validate({name: value for name, value in given.items() if name in model.model_fields})
    except ValidationError as error:
        from evosdc.model.parameters import faults_of

        spelt = {one.name: _long(one) if command else one.name for one in described(model)}
        faults = []
        for fault in faults_of(error, model, ""):
            name, dot, rest = fault.where.partition(".")
            faults.append(Fault(f"{spelt.get(name, name)}{dot}{rest}", fault.given, fault.wanted, fault.advice))
        raise ParameterError(faults) from None


def takes(model: type[Options], renamed: Mapping[str, str] | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Complete the documentation of a function by the texts of a model's options, and refuse names of former versions.

    The function lists the options in its signature, so that editors and type checkers know them; a test compares names
    and defaults with the model's. Its docstring has a line ``{options}`` where these are described.

    Parameters
    ----------
    model : type
    renamed : mapping of str to str, optional
        Names that options had in the last version, and the names of today.
    """
    former = renamed or {}

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        known = inspect.signature(function).parameters
        open_ended = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in known.values())

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            if faults := unknown_names(kwargs, known, former, open_ended):
                raise ParameterError(faults)
            try:
                return function(*args, **kwargs)
            except InputError as error:
                raise type(error)(_in_python(error.faults, model)) from error.__cause__

        call.__doc__ = with_options(function.__doc__ or "", model)
        return call

    return decorate


def _in_python(faults: Iterable[Fault], model: type[Options]) -> list[Fault]:
    """Return faults in the words of a program that calls a function."""
    from evosdc.options.python_words import in_python

    texts = ([in_python(text, [model]) for text in (f.where, f.given, f.wanted, f.advice)] for f in faults)
    return [Fault(where.removesuffix("="), given, wanted, advice) for where, given, wanted, advice in texts]


def unknown_names(
    given: Iterable[str], known: Iterable[str], former: Mapping[str, str], open_ended: bool
) -> list[Fault]:
    """Return a fault for each name that a function does not take; of a former name, with the one of today."""
    faults = []
    for name in given:
        if name in former and name not in known:
            faults.append(Fault(name, "a name of a former version", former[name], f"{name}= is now {former[name]}=."))
        elif name not in known and not open_ended:
            advice = did_you_mean(name, known)
            faults.append(Fault(name, "an unknown option", f"one of {', '.join(known)}", advice))
    return faults


def with_options(text: str, model: type[Options]) -> str:
    """Return a docstring whose line ``{options}`` is replaced by an entry for each option of a model."""
    lines = []
    for line in text.split("\n"):
        if line.strip() != "{options}":
            lines.append(line)
            continue
        margin = line[: len(line) - len(line.lstrip())]
        for one in described(model):
            if one.only != "command":
                lines += [
                    f"{margin}{one.name} : {one.annotation}",
                    *_wrapped(f"{one.text} {one.python}".strip(), f"{margin}    "),
                ]
    return "\n".join(lines)


def _wrapped(text: str, margin: str) -> list[str]:
    from textwrap import wrap

    return wrap(text, 116, initial_indent=margin, subsequent_indent=margin, break_long_words=False)


def _extra(field: FieldInfo) -> dict[str, Any]:
    assert isinstance(field.json_schema_extra, dict), "a field of options is made by option()"
    return field.json_schema_extra


def _long(one: Described) -> str:
    """Return the spelling of an option that faults name."""
    return next(flag for flag in one.flags if flag.startswith("--")).partition("/")[0]


def _types(annotation: Any) -> set[Any]:
    """Return the classes that an annotation speaks of, its alternatives taken apart."""
    if get_origin(annotation) in (Union, UnionType):
        return {found for one in get_args(annotation) for found in _types(one)}
    if get_origin(annotation) is Literal:
        return {type(one) for one in get_args(annotation)}
    return {get_origin(annotation) or annotation}


def _choices(annotation: Any) -> tuple[str, ...]:
    if get_origin(annotation) in (Union, UnionType):
        return tuple(found for one in get_args(annotation) for found in _choices(one))
    return tuple(map(str, get_args(annotation))) if get_origin(annotation) is Literal else ()


def _several(value: Any, allowed: set[Any]) -> Any:
    """Return one text as a list of one, and what can be gone through as a tuple; a table where tables are allowed."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Mapping):
        if any(one in allowed for one in (Mapping, dict)) or dict in allowed:
            return value
        raise ValueError("names, not a table")
    try:
        return tuple(value)
    except TypeError:
        raise ValueError("a name, or a list of names") from None


def _seconds(value: Any) -> float:
    seconds = seconds_in(value) if isinstance(value, str) else value
    number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if seconds is None or not number or not 0 < seconds < float("inf"):
        raise ValueError(f"a time above 0: seconds, or a number with s, m or h: {EXAMPLES}")
    return float(seconds)


def _in_words(field: FieldInfo, kind: str) -> str:
    """Return a type as documentation has it: ``sequence of str, optional``."""
    shown = {NAMES: "sequence of str", TEXTS: "sequence of str", TIME: "float or str", FLAG: "bool"}.get(kind)
    if shown is None:
        choices = _choices(field.annotation)
        words = [f"{{{', '.join(map(repr, choices))}}}"] if choices else []
        found = sorted((one for one in _types(field.annotation) if one is not NoneType), key=str)
        named = [_TYPE_WORDS.get(one, getattr(one, "__name__", "object")) for one in found if not choices]
        shown = " or ".join(dict.fromkeys(words + named)) or "object"
    if field.is_required():
        return shown
    if field.default is None:
        return f"{shown}, optional"
    return shown if field.default == () else f"{shown}, default {field.default!r}"


_TYPE_WORDS: dict[Any, str] = {Mapping: "mapping", Any: "object"}
