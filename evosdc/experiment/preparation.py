"""The starting files of a search, masked and judged, and the experiment file that repeats a run."""

import tomllib
from collections.abc import Callable, Iterator, Sequence
from time import monotonic
from typing import Any

from evosdc.engine.dispatch import Dispatch
from evosdc.engine.loop import SearchState, first_state
from evosdc.errors import CheckpointError, Fault
from evosdc.experiment.assembly import Assembly
from evosdc.experiment.environment import rewrite_experiment
from evosdc.experiment.experiment import MaskingEntry, Start
from evosdc.experiment.reader import experiment_of
from evosdc.experiment.start import StartingFile, starting_individual
from evosdc.experiment.summaries import scored
from evosdc.model import Individual, Masking
from evosdc.runs.layout import EXPERIMENT, PORTFOLIO, RunFolder
from evosdc.table.table import Table
from evosdc.time_limit import DeadlineOver, time_limited
from evosdc.tuning.tuner import LARGE

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
    initial: bool | int = first or False
    if first and first == len(plan.initial):  # all of them
        initial = (start.initial if start is not None else False) or True
    return Start(
        methods=tuple(MaskingEntry.of(entry.masking) for entry in made),
        files=() if start is None else start.files[: len(given)],
        initial=initial,
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
