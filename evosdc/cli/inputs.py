"""Input files of commands, which they must not overwrite."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from evosdc.assess.changes import matched
from evosdc.datasets.loading import load_dataset
from evosdc.datasets.storage import locate
from evosdc.errors import DataError, Fault, ParameterError, did_you_mean
from evosdc.files.atomic import check_writable
from evosdc.files.source import Source, parsed, read_masked, read_source
from evosdc.plugins.registry import default_registry
from evosdc.printing import printable
from evosdc.runs.layout import (
    BEST,
    CROSSWALK,
    RELEASE,
    RESOLVED,
    manifest_path,
    no_run,
    object_if_readable,
    run_folder_of,
)
from evosdc.runs.published import read_crosswalk, sha256_of
from evosdc.table.table import Table


def open_source(data: str, schema: Path | None, reading: Mapping[str, str] | None = None) -> Source:
    """Read a data file, or load the registered data set of that name where there is no such file."""
    if not is_dataset(data):
        return read_source(Path(data), schema, **(reading or {}))
    if reading:
        given = f"--{next(iter(reading))}"
        raise DataError(Fault(given, f"the data set {data}", "none: it is read as its description says"))
    if schema is not None:
        raise DataError(Fault("--schema", str(schema), f"none: the data set {data} brings its own schema"))
    return load_dataset(default_registry().spec("dataset", data))  # type: ignore[arg-type]


def data_of(
    data: str,
    schema: Path | None,
    names: Sequence[str] | None,
    neutralise: bool = False,
    shuffle: bool = False,
    population: Path | None = None,
    reading: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the data of an experiment about a file or a registered data set; raises as `is_dataset`."""
    source = {"name": data} if is_dataset(data) else {"file": str(Path(data))}
    files = {"population": population, "schema": schema}
    given: dict[str, Any] = {"neutralise_formulas": neutralise or None, "shuffle": shuffle or None}
    given |= {key: None if path is None else str(path) for key, path in files.items()}
    given |= {"protect": None if names is None else list(names)}
    return source | dict(reading or {}) | {key: value for key, value in given.items() if value is not None}


def is_dataset(data: str) -> bool:
    """Return whether this is no file but the name of a registered data set."""
    names = default_registry().names("dataset")
    if data in names:
        # A folder of that name, which fetching data may well have made, holds no table.
        return not Path(data).is_file()
    if Path(data).exists():
        return False
    meant = did_you_mean(data, names)
    if meant:
        raise DataError(Fault(printable(data), "no such file", "a file that exists, or the name of a data set", meant))
    return False


def files_behind(source: Source, data: str) -> tuple[Path, ...]:
    """Return the input files that no command names: hierarchies, files of a data set, and files beside the data."""
    found = [Path(a.hierarchy.origin) for a in source.table.schema.attributes if a.hierarchy is not None]
    found += [source.original.catalog] if source.original.catalog is not None else []
    if is_dataset(data):
        found += (locate(default_registry().spec("dataset", data)) or {}).values()  # type: ignore[arg-type]
    return tuple(found)


def require_apart(output: Path, *inputs: Path | str | None, pages: bool = False) -> None:
    """Raise when an output cannot be written, or would replace a file that is read or one of a run's folder."""
    # Links are followed, and another name of the same file is the same file.
    check_writable(output)
    if not pages and (run := run_folder_of(output)) is not None:
        of_run = f"a file of the run folder {printable(str(run))}"
        raise DataError(Fault(printable(str(output)), of_run, "another path", "Files of a run are not written over."))
    for given in inputs:
        if given is not None and output.exists() and Path(given).exists() and output.samefile(given):
            raise DataError(
                Fault(str(output), "the path of a file that is read", "another path", "Choose another one.")
            )


# the commands that compare a masked file with its original record by record
Command = Literal["classes", "judge", "measure", "risk"]


def was_shuffled(path: Path) -> bool | None:
    """Return whether the records of a file were put in random order; None where nothing tells."""
    # The manifest beside a file tells, or the run folder that it lies in. That records were shuffled is believed of a
    # file that was changed since, too: nobody restores it by hand. That they keep their order is believed only of
    # the very bytes that were written, since rows may have been sorted later.
    answers = [_recorded_beside(file) for file in dict.fromkeys((path, path.resolve()))]
    return next((answer for answer in answers if answer is not None), None)


