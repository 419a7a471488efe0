"""Tuning in a run: masking methods at their best parameters, with the effort that the time allows, join the start."""

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from math import inf
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

import numpy as np

from evosdc.assess.defaults import default_portfolio
from evosdc.assess.mask import apply_masking, build_steps, mask_file
from evosdc.engine.dispatch import Dispatch
from evosdc.engine.evaluation import Evaluator
from evosdc.engine.loop import SearchState, first_state, search
from evosdc.engine.problem import Problem
from evosdc.engine.stop import Stop
from evosdc.errors import CheckpointError, Fault, InputError, ParameterError
from evosdc.experiment.assembly import Assembly, assembled_like
from evosdc.experiment.environment import rewrite_experiment
from evosdc.experiment.experiment import Experiment, Named, Start, StopRule
from evosdc.experiment.maskings import MaskingEntry, PlannedStart, TunedStart
from evosdc.experiment.problem import build_problem, parse_constraints
from evosdc.experiment.protection import plan_genotype
from evosdc.experiment.reader import experiment_of, recipe_text
from evosdc.experiment.recipe import MeanScores, mean_scores, recipe_of
from evosdc.experiment.recorder import Recorder
from evosdc.experiment.start import StartingFile, plan_of_start, starting_individual
from evosdc.experiment.summaries import scored
from evosdc.experiment.workers import dispatch_of, executor_of, redirected
from evosdc.files.atomic import write_text
from evosdc.model import Composed, Individual, Masking, Microdata, Seedable, fitting_designs
from evosdc.model.constraint import without_publishable
from evosdc.model.individual import INFEASIBILITY
from evosdc.plugins.registry import Registry
from evosdc.runs.layout import EXPERIMENT, PLANNING, PORTFOLIO, RECIPE, TUNING, RunFolder
from evosdc.secret import Purpose, Seed, draw_seed, stream
from evosdc.table.table import Table
from evosdc.time_limit import DeadlineOver, Slow, check_time, time_limited
from evosdc.tuning.designs import Budget
from evosdc.tuning.schedule import spread
from evosdc.tuning.trials import MaskingTimes
from evosdc.tuning.tuner import LARGE, SAMPLE, Tuning, tune

# Shares of the effort at which a method is tried: what it takes in any case, and what it takes for its effort.
FIRST, SECOND = 0.001, 0.04

# Share of a search's time at which such methods are to end; where they are slow, a search gains less in the rest.
UNTIL = 0.75

# The same of files so large that they are tuned by a sample: there other methods and the search would get nothing.
UNTIL_OF_LARGE = 0.4

LEAST = 0.01  # share of the effort that is left to a method in any case
FOR_TRYING = 0.5  # seconds in any case for finding out whether even the least effort is too much
FEW = 1000  # records on which a method is tried at all first

# Share of the time that a method may be expected to take: two short trials foretell it by a third at best, another file
# may take longer, and is judged too. What is given up before its end is lost as a whole.
CAUTION = 0.6


def paced(masking: Masking, microdata: Microdata, registry: Registry, seconds: float) -> Masking:
    """Return an entry with as much effort as ends within a time; as it is where that is enough."""
    # Only a method of one step changes whose class names its `MaskingMethod.pace`, and whose entry leaves that open.
    method = registry.implementation("masking-method", masking.method)
    if not method.pace or masking.then or method.pace in masking.params:
        return masking
    began = monotonic()
    whole = method.Params.model_fields[method.pace].default

    def taken(share: float, of: Microdata = microdata) -> float:
        entry = replace(masking, params={**masking.params, method.pace: whole * share})
        begun = monotonic()
        check_time()
        apply_masking(entry, build_steps(entry, registry), of, stream(0, Purpose.MASK))
        return monotonic() - begun

    few = microdata.table.take(np.arange(min(len(microdata.table), FEW), dtype=np.intp))
    taken(FIRST, replace(microdata, table=few, zeros_threshold=None))  # loads what the method needs
    first = taken(FIRST)
    if 2.0 * first > max(CAUTION * (seconds - (monotonic() - began)), FOR_TRYING):
        raise DeadlineOver  # neither a second trial nor a file would end
    slope = max(taken(SECOND) - first, 0.0) / (SECOND - FIRST)
    left = CAUTION * (seconds - (monotonic() - began)) - first
    if slope <= left:
        return masking
    share = max(LEAST, left / slope) if left > 0.0 else LEAST
    return replace(masking, params={**masking.params, method.pace: float(f"{whole * share:.2g}")})


