"""One masking applied to a file: step by step, whole or stratum by stratum, with weights if any."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from evosdc.errors import DataError, Fault, FaultCollector, ParameterError, PluginError
from evosdc.model import Masking, MaskingMethod, Microdata
from evosdc.model.dividing import Material, Part, innermost, joined, parts_of
from evosdc.plugins.registry import Registry
from evosdc.secret import Purpose, Seed, stream
from evosdc.table.corrections import with_moved_values, with_right_labels
from evosdc.table.equivalence import placed_values
from evosdc.table.schema import Role
from evosdc.table.table import MISSING, Numbers, Rows, Table
from evosdc.time_limit import check_time


def strata_of(table: Table, by: Sequence[str]) -> list[Rows]:
    """Return the positions of each stratum's records: records that agree on all attributes of `by`."""
    table.schema.require(by, "by")
    labels = np.zeros(len(table), dtype=np.int64)
    for name in by:
        _, found, _ = placed_values(table.column(name))
        _, labels, _ = placed_values(labels * (int(found.max(initial=0)) + 1) + found)
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1) if len(order) else []


def label_at(table: Table, name: str, row: int) -> str | float | None:
    """Return a record's value as a file has it: a category, a number, or None where it is missing."""
    attribute, value = table.schema[name], table.column(name)[row]
    if attribute.categorical:
        return None if value == MISSING else attribute.categories[value]
    return None if np.isnan(value) else float(value)


# masks the parts of a file for one step, strata or what a method divides it into, and returns them in their order
CarryOut = Callable[[Masking, Sequence[Part], Material], Sequence[Table]]


def in_turn(step: Masking, parts: Sequence[Part], whole: Material) -> Sequence[Table]:
    """Mask the parts one after the other, in this process."""
    masked = []
    for part in parts:
        check_time()
        masked.append(part.masked(whole))
    return masked


def build_steps(masking: Masking, registry: Registry) -> tuple[MaskingMethod, ...]:
    """Return the methods of an entry's steps, built with their parameters."""
    collect, methods = FaultCollector(), []
    for step in masking.steps:
        with collect.step():
            methods.append(registry.build("masking-method", step.method, step.params))
    collect.settle()
    return tuple(methods)


def apply_masking(
    masking: Masking,
    methods: Sequence[MaskingMethod],
    microdata: Microdata,
    rng: np.random.Generator,
    carry_out: CarryOut = in_turn,
) -> Table:
    """Return the protected attributes masked by one entry of a portfolio."""
    (first, *further), (method, *others) = masking.steps, methods
    masked = _apply_step(first, method, microdata, rng, carry_out)
    for step, method in zip(further, others, strict=True):
        # What a step reads besides, strata for one, is what the steps before it have made of the file.
        masked = _apply_step(step, method, microdata.masked_so_far(masked), rng.spawn(1)[0], carry_out)
    original, righted, moved = microdata.original, masking.right_labels, masking.move_values
    masked = with_right_labels(original, masked, righted) if righted else masked
    return with_moved_values(original, masked, moved, rng.spawn(1)[0]) if moved else masked


def last_step_of(
    masking: Masking, methods: Sequence[MaskingMethod], microdata: Microdata
) -> Callable[[Table, np.random.Generator], Table] | None:
    """Return a function that repeats the last step of a chain, on a table of the protected attributes."""
    if len(methods) < 2:
        return None

    def carried_out(table: Table, rng: np.random.Generator) -> Table:
        reached = microdata.masked_so_far(table)
        return _apply_step(masking.steps[-1], methods[-1], reached, rng, in_turn)

    return carried_out


def _apply_step(
    masking: Masking, method: MaskingMethod, microdata: Microdata, rng: np.random.Generator, carry_out: CarryOut
) -> Table:
    """Return the protected attributes after a single step."""
    original = microdata.original
    part = original.select(masking.attributes) if masking.attributes else original
    weights = sampling_weights(microdata.table) if innermost(method).weighted else None
    names = method.auxiliary_names(microdata.table.schema, part.schema.names)
    whole = Material(part, weights, microdata.table.select(names) if names else None)
    if masking.by:
        strata = strata_of(microdata.table, masking.by)
        _require_strata(method, part, strata)
        streams = zip(strata, rng.spawn(len(strata)), strict=True)
        parts = [one for rows, stream in streams for one in parts_of(method, part, rows, stream)]
    else:
        parts = parts_of(method, part, None, rng)
    pieces = carry_out(masking, parts, whole)
    for piece, rows in zip(pieces, (one.rows for one in parts), strict=True):
        _require_contract(masking.method, method, part, len(part) if rows is None else len(rows), piece)
    masked = joined(pieces, parts)
    return original.with_columns(masked) if masking.attributes else masked


