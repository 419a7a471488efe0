"""The run folder: names and permissions of its files, and its lock, so that only one run writes to it."""

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from evosdc.errors import CheckpointError, DataError, ExperimentError, Fault, did_you_mean
from evosdc.files.atomic import OWNER_FOLDER, make_folder, write_text
from evosdc.printing import printable
from evosdc.runs.lock import HELD, FolderLockedError, Lock, LockOwner
from evosdc.secret import Key, Seed

EXPERIMENT = "experiment.toml"
RESOLVED = "resolved.json"
ENVIRONMENT = "environment.json"
STATUS = "status.json"
JOURNAL = "journal.jsonl"
PORTFOLIO = "portfolio.json"
TUNING = "tuning.json"
RECIPE = "recipe.toml"
RECIPE_SCHEMA = "recipe.schema.toml"
PLANNING = "planning.json"
RESULT = "result.json"
BEST = "best.csv"
# Stands in the name of a best file before its suffix, where the verdict forbids to publish it.
REFUSED = ".NOT-PUBLISHABLE"

FRONT = "front.csv"
SCORES = "scores.csv"
FREQUENCIES = "frequencies.json"
TRANSITIONS = "transitions.json"
ANALYST = "analyst.json"
PICTURE = "picture"
RISK = "risk.json"
RELEASE = "release.json"
FOR_USERS = "for-users.html"
REPORT = "report.html"
DOSSIER = "dossier.html"
RELEASE_FORM = "release.toml"
CONTEXT = "context"
SETTING = "setting.json"
DATA = "data"
LOCK = ".lock"
KEY = "key"
CROSSWALK = "crosswalk.csv"
MANIFEST = ".manifest.json"  # what names of manifests end with
SCHEMA = ".schema.toml"  # likewise of schemas that stand beside a data file
# The JSON objects that reports are made of.
REPORTED = (RESOLVED, ENVIRONMENT, STATUS, RESULT, FREQUENCIES, TRANSITIONS, RISK, SETTING, RELEASE, ANALYST)


def run_folders(folder: Path) -> list[Path]:
    """Return the run folders at a path: those of a study in the order of its plan, or the one of a single run."""
    found = [*folder.glob("replicate-*"), *folder.glob("setting-*/replicate-*")]
    runs = sorted((path for path in found if (path / RESOLVED).is_file()), key=lambda path: _numbers(path, folder))
    return runs or ([folder] if (folder / RESOLVED).is_file() else [])


def holds_run_files(folder: Path) -> bool:
    """Whether a folder is one that a run, a study or a tuning wrote."""
    return (folder / RESOLVED).is_file() or all((folder / name).is_file() for name in (EXPERIMENT, TUNING))


def run_folder_of(file: Path) -> Path | None:
    """Return the folder of the run, study or tuning whose own file stands at a path; None where there is none."""
    # Links are followed. The files of the run's own folders of data and of context are its own, too.
    if not file.is_file():
        return None
    parent = file.resolve().parent
    within = [parent, *([parent.parent] if parent.name in (DATA, CONTEXT) else [])]
    return next((folder for folder in within if holds_run_files(folder)), None)


def is_replicate(path: Path) -> bool:
    """Whether a run folder is, by its name, one of several of the same setting."""
    return path.name.startswith("replicate-")


def _numbers(path: Path, folder: Path) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", path.relative_to(folder).as_posix())]


def read_json(path: Path) -> Any:
    """Return the content of a JSON file of a run."""
    return json.loads(path.read_text(encoding="utf-8"))


