"""The start of a search: entries, masked files, random genomes; made and judged once; and how a run is repeated."""

import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from evosdc.assess.defaults import default_portfolio
from evosdc.assess.mask import apply_masking, build_steps, last_step_of
from evosdc.engine.dispatch import Dispatch
from evosdc.engine.failures import RAISE, ErrorRule, evaluate_or_penalise
from evosdc.engine.fresh import FIRST_FRESH, FreshScores, summarised
from evosdc.engine.loop import SearchState, first_state
from evosdc.engine.mending import LastStep, Mended, mended
from evosdc.engine.problem import Problem
from evosdc.engine.trackers import scores_of
from evosdc.errors import CheckpointError, ExperimentError, Fault, FaultCollector, ParameterError
from evosdc.experiment.environment import rewrite_experiment
from evosdc.experiment.experiment import Experiment, MaskingEntry, Start
from evosdc.experiment.reader import experiment_of
from evosdc.files.source import Source, read_masked
from evosdc.model import Algorithm, Composed, Individual, Masking, MaskingMethod, Microdata, Seedable, racing
from evosdc.model.genotype import USUAL_PORTFOLIO
from evosdc.model.individual import INFEASIBILITY, PROVISIONAL
from evosdc.plugins.registry import Registry
from evosdc.runs.layout import EXPERIMENT, PORTFOLIO, RunFolder
from evosdc.runs.result import Scored
from evosdc.secret import Purpose, draw_seed, stream
from evosdc.table.alignment import align_codes
from evosdc.table.schema import Role, Schema
from evosdc.table.table import Table
from evosdc.time_limit import DeadlineOver, check_time, time_limited
from evosdc.tuning.tuner import LARGE

if TYPE_CHECKING:
    from evosdc.experiment.assembly import Assembly


class StartEntry(NamedTuple):
    """One masked file: what reports call it, and the methods that make it, step by step, or a file that was read."""

    masking: Masking
    source: tuple[MaskingMethod, ...] | Table

    @property
    def label(self) -> str:
        """Its name in tables and figures."""
        return self.masking.label


def start_of(experiment: Experiment, registry: Registry, protected: Schema) -> Start:
    """Return the start of the search: as the experiment says, else the default for the genotype and the scales."""
    if experiment.start is not None:
        return experiment.start
    portfolio = registry.implementation("genotype", experiment.genotype.name).portfolio
    if portfolio == USUAL_PORTFOLIO:
        portfolio = default_portfolio(protected, registry)
    return Start(portfolio=portfolio) if portfolio is not None else Start(initial=True)


def built_entries(maskings: Sequence[Masking], registry: Registry) -> tuple[StartEntry, ...]:
    """Return entries with their methods built."""
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
    """Return the attributes that entries read beside those that they mask: strata, and those that methods ask for."""
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
    """Return the entries of the start's portfolio and those written down, all of which fit the file."""
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
                original.schema.require(step.attributes, f"start: {step.method}")
                part = original.select(step.attributes) if step.attributes else original
                method.require_support(part, f"method {step.method}")
                method.require_fit(part)
                if method.generalises:
                    wanted = "values that the original's attributes have"
                    advice = "A search starts from files in the original's own categories: choose point output."
                    raise ParameterError(Fault(f"start: {step.method}", "generalised labels", wanted, advice))
    collect.settle()
    return made


FROM_FILE = "file"  # what stands in the place of a masking method for a file that was read


def read_start_files(start: Start | None, source: Source, microdata: Microdata) -> tuple[Table, ...]:
    """Return the protected attributes of the masked files that a start names, in the coding of the original."""
    collect, tables = FaultCollector(), []
    for path in start.files if start is not None else ():
        with collect.step():
            masked = read_masked(path, source, require=microdata.protect)
            tables.append(align_codes(microdata.original, masked.table))
    collect.settle()
    return tuple(tables)


@dataclass(frozen=True)
class StartingFile:
    """A masked file of the portfolio with its scores; `masking` is None for the original itself."""

    # `left_out` says that it was one of the best, which the experiment takes from the start; `planned` that it is of a
    # protection plan that was evolved, and so no file without a search.

    label: str
    masking: Masking | None
    individual: Individual
    left_out: bool = False
    planned: bool = False


