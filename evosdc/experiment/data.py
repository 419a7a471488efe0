"""The confidential file of an experiment, read and filtered; and the microdata of its protected attributes."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from evosdc.assess.changes import certainly_unmasked, reordered_words
from evosdc.assess.defaults import withheld_fault
from evosdc.assess.risk import population_description
from evosdc.errors import DataError, EvosdcError, ExperimentError, Fault, ParameterError
from evosdc.experiment.experiment import NO_EARLIER, DataSource
from evosdc.experiment.provenance import holds_same_data, read_same_file
from evosdc.files.atomic import make_folder, write_text
from evosdc.files.schema.hierarchies import with_hierarchies
from evosdc.files.schema.schema_file import dump_schema
from evosdc.files.source import Source, parsed, read_masked, read_source
from evosdc.model import EarlierRelease, Microdata
from evosdc.plugins.registry import Registry
from evosdc.printing import csv_text, printable
from evosdc.runs import layout
from evosdc.runs.layout import RunFolder
from evosdc.runs.published import published_places, require_published
from evosdc.runs.result import Result
from evosdc.table.dependence import by_columns, determinations
from evosdc.table.schema import Attribute, Role, Schema
from evosdc.table.structural_zeros import compared_attributes
from evosdc.table.table import MISSING, Table


def load_data(data: DataSource, registry: Registry) -> Source:
    """Return the data that an experiment names, cut down as it says."""
    if data.name is not None:
        from evosdc.datasets.loading import load_dataset

        source = load_dataset(registry.spec("dataset", data.name))  # type: ignore[arg-type]
    else:
        assert data.file is not None
        source = read_source(data.file, data.schema_file, encoding=data.encoding, sheet=data.sheet)
    if data.complete or data.first:
        complete = data.complete if isinstance(data.complete, bool) else list(data.complete)
        source = source.restricted(complete, data.first)
    if data.hierarchies:
        source = replace(source, table=with_hierarchies(source.table, data.hierarchies))
    source = source.recomputing(data.recompute) if data.recompute else source
    return replace(source, neutralise_formulas=True) if data.neutralise_formulas else source


def microdata_of(
    source: Source,
    protect: Sequence[str] | None,
    auxiliary: Sequence[str] = (),  # further attributes that measures or the start read
    zeros_threshold: float | None = None,  # as of `Microdata`
    population: Path | None = None,  # a file of the population
) -> Microdata:
    """Return the microdata of a source; `protect` None means the quasi-identifiers."""
    schema = source.table.schema
    names = schema.with_role(Role.QUASI_IDENTIFIER) if protect is None else schema.named(protect, "protect")
    withheld = [name for name in names if not schema[name].role.published]
    if withheld:
        raise DataError(withheld_fault("protect", withheld, schema))
    schema.require(auxiliary, "measures")
    rules = [rule for rule in schema.edit_rules if not set(rule.names).isdisjoint(names)]
    ruled = [name for rule in rules for name in rule.names]
    if zeros_threshold is not None:
        ruled += compared_attributes(source.table)
    # Nothing else is needed by any genotype or measure, so nothing else travels to workers.
    needed = (Role.SENSITIVE, Role.WEIGHT, Role.HOUSEHOLD, Role.STRATUM)
    further = [name for name in (*schema.with_role(*needed), *auxiliary, *ruled) if name not in names]
    table, people = source.table.select(list(dict.fromkeys([*names, *further]))), None
    if population is not None:
        # Its quasi-identifiers are read, protected ones among them.
        known = schema.with_role(Role.QUASI_IDENTIFIER)
        wanted = (*names, *(name for name in known if name not in names))
        read = read_source(population, population_description(schema, wanted)).table
        read.schema.require(wanted, "data.population")
        if len(read) < len(table):
            given = f"{len(read)} records, of which the {len(table)} of the file cannot be a part"
            raise ParameterError(Fault("data.population", given, f"{len(table)} records or more"))
        people = read.select(wanted)
    return Microdata(table, names, zeros_threshold, people)


_LOG = logging.getLogger(__name__)

_UNMASKED = (Role.QUASI_IDENTIFIER, Role.OTHER, Role.STRATUM)  # roles of columns that are published beside masked ones


def with_dependent(data: DataSource, table: Table) -> DataSource:
    """Return a source without published columns that disclose a masked one, with a remark on each that would."""
    # A column that is a function of a masked one is computed from its masked values, and so no two masked columns
    # contradict each other where the user leaves open what is masked. Another column that tells a masked one is masked,
    # too.
    schema = table.schema
    quasi = schema.with_role(Role.QUASI_IDENTIFIER)
    protect = quasi if data.protect is None else schema.named(data.protect, "protect")
    beside = [a.name for a in schema.attributes if a.role in _UNMASKED and a.name not in protect]
    recompute = dict(data.recompute)
    if data.protect is None:
        # The finest first: what follows from it is no source of others.
        finest = sorted(protect, key=lambda name: -len(np.unique(table.column(name))))
        kept: list[str] = []
        for name in finest:
            found = by_columns(table, [name], kept)
            recompute |= found
            kept += [] if found else [name]
    masked = [name for name in protect if name not in recompute]
    recompute |= by_columns(table, [name for name in beside if name not in recompute], masked)
    determined = determinations(table, masked) if masked else ()
    further = list(dict.fromkeys(d.by for d in determined if d.by in beside and d.by not in recompute))
    for name, by in recompute.items():
        if name not in data.recompute:
            _LOG.warning("%s follows from %s: it is computed from the masked values of that column", name, by)
    for name in further:
        others = ", ".join(dict.fromkeys(d.masked for d in determined if d.by == name))
        _LOG.warning("%s tells %s: it is masked, too", name, others)
    if not recompute and not further:
        return data
    return data.model_copy(update={"recompute": recompute, "protect": (*masked, *further)})


ORIGINAL, SCHEMA = "original.csv", "original.toml"


def with_own_data(document: Mapping[str, Any], table: Table, folder: Path) -> dict[str, Any]:
    """Return an experiment about a table; the table and its schema are written to ``data`` in the run's folder."""
    # Files and folder can be read by their owner alone, as all that a run writes.
    said = document.get("data", {})
    named = [key for key in ("name", "file", "schema") if isinstance(said, Mapping) and said.get(key) is not None]
    if named or not isinstance(said, Mapping):
        given = f"data.{named[0]} besides the data that were passed" if named else "data that are no table"
        raise ExperimentError(Fault("data", given, "one source", "Leave it out of the experiment, or pass no data."))
    RunFolder(folder).require_new()
    target = folder / layout.DATA
    make_folder(folder)
    write_own_data(table, target)
    return {**document, "data": {**said, "file": str(target / ORIGINAL), "schema": str(target / SCHEMA)}}


