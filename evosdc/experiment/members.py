"""Members of a run's front, and its published file: read, described, or made the best file of a new folder."""

import re
import shlex
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from evosdc.assess.changes import matched
from evosdc.assess.classes import cross_tables
from evosdc.assess.utility import analyses
from evosdc.engine.checkpoint import found_so_far, newest_checkpoint
from evosdc.engine.choice import Choice, choice_of, chosen
from evosdc.errors import CheckpointError, DataError, ExperimentError, Fault
from evosdc.experiment.assembly import Assembly, opened, require_choice
from evosdc.experiment.display import Display
from evosdc.experiment.environment import begun_by
from evosdc.experiment.opinion import judged_files
from evosdc.experiment.outputs import write_outputs
from evosdc.experiment.release import found_in
from evosdc.experiment.start import read_portfolio, scored
from evosdc.experiment.tuned_start import with_found, with_known_plan
from evosdc.files.source import read_masked
from evosdc.model import Individual
from evosdc.plugins.registry import Registry
from evosdc.printing import printable
from evosdc.runs import layout
from evosdc.runs.layout import RunFolder
from evosdc.runs.published import published_places, require_published
from evosdc.runs.result import Result
from evosdc.runs.status import require_complete
from evosdc.table.table import Rows, Table

OWN: Final = "best"  # the file that a run itself publishes, which need not be a member of its front

Member = int | Literal["best"]


def front_member(path: Path, member: Member | Choice, registry: Registry) -> tuple[Assembly, Individual, Member]:
    """Return a run's assembly, one individual of its front, and its position in ``front.csv``."""
    # `member` is that position, or says which one it is (`evosdc.engine.choice`); ``best`` is the run's own best file,
    # whose position is returned where the front has it.
    layout.require_run(path)
    runs = layout.run_folders(path)
    if runs and runs[0] != path:  # each run of a study has a front of its own
        given, advice = f"a study of {len(runs)} runs", f"Name one of them, such as {runs[0]}."
        raise ExperimentError(Fault(str(path), given, "the folder of a single run", advice))
    folder = RunFolder(path)
    assembly = opened(folder, registry)
    state = found_so_far(path, assembly.problem.genotype)
    if state is None:
        advice = "Wait for its search to begin, or go on with it by evosdc resume."
        raise CheckpointError(Fault(str(path), "a run without a checkpoint yet", "a run with a front", advice))
    if member == OWN:
        # The one made its best file, the one that the experiment chooses, or the solution of the search.
        made = (folder.read_object(layout.ENVIRONMENT).get("chosen") or {}).get("member")
        choice = assembly.experiment.choose
        if isinstance(made, int):
            own = state.front[made]
        elif choice is not None and made != OWN:
            own = state.front[chosen([one.point for one in state.front], choice)]
        else:
            own = assembly.algorithm.solution(state.population, state.best)
        return assembly, own, next((at for at, one in enumerate(state.front) if one.key == own.key), OWN)
    if not isinstance(member, int):
        require_choice(assembly.problem, member)
        member = chosen([one.point for one in state.front], member)
    if not 0 <= member < len(state.front):
        wanted = f"0..{len(state.front) - 1}"
        raise DataError(
            Fault("member", str(member), wanted, f"{path}/front.csv lists the members of the front, from 0.")
        )
    return assembly, state.front[member], member


def in_words(member: Member) -> str:
    """Return the name of a member."""
    return "the run's own best file" if member == OWN else f"member {member} of the front"


def named_member(given: int | str | Mapping[str, float]) -> Member | Choice:
    """Return the member that is named: by its number, best, or a choice; raises `InputError` for anything else."""
    if isinstance(given, Mapping):
        return choice_of(given)
    text = str(given)
    if text.strip() == OWN:
        return "best"
    return int(text) if re.fullmatch(r"-?[0-9]+", text.strip()) else choice_of(text)


@dataclass(frozen=True, eq=False)
class PublishedFile:
    """A published file and its original."""

    assembly: Assembly  # the run
    individual: Individual  # the solution that the file was made of
    original: Table
    masked: Table


def published_file(path: Path, registry: Registry) -> PublishedFile:
    """Return the published file of a run folder, and its original, record by record."""
    folder, where = RunFolder(path), printable(str(path))
    require_complete([path])
    assembly, individual, _ = front_member(path, OWN, registry)
    resume = shlex.join(["evosdc", "resume", str(path)])
    if not folder.file(layout.RESULT).exists():
        given, advice = "a run that has published no file yet", f"Go on with it: `{resume}`."
        raise CheckpointError(Fault(where, given, "a run that has ended", advice))
    require_published(path)
    if assembly.experiment.data.shuffle and not folder.file(layout.CROSSWALK).exists():
        given = f"a run whose records were shuffled, without its {layout.CROSSWALK}"
        advice = f"Restore that file, or remove {layout.RESULT}: `{resume}` then writes both again."
        raise CheckpointError(Fault(where, given, "a run folder that is whole", advice))
    # Only the name counts: what a result says may not point outside its folder.
    file = folder.file(Path(Result.read(path).best.file).name)
    source, places = assembly.source, _places(assembly, individual, folder)
    ordered = source.ordered_by(places)
    # A genotype that generalises may have made hierarchies of its own, by which no schema knows its labels.
    generalises = assembly.problem.genotype.generalises
    masked = read_masked(file, ordered, generalised=generalises or None)
    # In the order of the original, judges draw the same halves as during the run.
    return PublishedFile(assembly, individual, *matched(source.table, masked.table, places, source.original.carried))