@dataclass(frozen=True)
class StartingPlan:
    """The start of a search, by position: files, initial genomes, random genomes, files for comparison."""

    maskings: tuple[StartEntry, ...]  # whose files start the search
    initial: tuple[Masking, ...]  # what the genotype's own initial genomes stand for; empty where they are not used
    random: int  # how many random genomes there are
    compared: tuple[StartEntry, ...]  # whose files are scored only, since the genotype cannot be read off a file
    without_best: float = 0.0  # per cent of `maskings`, the best by the fitness, that are left out once they are judged
    # Whether methods at their best parameters join before anything is made; the plan is then made again.
    tuned: bool = False
    assured: int = 1  # how many entries are masked and judged even where the time is over before
    # Files that are there already, by position; workers make theirs.
    made: Mapping[int, Table] = field(default_factory=dict)
    # Whether genomes that can be (`Stochastic.races`) are judged on one table, as an algorithm asks that races.
    screened: bool = False
    planned: int = 0  # how many of `maskings`, the first ones, are files of an evolved plan

    @property
    def candidates(self) -> int:
        """How many genomes start the search."""
        return len(self.maskings) + len(self.initial) + self.random

    @property
    def labels(self) -> tuple[str, ...]:
        """A label for each position."""
        first = [entry.label for entry in self.maskings] + [masking.label for masking in self.initial]
        return (*first, *["random"] * self.random, *(entry.label for entry in self.compared))

    @property
    def files(self) -> tuple[Table, ...]:
        """The masked files that were read and not made, the protected attributes in the original's coding."""
        return tuple(source for _, source in (*self.maskings, *self.compared) if isinstance(source, Table))

    @property
    def listed(self) -> tuple[tuple[Masking, int], ...]:
        """The entries in the report, all except random genomes, with their positions."""
        positions = [*range(self.candidates - self.random), *range(self.candidates, len(self.labels))]
        files, compared = [masking for masking, _ in self.maskings], [masking for masking, _ in self.compared]
        return tuple(zip((*files, *self.initial, *compared), positions, strict=True))

    def left_out(self, individuals: Sequence[Individual]) -> frozenset[int]:
        """Return the positions of the starting files to leave out: the best `without_best` per cent, rounded up."""
        # Of equal files the first count as better. Something to start from always stays.
        files = range(min(len(self.maskings), len(individuals)))
        count = ceil(self.without_best * len(files) / 100.0)
        staying = min(self.candidates, len(individuals)) - 1
        return frozenset(sorted(files, key=lambda position: individuals[position].precedence)[: min(count, staying)])


def starting_plan(
    problem: Problem,
    start: Start,
    entries: Sequence[StartEntry],
    files: Sequence[Table] = (),  # the masked files that the start names
    screened: bool = False,
) -> StartingPlan:
    """Return the starting candidates of a search; none where the genotype offers no way to start."""
    genotype = problem.genotype
    # Files are called by name, with the folder where names are alike.
    alike = Counter(path.name for path in start.files)
    names = [path.name if alike[path.name] == 1 else f"{path.parent.name}/{path.name}" for path in start.files]
    read = [StartEntry(Masking(FROM_FILE, {"path": name}), table) for name, table in zip(names, files, strict=True)]
    # Some entries become genomes; the others are compared with only.
    own, compared = list[StartEntry](), list[StartEntry]()
    for entry in (*entries, *read):
        fits = isinstance(genotype, Seedable)
        if not fits and isinstance(genotype, Composed) and not isinstance(entry.source, Table):
            fits = genotype.composed(entry.masking) is not None
        (own if fits else compared).append(entry)
    seedable = isinstance(genotype, Seedable | Composed)
    wanted = start.initial
    if wanted is None:
        tuned = start.tuned is not None and seedable
        wanted = not (isinstance(genotype, Seedable) or own or tuned or start.random)
    initial = tuple(masking for masking, _ in problem.initial_genomes[: None if wanted is True else wanted])
    if start.without_best and not seedable:
        possible = "a genotype that masked files start, or without_best = 0"
        advice = "This genotype cannot be read off a file; files are compared with only."
        raise ExperimentError(Fault("start.without_best", f"{start.without_best:g}", possible, advice))
    if start.tuned is not None and genotype.generalises:
        possible = "a genotype of files in the original's own categories"
        raise ExperimentError(Fault("start.tuned", "a genotype that generalises", possible))
    tuned = start.tuned is not None
    return StartingPlan(
        tuple(own), initial, start.random, tuple(compared), start.without_best, tuned, screened=screened
    )


