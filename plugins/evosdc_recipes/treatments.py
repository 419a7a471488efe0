"""What a step of a plan can be: a design of a masking method, with the attributes that it can mask."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from evosdc.errors import InputError
from evosdc.model import Choices, Design, Masking, MaskingMethod, MaskingMethods, fitting_designs
from evosdc.table.table import Table

SELDOM = 0.05
"""Weight of a design that takes long, where that of others is 1."""

EFFORTS = (1.0, 2.0, 4.0)
"""How many times its usual effort a step takes that says how long it takes, where it takes long: one step, made once,
is worth more effort than each of the many that tuning tries."""


@dataclass(frozen=True)
class Treatment:
    """A design of a masking method.

    Parameters
    ----------
    method : str
    design : Design
    attributes : tuple of str
        Those that it can mask.
    weight : float
        How often it is drawn: the designs of a method share a weight of 1.
    usual : mapping
        Parameters that stand for themselves at these values: entries leave them out there.
    """

    method: str
    design: Design
    attributes: tuple[str, ...]
    weight: float = 1.0
    usual: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def free(self) -> int:
        """How many free parameters there are."""
        return len(self.design.free)

    def params(self, shares: Sequence[float]) -> dict[str, Any]:
        """Return the parameters at shares of the free ones' ranges."""
        params = self.design.params(shares)
        return {name: value for name, value in params.items() if name not in self.usual or value != self.usual[name]}

    def rounded(self, shares: Sequence[float]) -> tuple[float, ...]:
        """Return shares of the free parameters' ranges, each where a value of the parameter stands."""
        return tuple(one.share(one.at(share)) for one, share in zip(self.design.free, shares, strict=True))

    def shares_of(self, method: MaskingMethod, methods: MaskingMethods) -> tuple[float, ...] | None:
        """Return the shares at which a method's parameters stand; None where the design does not have them."""
        params = method.params.model_dump()
        shares = []
        for one in self.design.free:
            value = one.value_in(params)
            known = value in one.values if isinstance(one, Choices) else isinstance(value, int | float)
            if not known:
                return None
            shares.append(one.share(value))
        alike: bool = methods.build(Masking(self.method, self.params(shares))).params == method.params
        return tuple(shares) if alike else None


def treatments_of(methods: MaskingMethods, table: Table) -> tuple[Treatment, ...]:
    """Return the designs of all methods that fit a table and publish its own categories.

    Parameters
    ----------
    methods : MaskingMethods
    table : Table
        The protected attributes.
    """
    found: dict[str, list[Treatment]] = {}
    for name, design, attributes in fitting_designs(methods.classes, table):
        try:
            method = methods.build(Masking(name, design.params([0.5] * len(design.free))))
        except InputError:  # parameters that hang together
            continue
        if not method.generalises:
            efforts = _efforts(method, design)
            design = replace(design, free=(*design.free, *efforts))
            usual = {one.name: one.values[0] for one in efforts}
            found.setdefault(name, []).append(Treatment(name, design, attributes, usual=usual))
    return tuple(
        replace(one, weight=(SELDOM if one.design.dear else 1.0) / len(listed))
        for listed in found.values()
        for one in listed
    )


def _efforts(method: MaskingMethod, design: Design) -> tuple[Choices, ...]:
    """Return the effort of a method that takes long as a parameter, where its design leaves that open."""
    named = {one.name for one in design.free} | set(design.fixed)
    if not design.dear or not method.pace or method.pace in named:
        return ()
    whole = type(method.params).model_fields[method.pace].default
    return (Choices(method.pace, tuple(whole * times for times in EFFORTS)),)
