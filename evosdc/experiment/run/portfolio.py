"""Masking and evaluating what a search starts from, here or on workers, and keeping the scores for the report."""

from collections.abc import Callable, Iterator, Sequence
from time import monotonic

from evosdc.engine.dispatch import Dispatch
from evosdc.engine.loop import SearchState, first_state
from evosdc.errors import CheckpointError, Fault
from evosdc.experiment.build.assembly import Assembly
from evosdc.experiment.build.start import StartingFile, starting_individual
from evosdc.experiment.run.summaries import scored
from evosdc.model import Individual, Masking
from evosdc.runs.layout import PORTFOLIO, RunFolder
from evosdc.time_limit import DeadlineOver, time_limited
from evosdc.tuning.large_files import LARGE

EVALUATE_START = "evosdc.experiment.run.worker_tasks:evaluate_start"
"""The worker's function that makes and evaluates what stands at a position."""

BATCH = 16
"""Candidates between two signs of progress."""

FOR_SEARCH = 0.6
"""Share of a search's time that neither tuning nor starting files may take."""

FOR_SEARCH_OF_LARGE = 0.25
"""The same of a large file (`evosdc.tuning.large_files.LARGE`): the few candidates there is time for change little."""

FOR_SEARCH_AT_LEAST = 0.2
"""The same for the starting files that a run had rather not be without."""

SENT = 0.05
"""Share of a search's time that a batch on workers may take: it is given up as a whole."""


def identity_file(assembly: Assembly) -> StartingFile:
    """Return the original itself as a baseline: no loss, full risk (less where records are duplicates)."""
    original = assembly.microdata.original
    scores, objectives = assembly.problem.score(original)
    return StartingFile("original", None, Individual(None, b"", scores, objectives, "original"))


def starting_individuals(
    assembly: Assembly, dispatch: Dispatch | None, tell: Callable[[int, int], None], spent: float = 0.0
) -> Iterator[Individual]:
    """Yield all that stands in the plan of the start, evaluated: the candidates first, then files for comparison.

    Where the experiment stops by time, they end early when `FOR_SEARCH` of it is left, or `FOR_SEARCH_OF_LARGE`, those
    of `StartingPlan.assured` when `FOR_SEARCH_AT_LEAST` is. What is under way then is given up.

    Parameters
    ----------
    dispatch : Dispatch, optional
        None to make and evaluate all in this process.
    tell : callable
        Called with the number done and the total.
    spent : float
        Seconds that were spent before.
    """
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
    return [identity_file(assembly), *files]


def search_from(assembly: Assembly, individuals: Sequence[Individual], seconds: float, evaluations: int) -> SearchState:
    """Return the state of a search that begins with what was evaluated, all but the files that are left out.

    Parameters
    ----------
    individuals : sequence of Individual
        As of `starting_individuals`, or the first of them.
    seconds : float
        Spent so far.
    evaluations : int
        Made so far besides those of the candidates.

    Raises
    ------
    EvaluationError
        As `evosdc.engine.loop.first_state`.
    """
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
            | scored(f.individual)
            for f in files
        ],
    )


def read_portfolio(folder: RunFolder) -> list[StartingFile]:
    """Return what `write_portfolio` wrote; genomes are not kept."""
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
