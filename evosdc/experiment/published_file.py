"""Files of a run: exporting that of a member of its front, and reading the one that it published."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import numpy as np

from evosdc.assess.changes import matched
from evosdc.engine.checkpoint import found_so_far
from evosdc.engine.choice import Choice, choice_of, chosen
from evosdc.engine.loop import SearchState
from evosdc.errors import CheckpointError, DataError, ExperimentError, Fault
from evosdc.experiment.assembly import Assembly, require_choice
from evosdc.experiment.environment import opened
from evosdc.experiment.provenance import require_same_data
from evosdc.files.masked_file import holds_generalised, read_masked
from evosdc.model import Individual
from evosdc.plugins.registry import Registry
from evosdc.printing import printable
from evosdc.runs.layout import CROSSWALK, ENVIRONMENT, RESULT, RunFolder, require_run, run_folders
from evosdc.runs.published import published_places, require_published
from evosdc.runs.status import require_complete
from evosdc.table.table import Rows, Table

OWN: Final = "best"  # the file that a run itself publishes, which need not be a member of its front

Member = int | Literal["best"]


def front_member(path: Path, member: Member | Choice, registry: Registry) -> tuple[Assembly, Individual, Member]:
    """Return a run's assembly, one individual of its front, and its position in ``front.csv``."""
    # `member` is that position, or says which one it is (`evosdc.engine.choice`); ``best`` is the run's own best file,
    # whose position is returned where the front has it.
    require_run(path)
    _require_single(path)
    folder = RunFolder(path)
    assembly = opened(folder, registry)
    require_same_data(folder.read_object(ENVIRONMENT), assembly.source.table, folder.key())
    state = found_so_far(path, assembly.problem.genotype)
    if state is None:
        advice = "Wait for its search to begin, or go on with it by evosdc resume."
        raise CheckpointError(Fault(str(path), "a run without a checkpoint yet", "a run with a front", advice))
    if member == OWN:
        own = own_best(assembly, state, _made_best(folder))
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


def _require_single(path: Path) -> None:
    """Raise where a folder is that of a study: each of its runs has a front of its own."""
    runs = run_folders(path)
    if runs and runs[0] != path:
        given, advice = f"a study of {len(runs)} runs", f"Name one of them, such as {runs[0]}."
        raise ExperimentError(Fault(str(path), given, "the folder of a single run", advice))


def own_best(assembly: Assembly, state: SearchState, made: Member | None = None) -> Individual:
    """Return what a run publishes: the member that was made its best file, the one chosen, or the solution."""
    if isinstance(made, int):
        return state.front[made]
    choice = assembly.experiment.choose
    if choice is not None and made is None:
        return state.front[chosen([one.point for one in state.front], choice)]
    return assembly.algorithm.solution(state.population, state.best)


def _made_best(folder: RunFolder) -> Member | None:
    made = (folder.read_object(ENVIRONMENT).get("chosen") or {}).get("member")
    return made if isinstance(made, int) or made == OWN else None


def in_words(member: Member) -> str:
    """Return what a member is called."""
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
    if not folder.file(RESULT).exists():
        given, advice = "a run that has published no file yet", f"Go on with it: `{resume}`."
        raise CheckpointError(Fault(where, given, "a run that has ended", advice))
    require_published(path)
    if assembly.experiment.data.shuffle and not folder.file(CROSSWALK).exists():
        given = f"a run whose records were shuffled, without its {CROSSWALK}"
        advice = f"Restore that file, or remove {RESULT}: `{resume}` then writes both anew."
        raise CheckpointError(Fault(where, given, "a run folder that is whole", advice))
    # Only the name counts: what a result says may not point outside its folder.
    file = folder.file(Path(folder.read_object(RESULT, "best")["best"]["file"]).name)
    source, places = assembly.source, _places(assembly, individual, folder)
    ordered = source.ordered_by(places)
    # A genotype that generalises may have made hierarchies of its own, by which no schema knows its labels.
    generalises = assembly.problem.genotype.generalises
    masked = read_masked(file, ordered, generalised=generalises or holds_generalised(file, ordered))
    # In the order of the original, judges draw the halves that they drew when the run asked them.
    return PublishedFile(assembly, individual, *matched(source.table, masked.table, places, source.carried))


def _places(assembly: Assembly, individual: Individual, folder: RunFolder) -> Rows:
    """Return by published record the position of its original in the run's data."""
    genotype, source = assembly.problem.genotype, assembly.source
    omitted = genotype.omitted(individual.genome)
    kept = np.arange(len(source.table), dtype=np.intp)
    kept = kept if omitted is None else np.delete(kept, omitted)
    if not assembly.experiment.data.shuffle:
        return kept
    places = published_places(folder.path, source, len(kept))
    if not np.array_equal(np.sort(places), kept):
        given, wanted = "one of another file: it has other records", "the crosswalk that the run wrote"
        raise CheckpointError(Fault(printable(str(folder.file(CROSSWALK))), given, wanted))
    return places
