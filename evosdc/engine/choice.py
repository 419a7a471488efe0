"""Which member of a front is published: its knee, its balanced member, or the one that suits wished figures best."""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from evosdc.errors import DataError, Fault, InputError
from evosdc.model import Parameters
from evosdc.model.parameters import parse_parameters

WANTED = "knee, balanced, or wished figures such as il=20 or il=20,dr=15"


class Preference(Parameters):
    """Wished figures: ``{ il = 20 }``, ``{ dr = 10 }`` or both."""

    il: float | None = Field(None, ge=0, le=100, description="information loss that is wished for, at most")
    dr: float | None = Field(None, ge=0, le=100, description="disclosure risk that is wished for, at most")

    @model_validator(mode="after")
    def _something(self) -> "Preference":
        if self.il is None and self.dr is None:
            raise ValueError("il, dr, or both")
        return self


Choice = Literal["knee", "balanced"] | Preference


def choice_of(text: "str | Mapping[str, float] | Preference") -> Choice:
    """Return the choice that is named: ``"knee"``, ``"balanced"``, ``"il=20"``, ``"il=20,dr=15"``, ``{"il": 20}``."""
    if isinstance(text, Preference):
        return text
    if isinstance(text, Mapping):
        return parse_parameters(Preference, text, "choose")
    match text:
        case "knee":
            return "knee"
        case "balanced":
            return "balanced"
    given: dict[str, float] = {}
    for part in text.split(","):
        key, _, value = part.partition("=")
        try:
            given[key.strip()] = float(value)
        except ValueError:
            raise InputError(Fault("choose", repr(text), WANTED)) from None
    return parse_parameters(Preference, given, "choose")


def chosen(points: Sequence[tuple[float, ...]], choice: Choice) -> int:
    """Return the position of the point of a front that a choice names; of equals the first."""
    # - ``balanced``: the least greatest coordinate, of equals the least sum. - ``knee``: the point that bulges most
    # towards the ideal one.
    values = np.array(points, dtype=np.float64)
    if choice == "balanced":
        keys = [values.max(axis=1), values.sum(axis=1)]
    elif choice == "knee":
        extent = np.ptp(values, axis=0)
        scaled = (values - values.min(axis=0)) / np.where(extent > 0.0, extent, 1.0)
        keys = [scaled.sum(axis=1).round(12), scaled.max(axis=1)]
    else:
        keys = _by_preference(values, choice)
    return int(np.lexsort(tuple(reversed(keys)))[0])


def _by_preference(values: NDArray[np.float64], wished: Preference) -> list[NDArray[np.float64]]:
    if values.shape[1] != 2:
        raise DataError(Fault("choose", "wished figures of IL and DR", "knee or balanced", "The front has others."))
    il, dr = values.T
    if wished.il is not None and wished.dr is not None:
        excess = np.stack([il - wished.il, dr - wished.dr], axis=1)
        return [excess.max(axis=1), excess.sum(axis=1)]
    own, other, most = (il, dr, wished.il) if wished.il is not None else (dr, il, wished.dr)
    assert most is not None, "one of both is given"
    return [np.maximum(own - most, 0.0), other, own]


def in_words(choice: Choice) -> str:
    """Return what a chosen file is, as words that follow "The file that was written is"."""
    if choice == "knee":
        return "the knee of the front: to either side of it little of one is gained for much of the other"
    if choice == "balanced":
        return "the balanced member of the front: the greater one of IL and DR is least"
    wished = " and ".join(f"{n.upper()} {v:g}" for n, v in (("il", choice.il), ("dr", choice.dr)) if v is not None)
    return f"the member of the front that suits {wished} best"
