"""From names to objects: an experiment's data, problem, algorithm and portfolio, with all faults told at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from evosdc.calls.defaults import default_portfolio
from evosdc.calls.masking import attributes_read
from evosdc.engine.problem import Problem
from evosdc.engine.stop import Stop
from evosdc.errors import DataError, ExperimentError, Fault, FaultCollector, ParameterError, PluginError
from evosdc.experiment.build.constraints import parsed_constraints
from evosdc.experiment.build.judgement import build_problem, fitness_of, usual_measures
from evosdc.experiment.build.start import StartingPlan, starting_plan
from evosdc.experiment.build.start_files import file_entries, read_start_files
from evosdc.experiment.config.experiment import DataSource, Experiment, Measures, Start
from evosdc.files.schema.hierarchy_rules import with_hierarchies
from evosdc.files.source import Source, read_source
from evosdc.model import Algorithm, Archipelago, Masking, MaskingMethod, Microdata, toolbox_of
from evosdc.model.genotype import USUAL_PORTFOLIO
from evosdc.plugins.registry import Registry
from evosdc.table.schema import Role, Schema

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
    return source


def microdata_of(source: Source, protect: Sequence[str] | None, besides: Sequence[str] = ()) -> Microdata:
    """Return the microdata of a source; `protect` None means the quasi-identifiers.

    Parameters
    ----------
    source : Source
    protect : sequence of str, optional
    besides : sequence of str
        Further attributes that measures or the start need.

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
    source.table.schema.require(names, "protect")
    source.table.schema.require(besides, "measures")
    # Nothing else is needed by any genotype or measure, so nothing else travels to workers.
    needed = (Role.SENSITIVE, Role.WEIGHT, Role.HOUSEHOLD, Role.STRATUM)
    further = [name for name in (*source.table.schema.with_role(*needed), *besides) if name not in names]
    return Microdata(source.table.select(list(dict.fromkeys([*names, *further]))), names)


def besides_of(measures: Measures | None, registry: Registry) -> tuple[str, ...]:
    """Return the attributes that measures need besides those they judge; faulty measures, refused later, need none."""
    needed: list[str] = []
    for measure in measures.all if measures is not None else ():
        with FaultCollector().step():
            needed += registry.build("measure", measure.name, measure.params).besides()
    return tuple(dict.fromkeys(needed))


def start_besides(experiment: Experiment, schema: Schema, registry: Registry) -> tuple[str, ...]:
    """Return the attributes that the start's own entries read besides those they mask; raises as `attributes_read`."""
    entries = [entry.masking for entry in experiment.start.methods] if experiment.start is not None else []
    protect = experiment.data.protect
    return tuple(
        attributes_read(
            entries, schema, schema.with_role(Role.QUASI_IDENTIFIER) if protect is None else protect, registry
        )
    )


def start_of(experiment: Experiment, registry: Registry, protected: Schema) -> Start:
    """Return what the search starts from: as the experiment says, else as is usual for the genotype and the scales."""
    if experiment.start is not None:
        return experiment.start
    portfolio = registry.implementation("genotype", experiment.genotype.name).portfolio
    if portfolio == USUAL_PORTFOLIO:
        portfolio = default_portfolio(protected, registry)
    return Start(portfolio=portfolio) if portfolio is not None else Start(initial=True)


