"""The warm start of a run: masking methods at their best parameters, and an evolved protection plan."""

from collections.abc import Callable, Mapping, Sequence
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
from evosdc.engine.loop import SearchState, search
from evosdc.engine.problem import Problem
from evosdc.engine.stop import Stop
from evosdc.errors import Fault, InputError, ParameterError
from evosdc.experiment.assembly import Assembly, assembled_like
from evosdc.experiment.environment import rewrite_experiment
from evosdc.experiment.experiment import Experiment, MaskingEntry, Named, PlannedStart, Start, StopRule, TunedStart
from evosdc.experiment.problem import build_problem, parse_constraints
from evosdc.experiment.protection import plan_genotype
from evosdc.experiment.reader import recipe_text
from evosdc.experiment.recipe import MeanScores, mean_scores, recipe_of
from evosdc.experiment.recorder import Recorder
from evosdc.experiment.start import plan_of_start, search_from, starting_individuals
from evosdc.experiment.workers import dispatch_of, executor_of, redirected
from evosdc.files.atomic import write_text
from evosdc.model import Composed, Masking, Microdata, Seedable, fitting_designs
from evosdc.model.constraint import without_publishable
from evosdc.model.individual import INFEASIBILITY
from evosdc.plugins.registry import Registry
from evosdc.runs.layout import PLANNING, RECIPE, TUNING, RunFolder
from evosdc.secret import Purpose, Seed, draw_seed, stream
from evosdc.table.table import Table
from evosdc.time_limit import DeadlineOver, Slow, check_time, time_limited
from evosdc.tuning.designs import Budget
from evosdc.tuning.judge import MaskingTimes
from evosdc.tuning.schedule import spread
from evosdc.tuning.tuner import LARGE, SAMPLE, Tuning, tune

# Shares of its effort at which a method is timed: FIRST shows its fixed cost, SECOND what effort adds.
FIRST, SECOND = 0.001, 0.04

# Share of the search's time at which tuning, the plan and the methods that were named have to be over.
UNTIL = 0.75

# The same of files so large that they are tuned by a sample: there other methods and the search would get nothing.
UNTIL_OF_LARGE = 0.4

LEAST = 0.01  # share of the effort that is left to a method in any case
FOR_TRYING = 0.5  # seconds in any case for finding out whether even the least effort is too much
FEW = 1000  # records on which a method is tried at all first

# Share of its time that a method may be expected to take: two trials predict it to a third at best, the file is judged
# too, and a masking that is broken off gives nothing.
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

# Share of the search's time that the tuned files made first, except the best, may take together.
FOR_FIRST = 0.02

UNTUNED = 24  # random genomes that start a search where no method could be tuned, and nothing else was requested
LASTING = 0.25  # share of a search's time from which on a method takes too long to mask a large file
MOST_ASSURED = 4  # most starting files that are masked and judged although the time is over

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
    tell: Callable[[int], object] = lambda done: None,
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
    return tune(
        problem, registry, problem.streams.seed, budget, tuned.methods, known, tuned.files, dispatch, TRY_MASKING, tell,
        stopped, sample, slow, times,
    )  # fmt: skip


