"""The confidential file of an experiment: read, cut down as it says, and as microdata of what is protected."""

from collections.abc import Sequence
from dataclasses import replace

from evosdc.calls.attribute_choice import withheld_fault
from evosdc.errors import DataError, ExperimentError, Fault
from evosdc.experiment.config.data_source import DataSource
from evosdc.experiment.config.experiment import Experiment
from evosdc.files.schema.hierarchy_rules import with_hierarchies
from evosdc.files.source import Source, read_source
from evosdc.model import Microdata
from evosdc.plugins.registry import Registry
from evosdc.table.schema import Role
from evosdc.table.structural_zeros import compared_attributes


def load_data(data: DataSource, registry: Registry) -> Source:
    """Return the data that an experiment names, cut down as it says.

    Raises
    ------
    InputError
        The file or data set cannot be used.
    """
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
    if data.shuffle:
        source = source.shuffled()
    return replace(source, neutralise_formulas=True) if data.neutralise_formulas else source


def require_order_of(experiment: Experiment) -> None:
    """Raise where records are shuffled and masked files, which have them in the original's order, are to start from.

    Raises
    ------
    ExperimentError
        Both are wanted.
    """
    if experiment.data.shuffle and experiment.start is not None and experiment.start.files:
        advice = "Shuffle the rows of the original and of these files alike, and leave data.shuffle out."
        raise ExperimentError(Fault("start.files", "files besides data.shuffle = true", "one of both", advice))


def microdata_of(
    source: Source,
    protect: Sequence[str] | None,
    auxiliary: Sequence[str] = (),
    zeros_threshold: float | None = None,
) -> Microdata:
    """Return the microdata of a source; `protect` None means the quasi-identifiers.

    Parameters
    ----------
    source : Source
    protect : sequence of str, optional
    auxiliary : sequence of str
        Further attributes that measures or the start read.
    zeros_threshold : float, optional
        As of `Microdata`.

    Raises
    ------
    InputError
        As `Microdata`; or an identifier is to be protected, which would publish it.
    """
    names = tuple(protect) if protect is not None else source.table.schema.with_role(Role.QUASI_IDENTIFIER)
    withheld = [n for n in names if n in source.table.schema and not source.table.schema[n].role.published]
    if withheld:
        raise DataError(withheld_fault("protect", withheld, source.table.schema))
    source.table.schema.require(names, "protect")
    source.table.schema.require(auxiliary, "measures")
    rules = [rule for rule in source.table.schema.edit_rules if not set(rule.names).isdisjoint(names)]
    ruled = [name for rule in rules for name in rule.names]
    if zeros_threshold is not None:
        ruled += compared_attributes(source.table)
    # Nothing else is needed by any genotype or measure, so nothing else travels to workers.
    needed = (Role.SENSITIVE, Role.WEIGHT, Role.HOUSEHOLD, Role.STRATUM)
    further = [name for name in (*source.table.schema.with_role(*needed), *auxiliary, *ruled) if name not in names]
    return Microdata(source.table.select(list(dict.fromkeys([*names, *further]))), names, zeros_threshold)