def all_paced(
    maskings: Sequence[Masking], microdata: Microdata, registry: Registry, seconds: float, tell: Callable[[str], None]
) -> list[Masking]:
    """Return entries with as much effort as ends within a time that they share; say which have less or are left out."""
    end, found = monotonic() + seconds, []
    for place, masking in enumerate(maskings):
        share = (end - monotonic()) / (len(maskings) - place)
        try:
            with time_limited(max(share, FOR_TRYING), DeadlineOver):
                fitted = paced(masking, microdata, registry, share)
        except DeadlineOver:
            tell(f"{masking.label}: left out, as even a little of it takes longer than its share of the time")
            continue
        if fitted != masking:
            tell(f"{fitted.label}: as much of it as ends in its share of the time")
        found.append(fitted)
    return found


FOR_NAMED = 0.05  # share of a search's time reserved for measuring the cost of methods requested by name
FIRST_TUNED = 4  # most tuned files made before those requested by name, which may take most of the time

# Share of a search's time that all of these but the best may take; the more of it, the less is left for the rest.
FOR_FIRST = 0.02

UNTUNED = 24  # random genomes that start a search where no method could be tuned, and nothing else was requested
LASTING = 0.25  # share of a search's time from which on a method takes too long to mask a large file
MOST_ASSURED = 4  # starting files that are masked and judged at most where the time is over before

# The worker's function that masks by an entry and judges the file.
TRY_MASKING = "evosdc.experiment.workers:try_masking"

EVALUATIONS = 2000  # how many files are masked and judged where neither seconds nor evaluations limit the search


def budget_of(tuned: TunedStart, stop: StopRule) -> Budget:
    """Return the budget of tuning: the experiment's, else its share of the search's limits."""
    if tuned.seconds is not None or tuned.evaluations is not None:
        return Budget(tuned.evaluations, tuned.seconds)
    seconds = None if stop.seconds is None else tuned.share * stop.seconds
    evaluations = None if stop.evaluations is None else max(1, int(tuned.share * stop.evaluations))
    return Budget(EVALUATIONS if seconds is evaluations is None else evaluations, seconds)


def tune_problem(
    problem: Problem,
    registry: Registry,
    tuned: TunedStart,
    budget: Budget,
    portfolio: str | None = None,  # by default the one that is usual for the scales of the protected attributes
    dispatch: Dispatch | None = None,
    tell: Callable[[int], None] = lambda done: None,
    stopped: Callable[[Tuning], None] = lambda found: None,
    sample: Problem | None = None,
    slow: Slow | None = None,
    times: MaskingTimes | None = None,
) -> Tuning:
    """Tune masking methods for a problem, with the entries of a portfolio as further candidates."""
    original = problem.genotype.microdata.original
    known: list[Masking] = []
    try:
        name = portfolio or default_portfolio(original.schema, registry)
        known = list(registry.implementation("portfolio", name)(original))
    except InputError:
        if portfolio is not None:
            raise
    if tuned.methods:
        known = [masking for masking in known if masking.method in tuned.methods]
    seed = problem.streams.seed
    methods, files = tuned.methods, tuned.files
    function = TRY_MASKING
    return tune(
        problem, registry, seed, budget, methods, known, files, dispatch, function, tell, stopped, sample, slow, times
    )


def tune_alone(
    assembly: Assembly,
    tuned: TunedStart,
    budget: Budget,
    tell: Callable[[int], None] = lambda done: None,
    stopped: Callable[[Tuning], None] = lambda found: None,
    slow: Slow | None = None,
) -> Tuning:
    """Tune masking methods without a search, on the experiment's executor; the rest as of `tune_problem`."""
    began = monotonic()
    _, verdict = without_publishable(assembly.experiment.constraints)
    if verdict:
        advice = 'Tuning asks no judges: there is none. Require what it rests on, such as "ranked-linkage <= 9".'
        raise ParameterError(Fault("require", f"a verdict, {verdict!r}", "a bound of a figure", advice))
    with TemporaryDirectory(prefix="evosdc-") as place, ExitStack() as stack:
        executor = executor_of(assembly.experiment, assembly.registry)
        dispatch = dispatch_of(assembly, RunFolder(Path(place)), executor, stack)
        problem, registry = assembly.problem, assembly.registry
        sample = sample_of(assembly.experiment, assembly.microdata, registry, assembly.seed, budget)
        budget = budget.without(0, monotonic() - began)
        return tune_problem(problem, registry, tuned, budget, None, dispatch, tell, stopped, sample, slow)


