"""The second opinion after a search: judges that the search did not use, on its best file."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path

from evosdc.assess.judge import Claims, second_opinions
from evosdc.assess.judge import SecondOpinion as JudgedFile
from evosdc.errors import InputError
from evosdc.experiment.assembly import Assembly
from evosdc.experiment.experiment import Experiment, MaskingEntry
from evosdc.experiment.reader import read_recipe
from evosdc.experiment.start import StartingFile, starting_table
from evosdc.experiment.summaries import entries_of
from evosdc.model import EarlierRelease, Individual, Masking
from evosdc.plugins.registry import Registry
from evosdc.runs.layout import RECIPE, RunFolder, is_replicate
from evosdc.runs.result import Entry, SecondOpinion
from evosdc.secret import judging_seed
from evosdc.table.table import Table, assign_known
from evosdc.time_limit import DeadlineOver, time_limited

LONG = 20.0  # seconds of search from which a single run has a second opinion that did not say whether it wants one
SECONDS = 1.1  # of one core, for two files of 1000 records and an attribute that is protected
AROUND = 2.0  # what an estimate is divided and multiplied by: computers, and what they do besides, differ by so much

BEST, CLASSICAL = "best", "classical"


def wanted(experiment: Experiment, folder: RunFolder, seconds: float) -> bool:
    """Whether judges run: as the experiment says, else after a single run that took longer than judges do."""
    if experiment.second_opinion is not None:
        return experiment.second_opinion
    return not is_replicate(folder.path) and seconds >= LONG


def used_judges(experiment: Experiment, registry: Registry) -> list[str]:
    """Return the judges that an experiment used as measures, except those that every search with a goal uses."""
    # The verdict asks these in any case, about other records where they take a sample.
    used = {measure.name for measure in experiment.measures.all} if experiment.measures is not None else set()
    used -= set(registry.defaults("measure", "followed"))
    return [name for name in registry.defaults("measure", "judge") if name in used]


def expected_seconds(records: int, protected: int, attributes: int) -> float:
    """Return about how long judges take for two files."""
    # Fitted to measured times of files of 500 to 30 000 records and 3 to 11 protected attributes: judges sample
    # records, so that their time grows slowly with these.
    return float(SECONDS * (protected + 0.5 * attributes) * (records / 1000.0) ** 0.4)


def expected_time(records: int, protected: int, attributes: int) -> str:
    """Return about how long judges take for two files, in words: a span, since the computer's load is unknown."""
    seconds = expected_seconds(records, protected, attributes)
    least, greatest = (f"{max(float(f'{part:.1g}'), 2.0):g}" for part in (seconds / AROUND, seconds * AROUND))
    return f"about {least} to {greatest} s"


def claims_of(scores: Mapping[str, float], experiment: Experiment, registry: Registry) -> Claims:
    """Return the risks that a search claims of a file: the greatest of its linkages, and the guess gain."""
    # What the measures of its DR do not say is left out, and measured by informed ones.
    assert experiment.measures is not None, "the assembly fills in the measures"
    values: dict[str, float] = {}
    claimed_by: dict[str, str] = {}
    for measure in experiment.measures.dr:
        family = registry.measure(measure.name).family
        # A share of right guesses is no gain over guessing without the file: measures of that are those for inference.
        informed = family == "linkage" or measure.name in registry.defaults("measure", "inference")
        score = scores.get(measure.name)
        if informed and score is not None and score >= values.get(family, -1.0):
            values[family], claimed_by[family] = score, measure.name
    return Claims(values, claimed_by)