def as_chain(masking: Masking, chosen: Sequence[str], further: Sequence[Masking]) -> tuple[Masking, tuple[str, ...]]:
    """Return a masking with further steps, and all attributes that any of them masks or puts in order."""
    named = tuple(name for entry in further for step in entry.steps for name in step.attributes)
    protect = tuple(dict.fromkeys([*chosen, *named, *masking.right_labels, *masking.move_values]))
    if len(protect) == len(chosen):
        return replace(masking, then=tuple(further)), protect
    then = tuple(
        replace(step, attributes=step.attributes or tuple(chosen)) for entry in further for step in entry.steps
    )
    return replace(masking, attributes=tuple(chosen), then=then), protect


def mask_file(
    masking: Masking,
    methods: Sequence[MaskingMethod],
    microdata: Microdata,
    seed: Seed,
    carry_out: CarryOut = in_turn,
) -> Table:
    """Return a whole file with its protected attributes masked, as by the function and the command ``mask``."""
    # Tuning does the same, so that the command repeats a file that was tuned to the last value.
    require_fit(masking, methods, microdata.original)
    rng = stream(seed, Purpose.MASK)
    return microdata.table.with_columns(apply_masking(masking, methods, microdata, rng, carry_out))


def require_fit(masking: Masking, methods: Sequence[MaskingMethod], original: Table) -> None:
    """Raise where the first steps of an entry, as many as there are methods, do not fit the original's attributes."""
    for step, method in zip(masking.steps, methods, strict=False):
        original.schema.require(step.attributes, f"method {step.method}: attributes")
        part = original.select(step.attributes) if step.attributes else original
        method.require_support(part, f"method {step.method}")
        method.require_fit(part)


def account_of(masking: Masking, method: MaskingMethod, microdata: Microdata) -> list[dict[str, Any]]:
    """Return a method's account of a file beyond its parameters: one entry for each stratum, or for the whole file."""
    table = microdata.table
    part = microdata.original.select(masking.attributes) if masking.attributes else microdata.original
    weights = sampling_weights(table) if innermost(method).weighted else None
    if not masking.by:
        return [{"stratum": {}, "account": method.account(part, weights)}]
    entries: list[dict[str, Any]] = []
    for rows in strata_of(table, masking.by):
        labels = {name: label_at(table, name, int(rows[0])) for name in masking.by}
        own = None if weights is None else weights[rows]
        entries.append({"stratum": labels, "account": method.account(part.take(rows), own)})
    return entries


def sampling_weights(table: Table) -> Numbers | None:
    """Return the sampling weights of a file, shape (n,), or None where no attribute has the role weight."""
    names = table.schema.with_role(Role.WEIGHT)
    if not names:
        return None
    if len(names) > 1:
        raise DataError(Fault("weight", ", ".join(names), "one attribute of weights", "Give the others another role."))
    attribute = table.schema[names[0]]
    if attribute.categorical:
        raise DataError(Fault(attribute.name, f"scale {attribute.scale}", "numeric weights"))
    weights = np.asarray(table.column(attribute.name), dtype=np.float64)
    bad = int(np.count_nonzero(~(weights > 0)))
    if bad:
        raise DataError(Fault(attribute.name, f"{bad} weights missing or not positive", "positive weights"))
    return weights


def _require_strata(method: MaskingMethod, part: Table, strata: Sequence[Rows]) -> None:
    """Refuse strata that the method's parameters do not fit, with how many there are."""
    refused: list[tuple[int, Fault]] = []
    for rows in strata:
        try:
            method.require_fit(part.take(rows))
        except ParameterError as error:
            refused.append((len(rows), error.faults[0]))
    if refused:
        size, first = min(refused, key=lambda pair: pair[0])
        given = f"{first.given}; {len(refused)} of {len(strata)} strata refuse it, the least has {size} records"
        advice = "Form fewer and larger strata, or choose other parameters."
        raise ParameterError(Fault(first.where, given, first.wanted, advice))


def _require_contract(name: str, method: MaskingMethod, part: Table, n: int, masked: Table) -> None:
    """Raise where a method returned an invalid table: no other place of the framework calls a method."""
    same = masked.schema.names == part.schema.names if method.generalises else masked.schema == part.schema
    if not same or len(masked) != n:
        raise PluginError(f"method {name} returned a table with other attributes, categories or records")
    try:
        masked.verify()
    except DataError as error:
        raise PluginError(f"method {name} returned values outside their domains: {error}") from None


class RegisteredMethods:
    """All masking methods of a registry, as required by `evosdc.model.MaskingMethods`."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._built: dict[str, MaskingMethod] = {}

    @cached_property
    def classes(self) -> Mapping[str, type[MaskingMethod]]:
        """The methods by name, in the order of names."""
        registry = self._registry
        names = sorted(registry.names("masking-method"))
        return {name: registry.implementation("masking-method", name) for name in names}

    def build(self, step: Masking) -> MaskingMethod:
        """Return the method of a single step; each step is built once."""
        key = json.dumps([step.method, dict(step.params)], sort_keys=True)
        if key not in self._built:
            self._built[key] = self._registry.build("masking-method", step.method, step.params)
        return self._built[key]

    def apply(self, step: Masking, microdata: Microdata, rng: np.random.Generator) -> Table:
        """Return the protected attributes after a single step."""
        return apply_masking(step, (self.build(step),), microdata, rng)