def maskings_of(experiment: Experiment, microdata: Microdata, registry: Registry) -> tuple[Masking, ...]:
    """Return the masking methods that the search starts from, then an entry for each file of the user's own.

    Raises
    ------
    InputError
        Names, attributes or parameters of an entry that is written in the experiment are wrong.
    """
    listed = []
    original = microdata.original
    start = start_of(experiment, registry, original.schema)
    if start.portfolio is not None:
        listed += list(registry.implementation("portfolio", start.portfolio)(original))
    listed += [entry.masking for entry in start.methods]
    collect = FaultCollector()
    for entry in (step for masking in listed for step in masking.steps):
        with collect.step():
            original.schema.require(entry.attributes, f"start: {entry.method}")
            method: MaskingMethod = registry.build("masking-method", entry.method, entry.params)
            part = original.select(entry.attributes) if entry.attributes else original
            method.require_support(part, f"method {entry.method}")
            method.require_fit(part)
            if method.generalises:
                wanted = "values that the original's attributes have"
                advice = "A search starts from files in the original's own categories: choose point output."
                raise ParameterError(Fault(f"start: {entry.method}", "generalised labels", wanted, advice))
    collect.settle()
    return (*listed, *file_entries(start))


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
        besides = besides_of(experiment.measures, registry)
        with collect.step():
            besides += start_besides(experiment, source.table.schema, registry)
        microdata = _kept(collect, lambda: microdata_of(source, experiment.data.protect, besides))
    if microdata is not None and experiment.measures is None:
        experiment = experiment.model_copy(update={"measures": usual_measures(microdata.original.schema, registry)})
    if source is None or microdata is None:
        with collect.step():
            check_names(experiment, registry)
        collect.settle()
        raise PluginError("no data although nothing was wrong")
    actual = experiment.seed if seed is None else seed
    problem = _kept(collect, lambda: build_problem(experiment, microdata, registry, actual))
    maskings = _kept(collect, lambda: maskings_of(experiment, microdata, registry))
    files = _kept(collect, lambda: read_start_files(experiment.start, source, microdata))
    plan = None
    if problem is not None and maskings is not None and files is not None:
        start = start_of(experiment, registry, problem.genotype.microdata.original.schema)
        plan = _kept(collect, lambda: starting_plan(problem, maskings, start, files))
    if plan is not None and plan.candidates == 0 and not plan.tuned:
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
    algorithm = algorithm_of(experiment, problem, registry)
    if experiment.executor.grain == "islands" and not isinstance(algorithm, Archipelago):
        wanted = "an algorithm with demes, such as islands"
        advice = 'Leave out the grain, or choose algorithm = { name = "islands", inner = ... }.'
        raise ExperimentError(
            Fault("executor.grain", f"islands, with algorithm {experiment.algorithm.name}", wanted, advice)
        )
    rule = experiment.stop
    stop = Stop(rule.generations, rule.evaluations, rule.seconds, rule.stalled, rule.target, rule.diversity)
    return Assembly(experiment, source, microdata, problem, algorithm, stop, plan, registry)


def algorithm_of(experiment: Experiment, problem: Problem, registry: Registry) -> Algorithm:
    """Return the algorithm of an experiment on its problem; what a worker builds too, to evolve demes.

    Raises
    ------
    InputError
        Its parameters are wrong.
    """
    algorithm: Algorithm = registry.build(
        "algorithm",
        experiment.algorithm.name,
        experiment.algorithm.params,
        toolbox_of(
            problem.genotype,
            problem.measures,
            problem.fitness,
            lambda name, params, toolbox: registry.build("algorithm", name, params, toolbox),
        ),
    )
    return algorithm


def checked(registry: Registry, kind: str, name: str, params: Mapping[str, Any]) -> None:
    """Raise when a name is unknown or its parameters are refused, without building anything."""
    from evosdc.model.parameters import parse_parameters

    parse_parameters(registry.implementation(kind, name).Params, params, f"{kind} {name}")


def check_names(experiment: Experiment, registry: Registry) -> None:
    """Raise with all names and parameters that are wrong; what can be said without data."""
    collect = FaultCollector()
    chosen = [("genotype", experiment.genotype)]
    with collect.step():
        fitness_of(experiment, registry)
    with collect.step():
        parsed_constraints(experiment)
    chosen += [("measure", measure) for measure in experiment.measures.all] if experiment.measures is not None else []
    for kind, named in chosen:
        with collect.step():
            checked(registry, kind, named.name, named.params)
    start = experiment.start
    if start is not None and start.portfolio is not None:
        with collect.step():
            registry.spec("portfolio", start.portfolio)
    for step in (step for entry in start.methods for step in entry.masking.steps) if start is not None else ():
        with collect.step():
            checked(registry, "masking-method", step.method, step.params)
    for name in start.tuned.methods if start is not None and start.tuned is not None else ():
        with collect.step():
            registry.spec("masking-method", name)
    collect.settle()


def _kept(collect: FaultCollector, make: Callable[[], T]) -> T | None:
    with collect.step():
        return make()
    return None
