"""Repeat a study of this folder, hold it against its stored results, or store new ones.

    python experiments/reproduce.py                      # the list
    python experiments/reproduce.py housing --check      # exit status 1 where a figure is not as stored
    python experiments/reproduce.py housing --store      # quick and full, in place of the stored results

A study is a folder with a file ``study.toml``, see `Declaration`. Stored results come with ``stored.json``: the
commands, the digests of scripts and results, the machine. It says without a run whether they are stale.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tokenize
import tomllib
from ast import Constant, Expr, ImportFrom, parse, walk
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

import click
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from evosdc._version import __version__
from evosdc.datasets.storage import VARIABLE, data_folder, locate
from evosdc.errors import (
    DataError,
    EvosdcError,
    ExperimentError,
    Fault,
    FaultCollector,
    InputError,
    RunError,
    UnknownNameError,
    did_you_mean,
)
from evosdc.model.parameters import faults_of
from evosdc.plugins.registry import default_registry

HERE = Path(__file__).resolve().parent
DECLARATION, RECORD, LOG, QUICK = "study.toml", "stored.json", "log.txt", "quick"
Profile = Literal["quick", "full"]
PROFILES: tuple[Profile, ...] = ("quick", "full")
PROGRAMS = ("python", "evosdc")
PAGES = "readme_tables.py"
"""Script beside the studies that brings their pages up to date."""
TRACEBACK = "Traceback (most recent call last)"
SHOWN = 20
"""Differences of a study that are printed."""


# What a study declares.


@dataclass(frozen=True)
class Tolerance:
    """How far a figure may be from the stored one: it holds where it differs by no more than one of both."""

    absolute: float = 0.0
    relative: float = 1e-9

    @classmethod
    def of(cls, given: float | str) -> Tolerance:
        """Return the tolerance that a declaration states: a number, ``"2 %"``, or ``"any"``; raises `ValueError`."""
        if isinstance(given, str):
            if given == "any":
                return ANY
            if found := re.fullmatch(r"(\d+(?:\.\d+)?(?:e-?\d+)?) ?%", given):
                return cls(relative=float(found[1]) / 100.0)
        elif given >= 0.0:
            return cls(absolute=given)
        raise ValueError(f'a number of at least 0, a share like "2 %", or "any", unlike {given!r}')

    def holds(self, stored: float, found: float) -> bool:
        """Whether a figure is near enough to the stored one."""
        if math.isnan(stored) or math.isnan(found):
            return math.isnan(stored) and math.isnan(found)
        return stored == found or abs(found - stored) <= max(self.absolute, self.relative * abs(stored))

    def __str__(self) -> str:
        if self.absolute:
            return f"{self.absolute:g}"
        return f"{100.0 * self.relative:g} %" if self.relative > SAME.relative else "nothing"


SAME = Tolerance()
"""The last bits of a sum may differ between processors and versions of libraries."""
ANY = Tolerance(math.inf, math.inf)
"""Of times, and of figures that depend on them."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Commands(_Table):
    """How much of a study is done: ``[quick]`` or ``[full]``."""

    commands: tuple[str, ...] = Field(
        min_length=1,
        description="what is typed, one after the other: `python` or `evosdc` with arguments, {study} being the "
        "study's folder, {studies} the one above it, {output} the new folder",
    )
    time: str = Field(description="processor time on one core, for people")
    needs: tuple[str, ...] = Field((), description="data sets, and folders of EVOSDC_DATA, without which it cannot run")
    status: tuple[int, ...] = Field((0,), description="exit statuses that commands may end with")

    @field_validator("commands")
    @classmethod
    def _known_programs(cls, commands: tuple[str, ...]) -> tuple[str, ...]:
        if wrong := [command for command in commands if command.partition(" ")[0] not in PROGRAMS]:
            raise ValueError(f"commands that begin with {' or '.join(PROGRAMS)}, unlike {wrong[0]!r}")
        return commands