def _places(assembly: Assembly, individual: Individual, folder: RunFolder) -> Rows:
    """Return by published record the position of its original in the run's data."""
    genotype, source = assembly.problem.genotype, assembly.source
    omitted = genotype.omitted(individual.genome)
    kept = np.arange(len(source.table), dtype=np.intp)
    kept = kept if omitted is None else np.delete(kept, omitted)
    if not assembly.experiment.data.shuffle:
        return kept
    places = published_places(folder.file(layout.CROSSWALK), source, len(kept))
    if not np.array_equal(np.sort(places), kept):
        given, wanted = "one of another file: it has other records", "the crosswalk that the run wrote"
        raise CheckpointError(Fault(printable(str(folder.file(layout.CROSSWALK))), given, wanted))
    return places


_OF_RECIPE = "recipe.*"
# Files that describe the best file, which are written again, and locks.
_OF_BEST = ("best.*", "crosswalk*.csv", "picture-*", _OF_RECIPE, "result.json", "release.json", "risk.json",
            "frequencies.json", "transitions.json", "analyst.json", "scores.csv", "front.csv", layout.REPORT,
            "for-users.html", f"{layout.LOCK}*", ".probe")  # fmt: skip


def choose_member(
    path: Path,  # of a run that has ended
    member: Member | Choice,  # its number in ``front.csv``, or which one it is
    target: Path,  # a new or empty folder
    registry: Registry,
    display: Display | None = None,  # shows the present step
    command: str = "",  # what the user typed, for ``environment.json``, which has run and member under ``chosen``, too
) -> Result:
    """Write a copy of a run folder in which another member of the front is the best file; return its result."""
    # The search is not repeated: population, front, journal and checkpoints are those of the run. The file, its scores,
    # requirements, verdict, second opinion, recipe and other outputs of a best file are the member's.
    require_complete([path])
    assembly, individual, member = front_member(path, member, registry)
    source, folder = RunFolder(path), RunFolder(target)
    before = source.read_object(layout.STATUS)
    if before.get("state") != "done" or not source.file(layout.RESULT).exists():
        advice = f"Wait for it, or end it by `evosdc finish {path}` and `evosdc resume {path}`."
        raise ExperimentError(Fault(str(path), "a run that has not ended", "one that has", advice))
    assembly = with_known_plan(with_found(assembly, source), source)
    state, _ = newest_checkpoint(path, assembly.problem.genotype)
    assert state is not None, "its front has members"
    folder.create()
    with folder:
        # The recipe of an evolved plan is the run's, whatever member is the best file.
        planned = source.file(layout.PLANNING).exists()
        ignored = shutil.ignore_patterns(*(name for name in _OF_BEST if not (planned and name == _OF_RECIPE)))
        shutil.copytree(path, target, ignore=ignored, dirs_exist_ok=True)
        chosen = {"chosen": {"run": path.resolve().name, "member": member}}
        folder.write_json(layout.ENVIRONMENT, folder.read_object(layout.ENVIRONMENT) | begun_by(command) | chosen)
        result = write_outputs(
            folder, assembly, read_portfolio(folder), state, str(before.get("message") or ""), display=display,
            best=individual,
        )  # fmt: skip
        figures = {name: individual.scores[name] for name in ("il", "dr") if name in individual.scores}
        folder.write_json(layout.STATUS, before | {"best": {"fitness": list(individual.objectives)} | figures})
    return result


def member_findings(
    path: Path,  # the run folder
    member: Member | Choice,  # its position in ``front.csv``, or which one it is
    registry: Registry,
    judge: bool = False,  # whether judges that the search did not use check it
    answered: Callable[[int, int], None] | None = None,  # called with the numbers of judges done and of all
) -> dict[str, Any]:
    """Return the facts to know about a member of the front before it is published."""
    assembly, individual, member = front_member(path, member, registry)
    problem, microdata = assembly.problem, assembly.microdata
    masked = problem.decode(individual.genome, individual.key)
    genotype = problem.genotype
    omitted = genotype.omitted(individual.genome)
    whole, shown = assembly.source.table, masked.without(omitted)
    original, published = whole.without(omitted), whole.with_columns(masked).without(omitted)
    document: dict[str, Any] = {
        "member": member,
        "origin": individual.origin,
        **scored(individual).model_dump(),
        "protect": list(microdata.protect),
        "cross_tables": cross_tables(original, published, microdata.protect) if len(shown) else [],
        "analyses": analyses(original, published, microdata.protect) if len(shown) else {},
        "records": None,
    }
    if len(shown) and (linked := found_in(assembly, original, shown, {})) is not None:
        document["records"] = linked.to_json()
    if judge:
        found = judged_files(assembly, {"": masked}, {"": individual.scores}, answered)
        document["second_opinion"] = found[""].to_json()
    return document