def sample_of(
    experiment: Experiment, microdata: Microdata, registry: Registry, seed: Seed, budget: Budget
) -> Problem | None:
    """Return the problem on a sample of the records, where a large file is tuned within seconds; else None."""
    table = microdata.table
    if budget.seconds is None or len(table) < LARGE:
        return None
    rows = np.sort(stream(seed, Purpose.SAMPLE).choice(len(table), SAMPLE, replace=False))
    # What never occurs in a sample may well occur in the file.
    return build_problem(experiment, replace(microdata, table=table.take(rows), zeros_threshold=None), registry, seed)


def best_file(problem: Problem, registry: Registry, found: Tuning) -> Table:
    """Return the protected attributes of the best file of all, made again; records that rules forbid are repaired."""
    masking = found.files[0].masking
    assert masking.draw is not None, "tuned files have draws"
    microdata, seed = problem.genotype.microdata, draw_seed(problem.streams.seed, masking.draw)
    masked = mask_file(masking, build_steps(masking, registry), microdata, seed).select(microdata.protect)
    return problem.repair.repaired(masked)


def tune_start(recorder: Recorder, dispatch: Dispatch | None) -> tuple[Assembly, Mapping[str, Any]]:
    """Return a run's assembly with tuned methods in its start, and the content of ``tuning.json``."""
    # A resumed run reads that file. One that was stopped before it was written tunes again.
    assembly, folder = recorder.assembly, recorder.folder
    start = assembly.experiment.start
    assert start is not None, "nothing is tuned unless the experiment says so"
    made: Sequence[tuple[Masking, Table]] = ()
    if start.tuned is not None and not folder.file(TUNING).exists():
        began = monotonic()
        recorder.write_status("running", "tuning masking methods")
        budget = budget_of(start.tuned, assembly.experiment.stop)
        problem, portfolio = assembly.problem, start.portfolio
        tell, stopped = recorder.tuning, recorder.tuning_stopped
        registry = assembly.registry
        sample = sample_of(assembly.experiment, assembly.microdata, registry, assembly.seed, budget)
        slow = recorder.display.slow
        times = MaskingTimes(assembly.microdata, registry)
        tuning = tune_problem(
            problem, registry, start.tuned, budget, portfolio, dispatch, tell, stopped, sample, slow, times
        )
        made = tuning.made
        named = [entry.masking for entry in start.methods]
        if assembly.experiment.stop.seconds is not None:
            given = assembly.experiment.stop.seconds
            until = UNTIL_OF_LARGE if tuning.sample else UNTIL
            taken = tuning.seconds + seconds_of_plan(assembly, tuning.file_seconds)
            left = max(until * given - taken, FOR_NAMED * given)
            named = list(all_paced(named, assembly.microdata, assembly.registry, left, recorder.display.message))
        entries: dict[str, Sequence[Masking]] = {"start": tuning.maskings, "named": named}
        lasting = _lasting(assembly, tuning, times)
        document = tuning.to_json() | {"seconds": round(monotonic() - began, 3)}
        document |= {"lasting": [list(methods) for methods in lasting]} if lasting else {}
        folder.write_json(TUNING, document | {key: [one.to_json() for one in ones] for key, ones in entries.items()})
    document = folder.read_object(TUNING, "start")
    found = _with_known(assembly, document, made)
    if start.tuned is not None and budget_of(start.tuned, assembly.experiment.stop).seconds is not None:
        # Within a time another computer would find others: what is repeated starts from these.
        rewrite_experiment(folder, start=found.experiment.start)
    return found, document


def with_found(assembly: Assembly, folder: RunFolder) -> Assembly:
    """Return a run's assembly with the tuned methods stored in its folder, if there are any."""
    if not assembly.plan.tuned or not folder.file(TUNING).exists():
        return assembly
    document = folder.read_object(TUNING, "start")
    return _with_known(assembly, document)


