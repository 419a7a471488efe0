"""The masked files that a search starts from or is compared with: what they are called, and what gives them."""

from collections.abc import Sequence
from typing import NamedTuple

from evosdc.assess.defaults import default_portfolio
from evosdc.assess.mask import build_steps
from evosdc.errors import Fault, FaultCollector, ParameterError
from evosdc.experiment.config.experiment import Experiment, Start
from evosdc.model import Masking, MaskingMethod, Microdata
from evosdc.model.genotype import USUAL_PORTFOLIO
from evosdc.plugins.registry import Registry
from evosdc.table.schema import Role, Schema
from evosdc.table.table import Table


class StartEntry(NamedTuple):
    """One masked file: what reports call it, and the methods that make it, step by step, or a file that was read."""

    masking: Masking
    source: tuple[MaskingMethod, ...] | Table

    @property
    def label(self) -> str:
        """What tables and figures call it."""
        return self.masking.label


def start_of(experiment: Experiment, registry: Registry, protected: Schema) -> Start:
    """Return what the search starts from: as the experiment says, else as is usual for the genotype and the scales."""
    if experiment.start is not None:
        return experiment.start
    portfolio = registry.implementation("genotype", experiment.genotype.name).portfolio
    if portfolio == USUAL_PORTFOLIO:
        portfolio = default_portfolio(protected, registry)
    return Start(portfolio=portfolio) if portfolio is not None else Start(initial=True)


def built_entries(maskings: Sequence[Masking], registry: Registry) -> tuple[StartEntry, ...]:
    """Return entries with their methods built.

    Raises
    ------
    InputError
        Methods that are unknown, or parameters that are refused; of all entries at once.
    """
    collect, entries = FaultCollector(), []
    for masking in maskings:
        with collect.step():
            entries.append(StartEntry(masking, build_steps(masking, registry)))
    collect.settle()
    return tuple(entries)


def written_entries(experiment: Experiment, registry: Registry) -> tuple[StartEntry, ...]:
    """Return the entries that an experiment writes down; raises as `built_entries`."""
    methods = experiment.start.methods if experiment.start is not None else ()
    return built_entries([entry.masking for entry in methods], registry)


def attributes_read(entries: Sequence[StartEntry], schema: Schema, protect: Sequence[str] | None) -> tuple[str, ...]:
    """Return the attributes that entries read beside those that they mask: strata, and those that methods ask for.

    Parameters
    ----------
    entries : sequence of StartEntry
        With methods.
    schema : Schema
        Of the whole file.
    protect : sequence of str, optional
        The quasi-identifiers when None.

    Raises
    ------
    InputError
        Attributes that the file does not have, or that a method cannot read; of all entries at once.
    """
    names: list[str] = []
    collect = FaultCollector()
    protected = schema.with_role(Role.QUASI_IDENTIFIER) if protect is None else protect
    for masking, methods in entries:
        assert not isinstance(methods, Table), "files that were read are no entries yet"
        for step, method in zip(masking.steps, methods, strict=True):
            with collect.step():
                schema.require(step.by, f"start: {step.method}: by")
                names += [*step.by, *method.auxiliary_names(schema, step.attributes or protected)]
    collect.settle()
    return tuple(names)


def entries_of(
    start: Start, written: Sequence[StartEntry], microdata: Microdata, registry: Registry
) -> tuple[StartEntry, ...]:
    """Return the entries of the start's portfolio and those written down, all of which fit the file.

    Raises
    ------
    InputError
        Attributes or parameters of an entry do not fit the file.
    """
    original = microdata.original
    listed: tuple[StartEntry, ...] = ()
    if start.portfolio is not None:
        listed = built_entries(registry.implementation("portfolio", start.portfolio)(original), registry)
    made = (*listed, *written)
    collect = FaultCollector()
    for masking, methods in made:
        assert not isinstance(methods, Table), "files that were read are no entries yet"
        for step, method in zip(masking.steps, methods, strict=True):
            with collect.step():
                _require_fit(step, method, original)
    collect.settle()
    return made


def _require_fit(masking: Masking, method: MaskingMethod, original: Table) -> None:
    original.schema.require(masking.attributes, f"start: {masking.method}")
    part = original.select(masking.attributes) if masking.attributes else original
    method.require_support(part, f"method {masking.method}")
    method.require_fit(part)
    if method.generalises:
        wanted = "values that the original's attributes have"
        advice = "A search starts from files in the original's own categories: choose point output."
        raise ParameterError(Fault(f"start: {masking.method}", "generalised labels", wanted, advice))
