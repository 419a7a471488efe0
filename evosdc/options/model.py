"""The base of all models of options, and how a function takes its options from one."""

import inspect
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple, dataclass
from functools import wraps
from pathlib import Path
from textwrap import wrap
from types import NoneType, UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator
from pydantic.fields import FieldInfo

from evosdc.errors import Fault, InputError, ParameterError, did_you_mean
from evosdc.printing import EXAMPLES, seconds_in

# kinds of options: one value; yes or no; names, separated by commas; texts, each given by itself; a time
VALUE, FLAG, NAMES, TEXTS, TIME = "value", "flag", "names", "texts", "time"
ARGUMENT = "argument"  # what a command works on, which stands without the name of an option
# how options are spelt that are not named after their field
SPELT = {"output": ("-o", "--output"), "settings": ("--set",), "schema_file": ("--schema",), "as_json": ("--json",)}


class Options(BaseModel):
    """Base of the options of a command, whose help is the docstring of the model."""

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
        if isinstance(value, str) and _extra(field)["metavar"] == "PERCENT":
            return value.strip().removesuffix("%")
        if kind == FLAG and not isinstance(value, bool):
            raise ValueError("true or false")
        # Numbers of numpy are none to pydantic.
        return value.item() if allowed & {int, float} and hasattr(value, "item") and hasattr(value, "dtype") else value

    @property
    def reading(self) -> dict[str, Any]:
        """The options `encoding` and `sheet`: how a file is to be read, where the user says so."""
        return {key: value for key in ("encoding", "sheet") if (value := getattr(self, key, None)) is not None}

    def executor_entry(self) -> dict[str, Any] | None:
        """Return the options `executor` and `workers` as an experiment says them; None where neither is given."""
        executor, workers = getattr(self, "executor", None), getattr(self, "workers", None)
        if executor is None and workers is None:
            return None
        entry = dict(executor) if isinstance(executor, Mapping) else {"name": executor or "processes"}
        return entry if workers is None else entry | {"workers": workers}


REFUSED = "What is given cannot be used; the error names every fault, what is wanted, and what to do."

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
    registered: str = "",
    kind: str = "",
    alone: str | None = None,
    **limits: Any,
) -> Any:
    """Return the field of an option; `alone` is its value where it stands without one."""
    kind = kind or (FLAG if isinstance(default, bool) else VALUE)
    extra: dict[str, Any] = {"kind": kind, "flags": flags, "metavar": metavar, "only": only}
    extra |= {"python": python, "registered": registered, "alone": alone}
    return Field(default, description=text, json_schema_extra=extra, **limits)


def argument(default: Any, metavar: str = "", registered: str = "", required: bool | None = None) -> Any:
    """Return the field of an argument of a command, which is required where its default is empty and not None."""
    extra = {"kind": ARGUMENT, "metavar": metavar, "only": "command", "registered": registered}
    return Field(default, json_schema_extra=extra | {"required": default is not None if required is None else required})


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
    """An option as the command line, a form or a page needs it."""

    name: str  # as Python calls it
    flags: tuple[str, ...]  # as the command line calls it
    kind: str
    text: str  # what it does; and what has to be said besides of the argument in Python
    python: str
    default: Any
    required: bool
    choices: tuple[str, ...]  # the values that it can have; empty where they are not listed
    type: type  # of one value: `int`, `float`, `str` or `Path`
    limits: Mapping[str, float]  # `ge gt le lt`, where there are limits
    metavar: str
    only: str  # `command` or `python` where it exists on one side alone
    registered: str  # the kind of plugin whose names it takes
    alone: str | None  # its value where it stands without one
    annotation: str  # its type in words of Python's documentation


def described(model: type[Options]) -> list[Described]:
    """Return the options of a model, in the order in which help shows them: that of JSON is the last one."""
    fields = sorted(model.model_fields.items(), key=lambda item: item[0] == "as_json")
    return [_described(name, field) for name, field in fields if _extra(field)["kind"] != ARGUMENT]


def arguments(model: type[Options]) -> dict[str, FieldInfo]:
    """Return the arguments of the command of a model, in their order."""
    return {name: field for name, field in model.model_fields.items() if _extra(field)["kind"] == ARGUMENT}


def _described(name: str, field: FieldInfo) -> Described:
    extra, types = dict(_extra(field)), _types(field.annotation)
    flags = extra["flags"] or SPELT.get(name) or (f"--{name.replace('_', '-')}",)
    if extra["kind"] == FLAG and field.default is True and "/" not in flags[-1]:
        flags = (*flags[:-1], f"{flags[-1]}/--no-{flags[-1].removeprefix('--')}")
    limits = {end: getattr(one, end) for one in field.metadata for end in ("ge", "gt", "le", "lt") if hasattr(one, end)}
    single = str if str in types else next((one for one in (int, float, Path) if one in types), str)
    known = {"name": name, "text": field.description or "", "default": field.default, "required": field.is_required()}
    meant = {"choices": _choices(field.annotation), "annotation": _in_words(field, extra["kind"])}
    return Described(**extra | known | meant | {"flags": flags, "type": single, "limits": limits})


def read(model: type[M], given: Mapping[str, Any], command: bool = False) -> M:
    """Return the options that a caller gave, checked."""
    taken = {name: value for name, value in given.items() if name in model.model_fields}
    if not command:  # a function returns what a command writes
        needed = (one.name for one in described(model) if one.only == "command" and one.required)
        taken |= dict.fromkeys(needed, "returned")
    try:
        return model.model_validate(taken)
    except ValidationError as error:
        from evosdc.model.parameters import faults_of

        spelt = {one.name: _long(one) if command else one.name for one in described(model)}
        faults = []
        for fault in faults_of(error, model, ""):
            name, dot, rest = fault.where.partition(".")
            faults.append(Fault(f"{spelt.get(name, name)}{dot}{rest}", fault.given, fault.wanted, fault.advice))
        raise ParameterError(faults) from None