def _with_known(
    assembly: Assembly, document: Mapping[str, Any], made: Sequence[tuple[Masking, Table]] = ()
) -> Assembly:
    """Return an assembly with the methods of ``tuning.json``; files of older versions lack all but ``start``."""
    named, read = document.get("named"), Masking.from_json
    given = None if named is None else [read(one) for one in named]
    seconds, lasting = float(document.get("file_seconds", 0.0)), list(document.get("lasting", ()))
    return with_tuned(assembly, [read(one) for one in document["start"]], given, made, seconds, lasting)


def _lasting(assembly: Assembly, tuning: Tuning, times: MaskingTimes) -> list[tuple[str, ...]]:
    """Return the methods, step by step, that take too much of the time to mask a large file once."""
    # Nothing interrupts compiled code, and on a large file it may take hours.
    given, start = assembly.experiment.stop.seconds, assembly.experiment.start
    if not tuning.sample or given is None or start is None:
        return []
    portfolio = assembly.registry.implementation("portfolio", start.portfolio) if start.portfolio else None
    known = portfolio(assembly.microdata.original) if portfolio is not None else ()
    entries = {masking.methods: masking for masking in (*tuning.maskings, *known)}
    made = {file.masking.methods for file in tuning.files}
    return [
        methods
        for methods, masking in entries.items()
        if methods not in made and times.seconds(masking) > LASTING * given
    ]


def with_tuned(
    assembly: Assembly,
    maskings: Sequence[Masking],
    named: Sequence[Masking] | None = None,
    made: Sequence[tuple[Masking, Table]] = (),
    file_seconds: float = 0.0,
    lasting: Sequence[Sequence[str]] = (),
) -> Assembly:
    """Return an assembly whose start has tuned methods in place of the wish for them; some files are `made` already."""
    # `named` are the methods that the start asks for by name, where they differ from what it says; `file_seconds` what
    # a file takes, 0 where unknown. Entries of `lasting` methods, step by step, are left out.
    experiment, registry = assembly.experiment, assembly.registry
    assert experiment.start is not None, "nothing is tuned unless the experiment says so"
    begun = experiment.start
    portfolio = registry.implementation("portfolio", begun.portfolio) if begun.portfolio else None
    known = portfolio(assembly.microdata.original) if portfolio is not None else ()
    # The best come first: time may end before all are masked and judged.
    wanted = begun.methods if named is None else tuple(map(MaskingEntry.of, named))
    tuned = [MaskingEntry.of(masking) for masking in maskings]
    listed = [*tuned, *wanted, *map(MaskingEntry.of, known)]
    assured = min(MOST_ASSURED, max(1, len(maskings) + len(wanted)))
    if experiment.stop.seconds is not None:
        # Entries requested by name are required, and some tuned files: the best one alone where files take long.
        first = 1
        if file_seconds > 0.0:
            first = min(FIRST_TUNED, 1 + int(FOR_FIRST * experiment.stop.seconds / file_seconds))
        others = [*maskings[first:], *spread(known, maskings)]
        too_long = set(map(tuple, lasting))
        kept = [masking for masking in others if masking.methods not in too_long]
        listed = [*tuned[:first], *wanted, *map(MaskingEntry.of, kept)]
        assured = max(1, len(tuned[:first]) + len(wanted))
    start = begun.model_copy(update={"methods": tuple(listed), "portfolio": None, "tuned": None})
    anything = (start.methods, start.files, start.random, start.initial)
    if not any(anything) and isinstance(assembly.problem.genotype, Seedable):
        start = Start(random=UNTUNED)  # no method fits the file
    experiment = experiment.model_copy(update={"start": start})
    plan = plan_of_start(assembly.problem, experiment, start, registry, assembly.plan.files)
    # The best of the tuned files, and entries requested by name, are there even where tuning took all the time.
    places = [masking for masking, _ in plan.maskings] if isinstance(assembly.problem.genotype, Seedable) else []
    files_made = {places.index(masking): masked for masking, masked in made if masking in places}
    plan = replace(plan, assured=assured, made=files_made)
    return replace(assembly, experiment=experiment, plan=plan)


PLANS = 1500  # how many plans are evaluated where neither seconds nor evaluations limit the search
STALLED = 40  # generations without improvement after which a plan is taken for the best

# Plans that can be evaluated within the seconds of that search, below which it is left: it would find nothing.
FEWEST_PLANS = 20

QUICK = 0.1  # seconds of a file up to which a plan is evolved in any case: it costs the search next to nothing
MOST_OF_PLAN = 3.0  # times the seconds of that search after which there is no plan