def plan_of_start(
    problem: Problem, experiment: Experiment, start: Start, registry: Registry, files: Sequence[Table] = ()
) -> StartingPlan:
    """Return the starting candidates of a search, given the masked files that the start names."""
    entries = entries_of(start, written_entries(experiment, registry), problem.genotype.microdata, registry)
    return starting_plan(problem, start, entries, files, screens(experiment, registry))


def screens(experiment: Experiment, registry: Registry) -> bool:
    """Whether an experiment's algorithm wants starting genomes to be judged on one table first."""
    algorithm: type[Algorithm] = registry.implementation("algorithm", experiment.algorithm.name)
    return algorithm.races


def starting_individual(problem: Problem, plan: StartingPlan, position: int, rule: ErrorRule = RAISE) -> Individual:
    """Return one starting candidate, or one file for comparison, evaluated. Found by address alone."""
    # The rule is for the evaluation of candidates; a masking method that fails, or the scoring of a file for
    # comparison, ends the run.
    genotype, label = problem.genotype, plan.labels[position]
    if position < len(plan.maskings) and isinstance(genotype, Seedable):
        known = plan.made.get(position)
        # A file that is there goes the same way as one that is made: a run that is repeated makes it.
        entry = plan.maskings[position]
        made = _masked(problem, entry, position) if known is None else mended(problem, known, _last(problem, entry))
        label += f", then labels of {', '.join(made.right_labels)} put right" if made.right_labels else ""
        label += f", then kept values of {', '.join(made.move_values)} moved" if made.move_values else ""
        return individual_of(problem, genotype.seeded(made.table), label, rule)
    if position < plan.candidates:
        return individual_of(problem, _genome(problem, plan, position), label, rule)
    draws = [_masking_scores(problem, plan, position, draw) for draw in range(problem.draws)]
    means = {name: sum(scores[name] for scores in draws) / len(draws) for name in problem.measures}
    return Individual(None, b"", *problem.judge(means), label)


def _genome(problem: Problem, plan: StartingPlan, position: int) -> Any:
    """Return the genome at a position where no file is read off."""
    genotype, own = problem.genotype, position - len(plan.maskings)
    if own < 0:
        assert isinstance(genotype, Composed), "no other genotype makes a genome of an entry"
        genome = genotype.composed(plan.maskings[position].masking)
    elif own < len(plan.initial):
        genome = problem.initial_genomes[own][1]
    else:
        place = own - len(plan.initial)
        genome = genotype.random_of_start(place, problem.streams.random_genome(position))
    raced = racing(genotype) if plan.screened else None
    return genome if raced is None else raced.judged_on(genome, 1)


def fresh_masking_scores(problem: Problem, plan: StartingPlan, position: int, draws: int) -> FreshScores:
    """Judge a method of the comparison on `draws` new files."""
    return summarised(problem, [_masking_scores(problem, plan, position, FIRST_FRESH + draw) for draw in range(draws)])


def _masking_scores(problem: Problem, plan: StartingPlan, position: int, draw: int) -> dict[str, float]:
    return scores_of(
        problem.measures, _masked(problem, plan.compared[position - plan.candidates], position, draw).table
    )


def starting_table(problem: Problem, plan: StartingPlan, position: int) -> Table:
    """Return the masked file that stands at a position, as it was judged; of a comparison the first draw."""
    genotype = problem.genotype
    if position >= plan.candidates:
        return _masked(problem, plan.compared[position - plan.candidates], position, 0).table
    if position < len(plan.maskings) and isinstance(genotype, Seedable):
        genome = genotype.seeded(_masked(problem, plan.maskings[position], position).table)
    else:
        genome = _genome(problem, plan, position)
    return problem.decode(genome, genotype.key(genome))


