"""Reading run folders: results, journals, starting files, and whether two runs had the same data."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from evosdc.errors import CheckpointError, Fault, InputError
from evosdc.printing import file_name, without_folders
from evosdc.runs import layout
from evosdc.runs.journal import parse_journal
from evosdc.runs.layout import RunFolder, is_replicate
from evosdc.runs.published import published_fault, sha256_of
from evosdc.runs.result import Result
from evosdc.secret import Key

_SETTING = "setting-"

# File hashes are replaced by fingerprints with this key: one that is published by mistake cannot test a guess.
_OF_THIS_PROCESS = Key.fresh()


def data_identity(path: Path, resolved: Mapping[str, Any], environment: Mapping[str, Any]) -> str:
    """Return a text that is the same for runs about the same data; empty where a run does not tell."""
    # Fingerprints by two keys cannot be compared. Where the files still stand where the run found them, and its own key
    # says that they are unchanged, the files themselves are compared. Otherwise replicates of one study had the same
    # data, and of other runs nobody can say it. The text is another one in every process.
    known, data = environment.get("input"), resolved.get("data")
    if not isinstance(known, Mapping) or not isinstance(data, Mapping):
        return str(environment.get("data") or "")
    parts = dict(_parts(path, known, data))
    return json.dumps(parts, sort_keys=True)


def _parts(path: Path, known: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield, for each part of the input, a text that identifies it across runs."""
    for part, entry in known.items():
        if not isinstance(entry, Mapping):
            continue
        fingerprint = entry.get("fingerprint")
        if fingerprint is None:  # of a data set that anybody can have, or of a run before there were keys
            yield part, _concealed(str(entry.get("sha256") or entry.get("name")))
        else:
            file = str(data.get("file" if part == "data" else part))
            study = None
            if is_replicate(path):
                above = path.resolve().parent
                study = f"{above.parent if above.name.startswith(_SETTING) else above}: {file}"
            yield part, _unchanged(path, Path(file), str(fingerprint)) or study or str(fingerprint)


def _unchanged(path: Path, file: Path, fingerprint: str) -> str | None:
    """Return a text that identifies the file that a run has read; None where there is none."""
    try:
        sha256 = _sha256(file, file.stat().st_mtime_ns)
        same = RunFolder(path).key().fingerprint(bytes.fromhex(sha256)) == fingerprint
    except (OSError, CheckpointError):
        return None
    return _concealed(sha256) if same else None


def _concealed(text: str) -> str:
    return _OF_THIS_PROCESS.fingerprint(text.encode())


@lru_cache(maxsize=16)
def _sha256(file: Path, changed: int) -> str:
    """Return the SHA-256 of a file, read once for all replicates; `changed` is when it was written."""
    return sha256_of(file)


ADVICE = "Give a folder that `evosdc run` or `evosdc protect` wrote."


@dataclass(frozen=True, eq=False)
class RecordedRun:
    """The recorded output of one run."""

    path: Path
    name: str  # the folder's name; of a replicate, also its parent's
    resolved: Mapping[str, Any]
    environment: Mapping[str, Any]
    status: Mapping[str, Any]
    frequencies: Mapping[str, Any]
    journal: tuple[Mapping[str, Any], ...]  # one record a generation, in order of generations
    unreadable: int  # lines of the journal that are no records, as a killed run leaves behind
    scores: pd.DataFrame  # ``scores.csv`` with every value as text; empty where it does not (yet) exist
    digests: Mapping[str, str]  # SHA-256 of the published file that the result names, and of its exports, by file name
    # What ``result.json`` holds; all at its defaults where the run has not ended.
    result: Result = field(default_factory=Result)
    ended: bool = False  # whether there is a result
    # ``transitions.json``; empty where the file was not drawn by transition matrices.
    transitions: Mapping[str, Any] = field(default_factory=dict)
    risk: Mapping[str, Any] = field(default_factory=dict)
    # ``setting.json``: position and values of the run's setting in a sweep; empty where there is none.
    setting: Mapping[str, Any] = field(default_factory=dict)
    release: Mapping[str, Any] = field(default_factory=dict)
    analyst: Mapping[str, Any] = field(default_factory=dict)
    pictures: tuple[str, ...] = ()  # the SVG documents that genotype or algorithm left behind, in their order

    @property
    def title(self) -> str:
        """The experiment's title, or the folder's name where it has none."""
        return self.without_paths(self.resolved.get("title") or self.result.title) or self.name

    @property
    def phase(self) -> str:
        """The phase of the run, in one word or two as it said itself; ``unknown`` where the folder does not tell."""
        return str(self.status.get("state") or ("done" if self.ended else "unknown"))

    def option(self, section: str, key: str = "name") -> str:
        """Return one setting of a section of the experiment, or an empty text."""
        value = self.resolved.get(section)
        if isinstance(value, Mapping):
            value = value.get(key)
        return "" if value is None else str(value)

    @property
    def source(self) -> str:
        """The name of the data set, or of the data file without its folder; an empty text where unknown."""
        return self.option("data") or file_name(self.option("data", "file"))

    @cached_property
    def data_identity(self) -> str:
        """A text that is the same for runs about the same data; empty where unknown."""
        return data_identity(self.path, self.resolved, self.environment)

    def without_paths(self, text: Any) -> str:
        """Return a text of the run, with the names of files in place of their paths."""
        words = str(text or "").strip()
        for path in (self.option("data", "file"), self.option("data", "schema")):
            # A known path is replaced whole, even where it has blanks.
            words = words.replace(path, file_name(path)) if file_name(path) != path else words
        return without_folders(words)

    def sentences(self, key: Literal["warnings", "notes"]) -> list[str]:
        """Return a list of sentences of the result, each once."""
        texts = [self.without_paths(text) for text in getattr(self.result, key)]
        return list(dict.fromkeys(filter(None, texts)))