def tune_alone(
    assembly: Assembly,
    tuned: TunedStart,
    budget: Budget,
    tell: Callable[[int], object] = lambda done: None,
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
        registry = assembly.registry
        sample = sample_of(assembly.experiment, assembly.microdata, registry, assembly.seed, budget)
        times = MaskingTimes(assembly.microdata, registry)
        tuning = tune_problem(
            assembly.problem, registry, start.tuned, budget, start.portfolio, dispatch, recorder.tuning,
            recorder.tuning_stopped, sample, recorder.display.slow, times,
        )  # fmt: skip
        made = tuning.made
        named = [entry.masking for entry in start.methods]
        if assembly.experiment.stop.seconds is not None:
            given = assembly.experiment.stop.seconds
            until = UNTIL_OF_LARGE if tuning.sample else UNTIL
            taken = tuning.seconds + seconds_of_plan(assembly, tuning.file_seconds)
            left = max(until * given - taken, FOR_NAMED * given)
            named = all_paced(named, assembly.microdata, registry, left, recorder.display.message)
        entries: dict[str, Sequence[Masking]] = {"start": tuning.maskings, "named": named}
        lasting = _lasting(assembly, tuning, times)
        document = tuning.to_json() | {"seconds": round(monotonic() - began, 3)}
        document |= {"lasting": [list(methods) for methods in lasting]} if lasting else {}
        folder.write_json(TUNING, document | {key: [one.to_json() for one in ones] for key, ones in entries.items()})
    found = with_found(assembly, folder, made)
    if start.tuned is not None and budget_of(start.tuned, assembly.experiment.stop).seconds is not None:
        # Within a time another computer would find others: what is repeated starts from these.
        rewrite_experiment(folder, start=found.experiment.start)
    return found, folder.read_object(TUNING, "start")


def with_found(assembly: Assembly, folder: RunFolder, made: Sequence[tuple[Masking, Table]] = ()) -> Assembly:
    """Return a run's assembly with the tuned methods stored in its folder, if there are any."""
    if not assembly.plan.tuned or not folder.file(TUNING).exists():
        return assembly
    document, read = folder.read_object(TUNING, "start"), Masking.from_json
    named, seconds = document.get("named"), float(document.get("file_seconds", 0.0))
    given = None if named is None else [read(one) for one in named]
    lasting = list(document.get("lasting", ()))
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
    until = inf if rule.seconds is None else began + (1.0 + FOR_JUDGING) * rule.seconds
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
    """Return a run's assembly whose start begins with files of the plan in its folder, where one was requested."""
    experiment, start, before = assembly.experiment, assembly.experiment.start, assembly.plan
    if start is None or start.planned is None or not folder.file(PLANNING).exists():
        return assembly
    document = folder.read_object(PLANNING, "masking")
    masking, files = Masking.from_json(document["masking"]), document.get("files", start.planned.files)
    plans = tuple(MaskingEntry.of(replace(masking, draw=draw)) for draw in range(files))
    start = start.model_copy(update={"methods": (*plans, *start.methods), "planned": None})
    experiment = experiment.model_copy(update={"start": start})
    plan = plan_of_start(assembly.problem, experiment, start, assembly.registry, before.files)
    made = {position + len(plans): table for position, table in before.made.items()}
    plan = replace(plan, assured=before.assured + len(plans), made=made, planned=len(plans))
    return replace(assembly, experiment=experiment, plan=plan)


def plan_assembly(assembly: Assembly, tuned: Sequence[Masking]) -> Assembly:
    """Return an assembly that evolves plans for the same file and judgement, from tuned methods and its own genomes."""
    registry = assembly.registry
    methods = tuple(MaskingEntry.of(replace(one, draw=None)) for one in tuned)
    update = {
        "genotype": Named(**plan_genotype(parse_constraints(assembly.experiment), assembly.microdata, registry)),
        "algorithm": Named(name=registry.default("algorithm", "plan")),
        "start": Start(methods=methods, initial=True),
    }
    return assembled_like(assembly, assembly.experiment.model_copy(update=update))


def _not_worse(
    nested: Assembly, found: Masking, recorder: Recorder, until: float
) -> tuple[Masking, MeanScores | None, float]:
    """Return the plan, or a method that is better on fresh files, with its scores and the seconds of a file."""
    # Perhaps no plan tried a slow method. The best tuned method is judged again if its mean from tuning, which is too
    # good, beats the plan. Methods that are named in the start are judged while there is time.

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
        with suppress(DeadlineOver), time_limited(until - monotonic(), DeadlineOver):
            best = min(best, judged(replace(Masking.from_json(row), draw=None)), key=itemgetter(0))
    return best[1:]


def _tuning(recorder: Recorder) -> dict[str, Any]:
    """Return the content of ``tuning.json``: tuned methods from best to worst, and those that the start names."""
    there = recorder.folder.file(TUNING).exists()
    return recorder.folder.read_object(TUNING, "methods") if there else {"methods": []}


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