def read_object(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file; raise as `read_json`, and `ValueError` where it holds something else."""
    value = read_json(path)
    if not isinstance(value, dict):
        raise ValueError(f"it holds a JSON {type(value).__name__}")
    return value


def object_if_readable(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file; an empty one where it cannot be read, as while a run replaces it."""
    try:
        return read_object(path)
    except (OSError, ValueError):
        return {}


def manifest_path(path: Path) -> Path:
    """Return the place of the manifest of a published file: beside it, by its name."""
    return path.with_name(f"{path.stem}{MANIFEST}")


def schema_path(path: Path) -> Path:
    """Return the place of the schema of a data file that stands beside it, by its name."""
    return path.with_name(f"{path.stem}{SCHEMA}")


def refused_name(path: Path) -> Path:
    """Return a path with `REFUSED` before its ending, which a file has that the verdict forbids."""
    ending = "".join(path.suffixes[-2:]) if path.suffix == ".gz" else path.suffix
    return path if REFUSED in path.name else path.with_name(f"{path.name.removesuffix(ending)}{REFUSED}{ending}")


class RunFolder:
    """A folder of one run, locked while it is written to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.abandoned: LockOwner | None = None
        self._lock = Lock(path / LOCK)

    def file(self, name: str) -> Path:
        """Return the path of one of its files."""
        return self.path / name

    def name_by_verdict(self, name: str, refused: bool) -> str:
        """Rename the file that a run wrote, and return its name: with `REFUSED` where the verdict forbids it."""
        stem, suffix = name.replace(REFUSED, "").split(".", 1)
        plain, marked = f"{stem}.{suffix}", f"{stem}{REFUSED}.{suffix}"
        named, other = (marked, plain) if refused else (plain, marked)
        if name != named:
            self.file(name).replace(self.file(named))
        self.file(other).unlink(missing_ok=True)  # of an earlier verdict
        return named

    def write_json(self, name: str, data: Any) -> None:
        """Write a JSON file atomically; text in any script stays readable."""
        write_text(self.file(name), json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n")

    def read_json(self, name: str) -> Any:
        """Return the content of a JSON file."""
        try:
            return read_json(self.file(name))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            given, advice = f"a folder without a usable {name} ({reason})", "Restore that file, or begin a new run."
            raise CheckpointError(Fault(str(self.path), given, "a run folder that is whole", advice)) from None

    def read_object(self, name: str, *keys: str) -> dict[str, Any]:
        """Return the JSON object in a file, which has these keys; raise as `read_json`."""
        found = self.read_json(name)
        if not isinstance(found, dict) or not set(keys) <= found.keys():
            given, advice = f"a folder whose {name} is damaged", "Restore that file, or begin a new run."
            raise CheckpointError(Fault(str(self.path), given, "a run folder that is whole", advice))
        return found

    def key(self) -> Key:
        """Return the secret key of the run."""
        try:
            return Key.read(self.file(KEY))
        except DataError as error:
            fault = error.faults[0]
            given = f"a folder without a usable key ({fault.given})"
            advice = fault.advice if self.file(KEY).exists() else "Restore that file, or begin a new run."
            raise CheckpointError(Fault(str(self.path), given, "a run folder with its key", advice)) from None

    def keep_key(self, key: Key) -> None:
        """Write the secret key of a new run."""
        self.file(KEY).unlink(missing_ok=True)  # of a run that was killed before it began
        key.write(self.file(KEY))

    def seed(self, seed: int | None) -> Seed:
        """Return the source of the run's draws: the public seed of its experiment, or else its key."""
        return self.key() if seed is None else seed

    def create(self, own: Path | None = None) -> None:
        """Make the folder."""
        self.require_new(own)
        try:
            make_folder(self.path)
            if not any(self.path.iterdir()):
                self.path.chmod(OWNER_FOLDER)
            probe = self.path / ".probe"
            probe.touch()
            probe.unlink()
        except OSError as error:
            raise ExperimentError(
                Fault(str(self.path), f"a path that cannot be written to ({error.strerror})", "a folder of your own")
            ) from None

    def require_new(self, own: Path | None = None) -> None:
        """Raise `ExperimentError` when the folder holds anything; repeated under the lock. Arguments as `create`."""
        # Any other file there might be an original. Only what a run left that was ended before it began may
        # be there: its lock file tells it.
        wanted, where = "a new or empty folder", printable(str(self.path))
        if self.file(RESOLVED).exists():
            given = "a folder that already holds a run"
            advice = (
                f"Choose another one, or go on with that run: `{shlex.join(['evosdc', 'resume', str(self.path)])}`."
            )
            raise ExperimentError(Fault(where, given, wanted, advice))
        if others := self._others(own):
            given = f"a folder that is not empty (it holds {printable(others[0])}"
            given += f" and {len(others) - 1} more)" if others[1:] else ")"
            raise ExperimentError(Fault(where, given, wanted, "Choose another one: nothing is written over."))

    def _others(self, own: Path | None) -> list[str]:
        """Return the names of entries in the folder that do not belong to a beginning run."""
        if not self.path.is_dir():
            return []
        names = {entry.name for entry in self.path.iterdir()}
        begun = {name for name in names if name.startswith(LOCK)}
        if begun:
            written = (EXPERIMENT, ENVIRONMENT, KEY, CROSSWALK)
            unfinished = tuple(f".{name}." for name in (*written, RESOLVED))
            begun |= {name for name in names if name in written or name.startswith(unfinished)}
        if own is not None and own.resolve().parent == self.file(DATA).resolve():
            begun |= {DATA}
        return sorted(names - begun - {SETTING})

    @contextmanager
    def cleared_of(self, refusal: type[Exception]) -> Iterator[None]:
        """Remove what a run wrote to its new folder when the block refuses its input before any search began."""
        # Only the names of a run are removed; a folder that is empty then goes, too.
        try:
            yield
        except refusal:
            if not self.file(JOURNAL).exists() or not self.file(JOURNAL).stat().st_size:
                files = (EXPERIMENT, ENVIRONMENT, KEY, CROSSWALK, RESOLVED, STATUS, JOURNAL, TUNING, LOCK)
                for name in (*files, f"{LOCK}{HELD}"):
                    self.file(name).unlink(missing_ok=True)
                shutil.rmtree(self.file(CONTEXT), ignore_errors=True)
                with suppress(OSError):  # something else is in it
                    self.path.rmdir()
            raise

    def __enter__(self) -> Self:
        try:
            self.abandoned = self._lock.acquire()
        except FolderLockedError as error:
            who = f": {error.owner}" if error.owner is not None else ""
            given = f"a folder that another run is writing to{who}"
            advice = f"Look at it by `{shlex.join(['evosdc', 'status', str(self.path)])}`."
            raise ExperimentError(Fault(str(self.path), given, "a folder of its own for each run", advice)) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()


def require_run(path: Path) -> None:
    """Raise `ExperimentError` where a path holds neither a run nor a study."""
    if not (path / RESOLVED).exists():
        raise ExperimentError(no_run(path))


MOST_NEAR = 3  # run folders that are named where another one was given


def no_run(path: Path) -> Fault:
    """Return the fault of a path that holds no run, with the run folders that lie in or near it, the newest first."""
    given = "a folder that holds no run" if path.is_dir() else "a file" if path.exists() else "no such folder"
    places = dict.fromkeys((path, path.parent, Path("runs")))
    found = {file.parent for place in places if place.is_dir() for file in place.glob(f"*/{RESOLVED}")}
    near = [str(run) for run in sorted(found, key=lambda run: (run / RESOLVED).stat().st_mtime, reverse=True)]
    named = did_you_mean(str(path), near)
    others = f"Runs here: {', '.join(near[:MOST_NEAR])}." if near else "`evosdc protect DATA -o FOLDER` writes one."
    return Fault(printable(str(path)), given, "a run folder", named or printable(others))


@contextmanager
def replacing(path: Path, force: bool, marker: str = RESOLVED) -> Iterator[None]:
    """With `force`, let the block replace a folder of results: the old content goes once something new is there."""
    # Only a folder that holds the file `marker` is replaced. Where the block leaves nothing, the old folder stays.
    if not force or not path.exists() or (path.is_dir() and not any(path.iterdir())):
        yield
        return
    if not (path / marker).is_file():
        given = f"a folder without {marker}" if path.is_dir() else "a file"
        advice = "--force replaces folders that this command wrote. Choose another one."
        raise ExperimentError(Fault(printable(str(path)), given, "such a folder, or a new one", advice))
    if marker == RESOLVED:
        with RunFolder(path):  # refused while a run holds the lock
            pass
    aside = path.with_name(f".{path.name}.replaced")
    shutil.rmtree(aside, ignore_errors=True)
    path.rename(aside)
    try:
        yield
    finally:
        if path.exists():
            shutil.rmtree(aside, ignore_errors=True)
        else:
            aside.rename(path)


def free_folder(parent: Path, title: str) -> Path:
    """Return a path below `parent`, named after a title, that does not exist yet."""
    stem = re.sub(r"[^\w]+", "-", title.lower()).strip("-")[:60] or "run"
    number = 1
    while (path := parent / (stem if number == 1 else f"{stem}-{number}")).exists():
        number += 1
    return path
