"""Parameters of every pluggable thing: validated, frozen, unknown keys refused, all faults told at once."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from evosdc.errors import Fault, ParameterError


class Parameters(BaseModel):
    """Base of all ``Params`` classes.

    Subclasses state ranges with `pydantic.Field`, and a description for the documentation of each field.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, validate_default=True)


P = TypeVar("P", bound=BaseModel)


def parsed(model: type[P], given: Mapping[str, Any], where: str) -> P:
    """Build `model` from what a user gave.

    Parameters
    ----------
    model : type
        A pydantic model.
    given : mapping
        Parameter names and values.
    where : str
        What the parameters belong to, for the message: ``"method mdav"``.

    Raises
    ------
    ParameterError
        With one fault for each parameter that is unknown, missing, of the wrong type or out of range.
    """
    try:
        return model.model_validate(dict(given))
    except ValidationError as error:
        raise ParameterError(faults_of(error, model, where)) from None


def faults_of(error: ValidationError, model: type[BaseModel], where: str) -> list[Fault]:
    """Translate pydantic's errors into faults."""
    faults = []
    for item in error.errors(include_url=False):
        path = ".".join(str(part) for part in item["loc"]) or "parameters"
        place = f"{where}: {path}" if where else path
        match item["type"]:
            case "extra_forbidden":
                known = list(model.model_fields)
                close = get_close_matches(path.rsplit(".", 1)[-1], known, n=1)
                wanted = f"one of {', '.join(known)}" if known and "." not in path else "a known key"
                faults.append(Fault(place, "an unknown key", wanted, f"Did you mean {close[0]!r}?" if close else ""))
            case "missing":
                faults.append(Fault(place, "nothing", "a value", "It has no default."))
            case _:
                message = item["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
                faults.append(Fault(place, _shown(item["input"]), message))
    return faults


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
