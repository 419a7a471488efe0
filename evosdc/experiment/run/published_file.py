"""The file that a run has published beside the records that it was made of, each in the same row of both."""

import shlex
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evosdc.assess.changes import matched
from evosdc.errors import CheckpointError, Fault
from evosdc.experiment.build.assembly import Assembly
from evosdc.experiment.run.export import OWN, front_member
from evosdc.experiment.run.order import published_places
from evosdc.files.masked_file import holds_generalised, read_masked
from evosdc.model import Generalising, Individual
from evosdc.plugins.registry import Registry
from evosdc.printing import printable
from evosdc.runs.completeness import require_complete
from evosdc.runs.layout import CROSSWALK, RESULT, RunFolder
from evosdc.runs.published import require_published
from evosdc.table.table import Rows, Table


@dataclass(frozen=True, eq=False)
class PublishedFile:
    """A published file and its original.

    Parameters
    ----------
    assembly : Assembly
        The run.
    individual : Individual
        The solution that the file was made of.
    original, masked : Table
        Record r of both is the same respondent, in the order of the original; records that were left out of the
        published file are in neither.
    """

    assembly: Assembly
    individual: Individual
    original: Table
    masked: Table


def published_file(path: Path, registry: Registry) -> PublishedFile:
    """Return the published file of a run folder, and its original, record by record.

    Raises
    ------
    InputError
        The folder holds no run, several, or one that is damaged or has published nothing yet; its data, or the
        published file, have changed.
    """
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
    generalises = isinstance(assembly.problem.genotype, Generalising)
    masked = read_masked(file, ordered, generalised=generalises or holds_generalised(file, ordered))
    # In the order of the original, judges draw the halves that they drew when the run asked them.
    return PublishedFile(assembly, individual, *matched(source.table, masked.table, places, source.carried))


def _places(assembly: Assembly, individual: Individual, folder: RunFolder) -> Rows:
    """Return by published record the position of its original in the run's data."""
    genotype, source = assembly.problem.genotype, assembly.source
    omitted = genotype.omitted(individual.genome) if isinstance(genotype, Generalising) else None
    kept = np.arange(len(source.table), dtype=np.intp)
    kept = kept if omitted is None else np.delete(kept, omitted)
    if not assembly.experiment.data.shuffle:
        return kept
    places = published_places(folder.path, source, len(kept))
    if not np.array_equal(np.sort(places), kept):
        given, wanted = "one of another file: it has other records", "the crosswalk that the run wrote"
        raise CheckpointError(Fault(printable(str(folder.file(CROSSWALK))), given, wanted))
    return places
