"""Disclosure by one file alone: figures of privacy models, unique records, and the meaning of uniques."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.assess.changes import keys_of, perturbed
from evosdc.assess.defaults import choose_attributes
from evosdc.assess.intruder import Found, found_by_intruder
from evosdc.assess.mask import sampling_weights
from evosdc.assess.utility import named
from evosdc.errors import DataError, Fault, FaultCollector, InputError, ParameterError
from evosdc.files.schema.description import AttributeDescription, SchemaDescription
from evosdc.model import IntruderView, MissingMatch, PrivacyModel
from evosdc.plugins.registry import Registry
from evosdc.randomisation.transition import Matrix
from evosdc.runs.result import Verdict
from evosdc.table.alignment import align_codes, coarsened, recode_like, restrict_to
from evosdc.table.schema import WITHHELD, MissingRule, Role, Schema
from evosdc.table.table import Numbers, Table, assign_role


class RegisteredModels:
    """All privacy models of a registry, as required by `evosdc.model.PrivacyModels`."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def build(self, name: str, params: Any) -> PrivacyModel:
        """Return a model with its parameters."""
        model: PrivacyModel = self._registry.build("privacy-model", name, params)
        return model


# roles of attributes that an intruder is not taken to know where no quasi-identifier is declared
_NOT_KNOWN = (*WITHHELD, Role.SENSITIVE, Role.WEIGHT, Role.HOUSEHOLD)


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
    """Return a file as an intruder sees it; None stands for the roles and the rule of the schema."""
    collect = FaultCollector()
    with collect.step():
        table = assign_role(table, Role.WEIGHT, weight)
    with collect.step():
        table = assign_role(table, Role.HOUSEHOLD, household)
    schema = table.schema
    chosen: tuple[str, ...] = ()
    secret = schema.with_role(Role.SENSITIVE) if sensitive is None else tuple(sensitive)
    with collect.step():
        secret = schema.named(secret, "sensitive")
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
        wanted = "none, since the schema says na = 'error'"
        advice = "Choose how they count: wildcard, category or never."
        missed = {name: int(table.absent(name).sum()) for name in chosen}
        faults = [Fault(name, f"{count} missing values", wanted, advice) for name, count in missed.items() if count]
        if faults:
            raise DataError(faults)
    return MissingMatch.of(table.schema.na)


def population_description(schema: Schema, names: Sequence[str]) -> SchemaDescription:
    """Return how a file of the population is read: scales and missing values as here, categories as it has them."""
    attributes = {name: AttributeDescription(scale=schema[name].scale) for name in names if name in schema}
    return SchemaDescription(attributes, schema.missing, schema.na, "population")


def assess(view: IntruderView, models: Mapping[str, Mapping[str, Any]], registry: Registry) -> dict[str, Any]:
    """Return the figures of privacy models by name, and under ``not_applicable`` why the others have none."""
    view, built = view.judged, build_models(models, registry)
    single = "" if view.counts is None else "single records, not distinct ones with counts"
    lacking = {name: model.lacking(view) or ("" if model.counted else single) for name, model in built.items()}
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
    """Return figures of each record by privacy model, each of shape (n,) in the order of the file."""
    # Those that say nothing of single records, or lack something, are left out. Of a record that is suppressed whole no
    # model says anything: NaN.
    found, judged = {}, view.judged
    for name, model in build_models(models, registry).items():
        figures = None if model.lacking(judged) else model.record_figures(judged)
        if figures is not None:
            found[name] = np.full(len(view.table), np.nan)
            found[name][~view.suppressed] = figures
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


def view_summary(view: IntruderView) -> dict[str, Any]:
    """Return the assumptions of a file's figures: records, roles, weights and the rule for missing values."""
    schema, missing = view.table.schema, 0
    for name in view.quasi_identifiers:
        absent = view.table.absent(name)
        missing += int(absent.sum() if view.counts is None else view.counts[absent].sum())
    weights = schema.with_role(Role.WEIGHT)
    return {
        "records": view.records,
        "suppressed_records": view.records - view.judged.records,
        "quasi_identifiers": list(view.quasi_identifiers),
        "sensitive": list(view.sensitive),
        "weight": weights[0] if weights else None,
        "household": view.household,
        "missing_rule": str(view.missing),
        "missing_values": missing,
    }