def read_run_folders(folders: Sequence[Path]) -> tuple[RecordedRun, ...]:
    """Read run folders; one that has replicates counts as that many runs."""
    faults: list[Fault] = []
    runs: list[RecordedRun] = []
    seen: set[Path] = set()
    for folder in map(Path, folders):
        if folder.resolve() in seen:
            continue
        seen.add(folder.resolve())
        found = layout.run_folders(folder)
        if not found:
            faults.append(layout.no_run(folder))
        for path in found:
            inside = path.relative_to(folder).as_posix()
            run = _read(path, path.resolve().name if path == folder else f"{folder.resolve().name}/{inside}", faults)
            if run is not None:
                runs.append(run)
    if not runs and not faults:
        faults.append(Fault("run folders", "none", "one or more run folders", ADVICE))
    if faults:
        raise InputError(faults)
    return tuple(runs)


def _read(path: Path, name: str, faults: list[Fault]) -> RecordedRun | None:
    before = len(faults)
    found = {name.removesuffix(".json"): _object(path / name, faults) for name in layout.REPORTED}
    document = found.pop("result")
    result = Result()
    try:
        result = Result.of(document, str(path / layout.RESULT)) if document else result
    except InputError as error:
        faults.extend(error.faults)
    faults.extend(_frequency_faults(path / layout.FREQUENCIES, found["frequencies"]))
    journal = path / layout.JOURNAL
    lines = journal.read_bytes().splitlines(keepends=True) if journal.is_file() else []
    records, unreadable = parse_journal(lines)
    scores = _scores(path / layout.SCORES, faults)
    changed = published_fault(path, found["release"], lacking=False) if document else None
    faults.extend([changed] if changed is not None else [])
    if len(faults) > before:
        return None
    target = path / Path(result.best.file).name  # a result may not point outside its folder
    digests = dict((found["release"] or {}).get("exports") or {})
    if result.best.file and target.is_file():
        digests[target.name] = sha256_of(target)
    pictures = sorted(path.glob(f"{layout.PICTURE}-*.svg"), key=lambda picture: (len(picture.name), picture.name))
    return RecordedRun(
        path=path,
        name=name,
        result=result,
        ended=bool(document),
        journal=tuple(records),
        unreadable=unreadable,
        scores=scores,
        digests=digests,
        pictures=tuple(picture.read_text(encoding="utf-8", errors="replace") for picture in pictures),
        **found,
    )


def _object(path: Path, faults: list[Fault]) -> Mapping[str, Any]:
    try:
        return layout.read_object(path)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        faults.append(Fault(str(path), f"a file that cannot be read ({error})", "a JSON object"))
        return {}


def _frequency_faults(path: Path, frequencies: Mapping[str, Any]) -> Iterator[Fault]:
    for attribute, entry in frequencies.items():
        columns = [entry.get(key) for key in ("categories", "before", "after")] if isinstance(entry, Mapping) else []
        lengths = [len(column) for column in columns if isinstance(column, list)]
        if len(lengths) != 3 or len(set(lengths)) != 1:
            yield Fault(
                f"{path}: {attribute}", f"lists of lengths {lengths}", "categories, before and after of one length"
            )


def _scores(path: Path, faults: list[Fault]) -> pd.DataFrame:
    if not path.is_file():
        return pd.DataFrame()
    try:
        # Plain texts: those of pandas make a page of a small run take twice as long.
        frame = pd.read_csv(path, dtype=object, keep_default_na=False, encoding="utf-8")
    except (OSError, ValueError) as error:
        faults.append(Fault(str(path), f"a file that cannot be read ({error})", "a CSV file of scores"))
        return pd.DataFrame()
    lacking = {"set", "label", "fitness"} - set(frame.columns)
    if lacking:
        faults.append(Fault(str(path), f"no column {', '.join(sorted(lacking))}", "the columns set, label, fitness"))
    return frame
