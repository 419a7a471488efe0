"""An experiment made ready to run: data, problem, algorithm with its operators, start."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial, wraps
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, TypeVar

from deap import base

from evosdc.assess.defaults import withheld_fault
from evosdc.engine.choice import Choice, Preference
from evosdc.engine.problem import Problem
from evosdc.engine.stop import Stop
from evosdc.errors import (
    DataError,
    EvosdcError,
    ExperimentError,
    Fault,
    FaultCollector,
    PluginError,
    PluginRaisedError,
    did_you_mean,
)
from evosdc.experiment import start as starting
from evosdc.experiment.data import earlier_release, load_data, microdata_of, says_none
from evosdc.experiment.environment import naming_plugins
from evosdc.experiment.experiment import Experiment, Measures, Named, Operators, StopRule
from evosdc.experiment.problem import build_problem, fitness_of, judged_as_usual, parse_constraints, require_last
from evosdc.experiment.provenance import require_same_data
from evosdc.experiment.reader import experiment_of, with_recipes
from evosdc.files.source import Source
from evosdc.model import Algorithm, Archipelago, Composed, EarlierRelease, Genotype, Microdata, Seedable, toolbox_of
from evosdc.model.operators import crossover_of, mutation_of
from evosdc.model.toolbox import register_operators
from evosdc.plugins.registry import Registry
from evosdc.runs.layout import ENVIRONMENT, RunFolder
from evosdc.secret import Seed, chosen_seed, lent
from evosdc.table.schema import Role, Schema
from evosdc.table.table import Rows, Table, only_known

WANTED = '"module:function", or the name of a registered operator'

GIVEN = {"mutate": 1, "mate": 2, "select": 2}  # how many arguments an operator is given, the generator aside


def register_chosen(toolbox: base.Toolbox, genotype: Genotype[Any], chosen: Operators, registry: Registry) -> None:
    """Register the operators of an experiment in a toolbox."""
    # A function with an argument ``rng`` is pure: ``mutate(genome, rng)`` returns a genome, ``mate(a, b, rng)`` two.
    # Any other is an operator as DEAP has them: ``mutate(genes)`` changes a list of genes and returns it in a tuple,
    # ``mate(a, b)`` two of them; it draws from Python's `random`. ``select(individuals, k)`` returns k individuals.
    # One with an argument ``toolbox`` is given that of the search (`evosdc.model.toolbox_of`).
    collect = FaultCollector()
    functions: dict[str, Callable[..., Any]] = {}
    for kind in ("mate", "mutate", "select"):
        operator: Named | None = getattr(chosen, kind)
        if operator is not None:
            with collect.step():
                functions[kind] = _function(kind, operator, registry, toolbox)
    collect.settle()
    mate, mutate = functions.get("mate"), functions.get("mutate")
    crossover = mate if mate is None or _pure(mate) else crossover_of(genotype, mate)
    mutation = mutate if mutate is None or _pure(mutate) else mutation_of(genotype, mutate)
    register_operators(toolbox, crossover, mutation)
    if "select" in functions:
        toolbox.register("select", _selected, toolbox, functions["select"])


def _selected(toolbox: base.Toolbox, select: Callable[..., Any], individuals: Sequence[Any], count: int) -> Any:
    """Return the individuals selected by an operator that draws from Python's `random`."""
    with lent(toolbox.rng):
        return select(individuals, count)


def _function(kind: str, operator: Named, registry: Registry, toolbox: base.Toolbox) -> Callable[..., Any]:
    """Return the function that an operator names, with its parameters, and with the toolbox where it takes that."""
    if operator.name in registry.names("operator"):
        spec = registry.spec("operator", operator.name)
        if getattr(spec, "varies", kind) != kind:
            raise _refused(kind, f"{operator.name}, which is an operator to {getattr(spec, 'varies', '')}", WANTED)
        function = registry.implementation("operator", operator.name)
    elif ":" in operator.name:
        function = _imported(kind, operator.name)
    else:
        raise _refused(kind, repr(operator.name), WANTED, did_you_mean(operator.name, registry.names("operator")))
    _require_parameters(kind, operator, function)
    given = {"toolbox": toolbox} if "toolbox" in signature(function).parameters else {}
    return _naming_operator(kind, operator.name, partial(function, **operator.params, **given))


