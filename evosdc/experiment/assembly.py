"""From names to objects: an experiment's data, problem, algorithm and portfolio, with all faults told at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from evosdc.data.schema import Role
from evosdc.data.source import Source, read_source
from evosdc.data.table import Table
from evosdc.engine.problem import Problem
from evosdc.engine.stop import Stop
from evosdc.errors import DataError, Fault, FaultCollector, PluginError
from evosdc.experiment.model import DataSource, Experiment, Measures
from evosdc.model import Aggregation, Algorithm, Fitted, Masking, Microdata, toolbox_of
from evosdc.registry import Registry
from evosdc.seeds import Streams

T = TypeVar("T")


@dataclass(frozen=True)
class Assembly:
    """An experiment, ready to run."""

    experiment: Experiment
    source: Source
    microdata: Microdata
    problem: Problem
    algorithm: Algorithm
    stop: Stop
    maskings: tuple[Masking, ...]


def load_data(data: DataSource, registry: Registry) -> Source:
    """Return the data that an experiment names, cut down as it says.

    Raises
    ------
    InputError
        The file or data set cannot be used.
    """
    if data.name is not None:
        from evosdc.data.datasets import load_dataset

        source = load_dataset(registry.spec("dataset", data.name))  # type: ignore[arg-type]
    else:
        assert data.file is not None
        source = read_source(data.file, data.schema_file)
    if data.complete or data.first:
        complete = data.complete if isinstance(data.complete, bool) else list(data.complete)
        source = source.restricted(complete, data.first)
    return source


def microdata_of(source: Source, protect: Sequence[str] | None) -> Microdata:
    """Return the microdata of a source; `protect` None means the quasi-identifiers.

    Raises
    ------
    InputError
        As `Microdata`; or an identifier is to be protected, which would publish it.
    """
    names = tuple(protect) if protect is not None else source.table.schema.with_role(Role.QUASI_IDENTIFIER)
    identifiers = [n for n in names if n in source.table.schema and source.table.schema[n].role is Role.IDENTIFIER]
    if identifiers:
        raise DataError(
            Fault(
                "protect",
                f"{', '.join(identifiers)}, an identifier",
                "quasi-identifiers",
                "Identifiers are dropped from the published file; give it another role if it is none.",
            )
        )
    return Microdata(source.table, names)


def build_problem(experiment: Experiment, microdata: Microdata, registry: Registry, seed: int) -> Problem:
    """Return the problem of an experiment on its microdata; what a worker builds too.

    Raises
    ------
    InputError
        With the faults of all names and parameters at once.
    """
    collect = FaultCollector()
    genotype = fitness = None
    with collect.step():
        genotype = registry.build("genotype", experiment.genotype.name, experiment.genotype.params, microdata)
    fitted: dict[str, Fitted] = {}
    for measure in experiment.measures.all:
        with collect.step():
            built = registry.build("measure", measure.name, measure.params)
            built.require_support(microdata.original)
            fitted[measure.name] = built.fit(microdata.original)
    aggregation = Aggregation(())
    with collect.step():
        aggregation = aggregation_of(experiment.measures, registry)
    with collect.step():
        fitness = registry.build("fitness", experiment.fitness.name, experiment.fitness.params)
    if fitness is not None and not collect.faults:
        known = set(fitted) | set(aggregation.combine(dict.fromkeys(fitted, 0.0)))
        lacking = [name for name in fitness.needs if name not in known]
        if lacking:
            collect.faults.append(
                Fault(
                    f"fitness {experiment.fitness.name}",
                    f"no measure for {', '.join(lacking)}",
                    "measures = { il = [...], dr = [...] } with at least one of each",
                )
            )
    collect.settle()
    if genotype is None or fitness is None:
        raise PluginError("a genotype or fitness was not built although nothing was wrong")
    return Problem(genotype, fitted, aggregation, fitness, Streams(seed))


def aggregation_of(measures: Measures, registry: Registry) -> Aggregation:
    """Return how the measures make IL and DR: linkage measures are known by the family of their spec."""
    families = {m.name: getattr(registry.spec("measure", m.name), "family", "") for m in measures.dr}
    return Aggregation(
        tuple(m.name for m in measures.il),
        tuple(name for name, family in families.items() if family == "linkage"),
        tuple(name for name, family in families.items() if family != "linkage"),
        measures.linkage,
    )


def maskings_of(experiment: Experiment, original: Table, registry: Registry) -> tuple[Masking, ...]:
    """Return the masking methods that the search starts from.

    Raises
    ------
    InputError
        Names, attributes or parameters of an entry that is written in the experiment are wrong.
    """
    listed = []
    if experiment.start.portfolio is not None:
        listed += list(registry.implementation("portfolio", experiment.start.portfolio)(original))
    listed += [entry.masking for entry in experiment.start.methods]
    collect = FaultCollector()
    for entry in listed:
        with collect.step():
            original.schema.require(entry.attributes, f"start: {entry.method}")
            method = registry.build("masking-method", entry.method, entry.params)
            method.require_support(original.select(entry.attributes) if entry.attributes else original)
    collect.settle()
    return tuple(listed)


def assemble(experiment: Experiment, registry: Registry, seed: int | None = None) -> Assembly:
    """Return everything that a run needs.

    Raises
    ------
    InputError
        With every fault in data, names and parameters.
    """
    collect = FaultCollector()
    for kind, chosen in (("algorithm", experiment.algorithm), ("executor", experiment.executor)):
        with collect.step():
            checked(registry, kind, chosen.name, chosen.params)
    source = _kept(collect, lambda: load_data(experiment.data, registry))
    microdata = None
    if source is not None:
        microdata = _kept(collect, lambda: microdata_of(source, experiment.data.protect))
    if source is None or microdata is None:
        with collect.step():
            check_names(experiment, registry)
        collect.settle()
        raise PluginError("no data although nothing was wrong")
    actual = experiment.seed if seed is None else seed
    problem = _kept(collect, lambda: build_problem(experiment, microdata, registry, actual))
    maskings = _kept(collect, lambda: maskings_of(experiment, microdata.original, registry))
    if problem is not None and maskings and not problem.genotype.seedable:
        collect.faults.append(
            Fault(
                f"start of genotype {experiment.genotype.name}",
                "masked files to start from",
                "start = { random = N }",
                "This genotype cannot be read off a file.",
            )
        )
    collect.settle()
    assert problem is not None
    algorithm = registry.build(
        "algorithm", experiment.algorithm.name, experiment.algorithm.params, toolbox_of(problem.genotype)
    )
    rule = experiment.stop
    stop = Stop(rule.generations, rule.evaluations, rule.seconds, rule.stalled, rule.target)
    return Assembly(experiment, source, microdata, problem, algorithm, stop, maskings or ())


def checked(registry: Registry, kind: str, name: str, params: dict[str, Any]) -> None:
    """Raise when a name is unknown or its parameters are refused, without building anything."""
    from evosdc.model.parameters import parsed

    parsed(registry.implementation(kind, name).Params, params, f"{kind} {name}")


def check_names(experiment: Experiment, registry: Registry) -> None:
    """Raise with all names and parameters that are wrong; what can be said without data."""
    collect = FaultCollector()
    chosen = [("genotype", experiment.genotype), ("fitness", experiment.fitness)]
    chosen += [("measure", measure) for measure in experiment.measures.all]
    for kind, named in chosen:
        with collect.step():
            checked(registry, kind, named.name, named.params)
    if experiment.start.portfolio is not None:
        with collect.step():
            registry.spec("portfolio", experiment.start.portfolio)
    for entry in experiment.start.methods:
        with collect.step():
            checked(registry, "masking-method", entry.method, entry.masking.params)  # type: ignore[arg-type]
    collect.settle()


def _kept(collect: FaultCollector, make: Callable[[], T]) -> T | None:
    with collect.step():
        return make()
    return None
