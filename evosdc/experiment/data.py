"""The confidential file of an experiment: read, cut down as it says, and as microdata of what is protected."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from evosdc.assess.defaults import withheld_fault
from evosdc.assess.risk import population_description
from evosdc.errors import DataError, Fault, ParameterError
from evosdc.experiment.experiment import DataSource
from evosdc.files.reading import read_source
from evosdc.files.schema.hierarchies import with_hierarchies
from evosdc.files.source import Source
from evosdc.model import Microdata
from evosdc.plugins.registry import Registry
from evosdc.table.schema import Role
from evosdc.table.structural_zeros import compared_attributes
from evosdc.table.table import Table


def load_data(data: DataSource, registry: Registry) -> Source:
    """Return the data that an experiment names, cut down as it says."""
    if data.name is not None:
        from evosdc.datasets.loading import load_dataset

        source = load_dataset(registry.spec("dataset", data.name))  # type: ignore[arg-type]
    else:
        assert data.file is not None
        source = read_source(data.file, data.schema_file)
    if data.complete or data.first:
        complete = data.complete if isinstance(data.complete, bool) else list(data.complete)
        source = source.restricted(complete, data.first)
    if data.hierarchies:
        source = replace(source, table=with_hierarchies(source.table, data.hierarchies))
    source = source.recomputing(data.recompute) if data.recompute else source
    return replace(source, neutralise_formulas=True) if data.neutralise_formulas else source


def microdata_of(
    source: Source,
    protect: Sequence[str] | None,
    auxiliary: Sequence[str] = (),  # further attributes that measures or the start read
    zeros_threshold: float | None = None,  # as of `Microdata`
    population: Path | None = None,  # a file of the population
) -> Microdata:
    """Return the microdata of a source; `protect` None means the quasi-identifiers."""
    schema = source.table.schema
    names = schema.with_role(Role.QUASI_IDENTIFIER) if protect is None else schema.named(protect, "protect")
    withheld = [name for name in names if not schema[name].role.published]
    if withheld:
        raise DataError(withheld_fault("protect", withheld, schema))
    schema.require(auxiliary, "measures")
    rules = [rule for rule in schema.edit_rules if not set(rule.names).isdisjoint(names)]
    ruled = [name for rule in rules for name in rule.names]
    if zeros_threshold is not None:
        ruled += compared_attributes(source.table)
    # Nothing else is needed by any genotype or measure, so nothing else travels to workers.
    needed = (Role.SENSITIVE, Role.WEIGHT, Role.HOUSEHOLD, Role.STRATUM)
    further = [name for name in (*schema.with_role(*needed), *auxiliary, *ruled) if name not in names]
    table = source.table.select(list(dict.fromkeys([*names, *further])))
    return Microdata(table, names, zeros_threshold, people_of(population, source.table, names))


def people_of(path: Path | None, table: Table, protect: Sequence[str]) -> Table | None:
    """Return the quasi-identifiers of a population file, protected ones among them; None for no file."""
    if path is None:
        return None
    known = table.schema.with_role(Role.QUASI_IDENTIFIER)
    names = (*protect, *(name for name in known if name not in protect))
    people = read_source(path, population_description(table.schema, names)).table
    people.schema.require(names, "data.population")
    if len(people) < len(table):
        given = f"{len(people)} records, of which the {len(table)} of the file cannot be a part"
        raise ParameterError(Fault("data.population", given, f"{len(table)} records or more"))
    return people.select(names)