def _require_parameters(kind: str, operator: Named, function: Callable[..., Any]) -> None:
    """Refuse parameters that an operator does not take, and the lack of those that it has to be given."""
    further = list(signature(function).parameters.values())[GIVEN[kind] :]
    taken = {one.name: one for one in further if one.name not in ("rng", "toolbox")}
    anything = [name for name, one in taken.items() if one.kind is one.VAR_KEYWORD]
    unknown = [] if anything else [name for name in operator.params if name not in taken]
    if unknown:
        wanted = f"parameters that it takes: {', '.join(taken) or 'none'}"
        raise _refused(kind, f"parameters {', '.join(unknown)} of {operator.name}", wanted)
    needed = [n for n, p in taken.items() if p.default is p.empty and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    if lacking := [name for name in needed if name not in operator.params]:
        raise _refused(kind, f"{operator.name} without {', '.join(lacking)}", "all parameters without a default")


def _naming_operator(kind: str, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that names the operator that raised an error."""

    @wraps(function)
    def named(*given: Any) -> Any:
        try:
            return function(*given)
        except (EvosdcError, MemoryError):
            raise
        except Exception as error:
            raise PluginRaisedError.of(f"operator {name}", kind, error) from error

    named.__name__ = name
    return named


def _imported(kind: str, name: str) -> Callable[..., Any]:
    module, _, attribute = name.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # a module beside the experiment, as Python's own programs find theirs
    try:
        found = getattr(import_module(module), attribute)
    except Exception as error:  # whatever is wrong in that module
        raise _refused(kind, f"{name!r}: {type(error).__name__}: {error}", WANTED) from error
    if not callable(found):
        raise _refused(kind, f"{name!r}, which is no function", WANTED)
    return found  # type: ignore[no-any-return]


def _pure(function: Callable[..., Any]) -> bool:
    return "rng" in signature(function).parameters


def _refused(kind: str, given: str, wanted: str, advice: str = "") -> ExperimentError:
    return ExperimentError(Fault(f"operators.{kind}", given, wanted, advice))


T = TypeVar("T")


@dataclass(frozen=True)
class Assembly:
    """An experiment, ready to run."""

    experiment: Experiment  # with measures
    source: Source  # the confidential file, cut down as the experiment says
    microdata: Microdata  # what of it is protected, and what is read besides
    problem: Problem
    algorithm: Algorithm
    stop: Stop
    plan: starting.StartingPlan
    registry: Registry  # where names were looked up
    earlier: tuple[EarlierRelease, ...] = ()  # that the experiment names

    @property
    def seed(self) -> Seed:
        """The source of all random numbers."""
        return self.problem.streams.seed


def measures_auxiliary(measures: Measures | None, schema: Schema, registry: Registry) -> tuple[str, ...]:
    """Return the attributes that measures read beside those they judge; faulty measures, refused later, read none."""
    needed: list[str] = []
    for measure in measures.all if measures is not None else ():
        with FaultCollector().step():
            built = registry.build("measure", measure.name, measure.params)
            needed += built.auxiliary_names()
            if built.auxiliary_all and not built.auxiliary_names():
                needed += [a.name for a in schema.attributes if a.role.published]
    return tuple(dict.fromkeys(needed))


def read_by_genotype(experiment: Experiment, schema: Schema, registry: Registry) -> tuple[str, ...]:
    """Return the attributes that the genotype reads besides those it masks; none where its parameters are faulty."""
    name = experiment.genotype.name
    names: tuple[str, ...] = ()
    with FaultCollector().step():
        params = registry.parameters("genotype", name, experiment.genotype.params)
        names = registry.implementation("genotype", name).auxiliary_names(params)
    schema.require(names, f"genotype {name}")
    withheld = [each for each in names if not schema[each].role.published]
    if withheld:
        raise DataError(withheld_fault(f"genotype {name}", withheld, schema, "published attributes"))
    return names


def assemble(experiment: Experiment, registry: Registry, seed: Seed | None = None) -> Assembly:
    """Return everything that a run needs."""
    if experiment.start is not None and experiment.start.recipes:  # of an experiment without a file
        experiment = experiment.model_copy(update={"start": with_recipes(experiment.start, Path.cwd())})
    collect = FaultCollector()
    for kind, chosen in (("algorithm", experiment.algorithm), ("executor", experiment.executor)):
        with collect.step():
            registry.parameters(kind, chosen.name, chosen.params)
    actual = chosen_seed(experiment.seed) if seed is None else seed
    source = _kept(collect, lambda: load_data(experiment.data, registry))
    earlier = tuple[EarlierRelease, ...]()
    with collect.step():
        earlier = (
            tuple(earlier_release(path, source) for path in experiment.data.earlier if not says_none([path]))
            if source
            else ()
        )
    written = _kept(collect, lambda: starting.written_entries(experiment, registry))
    for name in experiment.start.tuned.methods if experiment.start and experiment.start.tuned else ():
        with collect.step():
            registry.spec("masking-method", name)
    microdata, protect, auxiliary = None, experiment.data.protect, tuple[str, ...]()
    people = experiment.data.population
    threshold = experiment.structural_zeros.threshold if experiment.structural_zeros is not None else None
    if source is not None:
        auxiliary = measures_auxiliary(experiment.measures, source.table.schema, registry)
        with collect.step():
            auxiliary += starting.attributes_read(written or (), source.table.schema, protect)
        own = _kept(collect, lambda: read_by_genotype(experiment, source.table.schema, registry))
        if own is not None:
            auxiliary += (*own, *source.table.schema.with_role(Role.HOUSEHOLD))
            microdata = _kept(collect, lambda: microdata_of(source, protect, auxiliary, threshold, people))
    if source is not None and microdata is not None and experiment.measures is None:
        whole = microdata_of(source, protect, source.table.schema.names, population=people)
        with FaultCollector().step():  # a constraint that cannot be read is reported below
            experiment = judged_as_usual(experiment, whole, registry)
        further = measures_auxiliary(experiment.measures, source.table.schema, registry)
        if further:
            microdata = microdata_of(source, protect, (*auxiliary, *further), threshold, people)
    if source is None or microdata is None or experiment.measures is None:
        with collect.step():
            check_names(experiment, registry)
        collect.settle()
        raise PluginError("no data although nothing was wrong")
    problem = _kept(collect, lambda: build_problem(experiment, microdata, registry, actual))
    if problem is not None:
        with collect.step():
            require_choice(problem, experiment.choose)
        with collect.step():
            require_last(experiment.genotype.params, problem.constraints.listed, registry)
        with collect.step():
            require_volume(problem, experiment.stop)
    files = _kept(collect, lambda: starting.read_start_files(experiment.start, source, microdata))
    start = _kept(collect, lambda: starting.start_of(experiment, registry, microdata.original.schema))
    entries = None
    if start is not None:
        entries = _kept(collect, lambda: starting.entries_of(start, written or (), microdata, registry))
    plan, seedable = None, problem is not None and isinstance(problem.genotype, Seedable | Composed)
    if start is not None and problem is not None and entries is not None and files is not None:
        plan = _kept(
            collect,
            lambda: starting.starting_plan(problem, start, entries, files, starting.screens(experiment, registry)),
        )
    comes = plan is not None and seedable and (plan.tuned or (start is not None and start.planned is not None))
    if plan is not None and plan.candidates == 0 and not comes and not collect.faults:
        where, advice = f"start of genotype {experiment.genotype.name}", "This genotype cannot be read off a file."
        collect.faults.append(Fault(where, "masked files to start from", "start = { random = N }", advice))
    collect.settle()
    if problem is None or plan is None:
        raise PluginError("no problem although nothing was wrong")
    algorithm = algorithm_of(experiment, problem, registry)
    if experiment.executor.grain == "islands" and not isinstance(algorithm, Archipelago):
        wanted = "an algorithm with demes, such as islands"
        advice = 'Leave out the grain, or choose algorithm = { name = "islands", inner = ... }.'
        given = f"islands, with algorithm {experiment.algorithm.name}"
        raise ExperimentError(Fault("executor.grain", given, wanted, advice))
    stop = _stop(experiment.stop)
    return Assembly(experiment, source, microdata, problem, algorithm, stop, plan, registry, earlier)


def assembled_like(
    assembly: Assembly, experiment: Experiment, rows: Rows | None = None, seed: Seed | None = None
) -> Assembly:
    """Return the assembly of another experiment on the same data, by measures that are fitted already, or on a part."""
    source, microdata, registry = assembly.source, assembly.microdata, assembly.registry
    measures = assembly.experiment.measures
    known = None if measures is None else (measures, assembly.problem.measures)
    if rows is not None:
        source, known = source.ordered_by(rows), None
        microdata = replace(microdata, table=microdata.table.take(rows))
    problem = build_problem(experiment, microdata, registry, assembly.seed if seed is None else seed, known)
    start = starting.start_of(experiment, registry, microdata.original.schema)
    plan = starting.plan_of_start(problem, experiment, start, registry)
    algorithm = algorithm_of(experiment, problem, registry)
    stop, earlier = _stop(experiment.stop), assembly.earlier if rows is None else ()
    return Assembly(experiment, source, microdata, problem, algorithm, stop, plan, registry, earlier)


def opened(folder: RunFolder, registry: Registry) -> Assembly:
    """Return everything that the run in a folder needs; raise `CheckpointError` where its data have changed."""
    with naming_plugins(folder, registry):
        experiment = experiment_of(folder)
        assembly = assemble(experiment, registry, folder.seed(experiment.seed))
    require_same_data(folder.read_object(ENVIRONMENT), assembly.source.table, folder.key())
    return assembly


def known_to_attackers(assembly: Assembly, table: Table) -> Table:
    """Return a table whose quasi-identifiers an attacker is assumed to know: the schema's, or the masked ones."""
    # Roles that were guessed from names count for less than a user's list of what to mask: that nobody knows the other
    # columns is a condition of the verdict.
    stated = assembly.source.inference is None or assembly.experiment.data.protect is None
    return table if stated else only_known(table, assembly.microdata.protect)


def _stop(rule: StopRule) -> Stop:
    stop = Stop(rule.generations, rule.evaluations, rule.seconds, rule.stalled, rule.target, rule.diversity)
    if rule.hypervolume is None:
        return stop
    return replace(stop, tolerance=rule.hypervolume.tolerance, settled=rule.hypervolume.generations)


def algorithm_of(experiment: Experiment, problem: Problem, registry: Registry) -> Algorithm:
    """Return the algorithm of an experiment on its problem; a worker builds it, too, to evolve demes."""
    toolbox = toolbox_of(
        problem.genotype,
        problem.measures,
        problem.fitness,
        lambda name, params, toolbox: registry.build("algorithm", name, params, toolbox),
        problem.repair.keeps_classes,
    )
    register_chosen(toolbox, problem.genotype, experiment.operators, registry)
    chosen = experiment.algorithm
    algorithm: Algorithm = registry.build("algorithm", chosen.name, chosen.params, toolbox)
    return algorithm


def require_volume(problem: Problem, stop: StopRule) -> None:
    """Raise `ExperimentError` where the front of a search has no hypervolume that it could end by."""
    objectives = problem.fitness.objectives
    if stop.hypervolume is not None and not _judges_both(problem) and objectives not in (2, 3):
        given = f"required in a search without IL and DR, and with {objectives} objectives"
        wanted = "measures of IL and DR, or two or three objectives"
        raise ExperimentError(Fault("stop.hypervolume", given, wanted, "Take stop.stalled instead."))


def require_choice(problem: Problem, choice: Choice | None) -> None:
    """Raise `ExperimentError` where figures are wished for that a search does not judge."""
    if isinstance(choice, Preference) and not _judges_both(problem):
        given, wanted = "wished figures in a search without IL and DR", "knee, or measures of both"
        raise ExperimentError(Fault("choose", given, wanted))


def _judges_both(problem: Problem) -> bool:
    aggregation = problem.aggregation
    return bool(aggregation.il and (aggregation.linkage or aggregation.disclosure))


def check_names(experiment: Experiment, registry: Registry) -> None:
    """Raise with all wrong names and parameters that can be checked without data."""
    collect = FaultCollector()
    chosen = [("genotype", experiment.genotype)]
    with collect.step():
        fitness_of(experiment, registry)
    with collect.step():
        parse_constraints(experiment)
    chosen += [("measure", measure) for measure in experiment.measures.all] if experiment.measures is not None else []
    for kind, named in chosen:
        with collect.step():
            registry.parameters(kind, named.name, named.params)
    start = experiment.start
    if start is not None and start.portfolio is not None:
        with collect.step():
            registry.spec("portfolio", start.portfolio)
    for step in (step for entry in start.methods for step in entry.masking.steps) if start is not None else ():
        with collect.step():
            registry.parameters("masking-method", step.method, step.params)
    collect.settle()


def _kept(collect: FaultCollector, make: Callable[[], T]) -> T | None:
    with collect.step():
        return make()
    return None