def judged_files(
    assembly: Assembly,
    files: Mapping[str, Table],  # masked attributes of each, in the order of the original
    scores: Mapping[str, Mapping[str, float]],  # what the search claims of each
    answered: Callable[[int, int], None] | None = None,
    until: Callable[[], float] = lambda: inf,
    earlier: tuple[EarlierRelease, ...] = (),
) -> dict[str, JudgedFile]:
    """Return second opinions on masked files of a run; arguments as of `second_opinions`."""
    experiment, registry, protect = assembly.experiment, assembly.registry, assembly.microdata.protect
    return second_opinions(
        assign_known(assembly.source.table, protect),
        {label: assembly.source.published(file) for label, file in files.items()},
        protect,
        registry=registry,
        without=used_judges(experiment, registry),
        claimed={label: claims_of(own, experiment, registry) for label, own in scores.items()},
        seed=judging_seed(assembly.seed),
        answered=answered,
        in_order=not experiment.data.shuffle,
        until=until,
        earlier=earlier,
    )


def opinion_of(
    assembly: Assembly,
    starting: Sequence[StartingFile],  # as `evosdc.experiment.start.files_of` returns them
    best: Individual,  # the solution
    masked: Table,  # its file
    answered: Callable[[int, int], None] | None = None,  # called with how many of how many judges have answered
    until: Callable[[], float] = lambda: inf,
    earlier: tuple[EarlierRelease, ...] = (),  # files of the same people that are out already, or may be
) -> tuple[SecondOpinion, list[str]]:
    """Return the second opinion of a result, and notes; an empty one where judges cannot run."""
    files, scores, label = {BEST: masked}, {BEST: best.scores}, ""
    try:
        with time_limited(0.5 * until(), DeadlineOver):
            rival = _classical(assembly, starting)
    except DeadlineOver:
        rival = None
    if rival is not None:
        files[CLASSICAL], label = rival[1], starting[rival[0]].label
        scores[CLASSICAL] = starting[rival[0]].individual.scores
    try:
        found = judged_files(assembly, files, scores, answered, until, earlier)
    except InputError as error:
        return SecondOpinion(), [f"There is no second opinion: {error.faults[0]}."]
    used = used_judges(assembly.experiment, assembly.registry)
    return summary_of(found[BEST], used, found.get(CLASSICAL), label), []


def summary_of(
    own: JudgedFile, used: Sequence[str], classical: JudgedFile | None = None, label: str = ""
) -> SecondOpinion:
    """Return the judges' findings for a result; `used` are judges that the search used itself."""
    verdict = own.verdict
    unjudged = verdict.holds is None and bool(used)
    text = f"Not checked: the search used {', '.join(used)} itself, and no other judge reads such a file."
    rival = None if classical is None else classical.to_json()
    return SecondOpinion(
        holds=verdict.holds,
        text=text if unjudged else verdict.sentence,
        asked=len(own.findings) + own.unasked,
        answered=len(own.findings),
        best=own.to_json(),
        classical={**rival, "verdict": text} if rival is not None and unjudged else rival,
        classical_label=label,
        used_by_the_search=list(used),
    )


def _classical(assembly: Assembly, starting: Sequence[StartingFile]) -> tuple[int, Table] | None:
    """Return the place and the file of the best masking without a search; None where there is none."""
    entries = {id(file) for file in entries_of(starting)}
    places = [place for place, file in enumerate(starting) if id(file) in entries]
    if not places:
        return None
    place = min(places, key=lambda place: starting[place].individual.precedence)
    known = starting[place].individual
    if known.genome is not None:  # not after a resume, and not of what is compared with only
        return place, assembly.problem.decode(known.genome, known.key)
    position = assembly.plan.listed[place - 1][1]  # the original comes first
    return place, starting_table(assembly.problem, assembly.plan, position)


def plan_of(folder: RunFolder, best: Entry | None) -> tuple[MaskingEntry, ...]:
    """Return the start of a run's search, at its tuned parameters: the best masking, and the evolved plan."""
    entries = [] if best is None else [MaskingEntry.of(replace(Masking.from_json(best.model_dump()), draw=None))]
    recipe = folder.file(RECIPE)
    if recipe.exists():
        entries.append(read_recipe(Path(recipe)).entry)
    return tuple(entries)