# Share of the seconds of that search that judging the plan on new files, and making its files, may take besides.
FOR_JUDGING = 0.5


def planned_start(
    recorder: Recorder, dispatch: Dispatch | None, spent: Mapping[str, Any]
) -> tuple[Assembly, Mapping[str, Any]]:
    """Return a run's assembly with the files of an evolved plan in its start, and the content of ``planning.json``."""
    # A resumed run reads that file. One that was stopped before it was written evolves plans again.
    assembly, folder = recorder.assembly, recorder.folder
    start = assembly.experiment.start
    assert start is not None, "nothing is planned unless the experiment says so"
    assert start.planned is not None, "likewise"
    rule = _stop_of_plan(start.planned, assembly)
    if not folder.file(PLANNING).exists():
        recorder.write_status("running", "evolving a protection plan")
        began, most = monotonic(), None if rule.seconds is None else MOST_OF_PLAN * rule.seconds
        hopeless = _hopeless(rule, spent.get("file_seconds", 0.0))
        if not hopeless:
            with suppress(DeadlineOver), time_limited(most, DeadlineOver):
                _plan(recorder, start.planned, rule, dispatch)
        if not folder.file(PLANNING).exists():
            refused = "too few could be evaluated in their share of the time"
            if not hopeless:
                refused = "its files take longer than its share of the time"
                spent = {**spent, "seconds": spent.get("seconds", 0.0) + monotonic() - began}
            recorder.display.message(f"no protection plan: {refused}")
            without = start.model_copy(update={"planned": None})
            rewrite_experiment(folder, start=without)
            return replace(assembly, experiment=assembly.experiment.model_copy(update={"start": without})), spent
    document = folder.read_object(PLANNING, "masking")
    total = {key: spent.get(key, 0) + document.get(key, 0) for key in ("seconds", "evaluations")}
    found = with_known_plan(assembly, folder)
    if rule.seconds is not None:
        # Within a time another computer would find another plan: what is repeated starts from this one.
        rewrite_experiment(folder, start=found.experiment.start)
    return found, total


def seconds_of_plan(assembly: Assembly, file_seconds: float) -> float:
    """Return about how many seconds the plan takes that a run is to evolve within its time; 0 where it has none."""
    start = assembly.experiment.start
    if start is None or start.planned is None:
        return 0.0
    rule = _stop_of_plan(start.planned, assembly)
    return 0.0 if rule.seconds is None or _hopeless(rule, file_seconds) else (1.0 + FOR_JUDGING) * rule.seconds


def _hopeless(rule: Stop, file_seconds: float) -> bool:
    """Whether a file takes too long for more than a few plans, by the times of tuning."""
    return rule.seconds is not None and file_seconds > QUICK and FEWEST_PLANS * file_seconds > rule.seconds


def _plan(recorder: Recorder, planned: PlannedStart, rule: Stop, dispatch: Dispatch | None) -> None:
    """Evolve a plan, and write it and its scores into the run's folder."""
    assembly, folder = recorder.assembly, recorder.folder
    began = monotonic()
    nested = replace(plan_assembly(assembly, _tuned(recorder)), stop=rule)
    dispatch, begun = redirected(dispatch, nested), monotonic()
    individuals = list(starting_individuals(nested, dispatch, lambda done, total: recorder.planning(done, None)))
    state = search_from(nested, individuals, monotonic() - begun, 0)
    evaluator = Evaluator(nested.problem, dispatch, None, nested.experiment.on_error.rule)
    evaluator.remember([*state.population, *state.front])

    def observe(reached: SearchState, record: dict[str, Any]) -> None:
        recorder.planning(reached.progress.evaluations, reached.best.objectives[0])

    state, _ = search(nested.algorithm, evaluator, nested.problem.streams, rule, state, observe)
    solution = nested.algorithm.solution(state.population, state.best)
    genotype = nested.problem.genotype
    assert isinstance(genotype, Composed), "plans are made of masking methods"
    until = None if rule.seconds is None else began + (1.0 + FOR_JUDGING) * rule.seconds
    masking, mean, cost = _not_worse(nested, genotype.masking(solution.genome), recorder, until)
    recipe = recipe_of(nested, masking, mean, until)
    write_text(folder.file(RECIPE), recipe_text(recipe))
    files = planned.files
    if rule.seconds is not None:
        files = max(1, min(files, int(FOR_JUDGING * rule.seconds / max(cost, 1e-6))))
    document: dict[str, Any] = {
        "label": masking.label,
        "masking": masking.to_json(),
        "steps": len(masking.steps),
        "draws": recipe.draws,
        "files": files,
        "scores": recipe.scores,
        "evaluations": state.progress.evaluations,
        "seconds": round(monotonic() - began, 3),
    }
    folder.write_json(PLANNING, document)