class Picture(_Table):
    """A picture of the full results: drawn from a table by ``pictures.py``, or by the study's commands."""

    file: str = Field(description="name, or pattern of names that the study's own commands draw")
    table: str | None = Field(None, description="the result that is drawn; default: the study's commands draw it")
    kind: Literal["lines", "points", "bars"] = "lines"
    x: str = ""
    y: tuple[str, ...] = ()
    by: str | None = Field(None, description="column whose values have a colour each")
    panels: str | None = Field(None, description="column whose values have a panel each")
    where: dict[str, tuple[str, ...]] = Field({}, description="values of columns that are drawn; default: all")
    title: str = ""
    log: bool = Field(False, description="whether y is drawn on a logarithmic scale")


class Declaration(_Table):
    """All that ``study.toml`` says."""

    title: str
    source: str = Field(description="the paper, with its figures or tables")
    summary: str = Field(description="what is done, in a sentence")
    reconstruction: tuple[str, ...] = Field((), description="what the source does not say, and how it is done here")
    results: tuple[str, ...] = Field(("*.csv",), description="patterns of the files that are stored and compared")
    sources: tuple[str, ...] = Field((), description="files outside the folder that decide on the results")
    quick: Commands
    full: Commands
    pictures: tuple[Picture, ...] = ()
    tolerances: dict[str, float | str] = Field(
        {}, description="how far figures may be from the stored ones, by pattern of the column"
    )

    @field_validator("tolerances")
    @classmethod
    def _readable(cls, given: dict[str, float | str]) -> dict[str, float | str]:
        for text in given.values():
            Tolerance.of(text)
        return given

    def tolerance(self, column: str) -> Tolerance:
        """Return the tolerance of a column: that of the first pattern that fits it."""
        for pattern, given in self.tolerances.items():
            if fnmatchcase(column, pattern):
                return Tolerance.of(given)
        return SAME


@dataclass(frozen=True)
class Study:
    """A folder with a declaration; its name is the folder's."""

    folder: Path
    declaration: Declaration

    @property
    def name(self) -> str:
        """What it is called on the command line."""
        return self.folder.name

    def commands(self, profile: Profile) -> Commands:
        """Return the quick or the full commands."""
        return self.declaration.quick if profile == "quick" else self.declaration.full

    def stored(self, profile: Profile) -> Path:
        """Return where the stored results of a profile are."""
        return self.folder / QUICK if profile == "quick" else self.folder

    def results_in(self, folder: Path) -> dict[str, Path]:
        """Return the results in a folder by their paths below it."""
        found = {path for pattern in self.declaration.results for path in folder.glob(pattern) if path.is_file()}
        return {path.relative_to(folder).as_posix(): path for path in sorted(found)}


def read_study(folder: Path) -> Study:
    """Read the declaration of a study; raises `ExperimentError` with all its faults."""
    path = folder / DECLARATION
    try:
        return Study(folder, Declaration.model_validate(tomllib.loads(path.read_text(encoding="utf-8"))))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ExperimentError(Fault(str(path), f"text that is not TOML: {error}", "a TOML file")) from None
    except ValidationError as error:
        raise ExperimentError(faults_of(error, Declaration, str(path))) from None


def read_studies(names: Iterable[str] = (), folder: Path = HERE) -> list[Study]:
    """Return studies by their names, without names all of a folder; raises `InputError` with the faults of all."""
    known = sorted(path.parent.name for path in folder.glob(f"*/{DECLARATION}"))
    if not known:
        raise ExperimentError(Fault("studies", f"no study in {folder}", f"a folder of folders with a {DECLARATION}"))
    wanted = list(names) or known
    if unknown := [name for name in wanted if name not in known]:
        choice = f"one of {', '.join(known)}"
        raise UnknownNameError([Fault("study", repr(name), choice, did_you_mean(name, known)) for name in unknown])
    found, collector = [], FaultCollector()
    for name in wanted:
        with collector.step():
            found.append(read_study(folder.resolve() / name))
    collector.settle()
    return found


def lacking(study: Study, profile: Profile) -> list[str]:
    """Return the data that a profile needs and that are not at hand."""
    registry, data = default_registry(), data_folder()
    known = registry.names("dataset")

    def at_hand(name: str) -> bool:
        if name in known:
            return locate(registry.spec("dataset", name)) is not None  # type: ignore[arg-type]
        return data is not None and (data / name).is_dir()

    return [name for name in study.commands(profile).needs if not at_hand(name)]