@dataclass(frozen=True)
class Outstanding:
    """A record that is like no other one."""

    record: int  # position in the file, from 1
    sets: tuple[tuple[str, ...], ...]  # the smallest sets of attributes that tell it from all others


@dataclass(frozen=True, eq=False)
class StandingOut:
    """The unique records of a file."""

    records: tuple[Outstanding, ...]  # those that fewest attributes give away first
    found: Found | None  # what an informed intruder finds in the file as it is

    def to_json(self, most: int) -> dict[str, Any]:
        """Return counts, and the first records with their sets, as JSON has it."""
        by_size = Counter(len(one.sets[0]) for one in self.records)
        return {
            "records": len(self.records),
            "by_size": {str(size): by_size[size] for size in sorted(by_size)},
            "listed": [{"record": one.record, "sets": list(map(list, one.sets))} for one in self.records[:most]],
            "intruder": None if self.found is None else self.found.without_records(),
        }

    def sentences(self, most: int) -> list[str]:
        """Return the same in plain words."""
        lines = []
        if self.found is not None:
            lines.append(
                f"An informed intruder is expected to re-identify {self.found.expected:.0f} of {self.found.records} "
                f"people ({self.found.percent:.2f} %, by {self.found.measure}) in the file as it is."
            )
        many = f"{len(self.records)} records are unique; those that fewest attributes identify first:"
        who = "1 record is unique:" if len(self.records) == 1 else many
        lines.append(who if self.records else "No record is unique.")
        alone = ((one.record, " or by ".join(map(" and ".join, one.sets[:3]))) for one in self.records[:most])
        return lines + [f"  record {record}: unique by {sets}" for record, sets in alone]


def standing_out(view: IntruderView, models: Sequence[PrivacyModel], registry: Registry) -> StandingOut:
    """Return the records that privacy models single out, by the fewest attributes that any of them names."""
    merged: dict[int, set[tuple[str, ...]]] = {}
    judged, kept = view.judged, np.flatnonzero(~view.suppressed).tolist()
    for model in models:
        if not model.lacking(judged):
            for place, sets in model.standing_out(judged).items():
                merged.setdefault(kept[place], set()).update(sets)
    records = []
    for place, known_by in merged.items():
        least = min(map(len, known_by))
        records.append(Outstanding(place + 1, tuple(sorted(names for names in known_by if len(names) == least))))
    records.sort(key=lambda one: (len(one.sets[0]), -len(one.sets), one.record))
    known = view.table.select(view.quasi_identifiers)
    try:
        found = found_by_intruder(view.table, known, view.quasi_identifiers, registry)
    except InputError:
        found = None
    return StandingOut(tuple(records), found)