def with_known_plan(assembly: Assembly, folder: RunFolder) -> Assembly:
    """Return a run's assembly with the plan in its folder, where one was requested and found."""
    start = assembly.experiment.start
    if start is None or start.planned is None or not folder.file(PLANNING).exists():
        return assembly
    document = folder.read_object(PLANNING, "masking")
    return with_plan(assembly, Masking.from_json(document["masking"]), document.get("files", start.planned.files))


def plan_assembly(assembly: Assembly, tuned: Sequence[Masking]) -> Assembly:
    """Return an assembly that evolves plans for the same file and judgement, from tuned methods and its own genomes."""
    registry = assembly.registry
    methods = tuple(MaskingEntry.of(replace(one, draw=None)) for one in tuned)
    update = {
        "genotype": Named(**plan_genotype(parse_constraints(assembly.experiment), assembly.microdata, registry)),
        "algorithm": Named(name=registry.default("algorithm", "plan")),
        "start": Start(methods=methods, initial=True),
    }
    experiment: Experiment = assembly.experiment.model_copy(update=update)
    return assembled_like(assembly, experiment)


def _not_worse(
    nested: Assembly, found: Masking, recorder: Recorder, until: float | None
) -> tuple[Masking, MeanScores | None, float]:
    """Return the plan, or a method that is better on fresh files, with its scores and the seconds of a file."""
    # A method that takes long may not have had its turn among the plans. Files of the best tuned one are only made
    # again where the mean of those that tuning chose it by, which flatters it, is better than what the plan comes to;
    # those of methods that the start asks for by name as long as there is time.

    def judged(masking: Masking) -> tuple[tuple[float, float], Masking, MeanScores | None, float]:
        began = monotonic()
        mean = mean_scores(nested.problem, nested.registry, masking.steps, nested.seed, until=until)
        order = (inf, inf) if mean is None else (mean.scores.get(INFEASIBILITY, 0.0), mean.scores["score"])
        return order, masking, mean, (monotonic() - began) / (1 if mean is None else mean.draws)

    tuning, best = _tuning(recorder), judged(found)
    for row in tuning["methods"][:1]:
        tuned = replace(Masking.from_json(row), draw=None)
        if tuned != found and (0.0, row["mean"][0]) < best[0]:
            best = min(best, judged(tuned), key=itemgetter(0))
    for row in tuning.get("named", ()):
        left = None if until is None else max(until - monotonic(), 0.0)
        with suppress(DeadlineOver), time_limited(left, DeadlineOver):
            best = min(best, judged(replace(Masking.from_json(row), draw=None)), key=itemgetter(0))
    return best[1:]


def _tuning(recorder: Recorder) -> dict[str, Any]:
    """Return the content of ``tuning.json``: tuned methods from best to worst, and those that the start names."""
    if not recorder.folder.file(TUNING).exists():
        return {"methods": []}
    return recorder.folder.read_object(TUNING, "methods")


def _tuned(recorder: Recorder) -> list[Masking]:
    """Return the tuned methods, if any were tuned; those that take long come last, as time may end."""
    original, registry = recorder.assembly.microdata.original, recorder.assembly.registry
    listed = [Masking.from_json(row) for row in _tuning(recorder)["methods"]]
    names = {step.method for one in listed for step in one.steps}
    classes = {name: registry.implementation("masking-method", name) for name in sorted(names)}
    lasting = {name for name, design, _ in fitting_designs(classes, original) if design.dear}
    return sorted(listed, key=lambda one: any(step.method in lasting for step in one.steps))


def _stop_of_plan(planned: PlannedStart, assembly: Assembly) -> Stop:
    rule = assembly.stop
    seconds, evaluations = planned.seconds, planned.evaluations
    if seconds is None and evaluations is None:
        seconds = None if rule.seconds is None else planned.share * rule.seconds
        evaluations = None if rule.evaluations is None else max(1, int(planned.share * rule.evaluations))
        if seconds is evaluations is None:
            evaluations = PLANS
    return Stop(evaluations=evaluations, seconds=seconds, stalled=STALLED)