# Running the commands of a study.


@dataclass(frozen=True)
class Rerun:
    """A study that was run: the exit status of each command, and the processor time of all of them."""

    study: Study
    profile: Profile
    folder: Path
    statuses: tuple[int, ...]
    seconds: float

    @property
    def results(self) -> dict[str, Path]:
        """The files that are stored and compared, by their paths below the folder."""
        return self.study.results_in(self.folder)


def rerun(study: Study, profile: Profile, folder: Path) -> Rerun:
    """Run the commands of a profile in a new folder; what they print goes to ``log.txt``.

    Raises
    ------
    InputError
        Data are not at hand, or something is in the folder.
    RunError
        A command ended with a status that the study does not declare or by an exception, or left no result.
    """
    if missing := lacking(study, profile):
        advice = "`evosdc datasets fetch NAME` downloads what is public; EVOSDC_DATA names a folder that has the rest."
        place = f"study {study.name}, {profile}"
        raise ExperimentError(Fault(place, f"no {', '.join(missing)}", "data sets at hand", advice))
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DataError(Fault(str(folder), "a path that exists", "a new folder", "Choose another one."))
    folder.mkdir(parents=True, exist_ok=True)
    data, before, statuses = data_folder(), os.times(), []
    # With one thread, sums of linear algebra do not depend on how many processors there are.
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    place = {VARIABLE: str(data.resolve())} if data else {}
    environment = {**os.environ, **threads, "COLUMNS": "150", **place}
    with (folder / LOG).open("w", encoding="utf-8") as log:
        for command in study.commands(profile).commands:
            log.write(f"$ {command}\n")
            log.flush()
            words = command_words(command, study, folder)
            done = subprocess.run(words, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT, check=False)
            statuses.append(done.returncode)
            said = (folder / LOG).read_text(encoding="utf-8", errors="replace")
            # An exception ends with status 1, too, which may be that of a study whose question has the answer no.
            broken = done.returncode == 1 and TRACEBACK in said[said.rindex(f"$ {command}\n") :]
            if broken or done.returncode not in study.commands(profile).status:
                said = said[-1500:].strip()
                raise RunError(f"{study.name}: {command!r} ended with status {done.returncode}\n{said}")
    after = os.times()
    seconds = after.children_user + after.children_system - before.children_user - before.children_system
    made = Rerun(study, profile, folder, tuple(statuses), round(seconds, 1))
    if not made.results:
        raise RunError(f"{study.name}: no result ({', '.join(study.declaration.results)}) in {folder}, see {LOG}")
    return made


def command_words(command: str, study: Study, folder: Path) -> list[str]:
    """Return the words of a command that is typed in a folder, with this interpreter."""
    program, *words = shlex.split(command)
    for name, path in {"study": study.folder, "studies": study.folder.parent, "output": folder.resolve()}.items():
        words = [word.replace(f"{{{name}}}", str(path)) for word in words]
    return [sys.executable, *(["-m", "evosdc"] if program == "evosdc" else []), *words]


# Comparing two tables.

_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")


@dataclass(frozen=True)
class Difference:
    """Something that is not as it was stored: the file, row and column (empty: all of the file), and what differs."""

    file: str
    where: str
    said: str

    def __str__(self) -> str:
        return f"{self.file}, {self.where}: {self.said}" if self.where else f"{self.file}: {self.said}"


def differences(stored: Path, found: Path, tolerances: Callable[[str], Tolerance]) -> list[Difference]:
    """Return what differs between a stored table and the same one made again, row by row.

    Texts have to be the same; the numbers in them, ``12.1 ± 0.3`` for one, near enough. Files other than CSV are
    compared line by line.
    """
    (header, *before), (new_header, *after) = _grid(stored), _grid(found)
    name, different = found.name, []
    if header != new_header:
        gone = [column for column in header if column not in new_header]
        new = [column for column in new_header if column not in header]
        return [Difference(name, "", f"other columns: without {gone or 'none'}, new {new or 'none'}")]
    if len(before) != len(after):
        return [Difference(name, "", f"{len(after)} rows instead of {len(before)}")]
    allowed = [tolerances(column) for column in header]
    for number, (old, new) in enumerate(zip(before, after, strict=True), 1):
        for column, tolerance, one, other in zip(header, allowed, old, new, strict=True):
            if said := difference(one, other, tolerance):
                different.append(Difference(name, f"row {number}{_named(old)}, {column}", said))
    return different


