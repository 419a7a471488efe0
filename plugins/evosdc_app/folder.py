"""The one folder that the workbench may read and write, and what lies in it."""

import shlex
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evosdc.errors import DataError, Fault
from evosdc.files.formats import Reading
from evosdc.printing import printable
from evosdc.runs import layout
from evosdc.runs.publication_check import is_secret, kind_of

RUNS = "runs"  # folder of the runs, as for the command line

ENDINGS = (
    ".csv", ".tsv", ".txt", ".dat", ".parquet", ".feather", ".arrow", ".xlsx", ".sav", ".zsav", ".por", ".dta", ".xpt",
    ".sas7bdat", ".gz", ".zip",
)  # fmt: skip
"""What names of data files end with."""

_SCHEMA = ".schema"
_MOST = 500
_LONGEST = 200  # bytes of a name: with what is beside a file, such as its manifest, systems take 255


@dataclass(frozen=True)
class WorkFolder:
    """A folder and everything below it; nothing else can be named."""

    root: Path  # resolved

    def path(self, name: str) -> Path:
        """Return the path of a name below the folder."""
        if any(len(part.encode(errors="replace")) > _LONGEST for part in name.split("/")):
            raise DataError(Fault(f"{printable(name[:40])}…", "too long a name", f"{_LONGEST} bytes at most"))
        if any(not sign.isprintable() for sign in name):
            raise DataError(Fault(printable(name), "a name with signs that cannot be shown", "another", "Rename it."))
        parts = Path(name).parts
        inside = bool(parts) and "\0" not in name and not Path(name).is_absolute() and ".." not in parts
        if inside and not any(part.startswith(".") for part in parts):
            target = self.root / name
            if target.resolve().is_relative_to(self.root):
                return target
        raise DataError(Fault(printable(name), "a path outside of the folder, or hidden", "a file of the folder"))

    def file(self, name: str) -> Path:
        """Return the path of a file that is there; raises as `path`, or where there is none."""
        path = self.path(name)
        if not path.is_file():
            raise DataError(Fault(printable(name), "no such file", "a file of the folder"))
        return path

    def data_file(self, name: str) -> Path:
        """Return the path of a data file that is there, to be shown and protected."""
        path = self.file(name)
        kind = kind_of(path.name) if layout.run_folder_of(path) is not None else None
        if (kind is not None and not kind.published) or is_secret(path):
            raise DataError(Fault(printable(name), "a file of a run, or a secret one", "a data file"))
        return path

    def run(self, name: str) -> Path:
        """Return the path of a run by its name; raises as `path`, or where there is none."""
        path = self.run_place(name)
        if not path.is_dir():
            raise _no_run(name)
        return path

    def run_place(self, name: str) -> Path:
        """Return where a run stands, or will once it has begun; raises as `path`, or where this names no run."""
        path = self.path(f"{RUNS}/{name}")
        if path.name != name:
            raise _no_run(name)
        return path

    def name(self, path: Path) -> str:
        """Return the name of a path below the folder, as a command run in it takes it."""
        name = path.relative_to(self.root).as_posix()
        return f"./{name}" if name.startswith("-") else name

    def without_root(self, text: str) -> str:
        """Return a sentence with paths as commands run in the folder take them."""
        return text.replace(f"{self.root}/", "").replace(str(self.root), "the folder")

    def data_files(self) -> list[str]:
        """Return the names of the data files, up to two folders deep; no hierarchies, and nothing of runs."""
        found = []
        for path in sorted(p for pattern in ("*", "*/*") for p in self.root.glob(pattern)):
            own = path.relative_to(self.root).parts
            if own[0] == RUNS or not _nameable(own) or path.suffix.lower() not in ENDINGS:
                continue
            if path.is_file() and not _of_schema(path) and not layout.holds_run_files(path.parent):
                if path.parent.name == layout.DATA and layout.holds_run_files(path.parent.parent):
                    continue
                if path.resolve().is_relative_to(self.root) and not is_secret(path):
                    found.append(self.name(path))
        return found[:_MOST]

    def unnamed(self) -> int:
        """Return how many data files have names that the workbench does not take."""
        names = [path.name for path in self.root.iterdir() if path.suffix.lower() in ENDINGS and path.is_file()]
        return sum(not name.startswith(".") and not _nameable([name]) for name in names)

    def word(self, data: str) -> str:
        """Return a data file as a command run in the folder takes it; raises as `data_file`."""
        return self.name(self.data_file(data))

    def schema_of(self, data: str) -> Path:
        """Return the place of the schema file of a data file: beside it, by its name."""
        path = self.data_file(data)
        schema = self.path((path.parent / _schema_name(path)).relative_to(self.root).as_posix())
        for file in hierarchy_names(schema):
            if not (schema.parent / file).resolve().is_relative_to(self.root):
                given = f"a hierarchy outside of the folder, {printable(file)}"
                raise DataError(Fault(self.name(schema), given, "files of the folder"))
        return schema

    def free(self, name: str) -> str:
        """Return a name that no file has yet, made of one by a number."""
        path = self.path(name)
        number, found = 2, path
        while found.exists() or layout.manifest_path(found).exists():
            found = path.with_name(f"{path.stem}-{number}{path.suffix}")
            number += 1
        return self.name(found)

    def runs(self, data: str | None = None) -> list[Path]:
        """Return the folders of single runs, the latest first; with `data` those on that file or data set."""
        if not (self.root / RUNS).is_dir():
            return []
        found = [
            path
            for path in (self.root / RUNS).iterdir()
            if not path.name.startswith(".")
            and path.resolve().is_relative_to(self.root)
            and ((path / layout.LOCK).exists() or layout.run_folders(path) == [path])
        ]
        found = [path for path in found if data is None or self.data_of(path) in (data, "")]
        return sorted(found, key=lambda path: path.stat().st_ctime, reverse=True)

    def data_of(self, run: Path) -> str:
        """Return the name of the file or data set that a run is about; empty where it does not tell."""
        source: Any = layout.object_if_readable(run / layout.RESOLVED).get("data")
        if not isinstance(source, dict):
            return ""
        if source.get("name"):
            return str(source["name"])
        file = Path(str(source.get("file", "")))
        target = file if file.is_absolute() else self.root / file
        return self.name(target) if target.is_relative_to(self.root) else file.name

    def exports(self) -> list[tuple[Path, dict[str, Any]]]:
        """Return the manifests of exported members with what they say, the latest first."""
        found = []
        for pattern in (f"*{layout.MANIFEST}", f"*/*{layout.MANIFEST}"):
            for path in self.root.glob(pattern):
                document = layout.object_if_readable(path)
                if "member" in document and path.resolve().is_relative_to(self.root):
                    found.append((path, document))
        return sorted(found, key=lambda entry: str(entry[1].get("date", "")), reverse=True)