def require_order(path: Path) -> None:
    """Raise where nothing vouches for the order of a file: neither a manifest beside it nor the run that it is of."""
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
    """Raise where a masked file was shuffled and no crosswalk of it is given, or one is given that is not of it."""
    # Each record would be compared with another person's, and the file would seem safe.
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
    generalised: bool | None = False,
) -> "tuple[Table, Table]":
    """Return an original and a masked file of it with each record in the same row of both."""
    if crosswalk is None:
        return original.table, read_masked(masked, original, require, generalised).table
    published = len(parsed(masked, like=original.original).columns[0])
    rows = read_crosswalk(crosswalk, published, len(original.table))
    after = read_masked(masked, original.ordered_by(rows), require, generalised)
    return matched(original.table, after.table, rows, original.original.carried)


def single_run(command: Command, first: str, second: Path | None, others: Mapping[str, Any]) -> Path | None:
    """Return the run folder that a command is given in place of two files; None where it is given two files."""
    typed = f"evosdc {command}"
    if second is None:
        if not _holds_run(Path(first)):
            fault = no_run(Path(first))
            wanted = "the folder of a run, or an original and a masked file"
            advice = f"Type `{typed} RUN`, or `{typed} ORIGINAL MASKED`. {fault.advice}"
            raise ParameterError(replace(fault, wanted=wanted, advice=advice))
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


def _recorded_beside(path: Path) -> bool | None:
    """Return the order of records by the manifest beside a path, or by the run folder around it."""
    manifest = object_if_readable(manifest_path(path))
    if manifest.get("shuffled"):
        return True
    if manifest and _sha256(manifest.get("output")) == sha256_of(path):
        return False
    run = object_if_readable(path.with_name(RESOLVED))
    shuffles = bool((run.get("data") or {}).get("shuffle"))
    published = _sha256(object_if_readable(path.with_name(RELEASE)).get("published")) if run else None
    same = published is not None and published == sha256_of(path)
    if shuffles and (same or path.name.startswith(BEST.removesuffix("csv"))):
        return True
    return False if same else None


def _advice(command: Command, masked: Path) -> str:
    """Return the advice for a shuffled file."""
    own = _own_crosswalk(masked)
    if command in ("classes", "risk"):
        option = "--crosswalk FILE" if own is None else shlex.join(["--crosswalk", str(own)])
        return f"Leave out --original, or add `{option}`." if command == "risk" else f"Add `{option}`."
    if own is not None:
        run, option = shlex.join(["evosdc", command, str(own.parent)]), shlex.join(["--crosswalk", str(own)])
        return f"Type `{run}`, or add `{option}`."
    if _holds_run(masked.parent):
        return f"Type `{shlex.join(['evosdc', command, str(masked.parent)])}`."
    exported_from = object_if_readable(manifest_path(masked)).get("run")
    if isinstance(exported_from, str):
        file = f"crosswalk-{printable(masked.stem)}.csv"
        return f"Add `--crosswalk FILE`: {file} in the folder of the run {printable(exported_from)}."
    return "Add `--crosswalk FILE`: what `evosdc mask --shuffle --crosswalk FILE` wrote with it."


def _crosswalk_of(masked: Path, given: Path) -> Path | None:
    """Return the crosswalk of a file where another one is given; None where nothing is wrong with that."""
    # A run folder has several: of the file that it published, and of files that were exported from it. All have as many
    # lines, and a wrong one makes any file seem safe.
    own = _own_crosswalk(masked)
    if own is not None and given.is_file() and own.read_bytes() != given.read_bytes():
        return own
    folder, manifest = given.parent, object_if_readable(manifest_path(masked))
    written = manifest.get("output")
    if not _holds_run(folder) or not isinstance(written, Mapping):
        return None
    exported = folder / f"crosswalk-{Path(str(written.get('name'))).stem}.csv"
    published = _sha256(object_if_readable(folder / RELEASE).get("published"))
    if given.name == exported.name or (given.name == CROSSWALK and published == sha256_of(masked)):
        return None
    return exported


def _own_crosswalk(masked: Path) -> Path | None:
    """Return the crosswalk of the run folder that a published file lies in; None where there is none."""
    places = (file.with_name(CROSSWALK) for file in (masked, masked.resolve()))
    return next((place for place in places if place.is_file() and _holds_run(place.parent)), None)


def _holds_run(folder: Path) -> bool:
    return (folder / RESOLVED).is_file()


def _sha256(record: Any) -> str | None:
    """Return the SHA-256 of what `digest` returns, as a JSON file has it; None of anything else."""
    known = record.get("sha256") if isinstance(record, Mapping) else None
    return known if isinstance(known, str) else None