def write_own_data(table: Table, folder: Path) -> None:
    """Write a table and its schema to a new folder, for its owner alone."""
    make_folder(folder)
    write_text(folder / ORIGINAL, csv_text([list(table.schema.names), *_records(table)]))
    dump_schema(table.schema, folder / SCHEMA)


@contextmanager
def withdrawn_unless_begun(folder: Path) -> Iterator[None]:
    """Remove the copy of the data when the block fails before the run has begun."""
    try:
        yield
    except BaseException:
        if not (folder / layout.RESOLVED).exists():
            for name in (ORIGINAL, SCHEMA):
                (folder / layout.DATA / name).unlink(missing_ok=True)
            with suppress(OSError):  # it holds other files, or it was not made
                (folder / layout.DATA).rmdir()
                folder.rmdir()
        raise


def _records(table: Table) -> list[list[str]]:
    schema, columns = table.schema, {}
    for j, attribute in enumerate(schema.categorical):
        texts = np.array([*attribute.categories, _absent(schema, attribute)], dtype=object)
        codes = table.codes[:, j]
        columns[attribute.name] = texts[np.where(codes == MISSING, len(texts) - 1, codes)].tolist()
    for j, attribute in enumerate(schema.numeric):
        numbers = table.numbers[:, j].tolist()
        absent = _absent(schema, attribute)
        columns[attribute.name] = [absent if x != x else f"{x:.{attribute.decimals}f}" for x in numbers]
    return [list(record) for record in zip(*(columns[name] for name in schema.names), strict=True)]


def _absent(schema: Schema, attribute: Attribute) -> str:
    """Return the text that stands for a missing value of an attribute: an empty one where that does."""
    texts = (*attribute.missing, *schema.missing)
    return "" if "" in texts or not texts else texts[0]


