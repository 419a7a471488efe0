"""One entry of a portfolio applied to a file: step by step, whole or stratum by stratum, with weights if any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evosdc.errors import DataError, Fault, FaultCollector, ParameterError, PluginError
from evosdc.model import Masking, MaskingMethod, Microdata
from evosdc.plugins.registry import Registry
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import MISSING, Codes, Numbers, Rows, Table


def masked_by(masking: Masking, microdata: Microdata, registry: Registry, rng: np.random.Generator) -> Table:
    """Return the protected attributes masked by one entry of a portfolio.

    Parameters
    ----------
    masking : Masking
    microdata : Microdata
    rng : numpy.random.Generator
        Each stratum gets a stream of its own, spawned from it; so does each further step, which therefore draws the
        same numbers whatever its parameters are.

    Returns
    -------
    Table
        Shape (n, V); with another schema where the method generalises.

    Raises
    ------
    SchemaError
        Strata by attributes that the file does not have, or a method that reads such attributes.
    ParameterError
        The parameters do not fit the table, or one of its strata.
    DataError
        The file's weights are not all positive.
    PluginError
        The method changed the schema or lost records.
    """
    first, *further = masking.steps
    masked = _after_step(first, microdata, registry, rng)
    for step in further:
        # What a step reads besides, strata for one, is what the steps before it have made of the file.
        reached = Microdata(microdata.table.with_columns(masked), microdata.protect)
        masked = _after_step(step, reached, registry, rng.spawn(1)[0])
    return masked


def _after_step(masking: Masking, microdata: Microdata, registry: Registry, rng: np.random.Generator) -> Table:
    """Return the protected attributes after a single step."""
    method: MaskingMethod = registry.build("masking-method", masking.method, masking.params)
    original = microdata.original
    part = original.select(masking.attributes) if masking.attributes else original
    weights = weights_of(microdata.table) if method.weighted else None
    context = context_of(method, microdata.table, part)
    if masking.by:
        strata = strata_of(microdata.table, masking.by)
        _require_strata(method, part, strata)
        streams = rng.spawn(len(strata))
        pieces = [
            _masked(
                masking.method,
                method,
                part.take(rows),
                None if weights is None else weights[rows],
                None if context is None else context.take(rows),
                stream,
            )
            for rows, stream in zip(strata, streams, strict=True)
        ]
        masked = joined(pieces, strata)
    else:
        masked = _masked(masking.method, method, part, weights, context, rng)
    return original.with_columns(masked) if masking.attributes else masked


def account_of(masking: Masking, microdata: Microdata, registry: Registry) -> list[dict[str, Any]]:
    """Return what a method does to a file beyond its parameters: one entry for each stratum, or for the whole file.

    Of several steps it is the first that is accounted for.

    Returns
    -------
    list of dict
        Each with ``stratum``, the categories that its records have in common (None for a missing value), and
        ``account``, see `evosdc.model.MaskingMethod.account`.
    """
    method: MaskingMethod = registry.build("masking-method", masking.method, masking.params)
    table = microdata.table
    part = microdata.original.select(masking.attributes) if masking.attributes else microdata.original
    weights = weights_of(table) if method.weighted else None
    if not masking.by:
        return [{"stratum": {}, "account": method.account(part, weights)}]
    entries: list[dict[str, Any]] = []
    for rows in strata_of(table, masking.by):
        labels = {name: _label(table, name, int(rows[0])) for name in masking.by}
        own = None if weights is None else weights[rows]
        entries.append({"stratum": labels, "account": method.account(part.take(rows), own)})
    return entries


def _label(table: Table, name: str, row: int) -> str | float | None:
    attribute, value = table.schema[name], table.column(name)[row]
    if attribute.categorical:
        return None if value == MISSING else attribute.categories[value]
    return None if np.isnan(value) else float(value)


def context_of(method: MaskingMethod, table: Table, part: Table) -> Table | None:
    """Return the attributes of a whole file that a method reads beside those that it masks, None where there are none.

    Parameters
    ----------
    table : Table
        The whole file.
    part : Table
        The attributes to mask.

    Raises
    ------
    SchemaError, ParameterError
        The method asks for attributes that the file does not have, or that are masked.
    """
    names = method.context(table.schema, part.schema.names)
    return table.select(names) if names else None


def attributes_read(
    maskings: Sequence[Masking], schema: Schema, protect: Sequence[str], registry: Registry
) -> list[str]:
    """Return the attributes of a file that entries of a portfolio read beside those that they mask: strata, contexts.

    Raises
    ------
    InputError
        Attributes that the file does not have, or parameters that are refused; of all entries at once.
    """
    names: list[str] = []
    collect = FaultCollector()
    for masking in (step for entry in maskings for step in entry.steps):
        with collect.step():
            schema.require(masking.by, f"start: {masking.method}: by")
            method: MaskingMethod = registry.build("masking-method", masking.method, masking.params)
            names += [*masking.by, *method.context(schema, masking.attributes or protect)]
    collect.settle()
    return names


def weights_of(table: Table) -> Numbers | None:
    """Return the sampling weights of a file, shape (n,), or None where no attribute has the role weight.

    Raises
    ------
    DataError
        Weights that are missing, not positive or no numbers, or more than one attribute of weights.
    """
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


def strata_of(table: Table, by: Sequence[str]) -> list[Rows]:
    """Return the positions of each stratum's records: records that agree on all attributes of `by`.

    Missing values count as a category of their own. Strata are in the order of the attributes' categories.

    Raises
    ------
    SchemaError
        Attributes that the table does not have.
    """
    table.schema.require(by, "by")
    labels = np.zeros(len(table), dtype=np.int64)
    for name in by:
        _, found = np.unique(table.column(name), return_inverse=True)
        _, labels = np.unique(labels * (int(found.max(initial=0)) + 1) + found, return_inverse=True)
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1) if len(order) else []


def joined(pieces: Sequence[Table], strata: Sequence[Rows]) -> Table:
    """Return one table from the masked strata; the categories of generalised attributes are united.

    Parameters
    ----------
    pieces : sequence of Table
        One for each stratum.
    strata : sequence of ndarray of intp
        The positions of its records in the whole file.
    """
    first = pieces[0].schema
    attributes = tuple(_united([piece.schema.attributes[j] for piece in pieces]) for j in range(len(first)))
    schema = replace(first, attributes=attributes)
    n = sum(len(rows) for rows in strata)
    codes: Codes = np.empty((n, len(schema.categorical)), dtype=np.int32)
    numbers: Numbers = np.empty((n, len(schema.numeric)))
    for piece, rows in zip(pieces, strata, strict=True):
        numbers[rows] = piece.numbers if piece.schema.numeric == schema.numeric else np.nan
        for j, attribute in enumerate(schema.categorical):
            own = piece.schema[attribute.name]
            recoding = np.array([attribute.code[label] for label in own.categories] + [MISSING], dtype=np.int32)
            codes[rows, j] = recoding[piece.column(attribute.name)]
    return Table(schema, codes, numbers)


def _united(attributes: Sequence[Attribute]) -> Attribute:
    first = attributes[0]
    if all(attribute == first for attribute in attributes):
        return first
    labels = tuple(dict.fromkeys(label for attribute in attributes for label in attribute.categories))
    return replace(first, scale=Scale.NOMINAL, categories=labels)


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
        raise ParameterError(
            Fault(
                first.where,
                f"{first.given}; {len(refused)} of {len(strata)} strata refuse it, the least has {size} records",
                first.wanted,
                "Form fewer and larger strata, or choose other parameters.",
            )
        )


def _masked(
    name: str,
    method: MaskingMethod,
    part: Table,
    weights: Numbers | None,
    context: Table | None,
    rng: np.random.Generator,
) -> Table:
    if context is not None:
        masked = method.mask_given(part, context, rng)
    else:
        masked = method.mask(part, rng) if weights is None else method.mask_weighted(part, weights, rng)
    same = masked.schema.names == part.schema.names if method.generalises else masked.schema == part.schema
    if not same or len(masked) != len(part):
        raise PluginError(f"method {name} returned a table with other attributes, categories or records")
    try:
        masked.verify()
    except DataError as error:
        raise PluginError(f"method {name} returned values outside their domains: {error}") from None
    return masked
