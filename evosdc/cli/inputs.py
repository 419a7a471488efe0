"""What commands read, and what they must not write over."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evosdc.errors import DataError, Fault, did_you_mean
from evosdc.files.atomic import check_writable
from evosdc.files.packed import unpacked
from evosdc.files.reading import read_published, read_source
from evosdc.files.source import Source
from evosdc.printing import printable
from evosdc.runs.layout import run_folder_of

if TYPE_CHECKING:
    from evosdc.experiment.assembly import Assembly


def open_source(data: str, schema: Path | None, reading: Mapping[str, str] | None = None) -> Source:
    """Read a data file, or load the registered data set of that name where there is no such file.

    Raises
    ------
    InputError
        It cannot be read, or a schema is given for a data set, which brings its own.
    """
    from evosdc.datasets.loading import load_dataset
    from evosdc.plugins.registry import default_registry

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
    """Return the data of an experiment about a file or a registered data set; raises as `is_dataset`.

    Parameters
    ----------
    names : sequence of str, optional
        Attributes to protect.
    neutralise : bool
        Whether cells that a spreadsheet would take for formulas are published with a quote before them.
    shuffle : bool
        Whether the records are published in random order.
    population : Path, optional
        A file of the population, for privacy models that compare with it.
    """
    source: dict[str, Any] = {"name": data} if is_dataset(data) else {"file": str(Path(data))}
    source |= reading or {}
    if neutralise:
        source["neutralise_formulas"] = True
    if shuffle:
        source["shuffle"] = True
    if population is not None:
        source["population"] = str(population)
    if schema is not None:
        source["schema"] = str(schema)
    return source if names is None else source | {"protect": list(names)}


def is_dataset(data: str) -> bool:
    """Return whether this is no file but the name of a registered data set.

    Raises
    ------
    DataError
        It is neither, and much like the name of a data set.
    """
    from evosdc.plugins.registry import default_registry

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


def open_published(
    data: str, schema: Path | None, generalised: bool = False, reading: Mapping[str, str] | None = None
) -> Source:
    """Read a file that is judged by itself, as `open_source`; identifiers of the schema may be left out of it.

    Values may be `generalised`: labels that the schema does not have.

    Raises
    ------
    InputError
        It cannot be read, or a schema is given for a data set, which brings its own.
    """
    if schema is None or is_dataset(data):
        return open_source(data, schema, reading)
    return read_published(Path(data), schema, generalised, **(reading or {}))


def files_behind(source: Source, data: str) -> tuple[Path, ...]:
    """Return the files that were read besides those that the command names: hierarchies, files of a data set, and what
    lies beside the data.
    """
    from evosdc.datasets.storage import locate
    from evosdc.plugins.registry import default_registry

    found = [Path(a.hierarchy.origin) for a in source.table.schema.attributes if a.hierarchy is not None]
    catalog = getattr(unpacked(source.original), "catalog", None)
    found += [catalog] if catalog is not None else []
    if is_dataset(data):
        found += (locate(default_registry().spec("dataset", data)) or {}).values()  # type: ignore[arg-type]
    return tuple(found)


def files_read(assembly: "Assembly") -> tuple[Path, ...]:
    """Return the files that a run reads: data, schema, hierarchies, and files that it starts from."""
    experiment = assembly.experiment
    data, start = experiment.data, experiment.start
    named = [
        data.file,
        data.schema_file,
        data.population,
        *data.earlier,
        *(rule for rule in data.hierarchies.values() if isinstance(rule, Path)),
    ]
    named += start.files if start is not None else ()
    return (*filter(None, named), *files_behind(assembly.source, data.name or str(data.file)))


def require_apart(output: Path, *inputs: Path | str | None, pages: bool = False) -> None:
    """Raise when an output cannot be written, or would replace a file that is read or one of a run's folder.

    Links are followed, and another name of the same file is the same file.

    Parameters
    ----------
    output : Path
    inputs : Path or str, optional
        Files that are read.
    pages : bool
        Whether the output is a page about a run, which may replace one in its folder.

    Raises
    ------
    DataError
        Which of the three, and what to do.
    """
    check_writable(output)
    if not pages and (run := run_folder_of(output)) is not None:
        of_run = f"a file of the run folder {printable(str(run))}"
        raise DataError(Fault(printable(str(output)), of_run, "another path", "Files of a run are not written over."))
    for given in inputs:
        if given is not None and output.exists() and Path(given).exists() and output.samefile(given):
            raise DataError(
                Fault(str(output), "the path of a file that is read", "another path", "Choose another one.")
            )