def takes(model: type[Options], meant: Mapping[str, str] | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Give a function the options of a model: signature, documentation, and refusal of other names."""
    # A function names what it works on, and has the rest as `**options`; parameters of a method go by as `**params`.
    # Its docstring has a line `{options}`. `meant` has other names under which an option is looked for.
    meant, own = meant or {}, {one.name: one for one in described(model) if one.only != "command"}

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        given = inspect.signature(function).parameters
        first = [one for one in given.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
        options = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=inspect.Parameter.empty if one.required else one.default,
                annotation=model.model_fields[name].annotation,
            )
            for name, one in own.items()
            if name not in given and {"options", "params"} & given.keys()
        ]  # fmt: skip
        known = [*first, *options, *(given[name] for name in ("params",) if name in given)]
        names = [one.name for one in known]

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            faults = []
            for name in kwargs:
                if name in meant and name not in names:
                    faults.append(Fault(name, "an unknown option", meant[name]))
                elif name not in names and "params" not in given:
                    wanted = f"one of {', '.join(names)}"
                    faults.append(Fault(name, "an unknown option", wanted, did_you_mean(name, names)))
            if faults:
                raise ParameterError(faults)
            try:
                return function(*args, **kwargs)
            except InputError as error:
                texts = ([in_python(text, [model]) for text in astuple(one)] for one in error.faults)
                faults = [Fault(where.removesuffix("="), *rest) for where, *rest in texts]
                raise type(error)(faults) from error.__cause__

        vars(call)["__signature__"] = inspect.signature(function).replace(parameters=known)
        call.__doc__ = _documented(function.__doc__ or "", own.values())
        return call

    return decorate


def parted(model: type[Options], given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return which of the arguments are options of a model, and which are parameters of a method."""
    own = {one.name for one in described(model) if one.only != "command"}
    return {n: v for n, v in given.items() if n in own}, {n: v for n, v in given.items() if n not in own}


FUNCTIONS = (
    "apply", "certify", "choose", "cluster", "compare", "explain", "finish", "judge", "limit", "mask", "measure",
    "member", "protect", "risk", "run", "tune",
)  # fmt: skip
"""Commands that are functions of the same name."""

_OPTION = re.compile(r'(?<![\w-])(--[a-z][a-z-]*)(?:[ =](?:"([^"]*)"|([A-Z][A-Z_]*(?:,[A-Z.]+)*|\d+[smh]?)(?![\w-])))?')
_COMMAND = re.compile(rf"\bevosdc ({'|'.join(FUNCTIONS)})\b(?! --)")


def in_python(text: str, models: Iterable[type[Options]]) -> str:
    """Return a sentence in which ``--protect A,B`` is ``protect=["A", "B"]``, and ``evosdc judge`` ``evosdc.judge``."""
    known: dict[str, tuple[Described, bool]] = {}
    for model in models:
        for one in described(model):
            for flag in one.flags if one.only != "command" else ():
                on, _, off = flag.partition("/")
                known.setdefault(on, (one, True))
                if off:
                    known.setdefault(off, (one, False))

    def argument(found: re.Match[str]) -> str:
        if found[1] not in known:
            return found[0]
        one, on = known[found[1]]
        value = found[2] or found[3]
        if one.kind == FLAG:
            return f"{one.name}={on}" + found[0][len(found[1]) :]
        if value is None:
            return f"{one.name}="
        if one.kind in (NAMES, TEXTS):
            parts = value.split(",") if one.kind == NAMES else [value]
            return f"{one.name}=[{', '.join(map(json.dumps, parts))}]"
        return f"{one.name}={value if value.isdigit() else json.dumps(value)}"

    # The result of `protect` knows its original and which record is which, as a run folder does.
    text = text.replace("evosdc judge RUN", "evosdc.judge(result)")
    text = text.replace("the run folder, or", "the result of evosdc.protect, as evosdc.judge(result), or")
    return _COMMAND.sub(r"evosdc.\1", _OPTION.sub(argument, text))


def _documented(text: str, options: Iterable[Described]) -> str:
    """Return a docstring whose line ``{options}`` is replaced by an entry for each option."""
    before, placed, after = text.partition("{options}")
    if not placed:
        return text
    margin = before.rpartition("\n")[2]
    lines = []
    for one in options:
        lines.append(f"{margin}{one.name} : {one.annotation}")
        text = f"{one.text} {one.python}".strip()
        indent = f"{margin}    "
        lines += wrap(text, 116, initial_indent=indent, subsequent_indent=indent, break_long_words=False)
    text = before.removesuffix(margin) + "\n".join(lines) + after
    raised = f"{margin}Raises\n{margin}------\n{margin}InputError\n{margin}    {REFUSED}\n"
    further = text.partition(f"{margin}Raises\n{margin}------\n")
    if further[1]:
        return further[0] + raised + further[2]
    text, examples, rest = text.partition(f"{margin}Examples\n")
    return f"{text.rstrip()}\n\n{raised}\n{examples}{rest}" if examples else f"{text.rstrip()}\n\n{raised}{margin}"


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
    """Return one text as a list of one, and any iterable as a tuple; a table where tables are allowed."""
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