def with_plan(assembly: Assembly, masking: Masking, files: int) -> Assembly:
    """Return an assembly whose start begins with several files of a plan, in place of the request for one."""
    experiment, registry = assembly.experiment, assembly.registry
    assert experiment.start is not None, "a plan is evolved where a start asks for it"
    plans = tuple(MaskingEntry.of(replace(masking, draw=draw)) for draw in range(files))
    start = experiment.start.model_copy(update={"methods": (*plans, *experiment.start.methods), "planned": None})
    experiment = experiment.model_copy(update={"start": start})
    before = assembly.plan
    plan = plan_of_start(assembly.problem, experiment, start, registry, before.files)
    made = {position + len(plans): table for position, table in before.made.items()}
    plan = replace(plan, assured=before.assured + len(plans), made=made, planned=len(plans))
    return replace(assembly, experiment=experiment, plan=plan)


# The worker's function that makes and evaluates what stands at a position.
EVALUATE_START = "evosdc.experiment.workers:evaluate_start"

BATCH = 16  # candidates between two signs of progress
FOR_SEARCH = 0.6  # share of a search's time that neither tuning nor starting files may take

# The same of a large file (`evosdc.tuning.tuner.LARGE`): the few candidates there is time for change little.
FOR_SEARCH_OF_LARGE = 0.25

FOR_SEARCH_AT_LEAST = 0.2  # the same for the starting files that a run had rather not be without
SENT = 0.05  # share of a search's time that a batch on workers may take: it is given up as a whole


def starting_individuals(
    assembly: Assembly, dispatch: Dispatch | None, tell: Callable[[int, int], None], spent: float = 0.0
) -> Iterator[Individual]:
    """Yield all that stands in the plan of the start, evaluated: the candidates first, then files for comparison."""
    # Where the experiment stops by time, they end early when `FOR_SEARCH` of it is left, or `FOR_SEARCH_OF_LARGE`,
    # those of `StartingPlan.assured` when `FOR_SEARCH_AT_LEAST` is. What is under way then is given up.
    problem, plan = assembly.problem, assembly.plan
    rule = assembly.experiment.on_error.rule
    total = len(plan.labels)
    given = assembly.stop.seconds
    usual = FOR_SEARCH_OF_LARGE if len(assembly.source.table) >= LARGE else FOR_SEARCH
    began = monotonic()
    done, seconds = 0, 0.0

    def left() -> float | None:
        """Seconds for what comes next; the first file, without which there is nothing, takes what it takes."""
        if given is None or not done:
            return None
        share = 1.0 - (FOR_SEARCH_AT_LEAST if done < min(plan.assured, total) else usual)
        return share * given - spent - (monotonic() - began)

    def over() -> bool:
        rest = left()
        return rest is not None and rest <= 0.0

    def ahead() -> float:
        work, rest = seconds * (total - done), left()
        return work if rest is None else min(work, max(0.0, rest))

    while done < total and not over():
        tell(done, total)
        batch = range(done, min(done + BATCH, total))
        if dispatch is not None and dispatch.worthwhile(ahead()):
            most = BATCH if given is None or not seconds else max(1, min(BATCH, int(SENT * given / seconds)))
            batch = range(done, min(done + most * dispatch.executor.workers, total))
            items = [(position, position) for position in batch]
            size = assembly.microdata.original.codes.nbytes
            try:
                with time_limited(left(), DeadlineOver):
                    outcomes = dispatch.run(EVALUATE_START, items, seconds, size)
            except DeadlineOver:
                break
            for outcome in outcomes:
                dump, scores, objectives, label = outcome.value
                compared = outcome.id >= plan.candidates
                genome = None if compared else problem.genotype.load(dump)
                key = b"" if compared else problem.genotype.key(genome)
                done += 1
                yield Individual(genome, key, scores, objectives, label)
            continue
        for position in batch:
            if over():
                break
            start = monotonic()
            try:
                with time_limited(left(), DeadlineOver):
                    individual = starting_individual(problem, plan, position, rule)
            except DeadlineOver:
                if not done:
                    raise  # no limit of this start's own, but of the part that it belongs to
                tell(done, total)
                return
            seconds = 0.5 * (seconds + monotonic() - start)
            done += 1
            yield individual
    tell(done, total)