def _schema_name(path: Path) -> str:
    """Return the name of the schema of a data file; it has the ending where another file has the name without it."""
    own = f"{path.name}{_SCHEMA}.toml"
    if path.with_name(own).exists():
        return own
    alike = [ending for ending in ENDINGS if path.with_suffix(ending).is_file()]
    return f"{path.stem}{_SCHEMA}.toml" if alike[:1] in ([], [path.suffix.lower()]) else own


def _no_run(name: str) -> DataError:
    return DataError(Fault(printable(name), "no such run", "a run of the folder"))


def _nameable(parts: Iterable[str]) -> bool:
    """Whether names are none of hidden files, can be shown, and leave room for what is beside a file."""
    return all(
        not part.startswith(".") and part.isprintable() and len(part.encode(errors="replace")) <= _LONGEST
        for part in parts
    )


def _of_schema(path: Path) -> bool:
    """Whether a file is a hierarchy that is beside its schema."""
    stem, found, _ = path.name.partition(f"{_SCHEMA}-")
    return bool(found) and path.with_name(f"{stem}{_SCHEMA}.toml").exists()


def hierarchy_names(schema: Path) -> list[str]:
    """Return the files that a schema names, whatever else is wrong with it."""
    tables = _schema_document(schema).get("attributes", {})
    named = [table.get("hierarchy") for table in tables.values() if isinstance(table, dict)]
    return [file for file in named if isinstance(file, str)]


def reading_of(schema: Path) -> Reading:
    """Return the encoding and the sheet that a schema names, whatever else is wrong with it."""
    document = _schema_document(schema)
    encoding, sheet = (str(document[key]) if key in document else None for key in ("encoding", "sheet"))
    return Reading(encoding=encoding, sheet=sheet)


def _schema_document(schema: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(schema.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def text_or_empty(path: Path) -> str:
    """Return the text of a file; an empty one where there is none."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def line_of(words: list[str]) -> str:
    """Return a command as a shell takes it."""
    return shlex.join(["evosdc", *words])
