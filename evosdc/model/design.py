"""Designs of masking methods: free parameters, each with a useful range on its own scale; the registered methods."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, floor, log, log10
from types import MappingProxyType
from typing import Any, Literal, Protocol, get_args, get_origin

import numpy as np
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from evosdc.model.masking import Masking, MaskingMethod
from evosdc.model.microdata import Microdata
from evosdc.table.table import Table

RESOLUTION = 1000  # steps of a range that parameters are rounded to, about: commands and labels stay short
MOST_FREE = 2  # Free parameters that are read off the bounds of a method that does not say itself what can be tuned
WIDE = 100.0  # Ratio of the ends of a positive range from which on it is taken for a logarithmic one
MOST_OPTIONS = 6  # Options of a parameter, words for one, up to which all are tried


class Named:
    """A named place among parameters."""

    name: str  # of the parameter; with dots that of one in a table, ``inner.k`` for the k of an inner method

    def value_in(self, params: Mapping[str, Any]) -> Any:
        """Return the parameter's value; None where it is not there."""
        value: Any = params
        for key in self.name.split("."):
            value = value.get(key) if isinstance(value, Mapping) else None
        return value


@dataclass(frozen=True)
class Range(Named):
    """A free parameter that is a number.

    A place in the range is given by a share in 0..1, on the parameter's own scale, so that a search needs no units.

    Parameters
    ----------
    name : str
        As `Named.name`.
    low, high : float
        Both ends belong to it; positive where the scale is logarithmic.
    scale : {"linear", "log"}
        On which equal steps make about equal differences.
    whole : bool
        Whether it takes whole numbers only.

    Examples
    --------
    >>> Range("k", 2, 100, "log", whole=True).at(0.5)
    14
    """

    name: str
    low: float
    high: float
    scale: Literal["linear", "log"] = "linear"
    whole: bool = False

    def __post_init__(self) -> None:
        if not self.low <= self.high or (self.scale == "log" and self.low <= 0):
            raise ValueError(f"range of {self.name}: {self.low} to {self.high} on a {self.scale} scale")

    def at(self, share: float) -> float | int:
        """Return the value at a share of the range, rounded to whole numbers or to some thousandths of the range."""
        share = min(max(share, 0.0), 1.0)
        if self.scale == "log":
            exact = float(self.low * (self.high / self.low) ** share)
            digits = 2 - floor(log10(exact))
        else:
            exact = self.low + share * (self.high - self.low)
            digits = ceil(log10(RESOLUTION / (self.high - self.low))) if self.high > self.low else 3
        if self.whole:
            return min(max(round(exact), ceil(self.low)), floor(self.high))
        return float(min(max(round(exact, digits), self.low), self.high))

    def share(self, value: float) -> float:
        """Return the share at which a value stands, that of the nearest end where it is outside."""
        value = min(max(value, self.low), self.high)
        if self.high == self.low:
            return 0.0
        if self.scale == "log":
            return log(value / self.low) / log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    @property
    def size(self) -> int | None:
        """How many values there are; None for a continuous range."""
        return floor(self.high) - ceil(self.low) + 1 if self.whole else None

    def spread(self, count: int) -> list[float]:
        """Return shares of at most `count` distinct values, evenly spread from end to end."""
        if self.size is not None and self.size <= count:
            return [self.share(ceil(self.low) + step) for step in range(self.size)]
        return [step / (count - 1) for step in range(count)] if count > 1 else [0.5]


@dataclass(frozen=True)
class Choices(Named):
    """A free parameter with a few values, ordered so that neighbours are alike where possible."""

    name: str
    values: tuple[Any, ...]

    def at(self, share: float) -> Any:
        """Return the value at a share of the list."""
        return self.values[min(int(min(max(share, 0.0), 1.0) * len(self.values)), len(self.values) - 1)]

    def share(self, value: Any) -> float:
        """Return the share at which a value of the list stands."""
        return (self.values.index(value) + 0.5) / len(self.values)

    @property
    def size(self) -> int:
        """How many values there are."""
        return len(self.values)

    def spread(self, count: int) -> list[float]:
        """Return shares of all values: none of them represents another one."""
        return [(position + 0.5) / len(self.values) for position in range(len(self.values))]


Free = Range | Choices


@dataclass(frozen=True)
class Design:
    """One way to use a masking method: fixed parameters, and free ones to be tuned.

    Parameters
    ----------
    fixed : mapping
    free : tuple of Range or Choices
        None, one or two.
    attributes : tuple of str
        What it can mask of the table; empty for all that the method supports.
    most : mapping of str to float
        By attribute, the greatest value of the first free parameter that it can take; with a greater one the attribute
        is left as it is. Attributes that are not named can take all.
    dear : bool
        Whether masking takes a hundred times longer than with other methods. It is then tuned on a coarser grid, and
        by itself alone: not in chains, and not attribute by attribute.
    """

    fixed: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    free: tuple[Free, ...] = ()
    attributes: tuple[str, ...] = ()
    most: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    dear: bool = False

    def params(self, shares: Sequence[float]) -> dict[str, Any]:
        """Return the parameters with the free ones at these shares of their ranges."""
        params = dict(self.fixed)
        for one, share in zip(self.free, shares, strict=True):
            table = params
            *tables, name = one.name.split(".")
            for key in tables:
                table[key] = dict(table.get(key, {}))
                table = table[key]
            table[name] = one.at(share)
        return params

    def takes(self, attribute: str, params: Mapping[str, Any]) -> bool:
        """Whether an attribute is masked with these parameters."""
        return not self.free or attribute not in self.most or self.free[0].value_in(params) <= self.most[attribute]