def difference(stored: str, found: str, tolerance: Tolerance) -> str:
    """Return how two cells differ in words; empty where they are near enough."""
    if stored == found or tolerance == ANY:
        return ""
    if _NUMBER.split(stored) != _NUMBER.split(found):
        return f"{found!r} instead of {stored!r}"
    pairs = [(float(a), float(b)) for a, b in zip(_NUMBER.findall(stored), _NUMBER.findall(found), strict=True)]
    wrong = [(a, b) for a, b in pairs if not tolerance.holds(a, b)]
    if not wrong:
        return ""
    a, b = max(wrong, key=lambda pair: abs(pair[1] - pair[0]))
    share = f" ({100.0 * (b - a) / abs(a):+.2g} %)" if a else ""
    return f"{found} instead of {stored}, off by {b - a:+.6g}{share}; allowed {tolerance}"


def figures(path: Path) -> int:
    """Return how many cells of a table are compared."""
    header, *rows = _grid(path)
    return len(header) * len(rows)


def _grid(path: Path) -> list[list[str]]:
    """Return the header and the rows of a table; a ragged row is filled up."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".csv":
        return [["line"], *([line] for line in text.splitlines())]
    rows = list(csv.reader(text.splitlines())) or [[]]
    width = max(map(len, rows))
    return [row + [""] * (width - len(row)) for row in rows]


def _named(row: list[str]) -> str:
    """Return what a row is about: at most three cells before the first figure with decimals."""
    names: list[str] = []
    for cell in row[:3]:
        if re.fullmatch(r"-?\d*\.\d+(e-?\d+)?", cell):
            break
        names.append(cell)
    return f" ({', '.join(names)})" if names else ""


# What is stored, and whether it still holds.


def read_record(study: Study) -> dict[str, Any] | None:
    """Return what ``stored.json`` says; None where nothing is stored; raises `ExperimentError` where it is damaged."""
    path = study.folder / RECORD
    if not path.exists():
        return None
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        whole = all(
            isinstance(part, dict) for part in (found["sources"], *(found[name]["results"] for name in PROFILES))
        )
    except (json.JSONDecodeError, KeyError, TypeError):
        whole = False
    if not whole:
        advice = f"Type python experiments/reproduce.py {study.name} --store."
        raise ExperimentError(Fault(str(path), "a damaged file", "the record of a stored study", advice))
    return found


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()


def sources(study: Study, results: Iterable[str]) -> dict[str, str]:
    """Return the digests of the scripts, experiments and inputs of a study by their paths from its folder.

    Comments, docstrings and imports from evosdc do not count in scripts, see `bare`.
    """
    without, kinds = {DECLARATION, RECORD, *results}, {".py", ".toml", ".csv", ".json", ".graphml"}
    own = [path for path in study.folder.iterdir() if path.name not in without and path.suffix in kinds]
    files = sorted([*own, *(study.folder / name for name in study.declaration.sources)])
    return {
        Path(os.path.relpath(path, study.folder)).as_posix(): (
            sha256(bare(path.read_text(encoding="utf-8")).encode()).hexdigest()
            if path.suffix == ".py"
            else digest(path)
        )
        for path in files
    }


def bare(script: str) -> str:
    """Return a script without comments, docstrings, empty lines and imports from evosdc.

    Where a module of evosdc stands has no say in results; what it does is compared by the quick run.
    """
    lines = script.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(script).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in walk(parse(script)):
        docstring = isinstance(node, Expr) and isinstance(node.value, Constant) and isinstance(node.value.value, str)
        if docstring or (isinstance(node, ImportFrom) and str(node.module).partition(".")[0] == "evosdc"):
            first, last = node.lineno, node.end_lineno or node.lineno
            lines[first - 1 : last] = [""] * (last - first + 1)
    return "\n".join(line.rstrip() for line in lines if line.strip())


def stale(study: Study) -> list[Difference]:
    """Return why stored results cannot be those of the present scripts and commands; nothing is run."""
    record = read_record(study)
    if record is None:
        said = f"nothing is stored; type python experiments/reproduce.py {study.name} --store"
        return [Difference(RECORD, "", said)]
    return list(_stale(study, record))


def _stale(study: Study, record: Mapping[str, Any]) -> Iterator[Difference]:
    for profile in PROFILES:
        if list(study.commands(profile).commands) != record[profile]["commands"]:
            yield Difference(DECLARATION, "", f"the {profile} commands are not those that were stored")
    before, now = record["sources"], sources(study, record["full"]["results"])
    for name in sorted(before.keys() | now.keys()):
        if name not in now:
            yield Difference(name, "", "has gone since the results were stored")
        elif name not in before:
            yield Difference(name, "", "is new since the results were stored")
        elif now[name] != before[name]:
            yield Difference(name, "", "was changed since the results were stored")
    for profile in PROFILES:
        for name, known in record[profile]["results"].items():
            path = study.stored(profile) / name
            shown = path.relative_to(study.folder).as_posix()
            if not path.is_file():
                yield Difference(shown, "", "was stored and is not there")
            elif digest(path) != known:
                yield Difference(shown, "", "was changed by hand since it was stored")


def compared(made: Rerun) -> list[Difference]:
    """Return what differs between a rerun and what is stored: exit statuses, files, and figures within tolerances."""
    record = read_record(made.study)
    if record is None:
        return []
    stored, found = record[made.profile], []
    if list(made.statuses) != stored["statuses"]:
        found.append(Difference("exit status", "", f"{list(made.statuses)} instead of {stored['statuses']}"))
    results, folder = made.results, made.study.stored(made.profile)
    for name in sorted(stored["results"].keys() | results.keys()):
        if name not in results:
            found.append(Difference(name, "", "is stored, and was not made"))
        elif name not in stored["results"]:
            found.append(Difference(name, "", "was made, and is not stored"))
        elif (folder / name).is_file() and digest(results[name]) != digest(folder / name):
            found += differences(folder / name, results[name], made.study.declaration.tolerance)
    return found


def store(quick: Rerun, full: Rerun) -> list[Path]:
    """Put the results of a quick and a full run, and the pictures of the full one, in place of the stored ones.

    Both are stored together, and so come of the same code: a quick run that gives other figures than the stored quick
    ones then tells that the full ones are stale. Returns what was written; raises `RunError` without a picture.
    """
    study, drawn = full.study, []
    for picture in study.declaration.pictures:
        matching = sorted(full.folder.glob(picture.file))
        if not matching:
            raise RunError(f"{study.name}: no picture {picture.file} in {full.folder}")
        drawn += [path for path in matching if path not in drawn]
    old = read_record(study)
    packages = ", ".join(f"{name} {metadata.version(name)}" for name in ("numpy", "scipy", "numba", "pandas"))
    machine = f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}, {packages}"
    written, record = {path: study.folder / path.name for path in drawn}, {}
    for made in (quick, full):
        place = study.stored(made.profile)
        for name in old[made.profile]["results"] if old else ():
            (place / name).unlink(missing_ok=True)
        written |= {path: place / name for name, path in made.results.items()}
        record[made.profile] = {
            "commands": list(study.commands(made.profile).commands),
            "statuses": list(made.statuses),
            "processor seconds": made.seconds,
            "date": datetime.now(UTC).date().isoformat(),
            "evosdc": __version__,
            "machine": machine,
            "results": {name: digest(path) for name, path in made.results.items()},
        }
    for path, target in written.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    target = study.folder / RECORD
    text = json.dumps(record | {"sources": sources(study, full.results)}, indent=1, ensure_ascii=False)
    target.write_text(text + "\n", encoding="utf-8")
    pages = study.folder.parent / PAGES
    if pages.is_file():
        # Its status says whether a page was not up to date, which is expected now.
        subprocess.run([sys.executable, str(pages)], check=False, stdout=subprocess.DEVNULL)
    return [*written.values(), target]


# The command.


@click.command()
@click.argument("names", nargs=-1, metavar="[STUDY]...")
@click.option("--quick", "version", flag_value="quick", help="A short version: the default.")
@click.option("--full", "version", flag_value="full", help="All of it.")
@click.option("--check", is_flag=True, help="Compare with the stored results; exit status 1 where something differs.")
@click.option("--store", "storing", is_flag=True, help="Run both versions and store their results in place of the old.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="New folder; default: below runs/.")
@click.option("--studies", type=click.Path(path_type=Path), default=HERE, help="Folder of studies; default: this one.")
def reproduce(
    names: tuple[str, ...], version: Profile | None, check: bool, storing: bool, output: Path | None, studies: Path
) -> None:
    """List the studies, or run STUDY again; without STUDY, but with an option, all whose data are at hand."""
    if storing and (check or version):
        raise click.UsageError("--store runs both versions and compares nothing: leave out the other option.")
    chosen = read_studies(names, studies)
    profile: Profile = version or "quick"
    if not (names or check or storing or version or output):
        _list(chosen)
        return
    if not names:
        chosen = [study for study in chosen if _at_hand(study, "full" if storing else profile)]
    holds = True
    for study in chosen:
        place = _new_place(f"{study.name}-{'stored' if storing else profile}") if output is None else output
        place = place / study.name if output and len(chosen) > 1 else place
        if storing:
            read_record(study)
            first = rerun(study, "quick", place / "quick")
            said = f"{study.name}: quick in {first.seconds:.0f} s; full takes {study.declaration.full.time}"
            click.echo(said, err=True)
            made = rerun(study, "full", place / "full")
        else:
            reasons = stale(study) if check else []
            made = rerun(study, profile, place)
        cells = sum(map(figures, made.results.values()))
        tables = f"{len(made.results)} {'table' if len(made.results) == 1 else 'tables'} of {cells} cells"
        click.echo(f"{study.name}, {made.profile}: {tables} in {made.folder}, {made.seconds:.0f} s of the processor")
        if storing:
            for path in store(first, made):
                click.echo(f"  stored: {path}")
        elif check:
            holds = _tell(reasons, compared(made)) and holds
    if not holds:
        raise SystemExit(1)


def _tell(reasons: list[Difference], different: list[Difference]) -> bool:
    """Print what is stale or differs; return whether nothing is."""
    for one in reasons:
        click.echo(f"  stale: {one}")
    for one in different[:SHOWN]:
        click.echo(f"  differs: {one}")
    if len(different) > SHOWN:
        click.echo(f"  differs: {len(different) - SHOWN} more")
    if not (reasons or different):
        click.echo("  as stored")
    return not (reasons or different)


def _at_hand(study: Study, profile: Profile) -> bool:
    if missing := lacking(study, profile):
        click.echo(f"{study.name}: skipped, no {', '.join(missing)} at hand", err=True)
    return not missing


def _new_place(name: str) -> Path:
    """Return a new folder below ``runs``, with a number where the name is taken."""
    place, number = Path("runs") / name, 1
    while place.exists():
        number += 1
        place = Path("runs") / f"{name}-{number}"
    return place


def _list(studies: list[Study]) -> None:
    from rich.console import Console
    from rich.table import Table

    shown = Table(title="Studies", title_justify="left")
    for heading in ("study", "source", "quick", "full", "results"):
        shown.add_column(heading, overflow="fold")
    for study in studies:
        declared, record = study.declaration, read_record(study)
        needs = sorted({name for profile in PROFILES for name in lacking(study, profile)})
        parts = [f"stored {record['full']['date']}" if record else "not stored"]
        parts += ["stale"] if record and stale(study) else []
        parts += [f"needs {', '.join(needs)}"] if needs else []
        shown.add_row(study.name, declared.source, declared.quick.time, declared.full.time, "; ".join(parts))
    Console().print(shown)
    click.echo("Add STUDY --check to run one again, quickly, and to compare; times are of the processor.")


def main() -> None:
    """Run the command; bad input ends with status 2, a study that failed with 1."""
    try:
        reproduce()
    except EvosdcError as error:
        click.echo(f"error: {error}", err=True)
        raise SystemExit(2 if isinstance(error, InputError) else 1) from None


if __name__ == "__main__":
    main()