def earlier_release(path: Path, source: Source) -> EarlierRelease:
    """Return an earlier release of the same people, and the person of each of its records."""
    folder, file = path if path.is_dir() else path.parent, path
    of_run = (folder / layout.RESOLVED).is_file()
    if path.is_dir():
        if not of_run or not (folder / layout.RESULT).is_file():
            given = "a folder that holds no run that has ended"
            raise DataError(Fault("earlier", f"{printable(str(path))}: {given}", "a run folder, or a file"))
        require_published(folder)
        file = folder / Path(Result.read(folder).best.file).name
    # Files that were exported from a run have a manifest and a crosswalk of their own.
    manifest = layout.object_if_readable(layout.manifest_path(file))
    crosswalk = folder / (f"crosswalk-{file.stem}.csv" if manifest else layout.CROSSWALK)
    document = manifest if manifest or not of_run else RunFolder(folder).read_object(layout.RESOLVED)["data"]
    shuffled = bool(document.get("shuffle", document.get("shuffled")))
    if shuffled and not (of_run and crosswalk.is_file()):
        advice = f"Restore {crosswalk.name}." if of_run else "Name the run folder that it is of, with the crosswalk."
        raise _in_other_order(path, "a file whose records were shuffled, without its crosswalk", advice)
    records = len(parsed(file, like=source.original).columns[0])
    if of_run and not _of_same_people(folder, source, shuffled or records == len(source.table)):
        given = f"{printable(str(path))}: a run of other data than {printable(source.origin)}"
        wanted, advice = "an earlier release of the same file", "Mask the columns that both files publish unchanged."
        raise DataError(Fault("earlier", given, wanted, advice))
    rows = published_places(crosswalk, source, records) if shuffled else np.arange(records, dtype=np.intp)
    ordered = source.ordered_by(rows) if shuffled else source
    table = read_masked(file, ordered, generalised=None).table
    if reordered_words(ordered.table, table, certainly_unmasked(ordered.table.schema, table, None)) is not None:
        advice = "Name the run folder, or put the records into the order of the original."
        raise _in_other_order(path, "a file with the original's records in another order", advice)
    return EarlierRelease(str(path), table, rows)


def _in_other_order(path: Path, given: str, advice: str) -> DataError:
    wanted = "a run folder with its crosswalk, or a file in the order of the original"
    return DataError(Fault("earlier", f"{printable(str(path))}: {given}", wanted, advice))


def _of_same_people(folder: Path, source: Source, in_place: bool) -> bool:
    """Whether a run is of the same records; `in_place`: whether the place in the file of each one is known."""
    before, key = layout.read_object(folder / layout.ENVIRONMENT), RunFolder(folder).key()
    # The schema may have changed since: a code of missing values was found, or an order of categories.
    whole = len(source.table) == len(source.original.columns[0])
    return holds_same_data(before, source.table, key) or (
        whole and in_place and read_same_file(before, Path(source.origin), key)
    )


def says_none(earlier: Iterable[Any]) -> bool:
    """Whether earlier releases as they were typed say that there is none, whatever runs lie in the same folder."""
    return any(isinstance(one, str | Path) and Path(one) == NO_EARLIER for one in earlier)


def releases_of(
    named: Sequence[EarlierRelease], none: bool, folder: Path, source: Source
) -> tuple[tuple[EarlierRelease, ...], bool]:
    """Return the releases that the file of a run is judged together with, and whether the user said which."""
    return (tuple(named), True) if named or none else (_other_runs(folder, source), False)


def _other_runs(folder: Path, source: Source) -> tuple[EarlierRelease, ...]:
    """Return the files of other runs of the same data in the same folder that nothing forbids to publish."""
    # Any of them may be out. What cannot be read is passed over, and so are the runs of one study.
    if layout.is_replicate(folder):
        return ()
    found = []
    for path in sorted(folder.parent.iterdir()):
        if path.resolve() == folder.resolve() or not (path / layout.RESULT).is_file():
            continue
        try:
            if Result.read(path).verdict.publishable:
                found.append(earlier_release(path, source))
        except (EvosdcError, OSError, ValueError):
            continue
    return tuple(found)
