"""Earlier releases of a run's original: those that are named, and other runs of the same data in the same folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evosdc.errors import DataError, EvosdcError, Fault
from evosdc.experiment.provenance import require_same_data
from evosdc.files.masked_file import holds_generalised, read_masked
from evosdc.files.reading import parsed
from evosdc.files.source import Source
from evosdc.model import EarlierRelease
from evosdc.printing import printable
from evosdc.runs.layout import (
    CROSSWALK,
    ENVIRONMENT,
    RESOLVED,
    RESULT,
    RunFolder,
    is_replicate,
    object_if_readable,
    read_object,
)
from evosdc.runs.published import published_places, require_published
from evosdc.runs.result import Result

if TYPE_CHECKING:
    from evosdc.experiment.assembly import Assembly


def earlier_release(path: Path, source: Source) -> EarlierRelease:
    """Return an earlier release of the same people, and the person of each of its records."""
    folder = path if path.is_dir() else path.parent
    of_run = (folder / RESOLVED).is_file()
    if path.is_dir():
        if not of_run or not (folder / RESULT).is_file():
            given = "a folder that holds no run that has ended"
            raise DataError(Fault("earlier", f"{printable(str(path))}: {given}", "a run folder, or a file"))
        require_published(folder)
        file = folder / Path(Result.read(folder).best.file).name
    else:
        file = path
    manifest = object_if_readable(file.with_name(f"{file.stem}.manifest.json"))
    if not of_run and manifest.get("shuffled"):
        given = f"{printable(str(path))}: a file whose records were shuffled"
        advice = "Name the run folder that it is of, which has the crosswalk."
        raise DataError(Fault("earlier", given, "a run folder, or a file in the order of the original", advice))
    records = len(parsed(file, like=source.original).columns[0])
    rows = published_places(folder, source, records) if of_run and (folder / CROSSWALK).is_file() else None
    ordered = source if rows is None else source.ordered_by(rows)
    table = read_masked(file, ordered, generalised=holds_generalised(file, ordered)).table
    return EarlierRelease(str(path), table, np.arange(records, dtype=np.intp) if rows is None else rows)


def earlier_releases(paths: Sequence[Path], source: Source) -> tuple[EarlierRelease, ...]:
    """Return the files of the same people that are out already; raises as `earlier_release`."""
    return tuple(earlier_release(path, source) for path in paths)


def other_runs(folder: Path, source: Source) -> tuple[EarlierRelease, ...]:
    """Return the files of other runs of the same data in the same folder that nothing forbids to publish."""
    # Any of them may be out. What cannot be read is passed over, and so are the runs of one study.
    if is_replicate(folder):
        return ()
    folder, found = folder.resolve(), []
    for path in sorted(folder.parent.iterdir()):
        if path == folder or not (path / RESULT).is_file():
            continue
        try:
            require_same_data(read_object(path / ENVIRONMENT), source.table, RunFolder(path).key())
            if Result.read(path).verdict.publishable:
                found.append(earlier_release(path, source))
        except (EvosdcError, OSError, ValueError):
            continue
    return tuple(found)


def history_of(assembly: "Assembly", earlier: Sequence[EarlierRelease]) -> dict[str, Any]:
    """Return the earlier releases in a second opinion: their names, and whether the user named them."""
    return {"earlier": [one.label for one in earlier], "earlier_named": bool(assembly.earlier)}
