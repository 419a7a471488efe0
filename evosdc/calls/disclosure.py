"""One file as an intruder sees it, from what a schema and a user say of it, and what privacy models find in it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evosdc.calls.attribute_choice import choose_attributes
from evosdc.calls.masking import sampling_weights
from evosdc.errors import DataError, Fault, FaultCollector, ParameterError
from evosdc.files.schema.description import AttributeDescription, SchemaDescription
from evosdc.model import IntruderView, MissingMatch, PrivacyModel
from evosdc.plugins.registry import Registry
from evosdc.randomisation.transition import Matrix
from evosdc.table.alignment import recode_like
from evosdc.table.coarsening import coarsened
from evosdc.table.role_assignment import assign_role
from evosdc.table.schema import WITHHELD, MissingRule, Role, Schema
from evosdc.table.table import MISSING, Numbers, Table

_NOT_KNOWN = (*WITHHELD, Role.SENSITIVE, Role.WEIGHT, Role.HOUSEHOLD)
"""Roles of attributes that an intruder is not taken to know where no quasi-identifier is declared."""


def intruder_view_of(
    table: Table,
    quasi_identifiers: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    weight: str | None = None,
    household: str | None = None,
    missing: str | None = None,
    population: Table | None = None,
    transitions: Mapping[str, Matrix] | None = None,
    otherwise_all: bool = True,
) -> IntruderView:
    """Return a file as an intruder sees it; what is None is read off the roles and the rule of the schema.

    Parameters
    ----------
    table : Table
        All attributes.
    quasi_identifiers, sensitive : sequence of str, optional
    weight, household : str, optional
        The attributes of these roles.
    missing : {"wildcard", "category", "never"}, optional
    population : Table, optional
        With at least the quasi-identifiers; its categories may be others.
    transitions : mapping of str to ndarray, optional
        By attribute, the rows of the values that occurred before.
    otherwise_all : bool
        Whether, without any quasi-identifier, an intruder knows all attributes but identifiers, sensitive ones, weights
        and households.

    Raises
    ------
    InputError
        With all faults in names, weights, rule and population.
    """
    collect = FaultCollector()
    with collect.step():
        table = assign_role(table, Role.WEIGHT, weight)
    with collect.step():
        table = assign_role(table, Role.HOUSEHOLD, household)
    schema = table.schema
    chosen: tuple[str, ...] = ()
    secret = schema.with_role(Role.SENSITIVE) if sensitive is None else tuple(dict.fromkeys(sensitive))
    with collect.step():
        schema.require(secret, "sensitive")
    with collect.step():
        if quasi_identifiers is None and otherwise_all and not schema.with_role(Role.QUASI_IDENTIFIER):
            quasi_identifiers = [a.name for a in schema.attributes if a.role not in _NOT_KNOWN and a.name not in secret]
        if quasi_identifiers is None and sensitive is not None:
            # what is named sensitive now is no longer the quasi-identifier that the schema declares
            quasi_identifiers = [name for name in schema.with_role(Role.QUASI_IDENTIFIER) if name not in secret]
        chosen = choose_attributes(schema, quasi_identifiers, otherwise_all=False, option="--quasi-identifiers")
    both = [name for name in chosen if name in secret]
    if both and sensitive is None:
        # likewise the other way round
        secret = tuple(name for name in secret if name not in both)
    elif both:
        wanted = "attributes that an intruder does not know already"
        collect.faults.append(Fault("sensitive", f"{', '.join(both)}, a quasi-identifier as well", wanted))
    match = MissingMatch.of(schema.na)
    with collect.step():
        match = _match(missing, table, chosen)
    weights: Numbers | None = None
    with collect.step():
        weights = sampling_weights(table)
    households = schema.with_role(Role.HOUSEHOLD)
    if len(households) > 1:
        advice = "Give the others another role."
        collect.faults.append(Fault("household", ", ".join(households), "one attribute of households", advice))
    with collect.step():
        if population is not None:
            if len(population) < len(table):
                given = f"{len(population)} records, of which the {len(table)} of the file cannot be a part"
                wanted = f"all people that the file was drawn from, {len(table)} records or more"
                raise ParameterError(Fault("population", given, wanted, "Check that the two files are not exchanged."))
            recode_like(population, schema, chosen)  # refuses what cannot be compared
            population = coarsened(population, table, chosen)
    if len(table) == 0:
        collect.faults.append(Fault("data", "no record", "at least one record"))
    collect.settle()
    living = households[0] if households else None
    return IntruderView(table, chosen, secret, weights, living, match, population, transitions)


def _match(missing: str | None, table: Table, chosen: Sequence[str]) -> MissingMatch:
    if missing is not None:
        if missing not in list(MissingMatch):
            raise ParameterError(Fault("missing", repr(missing), f"one of {', '.join(MissingMatch)}"))
        return MissingMatch(missing)
    if table.schema.na is MissingRule.ERROR:
        faults = [
            Fault(
                name,
                f"{count} missing values",
                "none, since the schema says na = 'error'",
                "Choose how they count: wildcard, category or never.",
            )
            for name in chosen
            if (count := table.missing_in(table.schema[name]))
        ]
        if faults:
            raise DataError(faults)
    return MissingMatch.of(table.schema.na)


def population_description(schema: Schema, names: Sequence[str]) -> SchemaDescription:
    """Return how a file of the population is read: scales and missing values as here, categories as it has them."""
    attributes = {name: AttributeDescription(scale=schema[name].scale) for name in names if name in schema}
    return SchemaDescription(attributes, schema.missing, schema.na, "population")


def single_records(model: PrivacyModel, view: IntruderView) -> str:
    """Return that a model needs single records where it does and there are counts alone; else nothing."""
    return "" if view.counts is None or model.counted else "single records, not distinct ones with counts"


def assess(view: IntruderView, models: Mapping[str, Mapping[str, Any]], registry: Registry) -> dict[str, Any]:
    """Return the figures of privacy models by name, and under ``not_applicable`` why the others have none.

    Raises
    ------
    InputError
        Unknown models, or parameters that were refused or do not fit the file.
    """
    built = build_models(models, registry)
    lacking = {name: model.lacking(view) or single_records(model, view) for name, model in built.items()}
    figures: dict[str, Any] = {}
    collect = FaultCollector()
    for name, model in built.items():
        if not lacking[name]:
            with collect.step():
                figures[name] = dict(model.assess(view))
    collect.settle()
    return figures | {"not_applicable": {name: f"needs {what}" for name, what in lacking.items() if what}}


def record_figures(
    view: IntruderView, models: Mapping[str, Mapping[str, Any]], registry: Registry
) -> dict[str, Numbers]:
    """Return what privacy models say of each record, by name, each of shape (n,) in the order of the file.

    Those that say nothing of single records, or lack something, are left out.

    Raises
    ------
    InputError
        As `assess`.
    """
    found = {}
    for name, model in build_models(models, registry).items():
        if not model.lacking(view):
            figures = model.record_figures(view)
            if figures is not None:
                found[name] = figures
    return found


def build_models(models: Mapping[str, Mapping[str, Any]], registry: Registry) -> dict[str, PrivacyModel]:
    """Return privacy models by name; raises with the faults of all names and parameters at once."""
    collect = FaultCollector()
    built: dict[str, PrivacyModel] = {}
    for name, params in models.items():
        with collect.step():
            built[name] = registry.build("privacy-model", name, params)
    collect.settle()
    return built


def _missing_values(view: IntruderView, name: str) -> int:
    attribute = view.table.schema[name]
    if view.counts is None:
        return view.table.missing_in(attribute)
    column = view.table.column(name)
    return int(view.counts[column == MISSING if attribute.categorical else np.isnan(column)].sum())


def view_summary(view: IntruderView) -> dict[str, Any]:
    """Return what the figures of a file hang on: records, roles, weights and the rule for missing values."""
    weights = view.table.schema.with_role(Role.WEIGHT)
    return {
        "records": view.records,
        "quasi_identifiers": list(view.quasi_identifiers),
        "sensitive": list(view.sensitive),
        "weight": weights[0] if weights else None,
        "household": view.household,
        "missing_rule": str(view.missing),
        "missing_values": sum(_missing_values(view, name) for name in view.quasi_identifiers),
    }
