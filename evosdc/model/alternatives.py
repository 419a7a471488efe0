"""One fault, without pydantic's own names, for a field that may be of several types.

Pydantic's discriminated unions would not replace this module. Authors of plugins would have to tag every type of every
union by hand, those inside lists and tables too, where ``float | dict[str, float | str]`` is enough now. And the places
of pydantic's errors would still name the tags, which users have never seen.
"""

import re
from collections.abc import Iterable, Mapping
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel

Errors = list[dict[str, Any]]
_TAG = re.compile(r"(constrained-|dict\[|list\[|tuple\[|union\[|lax-or-strict\[|function-|json-or-python\[).*")
_PLAIN = ("bool", "float", "int", "str")
_SHAPES: tuple[tuple[type | tuple[type, ...], tuple[str, ...]], ...] = (
    (Mapping, ("dict[",)),
    ((list, tuple), ("list[", "tuple[")),
)


def of_the_given_shape(errors: Iterable[Mapping[str, Any]], model: type[BaseModel]) -> Errors:
    """Return the errors; of a field of several types only those about types of the given value's shape."""
    # Given a table, only the errors of tables are kept. Given a list, only those of lists. Given anything else, those
    # of tables and lists are left out. Where nothing would be left, all are kept.
    plain: Errors = []
    several: dict[Any, Errors] = {}
    for error in errors:
        if len(error["loc"]) > 1 and _has_several_types(model, error["loc"][0]):
            several.setdefault(error["loc"][0], []).append(dict(error))
        else:
            plain.append(dict(error))
    for found in several.values():
        kept = [error for error in found if _fits(error["loc"][1], found)] or found
        plain += [error | {"loc": _without_tags(error["loc"])} for error in kept]
    return plain


def _has_several_types(model: type[BaseModel], name: Any) -> bool:
    field = model.model_fields.get(name)
    if field is None or get_origin(field.annotation) not in (Union, UnionType):
        return False
    return len([one for one in get_args(field.annotation) if one is not NoneType]) > 1


def _fits(tag: Any, found: Errors) -> bool:
    given = [error["input"] for error in found if len(error["loc"]) == 2]
    for shape, tags in _SHAPES:
        if any(isinstance(value, shape) for value in given):
            return str(tag).startswith(tags)
    return not given or not str(tag).startswith(tuple(tag for _, tags in _SHAPES for tag in tags))


def _without_tags(loc: tuple[Any, ...]) -> tuple[Any, ...]:
    inner = [part for part in loc[2:] if not _TAG.match(str(part))]
    if len(inner) > 1 and inner[-1] in _PLAIN:
        del inner[-1]
    return (loc[0], *inner)