@dataclass(frozen=True, eq=False)
class Perturbed:
    """The meaning of counts of uniques in a file whose values were changed."""

    told_by: str  # how it is known that the file was perturbed: the name of a file
    # values that are perturbed (`evosdc.assess.changes`), by known attribute
    changed: Mapping[str, int] = field(default_factory=dict)
    unique: int = 0  # records of the file that are like no other one in what the intruder knows
    # records of the file that are like no other one in the known attributes that were not perturbed
    unique_unchanged: int = 0
    right: int | None = None  # of the unique records, those without any perturbed value
    found: Found | None = None  # what an informed intruder finds; None likewise
    of_run: Verdict | None = None  # the verdict of the run that made the file, where it lies in its folder

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        intruder = None if self.found is None else self.found.without_records()
        return {
            "told_by": self.told_by, "changed": dict(self.changed), "unique_records": self.unique,
            "unique_by_unchanged": self.unique_unchanged, "right": self.right, "at_least_right": self.at_least,
            "intruder": intruder, "verdict": self.verdict,
        }  # fmt: skip

    @property
    def unchanged(self) -> tuple[str, ...]:
        """The known attributes without perturbed values."""
        return tuple(name for name, count in self.changed.items() if not count)

    @property
    def at_least(self) -> int:
        """How many of the unique records have no perturbed value, at least."""
        return max(0, self.unique - sum(self.changed.values())) if self.right is None else self.right

    @property
    def verdict(self) -> str:
        """The verdict on publishing the file: that of its run, else where to get one."""
        if self.of_run is not None:
            return _of_run(self.of_run)
        said = []
        if self.found is not None:
            said.append(f"An informed intruder is expected to re-identify {self.found.percent:.1f} % of the people.")
        said.append(self._danger or _NOTHING)
        if self.found is None:
            said.append("evosdc judge ORIGINAL FILE says whether people can be re-identified.")
        text = " ".join(said)
        return text[0].lower() + text[1:]

    @property
    def _danger(self) -> str:
        """What true values tell; empty where they need not tell anything."""
        if self.unique_unchanged:
            which = "attribute" if len(self.unchanged) == 1 else "attributes"
            who = "1 respondent is" if self.unique_unchanged == 1 else f"{self.unique_unchanged} respondents are"
            return f"{who} unique by the {which} {named(self.unchanged)} alone, not perturbed in this file. {_DO_NOT}"
        if self.at_least and self.found is None:
            stand = f"{self.at_least} of the {self.unique} unique records"
            return f"At least {stand} {'has' if self.at_least == 1 else 'have'} no perturbed value. {_DO_NOT}"
        return ""

    def sentences(self) -> list[str]:
        """Return in plain words that uniques need not be re-identifications, and how many are right where known."""
        changed = ", ".join(f"{name} {count}" for name, count in self.changed.items() if count)
        lines = [
            f"This file was perturbed ({changed} values became other known ones; {self.told_by}). Records with such a "
            "value are not re-identifications, even if they are unique: the value may be another person's."
        ]
        if self.right is not None:
            lines.append(f"Of these {self.unique} records, {self.right} have no value that is not their own person's.")
        if self.found is not None:
            turned = ", attack from person to record" if self.found.backwards else ""
            lines.append(
                f"An informed intruder is expected to re-identify {self.found.expected:.0f} of {self.found.records} "
                f"people ({self.found.percent:.2f} %, by {self.found.measure}{turned}); in the original "
                f"{self.found.original * self.found.records / 100.0:.0f}."
            )
        elif self.right is None:
            lines.append("--original FILE counts how many are right, and whom an informed intruder re-identifies.")
        return lines


_DO_NOT = "Do not release the file as it is, unless nobody else can know these attributes."
_NOTHING = "This file was perturbed, so the number of unique records does not say whether it may be published."


def _of_run(verdict: Verdict) -> str:
    """Return the verdict of the run that made a file."""
    share = verdict.people_found
    reach = "" if share is None else f"; an informed intruder is expected to re-identify {share:.1f} % of the people"
    return f"{verdict.headline}, says the run that made the file{reach}. Its report has the conditions and more."


def against_original(original: Table, view: IntruderView, registry: Registry, told_by: str) -> Perturbed | None:
    """Return the meaning of uniques in a published file, by its original; None where no known value was perturbed."""
    names = list(view.quasi_identifiers)
    before = original.select(names)
    published = restrict_to(before, view.table)
    others = {name: perturbed(before, published, name) for name in names}
    if not any(other.any() for other in others.values()):
        return None
    unique = unique_records(view)
    right = int((unique & ~np.any(list(others.values()), axis=0)).sum())
    found = None
    with suppress(InputError):  # intruders read no coarser labels
        found = found_by_intruder(original, align_codes(before, published), names, registry)
    return perturbed_file(told_by, {name: int(other.sum()) for name, other in others.items()}, view, right, found)


def perturbed_file(
    told_by: str,
    changed: Mapping[str, int],
    view: IntruderView,
    right: int | None = None,
    found: Found | None = None,
    of_run: Verdict | None = None,
) -> Perturbed:
    """Return the meaning of uniques in a file, from the number of perturbed values of each attribute."""
    left = [name for name, count in changed.items() if not count]
    alone = 0
    if left:
        (keys,) = keys_of(view.table.select(left))
        alone = int((np.bincount(keys)[keys] == 1).sum())
    return Perturbed(told_by, changed, int(unique_records(view).sum()), alone, right, found, of_run)


def unique_records(view: IntruderView) -> NDArray[np.bool_]:
    """Return which records are unique in the intruder's knowledge, by the view's rule for missing values."""
    unique, judged = np.zeros(len(view.table), dtype=np.bool_), view.judged
    unique[~view.suppressed] = judged.frequencies[0][judged.classes.of] == 1
    return unique