def _masked(problem: Problem, entry: StartEntry, *address: int) -> Mended:
    """Return the file of an entry, in order."""
    return mended(problem, _unmended(problem, entry, *address), _last(problem, entry))


def _last(problem: Problem, entry: StartEntry) -> LastStep | None:
    """Return a function that repeats the last step of an entry's chain; None where there is none."""
    if isinstance(entry.source, Table):
        return None
    return last_step_of(entry.masking, entry.source, problem.genotype.microdata)


def met_before_and_after(problem: Problem, plan: StartingPlan, evaluated: int, most: int) -> tuple[int, int, int]:
    """Return how many of the first starting files were masked again, and met privacy models before and after repair."""
    before = after = 0
    listed = range(min(len(plan.maskings), evaluated, most))
    for position in listed:
        check_time()
        entry = plan.maskings[position]
        masked = _unmended(problem, entry, position)
        before += problem.repair.missed(masked) == 0.0
        after += problem.repair.missed(mended(problem, masked, _last(problem, entry)).table) == 0.0
    return len(listed), before, after


def _unmended(problem: Problem, entry: StartEntry, *address: int) -> Table:
    """Return the file of an entry: read, or made with the random numbers of an address."""
    # The first file of an entry with a draw of its own is the one that ``evosdc mask`` makes in this draw.
    microdata = problem.genotype.microdata
    if isinstance(entry.source, Table):
        return entry.source
    (_, *draw), own = address, entry.masking.draw
    rng = stream(problem.streams.seed, Purpose.PORTFOLIO, *address)
    if own is not None and draw in ([], [0]):
        rng = stream(draw_seed(problem.streams.seed, own), Purpose.MASK)
    return apply_masking(entry.masking, entry.source, microdata, rng)


def individual_of(problem: Problem, genome: Any, origin: str, rule: ErrorRule = RAISE) -> Individual:
    """Return an evaluated individual."""
    key = problem.genotype.key(genome)
    individual = Individual.unevaluated(genome, origin, problem.fitness.objectives)
    individual.key = key
    individual.fitness.values = evaluate_or_penalise(rule, problem, individual)
    return individual


# The worker's function that makes and evaluates what stands at a position.
EVALUATE_START = "evosdc.experiment.workers:evaluate_start"

BATCH = 16  # candidates between two signs of progress
FOR_SEARCH = 0.6  # share of a search's time that neither tuning nor starting files may take

# The same of a large file (`evosdc.tuning.tuner.LARGE`): the few candidates there is time for change little.
FOR_SEARCH_OF_LARGE = 0.25

FOR_SEARCH_AT_LEAST = 0.2  # the same for the starting files that a run had rather not be without
SENT = 0.05  # share of a search's time that a batch on workers may take: it is given up as a whole


def starting_individuals(
    assembly: "Assembly", dispatch: Dispatch | None, tell: Callable[[int, int], None], spent: float = 0.0
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


def files_of(assembly: "Assembly", individuals: Sequence[Individual]) -> list[StartingFile]:
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


def search_from(
    assembly: "Assembly", individuals: Sequence[Individual], seconds: float, evaluations: int
) -> SearchState:
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


def begun_from(assembly: "Assembly", evaluated: int) -> Start | None:
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


def write_repetition(folder: RunFolder, assembly: "Assembly", evaluated: int | None, generations: int | None) -> None:
    """Write ``experiment.toml`` so that it repeats a time-limited result without a time limit."""
    named = experiment_of(folder)
    start = assembly.experiment.start or named.start
    if evaluated is not None:
        start = begun_from(assembly, evaluated) or start
    changes: dict[str, Any] = {"start": start}
    if generations is not None:
        changes["stop"] = named.stop.model_copy(update={"generations": generations, "seconds": None, "whole": None})
    rewrite_experiment(folder, **changes)


def scored(individual: Individual) -> Scored:
    """Return scores and fitness of an individual."""
    # What a search adds to the infeasibility of those that it judged on a part of their tables is no score.
    scores = dict(individual.scores)
    if individual.provisional and not individual.failed:
        scores[INFEASIBILITY] = round(scores[INFEASIBILITY] - PROVISIONAL, 6)
    return Scored(scores=scores, fitness=list(individual.objectives))
