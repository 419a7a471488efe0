"""Parameters of every plugin: validated, frozen, unknown keys refused, all faults reported at once."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError, ValidationInfo, field_validator

from evosdc.errors import Fault, ParameterError, did_you_mean
from evosdc.model.alternatives import of_the_given_shape


class Parameters(BaseModel):
    """Base of all ``Params`` classes.

    Subclasses state ranges with `pydantic.Field`, and a description for the documentation of each field.
    """

    model_config = ConfigDict(
        extra="forbid", frozen=True, populate_by_name=True, validate_default=True, allow_inf_nan=False
    )

    @field_validator("*", mode="before")
    @classmethod
    def _numbers_are_no_truth_values(cls, value: Any, info: ValidationInfo) -> Any:
        """Refuse true for a number, and numbers and words for true or false, which pydantic would convert."""
        annotation = cls.model_fields[info.field_name or ""].annotation
        allowed = set(get_args(annotation)) or {annotation}
        if isinstance(value, bool) and allowed & {int, float} and bool not in allowed:
            raise ValueError("a number, not true or false")
        if annotation is bool and not isinstance(value, bool):
            raise ValueError("true or false")
        return value


P = TypeVar("P", bound=BaseModel)


def parse_parameters(model: type[P], given: Mapping[str, Any], where: str) -> P:
    """Build `model` from what a user gave."""
    try:
        return model.model_validate(dict(given))
    except ValidationError as error:
        raise ParameterError(faults_of(error, model, where)) from None


def faults_of(error: ValidationError, model: type[BaseModel], where: str) -> list[Fault]:
    """Translate pydantic's errors into faults."""
    faults = []
    listed = of_the_given_shape(error.errors(include_url=False), model)
    within = {item["loc"][:end] for item in listed for end in range(len(item["loc"]))}
    for item in listed:
        if item["type"] == "too_short" and item["loc"] in within:
            continue  # entries that are wrong are not counted
        path = ".".join(str(part) for part in item["loc"]) or "parameters"
        place = f"{where}: {path}" if where else path
        match item["type"]:
            case "extra_forbidden":
                known = _keys_beside(model, item["loc"])
                wanted = f"one of {', '.join(known)}" if known else "none: it has no parameter"
                wanted = "a known key" if known is None else wanted
                faults.append(
                    Fault(place, "an unknown key", wanted, did_you_mean(path.rsplit(".", 1)[-1], known or ()))
                )
            case "missing":
                faults.append(Fault(place, "nothing", "a value", "It has no default."))
            case "greater_than" | "greater_than_equal" | "less_than" | "less_than_equal":
                faults.append(Fault(place, _shown(item["input"]), _range(model, item["loc"]) or _plain(item["msg"])))
            case "tuple_type" | "list_type" if isinstance(item["input"], str | int | float):
                faults.append(Fault(place, _shown(item["input"]), f"a list such as {json.dumps([item['input']])}"))
            case kind if kind in _SHAPES:
                faults.append(Fault(place, _shown(item["input"]), _SHAPES[kind]))
            case _:
                table = isinstance(item["input"], dict)
                keys = ", ".join(map(str, item["input"])) if table else ""
                given = f"a table of {keys}" if keys else "an empty table" if table else _shown(item["input"])
                faults.append(Fault(place, given, _plain(item["msg"])))
    return faults


def _keys_beside(model: type[BaseModel], path: Sequence[int | str]) -> list[str] | None:
    """Return the known keys at the end of a path; None where it leads through a value without keys."""
    inner: type[BaseModel] | None = model
    for part in path[:-1]:
        field = inner.model_fields.get(str(part)) if inner is not None else None
        if field is None:
            return None
        inner = _model_in(field.annotation)
    return None if inner is None else [field.alias or name for name, field in inner.model_fields.items()]


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the only model in an annotation, such as that of ``Model | bool | None``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    found = [one for one in map(_model_in, get_args(annotation)) if one is not None]
    return found[0] if len(found) == 1 else None


def _plain(message: str) -> str:
    return message.removeprefix("Value error, ").removeprefix("Input should be ")


def _range(model: type[BaseModel], path: tuple[int | str, ...]) -> str:
    """Return both ends of a parameter's range; empty for a value inside a list or table."""
    field = model.model_fields.get(str(path[0])) if len(path) == 1 else None
    ends = [
        f"{words} {getattr(bound, end)}"
        for bound in (field.metadata if field else ())
        for end, words in _ENDS.items()
        if hasattr(bound, end)
    ]
    return " and ".join(ends)


_ENDS = {
    "gt": "greater than",
    "ge": "greater than or equal to",
    "lt": "less than",
    "le": "less than or equal to",
}


_SHAPES = {
    "model_type": 'a table such as { name = "..." }',
    "model_attributes_type": 'a table such as { name = "..." }',
    "dict_type": "a table such as { key = value }",
    "tuple_type": 'a list such as ["a", "b"]',
    "list_type": 'a list such as ["a", "b"]',
    "string_type": "a text in quotes",
    "path_type": "a path in quotes",
    "finite_number": "a finite number",
    "too_short": "at least one entry",
}
"""What is wanted, in words of the experiment file, by pydantic's type of error."""


def _shown(value: object) -> str:
    if not isinstance(value, str | int | float | list | tuple | dict | None):
        return f"a {type(value).__name__}"  # it might hold records
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