class Tunable(MaskingMethod):
    """A masking method that knows which of its parameters are worth tuning, and over what range.

    Any other method is tuned over the ranges that its ``Params`` state, see `designs_of`.
    """

    @classmethod
    @abstractmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return the ways to use the method on a table, in the order in which they are tried.

        Parameters
        ----------
        table : Table
            With records; the attributes to be masked, all of scales that the method supports.

        Returns
        -------
        sequence of Design
            With ranges that span what is useful for this table, from hardly any protection to hardly any information.
            Empty where the method is of no use on it, or would take too long.
        """


def designs_of(method: type[MaskingMethod], table: Table) -> tuple[Design, ...]:
    """Return the designs of a method that can be tuned on a table; designs without valid parameters are left out.

    Parameters
    ----------
    method : type of MaskingMethod
    table : Table
        As for `Tunable.designs`.
    """
    if not issubclass(method, Tunable):
        return derived_designs(method.Params)
    return tuple(method.designs(table))


def derived_designs(model: type[BaseModel]) -> tuple[Design, ...]:
    """Return the design that a parameter model states by itself."""
    # Free are its first two numbers with bounds at both ends and its lists of options (words, or true and false); the
    # rest keeps its default. No design at all where a parameter has neither a range nor a default.
    free: list[Free] = []
    for name, info in model.model_fields.items():
        own = _free(name, info)
        if own is not None and (len(free) < MOST_FREE or info.is_required()):
            free.append(own)
        elif info.is_required():
            return ()
    design = Design(free=tuple(free))
    try:
        model.model_validate(design.params([0.5] * len(free)))
    except ValidationError:  # parameters that hang together
        design = Design()
    return (design,)


def _free(name: str, info: FieldInfo) -> Free | None:
    kind = info.annotation
    if get_origin(kind) is Literal and 1 < len(get_args(kind)) <= MOST_OPTIONS:
        return Choices(name, get_args(kind))
    if kind is bool:
        return Choices(name, (False, True))
    if kind not in (int, float):
        return None
    ends: dict[str, float] = {}
    for bound in info.metadata:
        for end in ("gt", "ge", "lt", "le"):
            if isinstance(getattr(bound, end, None), int | float):
                ends[end] = float(getattr(bound, end))
    low, high = ends.get("ge", ends.get("gt")), ends.get("le", ends.get("lt"))
    if low is None or high is None or not low < high:
        return None
    if kind is int:
        low, high = low + ("ge" not in ends), high - ("le" not in ends)
        if low >= high:
            return None
    else:
        margin = (high - low) / RESOLUTION
        low, high = low + margin * ("ge" not in ends), high - margin * ("le" not in ends)
    return Range(name, low, high, "log" if low > 0 and high / low >= WIDE else "linear", kind is int)


class MaskingMethods(Protocol):
    """All registered masking methods, a stranger's among them; the framework gives them to a `Composed` genotype."""

    @property
    def classes(self) -> Mapping[str, type[MaskingMethod]]:
        """The methods by name, in a fixed order."""

    def build(self, step: Masking) -> MaskingMethod:
        """Return the method of a single step with its parameters.

        Raises
        ------
        InputError
            The method is unknown, or its parameters are refused.
        """

    def apply(self, step: Masking, microdata: Microdata, rng: np.random.Generator) -> Table:
        """Return the protected attributes after a single step, shape (n, V).

        Strata, sampling weights and attributes that the method reads besides are taken from the file.

        Raises
        ------
        InputError
            The step does not fit the file.
        PluginError
            The method changed the schema although it does not generalise, or lost records.
        """


def fitting_designs(
    classes: Mapping[str, type[MaskingMethod]], table: Table
) -> Iterator[tuple[str, Design, tuple[str, ...]]]:
    """Yield each design of each method that fits a table, with the method's name and the attributes that it masks.

    A method that masks some scales only fits the attributes of these scales.

    Parameters
    ----------
    classes : mapping of str to type of MaskingMethod
    table : Table
        The protected attributes.
    """
    for name, method in classes.items():
        supported = tuple(a.name for a in table.schema.attributes if a.scale in method.supports)
        if not supported or not len(table):
            continue
        part = table if len(supported) == len(table.schema) else table.select(supported)
        for design in designs_of(method, part):
            yield name, design, design.attributes or supported
