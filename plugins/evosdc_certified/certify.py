"""``evosdc.certify``: a file with a proof, evolved on noisy tables of the original."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from evosdc.errors import Fault, ParameterError, SchemaError, did_you_mean
from evosdc.experiment.reader import read_experiment
from evosdc.files.atomic import write_text
from evosdc.files.schema.description import AttributeDescription, SchemaDescription, describe
from evosdc.files.schema.schema_file import load_schema
from evosdc.options.model import read, takes
from evosdc.printing import printable
from evosdc.runs.layout import BEST, EXPERIMENT, FOR_USERS, REFUSED, REPORT, RESULT, RunFolder
from evosdc.secret import Seed, chosen_seed, public
from evosdc.table.schema import Attribute, Role, Schema
from evosdc.table.table import Table
from evosdc_certified import certificate, measurement
from evosdc_certified.domain import Cells, domain_of, published
from evosdc_certified.evolution import SCHEMA_FILE, evolved, guesses, lay_out
from evosdc_certified.judging import SHARE, attacked, second_opinion
from evosdc_certified.options import CertifyOptions, bounds_of
from evosdc_certified.tables import FILE, PrivateTables

if TYPE_CHECKING:
    from evosdc.files.source import Source

# What judges find: by the schema of the file, moves, seconds, and what to draw from.
Judge = Callable[[Path, int | None, float | None, Seed], Mapping[str, Any]]
ORDERS = {"pairs": 2, "triples": 3}  # workloads by name: tables of up to this many attributes


@dataclass(frozen=True, eq=False)
class Certified:
    """A certified file.

    Parameters
    ----------
    frame : pandas.DataFrame
        The records; categories as texts, numbers as numbers.
    tables : PrivateTables
        All that was measured of the original.
    result : dict
        What ``result.json`` holds.
    cells : ndarray of int32, shape (n, V)
        The records as the tables count them.
    """

    frame: pd.DataFrame
    tables: PrivateTables
    result: dict[str, Any]
    cells: Cells
    content: str  # of the file

    @property
    def verdict(self) -> dict[str, Any]:
        """The verdict of the proof."""
        found: dict[str, Any] = self.result["verdict"]
        return found

    @property
    def second_opinion(self) -> dict[str, Any]:
        """What independent attacks found, and whether they agree with the proof; for the custodian."""
        found: dict[str, Any] = self.result["second_opinion"]
        return found

    @property
    def front(self) -> pd.DataFrame:
        """The files of all values of epsilon beside each other: a row each, by epsilon."""
        return pd.DataFrame(self.result["front"])

    def _repr_html_(self) -> str:
        """Return the page of the proof for notebooks."""
        from evosdc_certified.page import page

        return page(self.result)


@takes(CertifyOptions, {"attributes": "protect"})
def certify(
    data: Any,
    epsilon: float | None = None,
    *,
    also: Sequence[float] | None = None,
    delta: float | None = None,
    schema: Any = None,
    protect: Sequence[str] | None = None,
    bounds: Mapping[str, tuple[float, float]] | Sequence[str] = (),
    unit: str = "person",
    largest: int | None = None,
    workload: str | Path | Sequence[Sequence[str]] = "pairs",
    time: float | str | None = None,
    moves: int | None = None,
    records: int | None = None,
    key: str | Path | None = None,
    second_opinion: bool = True,
    original: str | Path | None = None,
    seed: int | None = None,
    output: str | Path | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> Certified:
    """Return a file with a proof: differentially private, evolved on noisy tables of the original.

    Tables are measured once, with noise; all else is computed from them and adds nothing to what the file tells.

    Parameters
    ----------
    data : str, Path, frame or Table
        A data file, data in memory, or the run folder of an earlier certified file: its tables are used again, at no
        further price, for another number of records or more time.
    schema : str, Path, Schema or SchemaDescription
        Its categories and rules are public. Whatever it does not list would be read from the records: it is refused.
    say : callable
        Takes sentences on the progress.
    {options}

    Raises
    ------
    InputError
        What cannot be used, or is not declared; all at once where that can be.

    References
    ----------
    McKenna, Mullins, Sheldon, Miklau, "AIM: an adaptive and iterative mechanism for differentially private synthetic
    data", VLDB 2022; Liu, Vietri, Wu, "Generating private synthetic data with genetic algorithms", ICML 2023.
    """
    given = {name: value for name, value in locals().items() if name != "data"}  # which need not be a path here
    return certified(data, schema, read(CertifyOptions, given), say)


def certified(data: Any, schema: Any, options: CertifyOptions, say: Callable[[str], None]) -> Certified:
    """Return a file with a proof, as `certify` does; faults name options of the command line."""
    with ExitStack() as stack:
        path = Path(options.output or stack.enter_context(TemporaryDirectory(prefix="evosdc-")))
        if isinstance(data, (str, Path)) and Path(data).is_dir():
            own = RunFolder(path)
            files = {own: _made_again(RunFolder(Path(data)), own, schema, options, say)}
        else:
            files = _made_first(data, RunFolder(path), schema, options, say)
        _compare([*files.values()])
        for own, one in files.items():
            _write(own, one)
    return next(iter(files.values()))


def _made_again(
    earlier: RunFolder, folder: RunFolder, schema: Any, options: CertifyOptions, say: Callable[[str], None]
) -> Certified:
    """Return a file of the tables of an earlier run; one that was interrupted goes on in its own folder."""
    advice = "Leave it out: the tables of that run are used again, and cost nothing more."
    given = {"epsilon": () if options.epsilon is None else (options.epsilon,), "also": options.also or ()}
    texts = {name: ", ".join(f"{value:g}" for value in values) for name, values in given.items() if values}
    faults = [Fault(name, f"{text} with an earlier run", f"no {name}", advice) for name, text in texts.items()]
    going_on = interrupted(earlier.path) and earlier.path.resolve() == folder.path.resolve()
    begun = going_on and folder.file(EXPERIMENT).exists()
    for name in ("key", *("seed", "records", "moves", "time") * begun) if going_on else ():
        if getattr(options, name) is not None:
            advice = "Leave it out, or name another folder by --output to begin again with the same tables."
            faults.append(Fault(name, "a value, with a run that goes on", "none: it ends as it began", advice))
    if faults:
        raise ParameterError(faults)
    tables = PrivateTables.read(earlier.file(FILE))
    # What judges found of the same tables holds of every file that is made of them.
    known = earlier.read_object(RESULT).get("second_opinion") if earlier.file(RESULT).exists() else None
    opinion: Judge | Mapping[str, Any] = known or second_opinion(
        {"not_checked": "the original is not read again"}, tables
    )
    if options.original is not None and options.second_opinion:
        original = _original(schema, tables, options)
        opinion = partial(attacked, original, _workload(options.workload, tables.domain.names), tables)
    if going_on:
        drawn = folder.seed(read_experiment(folder.file(EXPERIMENT)).seed if begun else options.seed)
    else:
        drawn = lay_out(folder, tables, earlier.file(SCHEMA_FILE), chosen_seed(options.seed, options.key))
    return _made(folder, tables, drawn, options, monotonic(), [], say, opinion)


def interrupted(path: Path) -> bool:
    """Return whether a folder holds noisy tables of which no file was made yet."""
    return (path / FILE).exists() and not (path / RESULT).exists()


def _made_first(
    data: Any, folder: RunFolder, schema: Any, options: CertifyOptions, say: Callable[[str], None]
) -> dict[RunFolder, Certified]:
    """Return by folder a file for each value of epsilon; later ones are in folders within the first."""
    if options.original is not None:
        raise ParameterError(
            Fault("original", "one beside data that are no run", "no original", "DATA is the original itself.")
        )
    if options.epsilon is None:
        raise ParameterError(Fault("epsilon", "nothing", "how much the file may tell of one person", "1 is strong."))
    folder.require_new()
    table, description = _read(data, schema, options.reading)
    files = dict[RunFolder, Certified]()
    for epsilon in dict.fromkeys((options.epsilon, *(options.also or ()))):
        begin, notes = monotonic(), list[str]()
        tables, workload = _measured(table, description, epsilon, options, begin, say, notes)
        public = public_schema(table.schema, description).select(tables.domain.names)
        own = RunFolder(folder.file(f"epsilon-{epsilon:g}")) if files else folder
        # The tables are written before all that may be interrupted: they have their price.
        drawn = lay_out(own, tables, public, chosen_seed(options.seed, options.key))
        opinion: Judge | Mapping[str, Any] = second_opinion({"not_checked": "it was not wanted"}, tables)
        if options.second_opinion:
            opinion = partial(attacked, table, workload, tables)
        files[own] = _made(own, tables, drawn, options, begin, notes, say, opinion)
    return files


def _made(
    folder: RunFolder,
    tables: PrivateTables,
    drawn: Seed,
    options: CertifyOptions,
    begin: float,
    notes: list[str],
    say: Callable[[str], None],
    opinion: Judge | Mapping[str, Any],
) -> Certified:
    """Return a file evolved on noisy tables with what judges find or is known."""

    def left(share: float) -> float | None:
        return None if options.time is None else max(1.0, share * options.time - (monotonic() - begin))

    share, count = 1.0 - SHARE * callable(opinion), options.records or tables.records
    with folder:
        search, moves = evolved(folder, tables, count, options.moves, left(share), drawn, say)
    values = {name: search.best.table.column(name) for name in tables.domain.names}
    frame = pd.DataFrame({column.name: column.series(values[column.name]) for column in tables.domain.columns})
    content, cells = tables.domain.text(values), tables.domain.cells(search.best.table)
    if callable(opinion):
        say("Judges attack a file made of half of the people.")
        opinion = opinion(folder.file(SCHEMA_FILE), options.moves, left(1.0), drawn)
    score = search.best.scores["private-tables"]
    budget, verdict = tables.budget, certificate.verdict(tables, opinion)
    file = BEST if verdict["publishable"] else BEST.replace(".", f"{REFUSED}.")
    result = {
        "version": 1,
        "title": "a certified file",
        "fitness": [score],
        "evaluations": search.evaluations,
        "generations": search.generation,
        "moves": moves,
        "seconds": monotonic() - begin,
        "seed": public(drawn),
        "digest": sha256(content.encode()).hexdigest(),
        "records": len(cells),
        "best": {"scores": {"private-tables": score}, "fitness": [score], "genome": None, "file": file},
        "misfit": {
            "file": tables.misfit(tables.counts(tables.positions(cells)), len(cells)),
            "expected_of_the_original": tables.expected,
        },
        "verdict": verdict,
        "second_opinion": opinion,
        "privacy": {
            "epsilon": budget.epsilon,
            "delta": budget.delta,
            "rho": budget.rho,
            "rho_spent": tables.spent,
            "unit": budget.unit,
            "largest": budget.largest,
            "neighbours": "one unit added or removed",
            "account": certificate.account(tables),
            "public": certificate.public_sentences(tables),
        },
        "notes": notes,
    }
    return Certified(frame, tables, result, cells, content)


def _compare(files: Sequence[Certified]) -> None:
    """Say in each result what all files promise, and how far each is from the most precise tables."""
    best = max((one.tables for one in files), key=lambda tables: tables.budget.rho)
    together = measurement.epsilon_together([one.tables.budget for one in files])
    rows = []
    for one in sorted(files, key=lambda one: one.tables.budget.epsilon):
        misfit = best.misfit(best.counts(best.positions(one.cells)), len(one.cells))
        rows.append(
            {
                "epsilon": one.tables.budget.epsilon,
                "surest_guess": certificate.surest_guess(one.tables.budget),
                "verdict": one.verdict["headline"],
                "private-tables": best.score(misfit),
            }
        )
    for one in files:
        one.result["front"] = rows
        if len(files) > 1:
            one.verdict["conditions"].append(
                f"{len(files)} files were made of these people. The tables of all of them together, and a choice by "
                f"looking at them, have epsilon {together:.3g}."
            )


def declared(description: SchemaDescription, attribute: Attribute) -> bool:
    """Return whether a schema lists the categories of an attribute; what it leaves out is read from the records."""
    said = description.attributes.get(attribute.name, AttributeDescription())
    return said.categories is not None and set(attribute.categories) <= set(said.categories)


def public_schema(schema: Schema, description: SchemaDescription) -> Schema:
    """Return a schema with the decimals that were given, else none: how many the records have is not public."""
    attributes = []
    for attribute in schema.attributes:
        said = description.attributes.get(attribute.name, AttributeDescription())
        decimals = attribute.decimals if attribute.categorical else said.decimals or 0
        attributes.append(replace(attribute, decimals=decimals, hierarchy=None))
    return replace(schema, attributes=tuple(attributes))


def _read(data: Any, schema: Any, reading: Mapping[str, str]) -> tuple[Table, SchemaDescription]:
    """Return the original, and the facts that the schema declares public."""
    description = SchemaDescription({})
    if isinstance(schema, Schema):
        description = describe(schema)
    elif isinstance(schema, SchemaDescription):
        description = schema
    elif schema is not None:
        description = load_schema(Path(schema))
    if isinstance(data, Table):
        return data, description
    if isinstance(data, (str, Path)):
        from evosdc.files.source import read_source

        source: Source = read_source(Path(data), description if schema is not None else None, **reading)
        return source.table, description
    from evosdc.files.frame import as_pandas, table_from_frame

    return table_from_frame(as_pandas(data), description), description


def _original(schema: Any, tables: PrivateTables, options: CertifyOptions) -> Table:
    """Return the original of an earlier run, for judges; raise `InputError` where it is of another form."""
    table, _ = _read(options.original, schema, options.reading)
    table.schema.require(tables.domain.names, "original")
    other = [c.name for c in tables.domain.columns if c.labels != table.schema[c.name].categories]
    if other:
        given = f"other categories of {printable(', '.join(other))}"
        raise SchemaError(Fault("original", given, "those of the run", "Name the schema of that run by --schema."))
    return table


def _measured(
    table: Table,
    description: SchemaDescription,
    epsilon: float,
    options: CertifyOptions,
    begin: float,
    say: Callable[[str], None],
    notes: list[str],
) -> tuple[PrivateTables, measurement.Workload]:
    """Return the noisy tables of an original, and which were wanted."""
    schema = public_schema(table.schema, description)
    chosen, bounds = published(schema, options.protect), bounds_of(options.bounds)
    faults = []
    for attribute in chosen:
        name = printable(attribute.name)
        if attribute.categorical and not declared(description, attribute):
            advice = f"List in the schema what may occur, not what was found: [attributes.{name}] categories = [...]."
            faults.append(Fault(name, "categories that are known from the records alone", "public ones", advice))
        if not attribute.categorical and attribute.name not in bounds:
            advice = f"Give bounds that everybody may know: --bounds {name}=LEAST:GREATEST."
            faults.append(Fault(name, "a number without bounds", "public bounds", advice))
    if faults:
        raise SchemaError(faults)
    domain = domain_of(schema, chosen, bounds)
    left_out = [rule for rule in schema.edit_rules if not set(rule.names) <= set(domain.names)]
    if left_out:
        notes.append(f"{len(left_out)} edit rules name attributes that are not published, and are left out.")
    wanted = _workload(options.workload, domain.names)
    budget = measurement.budget_of(epsilon, options.delta, len(table), options.unit, options.largest)
    households = table.schema.with_role(Role.HOUSEHOLD)
    # What guesses tables draws of itself: no key repeats what was measured.
    answers = guesses(np.random.default_rng(), deadline=np.inf if options.time is None else begin + options.time / 2.0)
    tables = measurement.measure(table, domain, budget, wanted, answers, say, households[0] if households else None)
    if tables.left_out:
        named = ", ".join(tables.left_out[:5]) + (", ..." if tables.left_out[5:] else "")
        notes.append(f"Tables of more than {measurement.MOST_CELLS} cells were not measured: {named}.")
    return tables, wanted


def _workload(given: str | Path | Sequence[Sequence[str]], names: Sequence[str]) -> measurement.Workload:
    if isinstance(given, str) and given in ORDERS:
        return measurement.workload_of_order(len(names), ORDERS[given])
    if isinstance(given, (str, Path)):
        try:
            lines = Path(given).read_text(encoding="utf-8").splitlines()
        except OSError as error:
            wanted = f"{', '.join(ORDERS)}, or a file with a table a line: AGE,SEX"
            raise ParameterError(
                Fault("workload", f"{str(given)!r} ({error.strerror})", wanted, did_you_mean(str(given), ORDERS))
            ) from None
        given = [[part.strip() for part in line.split(",")] for line in lines if line.strip()]
    faults, columns = [], list[tuple[int, ...]]()
    for combination in given:
        unknown = [name for name in combination if name not in names]
        faults += [
            Fault("workload", repr(name), f"one of {', '.join(names)}", did_you_mean(name, names)) for name in unknown
        ]
        if not unknown and len(set(combination)) < 2:
            faults.append(Fault("workload", ",".join(combination), "two attributes or more; single ones are measured"))
        elif not unknown:
            columns.append(tuple(sorted({names.index(name) for name in combination})))
    if faults:
        raise ParameterError(faults)
    return list(dict.fromkeys(columns))


def _write(folder: RunFolder, made: Certified) -> None:
    """Write the file, its result, and its pages."""
    from evosdc_certified.page import page

    write_text(folder.file(made.result["best"]["file"]), made.content)
    folder.write_json(RESULT, made.result)
    write_text(folder.file(REPORT), page(made.result))
    if made.verdict["publishable"]:
        write_text(folder.file(FOR_USERS), page(made.result, for_users=True))
