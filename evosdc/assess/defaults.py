"""Defaults for a file: attributes, measures and the portfolio."""

import logging
from collections.abc import Sequence
from typing import Any

from evosdc.errors import DataError, Fault
from evosdc.model import Microdata
from evosdc.model.microdata import one_value
from evosdc.plugins.registry import Registry
from evosdc.table.schema import WITHHELD, Role, Schema


def choose_attributes(
    schema: Schema, attributes: Sequence[str] | None, otherwise_all: bool = True, option: str = "--protect"
) -> tuple[str, ...]:
    """Return the attributes to work on."""
    chosen = schema.with_role(Role.QUASI_IDENTIFIER) if attributes is None else tuple(attributes)
    if attributes is None and not chosen and otherwise_all:
        chosen = tuple(a.name for a in schema.attributes if a.role.published)
    where = option.removeprefix("--")
    chosen = schema.named(chosen, where)
    withheld = [name for name in chosen if not schema[name].role.published]
    faults = []
    if not chosen:
        advice = f"Name them by {option} A,B, or give some the role quasi-identifier in the schema."
        given = f"none{one_value(schema)}"
        faults.append(Fault(where, given, "at least one attribute", advice))
    if withheld:
        faults.append(withheld_fault(where, withheld, schema))
    if faults:
        raise DataError(faults)
    return chosen


def withheld_fault(where: str, names: Sequence[str], schema: Schema, wanted: str = "quasi-identifiers") -> Fault:
    """Return the fault of attributes that are to be protected or read though their role keeps them from the file."""
    roles = " and ".join(sorted({"an identifier" if schema[n].role is Role.IDENTIFIER else "to drop" for n in names}))
    advice = "Attributes of these roles are left out of a protected file; give it another role if it is none."
    return Fault(where, f"{', '.join(names)}, {roles}", wanted, advice)


_LOG = logging.getLogger(__name__)


COMPOSITIONS = frozenset({"categorical", "numeric", "mixed"})  # what `composition` returns


def composition(schema: Schema) -> str:
    """Return the occasion (`evosdc.specs.OCCASIONS`) that a file is: ``categorical``, ``numeric`` or ``mixed``."""
    if not schema.numeric:
        return "categorical"
    return "mixed" if schema.categorical else "numeric"


def default_measures(schema: Schema, registry: Registry) -> dict[str, tuple[str, ...]]:
    """Return the names of the default measures of information loss (``il``) and disclosure risk (``dr``)."""
    names = _fit_for(len(schema), registry.defaults("measure", composition(schema)), registry)
    kinds = {name: registry.measure(name).kind for name in names}
    return {kind: tuple(name for name in names if kinds[name] == kind) for kind in ("il", "dr")}


def measures_by_role(
    microdata: Microdata, registry: Registry, il: Sequence[str] = (), dr: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the measures of a release: those named; else losses for analysts, each attribute's risk by its role."""
    # An intruder knows quasi-identifiers already and looks for the respondent: masked ones are judged by linkage.
    # Masked sensitive attributes are what the intruder wants to learn: they are judged by inference. The greater risk
    # counts. Which measures these are is what plugins offer for ``analysis``, ``identity`` and ``inference``. Where
    # others are named, defaults are not computed: they may log what they leave out.
    losses = list(il) or losses_for_analysts(microdata, registry)
    return {"il": losses} | ({"dr": list(dr)} if dr else {"dr": risks_by_role(microdata, registry), "risks": "max"})


def risks_by_role(microdata: Microdata, registry: Registry) -> list[dict[str, Any]]:
    """Return the default measures of disclosure risk, each with its attributes (`measures_by_role`)."""
    schema = microdata.original.schema
    sensitive = tuple(a.name for a in schema.attributes if a.role is Role.SENSITIVE)
    known = tuple(name for name in schema.names if name not in sensitive)
    risks = list[dict[str, Any]]()
    for occasion, names in (("identity", known), ("inference", sensitive)):
        if names:
            scales = {str(schema[name].scale) for name in names}
            risks += [
                {"name": name} | ({} if len(names) == len(schema) else {"of": names})
                for name in _fit_for(len(names), registry.defaults("measure", occasion), registry)
                if scales <= set(registry.measure(name).scales)
            ]
    return risks


def losses_for_analysts(microdata: Microdata, registry: Registry) -> list[str]:
    """Return the default measures of information loss: see `measures_by_role`."""
    schema = microdata.original.schema
    scales = {str(attribute.scale) for attribute in schema.attributes}
    names = [
        *registry.defaults("measure", "analysis"),
        *(registry.defaults("measure", "numbers") if schema.numeric else ()),
    ]
    unmasked = (a.role for a in microdata.table.schema.attributes if a.name not in microdata.protect)
    tabulated = any(role not in (*WITHHELD, Role.WEIGHT, Role.HOUSEHOLD) for role in unmasked)
    return [
        name
        for name in _fit_for(len(schema), names, registry)
        if scales & set(registry.measure(name).scales)
        and (tabulated or not registry.implementation("measure", name).auxiliary_all)
    ]


def _fit_for(attributes: int, names: Sequence[str], registry: Registry) -> tuple[str, ...]:
    """Return the measures that can judge this number of attributes; log those left out."""
    most = {name: registry.measure(name).most_attributes for name in names}
    for name, limit in most.items():
        if limit is not None and attributes > limit:
            _LOG.warning("%s is left out: it judges at most %d attributes, and these are %d", name, limit, attributes)
    return tuple(name for name, limit in most.items() if limit is None or attributes <= limit)


def entries_by_role(microdata: Microdata, registry: Registry) -> dict[str, tuple[str, ...]]:
    """Return `measures_by_role` by name, losses first, each with the attributes that it judges; empty for all."""
    found = measures_by_role(microdata, registry)
    return {str(name): () for name in found["il"]} | {e["name"]: tuple(e.get("of", ())) for e in found["dr"]}


def default_portfolio(schema: Schema, registry: Registry) -> str:
    """Return the name of the portfolio that is usual for the scales of the protected attributes."""
    return registry.default("portfolio", composition(schema))
