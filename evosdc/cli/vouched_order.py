"""Whether the records of a masked file stand in the order of its original, and how they are compared where not."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from evosdc.errors import DataError, Fault, ParameterError
from evosdc.printing import printable
from evosdc.runs.layout import BEST, CROSSWALK, RELEASE, RESOLVED, read_object
from evosdc.runs.published import sha256_of

if TYPE_CHECKING:
    from evosdc.files.source import Source
    from evosdc.table.table import Table

Command = Literal["judge", "measure", "risk"]
"""The commands that compare a masked file with its original record by record."""


def was_shuffled(path: Path) -> bool | None:
    """Return whether the records of a file were put in random order; None where nothing tells.

    The manifest beside a file tells, or the run folder that it lies in. That records were shuffled is believed of a
    file that was changed since, too: nobody puts them back by hand. That they keep their order is believed only of the
    very bytes that were written, since rows may have been sorted later.

    Parameters
    ----------
    path : Path
        A file that can be read. Of a link, what lies beside the file that it leads to counts as well.
    """
    answers = [_told_beside(file) for file in dict.fromkeys((path, path.resolve()))]
    return next((answer for answer in answers if answer is not None), None)


def require_order(path: Path) -> None:
    """Raise where nothing vouches for the order of a file: neither a manifest beside it nor the run that it is of.

    Raises
    ------
    DataError
    """
    advice = (
        "Give the file as evosdc mask or protect wrote it, or keep the column neighbours; --in-order takes the rows as "
        "they stand."
    )
    wanted = "rows in the order of the graph's nodes"
    shuffled = was_shuffled(path)
    if shuffled is None:
        given = "rows of which nothing says that they are in order"
        raise DataError(Fault(printable(str(path)), given, wanted, advice))
    if shuffled:
        advice = "Mask without --shuffle, protect with --keep-order."
        raise DataError(Fault(printable(str(path)), "rows that were shuffled", wanted, advice))


def require_comparable(command: Command, masked: Path, crosswalk: Path | None) -> None:
    """Raise where a masked file was shuffled and no crosswalk of it is given, or one is given that is not of it.

    Each record would be compared with another person's, and the file would seem safe.

    Parameters
    ----------
    command : str
        That is to compare the file, for the advice.
    masked : Path
    crosswalk : Path, optional

    Raises
    ------
    DataError
    """
    if not masked.is_file():
        return  # said when it is read
    where, shuffled = printable(str(masked)), was_shuffled(masked)
    if crosswalk is None:
        if shuffled:
            wanted = "records in the order of the original, or the crosswalk, which says which record is which"
            raise DataError(Fault(where, "a file whose records were shuffled", wanted, _advice(command, masked)))
        return
    if shuffled is False:
        given = f"the crosswalk {printable(crosswalk.name)}, and a file whose records keep the order of the original"
        raise DataError(Fault(where, given, "one of both", "Leave out --crosswalk."))
    if (own := _crosswalk_of(masked, crosswalk)) is not None:
        given = f"the crosswalk {printable(str(crosswalk))}, which is one of another file"
        typed = f"Type `{shlex.join(['--crosswalk', str(own)])}`."
        raise DataError(Fault(where, given, "its own", typed if own.is_file() else _advice(command, masked)))


def matched_tables(
    original: "Source",
    masked: Path,
    crosswalk: Path | None,
    require: Sequence[str] = (),
    generalised: bool = False,
) -> "tuple[Table, Table]":
    """Return an original and a masked file of it with each record in the same row of both.

    Parameters
    ----------
    original : Source
    masked : Path
    crosswalk : Path, optional
        Of a file whose records were shuffled. Originals that it has not are left out: they were not published.
    require, generalised
        As of `evosdc.files.masked_file.read_masked`.

    Raises
    ------
    InputError
        The masked file or the crosswalk cannot be read, or they are not of this original.
    """
    from evosdc.assess.changes import matched
    from evosdc.files.masked_file import read_masked
    from evosdc.files.reading import parsed
    from evosdc.runs.published import read_crosswalk

    if crosswalk is None:
        return original.table, read_masked(masked, original, require, generalised).table
    published = len(parsed(masked, like=original.original).columns[0])
    rows = read_crosswalk(crosswalk, published, len(original.table))
    after = read_masked(masked, original.ordered_by(rows), require, generalised)
    return matched(original.table, after.table, rows, original.carried)


def single_run(command: Command, first: str, second: Path | None, others: Mapping[str, Any]) -> Path | None:
    """Return the run folder that a command is given in place of two files; None where it is given two files.

    Parameters
    ----------
    command : str
    first : str
        The first argument.
    second : Path, optional
        The second one.
    others : mapping of str to object
        By name the values of options that go with two files only; None, False and empty ones were not given.

    Raises
    ------
    ParameterError
        One argument that is no run folder, a run folder beside a file, or options that do not go with a run.
    """
    typed = f"evosdc {command}"
    if second is None:
        if not _holds_run(Path(first)):
            given = "one argument, which is no run folder"
            wanted = "the folder of a run, or an original and a masked file"
            advice = f"Type `{typed} RUN`, or `{typed} ORIGINAL MASKED`."
            raise ParameterError(Fault(printable(first), given, wanted, advice))
        if unfit := [name for name, value in others.items() if value]:
            given = f"with the run folder {printable(first)}"
            advice = "The run knows its data, what was masked, and which record is which."
            raise ParameterError(Fault(", ".join(unfit), given, "nothing but the run folder", advice))
        return Path(first)
    for folder in (Path(first), second):
        if _holds_run(folder):
            given, advice = "a run folder and another file", f"Type `{shlex.join(['evosdc', command, str(folder)])}`."
            raise ParameterError(Fault(printable(str(folder)), given, "the run folder alone, or two files", advice))
    return None


def _told_beside(path: Path) -> bool | None:
    """Return what the manifest beside a path, or the run folder around it, says of the order of records."""
    manifest = _object(_manifest(path))
    if manifest.get("shuffled"):
        return True
    if manifest and _sha256(manifest.get("output")) == sha256_of(path):
        return False
    run = _object(path.with_name(RESOLVED))
    shuffles = bool((run.get("data") or {}).get("shuffle"))
    published = _sha256(_object(path.with_name(RELEASE)).get("published")) if run else None
    same = published is not None and published == sha256_of(path)
    if shuffles and (same or path.name.startswith(BEST.removesuffix("csv"))):
        return True
    return False if same else None


def _advice(command: Command, masked: Path) -> str:
    """Return what to type for a shuffled file."""
    own = _own_crosswalk(masked)
    if command == "risk":
        option = "--crosswalk FILE" if own is None else shlex.join(["--crosswalk", str(own)])
        return f"Leave out --original, or add `{option}`."
    if own is not None:
        run, option = shlex.join(["evosdc", command, str(own.parent)]), shlex.join(["--crosswalk", str(own)])
        return f"Type `{run}`, or add `{option}`."
    if _holds_run(masked.parent):
        return f"Type `{shlex.join(['evosdc', command, str(masked.parent)])}`."
    exported_from = _object(_manifest(masked)).get("run")
    if isinstance(exported_from, str):
        file = f"crosswalk-{printable(masked.stem)}.csv"
        return f"Add `--crosswalk FILE`: {file} in the folder of the run {printable(exported_from)}."
    return "Add `--crosswalk FILE`: what `evosdc mask --shuffle --crosswalk FILE` wrote with it."


def _crosswalk_of(masked: Path, given: Path) -> Path | None:
    """Return the crosswalk of a file where another one is given; None where nothing is wrong with that.

    A run folder has several: of the file that it published, and of files that were exported from it. All have as many
    lines, and a wrong one makes any file seem safe.
    """
    own = _own_crosswalk(masked)
    if own is not None and given.is_file() and own.read_bytes() != given.read_bytes():
        return own
    folder, manifest = given.parent, _object(_manifest(masked))
    written = manifest.get("output")
    if not _holds_run(folder) or not isinstance(written, Mapping):
        return None
    exported = folder / f"crosswalk-{Path(str(written.get('name'))).stem}.csv"
    published = _sha256(_object(folder / RELEASE).get("published"))
    if given.name == exported.name or (given.name == CROSSWALK and published == sha256_of(masked)):
        return None
    return exported


def _own_crosswalk(masked: Path) -> Path | None:
    """Return the crosswalk of the run folder that a published file lies in; None where there is none."""
    places = (file.with_name(CROSSWALK) for file in (masked, masked.resolve()))
    return next((place for place in places if place.is_file() and _holds_run(place.parent)), None)


def _manifest(path: Path) -> Path:
    return path.with_name(f"{path.stem}.manifest.json")


def _holds_run(folder: Path) -> bool:
    return (folder / RESOLVED).is_file()


def _sha256(told: Any) -> str | None:
    """Return the SHA-256 of what `digest` returns, as a JSON file has it; None of anything else."""
    known = told.get("sha256") if isinstance(told, Mapping) else None
    return known if isinstance(known, str) else None


def _object(path: Path) -> dict[str, Any]:
    try:
        return dict(read_object(path))
    except (OSError, ValueError):
        return {}
