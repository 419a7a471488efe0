"""The second opinion after a search: independent judges, on the best classical file and the best found."""

from collections.abc import Callable, Mapping, Sequence

from evosdc.assess.judge import Claims, second_opinions
from evosdc.assess.judge import SecondOpinion as JudgedFile
from evosdc.errors import InputError
from evosdc.experiment.assembly import Assembly
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.run.summaries import entries_of
from evosdc.experiment.start import StartingFile, starting_table
from evosdc.model import EarlierRelease, Individual
from evosdc.plugins.registry import Registry
from evosdc.runs.layout import RunFolder, is_replicate
from evosdc.runs.result import SecondOpinion
from evosdc.secret import judging_seed
from evosdc.table.role_assignment import assign_known
from evosdc.table.table import Table
from evosdc.time_limit import DeadlineOver, time_limited

LONG = 20.0  # seconds of search from which a single run has a second opinion that did not say whether it wants one
SECONDS = 1.1  # of one core, for two files of 1000 records and an attribute that is protected
AROUND = 2.0  # what an estimate is divided and multiplied by: computers, and what they do besides, differ by so much

BEST, CLASSICAL = "best", "classical"


def wanted(experiment: Experiment, folder: RunFolder, seconds: float) -> bool:
    """Whether judges are asked: as the experiment says, else after a single run that took longer than judges do."""
    if experiment.second_opinion is not None:
        return experiment.second_opinion
    return not is_replicate(folder.path) and seconds >= LONG


def used_judges(experiment: Experiment, registry: Registry) -> list[str]:
    """Return the judges that an experiment used as measures, but for those that any search with a goal follows."""
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
    """Return about how long judges take for two files, in words: a span, since nobody knows the computer's load."""
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
        family = getattr(registry.spec("measure", measure.name), "family", "")
        # A share of right guesses is no gain over guessing without the file: measures of that are those for inference.
        informed = family == "linkage" or measure.name in registry.defaults("measure", "inference")
        score = scores.get(measure.name)
        if informed and score is not None and score >= values.get(family, -1.0):
            values[family], claimed_by[family] = score, measure.name
    return Claims(values, claimed_by)


def opinion_of(
    assembly: Assembly,
    starting: Sequence[StartingFile],  # as `evosdc.experiment.portfolio.files_of` returns them
    best: Individual,  # the solution
    masked: Table,  # its file
    answered: Callable[[int, int], None] | None = None,  # called with how many of how many judges have answered
    until: Callable[[], float | None] = lambda: None,
    earlier: tuple[EarlierRelease, ...] = (),  # files of the same people that are out already, or may be
) -> tuple[SecondOpinion, list[str]]:
    """Return the second opinion of a result, and notes; an empty one where judges cannot be asked."""
    microdata, registry, experiment = assembly.microdata, assembly.registry, assembly.experiment
    files, claims = {BEST: masked}, {BEST: claims_of(best.scores, experiment, registry)}
    try:
        with time_limited(_half(until()), DeadlineOver):
            rival = _classical(assembly, starting)
    except DeadlineOver:
        rival = None
    if rival is not None:
        files[CLASSICAL], scores = rival[1], starting[rival[0]].individual.scores
        claims[CLASSICAL] = claims_of(scores, experiment, registry)
    used = used_judges(experiment, registry)
    try:
        found = second_opinions(
            assign_known(assembly.source.table, microdata.protect),
            {label: assembly.source.published(file) for label, file in files.items()},
            microdata.protect,
            registry=registry,
            without=used,
            claimed=claims,
            seed=judging_seed(assembly.seed),
            answered=answered,
            in_order=not experiment.data.shuffle,
            until=until,
            earlier=earlier,
        )
    except InputError as error:
        return SecondOpinion(), [f"There is no second opinion: {error.faults[0]}."]
    label = starting[rival[0]].label if rival is not None else ""
    return summary_of(found[BEST], used, found.get(CLASSICAL), label), []


def summary_of(
    own: JudgedFile, used: Sequence[str], classical: JudgedFile | None = None, label: str = ""
) -> SecondOpinion:
    """Return what a result says of the judges' findings; `used` are judges that the search used itself."""
    verdict = own.verdict
    unjudged = verdict.holds is None and bool(used)
    told = f"Not checked: the search used {', '.join(used)} itself, and no other judge reads such a file."
    rival = None if classical is None else classical.to_json()
    return SecondOpinion(
        holds=verdict.holds,
        text=told if unjudged else verdict.sentence,
        asked=len(own.findings) + own.unasked,
        answered=len(own.findings),
        best=own.to_json(),
        classical={**rival, "verdict": told} if rival is not None and unjudged else rival,
        classical_label=label,
        used_by_the_search=list(used),
    )


def _half(seconds: float | None) -> float | None:
    return None if seconds is None else 0.5 * seconds


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
