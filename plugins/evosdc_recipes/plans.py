"""Plans, their steps, and their normal form: plans that mean the same are the same genes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import InputError, PluginError
from evosdc.model import Choices, Design, Masking, MaskingMethod, MaskingMethods, Microdata, fitting_designs
from evosdc.table.table import MISSING, Table

SELDOM = 0.05  # weight of a design that takes long, where that of others is 1

# How many times its usual effort a step takes that says how long it takes, where it takes long: one step, made once, is
# worth more effort than each of the many that tuning tries.
EFFORTS = (1.0, 2.0, 4.0)


@dataclass(frozen=True)
class Treatment:
    """A design of a masking method."""

    method: str
    design: Design
    attributes: tuple[str, ...]  # those that it can mask
    weight: float = 1.0  # how often it is drawn: the designs of a method share a weight of 1
    # Parameters that represent themselves at these values: entries leave them out there
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
    """Return the designs of all methods that fit a table and publish its own categories."""
    found: dict[str, list[Treatment]] = {}
    for name, design, attributes in fitting_designs(methods.classes, table):
        try:
            method = methods.build(Masking(name, design.params([0.5] * len(design.free))))
        except InputError:  # parameters that hang together
            continue
        if not method.generalises:
            usual: dict[str, Any] = {}
            named = {one.name for one in design.free} | set(design.fixed)
            if design.dear and method.pace and method.pace not in named:  # its effort is a parameter, too
                whole = type(method.params).model_fields[method.pace].default
                efforts = Choices(method.pace, tuple(whole * times for times in EFFORTS))
                design, usual = replace(design, free=(*design.free, efforts)), {method.pace: efforts.values[0]}
            found.setdefault(name, []).append(Treatment(name, design, attributes, usual=usual))
    return tuple(
        replace(one, weight=(SELDOM if one.design.dear else 1.0) / len(listed))
        for listed in found.values()
        for one in listed
    )


# A plan as numbers, shape (steps, 2 + S + V): treatment, stratum, S shares of free parameters, V attributes (0, 1).
Genes = NDArray[np.float64]

NOWHERE = -1  # in place of an attribute's position: a step without strata

# Attributes that may form strata: most categories, and least records of each.
MOST_STRATA, LEAST_STRATUM = 12, 20


@dataclass(frozen=True)
class Step:
    """One step of a plan."""

    treatment: int  # position among the treatments of a file
    shares: tuple[float, ...]  # of the free parameters' ranges
    attributes: tuple[int, ...]  # positions of the protected attributes that it masks, ascending
    stratum: int = NOWHERE  # position among the attributes that can form strata, or `NOWHERE`

    @property
    def order(self) -> tuple[object, ...]:
        """By which neighbours stand that have nothing in common."""
        return self.attributes, self.treatment, self.shares, self.stratum


Plan = tuple[Step, ...]


class PlanSpace:
    """All plans of a file."""

    # most: steps of a plan, at most; lasting: whether variation tries designs that take long; plans that have them are
    # plans in any case.

    def __init__(self, methods: MaskingMethods, microdata: Microdata, most: int, lasting: bool = True) -> None:
        self.methods, self.most, self.lasting = methods, most, lasting
        self.names = microdata.original.schema.names
        self.treatments: tuple[Treatment, ...] = treatments_of(methods, microdata.original)
        self.strata = _strata(microdata)
        self._microdata = microdata

    @cached_property
    def positions(self) -> tuple[tuple[int, ...], ...]:
        """Positions of the attributes that each treatment can mask."""
        return tuple(tuple(self.names.index(name) for name in one.attributes) for one in self.treatments)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """How likely each treatment is to be drawn, shape (treatments,)."""
        tried = [self.lasting or not one.design.dear for one in self.treatments]
        weights = np.array([one.weight for one in self.treatments]) * (tried if any(tried) else 1.0)
        shares: NDArray[np.float64] = weights / weights.sum()
        return shares

    @cached_property
    def _most_free(self) -> int:
        return max((one.free for one in self.treatments), default=0)

    def masking(self, step: Step) -> Masking | None:
        """Return a step as an entry of a portfolio; None where it masks nothing."""
        treatment = self.treatments[step.treatment]
        params = treatment.params(step.shares)
        able = self.positions[step.treatment]
        chosen = [p for p in step.attributes if p in able and treatment.design.takes(self.names[p], params)]
        if not chosen:
            return None
        attributes = () if len(chosen) == len(self.names) else tuple(self.names[p] for p in chosen)
        by = () if step.stratum == NOWHERE else (self.strata[step.stratum],)
        return Masking(treatment.method, params, attributes, by)

    def normal(self, steps: Sequence[Step]) -> Plan:
        """Return the plan that means the same as some steps: what does nothing is gone, and order has one meaning."""
        # Parameters are at their rounded values. Neighbours that mask and read different attributes are in the
        # order of their genes. A step that takes long may only be the first one, where its table is made once for all
        # plans that begin with it.
        made = [one for one in map(self._normal_step, steps) if one is not None]
        made = [one for place, one in enumerate(made) if not place or not self.lasts(one)][: self.most]
        moved = True
        while moved:
            moved = False
            for place in range(len(made) - 1):
                first, second = made[place : place + 2]
                if second.order < first.order and not self.lasts(first) and self._apart(first, second):
                    made[place : place + 2] = [second, first]
                    moved = True
        return tuple(made)

    def _normal_step(self, step: Step) -> Step | None:
        treatment = self.treatments[step.treatment]
        step = replace(step, shares=treatment.rounded(step.shares), attributes=tuple(sorted(set(step.attributes))))
        masking = self.masking(step)
        if masking is None:
            return None
        names = masking.attributes or self.names
        stratum = NOWHERE if step.stratum != NOWHERE and self.strata[step.stratum] in names else step.stratum
        return replace(step, attributes=tuple(self.names.index(name) for name in names), stratum=stratum)

    def lasts(self, step: Step) -> bool:
        """Whether a step takes long."""
        return self.treatments[step.treatment].design.dear

    def _apart(self, first: Step, second: Step) -> bool:
        """Whether neither step reads or masks what the other masks."""
        written = [{self.names[p] for p in step.attributes} for step in (first, second)]
        return not (written[0] & (written[1] | self._read(second)) or written[1] & self._read(first))

    def _read(self, step: Step) -> set[str]:
        masking = self.masking(step)
        assert masking is not None, "steps of a plan mask something"
        masked = masking.attributes or self.names
        schema = self._microdata.table.schema
        return {*masking.by, *self.methods.build(masking).auxiliary_names(schema, masked)}

    def genes(self, plan: Plan) -> Genes:
        """Return a plan in its normal form as numbers, read-only."""
        free, count = self._most_free, len(self.names)
        genes = np.zeros((len(plan), 2 + free + count))
        for row, step in zip(genes, plan, strict=True):
            row[:2] = step.treatment, step.stratum
            row[2 : 2 + len(step.shares)] = step.shares
            row[[2 + free + position for position in step.attributes]] = 1.0
        genes.flags.writeable = False
        return genes

    def plan(self, genes: Genes) -> Plan:
        """Return the plan that genes represent; the inverse of `genes`."""
        free, count = self._most_free, len(self.names)
        whole = np.delete(genes, np.s_[2 : 2 + free], axis=1) if genes.ndim == 2 else genes
        if genes.ndim != 2 or genes.shape[1] != 2 + free + count or not np.isfinite(genes).all():
            raise PluginError("the genome is no plan of this file: its genes have another shape")
        inside = [
            (whole == np.round(whole)).all(),
            ((genes[:, 0] >= 0) & (genes[:, 0] < len(self.treatments))).all(),
            ((genes[:, 1] >= NOWHERE) & (genes[:, 1] < len(self.strata))).all(),
            ((genes[:, 2:] >= 0.0) & (genes[:, 2:] <= 1.0)).all(),
        ]
        if not all(inside):
            raise PluginError("the genome is no plan of this file: a gene is out of range")
        steps = []
        for row in genes:
            treatment = int(row[0])
            shares = tuple(row[2 : 2 + self.treatments[treatment].free].tolist())
            attributes = tuple(np.flatnonzero(row[2 + free :]).tolist())
            steps.append(Step(treatment, shares, attributes, int(row[1])))
        return tuple(steps)

    def step_of(self, masking: Masking) -> Step | None:
        """Return a single step of a portfolio's entry as a step of a plan; None where there is none."""
        names = masking.attributes or self.names
        if len(masking.by) > 1 or not set(masking.by) <= set(self.strata) or not set(names) <= set(self.names):
            return None
        stratum = self.strata.index(masking.by[0]) if masking.by else NOWHERE
        method = self.methods.build(masking)
        for place, treatment in enumerate(self.treatments):
            if treatment.method == masking.method and set(names) <= set(treatment.attributes):
                shares = treatment.shares_of(method, self.methods)
                if shares is not None:
                    positions = tuple(sorted(self.names.index(name) for name in names))
                    return Step(place, shares, positions, stratum)
        return None


def _strata(microdata: Microdata) -> tuple[str, ...]:
    """Return the categorical attributes of the file whose categories are few, and none of them rare."""
    table, found = microdata.table, []
    for attribute in table.schema.categorical:
        _, counts = np.unique(table.column(attribute.name), return_counts=True)
        missing = (table.column(attribute.name) == MISSING).any()
        if not missing and 1 < len(counts) <= MOST_STRATA and counts.min() >= LEAST_STRATUM:
            found.append(attribute.name)
    return tuple(found)