def files_of(assembly: Assembly, individuals: Sequence[Individual]) -> list[StartingFile]:
    """Return the original and all starting files and initial genomes, without random genomes."""
    plan = assembly.plan
    listed = [(masking, position) for masking, position in plan.listed if position < len(individuals)]
    apart = plan.left_out(individuals)
    files = [
        StartingFile(individuals[place].origin, masking, individuals[place], place in apart, place < plan.planned)
        for masking, place in listed
    ]
    # The original itself is a baseline: no loss, full risk (less where records are duplicates).
    scores, objectives = assembly.problem.score(assembly.microdata.original)
    return [StartingFile("original", None, Individual(None, b"", scores, objectives, "original")), *files]


def search_from(assembly: Assembly, individuals: Sequence[Individual], seconds: float, evaluations: int) -> SearchState:
    """Return the state of a search that begins with the evaluated files, except those left out."""
    apart = assembly.plan.left_out(individuals)
    candidates = [one for place, one in enumerate(individuals[: assembly.plan.candidates]) if place not in apart]
    return first_state(assembly.algorithm, candidates, seconds, evaluations)


def write_portfolio(folder: RunFolder, files: list[StartingFile]) -> None:
    """Keep the scores of the starting files, for a report after a resume."""
    folder.write_json(
        PORTFOLIO,
        [
            {
                "label": f.label,
                "masking": None if f.masking is None else f.masking.to_json(),
                "left_out": f.left_out,
                "planned": f.planned,
            }
            | scored(f.individual).model_dump()
            for f in files
        ],
    )


def read_portfolio(folder: RunFolder) -> list[StartingFile]:
    """Return the content written by `write_portfolio`; genomes are not stored."""
    try:
        return [
            StartingFile(
                entry["label"],
                None if entry["masking"] is None else Masking.from_json(entry["masking"]),
                Individual(None, b"", entry["scores"], tuple(entry["fitness"]), entry["label"]),
                entry["left_out"],
                entry.get("planned", False),  # older versions have none
            )
            for entry in folder.read_json(PORTFOLIO)
        ]
    except (LookupError, TypeError, AttributeError, ValueError):
        given, advice = f"a folder whose {PORTFOLIO} is damaged", "Restore that file, or begin a new run."
        raise CheckpointError(Fault(str(folder.path), given, "a run folder that is whole", advice)) from None


def begun_from(assembly: Assembly, evaluated: int) -> Start | None:
    """Return a start of the first files and genomes alone that a run has evaluated; None where it began with all."""
    start, plan = assembly.experiment.start, assembly.plan
    if evaluated >= plan.candidates:
        return None
    given = [entry for entry in plan.maskings[:evaluated] if isinstance(entry.source, Table)]
    made = [entry for entry in plan.maskings[:evaluated] if not isinstance(entry.source, Table)]
    before = len(plan.maskings) + len(plan.initial)
    first = min(max(evaluated - len(plan.maskings), 0), len(plan.initial))
    return Start(
        methods=tuple(MaskingEntry.of(entry.masking) for entry in made),
        files=() if start is None else start.files[: len(given)],
        initial=((start and start.initial) or True) if first and first == len(plan.initial) else first or False,
        random=max(0, evaluated - before),
        without_best=plan.without_best,
    )


def ended_by_time(folder: RunFolder, generation: int) -> bool:
    """Whether the search of a run had come to its end in a generation since its time was over: `write_repetition`."""
    try:
        stop = tomllib.loads(folder.file(EXPERIMENT).read_text(encoding="utf-8")).get("stop", {})
    except (OSError, ValueError):
        return False
    timed = experiment_of(folder).stop
    return stop.get("generations") == generation and timed.generations != generation and "seconds" not in stop


def write_repetition(folder: RunFolder, assembly: Assembly, evaluated: int | None, generations: int | None) -> None:
    """Write ``experiment.toml`` so that it repeats a time-limited result without a time limit."""
    named = experiment_of(folder)
    start = assembly.experiment.start or named.start
    if evaluated is not None:
        start = begun_from(assembly, evaluated) or start
    changes: dict[str, Any] = {"start": start}
    if generations is not None:
        changes["stop"] = named.stop.model_copy(update={"generations": generations, "seconds": None, "whole": None})
    rewrite_experiment(folder, **changes)
