"""From names to objects: an experiment's data, problem, algorithm and portfolio, with all faults told at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from evosdc.data.hierarchy_rules import with_hierarchies
from evosdc.data.schema import Role
from evosdc.data.source import Source, read_source
from evosdc.engine.problem import Problem
from evosdc.engine.stop import Stop
from evosdc.errors import DataError, ExperimentError, Fault, FaultCollector, ParameterError, PluginError
from evosdc.experiment.model import DataSource, Experiment, Measures, Start
from evosdc.experiment.start import StartingPlan, starting_plan
from evosdc.model import Aggregation, Algorithm, Expected, Fitted, Masking, MaskingMethod, Microdata, toolbox_of
from evosdc.model.fitness import Fitness, single_measure
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
    plan: StartingPlan
    registry: Registry


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
    if data.hierarchies:
        source = replace(source, table=with_hierarchies(source.table, data.hierarchies))
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
    # Nothing else is needed by any genotype or measure, so nothing else travels to workers.
    needed = (Role.SENSITIVE, Role.WEIGHT, Role.HOUSEHOLD, Role.STRATUM)
    besides = [name for name in source.table.schema.with_role(*needed) if name not in names]
    source.table.schema.require(names, "protect")
    return Microdata(source.table.select([*names, *besides]), names)


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
            built.require_support(microdata.original, f"measure {measure.name}")
            fitted[measure.name] = built.fit(microdata.original)
            if genotype is not None and genotype.expected and not isinstance(fitted[measure.name], Expected):
                collect.faults.append(
                    Fault(
                        f"measure {measure.name}",
                        "a measure without expectation under transition matrices",
                        "measures that have one",
                        f"Genotype {experiment.genotype.name} is told to judge by expectations; let it draw instead.",
                    )
                )
    aggregation = Aggregation(())
    with collect.step():
        aggregation = aggregation_of(experiment.measures, registry)
    with collect.step():
        fitness = fitness_of(experiment, registry)
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


def fitness_of(experiment: Experiment, registry: Registry) -> Fitness:
    """Return the fitness by its name, which may be that of one of the experiment's measures.

    Raises
    ------
    InputError
        Nothing has that name, it is that of a measure that is not taken, or the parameters were refused.
    """
    name, params = experiment.fitness.name, experiment.fitness.params
    if name not in registry.names("fitness") and name in registry.names("measure"):
        if name not in {measure.name for measure in experiment.measures.all}:
            advice = f"Take it as well: measures = [..., {name!r}]."
            raise ExperimentError(
                Fault(f"fitness {name}", "a measure that is not taken", "one of the measures", advice)
            )
        return single_measure(name, params, getattr(registry.spec("measure", name), "direction", "minimise"))
    fitness: Fitness = registry.build("fitness", name, params)
    return fitness


def start_of(experiment: Experiment, registry: Registry) -> Start:
    """Return what the search starts from: as the experiment says, else as is usual for the genotype."""
    if experiment.start is not None:
        return experiment.start
    portfolio = registry.implementation("genotype", experiment.genotype.name).portfolio
    return Start(portfolio=portfolio) if portfolio is not None else Start(initial=True)


def aggregation_of(measures: Measures, registry: Registry) -> Aggregation:
    """Return how the measures make IL and DR: linkage measures are known by the family of their spec.

    Raises
    ------
    InputError
        A measure is unknown, or listed under a kind that it is not of.
    """
    collect = FaultCollector()
    for kind, listed in (("il", measures.il), ("dr", measures.dr)):
        for measure in listed:
            with collect.step():
                found = getattr(registry.spec("measure", measure.name), "kind", kind)
                if found != kind:
                    wanted = f"a measure of kind {kind}"
                    raise ExperimentError(Fault(f"measures.{kind}: {measure.name}", f"one of kind {found}", wanted))
    collect.settle()
    families = {m.name: getattr(registry.spec("measure", m.name), "family", "") for m in measures.dr}
    return Aggregation(
        tuple(m.name for m in measures.il),
        tuple(name for name, family in families.items() if family == "linkage"),
        tuple(name for name, family in families.items() if family != "linkage"),
        measures.linkage,
    )


def maskings_of(experiment: Experiment, microdata: Microdata, registry: Registry) -> tuple[Masking, ...]:
    """Return the masking methods that the search starts from.

    Raises
    ------
    InputError
        Names, attributes or parameters of an entry that is written in the experiment are wrong.
    """
    listed = []
    original = microdata.original
    start = start_of(experiment, registry)
    if start.portfolio is not None:
        listed += list(registry.implementation("portfolio", start.portfolio)(original))
    listed += [entry.masking for entry in start.methods]
    collect = FaultCollector()
    for entry in listed:
        with collect.step():
            original.schema.require(entry.attributes, f"start: {entry.method}")
            microdata.table.schema.require(entry.by, f"start: {entry.method}: by")
            method: MaskingMethod = registry.build("masking-method", entry.method, entry.params)
            part = original.select(entry.attributes) if entry.attributes else original
            method.require_support(part, f"method {entry.method}")
            method.require_fit(part)
            if method.generalises:
                wanted = "values that the original's attributes have"
                advice = "A search starts from files in the original's own categories: choose point output."
                raise ParameterError(Fault(f"start: {entry.method}", "generalised labels", wanted, advice))
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
    maskings = _kept(collect, lambda: maskings_of(experiment, microdata, registry))
    plan = None
    if problem is not None and maskings is not None:
        plan = starting_plan(problem, maskings, start_of(experiment, registry))
    if plan is not None and plan.candidates == 0:
        collect.faults.append(
            Fault(
                f"start of genotype {experiment.genotype.name}",
                "masked files to start from",
                "start = { random = N }",
                "This genotype cannot be read off a file.",
            )
        )
    collect.settle()
    if problem is None or plan is None:
        raise PluginError("no problem although nothing was wrong")
    algorithm = registry.build(
        "algorithm",
        experiment.algorithm.name,
        experiment.algorithm.params,
        toolbox_of(problem.genotype, problem.measures, problem.fitness),
    )
    rule = experiment.stop
    stop = Stop(rule.generations, rule.evaluations, rule.seconds, rule.stalled, rule.target)
    return Assembly(experiment, source, microdata, problem, algorithm, stop, plan, registry)


def checked(registry: Registry, kind: str, name: str, params: dict[str, Any]) -> None:
    """Raise when a name is unknown or its parameters are refused, without building anything."""
    from evosdc.model.parameters import parsed

    parsed(registry.implementation(kind, name).Params, params, f"{kind} {name}")


def check_names(experiment: Experiment, registry: Registry) -> None:
    """Raise with all names and parameters that are wrong; what can be said without data."""
    collect = FaultCollector()
    chosen = [("genotype", experiment.genotype)]
    with collect.step():
        fitness_of(experiment, registry)
    chosen += [("measure", measure) for measure in experiment.measures.all]
    for kind, named in chosen:
        with collect.step():
            checked(registry, kind, named.name, named.params)
    start = experiment.start
    if start is not None and start.portfolio is not None:
        with collect.step():
            registry.spec("portfolio", start.portfolio)
    for entry in start.methods if start is not None else ():
        with collect.step():
            checked(registry, "masking-method", entry.method, entry.masking.params)  # type: ignore[arg-type]
    collect.settle()


def _kept(collect: FaultCollector, make: Callable[[], T]) -> T | None:
    with collect.step():
        return make()
    return None
