"""An evolved protection plan in the start of a search."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf
from operator import itemgetter
from time import monotonic
from typing import Any

from evosdc.engine.dispatch import Dispatch
from evosdc.engine.evaluation import Evaluator
from evosdc.engine.loop import SearchState, search
from evosdc.engine.stop import Stop
from evosdc.experiment.assembly import Assembly, assembled_like
from evosdc.experiment.environment import rewrite_experiment
from evosdc.experiment.experiment import Named, Start
from evosdc.experiment.maskings import MaskingEntry, PlannedStart
from evosdc.experiment.preparation import search_from, starting_individuals
from evosdc.experiment.problem import parse_constraints
from evosdc.experiment.protection import plan_genotype
from evosdc.experiment.reader import recipe_text
from evosdc.experiment.recipe import MeanScores, mean_scores, recipe_of
from evosdc.experiment.recorder import Recorder
from evosdc.experiment.start import plan_of_start
from evosdc.experiment.workers import redirected
from evosdc.files.atomic import write_text
from evosdc.model import Composed, Masking, fitting_designs
from evosdc.model.individual import INFEASIBILITY
from evosdc.runs.layout import PLANNING, RECIPE, TUNING, RunFolder
from evosdc.time_limit import DeadlineOver, time_limited

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
